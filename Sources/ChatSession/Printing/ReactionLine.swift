// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

extension MessagePrinter {
  /// The line for a reaction: the message's own printed line cannot change.
  @MainActor
  func line(for news: ReactionNews, by name: SafeText) -> StyledLine {
    if let failure = news.failure {
      return Transcript.error(
        say(
          "The reaction to [%1] was not sent: %2.", SafeText(news.message.number),
          SafeText(line: failure)))
    }
    return Self.line(for: news, by: name, widths: options.widths)
  }

  /// `🎉 anna [42] the text` (`ben yawns` if it is an action), or that a reaction was withdrawn.
  package static func line(for news: ReactionNews, by name: SafeText, widths: Widths) -> StyledLine
  {
    let number = SafeText(news.message.number)
    guard let emoji = news.emoji else {
      let removed = SafeText(line: news.removed ?? "")
      return StyledLine(say("%1 removed %2 from [%3]", name, removed, number), .dim)
    }
    let first = SafeText(body: news.message.body).lines.first ?? SafeText()
    // An action means nothing without its actor.
    let text =
      news.message.kind == .action
      ? SafeText(name: news.message.senderName) + " " + first : first
    return StyledLine(
      say("%1 %2 [%3] ", SafeText(line: emoji), name, number)
        + text.truncated(to: 40, widths: widths), .dim)
  }
}
