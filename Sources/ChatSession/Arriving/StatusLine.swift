// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// What hangs below the line: who is typing, how far the newest message got, what is unread
/// (rule 7.4).
@MainActor
package struct StatusLine: SessionPart {
  let session: Session

  package init(session: Session) { self.session = session }

  /// The prompt before the line.
  package var prompt: StyledLine {
    if moves.isChoosing { return StyledLine(say("switch to> "), .bold) }
    if let mode = editing.mode { return StyledLine(mode.prompt, .bold) }
    if let target = moves.target {
      return settings.looks.promptLine(SafeText(name: target.name), glyphs: glyphs)
    }
    let name = place.conversation.map { SafeText(name: $0.name) } ?? "hobnob"
    switch place.membership {
    case .member: break
    case .left: return StyledLine(say("%1 (left)> ", name), .dim)
    case .never: return StyledLine(say("%1 (not joined)> ", name), .dim)
    }
    return settings.looks.promptLine(name, glyphs: glyphs)
  }

  /// The status line's items for a terminal of `columns`.
  package func items(notice: SafeText?, columns: Int) -> [Item] {
    let widths = transcript.printer.options.widths
    let right = statusRight(columns: columns * 2 / 3)
    let room = max(1, columns - 1 - right.columns(widths) - 2)
    let left = statusLeft(notice: notice, columns: room).truncated(to: room, widths: widths)
    var items = [Item(id: "left", line: left)]
    if !right.isEmpty { items += [.flexibleSpace, Item(id: "right", line: right)] }
    return items
  }

  private func statusLeft(notice: SafeText?, columns: Int) -> StyledLine {
    if let notice { return StyledLine(notice, .dim) }
    if moves.isChoosing {
      return StyledLine(say("Return goes to the first, C-g returns"), .dim)
    }
    if let mode = editing.mode { return StyledLine(mode.status, .dim) }
    if let line = place.typing.line(columns: columns, widths: transcript.printer.options.widths) {
      return line
    }
    if !place.isMember, let conversation = place.conversation {
      let name = SafeText(name: conversation.name)
      return StyledLine(
        place.membership == .left
          ? say("You left %1; only commands work here", name)
          : say("Only commands work here; /join %1 enters it", name), .dim)
    }
    if screen.isPaused { return StyledLine(say("Printing is held; /bottom goes on"), .dim) }
    if let away = place.away {
      return StyledLine(
        away.isEmpty
          ? say("%1, away", SafeText(name: me.name))
          : say("%1, away: %2", SafeText(name: me.name), SafeText(line: away)), .dim)
    }
    let others = place.here.filter { $0.isHere && $0.participant.id != me.id }.count
    switch others {
    case 0: return StyledLine(say("%1, alone here", SafeText(name: me.name)), .dim)
    case 1: return StyledLine(say("%1, with 1 other here", SafeText(name: me.name)), .dim)
    default:
      return StyledLine(
        say("%1, with %2 others here", SafeText(name: me.name), SafeText(others)), .dim)
    }
  }

  /// What is right, as much of it as fits: what comes last goes first, and a long name is cut.
  private func statusRight(columns: Int) -> StyledLine {
    var parts = statusParts()
    func joined() -> StyledLine {
      var line = StyledLine()
      for part in parts.sorted(by: { $0.place < $1.place }) {
        if !line.isEmpty { line.append(" " + glyphs.separator + " ", .dim) }
        line += part.line
      }
      return line
    }
    var line = joined()
    while parts.count > 1, line.columns(transcript.printer.options.widths) > columns {
      parts.removeLast()
      line = joined()
    }
    return line.truncated(to: columns, widths: transcript.printer.options.widths)
  }

  /// The parts of the right side, the most important first; `place` is where they stand.
  private func statusParts() -> [(place: Int, line: StyledLine)] {
    var parts: [(place: Int, line: StyledLine)] = []
    let red = Style(foreground: .red)
    if screen.isPaused, screen.held.count > 0 {
      parts.append((0, StyledLine(say("%1 new", SafeText(screen.held.count)), .bold)))
    }
    // The newest one's own state says it of itself.
    let others = (
      failed: news.unsent.failed - (place.newestOwn?.state == .failed ? 1 : 0),
      waiting: news.unsent.waiting - (place.newestOwn?.state == .sending ? 1 : 0)
    )
    if others.failed > 0 {
      parts.append((2, StyledLine(say("%1 failed", SafeText(news.unsent.failed)), red)))
    }
    let sorted = news.unread.values.filter { $0.count > 0 }.sorted {
      ($1.count, $0.name) < ($0.count, $1.name)
    }
    if let first = sorted.first {
      let rest = sorted.count > 1 ? say(" and %1 more", SafeText(sorted.count - 1)) : ""
      let text = say("%1 unread in %2", SafeText(first.count), SafeText(name: first.name)) + rest
      parts.append((4, StyledLine(text, .bold)))
    }
    if let newestOwn = place.newestOwn {
      let mark = MessagePrinter.mark(newestOwn.state, glyphs)
      let word = newestOwn.state.word
      let said = newestOwn.state == .seen ? word : mark + " " + word
      let style = newestOwn.state == .failed ? red : .dim
      parts.append((1, StyledLine("[\(newestOwn.number)] " + said, style)))
    }
    if others.waiting > 0 {
      parts.append((3, StyledLine(say("%1 waiting", SafeText(news.unsent.waiting)), .dim)))
    }
    return parts
  }
}
