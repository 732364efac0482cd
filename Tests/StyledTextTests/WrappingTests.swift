// SPDX-License-Identifier: GPL-3.0-or-later
import Repeatable
import StyledText
import Testing

@Suite("Breaking lines between words")
struct WrappingTests {
  private func rows(
    _ text: String, _ columns: Int, margin: Int = 2, _ clusters: Widths.Clusters = .graphemes
  ) -> [String] {
    StyledLine(SafeText(line: text)).with(margin: margin)
      .wrapped(at: columns, widths: Widths(clusters: clusters)).map(\.plain.string)
  }

  @Test(
    "13.7: lines are broken at spaces, nothing else is lost, and later rows are indented",
    arguments: [
      ("one two three", 20, 0, ["one two three"]),
      ("one two three", 13, 0, ["one two three"]),
      ("one two three", 12, 0, ["one two", "three"]),
      ("one two three", 7, 2, ["one two", "  three"]),
      ("one   two   ", 5, 0, ["one", "two"]),
      ("/list  what there is", 12, 4, ["/list  what", "    there is"]),
      ("漢字 漢字 漢字", 9, 0, ["漢字 漢字", "漢字"]),
      ("  two blanks", 6, 0, ["  two", "blanks"]),
      ("🇩🇪 👨‍👩‍👧 flags", 5, 0, ["🇩🇪 👨‍👩‍👧", "flags"]),
      ("e\u{301}e\u{301} e\u{301}e\u{301}", 3, 0, ["e\u{301}e\u{301}", "e\u{301}e\u{301}"]),
      ("", 5, 0, [""]),
    ])
  func wrapping(text: String, columns: Int, margin: Int, expected: [String]) {
    #expect(rows(text, columns, margin: margin) == expected)
  }

  @Test("13.7: the margin is that of the text, but never more than a third of the columns")
  func margin() {
    let line = "12:03 [1] anna: one two three four"
    #expect(
      rows(line, 48, margin: 16) == ["12:03 [1] anna: one two three four"])
    #expect(
      rows("\(line) five six seven", 48, margin: 16) == [
        "12:03 [1] anna: one two three four five six", String(repeating: " ", count: 16) + "seven",
      ])
    #expect(rows(line, 24, margin: 16) == ["12:03 [1] anna: one two", "        three four"])
    // Where the name leaves no room for a word, the word has a row with more of it.
    #expect(
      rows("maximiliana-josepha: hello", 24, margin: 21) == [
        "maximiliana-josepha:", "        hello",
      ])
  }

  @Test(
    "13.7: a word wider than a row is broken at the end of the row, never inside a character",
    arguments: [
      ("overlongword and", 5, 0, ["overl", "ongwo", "rd", "and"]),
      ("ab overlongword", 5, 1, ["ab", " over", " long", " word"]),
      ("👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧", 5, 0, ["👨‍👩‍👧👨‍👩‍👧", "👨‍👩‍👧"]),
      ("漢", 1, 0, ["漢"]),
    ])
  func longWords(text: String, columns: Int, margin: Int, expected: [String]) {
    #expect(rows(text, columns, margin: margin) == expected)
  }

  @Test("13.7: between wide characters a line is broken, not before a mark or behind a bracket")
  func wideCharacters() {
    #expect(rows("今日は会議があります。", 10, margin: 0) == ["今日は会議", "がありま", "す。"])
    #expect(rows("今日は「会議」です", 9, margin: 0) == ["今日は", "「会議」", "です"])
    #expect(rows("go to 会議室", 9, margin: 0) == ["go to 会", "議室"])
  }

  @Test("13.7: an address wider than a row stays whole, another goes to the next row")
  func addresses() {
    let long = "https://example.org/a/long/path"
    #expect(rows("look at \(long) now", 20, margin: 0) == ["look at", long, "now"])
    #expect(rows("look (\(long)), now", 20, margin: 0) == ["look", "(\(long)),", "now"])
    #expect(rows("anna: \(long) now", 20, margin: 6) == ["anna: \(long)", "      now"])
    #expect(rows("look at \(long) now", 35, margin: 4) == ["look at", "    \(long)", "    now"])
  }

  @Test("12.2, 13.7: no continued row begins with anything that looks like a space")
  func spoofedAddress() {
    for blank in ["\u{2003}", "\u{2800}", "\u{3164}"] {
      let text = "https://example.org/aaaa12:03\(blank)[2]\(blank)ben:\(blank)hello"
      for row in rows(text, 24, margin: 4).dropFirst() { #expect(row.hasPrefix("    ")) }
      #expect(rows(text, 24, margin: 4).allSatisfy { Widths().columns(of: $0) <= 24 })
    }
  }

  @Test("each part keeps its style and its link")
  func styles() {
    let link = Link("https://example.org/tea")
    let line: StyledLine = [
      StyledRun("bold text ", .bold), StyledRun("and dim text ", .dim),
      StyledRun("https://example.org/tea", .underline, link: link),
    ]
    let wrapped = line.wrapped(at: 9, widths: Widths())
    #expect(
      wrapped.map(\.runs) == [
        [StyledRun("bold text", .bold)], [StyledRun("  "), StyledRun("and dim", .dim)],
        [StyledRun("  "), StyledRun("text", .dim)],
        [StyledRun("  "), StyledRun("https://example.org/tea", .underline, link: link)],
      ])
  }

  @Test("13.7: whatever the text, no row is too wide, and each begins at the margin")
  func anything() {
    var dice = FixedRandom(seed: 13_7)
    let pieces = [
      "a", "word", " ", "  ", "漢", "。", "「", "🎉", "👩‍💻", "e\u{301}", "\t", "-", "12:03 [7] ben: ",
      "averylongwordwithoutanyblanks", "é", "\u{3000}", " \u{301}", "x\u{308}",
      "https://example.é/",
    ]
    for _ in 0..<2000 {
      let text = (0..<dice.below(60)).map { _ in pieces[dice.below(pieces.count)] }.joined()
      let (columns, margin) = (8 + dice.below(50), dice.below(30))
      let line = StyledLine(SafeText(body: text)).with(margin: margin)
      let rows = line.wrapped(at: columns, widths: Widths())
      func letters(_ text: String) -> String { text.filter { $0 != " " && $0 != "\t" } }
      #expect(letters(rows.map(\.plain.string).joined()) == letters(text))
      let blanks = String(repeating: " ", count: min(margin, columns / 3))
      for (number, row) in rows.enumerated() where rows.count > 1 {
        #expect(row.columns(Widths()) <= columns, "\(text), \(columns)")
        #expect(number == 0 || row.plain.string.hasPrefix(blanks))
      }
    }
  }
}
