// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Glibc

/// A timer as a readable descriptor (timerfd, Linux only). Unlike the timeout of `poll(2)`, it
/// counts the time in which the machine is suspended, so a timer that fell due during the
/// suspension fires when the machine wakes.
struct TimerDescriptor: ~Copyable {
  /// −1 until the first moment is set.
  private(set) var descriptor: Int32 = -1
  private var due: MonotonicTime?

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Makes the descriptor readable at a moment, instead of the previous one.
  ///
  /// - Parameters:
  ///   - due: the moment; nil for none.
  /// - Returns: how long `poll(2)` may wait for anything, in milliseconds; −1 without end.
  mutating func set(_ due: MonotonicTime?, at now: MonotonicTime) -> Int32 {
    if let due, due <= now { return 0 }
    if due == self.due { return -1 }
    if descriptor < 0 {
      descriptor = timerfd_create(CLOCK_BOOTTIME, Int32(TFD_NONBLOCK) | Int32(TFD_CLOEXEC))
    }
    let pause = due.map { $0 - now } ?? 0
    var time = itimerspec()
    time.it_value = timespec(
      tv_sec: Int(pause / 1000), tv_nsec: Int(pause % 1000) * 1_000_000)
    guard descriptor >= 0, timerfd_settime(descriptor, 0, &time, nil) == 0 else {
      // Firing late after a suspension is better than never.
      self.due = nil
      return due == nil ? -1 : Int32(clamping: pause)
    }
    self.due = due
    return -1
  }

  /// Reads the descriptor, which would otherwise stay readable. The timer is then unset.
  mutating func fired() {
    var times: UInt64 = 0
    _ = read(descriptor, &times, MemoryLayout<UInt64>.size)
    due = nil
  }
}
