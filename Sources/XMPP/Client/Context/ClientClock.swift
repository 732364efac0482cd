// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox

/// Something that the client does later.
enum Alarm: Hashable, Sendable {
  /// Check whether the request with this id has had no answer for too long.
  case iq(String)
  /// Check a room: it was silent for a long time, or another try to enter it is due.
  case room(Address)
  /// Ask for a page of this archive again.
  case archive(ArchiveKey)
  /// Upload a file again.
  case upload
  /// Let the store count what strangers sent.
  case strangers
}

/// The time, and the alarms set for later. Someone may change the wall clock: if it goes back, no
/// time passes.
struct ClientClock: Sendable {
  /// Milliseconds since the first event.
  private(set) var time: Milliseconds = 0
  /// What the wall clock shows.
  private(set) var wall: Milliseconds = 0
  private var hasBegun = false
  private var alarms: [Alarm: Milliseconds] = [:]
  private var isChanged = false
  /// The time of the last wake-up that was asked for.
  private var requested: Milliseconds?

  mutating func move(to now: Milliseconds) {
    let (passed, isTooFar) = now.subtractingReportingOverflow(wall)
    if hasBegun, !isTooFar, passed > 0 { time += min(passed, 1 << 40) }
    if hasBegun, passed < 0 { woke() }
    hasBegun = true
    wall = now
  }

  /// Continues from `now` as if no time had passed.
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

  /// Call this when a wake-up has come. If it was timed by another clock than the wall clock, it
  /// may come a moment too early, so it has to be asked for again.
  mutating func woke() {
    isChanged = true
    requested = nil
  }

  mutating func clearAll() {
    alarms = [:]
    isChanged = true
  }

  /// Removes the alarms that are due, and returns them, the earliest first.
  mutating func takeDue() -> [Alarm] {
    guard alarms.values.contains(where: { $0 <= time }) else { return [] }
    let due = alarms.filter { $0.value <= time }
    for alarm in due.keys { alarms[alarm] = nil }
    isChanged = true
    return due.sorted { ($0.value, "\($0.key)") < ($1.value, "\($1.key)") }.map(\.key)
  }

  /// When to wake the client, on the wall clock; nil if nothing waits, or nothing has changed since
  /// the last call.
  mutating func takeWakeTime() -> Milliseconds? {
    guard isChanged else { return nil }
    isChanged = false
    let next = alarms.values.min()
    guard next != requested else { return nil }
    requested = next
    return next.map { wall + ($0 - time) }
  }
}
