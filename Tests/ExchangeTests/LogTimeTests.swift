// SPDX-License-Identifier: GPL-3.0-or-later
import StoreFixture
import Testing

@testable import Conversations
@testable import Exchange

@Suite("Times and further lines in other programs' logs")
struct LogTimeTests {
  /// Summer time, UTC+2, until 2026-10-25 01:00 UTC; then UTC+1. As mktime(3) may, it takes the
  /// first of two times.
  private static let berlin = TimeZoneRules(
    wallTime: {
      TimeZoneRules.fixed(minutesEast: $0 < change ? 120 : 60).wallTime($0)
    },
    time: {
      let summer = TimeZoneRules.fixed(minutesEast: 120).time($0)
      return summer < change ? summer : TimeZoneRules.fixed(minutesEast: 60).time($0)
    })
  private static let change: Milliseconds = 1_792_890_000_000

  private func utc(_ log: some ChatLog, _ lines: [String]) throws -> [String] {
    var log = log
    return try lines.compactMap {
      if case .message(let time, _, _, _) = try log.entry(in: $0) {
        String(DateParser.text(time).dropFirst(11))
      } else {
        nil
      }
    }
  }

  @Test("the hour that comes twice at the end of summer time is two hours")
  func twice() throws {
    let times = ["01:59", "02:00", "02:30", "02:59", "02:00", "02:30", "02:30", "03:00"]
    let wanted = [
      "23:59:00Z", "00:00:00Z", "00:30:00Z", "00:59:00Z", "01:00:00Z", "01:30:00Z", "01:30:00Z",
      "02:00:00Z",
    ]
    let irssi = ["--- Log opened Sun Oct 25 00:00:00 2026"] + times.map { $0 + " <anna> x" }
    #expect(try utc(IrssiLog(zone: Self.berlin), irssi) == wanted)
    let weechat = times.map { "2026-10-25 \($0):00\tanna\tx" }
    #expect(try utc(WeeChatLog(zone: Self.berlin), weechat) == wanted)
    // An event turns the clock back as well.
    let event = [
      "2026-10-25 02:50:00\tanna\tx", "2026-10-25 02:10:00\t-->\tben joins",
      "2026-10-25 02:55:00\tanna\tx",
    ]
    #expect(try utc(WeeChatLog(zone: Self.berlin), event) == ["00:50:00Z", "01:55:00Z"])
    // The log of another year begins again.
    let other = ["2026-11-01 10:00:00\tanna\tx", "2026-10-25 02:10:00\tanna\tx"]
    #expect(try utc(WeeChatLog(zone: Self.berlin), other) == ["09:00:00Z", "00:10:00Z"])
  }

  @Test(
    "irssi's times may be in brackets, and have a date",
    arguments: [
      "10:00 <@anna> hi", "10:00:00 <@anna> hi", "[10:00] <@anna> hi", "[10:00:00] <@anna> hi",
      "2026-11-21 10:00:00 <@anna> hi", "[2026-11-21 10:00] <@anna> hi",
      "2026-11-21T10:00:00 <@anna> hi", "[21.11.2026 10:00:00] <@anna> hi",
      "2026-11-21T10:00:00Z <@anna> hi", "2026-11-21T12:00:00+02:00 <@anna> hi",
    ])
  func stamps(line: String) throws {
    var log = IrssiLog(zone: .fixed(minutesEast: 0))
    if !line.contains("2026") {
      _ = try log.entry(in: "--- Log opened Sat Nov 21 09:58:00 2026")
    }
    #expect(IrssiLog.matches(line))
    guard case .message(let time, let nick, let text, let kind) = try log.entry(in: line) else {
      Issue.record("\(line)")
      return
    }
    #expect(DateParser.text(time) == "2026-11-21T10:00:00Z")
    #expect(nick == "anna" && text == "hi" && kind == .text)
    let action = line.replacing("<@anna> hi", with: " * anna waves")
    guard case .message(_, "anna", "waves", .action) = try log.entry(in: action) else {
      Issue.record("\(action)")
      return
    }
  }

  @Test("a date before a time is the day of the lines after it; what is no time is reported")
  func days() throws {
    var log = IrssiLog(zone: .fixed(minutesEast: 0))
    _ = try log.entry(in: "[2026-11-21 10:00] <anna> hi")
    guard case .message(let time, _, _, _) = try log.entry(in: "10:05 <anna> hi") else {
      Issue.record("no message")
      return
    }
    #expect(DateParser.text(time) == "2026-11-21T10:05:00Z")
    for line in [
      "2026-11-21 <anna> hi", "[anna] hi", "[2026-11-31 10:00] <anna> hi", "2026-11-21", "[",
      "10.11 <anna> hi",
    ] {
      #expect(throws: LineFault.self, "\(line)") { try log.entry(in: line) }
    }
  }

  @Test("WeeChat's times may have microseconds")
  func microseconds() throws {
    var log = WeeChatLog(zone: .fixed(minutesEast: 0))
    guard
      case .message(let time, "ben", "hi", _) = try log.entry(
        in: "2026-11-21 10:00:06.123456\tben\thi")
    else {
      Issue.record("no message")
      return
    }
    #expect(DateParser.text(time) == "2026-11-21T10:00:06Z" && time % 1000 == 123)
  }

  @Test("further lines of a WeeChat message belong to it, however often it is imported")
  func furtherLines() throws {
    let store = try Fixture().open()
    let first = "2026-11-21 10:00:00\t@anna\tlist:"
    let log = """
      no time
      \(first)
        one\ttwo

      three

      2026-11-21 10:00:01\t--\tTopic is
      not said
      2026-11-21 10:00:02\tben\tok
      2026-13-21 10:00:03\tben\tno such month
      of no message

      """
    var said: [Int] = []
    let report = try store.take(
      [log], format: .weechat, into: "tea", complain: { said.append($0.line) })
    #expect(report.messages == 2 && report.events == 1 && said == [1, 10, 11])
    let anna = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
    let room = try #require(try store.read { try $0.room("tea") })
    let bodies = try store.read { try $0.messages(in: room.id, limit: 9, for: anna) }.map(\.body)
    #expect(bodies == ["list:\n  one\ttwo\n\nthree", "ok"])
    // Earlier versions imported the first line alone.
    #expect(try store.take([log], format: .weechat, into: "tea").messages == 0)
    #expect(try store.take([first + "\n"], format: .weechat, into: "tea").known == 1)
  }
}
