// SPDX-License-Identifier: GPL-3.0-or-later
import Repeatable
import StyledText
import Testing

@Suite("how wide terminals draw text")
struct WidthsTests {
  @Test(
    "emoji of several code points, as measured in tmux 3.3a, glibc and grapheme terminals",
    arguments: [
      ("👍🏽", 4, 4, 2), ("❤️", 1, 1, 2), ("👩‍👩‍👧", 6, 2, 2), ("🏳️‍🌈", 3, 1, 2),
      ("🇩🇪", 2, 2, 2), ("1️⃣", 1, 1, 2), ("👨🏿‍🚀", 6, 4, 2), ("🩷", 2, 2, 2), ("😀", 2, 2, 2),
      ("🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}", 2, 2, 2),
      ("#\u{200D}", 1, 1, 1), ("🇩", 1, 1, 1),
    ])
  func clusters(character: Character, codePoints: Int, joined: Int, graphemes: Int) {
    #expect(Widths(clusters: .codePoints).columns(of: character) == codePoints)
    #expect(Widths(clusters: .joinedAsOne).columns(of: character) == joined)
    #expect(Widths(clusters: .graphemes).columns(of: character) == graphemes)
  }

  @Test(
    "single code points",
    arguments: [
      ("a", 1), ("é", 1), ("e\u{301}", 1), ("\u{301}", 0), ("漢", 2), ("カ", 2), ("ｶ", 1), ("한", 2),
      ("\u{1112}\u{1161}\u{11AB}", 2), ("\u{1161}", 0), ("\u{200B}", 0), ("…", 1), ("✓", 1),
      ("\u{3000}", 2), ("Ａ", 2), ("\u{1B}", 0), ("\u{9B}", 0), ("\u{302A}", 0), ("⌚", 2),
      ("\u{E000}", 1), ("\u{20000}", 2), ("क\u{93F}", 2), ("\n", 0), ("\t", 8),
    ] as [(Character, Int)])
  func single(character: Character, columns: Int) {
    #expect(Widths().columns(of: character) == columns)
  }

  @Test("ambiguous characters are wide only if the terminal says so")
  func ambiguous() {
    let wide = Widths(ambiguousIsWide: true)
    #expect(wide.columns(of: "…" as Character) == 2)
    #expect(wide.columns(of: "±" as Character) == 2)
    #expect(wide.columns(of: "Я" as Character) == 2)
    #expect(wide.columns(of: "a" as Character) == 1)
    #expect(wide.columns(of: "é" as Character) == 2)
    #expect(wide.columns(of: "\u{301}" as Character) == 0)
  }

  @Test("a text is the sum of its characters, tabs reach to the next multiple of 8")
  func texts() {
    #expect(Widths().columns(of: "") == 0)
    #expect(Widths().columns(of: "hello") == 5)
    #expect(Widths().columns(of: "a漢e\u{301}") == 4)
    #expect(Widths().columns(of: "a\tb") == 9)
    #expect(Widths().columns(of: "hello".dropFirst(2)) == 3)
    #expect(Widths().columns(of: "a漢b".dropFirst()) == 3)
  }

  @Test(
    "a text is as wide as its characters one after another, whatever they are made of",
    arguments: [Widths.Clusters.codePoints, .joinedAsOne, .graphemes])
  func anyText(clusters: Widths.Clusters) {
    let parts = [
      "a", "\t", "\r", "\n", "é", "\u{301}", "漢", "한", "ᄒ", "ᅡ", "ᆫ", "\u{200D}", "\u{FE0F}", "✊",
      "👩",
      "\u{1F3FD}", "\u{1F1E6}", "🏴", "\u{E0067}", "\u{E007F}", "☎", "क", "\u{94D}", "±", "\u{200B}",
    ]
    var random = FixedRandom(seed: 11)
    for ambiguous in [false, true] {
      let widths = Widths(clusters: clusters, ambiguousIsWide: ambiguous)
      for _ in 0..<2_000 {
        let text = (0..<Int.random(in: 1...8, using: &random))
          .map { _ in parts.randomElement(using: &random)! }.joined()
        let expected = text.reduce(0) { widths.column(after: $1, at: $0) }
        #expect(widths.columns(of: text) == expected, "\(text.unicodeScalars.map(\.value))")
      }
    }
  }
}

@Suite("lines and cells")
struct CellsTests {
  @Test("runs of one style are one run, and a line is cut in the style of what it loses")
  func styledLines() {
    var line = StyledLine("Anna", .bold)
    line.append(" is ")
    line.append("typing")
    line.append("")
    #expect(line.runs.count == 2)
    #expect(line.plain == "Anna is typing")
    #expect(line.columns(Widths()) == 14)
    #expect(line.truncated(to: 14, widths: Widths()) == line)
    let cut = line.truncated(to: 4, widths: Widths())
    #expect(cut == [StyledRun("Ann…", .bold)])
    let shorter = line.truncated(to: 6, widths: Widths())
    #expect(shorter == [StyledRun("Anna", .bold), StyledRun(" …", .plain)])
    #expect(line.truncated(to: 5, widths: Widths()).plain == "Anna…")
    #expect(line.truncated(to: 0, widths: Widths()).isEmpty)
    #expect((StyledLine("a", .dim) + StyledLine("b", .dim)).runs.count == 1)
  }

  @Test("every column of a row has its cell")
  func cells() {
    let row = CellRow(StyledLine("a漢e\u{301}\tb", .dim), widths: Widths())
    #expect(row.columns == 9)
    #expect(row.cells.map(\.columns) == [1, 2, 0, 1, 1, 1, 1, 1, 1])
    #expect(row.cells[3].character == "e\u{301}")
    #expect(row.cells[8].character == "b")
    #expect(row.cells.allSatisfy { $0.style == .dim })
    #expect(row.string == "a漢e\u{301}    b")
  }

  @Test("a mark without a base joins the cell before it, or stands on a blank")
  func loneMarks() {
    var row = CellRow()
    row.append("\u{301}", widths: Widths())
    #expect(row.cells == [Cell(" \u{301}")])
    row.append("漢", widths: Widths())
    row.append("\u{300}", widths: Widths())
    row.append("\u{200B}", widths: Widths())
    #expect(row.columns == 3)
    #expect(row.cells[1].character == "漢\u{300}")
    row.pad(to: 5)
    #expect(row.columns == 5)
    row.pad(to: 1)
    #expect(row.columns == 5)
  }

  @Test("12.2: a cell holds nothing that could control the terminal")
  func unsafeCharacters() {
    var row = CellRow()
    for character in "\u{1B}[2J\u{9B}\r\n" { row.append(character, widths: Widths()) }
    #expect(row.string == "^[[2J<U+009B>^M^J")
    let line = StyledLine(SafeText(body: "a\nb"))
    #expect(CellRow(line, widths: Widths()).string == "a b")
  }

  @Test("an endless chain of joined emoji is drawn in pieces that fit a row")
  func endlessCluster() {
    var chain = "👩"
    for _ in 0..<200 { chain += "\u{200D}👩" }
    #expect(chain.count == 1)
    let row = CellRow(StyledLine(SafeText(body: chain)), widths: Widths())
    #expect(row.columns == 402)
    #expect(row.cells.allSatisfy { $0.columns <= 2 })
    let jamo = String(repeating: "\u{1100}", count: 300)
    #expect(CellRow(StyledLine(SafeText(body: jamo)), widths: Widths()).columns == 600)
  }
}
