// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

/// Measured times, in nanoseconds, or other whole numbers.
struct Samples {
  private var values: [Int64] = []

  var count: Int { values.count }

  mutating func add(_ nanoseconds: Int64) { values.append(nanoseconds) }

  var median: Int64 { percentile(50) }

  /// The smallest sample that `percent` of all samples do not exceed.
  func percentile(_ percent: Int) -> Int64 {
    guard !values.isEmpty else { return 0 }
    let rank = (values.count * percent + 99) / 100
    return values.sorted()[max(rank, 1) - 1]
  }
}

/// A steady clock, in nanoseconds.
func now() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
