// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

/// The processor time, in seconds, that this thread needs for a piece of work: the minimum of some
/// rounds, since other programs can only slow it down.
public func processorTime(rounds: Int = 5, of work: () -> Void) -> Double {
  (0..<rounds).map { _ in
    let start = threadSeconds()
    work()
    return threadSeconds() - start
  }.min() ?? 0
}

private func threadSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
