// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

extension MessagePrinter {
  /// The line for a reaction: the message's own printed line cannot change.
  @MainActor
  func line(for update: ReactionUpdate, by name: SafeText) -> StyledLine {
    if let failure = update.failure {
      return Transcript.error(
        say(
          "The reaction to [%1] was not sent: %2.", SafeText(update.message.number),
          SafeText(line: failure)))
    }
    return Self.line(for: update, by: name, widths: options.widths)
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
