// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Platform

/// How long to wait before the next try to connect: longer after each failure, and different for
/// each client that lost the same server (rule 14.11).
package struct BackOff: Sendable {
  /// The tries in a row that ended without a login, or right after it.
  private var failures = 0
  /// The connections in a row that broke later, but within a minute.
  private var breaks = 0
  private var loggedIn: MonotonicTime?

  package init() {}

  /// Call this when a connection breaks, or a try to connect fails.
  ///
  /// - Parameters:
  ///   - random: a random number from 0 to 1.
  /// - Returns: milliseconds until the next try.
  package mutating func pauseAfterFailure(at now: MonotonicTime, random: Double) -> Milliseconds {
    let lasted = loggedIn.map { now - $0 } ?? 0
    loggedIn = nil
    let step: Milliseconds
    if lasted >= Retry.useful {
      // The server accepted the login, so earlier failures no longer count.
      (failures, breaks) = (0, lasted >= Retry.settled ? 1 : breaks + 1)
      step = Retry.brokenConnection.pause(after: breaks)
    } else {
      failures += 1
      step = Retry.connection.pause(after: failures)
    }
    // A random pause from half the step to the whole.
    return step / 2 + Milliseconds(Double(step / 2) * random)
  }

  /// Call this after logging in. If the connection lasts for `Retry.settled` milliseconds, the next
  /// pause is the shortest again.
  package mutating func loggedIn(at now: MonotonicTime) { loggedIn = now }
}
