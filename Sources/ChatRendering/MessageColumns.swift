// SPDX-License-Identifier: GPL-3.0-or-later

/// The widths, in columns, of the fields before the text of a message, so that all text of a
/// conversation begins in one column (rules 7.5, 13.7). They only grow while a conversation is
/// open.
struct MessageColumns {
  /// The width of times: `10:03`, or `12 min ago`.
  private(set) var time = 5
  /// The width of numbers, which are padded.
  private(set) var digits = 3
  /// The width of names, which is that of the names of recent speakers.
  private(set) var name = 0

  /// A longer name has a row of its own.
  static let widestName = 12

  mutating func fit(time columns: Int) { time = max(time, columns) }

  mutating func fit(number: Int) { digits = max(digits, String(number).utf8.count) }

  /// - Parameter columns: the width of a speaker's name.
  mutating func fit(name columns: Int) { name = max(name, min(columns, Self.widestName)) }
}
