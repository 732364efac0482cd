// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText
import Testing

@testable import ChatPreferences
@testable import ChatSession

@Suite("keep") struct KeepSettingTests {
  private let day: Int64 = 86_400_000

  @Test(
    "takes days, weeks, months and years",
    arguments: [
      ("90d", 90), ("6w", 42), ("3mo", 90), ("12mo", 360), ("2y", 730), ("1000y", 365_000),
      ("365000d", 365_000),
    ])
  func ages(text: String, days: Int64) {
    #expect(KeepSetting.age(text) == .some(days * day))
  }

  @Test("refuses minutes (which once were months) and hours; its error names the months")
  func shortAges() {
    #expect(
      KeepSetting.age("3m") == nil && KeepSetting.age("36h") == nil && KeepSetting.age("0d") == nil)
    let sentence = KeepSetting.invalidValue("3m").sentence.string
    #expect(sentence.hasPrefix("“3m” (minutes) is not a valid") && sentence.contains("3mo"))
    #expect(KeepSetting.invalidValue("36h").sentence.string.contains("hours"))
  }

  @Test(
    "is shown in the largest unit",
    arguments: [
      (90, "3mo"), (42, "6w"), (10, "10d"), (360, "12mo"), (365, "1y"), (730, "2y"),
      (365_000, "1000y"),
    ])
  func written(days: Int64, shown: String) {
    #expect(KeepSetting.written(days * day) == shown)
    #expect(KeepSetting.age(shown) == .some(days * day))
  }
}
