// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import StyledText

extension LocalTime {
  /// A point in time as people and programs write it: the start of what `span` reads.
  static func parse(_ text: String, now: Milliseconds) -> Milliseconds? {
    span(text, now: now)?.lowerBound
  }

  /// What a written time takes in: `2026-11-21` a day, `2026-11-21T10:30` a minute, `…:30:15` a
  /// second, in this person's time zone or with `Z` or an offset such as `+02:00` behind (ISO 8601).
  /// An age like `90m`, `12h`, `3d`, `2w` is a moment.
  ///
  /// - Returns: nil for what is none, such as the 30th of February.
  static func span(_ text: String, now: Milliseconds) -> Range<Milliseconds>? {
    if let unit = text.last, let seconds = ["m": 60, "h": 3600, "d": 86400, "w": 604_800][unit],
      let count = number(text.dropLast(), digits: 1...7)
    {
      let moment = now - Milliseconds(count) * Milliseconds(seconds) * 1000
      return moment..<moment
    }
    guard let written = WrittenTime(text) else { return nil }
    return written.start..<max(written.start, written.end)
  }

  /// ASCII digits, and nothing else.
  fileprivate static func number(_ text: Substring, digits: ClosedRange<Int>) -> Int? {
    guard digits.contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return Int(written: text, in: 0...999_999_999)
  }
}

/// A date and perhaps a time of day, as written.
private struct WrittenTime {
  private var parts = tm()
  /// Seconds east of UTC; nil is the zone here.
  private var offset: Int?
  private var unit: WritableKeyPath<tm, Int32> = \.tm_mday

  init?(_ text: String) {
    let halves = text.split(
      maxSplits: 1, omittingEmptySubsequences: false, whereSeparator: { $0 == "T" || $0 == " " })
    let date = halves[0].split(separator: "-", omittingEmptySubsequences: false)
    guard date.count == 3, let year = LocalTime.number(date[0], digits: 4...4), year > 0,
      let month = LocalTime.number(date[1], digits: 2...2), (1...12).contains(month),
      let day = LocalTime.number(date[2], digits: 2...2), day > 0,
      day <= Self.days(in: month, of: year)
    else { return nil }
    (parts.tm_year, parts.tm_mon) = (Int32(year - 1900), Int32(month - 1))
    (parts.tm_mday, parts.tm_isdst) = (Int32(day), -1)
    if halves.count > 1 {
      guard read(clock: halves[1]) else { return nil }
    }
  }

  /// `10:30`, `10:30:15`, `10:30:15.250`, and a zone.
  private mutating func read(clock text: Substring) -> Bool {
    var text = text
    if text.hasSuffix("Z") {
      offset = 0
      text.removeLast()
    } else if let sign = text.lastIndex(where: { $0 == "+" || $0 == "-" }) {
      guard let zone = Self.offset(text[text.index(after: sign)...]) else { return false }
      offset = text[sign] == "-" ? -zone : zone
      text = text[..<sign]
    }
    let fields = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(fields.count), let hour = LocalTime.number(fields[0], digits: 2...2),
      hour < 24, let minute = LocalTime.number(fields[1], digits: 2...2), minute < 60
    else { return false }
    (parts.tm_hour, parts.tm_min, unit) = (Int32(hour), Int32(minute), \.tm_min)
    guard fields.count == 3 else { return true }
    // Parts of a second are taken for what they begin.
    let whole = fields[2].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let second = LocalTime.number(whole[0], digits: 2...2), second < 61,
      whole.count == 1 || LocalTime.number(whole[1], digits: 1...9) != nil
    else { return false }
    (parts.tm_sec, unit) = (Int32(second), \.tm_sec)
    return true
  }

  /// `02:00`, `0200` or `02`, in seconds.
  private static func offset(_ text: Substring) -> Int? {
    let digits = text.filter { $0 != ":" }
    guard text.count == digits.count || text.count == 5,
      let number = LocalTime.number(Substring(digits), digits: 2...4), digits.count != 3
    else { return nil }
    let (hours, minutes) = digits.count == 2 ? (number, 0) : (number / 100, number % 100)
    return hours < 24 && minutes < 60 ? (hours * 60 + minutes) * 60 : nil
  }

  private static func days(in month: Int, of year: Int) -> Int {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
  }

  var start: Milliseconds { time(parts) }

  var end: Milliseconds {
    var next = parts
    next[keyPath: unit] += 1
    return time(next)
  }

  private func time(_ parts: tm) -> Milliseconds {
    var parts = parts
    guard let offset else { return Milliseconds(mktime(&parts)) * 1000 }
    return Milliseconds(timegm(&parts) - offset) * 1000
  }
}

/// From when to when, as `--since` and `--until` say.
struct TimeSpan: Equatable {
  var start = Milliseconds.min
  /// The first moment that does not count any more; nil for none.
  var end: Milliseconds?

  static let always = TimeSpan()

  private init() {}

  /// - Parameters:
  ///   - since: nil for no beginning.
  ///   - until: nil for no end; a day, minute or second is taken in as a whole.
  /// - Throws: `WrongUsage` for what is no time.
  init(since: String?, until: String?, now: Milliseconds) throws {
    if let since { start = try Self.span(since, now).lowerBound }
    if let until { end = try Self.span(until, now).upperBound }
  }

  private static func span(_ text: String, _ now: Milliseconds) throws -> Range<Milliseconds> {
    guard let span = LocalTime.span(text, now: now) else {
      throw WrongUsage(
        say(
          "%1 is no time. 2026-11-21, 2026-11-21T10:30, 2026-11-21T10:30:00Z and ages like 90m, 12h, 3d are.",
          SafeText(line: text)))
    }
    return span
  }

  var isAlways: Bool { self == .always }

  func contains(_ time: Milliseconds) -> Bool {
    time >= start && end.map { time < $0 } ?? true
  }
}
