// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc

/// How long to wait before the next try to connect: longer from one failure to the next, and not
/// the same for all who lost the same server.
package struct BackOff: Sendable {
  private var failures = 0
  private var loggedIn: Milliseconds?

  package init() {}

  /// The connection is gone, or there was none.
  ///
  /// - Parameters:
  ///   - now: of the clock that `loggedIn(at:)` was given.
  ///   - random: from 0 to 1.
  /// - Returns: milliseconds until the next try.
  package mutating func next(at now: Milliseconds, random: Double) -> Milliseconds {
    if let loggedIn, now - loggedIn >= Retry.settled { failures = 0 }
    loggedIn = nil
    failures += 1
    let step = Retry.connection.pause(after: failures)
    // Between a half and the whole of it.
    return step / 2 + Milliseconds(Double(step / 2) * random)
  }

  /// When the next try is, for the status line: by the clock, since counting down would wake the
  /// machine every second; with seconds where it is within a minute.
  ///
  /// - Parameters:
  ///   - pause: milliseconds until then.
  ///   - now: as the clock on the wall shows it.
  package static func words(for pause: Milliseconds, at now: Milliseconds) -> String {
    var (time, parts) = (time_t((now + pause) / 1000), tm())
    localtime_r(&time, &parts)
    let minute = "\(twoDigits(parts.tm_hour)):\(twoDigits(parts.tm_min))"
    return pause < 60_000 ? minute + ":" + twoDigits(parts.tm_sec) : minute
  }

  private static func twoDigits(_ number: Int32) -> String {
    (number < 10 ? "0" : "") + String(number)
  }

  /// There is a connection; only if it holds for a while does the next pause begin anew.
  package mutating func loggedIn(at now: Milliseconds) { loggedIn = now }
}
