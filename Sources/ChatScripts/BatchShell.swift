// SPDX-License-Identifier: GPL-3.0-or-later
import ChatSession
import Composer
import Conversations
import Glibc
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

  /// - Parameter line: the line of the session.
  package init(session: Session, line: BatchLine, output: StandardOutput) {
    self.session = session
    self.line = line
    self.output = output
  }

  /// Carries out standard input to its end. Returns the status of the first failure.
  package func run(opening conversation: Conversation) throws -> Int32 {
    var status: Int32 = 0
    try perform(try session.begin(in: conversation))
    var lineNumber = 0
    while !hasQuit, let text = readLine(strippingNewline: true) {
      lineNumber += 1
      // A blank line in a file is not an error.
      if text.allSatisfy(\.isWhitespace) { continue }
      line.text = text
      do {
        try perform(session.handle(.entered(text), at: 0))
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
  func perform(_ effects: [Effect]) throws {
    var failure: (any Error)?
    for effect in effects {
      do {
        try perform(effect)
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  private func perform(_ effect: Effect) throws {
    switch effect {
    case .print(let lines), .page(let lines, _): for line in lines { output.write(line.plain) }
    // Nobody can continue the text, so print it as the answer.
    case .fillLine(let text, _): output.write(SafeText(body: text))
    case .refused(let reason): throw Refusal(reason)
    case .edit(let text, _, _, _): line.text = text
    case .endEdit: line.text = ""
    case .whenLineBegins(let event): try perform(session.handle(event, at: 0))
    case .copy:
      throw Refusal(
        say("hobnob can copy only at a terminal, and there is none here."))
    case .launch(let words, _):
      guard programs.start(words, ended: { _ in }) else {
        throw Refusal(
          say(
            "%1 could not be run: %2. Name another program with /set open-command.",
            SafeText(line: words[0]), systemReason()))
      }
    case .connect(let account, _):
      let words = try NetworkPrograms.installed.command(account, in: session.store)
      guard programs.start(words, ended: { _ in }) else {
        throw Refusal(
          say("%1 could not be run: %2.", SafeText(line: words[0]), systemReason()))
      }
    case .quit: hasQuit = true
    // There is no screen and no keyboard, nor any other work to do meanwhile.
    case .show, .notice, .endNotice, .ask, .bell, .restore, .swapLine, .beginChoice,
      .endChoice, .addHistory,
      .setHistory, .bind, .run, .notify, .clearScreen:
      break
    // The session has carried these out.
    case .write, .answer, .complain, .list, .longAnswer, .history, .open, .openKeepingDraft, .left,
      .send, .beginEdit, .saved, .attach, .detach, .saveLater, .save, .startChore, .preferences,
      .renamed,
      .nicknamesChanged, .away, .attentionChanged, .searched, .pause, .resume, .leave,
      .draftsCleared, .takeBackLine, .holdDraft, .accountsChanged, .awaitConnection, .startAccount,
      .catchUp, .arrived, .settleIn, .nicknameTaken, .reloadHistory, .tutorial, .tutorialAction,
      .retryRead:
      break
    }
  }
}

/// The current line of standard input.
@MainActor
package final class BatchLine: SessionLine {
  package var text = ""

  package init() {}

  package var caret: Int { text.utf8.count }
  package var mentions: [Span] { [] }
  package var isEmpty: Bool { text.isEmpty }
  package var isLive: Bool { true }
  package var isIdle: Bool { true }
  package var isAsking: Bool { false }
  package var bindings: [(function: String, keys: String)] { [] }
}
