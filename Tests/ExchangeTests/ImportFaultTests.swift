// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Platform
import StoreFixture
import Testing

@testable import Conversations
@testable import Exchange

@Suite("Bad exports") struct ImportFaultTests {
  /// What is said of a text, and whether the store stayed as it was.
  private func fault(_ bytes: [UInt8], format: ImportFormat? = nil) throws -> String? {
    let lobby = try Lobby()
    try lobby.fill()
    let before = try lobby.store.exported()
    do {
      try lobby.store.take(bytes: [bytes], format)
    } catch let fault as ImportFault {
      #expect(try lobby.store.exported() == before)
      // It can be used on.
      #expect(try lobby.says("still here").body == "still here")
      #expect(try lobby.found("still") >= 1)
      return fault.description
    }
    return nil
  }

  @Test(
    "one bad line is reported by number, and nothing is imported",
    arguments: [
      (#"{"type":"message""#, "the line is not JSON"),
      ("hello", "the line is not a JSON object"),
      ("[1]", "the line is not a JSON object"),
      (#"{"type":7}"#, "“type” is not text"),
      (#"{"kind":"text"}"#, "“type” is missing"),
      (line("x", number: 0), "0 is too small or too large for “number”"),
      (line("x", number: 2_000_000_000), "2000000000 is too small or too large for “number”"),
      (line("x", number: 7, uid: "abc"), "“uid” is not 24 or 32 hexadecimal digits in lower case"),
      (line("x", number: 7, in: "#two words"), "“two words” is not a valid name"),
      (line("x", number: 7, sender: ""), "“” is not a valid name"),
      (
        line("x", number: 7, time: "2026-02-30T10:00:00Z"),
        "“time” is not a time: 2026-02-30T10:00:00Z"
      ),
      (line("x", number: 7, time: "-001-01-01T00:00:00Z"), "“time” is not a time"),
      (line("x", number: 7, time: "10000-01-01T00:00:00Z"), "“time” is not a time"),
      (line("x", number: 7, time: "yesterday"), "“time” is not a time"),
      (
        line("x", number: 7, more: #","reply_to":-1"#),
        "-1 is too small or too large for “reply_to”"
      ),
      (line("x", number: 7, more: #","reply_to":1.5"#), "“reply_to” is not a whole number"),
      (line("x", number: 7, more: #","revisions":{}"#), "“revisions” is not an array"),
      (
        line("x", number: 7, more: #","reactions":[3]"#),
        "“reactions” contains something that is not an object"
      ),
      (line("x", number: 7, more: #","attachments":[{"hash":"x"}]"#), "“hash” is not 64"),
      (#"{"type":"message","conversation":{"people":["a"]}}"#, "“uid” is missing"),
      (
        #"{"type":"member","conversation":{"people":["a"]}}"#,
        "the field “people” does not say who is meant"
      ),
      (#"{"type":"file","hash":"../../etc/passwd","bytes":1}"#, "“hash” is not 64"),
      (
        #"{"type":"file","hash":"\#(String(repeating: "a", count: 64))","bytes":1,"offset":0,"data":"!"}"#,
        "“data” is not base64"
      ),
      (
        #"{"type":"file","hash":"\#(String(repeating: "a", count: 64))","bytes":1,"offset":0,"data":"YQ=="}"#,
        "do not match its hash"
      ),
      (#"{"hobnob":"export","version":3}"#, "a newer hobnob wrote this export (version 3"),
    ])
  func badLine(bad: String, reason: String) throws {
    let text = export(line("before", number: 40), bad, line("after", number: 41))
    let said = try fault(Array(text.utf8))
    #expect(said?.hasPrefix("file:3: ") == true, "\(said ?? "nothing")")
    #expect(said?.contains(reason) == true, "\(said ?? "nothing")")
  }

  @Test(
    "11.3: a line over 16 MB is skipped by number, whatever it is, and the rest is imported",
    arguments: [16_000_001, 40_000_000], [true, false])
  func longLine(bytes: Int, isLast: Bool) throws {
    let store = try Fixture().open()
    let long = [UInt8](repeating: 0x78, count: bytes)
    let (header, lines, end) = (
      export().split(separator: "\n")[0], [line("before", number: 1), line("after", number: 2)],
      #"{"type":"end"}"#
    )
    let text =
      isLast
      ? Array("\(header)\n\(lines[0])\n\(lines[1])\n\(end)\n".utf8) + long
      : Array("\(header)\n\(lines[0])\n".utf8) + long + Array("\n\(lines[1])\n\(end)\n".utf8)
    var said: [String] = []
    let report = try store.take(bytes: [text]) { said.append($0.description) }
    #expect(said == ["file:\(isLast ? 5 : 3): the line is longer than 16 MB"])
    #expect(report.messages == 2 && report.leftOut == 1)
  }

  @Test("11.3: a line of exactly the limit is read")
  func longestLine() throws {
    let store = try Fixture().open()
    let rest = line("", number: 1).utf8.count
    let body = String(repeating: "x", count: JSONShape.longestLine - rest)
    let report = try store.take([export(line(body, number: 1))]) { _ in Issue.record("left out") }
    #expect(report.messages == 1)
    var count = 0
    let exported = try Export(of: store).write {
      count += $0.count
      return true
    }
    #expect(exported.longLines == 1 && count > JSONShape.longestLine)
  }

  @Test("13.1: two open memberships of one person become one", arguments: [[1, 5], [5, 1]])
  func twoOpenStays(firsts: [Int]) throws {
    let store = try Fixture().open()
    let members = firsts.map {
      ##"{"type":"member","conversation":"#x","participant":"anna","first":\##($0)}"##
    }
    try store.take([export(members[0], members[1], line("x", number: 1, in: "#x"))])
    let stays = try store.database.rows("SELECT first FROM membership WHERE last IS NULL") {
      $0.int()
    }
    #expect(stays == [1])
    let anna = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
    #expect(try store.read { try $0.listing(for: anna) }.map(\.unread) == [1])
  }

  @Test("an export with a conversation that belongs to another account is refused")
  func placeForAnExport() throws {
    let store = try Fixture().open()
    let fault = #expect(throws: ImportFault.self) {
      try store.take([export(line("x", number: 1))], into: "tea")
    }
    #expect(fault?.description.contains("--conversation") == true)
    #expect(try store.read { try $0.rooms() }.isEmpty)
  }

  @Test("bytes that are not text are a bad line")
  func bytes() throws {
    let good = Array(export(line("x", number: 40)).utf8)
    let place = try #require(good.firstIndex(of: UInt8(ascii: "x")))
    for byte: UInt8 in [0xFF, 0x00, 0x80] {
      var bad = good
      bad[good.lastIndex(of: UInt8(ascii: "x")) ?? place] = byte
      #expect(try fault(bad)?.hasPrefix("file:2: ") == true)
    }
  }

  @Test("what is empty, cut off, or no export says so")
  func wholeFiles() throws {
    #expect(try fault([])?.contains("it is empty") == true)
    #expect(try fault(Array("\n\n".utf8))?.contains("it is empty") == true)
    #expect(
      try fault(Array("hello\nworld\n".utf8))?.contains("give the format with --format") == true)
    #expect(
      try fault(Array("{}\n".utf8))?.contains(
        "the first line is not the beginning of a hobnob export") == true)
    let whole = export(line("x", number: 40))
    let cut = whole.split(separator: "\n").dropLast().joined(separator: "\n")
    #expect(try fault(Array(cut.utf8))?.contains("cut off") == true)
    #expect(try fault(Array(whole.dropLast(4).utf8))?.contains("not JSON") == true)
    // The middle of a file is missing.
    let lobby = try Lobby()
    _ = try lobby.says("big", with: [lobby.kept(String(repeating: "y", count: 200_000))])
    var lines = try lobby.store.exported()
    lines.remove(at: try #require(lines.firstIndex { $0.contains(#""offset":49152"#) }))
    let copy = try Fixture().open()
    #expect(throws: ImportFault.self) {
      try copy.take([export(lines.dropLast().joined(separator: "\n"))])
    }
    #expect(try copy.count("message") == 0)
  }

  @Test("CR and newline, a byte order mark and a last line without newline are accepted")
  func otherEditors() throws {
    let text =
      "\u{feff}"
      + export(line("x", number: 1)).dropLast()
      .replacingOccurrences(of: "\n", with: "\r\n")
    let store = try Fixture().open()
    #expect(try store.take([text]).messages == 1)
  }

  @Test("a line of an unknown type, or an event of an unknown kind, is skipped and reported")
  func newer() throws {
    let store = try Fixture().open()
    var said: [String] = []
    let report = try store.take(
      [
        export(
          #"{"type":"poll","text":"tea?"}"#,
          ##"{"type":"event","conversation":"#lobby","participant":"ben","kind":"song","time":"2026-11-21T10:00:00Z"}"##,
          line("x", number: 1, more: #","mood":{"a":[1,null]}"#))
      ],
      complain: { said.append($0.description) })
    #expect(report.messages == 1 && report.leftOut == 2)
    let unknown = "this version of hobnob does not know"
    #expect(
      said == [
        "file:2: \(unknown) lines of the type “poll”",
        "file:3: \(unknown) events of the kind “song”",
      ])
  }

  @Test(
    "times with an offset and fractions, and the first and last possible ones",
    arguments: [
      ("2026-11-21T10:00:00Z", 1_795_255_200_000),
      ("2026-11-21T11:00:00.1239+01:00", 1_795_255_200_123),
      ("0000-01-01T00:00:00.000Z", -62_167_219_200_000),
      ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
      ("2024-02-29t00:00:00z", 1_709_164_800_000),
      ("2016-12-31T23:59:60Z", 1_483_228_800_000),
      ("2026-11-21T10:00:00.1239999999999Z", 1_795_255_200_123),
    ])
  func times(text: String, time: Milliseconds) {
    #expect(DateParser(text)?.exact == time)
  }

  @Test(
    "what is not a time is refused",
    arguments: [
      "", "2026", "2026-11-21", "2026-11-21T10:00", "2026-11-21T10:00:00", "2026-11-21T24:00:00Z",
      "2026-11-21T10:60:00Z", "2026-11-21T10:00:60Z", "2026-11-21T10:59:61Z",
      "2026-13-01T00:00:00Z",
      "2026-00-01T00:00:00Z",
      "2025-02-29T00:00:00Z", "2026-11-21T10:00:00.Z", "2026-11-21T10:00:00Zz",
      "-1-11-21T10:00:00Z",
      "0000-01-01T00:00:00+01:00", "9999-12-31T23:59:59-00:01", "２０２６-11-21T10:00:00Z",
      "+026-11-21T10:00:00Z", "2026-11-21T10:00:00+1:00",
    ])
  func noTimes(text: String) {
    #expect(DateParser(text)?.exact == nil)
  }

  @Test("a full disk changes nothing")
  func full() throws {
    let lobby = try Lobby()
    try lobby.says("hello")
    let before = try lobby.store.exported()
    let pages = try lobby.store.database.first("PRAGMA page_count") { $0.int() } ?? 0
    try lobby.store.database.execute("PRAGMA max_page_count=\(pages + 2)")
    let lines = (1...2000).map { line("much to say \($0)", number: $0) }.joined(separator: "\n")
    #expect(throws: StoreError.full(path: lobby.store.path)) {
      try lobby.store.take([export(lines)])
    }
    try lobby.store.database.execute("PRAGMA max_page_count=1073741823")
    #expect(try lobby.store.exported() == before)
    #expect(try lobby.store.take([export(lines)]).messages == 2000)
    #expect(try lobby.store.upkeep.check().allSatisfy { $0.severity == .fine })
  }

  @Test(
    "a NUL survives whatever is beside it",
    arguments: [
      "\u{0}", "a\u{0}b", "\\u0000", "\\\u{0}\\", String(Unicode.Scalar(0xFDD0)!) + "\u{0}",
      "fdd0 \u{0} FDD1",
      "\"\u{0}\"",
    ])
  func nul(text: String) throws {
    let lobby = try Lobby()
    try lobby.says(text)
    let copy = try Fixture().open()
    try copy.take([export(try lobby.store.exported().dropLast().joined(separator: "\n"))])
    let body = try copy.database.first("SELECT body FROM message") { $0.text() }
    #expect(body?.utf8.elementsEqual(text.utf8) == true)
  }
}
