// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc

/// Dates and times as XMPP writes them (XEP-0082): `2026-06-01T12:00:00.5Z`.
enum Timestamp {
  /// When there was an XMPP to write in, in milliseconds; what is outside is nobody's time.
  static let earliest: Milliseconds = 915_148_800_000
  /// How far another clock may be ahead.
  static let skew: Milliseconds = 300_000

  /// What a stamp says; nil for what is none, was before there was XMPP, or is yet to come.
  static func time(_ stamp: String, now: Milliseconds) -> Milliseconds? {
    guard let time = parse(stamp), time >= earliest, time <= now + skew else { return nil }
    return min(time, now)
  }

  /// A stamp of whole seconds, in UTC.
  static func text(_ time: Milliseconds) -> String {
    var seconds = time_t(max(earliest, time) / 1000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : String(number) }
    let day = "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
    return day + "T\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))Z"
  }

  private static func parse(_ stamp: String) -> Milliseconds? {
    var rest = stamp.utf8[...]
    guard rest.count <= 64, let year = number(&rest, 4), skip("-", &rest),
      let month = number(&rest, 2), 1...12 ~= month, skip("-", &rest),
      let day = number(&rest, 2), 1...31 ~= day, skip("T", &rest),
      let hour = number(&rest, 2), hour < 24, skip(":", &rest),
      let minute = number(&rest, 2), minute < 60, skip(":", &rest),
      let second = number(&rest, 2), second <= 60
    else { return nil }
    var fraction: Int64 = 0
    if skip(".", &rest) {
      let digits = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
      guard !digits.isEmpty else { return nil }
      rest = rest.dropFirst(digits.count)
      for place in 0..<3 {
        fraction = fraction * 10
        if place < digits.count {
          fraction += Int64(digits[digits.index(digits.startIndex, offsetBy: place)]) - 48
        }
      }
    }
    guard let offset = offset(&rest), rest.isEmpty else { return nil }
    let seconds =
      days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset * 60
    return seconds * 1000 + fraction
  }

  /// Minutes east of Greenwich.
  private static func offset(_ rest: inout Substring.UTF8View) -> Int64? {
    if skip("Z", &rest) { return 0 }
    let isWest = rest.first == UInt8(ascii: "-")
    guard skip("+", &rest) || skip("-", &rest), let hours = number(&rest, 2), hours < 24,
      skip(":", &rest), let minutes = number(&rest, 2), minutes < 60
    else { return nil }
    return (hours * 60 + minutes) * (isWest ? -1 : 1)
  }

  private static func skip(_ letter: Character, _ rest: inout Substring.UTF8View) -> Bool {
    guard rest.first == letter.asciiValue else { return false }
    rest = rest.dropFirst()
    return true
  }

  private static func number(_ rest: inout Substring.UTF8View, _ digits: Int) -> Int64? {
    guard rest.count >= digits else { return nil }
    var result: Int64 = 0
    for digit in rest.prefix(digits) {
      guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit else { return nil }
      result = result * 10 + Int64(digit - UInt8(ascii: "0"))
    }
    rest = rest.dropFirst(digits)
    return result
  }

  /// Days from 1970 in the Gregorian calendar; years begin in March here, so that leap days are last.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let ofEra = shifted - era * 400
    let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
  }
}
