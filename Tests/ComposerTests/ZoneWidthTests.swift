// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import StyledText
import Testing

@Suite("9.1: The widths of zones")
struct ZoneWidthTests {
  private func item(_ text: SafeText) -> Item { Item(id: text.string, line: StyledLine(text)) }

  private func zoned(_ line: String = "|") -> InputBar {
    var bar = bar("> ", line)
    bar.zones = [
      .left: [item("L")], .right: [item("R")], .status: [item("S"), item("s")],
      .toolbar: [item("T")],
    ]
    return bar
  }

  @Test(
    "A zone of width 0 draws nothing, and takes no row and no column", arguments: [0, -1, .min])
  func hidden(_ width: Int) {
    let expected: [(Zone, String)] = [
      (.left, "> |                 R\nS  s\nT"), (.right, "L > |\nS  s\nT"),
      (.status, "L > |               R\nT"), (.toolbar, "L > |               R\nS  s"),
    ]
    for (zone, picture) in expected {
      var bar = zoned()
      bar.zoneWidths[zone] = width
      #expect(bar.drawn(24, 21) == picture)
    }
  }

  @Test(
    "A set width is kept, whatever the zone contains",
    arguments: [
      (.left, 3, "L   > |             R"), (.left, 1, "L > |               R"),
      (.right, 3, "L > |             R"), (.right, 1, "L > |               R"),
      (.left, 16, "> |                 R"), (.right, 16, "L > |"),
      (.left, .max, "> |                 R"),
    ] as [(Zone, Int, String)])
  func fixed(_ zone: Zone, _ width: Int, _ picture: String) {
    var bar = zoned()
    bar.zones[.status] = nil
    bar.zones[.toolbar] = nil
    bar.zoneWidths[zone] = width
    #expect(bar.drawn(24, 21) == picture)
  }

  @Test("What is too long for its zone is cut, wide characters whole")
  func cut() {
    var bar = zoned()
    bar.zones = [
      .left: [item("left")], .right: [item("漢字漢")], .status: [item("status")],
      .toolbar: [item("bar")],
    ]
    bar.zoneWidths = [.left: 3, .right: 4, .status: 4, .toolbar: 99]
    #expect(bar.drawn(24, 21) == "le… > |          漢…\nsta…\nbar")
    var cache = LayoutCache()
    let row = bar.layout(size: 24, columns: 21, widths: Widths(), cache: &cache).frame.rows[0]
    #expect(row.columns == 20)
  }

  @Test("Flexible spaces share what a zone of set width has left")
  func flexible() {
    var bar = zoned()
    bar.zones = [
      .left: [.flexibleSpace, item("L")], .right: [.flexibleSpace, item("R"), .flexibleSpace],
      .status: [item("S"), .flexibleSpace, item("s")],
    ]
    bar.zoneWidths = [.left: 4, .right: 5, .status: 9]
    #expect(bar.drawn(24, 21) == "   L > |          R\nS       s")
  }

  @Test("An empty left zone keeps its columns; no other empty zone does")
  func empty() {
    var bar = bar("> ", "|")
    bar.placeholder = "Message #lobby"
    bar.zoneWidths = [.left: 3, .right: 9, .status: 5, .toolbar: 5]
    #expect(bar.drawn(24, 21) == "    > |Message #lobby")
    bar.hidesSideZones = true
    #expect(bar.drawn(24, 21) == "> |Message #lobby")
  }

  @Test(
    "9.1: When the text needs the columns, the right items go, and the left ones stay",
    arguments: [
      ("|", "L > |               R"), ("12345678901234|", "L > 12345678901234| R"),
      ("123456789012345|", "L > 123456789012345|"), ("1234567890123456|", "L > 1234567890123456|"),
      ("12345678901234567|", "L > 1234567890123456\n    7|              R"),
    ])
  func rightGoesFirst(_ line: String, _ picture: String) {
    var bar = zoned(line)
    bar.zones[.status] = nil
    bar.zones[.toolbar] = nil
    #expect(bar.drawn(24, 21) == picture)
  }

  @Test("A right zone of set width hides as a whole")
  func fixedRightHides() {
    var bar = bar("> ", "1234567890|")
    bar.zones[.right] = [item("R")]
    bar.zoneWidths[.right] = 7
    #expect(bar.drawn(24, 21) == "> 1234567890| R")
    bar.composed = ComposedText("12345678901")
    #expect(bar.drawn(24, 21) == "> 12345678901|")
  }

  @Test("Fixed and flexible spaces stand between items as requested")
  func spaces() {
    var bar = bar("> ", "|")
    bar.zones = [
      .left: [item("a"), .fixedSpace(2), item("b")],
      .right: [item("c"), .fixedSpace(1), item("d"), .fixedSpace(2)],
      .status: [item("e"), .fixedSpace(4), item("f"), .flexibleSpace, item("g"), .fixedSpace(1)],
    ]
    #expect(bar.drawn(24, 21) == "a  b > |        c d\ne    f            g")
  }

  @Test("Absurd numbers neither stop the program nor draw beyond the screen")
  func absurd() {
    for number in [Int.max, .max - 1, .min, 65_536] {
      var bar = zoned("hi|")
      for zone in Zone.allCases {
        bar.zones[zone] = [
          Item(id: "a", line: StyledLine("a"), width: .fixed(number), spacing: .fixed(number)),
          .fixedSpace(number), .fixedSpace(number), item("b"), .flexibleSpace, item("c"),
        ]
        bar.spacing[zone] = number
        bar.zoneWidths[zone] = zone == .status ? nil : number
      }
      var cache = LayoutCache()
      let drawn = bar.layout(size: 24, columns: 21, widths: Widths(), cache: &cache)
      #expect(drawn.frame.rows.allSatisfy { $0.columns <= 20 })
      for size in [(Int.min, Int.min), (0, 0), (-1, 5)] {
        let drawn = bar.layout(size: size.0, columns: size.1, widths: Widths(), cache: &cache)
        #expect(drawn.frame.rows.count == 1)
      }
    }
  }

  @Test("An item drawn wider than it was measured is cut to the screen")
  func slippedIn() {
    var bar = bar("\u{301}\n> ", "hi|")
    bar.pending = ["\u{301}23456789abc"]
    bar.menu = [StyledLine("\n234567890"), StyledLine("\u{301}234567漢")]
    bar.zones[.status] = [Item(id: "s", line: StyledLine("\u{301}2\n45678901"))]
    #expect(
      bar.drawn(24, 10)
        == " \u{301}23456789\n \u{301} > hi|\n 23456789\n \u{301}234567漢\n \u{301}2 456789")
    bar = InputBar()
    bar.placeholder = "\u{301}23456789abc"
    #expect(bar.drawn(24, 10) == "| \u{301}23456789")
  }
}
