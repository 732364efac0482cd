// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

extension MessagePrinter {
  /// Returns the lines for a reaction, since the message's own printed line cannot change. Directly
  /// below its message, a reaction needs no number.
  @MainActor
  package mutating func lines(for update: ReactionUpdate, by name: SafeText) -> [StyledLine] {
    let message = update.message
    let line: StyledLine
    if let failure = update.failure {
      line = Renderer.error(
        say(
          "The reaction to [%1] was not sent: %2.", SafeText(message.number),
          SafeText(line: failure)))
    } else if options.hasColumns, message.id == newest {
      let text =
        update.emoji.map { SafeText(line: $0) + " " + name }
        ?? say("%1 removed %2", name, SafeText(line: update.removed ?? ""))
      line = StyledLine(text, .dim)
    } else {
      line = Self.line(for: update, by: name, columns: eventRoom, options)
    }
    return event([line], at: update.at, of: message.id, repeatsTime: false)
  }

  /// `🎉 anna [42] the text` (`ben yawns` for an action), or says that a reaction was withdrawn.
  ///
  /// - Parameter columns: how many columns the line may take; of a text that needs more, it has the
  ///   beginning. Nil for those of the terminal.
  package static func line(
    for update: ReactionUpdate, by name: SafeText, columns: Int? = nil, _ options: Options
  ) -> StyledLine {
    let (number, glyphs) = (SafeText(update.message.number), options.glyphs)
    let mark = glyphs.isSpoken ? glyphs.lead(glyphs.event) : SafeText()
    guard let emoji = update.emoji else {
      let removed = SafeText(line: update.removed ?? "")
      return StyledLine(mark + say("%1 removed %2 from [%3]", name, removed, number), .dim)
    }
    let first = SafeText(body: update.message.shownBody).lines.first ?? SafeText()
    // An action means nothing without its actor.
    let text =
      update.message.kind == .action
      ? SafeText(name: update.message.senderName) + " " + first : first
    let head =
      glyphs.isSpoken
      ? say("%2 reacted with %1 to [%3] ", SafeText(line: emoji), name, number)
      : say("%1 %2 [%3] ", SafeText(line: emoji), name, number)
    let room = (columns ?? options.columns) - options.widths.columns(of: (mark + head).string)
    let rest = text.truncated(to: max(1, room), widths: options.widths, ellipsis: glyphs.ellipsis)
    return StyledLine(mark + head + rest, .dim)
  }
}
