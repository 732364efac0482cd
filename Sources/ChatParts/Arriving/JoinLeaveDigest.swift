// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import ChatRendering
import Conversations
import Platform

/// Who joins and leaves the open conversation, changes their name or what others may do. Changes
/// within five seconds become one line, unless something else is printed meanwhile (rule 13.5).
@MainActor
struct JoinLeaveDigest {
  private(set) var gathered: [Event] = []
  /// When to print the events.
  private(set) var deadline: MonotonicTime?

  /// With `active`, a room with more people than this counts as large.
  private static let largeRoom = 20
  /// In milliseconds: in a large room, hobnob only prints people who wrote within this time.
  private static let active: Milliseconds = 3_600_000

  /// Adds an event of the open conversation.
  mutating func note(
    _ event: Event, as setting: Settings.Events, at now: MonotonicTime,
    _ snapshot: borrowing Snapshot
  ) {
    guard Self.isTold(event, as: setting, snapshot) else { return }
    gathered.append(event)
    // What concerns the person cannot wait.
    if event.other != nil { deadline = now }
    if deadline == nil { deadline = now + EventWords.span }
  }

  private static func isTold(
    _ event: Event, as setting: Settings.Events, _ snapshot: borrowing Snapshot
  ) -> Bool {
    // Only an event about the person names somebody else.
    if event.other != nil { return true }
    switch setting {
    case .all: return true
    case .off: return false
    case .active:
      // A netsplit has many people, most of them silent, and a count of some of them would be wrong.
      if event.kind == .joined || event.kind == .left, !event.remark.isEmpty { return true }
      let isLarge =
        (try? snapshot.hasMoreMembers(than: largeRoom, in: event.conversation)) ?? false
      if !isLarge { return true }
      let spoke = (try? snapshot.lastSpoke(event.participant.id, in: event.conversation)) ?? nil
      return spoke.map { event.at - $0 < active } ?? false
    }
  }

  /// Takes the events to print above these messages of the open conversation: all events if
  /// somebody who joined or changed their name wrote one of the messages, otherwise those before
  /// the first message.
  mutating func take(before messages: [Message]) -> [Event] {
    let speak = gathered.contains { event in
      event.kind != .left && messages.contains { $0.sender == event.participant.id }
    }
    if speak { return takeAll() }
    guard let first = messages.map(\.createdAt).min() else { return [] }
    let (earlier, later) = (gathered.filter { $0.at < first }, gathered.filter { $0.at >= first })
    if earlier.isEmpty { return [] }
    gathered = later
    if later.isEmpty { deadline = nil }
    return earlier
  }

  /// Takes all events so far, to print them above the next output.
  mutating func takeAll() -> [Event] {
    defer { self = JoinLeaveDigest() }
    return gathered
  }

  /// Ends the wait of five seconds when it is over.
  mutating func tick(at now: MonotonicTime) {
    if let due = deadline, now >= due { deadline = nil }
  }

  /// Whether it is time to print the events.
  var isDue: Bool { deadline == nil && !gathered.isEmpty }
}
