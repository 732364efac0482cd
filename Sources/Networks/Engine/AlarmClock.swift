// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// The time, and the alarms set for later. Someone may change the wall clock: if it goes back, no
/// time passes.
package struct AlarmClock<Alarm: Hashable & Sendable>: Sendable {
  /// Milliseconds since the first event.
  package private(set) var time: Milliseconds = 0
  /// What the wall clock shows.
  package private(set) var wall: Milliseconds = 0
  private var hasBegun = false
  private var alarms: [Alarm: Milliseconds] = [:]
  private var isChanged = false
  /// The time of the last wake-up that was asked for.
  private var requested: Milliseconds?

  package init() {}

  package mutating func move(to now: Milliseconds) {
    let (passed, isTooFar) = now.subtractingReportingOverflow(wall)
    if hasBegun, !isTooFar, passed > 0 { time += min(passed, 1 << 40) }
    if hasBegun, passed < 0 { woke() }
    hasBegun = true
    wall = now
  }

  /// Continues from `now` as if no time had passed.
  package mutating func skip(to now: Milliseconds) {
    wall = now
    woke()
  }

  package mutating func set(_ alarm: Alarm, in milliseconds: Milliseconds) {
    alarms[alarm] = time + milliseconds
    isChanged = true
  }

  package func isSet(_ alarm: Alarm) -> Bool { alarms[alarm] != nil }

  package mutating func clear(_ alarm: Alarm) {
    if alarms.removeValue(forKey: alarm) != nil { isChanged = true }
  }

  /// Call this when a wake-up has come. If it was timed by another clock than the wall clock, it
  /// may come a moment too early, so it has to be asked for again.
  package mutating func woke() {
    isChanged = true
    requested = nil
  }

  package mutating func clearAll() {
    alarms = [:]
    isChanged = true
  }

  /// Removes the alarms that are due, and returns them, the earliest first.
  package mutating func takeDue() -> [Alarm] {
    guard alarms.values.contains(where: { $0 <= time }) else { return [] }
    let due = alarms.filter { $0.value <= time }
    for alarm in due.keys { alarms[alarm] = nil }
    isChanged = true
    return due.sorted { ($0.value, "\($0.key)") < ($1.value, "\($1.key)") }.map(\.key)
  }

  /// When to wake the client, on the wall clock; nil if nothing waits, or nothing has changed since
  /// the last call.
  package mutating func takeWakeTime() -> Milliseconds? {
    guard isChanged else { return nil }
    isChanged = false
    let next = alarms.values.min()
    guard next != requested else { return nil }
    requested = next
    return next.map { wall + ($0 - time) }
  }
}
