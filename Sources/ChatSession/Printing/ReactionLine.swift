// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

extension MessagePrinter {
  /// The lines for a reaction: the message's own printed line cannot change. Below its message it
  /// needs no number.
  @MainActor
  mutating func lines(for update: ReactionUpdate, by name: SafeText) -> [StyledLine] {
    let message = update.message
    let line: StyledLine
    if let failure = update.failure {
      line = Transcript.error(
        say(
          "The reaction to [%1] was not sent: %2.", SafeText(message.number),
          SafeText(line: failure)))
    } else if options.hasColumns, message.id == newest {
      let text =
        update.emoji.map { SafeText(line: $0) + " " + name }
        ?? say("%1 removed %2", name, SafeText(line: update.removed ?? ""))
      line = StyledLine(text, .dim)
    } else {
      line = Self.line(for: update, by: name, widths: options.widths)
    }
    return event([line], at: update.at, of: message.id, repeatsTime: false)
  }

  /// `🎉 anna [42] the text` (`ben yawns` if it is an action), or that a reaction was withdrawn.
  package static func line(for update: ReactionUpdate, by name: SafeText, widths: Widths)
    -> StyledLine
  {
    let number = SafeText(update.message.number)
    guard let emoji = update.emoji else {
      let removed = SafeText(line: update.removed ?? "")
      return StyledLine(say("%1 removed %2 from [%3]", name, removed, number), .dim)
    }
    let first = SafeText(body: update.message.body).lines.first ?? SafeText()
    // An action means nothing without its actor.
    let text =
      update.message.kind == .action
      ? SafeText(name: update.message.senderName) + " " + first : first
    return StyledLine(
      say("%1 %2 [%3] ", SafeText(line: emoji), name, number)
        + text.truncated(to: 40, widths: widths), .dim)
  }
}
