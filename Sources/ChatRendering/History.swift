// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Conversations
import StyledText

/// Rules where messages may be missing, between the messages of a list (rule 14.7).
package struct GapRules {
  private var gaps: [Int64]
  private var previous: Int64?

  /// - Parameter gaps: the sort keys after which messages may be missing, ascending.
  package init(_ gaps: [Int64]) { self.gaps = gaps }

  /// The rule between the previous message and this one.
  package mutating func lines(before message: Message, _ printer: inout MessagePrinter)
    -> [StyledLine]
  {
    defer { previous = max(previous ?? message.sort, message.sort) }
    return previous.map { rule(from: $0, to: message.sort, &printer) } ?? []
  }

  /// The rule below the last message.
  ///
  /// - Parameter next: the sort key of the message that follows in the store; nil if it is the
  ///   newest.
  package func linesAtEnd(before next: Int64? = nil, _ printer: inout MessagePrinter)
    -> [StyledLine]
  {
    previous.map { rule(from: $0, to: next ?? .max, &printer) } ?? []
  }

  private func rule(
    from start: Int64, to end: Int64, _ printer: inout MessagePrinter
  ) -> [StyledLine] {
    guard gaps.contains(where: { start <= $0 && $0 < end }) else { return [] }
    printer.endRun()
    return [printer.rule(say("messages may be missing here"))]
  }
}

extension MessagePrinter {
  /// Returns messages that were missed during a break and belong above lines that are printed
  /// already, under a heading with their span of time (rule 14.7).
  package mutating func missedLines(_ messages: [Message]) -> [StyledLine] {
    guard let span = Self.missedSpan(messages.filter { !hides($0) }) else { return [] }
    endRun()
    var lines = [rule(span)]
    for message in messages { add(message, to: &lines) }
    // The next message belongs below the lines above the heading.
    endRun()
    return lines
  }

  /// The heading of messages that were missed: their span of time; nil if there are none.
  package static func missedSpan(_ messages: [Message]) -> SafeText? {
    let times = messages.map(\.createdAt)
    guard let first = times.min(), let last = times.max() else { return nil }
    let (from, until) = (LocalTime.clock(first), LocalTime.clock(last))
    // Translators: a heading above older messages, as in “missed 14:02 to 14:09”.
    return from == until ? say("missed %1", from) : say("missed %1 to %2", from, until)
  }

  /// Returns the lines of messages in their current state, with delivery marks and reactions (rules
  /// 7.1, 7.2, 7.5).
  ///
  /// - Parameters:
  ///   - gaps: the sort keys after which messages may be missing, ascending.
  ///   - next: the sort key of the next message in the store; nil if these are the newest.
  ///   - now: the wall clock, if times are ages.
  package mutating func historyLines(
    _ messages: [Message], _ reactions: [ID<Message>: [Reaction]], gaps: [Int64],
    before next: Int64?,
    agesAt now: Milliseconds?
  ) -> [StyledLine] {
    options.marks = true
    options.agesAt = now
    fitColumns(to: messages)
    var (lines, gaps) = ([StyledLine](), GapRules(gaps))
    for message in messages.inOrder() {
      lines += gaps.lines(before: message, &self)
      add(message, to: &lines)
      lines += line(of: reactions[message.id] ?? [])
    }
    return lines + gaps.linesAtEnd(before: next, &self)
  }

  /// `🎉 anna, ben  👍 zoe`
  private func line(of reactions: [Reaction]) -> [StyledLine] {
    guard !reactions.isEmpty else { return [] }
    let text = reactions.byEmoji { SafeText(name: $0.name) }.joined(separator: options.glyphs.gap)
    let head = options.glyphs.isSpoken ? say("Reactions") + ": " : SafeText()
    return [below(StyledLine(head + text, .dim))]
  }
}

extension [Reaction] {
  /// `🎉 anna, ben`, for each emoji in the order of its first use.
  package func byEmoji(_ name: (Participant) -> SafeText) -> [SafeText] {
    var order: [String] = []
    var people: [String: [SafeText]] = [:]
    for reaction in self {
      if people[reaction.emoji] == nil { order.append(reaction.emoji) }
      people[reaction.emoji, default: []].append(name(reaction.participant))
    }
    return order.map { SafeText(line: $0) + " " + (people[$0] ?? []).joinedAsList() }
  }
}

extension Access {
  /// The sort key of the next message in their conversation; nil if these are the newest.
  package func sortKey(after messages: [Message], for me: ID<Participant>) throws -> Int64? {
    guard let last = messages.max(by: { $0.sort < $1.sort }), last.sort < .max else { return nil }
    return try self.messages(
      in: last.conversation, sorts: (last.sort + 1)..<(.max), oldest: 1, for: me
    ).first?.sort
  }
}
