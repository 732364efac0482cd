// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Testing

@Suite("2.1 to 2.3: The word at the caret")
struct WordFinderTests {
  static let finder = WordFinder(prefixes: ["@", "#", ":", "+:", "/"])

  @Test(
    "Where there is a word, prefix and the whole word around the caret",
    arguments: [
      ("@|", "@", "", 0..<1),
      ("@an|", "@", "an", 0..<3),
      ("@a|n", "@", "an", 0..<3),
      ("hi @an|na!x y", "@", "anna!x", 3..<10),
      ("hi\n@an|", "@", "an", 3..<6),
      ("hi\u{3000}@an|", "@", "an", 5..<8),
      ("#lo|", "#", "lo", 0..<3),
      (":bo|", ":", "bo", 0..<3),
      ("+:bo|", "+:", "bo", 0..<4),
      ("/jo|", "/", "jo", 0..<3),
      ("/|join x", "/", "join", 0..<5),
      ("(@an|", "@", "an", 1..<4),
      ("([{\"'@an|", "@", "an", 5..<8),
      // What closes behind the caret is not replaced.
      ("(@an|)", "@", "an", 1..<4),
      ("(@an)|", "@", "an)", 1..<5),
      ("(@an|).", "@", "an).", 1..<6),
      ("\"(@an|)\"", "@", "an", 2..<5),
      ("@an|)", "@", "an)", 0..<4),
      ("漢 @字|漢", "@", "字漢", 4..<11),
      ("@👨‍👩‍👧|", "@", "👨‍👩‍👧", 0..<19),
      ("e\u{301} @e\u{301}|", "@", "e\u{301}", 4..<8),
    ])
  func found(_ line: String, _ prefix: String, _ word: String, _ range: Range<Int>) {
    let (text, caret) = marked(line)
    let found = Self.finder.find(in: text, caret: caret)
    #expect(found == FoundWord(prefix: prefix, word: word, range: range))
    #expect(found?.caret == caret)
  }

  @Test(
    "Where there is none",
    arguments: [
      "|", "an|", "|@an", "hi |@an", "+|:bo", "|+:bo", "@an |", "@an | x", "a@b|", "10:30|",
      "http://x|", "@@|", "@@an|", "@a@b|", ":boar:|", "hi /jo|", " /jo|", "\n/jo|", "(/jo|",
      "/usr/bin|", "##|", "|(@an)", "()|", "(|@an",
    ])
  func notFound(_ line: String) {
    let (text, caret) = marked(line)
    #expect(Self.finder.find(in: text, caret: caret) == nil)
  }

  @Test("2.3: A source may allow its prefix inside names; a doubled prefix is still no word")
  func namesWithPrefix() {
    let finder = WordFinder(prefixes: ["@"], namesMayContainPrefix: ["@"])
    #expect(finder.find(in: "@ann@host", caret: 9)?.word == "ann@host")
    #expect(finder.find(in: "@@host", caret: 6) == nil)
  }

  @Test("2.3: A source may allow its prefix at the start of names, but not later")
  func namesBeginningWithPrefix() {
    let finder = WordFinder(prefixes: ["#"], namesMayBeginWithPrefix: ["#"])
    #expect(finder.find(in: "in ##te", caret: 7)?.word == "#te")
    #expect(finder.find(in: "##", caret: 2)?.word == "#")
    #expect(finder.find(in: "##te#a", caret: 6) == nil)
  }

  @Test("2.1: The longest prefix wins, in whatever order they were registered")
  func longestWins() {
    for prefixes in [[":", "+:", "+"], ["+", "+:", ":"]] {
      let found = WordFinder(prefixes: prefixes).find(in: "+:ta", caret: 4)
      #expect(found?.prefix == "+:")
      #expect(found?.word == "ta")
    }
  }

  @Test("2.1: Without a registered prefix nothing happens")
  func nothingRegistered() {
    #expect(WordFinder(prefixes: []).find(in: "@an", caret: 3) == nil)
    #expect(WordFinder(prefixes: [""]).find(in: "an", caret: 2) == nil)
  }

  @Test(
    "A prefix that allows spaces reaches back to its word; others end at a space",
    arguments: [
      ("hi @nathan ta|", "@", "nathan ta", 3), ("@nathan | x", "@", "nathan ", 0),
      ("@a #lo|", "#", "lo", 3), ("#a @nathan ta|", "@", "nathan ta", 3),
      ("#lo by|", nil, "", 0), ("@a\nb|", nil, "", 0), ("x a@b c|", nil, "", 0),
    ] as [(String, String?, String, Int)])
  func blanks(_ line: String, _ prefix: String?, _ word: String, _ start: Int) {
    let (text, caret) = marked(line)
    let found = WordFinder(prefixes: ["@", "#"], allowingBlanks: ["@"]).find(in: text, caret: caret)
    #expect(found?.prefix == prefix)
    if prefix != nil { #expect(found?.word == word && found?.range.lowerBound == start) }
  }

  @Test("An offset outside the text or inside a letter does no harm")
  func oddOffsets() {
    for caret in -3...12 { _ = Self.finder.find(in: "@漢é", caret: caret) }
    #expect(Self.finder.find(in: "@漢", caret: 99)?.word == "漢")
  }

  @Test("An endless word is not scanned at every key")
  func endlessWord() {
    let text = "@" + String(repeating: "a", count: 100_000)
    #expect(Self.finder.find(in: text, caret: text.utf8.count) == nil)
    #expect(Self.finder.find(in: text, caret: 1) == nil)
  }
}
