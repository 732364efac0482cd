// SPDX-License-Identifier: GPL-3.0-or-later

/// A moment of the clock that nobody sets, for durations. Its zero is arbitrary, and it runs while
/// the machine is suspended.
///
/// Moments of the wall clock have another type, so that nobody compares the two.
package struct MonotonicTime: Comparable, Hashable, Sendable, ExpressibleByIntegerLiteral {
  package let milliseconds: Int64

  package init(milliseconds: Int64) { self.milliseconds = milliseconds }
  package init(integerLiteral milliseconds: Int64) { self.milliseconds = milliseconds }

  package static func < (one: Self, other: Self) -> Bool { one.milliseconds < other.milliseconds }

  package static func + (time: Self, milliseconds: Int64) -> Self {
    Self(milliseconds: time.milliseconds + milliseconds)
  }

  package static func - (time: Self, milliseconds: Int64) -> Self { time + -milliseconds }

  /// The milliseconds from `earlier` to `later`.
  package static func - (later: Self, earlier: Self) -> Int64 {
    later.milliseconds - earlier.milliseconds
  }
}
