// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

/// The seconds that this thread was on a processor for a piece of work: the least of some rounds,
/// since what else runs on the machine adds to it only, through its caches.
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
