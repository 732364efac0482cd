// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Foundation
import Repeatable
import Testing

@Suite("2.5: Candidates")
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
    #expect(MatchFolding.folded(text).utf8.elementsEqual(folded.utf8))
    #expect(MatchFolding.folded(MatchFolding.folded(text)) == MatchFolding.folded(text))
  }

  // But for three symbols that are not letters of any word.
  @Test("Canonically equal letters fold alike: all of Latin, Greek, Cyrillic and Hangul")
  func canonicallyEqual() {
    for block in [0xC0...0x24F, 0x370...0x52F, 0x1E00...0x1FFF, 0xAC00...0xD7A3] {
      for scalar in block.compactMap({ Unicode.Scalar(UInt32($0)) })
      where scalar.properties.isAlphabetic && !"ϓϔ\u{374}".unicodeScalars.contains(scalar) {
        let composed = String(scalar)
        let decomposed = composed.decomposedStringWithCanonicalMapping
        #expect(
          MatchFolding.folded(composed).utf8.elementsEqual(MatchFolding.folded(decomposed).utf8),
          "\(composed) U+\(String(scalar.value, radix: 16))")
      }
    }
  }

  @Test("12.3: marked candidates come after all others, whoever spoke last")
  func marked() {
    let people = [
      Candidate("b\u{435}n", recency: 9, mark: "≈"), Candidate("ben"), Candidate("bea", recency: 3),
    ]
    let ranked = Ranking.candidates(people, matching: "b")
    #expect(ranked.beginning.map(\.text) == ["bea", "ben", "b\u{435}n"])
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
    "2.7: Where the word stands in the candidate, for the menu to mark",
    arguments: [
      ("an", "Hanna", 1..<3), ("AN", "Änne", 0..<3), ("oe", "Zoë", 1..<4), ("ss", "Groß", 3..<5),
      ("x", "Hanna", nil), ("", "Hanna", nil), ("字", "漢字", 3..<6),
    ] as [(String, String, Range<Int>?)])
  func marksMatch(_ word: String, _ text: String, _ range: Range<Int>?) {
    #expect(Ranking.match(of: word, in: text) == range)
  }
}

@Suite("2.6: Accepting a candidate")
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
    let rules: PrefixRules =
      switch word.prefix {
      case "@": PrefixRules(behindAtLineStart: ":")
      case ":": .emoji(opensAfter: 2) { true }
      case "+:": .emoji(opensAfter: 2, keeping: "+") { true }
      default: PrefixRules()
      }
    let change = Acceptance(of: Candidate(name, hint: emoji ?? ""), for: word, rules, in: text)
    var bytes = Array(text.utf8)
    bytes.replaceSubrange(change.range, with: change.insert.utf8)
    return marking(String(decoding: bytes, as: UTF8.self), change.caret)
  }
}

@Suite("2.3 to 2.6: Rules of a prefix")
struct PrefixRulesTests {
  private func typist(_ prefix: String, _ names: [String], _ rules: PrefixRules) -> Typist {
    var registry = CompletionRegistry()
    registry.register(prefix, source: ListSource(names.map { Candidate($0) }), rules)
    return Typist(CompletionSession(registry: registry))
  }

  @Test("What replaces the prefix is inserted in its place, and not shown with it in the menu")
  func replaced() {
    var typist = typist("!", ["shrug", "tableflip"], PrefixRules(replacement: { "<\($0.text)>" }))
    typist.type("a !s")
    #expect(typist.menu == "[s]hrug")
    typist.type("⇥")
    #expect(typist.line == "a <shrug> |")
  }

  @Test("The suffix of a word at the start of the text comes from its prefix")
  func behind() {
    var typist = typist("~", ["home"], PrefixRules(behindAtLineStart: "/"))
    typist.type("~h⇥~h⇥")
    #expect(typist.line == "~home/ ~home |")
  }

  @Test("A name of several words is completed to its end where spaces are allowed")
  func blanks() {
    var typist = typist("@", ["Nathan Tannar", "Nathan Tyler"], PrefixRules(allowsBlanks: true))
    typist.type("hi @nathan ty⇥")
    #expect(typist.line == "hi @Nathan Tyler |")
  }

  @Test("A finder of its own decides what the word is")
  func ownFinder() {
    var typist = typist(
      "§", ["one", "two"],
      PrefixRules(find: { text, caret in
        text.hasSuffix("§")
          ? nil
          : text.utf8.firstIndex(of: UInt8(ascii: "=")).map { place in
            let start = text.utf8.distance(from: text.startIndex, to: place) + 1
            let word = String(text.utf8.dropFirst(start)) ?? ""
            return FoundWord(prefix: "§", word: word, range: start..<text.utf8.count, caret: caret)
          }
      }))
    typist.type("x=tw")
    #expect(typist.menu == "§[tw]o")
    typist.type("⇥")
    #expect(typist.line == "x=§two |")
  }

  @Test("2.5: A locale's order stands between who spoke last and the order of the letters")
  func order() {
    let names = ["ä", "z", "a", "o"].map { Candidate($0, recency: $0 == "o" ? 1 : 0) }
    // As in Swedish: ä behind z.
    let order: CandidateOrder = {
      $0 == $1
        ? 0 : ($0 == "ä" || $0 < $1 && $1 != "ä") ? ($0 == "ä" ? 1 : -1) : ($1 == "ä" ? -1 : 1)
    }
    #expect(Ranking.candidates(names, matching: "").beginning.map(\.text) == ["o", "a", "ä", "z"])
    #expect(
      Ranking.candidates(names, matching: "", order: order).beginning.map(\.text)
        == ["o", "a", "z", "ä"])
    var registry = CompletionRegistry()
    registry.register("@", source: ListSource(names))
    registry.order = order
    var typist = Typist(CompletionSession(registry: registry))
    typist.type("@")
    #expect(typist.menu == "@o\n@a\n@z\n@ä")
  }
}
