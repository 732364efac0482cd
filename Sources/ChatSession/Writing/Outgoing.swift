// SPDX-License-Identifier: GPL-3.0-or-later

/// Retries of writes to the store, and leaving while some wait (rule 1.2).
struct Outgoing {
  /// When to try again, in monotonic milliseconds.
  private(set) var deadline: Int64?
  /// Milliseconds until the next try; they grow while a lock lasts.
  private var delay: Int64 = 2
  /// How many lines had files to copy.
  private var copies = 0
  private(set) var leaving: Leaving?
  /// Whether the session has ended because the store cannot be used any more.
  var hasEnded = false

  /// The person has left, with this exit status; what they typed still waits.
  struct Leaving {
    var status: Int32
    /// When to stop waiting, in monotonic milliseconds; typed text waits as long as it takes.
    let by: Int64
  }

  var isLeaving: Bool { leaving != nil }

  /// Schedules another try soon, after a read or write failed.
  mutating func scheduleRetry(at now: Int64) {
    guard deadline == nil else { return }
    deadline = now + delay
    delay = min(delay * 2, 50)
  }

  mutating func beginTry() { deadline = nil }

  /// Records that nobody has locked the store.
  mutating func succeeded() { delay = 2 }

  mutating func nextCopy() -> Int {
    copies += 1
    return copies
  }

  mutating func leave(status: Int32, at now: Int64) {
    // With status 0 a person may be waiting at the terminal; otherwise perhaps nobody is.
    leaving = Leaving(status: status, by: now + (status == 0 ? 20_000 : 60_000))
  }

  mutating func leave(status: Int32) { leaving?.status = status }

  /// Records that something typed could not be stored.
  mutating func noteUnsent() {
    if leaving?.status == 0 { leaving?.status = 1 }
  }
}
