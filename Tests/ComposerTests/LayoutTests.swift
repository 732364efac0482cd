// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Repeatable
import StyledText
import Testing

/// A bar with prompt and text, the caret where `|` stands.
func bar(_ prompt: SafeText, _ line: String) -> InputBar {
  var bar = InputBar()
  bar.prompt = StyledLine(prompt)
  let (text, caret) = marked(line)
  bar.composed = ComposedText(text, caret: caret)
  return bar
}

extension InputBar {
  /// Laid out from nothing, as a picture.
  mutating func drawn(_ rows: Int, _ columns: Int, _ widths: Widths = Widths()) -> String {
    var cache = LayoutCache()
    return picture(layout(size: rows, columns: columns, widths: widths, cache: &cache).frame)
  }
}

@Suite("1.3, 9.5: The layout of the text")
struct TextLayoutTests {
  @Test(
    "Wrapping, newlines, indentation, and the caret in its place",
    arguments: [
      ("> ", "|", "> |"),
      ("> ", "hello|", "> hello|"),
      ("> ", "he|llo", "> he|llo"),
      // 12 columns: the last one stays free, only the caret may stand there.
      ("> ", "123456789|", "> 123456789|"),
      ("> ", "123456789a|", "> 123456789\n  a|"),
      ("> ", "123456789|a", "> 123456789\n  |a"),
      ("> ", "12345678|9a", "> 12345678|9\n  a"),
      ("> ", "|123456789abcdefghijk", "> |123456789\n  abcdefghi\n  jk"),
      ("> ", "a\nb|", "> a\n  b|"),
      ("> ", "a|\nb", "> a|\n  b"),
      ("> ", "a\n|", "> a\n  |"),
      ("> ", "\n\n|", ">\n\n  |"),
      ("> ", "123456789|\nb", "> 123456789|\n  b"),
      // Over half of the columns: by 2.
      ("#lobby> ", "abc|", "#lobby> abc|"),
      ("#lobby> ", "abcd|", "#lobby> abc\n  d|"),
      ("#lobby> ", "abcdefghijklmn|", "#lobby> abc\n  defghijkl\n  mn|"),
      // Too long: cut, so that there is room to type.
      ("#conversation> ", "abcdef|", "#conver… ab\n  cdef|"),
      ("", "abc|", "abc|"),
    ])
  func wrapped(_ prompt: SafeText, _ line: String, _ expected: String) {
    var bar = bar(prompt, line)
    #expect(bar.drawn(24, 12) == expected)
  }

  @Test(
    "Wide characters never straddle the margin; tabs, marks and clusters take their columns",
    arguments: [
      ("漢字漢字|漢字", "> 漢字漢字\n  |漢字"),
      ("x漢字漢字|", "> x漢字漢字|"),
      ("xx漢字漢字|", "> xx漢字漢\n  字|"),
      ("a\tb|", "> a       b|"),
      ("\t|b", ">         |b"),
      ("12345678\t|x", "> 12345678\n  |x"),
      ("123456789\t|x", "> 123456789\n          |x"),
      ("a\u{1B}|[m", "> a^[|[m"),
      ("12345678\u{1B}|", "> 12345678\n  ^[|"),
      ("\u{202E}|", "> <U+202E>|"),
      ("a\u{202E}|", "> a<U+202E>|"),
      ("ab\u{202E}|", "> ab\n  <U+202E>|"),
      ("e\u{301}|x", "> e\u{301}|x"),
      ("12345678e\u{301}|", "> 12345678e\u{301}|"),
      ("123456789e\u{301}|", "> 123456789\n  e\u{301}|"),
      ("a\n\u{301}|b", "> a\n   \u{301}|b"),
      ("a\u{200B}|b", "> a|b"),
      ("👨‍👩‍👧|x", "> 👨‍👩‍👧|x"),
      ("1234👨‍👩‍👧|x", "> 1234\n  👨‍👩‍👧|x"),
      ("🇩🇪🇩🇪🇩🇪🇩🇪|🇩🇪", "> 🇩🇪🇩🇪🇩🇪🇩🇪\n  |🇩🇪"),
      ("a\r|\nb", "> a^M|\n  b"),
    ])
  func hardText(_ line: String, _ expected: String) {
    var bar = bar("> ", line)
    var cache = LayoutCache()
    let drawn = bar.layout(size: 24, columns: 12, widths: Widths(), cache: &cache)
    #expect(picture(drawn.frame) == expected)
    #expect(drawn.frame.rows.allSatisfy { $0.columns <= 11 })
  }

  @Test("An emoji is as wide as the terminal makes it")
  func emojiWidths() {
    for (clusters, expected) in [
      (Widths.Clusters.codePoints, "> 1234\n  👨‍👩‍👧|"), (.joinedAsOne, "> 1234👨‍👩‍👧|"),
      (.graphemes, "> 1234👨‍👩‍👧|"),
    ] {
      var bar = bar("> ", "1234👨‍👩‍👧|")
      #expect(bar.drawn(24, 12, Widths(clusters: clusters)) == expected)
    }
  }

  @Test(
    "Small terminals",
    arguments: [
      // rows, columns, text, picture
      (1, 1, "|", "|"), (1, 1, "ab|", "|b"), (1, 1, "|漢", "|?"), (2, 1, "a|b", "|b"),
      (2, 2, "|", "|"), (2, 2, "ab|", "b|"), (2, 2, "漢|", "?|"), (3, 2, "a\u{1B}|", "[|"),
      (2, 3, "ab|", "ab|"), (2, 3, "漢|", "漢|"), (3, 4, "abc漢|", "漢|"), (3, 5, "ab漢|", "  漢|"),
      (4, 6, "a漢|", "#l… a\n  漢|"),
      // A mark too wide for a row goes on in the next; the caret stands where it begins.
      (9, 6, "|\u{202E}x", "#l… |<\n  U+2\n  02E\n  >x"),
      (9, 6, "a|\u{202E}", "#l… a\n  |<U+\n  202\n  E>"),
      (5, 20, "hello world|", "#lobby> hello world|"),
      (5, 20, "hello world!|", "#lobby> hello world\n        !|"),
    ])
  func smallTerminals(_ rows: Int, _ columns: Int, _ line: String, _ expected: String) {
    var bar = bar("#lobby> ", line)
    #expect(bar.drawn(rows, columns) == expected)
  }

  @Test(
    "1.3: The text grows row by row up to the maximum",
    arguments: [
      // terminal rows, max-input-rows, the limit
      (10, nil, 4), (23, nil, 4), (24, nil, 6), (47, nil, 6), (48, nil, 8), (200, nil, 8),
      (5, nil, 3), (3, nil, 1), (2, nil, 1), (1, nil, 1),
      (24, 0, 22), (24, 3, 3), (24, 99, 22), (1, 0, 1), (2, 9, 1), (24, -1, 22),
    ] as [(Int, Int?, Int)])
  func rowLimit(_ rows: Int, _ most: Int?, _ limit: Int) {
    for lines in 1...30 {
      var bar = bar("> ", (1...lines).map(String.init).joined(separator: "\n"))
      bar.maxInputRows = most
      #expect(bar.inputRowLimit(terminalRows: rows) == limit)
      var cache = LayoutCache()
      let drawn = bar.layout(size: rows, columns: 80, widths: Widths(), cache: &cache)
      #expect(drawn.inputRows == min(lines, limit))
      #expect(drawn.totalInputRows == lines)
    }
  }

  @Test("Beyond the maximum it scrolls inside, as little as the caret needs, and shrinks again")
  func innerScrolling() {
    var bar = bar("> ", "1\n2\n3\n4\n5\n6|")
    bar.maxInputRows = 3
    #expect(bar.drawn(24, 20) == "  4\n  5\n  6|")
    bar.composed.caret = 6
    #expect(bar.drawn(24, 20) == "  |4\n  5\n  6")
    bar.composed.caret = 4
    #expect(bar.drawn(24, 20) == "  |3\n  4\n  5")
    bar.composed.caret = 8
    #expect(bar.drawn(24, 20) == "  3\n  4\n  |5")
    bar.composed.caret = 0
    #expect(bar.drawn(24, 20) == "> |1\n  2\n  3")
    bar.composed = ComposedText("1\n2\n3\n4\n5")
    #expect(bar.drawn(24, 20) == "  3\n  4\n  5|")
    bar.composed = ComposedText("1\n2")
    #expect(bar.drawn(24, 20) == "> 1\n  2|")
    #expect(bar.scroll == 0)
  }

  @Test("The region is reversed, a highlight has its style, and neither shifts a column")
  func styles() {
    var bar = bar("> ", "ab漢字\u{1B}z|")
    bar.composed.region = 2..<9
    bar.highlights = [.init(0..<5, .bold)]
    var cache = LayoutCache()
    let row = bar.layout(size: 24, columns: 20, widths: Widths(), cache: &cache).frame.rows[0]
    let styles = row.cells.dropFirst(2).map(\.style.attributes)
    let both: Style.Attributes = [.bold, .reverse]
    #expect(
      styles == [.bold, .bold, both, both, .reverse, .reverse, .reverse, .reverse, []])
    #expect(row.cells.map(\.columns) == [1, 1, 1, 1, 2, 0, 2, 0, 1, 1, 1])
  }

  @Test("1.8: The placeholder is dim, only while the text is empty, and no part of it")
  func placeholder() {
    var bar = bar("> ", "|")
    bar.placeholder = "Message #lobby"
    #expect(bar.drawn(24, 80) == "> |Message #lobby")
    #expect(bar.drawn(24, 12) == "> |Message …")
    var cache = LayoutCache()
    let row = bar.layout(size: 24, columns: 80, widths: Widths(), cache: &cache).frame.rows[0]
    #expect(row.cells[2].style == .dim)
    bar.composed = ComposedText("x")
    #expect(bar.drawn(24, 80) == "> x|")
  }

  @Test("A layout from a used cache equals one from an empty cache, whatever was typed")
  func cacheChangesNothing() {
    var dice = FixedRandom(seed: 4)
    for size in [(1, 1), (2, 2), (5, 9), (5, 20), (24, 40), (50, 12)] {
      for clusters in [Widths.Clusters.codePoints, .graphemes] {
        var bar = InputBar()
        var cache = LayoutCache()
        for step in 0..<150 {
          let bytes = Array(bar.composed.text.utf8)
          var cuts = (0..<2).map { _ in
            Motion.clampedToGrapheme(
              in: bar.composed.text, offset: Int.random(in: 0...bytes.count, using: &dice))
          }
          cuts.sort()
          if Bool.random(using: &dice) { cuts[1] = cuts[0] }
          let insert = ComposerTests.hardText(&dice, pieces: Int.random(in: 0...6, using: &dice))
          let text = bytes[..<cuts[0]] + Array(insert.utf8) + bytes[cuts[1]...]
          bar.composed = ComposedText(
            String(decoding: text, as: UTF8.self), caret: cuts[0] + insert.utf8.count)
          bar.prompt = StyledLine(step % 40 < 20 ? "> " : "#lobby> ")
          let widths = Widths(clusters: clusters)
          var fresh = LayoutCache()
          var other = bar
          let cached = bar.layout(size: size.0, columns: size.1, widths: widths, cache: &cache)
          let anew = other.layout(size: size.0, columns: size.1, widths: widths, cache: &fresh)
          guard cached == anew else {
            Issue.record(
              """
              \(bar.composed.text.debugDescription) at \(size)
              \(picture(cached.frame))
              \(picture(anew.frame))
              """)
            break
          }
          check(cached, rows: size.0, columns: size.1)
        }
      }
    }
  }

  /// What holds for every layout.
  private func check(_ drawn: BarLayout, rows: Int, columns: Int) {
    let frame = drawn.frame
    #expect(frame.rows.count <= rows && drawn.inputRows >= 1)
    #expect(frame.rows.indices.contains(frame.caretRow))
    #expect(0 <= frame.caretColumn && frame.caretColumn < columns)
    #expect(frame.rows.allSatisfy { $0.columns <= max(1, columns - 1) })
  }
}

@Suite("9.1, 1.2, 2.7: The parts around the text")
struct ZoneTests {
  private func item(_ text: SafeText) -> Item { Item(id: text.string, line: StyledLine(text)) }

  @Test("Pending, input, menu, status, toolbar, in this order")
  func order() {
    var bar = bar("> ", "hi|")
    bar.pending = ["sent before", "two\nlines"]
    bar.menu = [StyledLine("@Anna"), StyledLine("@Ben")]
    bar.zones = [
      .status: [item("Anna is typing"), item("2 waiting")], .toolbar: [item("F1 help")],
      .left: [item("[2 files]")], .right: [item("12/140")],
    ]
    #expect(
      bar.drawn(24, 40) == """
        sent before
        two …
        [2 files] > hi|                   12/140
        @Anna
        @Ben
        Anna is typing  2 waiting
        F1 help
        """)
  }

  @Test(
    "Too few rows: the lowest goes first, then the oldest pending line; the input stays",
    arguments: [
      (7, "p\nq\n> hi|\nm\nn\ns\nt"), (6, "p\nq\n> hi|\nm\nn\ns"), (5, "p\nq\n> hi|\nm\nn"),
      (4, "p\nq\n> hi|\nm"), (3, "p\nq\n> hi|"), (2, "q\n> hi|"), (1, "> hi|"), (0, "> hi|"),
    ])
  func fewRows(_ rows: Int, _ expected: String) {
    var bar = bar("> ", "hi|")
    bar.pending = ["p", "q"]
    bar.menu = [StyledLine("m"), StyledLine("n")]
    bar.zones = [.status: [item("s")], .toolbar: [item("t")]]
    #expect(bar.drawn(rows, 20) == expected)
  }

  @Test(
    "Right items hide when the text needs the columns, and come back",
    arguments: [
      ("|", "> |            right"), ("12345678|", "> 12345678|    right"),
      ("12345678901|", "> 12345678901| right"), ("123456789012|", "> 123456789012|"),
      ("1|2345678901", "> 1|2345678901 right"), ("1\n2|", "> 1\n  2|           right"),
      ("123456789012\n|", "> 123456789012\n  |            right"),
      ("1\n123456789012|", "> 1\n  123456789012|"),
    ])
  func rightItems(_ line: String, _ expected: String) {
    var bar = bar("> ", line)
    bar.zones = [.right: [item("right")]]
    #expect(bar.drawn(24, 20) == expected)
  }

  @Test(
    "1.7: An item that must stay moves to the status row if the text needs its columns",
    arguments: [
      ("1234567|", "> 1234567|  9/8 send\nanna, alone here"),
      ("12345678901|", "> 12345678901|   9/8\nanna, alone here"),
      ("123456789012345|", "> 123456789012345|\nanna, alone h…  9/8"),
      ("1\n2\n3\n4\n5|", "  2\n  3\n  4\n  5|        9/8 send\nanna, alone here"),
    ])
  func keptItems(_ line: String, _ expected: String) {
    var bar = bar("> ", line)
    bar.zones = [
      .right: [Item(id: "counter", line: StyledLine("9/8"), isKept: true), item("send")],
      .status: [item("anna, alone here")],
    ]
    bar.spacing[.right] = 1
    #expect(bar.drawn(20, 20) == expected)
    bar.hidesSideZones = true
    #expect(bar.drawn(20, 20).hasSuffix("anna, alone h…  9/8"))
    bar.zoneWidths[.right] = 0
    #expect(!bar.drawn(20, 20).contains("9/8"))
  }

  @Test("The placeholder leaves the right items their columns")
  func placeholderAndRight() {
    var bar = bar("> ", "|")
    bar.placeholder = "Message #lobby"
    bar.zones = [.right: [item("right")]]
    #expect(bar.drawn(24, 20) == "> |Message #l… right")
  }

  @Test("3.2: Edit mode hides left and right items")
  func sideZonesHidden() {
    var bar = bar("edit 42> ", "hi|")
    bar.zones = [.left: [item("L")], .right: [item("R")], .status: [item("S")]]
    bar.hidesSideZones = true
    #expect(bar.drawn(24, 20) == "edit 42> hi|\nS")
  }

  @Test("Left items go when the prompt needs the columns")
  func leftItemsHide() {
    var bar = bar("#lobby> ", "hi|")
    bar.zones = [.left: [item("[2 files]")]]
    #expect(bar.drawn(24, 40) == "[2 files] #lobby> hi|")
    #expect(bar.drawn(24, 20) == "#lobby> hi|")
  }

  @Test(
    "Spacing, widths and spaces",
    arguments: [
      (["a", "b"], "a  b"), (["a", "", "b"], "a  b"), (["a", "_3", "b"], "a   b"),
      (["a", "_0", "b"], "ab"), (["a", "~", "b"], "a                 b"),
      (["~", "a"], "                  a"), (["~", "a", "~"], "         a         "),
      (["a", "~", "b", "~", "c"], "a        b        c"), (["=5", "b"], "xyz    b"),
      (["=2", "b"], "x…  b"), (["a", "!", "b"], "a  !b"), (["_4"], "    "), (["~"], ""), ([], ""),
      (["", ""], ""), (["aaaaaaaaaaaa", "~", "bbbbbbbbbbbb"], "aaaaaaaaaaaa  bbbb…"),
    ])
  func spaced(_ items: [SafeText], _ expected: String) {
    var bar = bar("> ", "|")
    bar.zones[.status] = items.map { text in
      let rest = Int(text.string.dropFirst()) ?? 0
      return switch text.string.first {
      case "_": .fixedSpace(rest)
      case "~": .flexibleSpace
      case "=": Item(id: "fixed", line: StyledLine("xyz"), width: .fixed(rest))
      case "!": Item(id: "close", line: StyledLine("!"), spacing: .none)
      default: Item(id: "item", line: StyledLine(text))
      }
    }
    var cache = LayoutCache()
    let rows = bar.layout(size: 24, columns: 20, widths: Widths(), cache: &cache).frame.rows
    #expect(rows.dropFirst().map { $0.string } == (expected.isEmpty ? [] : [expected]))
  }

  @Test("9.1: Left and right stand close by default, below 2 columns apart")
  func defaultSpacing() {
    let bar = InputBar()
    #expect(Zone.allCases.map { bar.itemSpacing(of: $0) } == [0, 0, 2, 2, 2])
    var wide = bar
    wide.spacing[.left] = 1
    #expect(wide.itemSpacing(of: .left) == 1)
  }

  @Test("Disabled is dim, selected reverse")
  func itemStyles() {
    var bar = bar("> ", "|")
    bar.zones[.status] = [
      Item(id: "a", line: StyledLine("a"), isEnabled: false),
      Item(id: "b", line: StyledLine("b"), isSelected: true),
    ]
    var cache = LayoutCache()
    let row = bar.layout(size: 24, columns: 20, widths: Widths(), cache: &cache).frame.rows[1]
    #expect(row.cells[0].style == .dim)
    #expect(row.cells[3].style == .reverse)
  }

  @Test("Big and small: no row too many, no column too far, the caret inside")
  func anySize() {
    for rows in [1, 2, 3, 5, 24, 200] {
      for columns in [1, 2, 3, 4, 7, 20, 500] {
        var bar = bar("#漢字> ", "one 漢字 👨‍👩‍👧 \u{1B}\ttwo\nthree|")
        bar.pending = ["漢字漢字", "p", "q"]
        bar.menu = [StyledLine("漢字漢字"), StyledLine("m")]
        bar.placeholder = "漢字"
        bar.zones = [
          .left: [item("漢")], .right: [item("漢")],
          .status: [item("漢字"), .flexibleSpace, item("s")],
          .toolbar: [item("t")],
        ]
        var cache = LayoutCache()
        let drawn = bar.layout(size: rows, columns: columns, widths: Widths(), cache: &cache)
        #expect(drawn.frame.rows.count <= rows)
        #expect(drawn.frame.rows.allSatisfy { $0.columns <= max(1, columns - 1) })
        #expect(drawn.frame.caretColumn < columns)
        #expect(drawn.frame.rows.indices.contains(drawn.frame.caretRow))
      }
    }
  }
}
