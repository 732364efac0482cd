// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// `/unread`, `/next`, `/outbox`: what waits for me, and what of mine waits.
@MainActor
package struct UnreadCommands: SessionPart {
  let session: Session

  // MARK: Unread (rule 7.7)

  /// Elsewhere, the most urgent first (rule 7.4).
  func unreadElsewhere() throws -> [Unread] {
    try store.read { try $0.unread(mentioning: me, highlight: settings.highlightWords) }
      .filter { $0.conversation.id != place.conversation?.id }.sorted()
  }

  func listUnread(_ argument: String) throws {
    guard argument.isEmpty else { throw usage("unread") }
    let unread = try unreadElsewhere()
    var lines = unread.map { entry in
      var line = StyledLine("  ")
      line.append(SafeText(name: entry.conversation.name), .bold)
      line.append("  " + say("%1 unread", SafeText(entry.count)))
      if entry.mentions > 0 {
        line.append(", " + Self.mentions(entry.mentions), .bold)
        if let first = entry.firstMention { line.append(" [\(first)]", .dim) }
      }
      return line
    }
    if screen.isPaused, screen.held.count > 0 {
      lines.append(StyledLine(say("%1 new here.", SafeText(screen.held.count))))
    }
    guard !lines.isEmpty else { return tell(say("Nothing is unread.")) }
    transcript.answer(lines)
  }

  package static func mentions(_ count: Int) -> SafeText {
    count == 1 ? say("1 mention") : say("%1 mentions", SafeText(count))
  }

  func next(_ argument: String) throws {
    guard argument.isEmpty else { throw usage("next") }
    guard let first = try unreadElsewhere().first else {
      return tell(say("Nothing is unread elsewhere."))
    }
    try place.go(to: first.conversation)
  }

  // MARK: Outbox

  func outbox(_ argument: String) throws {
    guard argument.isEmpty else { throw usage("outbox") }
    var names: [ID<Conversation>: SafeText] = [:]
    var lines = try store.read { try $0.unsent(by: me.id, in: nil) }.map { message in
      if names[message.conversation] == nil {
        names[message.conversation] = SafeText(
          name: try store.read { try $0.conversation(message.conversation, for: me.id) }?.name ?? ""
        )
      }
      var line = StyledLine("  ")
      line.append((names[message.conversation] ?? "") + " [\(message.number)] ", .dim)
      line += StyledLine(beginning(of: message.body))
      let mark = "  " + MessagePrinter.mark(message.state, glyphs) + " "
      if message.state == .failed {
        line.append(mark + message.notSent, Style(foreground: .red))
      } else {
        line.append(mark + message.state.word, .dim)
      }
      return line
    }
    lines += outgoing.lines.map { line in
      StyledLine("  ") + StyledLine(beginning(of: line.typed))
        + StyledLine("  " + say("waiting for the store"), .dim)
    }
    guard !lines.isEmpty else { return tell(say("Nothing waits to be sent.")) }
    transcript.answer(lines)
  }

  private func beginning(of body: String) -> SafeText {
    (SafeText(body: String(body.prefix(200))).lines.first ?? SafeText())
      .truncated(to: 50, widths: transcript.printer.options.widths)
  }
}

extension Message {
  /// That it failed, and why; not every network says that.
  var notSent: SafeText {
    guard let failure, !failure.isEmpty else { return say("not sent") }
    return say("not sent: %1", SafeText(line: failure))
  }
}
