// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// What hangs below the line: who is typing, how far the newest message got, what is unread
/// (rule 7.4).
extension Shell {
  /// The prompt before the line.
  var prompt: StyledLine {
    if let editing { return StyledLine(editing.prompt, .bold) }
    let name = conversation.map { SafeText(name: $0.name) } ?? "hobnob"
    if !isMember { return StyledLine(say("%1 (left)> ", name), .dim) }
    return settings.looks.promptLine(name, glyphs: glyphs)
  }

  /// The status line's items for a terminal of `columns`.
  func statusItems(notice: SafeText?, columns: Int) -> [Item] {
    let widths = printer.options.widths
    let right = statusRight()
    let room = max(1, columns - 1 - right.columns(widths) - 2)
    let left = statusLeft(notice: notice, columns: room).truncated(to: room, widths: widths)
    var items = [Item(id: "left", line: left)]
    if !right.isEmpty { items += [.flexibleSpace, Item(id: "right", line: right)] }
    return items
  }

  private func statusLeft(notice: SafeText?, columns: Int) -> StyledLine {
    if let notice { return StyledLine(notice, .dim) }
    if let editing { return StyledLine(editing.status, .dim) }
    if let line = typing.line(columns: columns, widths: printer.options.widths) { return line }
    if !isMember, let conversation {
      return StyledLine(
        say("You left %1; only commands work here", SafeText(name: conversation.name)), .dim)
    }
    if isPaused { return StyledLine(say("Printing is held; /bottom goes on"), .dim) }
    if let away {
      return StyledLine(
        away.isEmpty
          ? say("%1, away", SafeText(name: me.name))
          : say("%1, away: %2", SafeText(name: me.name), SafeText(line: away)), .dim)
    }
    let others = here.filter { $0.isHere && $0.participant.id != me.id }.count
    switch others {
    case 0: return StyledLine(say("%1, alone here", SafeText(name: me.name)), .dim)
    case 1: return StyledLine(say("%1, with 1 other here", SafeText(name: me.name)), .dim)
    default:
      return StyledLine(
        say("%1, with %2 others here", SafeText(name: me.name), SafeText(others)), .dim)
    }
  }

  private func statusRight() -> StyledLine {
    var parts: [StyledLine] = []
    if isPaused {
      parts.append(StyledLine(say("%1 new", SafeText(held.count)), held.count > 0 ? .bold : .dim))
    }
    if let newestOwn {
      let mark = MessagePrinter.mark(newestOwn.state, glyphs)
      let word = Self.word(for: newestOwn.state)
      let said = newestOwn.state == .seen ? word : mark + " " + word
      parts.append(
        StyledLine(
          "[\(newestOwn.number)] " + said,
          newestOwn.state == .failed ? Style(foreground: .red) : .dim))
    }
    // The newest one's own state says it of itself.
    let others = (
      failed: unsent.failed - (newestOwn?.state == .failed ? 1 : 0),
      waiting: unsent.waiting - (newestOwn?.state == .sending ? 1 : 0)
    )
    if others.failed > 0 {
      parts.append(
        StyledLine(say("%1 failed", SafeText(unsent.failed)), Style(foreground: .red)))
    }
    if others.waiting > 0 {
      parts.append(StyledLine(say("%1 waiting", SafeText(unsent.waiting)), .dim))
    }
    let sorted = unread.values.filter { $0.count > 0 }.sorted {
      ($1.count, $0.name) < ($0.count, $1.name)
    }
    if let first = sorted.first {
      let rest = sorted.count > 1 ? say(" and %1 more", SafeText(sorted.count - 1)) : ""
      parts.append(
        StyledLine(
          say("%1 unread in %2", SafeText(first.count), SafeText(name: first.name)) + rest, .bold))
    }
    var line = StyledLine()
    for part in parts {
      if !line.isEmpty { line.append(" " + glyphs.separator + " ", .dim) }
      line += part
    }
    return line
  }
}
