// SPDX-License-Identifier: GPL-3.0-or-later

extension Int {
  /// Reads a number that a person or another program wrote. Read every number from outside with it,
  /// so that no calculation with the number can overflow.
  ///
  /// - Parameters:
  ///   - text: decimal digits, with or without a sign before them.
  ///   - range: the valid numbers. If you negate, add to or multiply the number, choose a range
  ///     with which nothing overflows.
  /// - Returns: nil if the text is not a number, or the number is out of range.
  package init?(written text: some StringProtocol, in range: ClosedRange<Int>) {
    guard let number = Int(text), range.contains(number) else { return nil }
    self = number
  }
}
