// SPDX-License-Identifier: GPL-3.0-or-later
import Testing

@testable import Conversations

/// 2026-11-21 (a Saturday) 12:30 UTC.
private let noon: Milliseconds = 1_795_264_200_000
private let berlin = TimeZoneRules.fixed(minutesEast: 60)

private func parsed(_ text: String, zone: TimeZoneRules = .fixed(minutesEast: 0)) throws
  -> SearchQuery
{
  try SearchQuery.parse(text, now: noon, zone: zone)
}

private func utc(
  _ year: Int, _ month: Int = 1, _ day: Int = 1, _ hour: Int = 0, _ minute: Int = 0,
  _ second: Int = 0
) -> Milliseconds {
  TimeZoneRules.fixed(minutesEast: 0).time(
    WallTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second))
}

@Suite("What a search query means") struct SearchQueryTests {
  @Test func theClockOfTheseTests() {
    #expect(noon == utc(2026, 11, 21, 12, 30))
  }

  @Test(
    arguments: [
      ("hello", [("hello", false)]),
      ("hello  world", [("hello", false), ("world", false)]),
      ("\"hello world\" x", [("hello world", false), ("x", false)]),
      ("kett*", [("kett", true)]), ("\"at no\"*", [("at no", true)]),
      ("\"never closed", [("never closed", false)]),
      ("one\"two three\"four", [("one", false), ("two three", false), ("four", false)]),
      // Only text, whatever the search index might make of it.
      (
        "a AND b OR NOT NEAR(c)",
        [
          ("a", false), ("AND", false), ("b", false), ("OR", false), ("NOT", false),
          ("NEAR(c)", false),
        ]
      ),
      ("https://example.org/x", [("https://example.org/x", false)]),
      (
        "std::move 10:30 note: x",
        [
          ("std::move", false), ("10:30", false), ("note:", false), ("x", false),
        ]
      ),
      ("\"from:anna\"", [("from:anna", false)]),
      ("hi !!! *", [("hi", false)]),
      ("会議 🎉", [("会議", false), ("🎉", false)]),
    ] as [(String, [(String, Bool)])])
  func words(text: String, wanted: [(String, Bool)]) throws {
    #expect(try parsed(text).terms == wanted.map { .init($0.0, isPrefix: $0.1) })
  }

  @Test func filters() throws {
    let query = try parsed(
      "tea FROM:anna from:\"Anna Maria\" in:#lobby in:@ben has:file in:\"tea room\"")
    #expect(
      query
        == SearchQuery(
          terms: [.init("tea")], senders: ["anna", "Anna Maria"],
          conversations: ["#lobby", "@ben", "tea room"], hasFile: true))
    #expect(try parsed("from:anna").senders == ["anna"])
  }

  @Test(
    arguments: [
      ("2026", utc(2026), utc(2027)),
      ("2026-11", utc(2026, 11), utc(2026, 12)),
      ("2026-12", utc(2026, 12), utc(2027)),
      ("2026-11-21", utc(2026, 11, 21), utc(2026, 11, 22)),
      ("2024-02-29", utc(2024, 2, 29), utc(2024, 3)),
      ("2026-11-21T10:00", utc(2026, 11, 21, 10), utc(2026, 11, 21, 10, 1)),
      ("2026-11-21t10:00:59Z", utc(2026, 11, 21, 10, 0, 59), utc(2026, 11, 21, 10, 1)),
      ("today", utc(2026, 11, 21), utc(2026, 11, 22)),
      ("Yesterday", utc(2026, 11, 20), utc(2026, 11, 21)),
      ("12h", utc(2026, 11, 21, 0, 30), nil), ("7d", utc(2026, 11, 14, 12, 30), nil),
      ("2w", utc(2026, 11, 7, 12, 30), nil), ("3mo", utc(2026, 8, 21, 12, 30), nil),
      ("90m", utc(2026, 11, 21, 11), nil), ("1y", utc(2025, 11, 21, 12, 30), nil),
      ("0001", utc(1), utc(2)), ("9999", utc(9999), utc(10000)),
    ] as [(String, Milliseconds, Milliseconds?)])
  func dates(text: String, start: Milliseconds, end: Milliseconds?) throws {
    #expect(try parsed("since:\(text)").since == start)
    // until: takes in the whole of it.
    #expect(try parsed("until:\"\(text)\"").until == end ?? start)
  }

  @Test func theLastDayOfAShortMonth() throws {
    let may31 = utc(2026, 5, 31, 8)
    let query = try SearchQuery.parse("since:3mo", now: may31, zone: .fixed(minutesEast: 0))
    #expect(query.since == utc(2026, 2, 28, 8))
  }

  @Test func aDayIsThatOfTheTimeZone() throws {
    #expect(try parsed("since:2026-11-21", zone: berlin).since == utc(2026, 11, 20, 23))
    #expect(try parsed("until:2026-11-21T10:00Z", zone: berlin).until == utc(2026, 11, 21, 10, 1))
    #expect(
      try parsed("since:today", zone: .fixed(minutesEast: -780)).since == utc(2026, 11, 20, 13))
  }

  @Test func theNarrowestSpanCounts() throws {
    let query = try parsed("since:2020 since:2021 until:2025 until:2024")
    #expect((query.since, query.until) == (utc(2021), utc(2025)))
  }

  @Test(
    arguments: [
      ("x since:morgen", SearchError.notADate("morgen")), ("since:2026-13", .notADate("2026-13")),
      ("since:2026-02-30", .notADate("2026-02-30")), ("until:26", .notADate("26")),
      ("since:2026-1-1", .notADate("2026-1-1")), ("since:0000", .notADate("0000")),
      ("since:2026-11-21T25:00", .notADate("2026-11-21T25:00")), ("since:-1", .notADate("-1")),
      ("since:9999999d", .notADate("9999999d")), ("since:5000y", .notADate("5000y")),
      ("since:2026Z", .notADate("2026Z")), ("since:d", .notADate("d")),
      ("form:anna", .unknownFilter("form")), ("localhost:8080", .unknownFilter("localhost")),
      ("from: anna", .missingValue("from")), ("in:\"\"", .missingValue("in")),
      ("has:hope", .unknownContent("hope")),
      ("", .nothingToLookFor("")), ("  ", .nothingToLookFor("  ")),
      ("!?*", .nothingToLookFor("!?*")),
      (String(repeating: "a ", count: 65), .tooLong),
    ] as [(String, SearchError)])
  func errors(text: String, wanted: SearchError) {
    #expect(throws: wanted) { try parsed(text) }
    #expect(!wanted.description.contains("%"))
  }

  @Test func monthsCoverASpan() {
    func words(_ since: Milliseconds?, _ until: Milliseconds?, newest: Milliseconds = noon)
      -> [String]?
    {
      SearchMonths.words(since: since, until: until, newest: newest)
    }
    #expect(words(utc(2026, 11, 3), nil) == ["m202611"])
    #expect(words(utc(2026, 2), utc(2026, 4)) == ["m202602", "m202603"])
    #expect(words(utc(2025, 11, 3), nil)?.count == 13)
    #expect(words(utc(2024, 11, 3), nil)?.prefix(3) == ["m202411", "m202412", "m202501"])
    #expect(words(utc(2023), utc(2025))?.count == 24)
    #expect(words(utc(2023), utc(2025, 1, 1, 0, 0, 1))?.last == "m202501")
    #expect(words(nil, utc(1971))?.count == 12)
    #expect(words(-5, utc(1970, 1, 2)) == ["m197001"])
    #expect(words(utc(2030), nil) == [])
    #expect(words(nil, nil, newest: .max) == nil)
    #expect(words(.min, .min, newest: .min)?.count ?? 0 <= 1)
  }

  @Test func hitsAreMarkedInWholeGraphemes() throws {
    func marked(_ query: String, in body: String) throws -> [String] {
      try parsed(query).ranges(in: body).map {
        String(decoding: Array(body.utf8)[$0], as: UTF8.self)
      }
    }
    #expect(try marked("tea", in: "Tea? TEA! teapot") == ["Tea", "TEA"])
    #expect(try marked("tea*", in: "Tea? teapot") == ["Tea", "teapot"])
    #expect(try marked("\"at noon\" noon", in: "noon, at noon") == ["noon", "at noon"])
    #expect(try marked("lodz", in: "z Łódź!") == ["Łódź"])
    #expect(try marked("lodz", in: "Ło\u{301}dz\u{301}") == ["Ło\u{301}dz\u{301}"])
    #expect(try marked("会議", in: "今日は東京で会議があります") == ["会議"])
    #expect(try marked("👩", in: "a👨‍👩‍👧b") == ["👨‍👩‍👧"])
    #expect(try marked("👍", in: "ok👍🏽👍") == ["👍🏽", "👍"])
    #expect(try marked("aa", in: "AA aa,aa") == ["AA", "aa", "aa"])
    #expect(try marked("x", in: "") == [])
  }
}
