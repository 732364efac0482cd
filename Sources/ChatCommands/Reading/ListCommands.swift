// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatPreferences
import ChatRendering
import Conversations
import Platform
import StyledText

/// `/list`, `/who`, `/drafts`.
@MainActor
struct ListCommands {
  let context: CommandContext

  func list(_ snapshot: borrowing Snapshot) throws -> Step {
    // The store might hold a conversation twice.
    let mine = Dictionary(
      try snapshot.listing(for: context.me.id).map { ($0.conversation.id, $0) }
    ) { $1 }
    let unread = Dictionary(
      try snapshot.unread(mentioning: context.me, context.settings.highlights).map {
        ($0.conversation.id, $0)
      }
    ) { $1 }
    var rows: [[StyledLine]] = []
    let joined = try snapshot.joined(by: context.me.id)
    let width = String(joined.count).count
    for (row, id) in joined.enumerated() {
      guard let entry = mine[id] else { continue }
      let number = String(row + 1)
      let isOpen = entry.conversation.id == context.open.id
      let blanks = String(repeating: " ", count: width - number.count)
      let isSpoken = context.glyphs.isSpoken
      var name = StyledLine(
        (isOpen && !isSpoken ? "* " : "  ") + SafeText(line: blanks + number + " "), .dim)
      name.append(SafeText(name: entry.conversation.name), isOpen ? .bold : .plain)
      var mark = StyledLine()
      if let unread = unread[entry.conversation.id], !isOpen {
        mark =
          isSpoken
          ? StyledLine(unread.words)
          : StyledLine(unread.mark, unread.style(accent: context.settings.appearance.color))
      } else if isOpen, isSpoken {
        mark = StyledLine(say("open"))
      }
      let last =
        entry.lastAt.map {
          StyledLine(
            isSpoken ? say("last message %1", LocalTime.stamp($0)) : LocalTime.stamp($0), .dim)
        } ?? StyledLine()
      rows.append([name, mark, last])
    }
    let known = Set(mine.keys)
    let others = try snapshot.rooms(for: context.me.id).filter { !known.contains($0.id) }
    for room in others.sorted(by: {
      LocaleOrder.precedes($0.name.lowercased(), $1.name.lowercased())
    }) {
      rows.append([
        StyledLine.blanks(width + 3) + StyledLine(SafeText(name: room.name), .dim),
        StyledLine(), StyledLine(say("not joined"), .dim),
      ])
    }
    guard !rows.isEmpty else {
      return .answer([StyledLine(say("There is no conversation yet; /join ROOM makes one."), .dim)])
    }
    let indent = String(repeating: " ", count: width + 3)
    return context.table(
      [SafeText(line: indent) + say("Name"), say("Unread"), say("Last message")],
      rows)
  }

  func who(_ snapshot: borrowing Snapshot) throws -> Step {
    return context.list(try snapshot.people(in: context.open.required().id), snapshot)
  }

  func listDrafts(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    switch argument {
    case "":
      let drafts = try snapshot.drafts(of: context.me.id).filter {
        $0.0.id != context.open.id
      }
      guard !drafts.isEmpty else {
        return .tell(say("There are no drafts in other conversations."))
      }
      return .answer(
        drafts.map { conversation, draft in
          let first = SafeText(body: draft.text).lines.first ?? SafeText()
          return StyledLine("  " + SafeText(name: conversation.name) + context.glyphs.gap)
            + StyledLine(first.truncated(to: 60, widths: context.widths), .dim)
        })
    case "clear":
      return Step {
        try $0.clearDrafts(of: context.me.id)
        return [.draftsCleared, .tell(say("All drafts are deleted."))]
      }
    default: throw usage("drafts")
    }
  }
}
