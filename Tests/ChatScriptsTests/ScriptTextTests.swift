// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Repeatable
import StyledText
import Testing

@testable import ChatRendering
@testable import ChatScripts
@testable import ChatSession
@testable import Conversations

@Suite("What commands for scripts print") struct ScriptTextTests {
  private func message(_ body: String, name: String = "ben") -> Message {
    Message(
      id: ID(rawValue: 1), uid: "", conversation: ID(rawValue: 1), number: 7,
      sender: ID(rawValue: 2),
      senderName: name, senderIdentity: "ben", body: body, createdAt: 1_700_000_000_000)
  }

  @Test("12.2: only the first line of a message begins like one")
  func continuationLines() {
    let lines = LogLines.all(message("a\n2026-11-21 10:30 [8] anna: b\n\u{1B}[2J\rc")).map(\.string)
    #expect(lines.count == 3)
    #expect(lines[0].hasSuffix(" [7] ben: a"))
    #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("    ") })
    #expect(!lines.joined().unicodeScalars.contains { $0.value < 0x20 })
  }

  @Test("14.15: a text that was not encrypted, unlike those before, is marked")
  func notEncrypted() {
    var message = message("a\nb")
    message.lacksEncryption = true
    #expect(LogLines.all(message).last?.string == "    b (not encrypted)")
    message.editedAt = message.createdAt
    #expect(LogLines.all(message).last?.string == "    b (edited) (not encrypted)")
  }

  @Test("14.10, 14.15: a text that cannot be read has its reason, a doubtful device its mark")
  func encryptedExceptions() {
    var message = message("")
    message.kind = .unreadable
    let texts = [Message.Encryption.none, .tooEarly, .broken, .notForUs].map {
      message.encryption = $0
      return LogLines.all(message).map { String($0.string.split(separator: "] ")[1]) }
    }
    #expect(
      texts == [
        ["ben: (encrypted end to end; hobnob cannot read it)"],
        ["ben: (unreadable on this device: sent before it was added)"],
        ["ben: (unreadable on this device: the keys do not fit)"],
        ["ben: (unreadable on this device: not encrypted for it)"],
      ])
    (message.kind, message.body, message.encryption) = (.text, "a", .unverified)
    #expect(LogLines.all(message).first?.string.hasSuffix("ben: a (device not verified)") == true)
  }

  @Test("a hit is shown by its first matching line, with all matches marked")
  func markedHits() throws {
    func parts(_ query: String, _ body: String) throws -> [String] {
      let ranges = try SearchQuery.parse(query).ranges(in: body)
      let line = SearchScript.line(
        for: SearchHit(message: message(body), ranges: ranges), in: "#tea")
      return line.runs.enumerated().map { index, run in
        let text =
          index == 0 ? run.text.string.components(behind: "ben: ") : run.text.string
        return run.style == .bold ? "<\(text)>" : text
      }
    }
    #expect(
      try parts("tea", "no\nmore tea, Téa?\nand tea") == ["more ", "<tea>", ", ", "<Téa>", "?"])
    #expect(try parts("tea", "tea") == ["", "<tea>"])
    // A phrase may go on behind the end of a line.
    #expect(try parts("\"at noon\"", "see you at\nnoon") == ["see you ", "<at>"])
    #expect(try parts("x", "a\u{1B}[1mx y") == ["a^[[1mx y"])
    #expect(try parts("from:ben", "one\ntwo") == ["one"])
  }

  @Test(
    "12.5: on a terminal a body over 40 lines or 64 KiB is folded, with a hint how to see it",
    arguments: [
      (String(repeating: "x\n", count: 40) + "end", "41 lines"),
      ("first" + String(repeating: "x", count: 70_000), "70.0 kB"),
      (String(repeating: "\u{1F389}", count: 20_000), "80.0 kB"),
    ])
  func folded(body: String, size: String) throws {
    let lines = LogLines.all(message(body), folding: BodyPreview()).map(\.string)
    #expect(lines.count <= 11 && lines.joined().utf8.count < 2000)
    #expect(
      lines.last
        == """
            (\(size), folded; to read all: hobnob log CONVERSATION --from 7 --to 7 | less, \
        or /info 7 at the prompt)
        """
    )
    #expect(
      LogLines.all(message(body)).map(\.string).joined(separator: "\n").utf8.count > body.utf8.count
    )
  }

  @Test("12.5: a short body is not folded, and without a line limit lines do not count")
  func notFolded() {
    let body = String(repeating: "x\n", count: 39) + "end"
    #expect(LogLines.all(message(body), folding: BodyPreview()).count == 40)
    #expect(LogLines.all(message(body + body), folding: BodyPreview(mostLines: 0)).count == 79)
    #expect(LogLines.all(message(body), folding: BodyPreview(mostLines: 39)).count == 11)
    #expect(LogLines.all(message(body), folding: BodyPreview(mostLines: 3)).count == 4)
    #expect(
      LogLines.all(message(String(repeating: "x", count: 65_536)), folding: BodyPreview()).count
        == 1)
  }

  @Test("12.5: a hit's line is cut to whole characters around the hit")
  func partOfALine() throws {
    let cut = String(repeating: "e\u{301}", count: 40_000)
    let body = cut + " tea " + cut
    let hit = SearchHit(
      message: message(body), ranges: try SearchQuery.parse("tea").ranges(in: body))
    let text = SearchScript.line(for: hit, in: "#tea", isWhole: false).plain.string
    #expect(text.utf8.count < 500 && text.contains(" ben: ...e\u{301}"))
    #expect(text.contains(" tea ") && text.hasSuffix("e\u{301}..."))
    #expect(SearchScript.line(for: hit, in: "#tea").plain.string.utf8.count > body.utf8.count)
    for place in 0..<cut.utf8.count where place % 977 == 0 {
      let part = BodyPreview.part(around: place, of: cut)
      #expect(part.contains(place) && part.count <= 364)
    }
  }

  @Test("12.6: finding a place behind many marks takes time in proportion to them")
  func placeBehindMarks() {
    func time(_ marks: Int) -> Double {
      let text = "x" + String(repeating: "\u{301}", count: marks) + " needle here"
      return processorTime { _ = BodyPreview.part(around: marks * 2 + 2, of: text) }
    }
    #expect(time(8_000) < 8 * time(2_000))
  }

  @Test("12.1: JSON keeps its meaning, and has no character that could control a terminal")
  func safeJSON() {
    let zalgo = "\"a" + String(repeating: "\u{301}", count: 20) + "🎉\u{202E}\""
    let safe = JSONLine.safe(zalgo).string
    #expect(safe.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
    #expect(safe.hasPrefix("\"a\\u0301\\u0301") && safe.hasSuffix("\\ud83c\\udf89\\u202e\""))
    #expect(JSONLine.safe("{\"a\":\"ü漢🎉\"}").string == "{\"a\":\"ü漢🎉\"}")
    #expect(JSON.text("a\"\\\u{1}\n").line == #""a\"\\\u0001\u000a""#)
  }
}

extension String {
  fileprivate func components(behind mark: String) -> String {
    guard let found = firstRange(of: mark) else { return self }
    return String(self[found.upperBound...])
  }
}
