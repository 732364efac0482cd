// SPDX-License-Identifier: GPL-3.0-or-later

/// How what waits for the store is tried again, and how the person leaves meanwhile (rule 1.2).
struct Outgoing {
  /// When it is to be tried again, in monotonic milliseconds.
  private(set) var deadline: Int64?
  /// Milliseconds until the next try; a lock that lasts is asked for less often.
  private var delay: Int64 = 2
  /// How many lines had files to be copied.
  private var copies = 0
  private(set) var leaving: Leaving?

  /// The person has gone, with this exit status; what they typed still waits.
  struct Leaving {
    var status: Int32
    /// Until when it waits, in monotonic milliseconds; for a line as long as it takes.
    let by: Int64
  }

  var isLeaving: Bool { leaving != nil }

  /// Something could not be read or written; it is looked again soon.
  mutating func scheduleRetry(at now: Int64) {
    guard deadline == nil else { return }
    deadline = now + delay
    delay = min(delay * 2, 50)
  }

  mutating func beginTry() { deadline = nil }

  /// Nobody has the store locked.
  mutating func succeeded() { delay = 2 }

  mutating func nextCopy() -> Int {
    copies += 1
    return copies
  }

  mutating func leave(status: Int32, at now: Int64) {
    // Somebody sits there and waits, or nobody does.
    leaving = Leaving(status: status, by: now + (status == 0 ? 20_000 : 60_000))
  }

  mutating func leave(status: Int32) { leaving?.status = status }

  /// Something that was typed could not be stored.
  mutating func leavesUnsent() {
    if leaving?.status == 0 { leaving?.status = 1 }
  }
}
