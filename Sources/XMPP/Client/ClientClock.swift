// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox

/// What is to happen later.
enum Alarm: Hashable, Sendable {
  /// Nobody answered the question of this id.
  case question(String)
  /// A room is to be looked at.
  case room(Address)
  /// A page of this archive is to be asked for again.
  case archive(String)
  /// A file is to be sent again.
  case upload
  /// What strangers sent is to be counted.
  case strangers
}

/// The time that goes by, and what waits for it. Someone may set the clock on the wall: going back
/// counts as nothing.
struct ClientClock: Sendable {
  /// Milliseconds that went by since the first event.
  private(set) var time: Milliseconds = 0
  /// The clock on the wall.
  private(set) var wall: Milliseconds = 0
  private var hasBegun = false
  private var alarms: [Alarm: Milliseconds] = [:]
  private var isChanged = false
  /// When the next alarm was said to be due.
  private var told: Milliseconds?

  mutating func move(to now: Milliseconds) {
    let (passed, isTooFar) = now.subtractingReportingOverflow(wall)
    if hasBegun, !isTooFar, passed > 0 { time += min(passed, 1 << 40) }
    if hasBegun, passed < 0 {
      isChanged = true
      told = nil
    }
    hasBegun = true
    wall = now
  }

  /// Goes on from there as if no time had gone by.
  mutating func skip(to now: Milliseconds) {
    wall = now
    woke()
  }

  mutating func set(_ alarm: Alarm, in milliseconds: Milliseconds) {
    alarms[alarm] = time + milliseconds
    isChanged = true
  }

  func isSet(_ alarm: Alarm) -> Bool { alarms[alarm] != nil }

  mutating func clear(_ alarm: Alarm) {
    if alarms.removeValue(forKey: alarm) != nil { isChanged = true }
  }

  /// It woke: perhaps a moment too early, by another clock than the wall's. Then it has to again.
  mutating func woke() {
    isChanged = true
    told = nil
  }

  mutating func clearAll() {
    alarms = [:]
    isChanged = true
  }

  /// Takes out what is due, the earliest first.
  mutating func due() -> [Alarm] {
    guard alarms.values.contains(where: { $0 <= time }) else { return [] }
    let due = alarms.filter { $0.value <= time }
    for alarm in due.keys { alarms[alarm] = nil }
    isChanged = true
    return due.sorted { ($0.value, "\($0.key)") < ($1.value, "\($1.key)") }.map(\.key)
  }

  /// When to be woken, on the wall's clock; nil if that is known already, or there is nothing to
  /// wait for.
  mutating func wakeToTell() -> Milliseconds? {
    guard isChanged else { return nil }
    isChanged = false
    let next = alarms.values.min()
    guard next != told else { return nil }
    told = next
    return next.map { wall + ($0 - time) }
  }
}

extension Client {
  mutating func runAlarms() {
    for alarm in clock.due() {
      switch alarm {
      case .question(let id): questionIsDue(id)
      case .room(let address): roomIsDue(address)
      case .archive(let key): nextPage(of: key)
      case .upload: outbox.needsPump = true
      case .strangers: tell(.countStrangers)
      }
    }
  }
}
