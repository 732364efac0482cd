// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// How long to wait before the next try to connect: longer after each failure, and different for
/// each client that lost the same server.
package struct BackOff: Sendable {
  private var failures = 0
  private var loggedIn: Milliseconds?

  package init() {}

  /// Call this when a connection breaks, or a try to connect fails.
  ///
  /// - Parameters:
  ///   - now: the time, on the clock that `loggedIn(at:)` uses.
  ///   - random: a random number from 0 to 1.
  /// - Returns: milliseconds until the next try.
  package mutating func pauseAfterFailure(at now: Milliseconds, random: Double) -> Milliseconds {
    if let loggedIn, now - loggedIn >= Retry.settled { failures = 0 }
    loggedIn = nil
    failures += 1
    let step = Retry.connection.pause(after: failures)
    // A random pause from half the step to the whole.
    return step / 2 + Milliseconds(Double(step / 2) * random)
  }

  /// Call this after logging in. If the connection lasts for `Retry.settled` milliseconds, the next
  /// pause is the shortest again.
  package mutating func loggedIn(at now: Milliseconds) { loggedIn = now }
}
