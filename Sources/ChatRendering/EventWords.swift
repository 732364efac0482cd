// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Conversations
import StyledText

/// Events in a conversation other than messages, in words (rules 10 and 13.5).
@MainActor
package struct EventWords {
  let glyphs: Glyphs
  /// Somebody's current name.
  let name: @MainActor (Participant) -> SafeText

  package init(glyphs: Glyphs, name: @escaping @MainActor (Participant) -> SafeText) {
    (self.glyphs, self.name) = (glyphs, name)
  }

  /// An action in words; nil for those that share a line: see ``joinsAndLeaves(_:)``.
  ///
  /// - Parameters:
  ///   - conversation: the name of the conversation; nil if the reader knows it.
  ///   - newName: a room's name after a renaming; see `newName(after:)`.
  package func sentence(
    for event: Event, in conversation: SafeText? = nil, newName: String? = nil
  ) -> SafeText? {
    switch event.kind {
    case .topic:
      event.text.isEmpty
        ? say("%1 removed the topic", name(event.participant))
        : say("%1 changed the topic: %2", name(event.participant), SafeText(line: event.text))
    case .invitation:
      event.other.map { say("%1 invited %2", name(event.participant), name($0)) }
    case .keep:
      if let age = Milliseconds(event.text) {
        say(
          "%1 set keep to %2. From %3 on, hobnob deletes messages older than %2 in %4, for everyone. To stop this before then: /set keep off",
          name(event.participant), SafeText(line: KeepSetting.written(age)),
          LocalTime.stamp(
            min(max(event.at, 0), Message.times.upperBound - Upkeep.keepDelay) + Upkeep.keepDelay),
          conversation ?? say("this conversation"))
      } else {
        say(
          "%1 set keep to off: %2 keeps its messages", name(event.participant),
          conversation ?? say("this conversation"))
      }
    case .roomRenamed:
      newName.map {
        say(
          "%1 renamed the room from %2 to %3", name(event.participant), SafeText(name: event.text),
          SafeText(name: $0))
      } ?? say("%1 renamed the room from %2", name(event.participant), SafeText(name: event.text))
    case .roomRemoved:
      say(
        "%1 removed the room %2; /search finds its messages", name(event.participant),
        SafeText(name: event.text))
    case .joined, .left, .renamed, .moderated: nil
    }
  }

  /// Says that somebody invited the person.
  ///
  /// - Parameter isMember: whether the person is in that room already, as after an invitation on
  ///   this machine.
  package func invitation(_ event: Event, to conversation: String, isMember: Bool) -> SafeText {
    say(
      isMember
        ? "%1 invited you to %2; /switch %2 goes there."
        : "%1 invited you to %2; /join %2 enters it.", name(event.participant),
      SafeText(name: conversation))
  }

  /// Who joined, left, changed their name or what others may do, in one line: `→ anna joined · ←
  /// ben left`.
  ///
  /// - Returns: nil if there are no such events.
  package func joinsAndLeaves(_ events: [Event]) -> SafeText? {
    var people: [ID<Participant>] = []
    var all: [ID<Participant>: [Event]] = [:]
    for event in events where event.kind.sharesLine && event.kind != .moderated {
      if all[event.participant.id] == nil { people.append(event.participant.id) }
      all[event.participant.id, default: []].append(event)
    }
    func isRemoval(_ event: Event) -> Bool { event.kind == .left && !event.remark.isEmpty }
    // Who was removed and came back was removed all the same.
    let removals = people.flatMap { id in (all[id] ?? []).dropLast().filter(isRemoval) }
    var explained: [Event] = []
    /// Returns the people whose first and last events are these. The events of those whom somebody
    /// removed, and the like, go into `explained` instead.
    func who(_ first: Event.Kind, _ last: Event.Kind) -> [Participant] {
      people.compactMap { id in
        var moves = all[id]?.filter { $0.kind != .renamed } ?? []
        // The line already begins with the removal.
        if let removal = moves.dropLast().lastIndex(where: isRemoval) {
          moves.removeFirst(removal + 1)
        }
        guard moves.first?.kind == first, let end = moves.last, end.kind == last else {
          return nil
        }
        if end.remark.isEmpty { return end.participant }
        explained.append(end)
        return nil
      }
    }
    var parts: [SafeText] = []
    func tell(_ who: [Participant], _ words: (SafeText) -> SafeText) {
      if !who.isEmpty { parts.append(words(names(who))) }
    }
    func explain(_ events: [Event]) {
      // Name together all people with the same words. There may be a thousand, so translate once.
      let words = events.map(\.remark.text)
      let alikes = Dictionary(grouping: events.indices) { words[$0] }
      for (index, end) in events.enumerated() {
        guard let positions = alikes[words[index]], positions.first == index else { continue }
        let alike = positions.map { events[$0] }
        let text = SafeText(line: words[index])
        // After a netsplit, half a room has the same words; nobody reads the names.
        parts.append(
          glyphs.lead(end.kind == .joined ? glyphs.arrival : glyphs.departure)
            + (alike.count > Self.mostNames
              ? say("%1 people: %2", SafeText(alike.count), text)
              : say("%1: %2", names(alike.map(\.participant)), text)))
      }
    }
    explain(removals)
    tell(who(.joined, .joined)) { glyphs.lead(glyphs.arrival) + say("%1 joined", $0) }
    tell(who(.joined, .left)) { glyphs.lead(glyphs.departure) + say("%1 joined and left", $0) }
    tell(who(.left, .joined)) { glyphs.lead(glyphs.arrival) + say("%1 left and came back", $0) }
    tell(who(.left, .left)) { glyphs.lead(glyphs.departure) + say("%1 left", $0) }
    explain(explained)
    for id in people {
      // Show the change from their first name here to their current one.
      let renamed = all[id]?.filter { $0.kind == .renamed } ?? []
      guard let first = renamed.first, let last = renamed.last, first.text != last.participant.name
      else { continue }
      parts.append(say("%1 is now %2", SafeText(name: first.text), name(last.participant)))
    }
    for event in events where event.kind == .moderated {
      parts.append(SafeText(line: event.remark))
    }
    return parts.isEmpty ? nil : parts.joined(separator: glyphs.separator)
  }

  /// How many people are named at most; the others are only counted.
  private static let mostNames = 10

  private func names(_ people: [Participant]) -> SafeText {
    let names = people.prefix(Self.mostNames).map(name)
    let rest = people.count - names.count
    if rest > 0 { return say("%1 and %2 more", names.joinedAsList(), SafeText(rest)) }
    guard names.count > 1, let last = names.last else { return names.first ?? SafeText() }
    return say("%1 and %2", names.dropLast().joinedAsList(), last)
  }
}

extension EventWords {
  /// Joins and leaves within this time share a line.
  package static let span: Milliseconds = 5000

  /// Groups events that are printed one below the other: those that share a line are together
  /// within ``span``, and each other event is alone.
  package static func groups(of events: [Event]) -> [[Event]] {
    var groups: [[Event]] = []
    for event in events {
      if event.kind.sharesLine, let first = groups.last?.first, first.kind.sharesLine,
        event.at - first.at < span
      {
        groups[groups.count - 1].append(event)
      } else {
        groups.append([event])
      }
    }
    return groups
  }
}

extension Event.Kind {
  /// Whether it shares a line with others that happen at the same time.
  package var sharesLine: Bool {
    switch self {
    case .joined, .left, .renamed, .moderated: true
    case .topic, .invitation, .keep, .roomRenamed, .roomRemoved: false
    }
  }
}

extension Conversation {
  /// The topic, under its heading.
  package var topicLine: StyledLine {
    StyledLine(say("Topic of %1:", SafeText(name: name)) + " ", .dim)
      + StyledLine(SafeText(line: topic))
  }
}
