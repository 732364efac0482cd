// SPDX-License-Identifier: GPL-3.0-or-later
import Sentences

/// An option of `/account set` that only the accounts of one network have. hobnob-networks(7)
/// explains it.
///
/// ```swift
/// AccountOption("flood") { value throws(AccountOption.Invalid) in
///   guard let lines = Int(value), lines > 0 else {
///     throw AccountOption.Invalid(filled(("%1 is not a number of lines.", [value])))
///   }
///   return String(lines)
/// }
/// ```
package struct AccountOption {
  /// Why an option cannot have a value.
  package struct Invalid: Error {
    package let sentence: String

    package init(_ sentence: String) { self.sentence = sentence }
  }

  package let name: String
  /// Returns the value to store.
  package let check: (String) throws(Invalid) -> String

  package init(_ name: String, check: @escaping (String) throws(Invalid) -> String) {
    (self.name, self.check) = (name, check)
  }

  /// An option whose value is a whole number.
  package static func number(_ name: String, in range: ClosedRange<Int>) -> AccountOption {
    AccountOption(name) { value throws(Invalid) in
      guard let number = Int(value), range.contains(number) else {
        throw Invalid(
          filled(
            (
              "%1 is a number from %2 to %3, not %4.",
              [name, String(range.lowerBound), String(range.upperBound), value]
            )))
      }
      return String(number)
    }
  }
}
