// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Foundation
import StyledText
import Testing

@testable import ChatPreferences
@testable import ChatSession

@Suite struct EmojiTableTests {
  /// The share folder of the checkout.
  static let share = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("share/hobnob").path

  private let table = EmojiTable.load(EmojiTableTests.share + "/emoji.tsv")

  private func content(_ text: String) -> EmojiTable.Content {
    EmojiTable.Content(Array(text.utf8))
  }

  @Test(
    "2.1: a shortcode is an emoji",
    arguments: [
      ("tada", "🎉"), ("party_popper", "🎉"), ("-1", "👎"), ("heart", "❤️"), ("hash", "#️⃣"),
      ("family_man_woman_girl", "👨‍👩‍👧"), ("flag_de", "🇩🇪"), ("england", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"),
    ])
  func lookups(shortcode: String, emoji: String) throws {
    let found = try #require(table[shortcode])
    #expect(Array(found.unicodeScalars) == Array(emoji.unicodeScalars))
  }

  @Test(
    "7.8: colons, capitals and - for _ do not matter",
    arguments: [
      (":tada:", "🎉"), ("TADA", "🎉"), (":-1:", "👎"), (":Flag-DE:", "🇩🇪"), (":+1:", "👍"),
    ])
  func looseLookups(shortcode: String, emoji: String) {
    #expect(table[shortcode] == emoji)
  }

  @Test(
    "only shortcodes are found", arguments: ["", ":", "::", "tad", "tada ", "🎉", "_", "-"])
  func unknown(shortcode: String) {
    #expect(table[shortcode] == nil)
  }

  @Test(
    "7.8: an emoji finds itself, with skin tones, with or without a variation selector",
    arguments: [
      ("🎉", "🎉"), ("❤", "❤️"), ("❤️", "❤️"), ("👍🏿", "👍🏿"), ("👩🏽\u{200D}💻", "👩🏽\u{200D}💻"),
      ("🏿", nil), ("\u{FE0F}", nil), ("", nil), ("é", nil), ("🎉🎉", nil), ("a👍", nil),
    ] as [(String, String?)])
  func typed(emoji: String, found: String?) {
    #expect(
      table.emoji(emoji).map { Array($0.unicodeScalars) } == found.map { Array($0.unicodeScalars) })
  }

  @Test(
    "emoji in a text are found as characters, with skin tones, and as shortcodes",
    arguments: [
      ("no", []), ("🎉 and ❤!", ["🎉", "❤️"]), (":tada: +:boar: a:tada:", ["🎉", "🐗"]),
      ("👍🏿", ["👍"]), ("10:30 :nonsense: é", []),
    ])
  func used(text: String, found: [String]) {
    #expect(table.used(in: text) == found)
  }

  @Test("the table that comes with hobnob loads completely")
  func shipped() throws {
    let lines = try String(contentsOfFile: Self.share + "/emoji.tsv", encoding: .utf8)
      .split(separator: "\n").filter { $0.contains("\t") }
    let names = lines.flatMap { $0.split(separator: "\t")[1].split(separator: " ") }
    #expect(table.candidates.map(\.text) == names.map(String.init))
    // All of Unicode 15.0, skin tones aside.
    #expect(Set(table.candidates.map(\.hint)).count == 1870)
    #expect(Set(table.candidates.map(\.text)).count == table.candidates.count)
    for candidate in table.candidates {
      // What would be taken apart or marked is not what was chosen.
      #expect(candidate.hint.count == 1)
      #expect(SafeText(line: candidate.hint).string == candidate.hint)
      #expect(SafeText(body: candidate.hint).string == candidate.hint)
      #expect(SafeText(name: candidate.text).string == candidate.text)
      let tones = Unicode.Scalar(0x1F3FB as UInt32)!...Unicode.Scalar(0x1F3FF as UInt32)!
      #expect(!candidate.hint.unicodeScalars.contains { tones.contains($0) })
      #expect(table[":" + candidate.text + ":"] == candidate.hint)
    }
  }

  @Test("the table says how and from what it was made, and under which licences")
  func provenance() throws {
    let text = try String(contentsOfFile: Self.share + "/emoji.tsv", encoding: .utf8)
    let head = text.prefix { $0 != "😀" }
    for part in [
      ".ci/generate-emoji > share/hobnob/emoji.tsv", "Unicode 15", "emoji 2.", "Unicode License v3",
      "3-Clause BSD", "emoji-licences.txt",
    ] {
      #expect(head.contains(part))
    }
    let licences = try String(
      contentsOfFile: Self.share + "/emoji-licences.txt", encoding: .utf8)
    #expect(licences.contains("UNICODE LICENSE V3") && licences.contains("Kim, Kevin Wurster"))
  }

  @Test("2.5: candidates match first at the beginning of the word, then inside it")
  func candidates() {
    let ranked = Ranking.candidates(table.candidates, matching: "TAD")
    #expect(ranked.beginning.map(\.text) == ["tada"])
    #expect(ranked.beginning.map(\.hint) == ["🎉"])
    #expect(ranked.containing.contains { $0.text == "stadium" })
  }

  @Test("candidates keep the order of the file and are made once")
  func order() {
    let content = content("# mine\n🐗\tboar\n\n🎉\ttada party\r\n#️⃣\thash\n#\n👍\t+1")
    #expect(content.candidates.map(\.text) == ["boar", "tada", "party", "hash", "+1"])
    #expect(content.candidates.map(\.hint) == ["🐗", "🎉", "🎉", "#️⃣", "👍"])
  }

  @Test(
    "a bad line is skipped; the others are used",
    arguments: [
      "🎉 tada", "\ttada", "tada\t🎉", "🎉\t",
      "🎉\t  ", "🎉\tTada", "🎉\ttada pi\u{F1}ata",
      "🎉\ttada\tparty", "🎉\u{1B}[2J\ttada", "7\tseven",
      String(repeating: "🎉", count: 17) + "\ttada", "🎉 🎉\ttada",
    ])
  func badLines(line: String) {
    let content = content("# head\n\n🐗\tboar\n\(line)\n👍\t+1\n")
    #expect(content.candidates.map(\.text) == ["boar", "+1"])
    #expect(content.byShortcode == ["boar": "🐗", "+1": "👍"])
  }

  @Test("a line that is not UTF-8 is skipped")
  func damaged() {
    let bytes = [0xF0, 0x9F, 0x09] + Array("tada\n🐗\tboar".utf8)
    let content = EmojiTable.Content(bytes)
    #expect(content.candidates.map(\.text) == ["boar"])
  }

  @Test("a shortcode defined twice keeps its first meaning")
  func twice() {
    let content = content("🐶\tdog\n🐕\tdog dog2\n")
    #expect(content.candidates.map(\.text) == ["dog", "dog2"])
    #expect(content.byShortcode == ["dog": "🐶", "dog2": "🐕"])
  }

  @Test("a missing or oversized file, or a folder, is an empty table")
  func unreadable() throws {
    let folder = try TemporaryFolder()
    let large = try folder.write("large.tsv", String(repeating: "# nothing\n", count: 120_000))
    for path in [folder.path + "/none.tsv", folder.path, large] {
      let table = EmojiTable.load(path)
      #expect(table.candidates.isEmpty && table["tada"] == nil)
    }
  }

  @Test("the file is read at the first question, not before")
  func lazily() throws {
    let folder = try TemporaryFolder()
    let table = EmojiTable.load(folder.path + "/emoji.tsv")
    _ = try folder.write("emoji.tsv", "🐗\tboar\n")
    #expect(table["boar"] == "🐗")
    _ = try folder.write("emoji.tsv", "🎉\tboar\n")
    #expect(table["boar"] == "🐗" && table.candidates.first?.hint == "🐗")
  }
}
