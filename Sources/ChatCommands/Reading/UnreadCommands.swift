// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatPreferences
import ChatRendering
import Conversations
import StyledText

/// `/unread`, `/next`, `/outbox`: messages that wait for the person, and their messages that wait.
@MainActor
package struct UnreadCommands {
  let context: CommandContext

  // MARK: Unread (rule 7.7)

  /// Unread messages elsewhere, the most urgent first (rule 7.4).
  private func unreadElsewhere(_ snapshot: borrowing Snapshot) throws -> [Unread] {
    try snapshot.unreadElsewhere(
      than: context.open.id, mentioning: context.me, context.settings.highlights)
  }

  func listUnread(_ snapshot: borrowing Snapshot) throws -> Step {
    let unread = try unreadElsewhere(snapshot)
    let rows = unread.map { entry in
      var mentions = StyledLine()
      if entry.mentions > 0 {
        mentions.append(Self.mentions(entry.mentions), .bold)
        if let first = entry.firstMention { mentions.append(" [\(first)]", .dim) }
      }
      return [
        StyledLine("  ") + StyledLine(SafeText(name: entry.conversation.name), .bold),
        StyledLine(say("%1 unread", SafeText(entry.count))), mentions,
      ]
    }
    var step = rows.isEmpty ? Step() : context.table([], rows)
    if context.screenState.isPaused, context.screenState.held.count > 0 {
      step.effects.append(.tell(say("%1 new here.", SafeText(context.screenState.held.count))))
    }
    if step.effects.isEmpty { step = .tell(say("Nothing is unread.")) }
    if let reminder = try context.accounts.reminder(snapshot) {
      step.effects.append(.tell(reminder))
    }
    return step
  }

  package static func mentions(_ count: Int) -> SafeText {
    say("1 mention", "%1 mentions", count: count)
  }

  func next(_ snapshot: borrowing Snapshot) throws -> Step {
    guard let first = try unreadElsewhere(snapshot).first else {
      return .tell(
        try context.accounts.reminder(snapshot) ?? say("Nothing is unread elsewhere."))
    }
    return Step([.open(first.conversation, isNew: false)])
  }

  // MARK: Outbox

  func outbox(_ snapshot: borrowing Snapshot) throws -> Step {
    var names: [ID<Conversation>: SafeText] = [:]
    var lines: [StyledLine] = []
    for message in try snapshot.unsent(by: context.me.id, in: nil) {
      if names[message.conversation] == nil {
        names[message.conversation] = SafeText(
          name: try snapshot.conversation(message.conversation, for: context.me.id)?.name ?? ""
        )
      }
      var line = StyledLine("  ")
      line.append((names[message.conversation] ?? "") + " [\(message.number)] ", .dim)
      line += StyledLine(firstLine(of: message.body))
      let (glyphs, isFailed) = (context.glyphs, message.state == .failed)
      // For a screen reader, the mark would repeat the word for the state.
      let mark =
        glyphs.isSpoken ? SafeText() : glyphs.lead(MessagePrinter.mark(message.state, glyphs))
      line.append(
        glyphs.gap + mark + (isFailed ? message.notSent : message.state.word),
        isFailed ? Style(foreground: .red) : .dim)
      lines.append(line)
    }
    lines += context.unstoredLines.map { line in
      StyledLine("  ") + StyledLine(firstLine(of: line.typed))
        + StyledLine(context.glyphs.gap + say("waiting for the store"), .dim)
    }
    guard !lines.isEmpty else { return .tell(say("No messages wait to be sent.")) }
    return .answer(lines)
  }

  private func firstLine(of body: String) -> SafeText {
    (SafeText(body: String(body.prefix(200))).lines.first ?? SafeText())
      .truncated(to: 50, widths: context.widths)
  }
}

extension Unread {
  /// How many messages are unread, for people who listen: `12 unread, 1 mention`.
  @MainActor package var words: SafeText {
    let all = say("%1 unread", SafeText(count))
    return mentions > 0 ? all + ", " + UnreadCommands.mentions(mentions) : all
  }
}
