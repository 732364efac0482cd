// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import StyledText
import Testing

@testable import ChatPreferences
@testable import ChatSession

@Suite("Shown times") struct ShownTimeTests {
  @Test("7.5: a message's time has four digits, in the local time zone")
  func clock() {
    var parts = tm()
    parts.tm_year = 123
    parts.tm_mon = 10
    parts.tm_mday = 14
    for (hour, minute, shown) in [(0, 0, "00:00"), (9, 5, "09:05"), (23, 59, "23:59")] {
      (parts.tm_hour, parts.tm_min, parts.tm_isdst) = (Int32(hour), Int32(minute), -1)
      #expect(LocalTime.clock(Int64(mktime(&parts)) * 1000).string == shown)
    }
  }
}
