// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

/// A date and time of day as a calendar and clock on the wall show them.
public struct WallTime: Hashable, Sendable {
  public var year: Int
  /// 1 to 12.
  public var month: Int
  /// From 1.
  public var day: Int
  public var hour: Int
  public var minute: Int
  public var second: Int

  public init(
    year: Int, month: Int = 1, day: Int = 1, hour: Int = 0, minute: Int = 0, second: Int = 0
  ) {
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
    self.second = second
  }
}

/// A time zone: which wall time belongs to which point in time.
public struct TimeZoneRules: Sendable {
  /// What the clock on the wall shows at a point in time.
  public var wallTime: @Sendable (Milliseconds) -> WallTime
  /// When it shows that; fields may be out of range: day 32 is in the next month.
  public var time: @Sendable (WallTime) -> Milliseconds

  public init(
    wallTime: @escaping @Sendable (Milliseconds) -> WallTime,
    time: @escaping @Sendable (WallTime) -> Milliseconds
  ) {
    self.wallTime = wallTime
    self.time = time
  }

  /// This machine's, as `TZ` or /etc/localtime say.
  public static let local = TimeZoneRules(
    wallTime: { time in
      var seconds = time_t(floorDivision(time, 1000))
      var fields = tm()
      localtime_r(&seconds, &fields)
      return WallTime(fields)
    },
    time: { wallTime in
      var fields = tm(wallTime)
      // Whether it is summer time, the zone knows.
      fields.tm_isdst = -1
      return Milliseconds(mktime(&fields)) * 1000
    })

  /// One that never changes its clocks.
  ///
  /// - Parameter minutesEast: of UTC; 0 for UTC itself.
  public static func fixed(minutesEast: Int) -> TimeZoneRules {
    let offset = Milliseconds(minutesEast) * 60_000
    return TimeZoneRules(
      wallTime: { time in
        var seconds = time_t(floorDivision(time &+ offset, 1000))
        var fields = tm()
        gmtime_r(&seconds, &fields)
        return WallTime(fields)
      },
      time: { wallTime in
        var fields = tm(wallTime)
        return Milliseconds(timegm(&fields)) * 1000 - offset
      })
  }
}

private func floorDivision(_ value: Int64, _ divisor: Int64) -> Int64 {
  value / divisor - (value % divisor < 0 ? 1 : 0)
}

extension WallTime {
  fileprivate init(_ fields: tm) {
    self.init(
      year: Int(fields.tm_year) + 1900, month: Int(fields.tm_mon) + 1, day: Int(fields.tm_mday),
      hour: Int(fields.tm_hour), minute: Int(fields.tm_min), second: Int(fields.tm_sec))
  }
}

extension tm {
  fileprivate init(_ time: WallTime) {
    self.init()
    tm_year = Int32(clamping: time.year - 1900)
    tm_mon = Int32(clamping: time.month - 1)
    tm_mday = Int32(clamping: time.day)
    tm_hour = Int32(clamping: time.hour)
    tm_min = Int32(clamping: time.minute)
    tm_sec = Int32(clamping: time.second)
  }
}

/// A date as people write it in a filter: a year, a month, a day, a minute; or how long ago.
struct DateSpan: Equatable {
  var start: Milliseconds
  /// Behind its last millisecond; `start` for a point in time.
  var end: Milliseconds

  /// - Parameter text: `2026`, `2026-11`, `2026-11-21`, `2026-11-21T10:00`, `…:30`, with `Z` for
  ///   UTC; `today`, `yesterday`; or an age: `12h`, `7d`, `2w`, `3m` (months), `1y`.
  init?(_ text: String, now: Milliseconds, zone: TimeZoneRules) {
    let text = text.lowercased()
    var today = zone.wallTime(now)
    (today.hour, today.minute, today.second) = (0, 0, 0)
    switch text {
    case "today":
      self = DateSpan(today, \.day, zone)
    case "yesterday":
      today.day -= 1
      self = DateSpan(today, \.day, zone)
    default:
      if let point = DateSpan.ago(text, now: now, zone: zone) {
        (start, end) = (point, point)
      } else if let span = DateSpan(written: text, zone: zone) {
        self = span
      } else {
        return nil
      }
    }
  }

  private init(_ first: WallTime, _ unit: WritableKeyPath<WallTime, Int>, _ zone: TimeZoneRules) {
    var next = first
    next[keyPath: unit] += 1
    (start, end) = (zone.time(first), zone.time(next))
  }

  private static func ago(
    _ text: String, now: Milliseconds, zone: TimeZoneRules
  ) -> Milliseconds? {
    guard let unit = text.last, let count = number(text.dropLast(), digits: 1...4) else {
      return nil
    }
    var time = zone.wallTime(now)
    switch unit {
    case "h": return now - Milliseconds(count) * 3_600_000
    case "d": time.day -= count
    case "w": time.day -= count * 7
    case "m": time.month -= count
    case "y": time.year -= count
    default: return nil
    }
    // The 31st of a month without one is its last day, not the first of the next.
    if unit == "m" || unit == "y" {
      let months = time.year * 12 + time.month - 1
      guard months >= 12 else { return nil }
      time.day = min(time.day, days(in: months % 12 + 1, of: months / 12))
    }
    return zone.time(time)
  }

  private init?(written text: String, zone: TimeZoneRules) {
    let isUTC = text.hasSuffix("z")
    let halves = (isUTC ? text.dropLast() : text[...]).split(
      separator: "t", maxSplits: 1, omittingEmptySubsequences: false)
    let date = halves[0].split(separator: "-", omittingEmptySubsequences: false)
    guard (1...3).contains(date.count), let year = DateSpan.number(date[0], digits: 4...4),
      year > 0
    else { return nil }
    var time = WallTime(year: year)
    var unit = \WallTime.year
    if date.count > 1 {
      guard let month = DateSpan.number(date[1], digits: 2...2), (1...12).contains(month)
      else { return nil }
      (time.month, unit) = (month, \.month)
      if date.count > 2 {
        guard let day = DateSpan.number(date[2], digits: 2...2), day > 0,
          day <= DateSpan.days(in: month, of: year)
        else { return nil }
        (time.day, unit) = (day, \.day)
      }
    }
    if halves.count == 2 {
      let clock = halves[1].split(separator: ":", omittingEmptySubsequences: false)
      guard date.count == 3, (2...3).contains(clock.count),
        let hour = DateSpan.number(clock[0], digits: 2...2), hour < 24,
        let minute = DateSpan.number(clock[1], digits: 2...2), minute < 60
      else { return nil }
      (time.hour, time.minute, unit) = (hour, minute, \.minute)
      if clock.count == 3 {
        guard let second = DateSpan.number(clock[2], digits: 2...2), second < 60
        else { return nil }
        (time.second, unit) = (second, \.second)
      }
    } else if isUTC {
      return nil
    }
    self = DateSpan(time, unit, isUTC ? .fixed(minutesEast: 0) : zone)
  }

  private static func number(_ text: Substring, digits: ClosedRange<Int>) -> Int? {
    guard digits.contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return Int(text)
  }

  private static func days(in month: Int, of year: Int) -> Int {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
  }
}
