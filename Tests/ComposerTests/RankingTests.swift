// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Foundation
import Repeatable
import Testing

@Suite("Candidates (2.5)")
struct RankingTests {
  @Test(
    "Folding takes case, accents and width away",
    arguments: [
      ("Anna", "anna"), ("ÄÖÜ", "aou"), ("Straße", "strasse"), ("Łódź", "lodz"),
      ("Ørsted", "orsted"), ("Nguyễn", "nguyen"), ("e\u{301}", "e"), ("\u{1E69}", "s"),
      ("ΆΝΝΑ", "αννα"), ("Σοφός", "σοφοσ"), ("ЁЖ", "еж"), ("İstanbul", "istanbul"),
      ("ｈｅＬＬＯ", "hello"), ("漢字", "漢字"), ("한", "\u{1112}\u{1161}\u{11AB}"),
      ("ﬁn", "fin"), ("Đuro", "duro"), ("שָׁלוֹם", "שלום"), ("👨‍👩‍👧", "👨‍👩‍👧"), ("", ""),
    ])
  func folded(_ text: String, _ folded: String) {
    #expect(Ranking.folded(text).utf8.elementsEqual(folded.utf8))
    #expect(Ranking.folded(Ranking.folded(text)) == Ranking.folded(text))
  }

  // But for three symbols that are no letters of any word.
  @Test("Canonically equal letters fold alike: all of Latin, Greek, Cyrillic and Hangul")
  func canonicallyEqual() {
    for block in [0xC0...0x24F, 0x370...0x52F, 0x1E00...0x1FFF, 0xAC00...0xD7A3] {
      for scalar in block.compactMap({ Unicode.Scalar(UInt32($0)) })
      where scalar.properties.isAlphabetic && !"ϓϔ\u{374}".unicodeScalars.contains(scalar) {
        let composed = String(scalar)
        let decomposed = composed.decomposedStringWithCanonicalMapping
        #expect(
          Ranking.folded(composed).utf8.elementsEqual(Ranking.folded(decomposed).utf8),
          "\(composed) U+\(String(scalar.value, radix: 16))")
      }
    }
  }

  static let people = [
    Candidate("Zoë", recency: 3), Candidate("Hanna"), Candidate("Änne", recency: 9),
    Candidate("anna"), Candidate("Anna"), Candidate("Joanne", recency: 5), Candidate("Ann"),
  ]

  @Test(
    "Beginning first, then containing; recent speakers first, then the order of letters",
    arguments: [
      ("an", ["Änne", "Ann", "Anna", "anna"], ["Joanne", "Hanna"]),
      ("AN", ["Änne", "Ann", "Anna", "anna"], ["Joanne", "Hanna"]),
      ("ann", ["Änne", "Ann", "Anna", "anna"], ["Joanne", "Hanna"]),
      // An exact match stays in the list.
      ("anna", ["Anna", "anna"], ["Hanna"]),
      ("zoe", ["Zoë"], []),
      ("", ["Änne", "Joanne", "Zoë", "Ann", "Anna", "anna", "Hanna"], []),
      ("x", [], []),
      ("annabel", [], []),
    ])
  func ranked(_ word: String, _ beginning: [String], _ containing: [String]) {
    let ranked = Ranking.candidates(Self.people, matching: word)
    #expect(ranked.beginning.map(\.text) == beginning)
    #expect(ranked.containing.map(\.text) == containing)
  }

  @Test("The order does not depend on the order of the source")
  func orderIsTotal() {
    var dice = FixedRandom(seed: 3)
    let expected = Ranking.candidates(Self.people, matching: "")
    for _ in 0..<20 {
      let shuffled = Self.people.shuffled(using: &dice)
      #expect(Ranking.candidates(shuffled, matching: "").beginning == expected.beginning)
    }
  }

  @Test(
    "The common part",
    arguments: [
      (["Anna", "Annabel"], "an", "Anna"),
      (["anna", "Annabel"], "AN", "anna"),
      (["Anna", "Ben"], "", ""),
      (["Änne", "Annika"], "a", "Änn"),
      (["Anna"], "a", "Anna"),
      (["Hanna", "Joanne"], "an", "an"),
      ([], "an", "an"),
      (["👨‍👩‍👧x", "👨‍👩‍👧y"], "", "👨‍👩‍👧"),
      // Never half a grapheme.
      (["🇩🇪", "🇩🇰"], "", ""),
    ])
  func commonPart(_ names: [String], _ word: String, _ common: String) {
    #expect(Ranking.commonPart(of: names.map { Candidate($0) }, typed: word) == common)
  }

  @Test(
    "Where the word stands in the candidate, for the menu to mark (2.7)",
    arguments: [
      ("an", "Hanna", 1..<3), ("AN", "Änne", 0..<3), ("oe", "Zoë", 1..<4), ("ss", "Groß", 3..<5),
      ("x", "Hanna", nil), ("", "Hanna", nil), ("字", "漢字", 3..<6),
    ] as [(String, String, Range<Int>?)])
  func marksMatch(_ word: String, _ text: String, _ range: Range<Int>?) {
    #expect(Ranking.match(of: word, in: text) == range)
  }
}

@Suite("Accepting a candidate (2.6)")
struct AcceptanceTests {
  @Test(
    "Replaces the whole word; one space; the caret behind it",
    arguments: [
      ("hi @an|", "Anna", "hi @Anna |"),
      ("hi @a|nx", "Anna", "hi @Anna |"),
      ("hi @an| there", "Anna", "hi @Anna |there"),
      ("@an|", "Anna", "@Anna: |"),
      ("@an| hi", "Anna", "@Anna: |hi"),
      ("#lo|", "lobby", "#lobby |"),
      ("/jo|", "join", "/join |"),
      ("(@an|)", "Anna", "(@Anna|)"),
      ("hi @an|\nyou", "Anna", "hi @Anna |\nyou"),
      ("hi @an|\tyou", "Anna", "hi @Anna|\tyou"),
      ("hi :bo|", "boar", "hi :boar: |"),
      ("+:ta|", "tada", "+:tada: |"),
      ("x @漢|", "漢字", "x @漢字 |"),
      ("x @n|", "Nathan Tannar", "x @Nathan Tannar |"),
      // An empty candidate changes nothing, the caret neither.
      ("hi @a|n x", "", "hi @a|n x"),
    ])
  func accepted(_ line: String, _ name: String, _ expected: String) throws {
    #expect(try outcome(line, name, emoji: nil) == expected)
  }

  @Test(
    "Emoji are replaced by the character, and a reaction stays one",
    arguments: [
      ("hi :bo|", "boar", "🐗", "hi 🐗 |"),
      ("hi :bo| x", "boar", "🐗", "hi 🐗 |x"),
      ("+:ta|", "tada", "🎉", "+🎉 |"),
    ])
  func emoji(_ line: String, _ name: String, _ emoji: String, _ expected: String) throws {
    #expect(try outcome(line, name, emoji: emoji) == expected)
  }

  private func outcome(_ line: String, _ name: String, emoji: String?) throws -> String {
    let (text, caret) = marked(line)
    let word = try #require(WordFinderTests.finder.find(in: text, caret: caret))
    let change = Acceptance.replacement(
      for: Candidate(name), word: word, in: text, emojiReplacement: emoji)
    var bytes = Array(text.utf8)
    bytes.replaceSubrange(change.range, with: change.insert.utf8)
    return marking(String(decoding: bytes, as: UTF8.self), change.caret)
  }
}
