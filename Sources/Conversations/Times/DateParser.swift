// SPDX-License-Identifier: GPL-3.0-or-later

/// A duration, or an age, as people write it: `90m` minutes, `12h` hours, `3d` days, `2w` weeks,
/// `6mo` months, `1y` years.
package struct DurationParser: Hashable, Sendable {
  package enum Unit: String, CaseIterable, Sendable {
    case minutes = "m"
    case hours = "h"
    case days = "d"
    case weeks = "w"
    case months = "mo"
    case years = "y"
  }

  package var count: Int
  package var unit: Unit

  package init(_ count: Int, _ unit: Unit) {
    (self.count, self.unit) = (count, unit)
  }

  /// - Returns: nil for anything but one to seven digits and a unit.
  package init?(_ text: String) {
    let digits = text.utf8.prefix { (0x30...0x39).contains($0) }
    guard (1...7).contains(digits.count), let count = Int(Substring(digits)),
      let unit = Unit(rawValue: text[digits.endIndex...].lowercased())
    else { return nil }
    self.init(count, unit)
  }

  /// Seconds, for minutes and hours.
  package var seconds: Int? {
    switch unit {
    case .minutes: count * 60
    case .hours: count * 3600
    case .days, .weeks, .months, .years: nil
    }
  }

  /// Whole days: a month counts as 30 and a year as 365.
  package var days: Int? {
    switch unit {
    case .minutes, .hours: nil
    case .days: count
    case .weeks: count * 7
    case .months: count * 30
    case .years: count * 365
    }
  }

  /// The moment that long ago; days and longer units go by the calendar, at the same time of day.
  ///
  /// - Returns: nil for a time before the year 1.
  package func ago(at now: Milliseconds, zone: TimeZoneRules = .local) -> Milliseconds? {
    if let seconds { return now - Milliseconds(seconds) * 1000 }
    var time = zone.wallTime(now)
    switch unit {
    case .days: time.day -= count
    case .weeks: time.day -= count * 7
    case .months: time.month -= count
    default: time.year -= count
    }
    if unit == .months || unit == .years {
      let months = time.year * 12 + time.month - 1
      guard months >= 12 else { return nil }
      (time.year, time.month) = (months / 12, months % 12 + 1)
      // In a month without a 31st, use its last day, not the first of the next month.
      time.day = min(time.day, WallTime.days(in: time.month, of: time.year))
    }
    let moment = zone.time(time)
    return moment < DateParser.beginning ? nil : moment
  }
}

/// A date and perhaps a time of day, as people and programs write it (ISO 8601, RFC 3339): `2026`,
/// `2026-11`, `2026-11-21`, `2026-11-21T10:30`, `…:30:15.250`, a blank for the T, and after a time
/// optionally `Z` or an offset from UTC such as `+02:00`.
package struct DateParser: Hashable, Sendable {
  /// Parts left out are the earliest possible.
  package private(set) var wall: WallTime
  package private(set) var thousandths = 0
  /// The offset from UTC; nil if no zone is given.
  package private(set) var minutesEast: Int?
  /// The smallest part given: the date spans all of it.
  private enum Precision: Hashable { case year, month, day, minute, second }
  private var precision = Precision.year

  /// Whether a time of day is given.
  package var hasTime: Bool { precision == .minute || precision == .second }

  /// The start of the year 1, in UTC.
  static let beginning: Milliseconds = -62_135_596_800_000

  /// - Returns: nil for an impossible date or time, such as the 30th of February.
  package init?(_ text: String) {
    var rest = text.utf8[...]
    func number(_ digits: Int) -> Int? {
      let part = rest.prefix(digits)
      guard part.count == digits, part.allSatisfy({ (0x30...0x39).contains($0) }) else {
        return nil
      }
      rest = rest.dropFirst(digits)
      return part.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
    func skip(_ letters: StaticString) -> Bool {
      guard let next = rest.first, letters.withUTF8Buffer({ $0.contains(next) }) else {
        return false
      }
      rest = rest.dropFirst()
      return true
    }
    guard let year = number(4) else { return nil }
    wall = WallTime(year: year)
    if skip("-") {
      guard let month = number(2), (1...12).contains(month) else { return nil }
      (wall.month, precision) = (month, .month)
    }
    if precision == .month, skip("-") {
      guard let day = number(2), (1...WallTime.days(in: wall.month, of: year)).contains(day)
      else { return nil }
      (wall.day, precision) = (day, .day)
    }
    if precision == .day, skip("Tt ") {
      guard let hour = number(2), hour < 24, skip(":"), let minute = number(2), minute < 60
      else { return nil }
      (wall.hour, wall.minute, precision) = (hour, minute, .minute)
      if skip(":") {
        // A leap second counts as the first second of the next minute, as in the system.
        guard let second = number(2), second < 60 || (second == 60 && minute == 59) else {
          return nil
        }
        (wall.second, precision) = (second, .second)
        if skip(".,") {
          let digits = rest.prefix { (0x30...0x39).contains($0) }
          guard !digits.isEmpty else { return nil }
          rest = rest.dropFirst(digits.count)
          for index in 0..<3 {
            let digit = digits.dropFirst(index).first.map { Int($0 - 0x30) } ?? 0
            thousandths = thousandths * 10 + digit
          }
        }
      }
      if skip("Zz") {
        minutesEast = 0
      } else if let sign = rest.first, skip("+-") {
        guard let hours = number(2), hours < 24 else { return nil }
        var minutes = 0
        if skip(":") || !rest.isEmpty {
          guard let written = number(2), written < 60 else { return nil }
          minutes = written
        }
        minutesEast = (hours * 60 + minutes) * (sign == UInt8(ascii: "-") ? -1 : 1)
      }
    }
    if !rest.isEmpty { return nil }
  }

  /// The moment, to the millisecond, that a program wrote in full.
  ///
  /// - Returns: nil if a part or the zone is missing, and outside the years 0000 to 9999.
  package var exact: Milliseconds? {
    guard precision == .second, let minutesEast else { return nil }
    let time =
      TimeZoneRules.fixed(minutesEast: minutesEast).time(wall) + Milliseconds(thousandths)
    return Message.times.contains(time) ? time : nil
  }

  /// A moment as programs write it, in whole seconds of UTC: `2026-11-21T10:00:00Z`.
  package static func text(_ time: Milliseconds) -> String {
    let wall = TimeZoneRules.fixed(minutesEast: 0).wallTime(time)
    func padded(_ number: Int, _ digits: Int = 2) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
    return "\(padded(wall.year, 4))-\(padded(wall.month))-\(padded(wall.day))T\(padded(wall.hour))"
      + ":\(padded(wall.minute)):\(padded(wall.second))Z"
  }

  /// The year, month, day, minute or second, from its first moment to the first moment after it.
  ///
  /// - Parameter zone: the zone for a time without one.
  package func span(in zone: TimeZoneRules) -> Range<Milliseconds> {
    let zone = minutesEast.map(TimeZoneRules.fixed) ?? zone
    var next = wall
    switch precision {
    case .year: next.year += 1
    case .month: next.month += 1
    case .day: next.day += 1
    case .minute: next.minute += 1
    case .second: next.second += 1
    }
    let start = zone.time(wall)
    return start..<max(start, zone.time(next))
  }

  /// The span that a person means with a date or time, `today`, `yesterday`, or an age
  /// (``DurationParser``), which is a moment and so an empty span.
  ///
  /// - Returns: nil for anything else.
  package static func span(
    _ text: String, now: Milliseconds, zone: TimeZoneRules = .local
  ) -> Range<Milliseconds>? {
    if let age = DurationParser(text) { return age.ago(at: now, zone: zone).map { $0..<$0 } }
    let word = text.lowercased()
    if word == "today" || word == "yesterday" {
      let here = zone.wallTime(now)
      var day = WallTime(year: here.year, month: here.month, day: here.day)
      if word == "yesterday" { day.day -= 1 }
      var next = day
      next.day += 1
      return zone.time(day)..<zone.time(next)
    }
    guard let written = DateParser(text), written.wall.year > 0 else { return nil }
    return written.span(in: zone)
  }
}
