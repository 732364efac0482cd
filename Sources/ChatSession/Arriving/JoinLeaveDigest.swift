// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// Who joins and leaves the open conversation, or is called otherwise: what comes within five
/// seconds is one line, unless something else is printed meanwhile (rule 13.5).
@MainActor
struct JoinLeaveDigest {
  private(set) var gathered: [Event] = []
  /// When they are told.
  private(set) var deadline: Int64?

  /// With `active`, more people than these make a room a large one.
  private static let largeRoom = 20
  /// Milliseconds: there those are told of who said something within them.
  private static let active: Milliseconds = 3_600_000

  /// Takes up an event of the open conversation.
  mutating func note(
    _ event: Event, as setting: Settings.Events, at now: Int64, _ snapshot: borrowing Snapshot
  ) {
    guard Self.isTold(event, as: setting, snapshot) else { return }
    gathered.append(event)
    if deadline == nil { deadline = now + EventWords.span }
  }

  private static func isTold(
    _ event: Event, as setting: Settings.Events, _ snapshot: borrowing Snapshot
  ) -> Bool {
    switch setting {
    case .all: return true
    case .off: return false
    case .active:
      let isLarge =
        (try? snapshot.holds(moreThan: largeRoom, in: event.conversation)) ?? false
      if !isLarge { return true }
      let spoke = (try? snapshot.lastSpoke(event.participant.id, in: event.conversation)) ?? nil
      return spoke.map { event.at - $0 < active } ?? false
    }
  }

  /// The events to tell above these messages of the open conversation: all if one of those people
  /// wrote a message, else those before the first message.
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

  /// All who came and went until now, for what is printed below them.
  mutating func takeAll() -> [Event] {
    defer { self = JoinLeaveDigest() }
    return gathered
  }

  /// The five seconds are over.
  mutating func tick(at now: Int64) {
    if let due = deadline, now >= due { deadline = nil }
  }

  /// Whether it is time to tell them.
  var isDue: Bool { deadline == nil && !gathered.isEmpty }
}
