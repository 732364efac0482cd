// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

/// Measured times, in nanoseconds, or other whole numbers.
struct Samples {
  private var sorted: [Int64] = []

  var count: Int { sorted.count }

  mutating func add(_ nanoseconds: Int64) {
    let index = sorted.partitioningIndex { $0 >= nanoseconds }
    sorted.insert(nanoseconds, at: index)
  }

  var median: Int64 { percentile(50) }

  /// The smallest sample that `percent` of all samples do not exceed.
  func percentile(_ percent: Int) -> Int64 {
    guard !sorted.isEmpty else { return 0 }
    let rank = (sorted.count * percent + 99) / 100
    return sorted[max(rank, 1) - 1]
  }
}

extension Array {
  /// The first index whose element holds `belongs`, in an array where those come last.
  fileprivate func partitioningIndex(where belongs: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if belongs(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

/// A steady clock, in nanoseconds.
func now() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
