// SPDX-License-Identifier: GPL-3.0-or-later

/// The words in the search index for when a message was made (see Schema+Search.swift): `m202611`
/// for its month, in UTC.
enum SearchMonths {
  /// The months that together cover a span.
  ///
  /// - Parameters:
  ///   - since: the first moment, from the beginning by default.
  ///   - until: the first moment after the span; by default the one after `newest`.
  ///   - newest: when the newest message was made.
  /// - Returns: nil if the span is too long, because of a wrong clock or a year 9999.
  static func words(
    since: Milliseconds?, until: Milliseconds?, newest: Milliseconds
  ) -> [String]? {
    let last = month(of: (until ?? newest.saturatedSuccessor) &- 1)
    var next = since.map(month(of:)) ?? 1970 * 12
    var words: [String] = []
    while next <= last {
      guard words.count < 12 * 100 else { return nil }
      words.append(word(next))
      next += 1
    }
    return words
  }

  /// The months of each year of a span, the newest first.
  static func years(from start: Milliseconds, to end: Milliseconds) -> [[String]] {
    let (first, last) = (month(of: start) / 12, month(of: end) / 12)
    return first > last
      ? []
      : (first...last).reversed().map { year in (0..<12).reversed().map { word(year * 12 + $0) } }
  }

  private static func word(_ month: Int) -> String {
    "m\(zeroPadded(month / 12, 4))\(zeroPadded(month % 12 + 1, 2))"
  }

  /// Counted from the year 0. Clamped as in the schema.
  private static func month(of time: Milliseconds) -> Int {
    let clamped = min(max(time, 0), 253_402_300_799_000)
    let wall = TimeZoneRules.fixed(minutesEast: 0).wallTime(clamped)
    return wall.year * 12 + wall.month - 1
  }

  private static func zeroPadded(_ number: Int, _ digits: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}

extension Int64 {
  fileprivate var saturatedSuccessor: Int64 { self == .max ? self : self + 1 }
}
