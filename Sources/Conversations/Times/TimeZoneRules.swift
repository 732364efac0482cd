// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

/// A date and time of day, as a calendar and a clock show them.
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

  /// How many days a month from 1 to 12 has.
  static func days(in month: Int, of year: Int) -> Int {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
  }
}

/// A time zone: which wall time belongs to which point in time.
public struct TimeZoneRules: Sendable {
  /// The wall time at a point in time.
  public var wallTime: @Sendable (Milliseconds) -> WallTime
  /// The point in time of a wall time; fields may be out of range: day 32 is in the next month.
  public var time: @Sendable (WallTime) -> Milliseconds

  public init(
    wallTime: @escaping @Sendable (Milliseconds) -> WallTime,
    time: @escaping @Sendable (WallTime) -> Milliseconds
  ) {
    self.wallTime = wallTime
    self.time = time
  }

  /// The first and the last point in time at which clocks show a wall time: different in the hour
  /// that comes twice at the end of summer time.
  package func times(_ wall: WallTime) -> ClosedRange<Milliseconds> {
    let time = time(wall)
    let shown = wallTime(time)
    // Clocks are set by an hour or, on Lord Howe Island, by half an hour.
    let others = [-60, -30, 30, 60].map { time + $0 * 60_000 as Milliseconds }
      .filter { wallTime($0) == shown }
    return min(time, others.first ?? time)...max(time, others.last ?? time)
  }

  /// This machine's zone, from `TZ` or /etc/localtime.
  public static let local = TimeZoneRules(
    wallTime: { WallTime(localFields(of: $0)) },
    time: { wallTime in
      var fields = tm(wallTime)
      // The zone decides whether it is summer time.
      fields.tm_isdst = -1
      return Milliseconds(mktime(&fields)) * 1000
    })

  /// This machine's date and time, for strftime(3).
  package static func localFields(of time: Milliseconds) -> tm {
    var seconds = time_t(floorDivision(time, 1000))
    var fields = tm()
    localtime_r(&seconds, &fields)
    return fields
  }

  /// A zone that never changes its clocks.
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
