// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// What a typed line means: a message, a command, a reaction, or the text of a message that is being
/// edited.
@MainActor
struct Dispatcher: SessionPart {
  let session: Session

  /// - Throws: what is to be said when the line has to stay.
  func carryOut(_ text: String) throws {
    let text = LineRules.withoutNewlinesAtEnd(text)
    if editing.isOn { return try session.withLockTimeout { try editing.carryOut(text) } }
    if let emoji = try session.reactions.reaction(in: text) {
      try session.reactions.react(with: emoji)
      return rememberCommand(text)
    }
    switch session.preferences.rules.judge(text) {
    case .blank:
      guard files.waiting.isEmpty else { return try outgoing.send("", typed: "") }
      throw Refusal(SafeText())
    case .overLimit(let count, let limit): throw outgoing.tooLong(count, limit)
    case .slashGuard:
      throw Refusal(
        say(
          "A command has to begin with /, without blanks before it. To send this line, begin it with //, or /set slash-guard off."
        ))
    case .commandWithNewlines(let name):
      let known = session.preferences.unaliased(text).dropFirst().prefix { !$0.isWhitespace }
      guard Command.named(String(known)) != nil else { throw Command.unknown(name) }
      throw Refusal(
        say(
          "/%1 takes one line. To send a text that begins with /, begin it with //.",
          SafeText(line: name)))
    case .command(let line):
      try session.withLockTimeout { try run(line) }
      rememberCommand(text)
    case .message(let body):
      if settings.slashGuard, let command = drafts.command(behindDraftIn: text) {
        throw Refusal(
          say(
            "/%1 comes right after a draft that returned. Delete the draft, or put a blank between them to send both.",
            SafeText(line: command.name)))
      }
      try outgoing.send(body, typed: text)
    }
  }

  /// Carries out a command line, `/` included.
  private func run(_ line: String) throws {
    let line = session.preferences.unaliased(line)
    let name = String(line.dropFirst().prefix { !$0.isWhitespace })
    let rest = line.dropFirst(1 + name.count).drop { $0.isWhitespace }
    guard let command = Command.named(name) else { throw Command.unknown(name) }
    // Completion leaves a space behind a name; only a text is kept as it was typed.
    try command.run(session, command.takesNewlines ? String(rest) : String(rest).trimmingBlanks)
  }

  /// Commands enter the input history too (rule 1.12).
  private func rememberCommand(_ line: String) {
    if session.isInteractive { emit(.whenLineBegins(.carriedOut(line))) }
  }
}
