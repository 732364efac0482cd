// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Glibc

/// What time it is, in milliseconds.
package enum Clock {
  /// Since 1970, UTC, as the machine's clock is set.
  package static func wall() -> Int64 { milliseconds(CLOCK_REALTIME) }

  /// Since some moment, for durations: nobody sets it, and it goes on while the machine is suspended.
  package static func steady() -> Int64 { milliseconds(CLOCK_BOOTTIME) }

  private static func milliseconds(_ clock: clockid_t) -> Int64 {
    var now = timespec()
    clock_gettime(clock, &now)
    return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
  }
}
