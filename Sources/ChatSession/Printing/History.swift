// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

extension MessagePrinter {
  /// Returns the lines of messages in their current state, with delivery marks and reactions (rules
  /// 7.1, 7.2, 7.5).
  ///
  /// - Parameter now: the wall clock, if times are ages.
  mutating func historyLines(
    _ messages: [Message], _ reactions: [ID<Message>: [Reaction]], agesAt now: Milliseconds?
  ) -> [StyledLine] {
    options.marks = true
    options.agesAt = now
    fitColumns(to: messages)
    return messages.inOrder().flatMap { message in
      lines(for: message) + line(of: reactions[message.id] ?? [])
    }
  }

  /// `🎉 anna, ben  👍 zoe`, each emoji in the position of its first use.
  private func line(of reactions: [Reaction]) -> [StyledLine] {
    guard !reactions.isEmpty else { return [] }
    var order: [String] = []
    var names: [String: [SafeText]] = [:]
    for reaction in reactions {
      if names[reaction.emoji] == nil { order.append(reaction.emoji) }
      names[reaction.emoji, default: []].append(SafeText(name: reaction.participant.name))
    }
    let parts = order.map { emoji in
      SafeText(line: emoji) + " " + (names[emoji] ?? []).joinedAsList()
    }
    let text = parts.joined(separator: options.glyphs.gap)
    let head = options.glyphs.isSpoken ? say("Reactions") + ": " : SafeText()
    return [below(StyledLine(head + text, .dim))]
  }
}
