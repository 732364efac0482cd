// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// How long to wait before the next try to connect: longer after each failure, and different for
/// each client that lost the same server.
package struct BackOff: Sendable {
  private var failures = 0
  private var loggedIn: Milliseconds?

  package init() {}

  /// The connection is gone, or there was none.
  ///
  /// - Parameters:
  ///   - now: on the clock that `loggedIn(at:)` uses.
  ///   - random: from 0 to 1.
  /// - Returns: milliseconds until the next try.
  package mutating func next(at now: Milliseconds, random: Double) -> Milliseconds {
    if let loggedIn, now - loggedIn >= Retry.settled { failures = 0 }
    loggedIn = nil
    failures += 1
    let step = Retry.connection.pause(after: failures)
    // Between half of it and all of it.
    return step / 2 + Milliseconds(Double(step / 2) * random)
  }

  /// There is a connection. The next pause is short again only if it lasts for a while.
  package mutating func loggedIn(at now: Milliseconds) { loggedIn = now }
}
