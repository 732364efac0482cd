// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import Sentences
import StyledText

/// Times and dates in this person's time zone and locale.
package enum LocalTime {
  private static func broken(_ time: Milliseconds) -> tm { TimeZoneRules.localFields(of: time) }

  private static func format(_ parts: tm, _ format: String) -> SafeText {
    var parts = parts
    var buffer = [CChar](repeating: 0, count: 128)
    let count = strftime(&buffer, buffer.count, format, &parts)
    return SafeText(line: buffer[..<count].map { UInt8(bitPattern: $0) })
  }

  /// `HH:mm` (rule 7.5).
  package static func clock(_ time: Milliseconds) -> SafeText {
    let parts = broken(time)
    // This runs for each message on a screen, and strftime takes ten times as long.
    return twoDigits(parts.tm_hour) + ":" + twoDigits(parts.tm_min)
  }

  /// `HH:mm:ss`, or without the seconds.
  package static func clock(_ time: Milliseconds, hasSeconds: Bool) -> SafeText {
    hasSeconds ? clock(time) + ":" + twoDigits(broken(time).tm_sec) : clock(time)
  }

  private static func twoDigits(_ number: Int32) -> SafeText {
    number < 10 ? "0" + SafeText(Int(number)) : SafeText(Int(number))
  }

  /// The day in words, for a separator.
  package static func day(_ time: Milliseconds) -> SafeText {
    let parts = broken(time)
    guard Catalogue.isOpen else { return format(parts, "%A, %-d %B %04Y") }
    // Translators: a day, as in “Monday, 2 January 2026”: weekday, day, month, year.
    return say(
      "%1, %2 %3 %4", CalendarWords.weekday(parts), SafeText(Int(parts.tm_mday)),
      CalendarWords.month(parts), format(parts, "%04Y"))
  }

  /// `yyyy-MM-dd HH:mm`, for listings.
  package static func stamp(_ time: Milliseconds) -> SafeText {
    format(broken(time), "%04Y-%m-%d %H:%M")
  }

  /// `yyyy-MM-dd HH:mm:ss` with the zone, for `/info`.
  package static func exact(_ time: Milliseconds) -> SafeText {
    let parts = broken(time)
    let weekday = Catalogue.isOpen ? CalendarWords.weekday(parts) : format(parts, "%A")
    return weekday + ", " + format(parts, "%04Y-%m-%d %H:%M:%S %Z")
  }

  /// The age in words; the date if it is more than a week ago or in the future.
  package static func age(of time: Milliseconds, at now: Milliseconds) -> SafeText {
    let seconds = (now - time) / 1000
    switch seconds {
    case 0..<60: return say("now")
    case 60..<3600: return say("%1 min ago", SafeText(Int(seconds / 60)))
    case 3600..<86_400: return say("%1 h ago", SafeText(Int(seconds / 3600)))
    case 86_400..<604_800:
      return say("1 day ago", "%1 days ago", count: Int(seconds / 86_400))
    default: return stamp(time)
    }
  }

  /// A number that is equal for two times if, and only if, they are on the same local day.
  package static func dayNumber(_ time: Milliseconds) -> Int {
    let parts = broken(time)
    return Int(parts.tm_year) * 366 + Int(parts.tm_yday)
  }
}
