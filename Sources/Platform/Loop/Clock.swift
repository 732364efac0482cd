// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Glibc

/// The current time.
package enum Clock {
  /// Milliseconds since 1970, UTC, by the machine's clock.
  package static func wall() -> Int64 { milliseconds(CLOCK_REALTIME) }

  package static func steady() -> MonotonicTime {
    MonotonicTime(milliseconds: milliseconds(CLOCK_BOOTTIME))
  }

  private static func milliseconds(_ clock: clockid_t) -> Int64 {
    var now = timespec()
    clock_gettime(clock, &now)
    return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
  }
}
