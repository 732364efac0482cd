// SPDX-License-Identifier: GPL-3.0-or-later

extension Int {
  /// A number as a person or another program wrote it: the one door every number of the outside
  /// goes through, so that nothing that is calculated from it can overflow.
  ///
  /// - Parameters:
  ///   - text: decimal digits, with a sign in front or without.
  ///   - range: the numbers that make sense there; a caller that negates, adds or multiplies must choose it so
  ///     that nothing overflows.
  /// - Returns: nil for what is not a number, or not one of these.
  package init?(written text: some StringProtocol, in range: ClosedRange<Int>) {
    guard let number = Int(text), range.contains(number) else { return nil }
    self = number
  }
}
