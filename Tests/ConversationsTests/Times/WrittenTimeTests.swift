// SPDX-License-Identifier: GPL-3.0-or-later
import Testing

@testable import Conversations

@Suite("Written times") struct WrittenTimeTests {
  @Test(
    "11.3: a date includes its day, a time its minute or second",
    arguments: [
      ("2023-11-14T22:13Z", 60), ("2023-11-14T22:13:20Z", 1), ("2023-11-14 22:13:20.5+01:00", 1),
      ("2023-11-14T22:13-0330", 60), ("2023-11-14T22:13+02", 60), ("1h", 0),
    ] as [(String, Int64)])
  func spans(text: String, seconds: Int64) throws {
    let span = try #require(DateParser.span(text, now: 1_700_000_000_000))
    #expect(span.upperBound - span.lowerBound == seconds * 1000)
  }

  @Test("an offset is east of UTC")
  func offsets() {
    func start(_ text: String) -> Milliseconds? { DateParser.span(text, now: 0)?.lowerBound }
    let utc = start("2023-11-14T22:13:20Z")
    for text in [
      "2023-11-15T00:13:20+02:00", "2023-11-14T18:43:20-03:30", "2023-11-14T22:13:20-00:00",
    ] { #expect(start(text) == utc, "\(text)") }
    #expect(start("0001-01-01T00:00Z") == -62_135_596_800_000)
    #expect(start("9999-12-31T23:59:59Z") == 253_402_300_799_000)
  }

  @Test(
    "an impossible time is refused",
    arguments: [
      "", "morgen", "12", "h", "-3d", "2023-13-40", "3", "3mm", "3 d", "3min", "12345678d",
      "2023-02-29", "2023-04-31", "1900-02-29", "0000-01-01", "-001-01-01", "12023-01-01",
      "2023-1-1", "2023-11-14T", "2023-11-14T24:00", "2023-11-14T22:60", "2023-11-14T22",
      "2023-11-14T22:13+24:00", "2023-11-14T22:13+1", "2023-11-14T22:13ZZ", "2023-11-14Z",
      "２０２３-11-14", "2023-11-14T22:13:20.", "99999999d", "1.5h", "d",
    ])
  func none(text: String) {
    #expect(DateParser.span(text, now: 0) == nil)
  }

  @Test("a leap year has a 29th of February")
  func leapYears() {
    #expect(DateParser.span("2024-02-29", now: 0) != nil)
    #expect(DateParser.span("2000-02-29", now: 0) != nil)
  }

  @Test(
    "11.3: an age has one meaning: minutes and hours by the clock, the rest by the calendar",
    arguments: [
      ("90m", 1_795_264_200_000 - 5_400_000), ("36h", 1_795_264_200_000 - 129_600_000),
      ("3M", 1_795_264_200_000 - 180_000), ("2d", 1_795_091_400_000), ("2w", 1_794_054_600_000),
      ("6mo", 1_779_366_600_000), ("9MO", 1_771_677_000_000), ("1y", 1_763_728_200_000),
    ] as [(String, Milliseconds)])
  func ages(text: String, moment: Milliseconds) throws {
    // 2026-11-21 12:30 UTC.
    let now: Milliseconds = 1_795_264_200_000
    let span = try #require(
      DateParser.span(text, now: now, zone: .fixed(minutesEast: 0)))
    #expect(span.lowerBound == moment && span.isEmpty)
  }

  @Test("11.3: a day ago is the same time of day where the clocks were changed")
  func daysByTheCalendar() {
    // A zone that put its clocks forward by an hour at 1,000 hours.
    let change: Milliseconds = 3_600_000_000
    let zone = TimeZoneRules(
      wallTime: { TimeZoneRules.fixed(minutesEast: $0 < change ? 0 : 60).wallTime($0) },
      time: { wall in
        let before = TimeZoneRules.fixed(minutesEast: 0).time(wall)
        return before < change ? before : TimeZoneRules.fixed(minutesEast: 60).time(wall)
      })
    let now = change + 43_200_000
    #expect(DurationParser("1d")?.ago(at: now, zone: zone) == now - 23 * 3_600_000)
    #expect(DurationParser("24h")?.ago(at: now, zone: zone) == now - 24 * 3_600_000)
  }

  @Test("11.3: words and months include all of them, in the time zone")
  func words() throws {
    let now: Milliseconds = 1_795_264_200_000
    let day = try #require(DateParser.span("Today", now: now, zone: .fixed(minutesEast: 0)))
    #expect(day == 1_795_219_200_000..<1_795_305_600_000)
    let east = try #require(DateParser.span("yesterday", now: now, zone: .fixed(minutesEast: 60)))
    #expect(east == (1_795_132_800_000 - 3_600_000)..<(1_795_219_200_000 - 3_600_000))
    let month = try #require(DateParser.span("2026-11", now: 0, zone: .fixed(minutesEast: 0)))
    #expect(month.upperBound - month.lowerBound == 30 * 86_400_000)
    let year = try #require(DateParser.span("2024", now: 0, zone: .fixed(minutesEast: 0)))
    #expect(year.upperBound - year.lowerBound == 366 * 86_400_000)
  }
}
