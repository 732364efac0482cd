// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

/// Points in time as they stand in exports.
package enum JSONTime {
  /// Reads `2026-11-21T10:00:00.000Z` (ISO 8601, RFC 3339): with or without fractions of a second,
  /// of which thousandths are kept, in UTC or with the minutes it is off.
  ///
  /// - Returns: nil for a day or time that is none, and outside of the years 0000 to 9999.
  package static func parse(_ text: String) -> Milliseconds? {
    var rest = text.utf8[...]
    func number(_ digits: Int) -> Int32? {
      let part = rest.prefix(digits)
      guard part.count == digits, part.allSatisfy({ (0x30...0x39).contains($0) }) else {
        return nil
      }
      rest = rest.dropFirst(digits)
      return part.reduce(0) { $0 * 10 + Int32($1 - 0x30) }
    }
    func skip(_ letters: Character...) -> Bool {
      guard let first = rest.first, letters.contains(where: { $0.asciiValue == first }) else {
        return false
      }
      rest = rest.dropFirst()
      return true
    }
    guard let year = number(4), skip("-"), let month = number(2), skip("-"), let day = number(2),
      skip("T", "t", " "), let hour = number(2), skip(":"), let minute = number(2), skip(":"),
      let second = number(2), hour < 24, minute < 60, second < 60
    else { return nil }
    var thousandths: Int64 = 0
    if skip(".", ",") {
      let digits = rest.prefix { (0x30...0x39).contains($0) }
      guard (1...9).contains(digits.count) else { return nil }
      rest = rest.dropFirst(digits.count)
      for place in 0..<3 {
        let digit = digits.dropFirst(place).first.map { Int64($0 - 0x30) } ?? 0
        thousandths = thousandths * 10 + digit
      }
    }
    var minutesEast: Int64 = 0
    if !skip("Z", "z") {
      let isWest = rest.first == UInt8(ascii: "-")
      guard skip("+", "-"), let hours = number(2), skip(":"), let minutes = number(2),
        hours < 24, minutes < 60
      else { return nil }
      minutesEast = Int64(hours * 60 + minutes) * (isWest ? -1 : 1)
    }
    guard rest.isEmpty else { return nil }
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (year - 1900, month - 1, day)
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (hour, minute, second)
    let seconds = Int64(timegm(&parts)) - minutesEast * 60
    // The 30th of February has become a day in March.
    guard parts.tm_mon == month - 1, parts.tm_mday == day else { return nil }
    let time = seconds * 1000 + thousandths
    return JSONShape.times.contains(time) ? time : nil
  }
}
