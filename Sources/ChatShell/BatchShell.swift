// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import Glibc
import StyledText

/// A shell without a terminal: lines of standard input, as typed at the prompt (rule 11.4).
/// Standard output carries what commands answer, and nothing else.
@MainActor
final class BatchShell: Face {
  private let shell: Shell
  private let output: StandardOutput
  private var line = ""
  private var kept = ""
  private var hasQuit = false
  private var status: Int32 = 0

  init(shell: Shell, output: StandardOutput) {
    self.shell = shell
    self.output = output
    shell.face = self
    shell.printer.options.groupsRuns = false
  }

  /// Carries out standard input to its end. Returns the first failure's status.
  func run(opening conversation: Conversation) throws -> Int32 {
    try shell.lookFromHere()
    try shell.enter(conversation)
    var number = 0
    while !hasQuit, let text = readLine(strippingNewline: true) {
      number += 1
      // A blank line of a file is no mistake.
      if text.allSatisfy(\.isWhitespace) { continue }
      line = text
      do {
        try shell.take(text)
      } catch {
        StandardError.say("line \(number): " + sentence(for: error))
        if status == 0 { status = 1 }
      }
    }
    try output.finish()
    return status
  }

  var isInteractive: Bool { false }
  func print(_ lines: [StyledLine]) { for line in lines { output.write(line.plain) } }
  func show(_ lines: [StyledLine]) {}
  func refresh() {}
  func notice(_ text: SafeText) {}
  func bell() {}
  // Nobody is there to go on with the text; it is what was asked for.
  func put(_ text: String, mentions: [Span], files: WaitingFiles) {
    output.write(SafeText(body: text))
  }
  // A line does not wait here.
  func giveBack(_ line: WaitingLines.Line, because reason: SafeText) {}
  func storeDraft() {}
  func beginEditing(_ text: String, offering offered: String?, mentions: [Span]) { line = text }
  func endEditing(offering offered: String?) { line = "" }
  func retargetEditing(_ text: String, offering offered: String?, mentions: [Span]) { line = text }
  var draft: (text: String, caret: Int) { (line, line.utf8.count) }
  func leaveConversation() {}
  func enteredConversation() {}
  func remember(_ line: String) {}
  func reloadHistory() {}
  func tryAgainSoon() {}
  func printMoreSoon() {}
  func mentions(in body: String) -> [Span] { [] }
  // There are no keys.
  func bind(_ line: String) -> [SafeText] { [] }
  var bindings: [(function: String, keys: String)] { [] }
  func clearScreen() {}
  func quit() { hasQuit = true }
}
