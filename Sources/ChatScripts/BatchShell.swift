// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatPreferences
import ChatSession
import Composer
import Conversations
import Glibc
import Platform
import StyledText

/// A shell without a terminal: lines of standard input, as typed at the prompt (rule 11.4).
/// Standard output carries only the answers of commands.
@MainActor
package final class BatchShell {
  private let session: Session
  private let output: StandardOutput
  private let line: BatchLine
  private let programs = DetachedPrograms()
  private var hasQuit = false
  /// Why the first effect failed.
  private var failure: (any Error)?

  /// - Parameter line: the line of the session.
  package init(session: Session, line: BatchLine, output: StandardOutput) {
    self.session = session
    self.line = line
    self.output = output
    line.output = output
  }

  /// Carries out standard input to its end. Returns the status of the first failure.
  package func run(opening conversation: Conversation) throws -> Int32 {
    var status: Int32 = 0
    try carryOut(try session.begin(in: conversation))
    var lineNumber = 0
    while !hasQuit, let text = readLine(strippingNewline: true) {
      lineNumber += 1
      // A blank line in a file is not an error.
      if text.allSatisfy(\.isWhitespace) { continue }
      line.text = text
      do {
        try carryOut(handle(.entered(text)))
      } catch {
        StandardError.say(say("line %1: ", SafeText(lineNumber)) + sentence(for: error))
        if status == 0 { status = 1 }
      }
    }
    try output.finish()
    return status
  }

  /// - Throws: the error of the first effect that failed, once the other effects are carried out
  ///   (rule 14.8).
  func carryOut(_ effects: [Effect]) throws {
    perform(effects)
    if let failure = failure.take() { throw failure }
  }
}

extension BatchShell: SessionShell {
  package func handle(_ event: SessionEvent) -> [Effect] { session.handle(event, at: 0) }
  package func failed(_ error: any Error) { failure = failure ?? error }
  package func refused(_ reason: SafeText) { failed(Refusal(reason)) }

  package func print(_ lines: [StyledLine]) { for line in lines { output.write(line.plain) } }
  package func page(_ lines: [StyledLine], atEnd: Bool) { print(lines) }

  package func copy(_ text: SafeText) throws {
    throw Refusal(
      say("hobnob can copy only at a terminal, and there is none here."))
  }

  package func launch(_ words: [String], target: SafeText) throws {
    guard programs.start(words, ended: { _ in }) else {
      throw Refusal(
        say(
          "%1 could not be run: %2. Name another program with /set open-command.",
          SafeText(line: words[0]), systemReason()))
    }
  }

  package func connect(_ account: Account, asks: Bool) throws {
    let words = try NetworkPrograms.installed.command(account, in: session.store)
    guard programs.start(words, ended: { _ in }) else {
      throw Refusal(
        say("%1 could not be run: %2.", SafeText(line: words[0]), systemReason()))
    }
  }

  package func quit(status: Int32) { hasQuit = true }
  package var shellLine: any ShellLine { line }

  // There is no screen and no keyboard, nor any other work to do meanwhile.
  package func show(_ lines: [StyledLine]) {}
  package func show(notice: SafeText) {}
  package func end(notice: SafeText?) {}
  package func ask(_ question: Question) {}
  package func bell() {}
  package func notify(_ notifications: [Notification]) {}
  package func clearScreen() {}
  package func bind(_ bindings: [KeyBinding], mustWork: Bool) {}
  package func run(_ chore: FileChore) {}
}

/// The current line of standard input.
@MainActor
package final class BatchLine: InputLine {
  package var text = ""
  /// Prints a text that a command has put into the line: nobody can continue it.
  var output: StandardOutput?

  package init() {}

  package var caret: Int { text.utf8.count }
  package var mentions: [Span] { [] }
  package var isEmpty: Bool { text.isEmpty }
  package var isLive: Bool { true }
  package var isIdle: Bool { true }
  package var isAsking: Bool { false }
  package var bindings: [(function: String, keys: String)] { [] }
}

extension BatchLine: ShellLine {
  package func whenBegun(_ action: @escaping @MainActor () -> Void) { action() }
  package func fill(_ text: String, _ mentions: [Span]) { output?.write(SafeText(body: text)) }
  package func beginEdit(
    _ text: String, offering: String?, _ mentions: [Span], isAnother: Bool
  ) { self.text = text }
  package func endEdit(offering: String?) { text = "" }

  // Nobody types, so there are no drafts, no choice and no history.
  package var isFree: Bool { true }
  package func replace(by draft: Conversations.Draft) {}
  package func beginChoice() {}
  package func endChoice() {}
  package func addHistory(_ line: String) {}
  package func setHistory(_ lines: [String]) {}
}
