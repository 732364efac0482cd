// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import StyledText
import Terminal
import Testing

private let widths = Widths()

private func frame(_ rows: [String], row: Int = 0, column: Int? = nil) -> Frame {
  let rows = rows.map { CellRow(StyledLine(SafeText(line: $0)), widths: widths) }
  return Frame(rows: rows, caretRow: row, caretColumn: column ?? rows[row].columns)
}

private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

@Suite("what the painter writes")
struct PainterTests {
  /// A painter and the terminal it writes to.
  private struct Screen {
    var painter: Painter
    let emulator: Emulator

    init(
      rows: Int = 6, columns: Int = 20,
      capabilities: Painter.TerminalCapabilities = Painter.TerminalCapabilities(rewraps: false)
    ) {
      painter = Painter(
        size: Size(rows: rows, columns: columns), widths: widths, capabilities: capabilities)
      emulator = Emulator(rows: rows, columns: columns)
    }

    @discardableResult
    mutating func paint(_ frame: Frame, above: [StyledLine] = []) -> String {
      let bytes = painter.paint(frame, above: above)
      emulator.feed(bytes)
      return text(bytes)
    }

    @discardableResult
    mutating func paint(_ frame: Frame, above lines: [String]) -> String {
      paint(frame, above: lines.map { StyledLine(SafeText(body: $0)) })
    }

    mutating func change(_ change: (inout Painter) -> [UInt8]) {
      emulator.feed(change(&painter))
    }
  }

  @Test("a plain key at the end of the line costs its own bytes, whatever is below")
  func plainKey() {
    var screen = Screen()
    screen.paint(frame(["> hell", "status", "toolbar"]))
    #expect(screen.paint(frame(["> hello", "status", "toolbar"])) == "o")
    #expect(screen.paint(frame(["> hello ", "status", "toolbar"])) == " ")
    #expect(screen.paint(frame(["> hello 漢", "status", "toolbar"])) == "漢")
    #expect(screen.paint(frame(["> hello 漢", "status", "toolbar"])) == "")
    #expect(screen.emulator.picture == "> hello 漢|\nstatus\ntoolbar")
  }

  @Test("a Backspace at the end costs one step and one erasure")
  func backspace() {
    var screen = Screen()
    screen.paint(frame(["> hello", "status"]))
    #expect(screen.paint(frame(["> hell", "status"])) == "\u{8}\u{1B}[K")
    // The screen is blank behind a typed blank; nothing is left to erase.
    screen.paint(frame(["> hell ", "status"]))
    #expect(screen.paint(frame(["> hell", "status"])) == "\u{8}")
    #expect(screen.emulator.picture == "> hell|\nstatus")
  }

  @Test("an accent joins the letter it is typed on")
  func accent() {
    var screen = Screen()
    screen.paint(frame(["> e"]))
    #expect(screen.paint(frame(["> e\u{301}"])) == "\u{8}e\u{301}")
    #expect(screen.emulator.picture == "> e\u{301}|")
  }

  @Test("two places in a row change without writing what is between them")
  func twoPlaces() {
    var screen = Screen(columns: 40)
    screen.paint(frame(["> ab          right 1"], column: 4))
    #expect(screen.paint(frame(["> abc         right 2"], column: 5)) == "c\u{1B}[15C2\r\u{1B}[5C")
    #expect(screen.emulator.picture == "> abc|         right 2")
  }

  @Test("the caret moves alone, and only relatively")
  func caret() {
    var screen = Screen()
    screen.paint(frame(["> hello", "more"], row: 1, column: 4))
    #expect(screen.paint(frame(["> hello", "more"], row: 0, column: 4)) == "\u{1B}[A")
    #expect(screen.paint(frame(["> hello", "more"], row: 0, column: 3)) == "\u{8}")
    #expect(screen.paint(frame(["> hello", "more"], row: 0, column: 0)) == "\r")
    #expect(screen.emulator.picture == "|> hello\nmore")
  }

  @Test("a message goes above the block, whose rows are drawn again below it")
  func messageAbove() {
    var screen = Screen()
    screen.paint(frame(["> typing", "status"]))
    screen.paint(frame(["> typing", "status"]), above: ["one", "two"])
    #expect(screen.emulator.picture == "one\ntwo\n> typing|\nstatus")
    for number in 3...6 {
      screen.paint(frame(["> typing", "status"]), above: ["\(number)"])
    }
    #expect(screen.emulator.picture == "3\n4\n5\n6\n> typing|\nstatus")
    #expect(screen.emulator.scrollback == ["one", "two"])
  }

  @Test("a line exactly as wide as the screen keeps its last character and adds no empty row")
  func exactWidth() {
    var screen = Screen()
    screen.paint(frame(["> a", "status"]))
    let line = StyledLine(SafeText(line: String(repeating: "m", count: 19) + "!"))
    screen.paint(frame(["> a", "status"]), above: [line, StyledLine("next")])
    #expect(screen.emulator.picture == String(repeating: "m", count: 19) + "!\nnext\n> a|\nstatus")
  }

  @Test("a long line is left to the terminal to wrap, and leaves nothing of the block beneath it")
  func longLine() {
    var screen = Screen()
    screen.paint(frame(["> aaaaaaaaaaaaaa", "sssssssssssssssss", "ttttttttttttttttt"]))
    let long = String(repeating: "x", count: 22)
    let bytes = screen.paint(frame(["> a"]), above: [long])
    #expect(bytes.contains(long))
    #expect(screen.emulator.picture == String(repeating: "x", count: 20) + "\nxx\n> a|")
  }

  @Test(
    "1.14: a message leaves nothing of the block, whatever the terminal's width is now",
    arguments: [(20, 20), (30, 20), (60, 20), (21, 20), (12, 20), (12, 40)],
    [1, 19, 20, 21, 25, 39, 40, 41, 60])
  func unknownWidth(columns: (believed: Int, real: Int), length: Int) {
    var screen = Screen(rows: 12, columns: columns.real)
    screen.painter = Painter(
      size: Size(rows: 12, columns: columns.believed), widths: widths,
      capabilities: Painter.TerminalCapabilities(rewraps: false))
    let block = frame(["> typing", "ssssssssss", "tttttttttt", "uuuuuuuuuu"])
    screen.paint(block)
    let message = String(repeating: "m", count: length - 1) + "!"
    screen.paint(block, above: [message, "next"])
    var rest = message[...]
    var expected = ""
    while !rest.isEmpty {
      expected += rest.prefix(columns.real) + "\n"
      rest = rest.dropFirst(columns.real)
    }
    #expect(
      screen.emulator.picture
        == expected + "next\n> typing|\nssssssssss\ntttttttttt\nuuuuuuuuuu")
    #expect(screen.emulator.scrollback.isEmpty)
  }

  @Test("a tab in a message is drawn as blanks")
  func tab() {
    var screen = Screen()
    screen.paint(frame(["> aaaaaaaaaaaaaa"]))
    let bytes = screen.paint(frame([">"]), above: ["a\tb"])
    #expect(screen.emulator.picture == "a       b\n>|")
    // A terminal's own tab would jump over what stood there.
    #expect(!bytes.contains("\t"))
    screen.paint(frame([">"]), above: ["\u{B1}\u{B1}\tc"])
    #expect(screen.emulator.picture == "a       b\n\u{B1}\u{B1}      c\n>|")
  }

  @Test("the block shrinks without leaving rows, and grows at the bottom of the screen")
  func height() {
    var screen = Screen(rows: 4)
    screen.paint(frame(["> a"]), above: ["1", "2", "3"])
    screen.paint(frame(["> a", "menu 1", "menu 2", "status"]))
    #expect(screen.emulator.scrollback == ["1", "2", "3"])
    screen.paint(frame(["> a", "status"]))
    #expect(screen.emulator.picture == "> a|\nstatus")
    screen.paint(frame(["> a", "status"]), above: ["4"])
    #expect(screen.emulator.picture == "4\n> a|\nstatus")
  }

  @Test(
    "nothing is ever erased from the top left, which tmux saves as a cleared screen")
  func noEraseFromHome() {
    let frames = [frame([""]), frame(["", "a"]), frame(["> a", "b", "c"]), frame([""])]
    for one in frames {
      for other in frames {
        var screen = Screen()
        var bytes = screen.paint(one) + screen.paint(other)
        bytes += text(screen.painter.leave(keepingLine: false))
        #expect(rowsOfErasures(in: bytes).allSatisfy { $0 > 0 }, "\(bytes.debugDescription)")
      }
    }
    #expect(rowsOfErasures(in: "a\r\n\u{1B}[J\u{1B}[A\u{1B}[J") == [1, 0])
  }

  /// In which row of the screen each erasure of what is below begins.
  private func rowsOfErasures(in bytes: String) -> [Int] {
    var row = 0
    var rows: [Int] = []
    for part in bytes.split(separator: "\u{1B}[", omittingEmptySubsequences: false) {
      let count = Int(part.prefix(while: \.isNumber)) ?? 1
      switch part.drop(while: \.isNumber).first {
      case "A": row -= count
      case "B": row += count
      case "J": rows.append(row)
      default: break
      }
      row += part.utf8.count { $0 == 0x0A }
    }
    return rows
  }

  @Test("styles cost what changes, and end with the paint")
  func styles() {
    var screen = Screen()
    var row = CellRow()
    row.append("a", style: .bold, widths: widths)
    row.append("b", style: Style(.bold, foreground: .red), widths: widths)
    row.append("c", style: Style(foreground: .brightBlack), widths: widths)
    row.append("d", style: Style(.dim, background: Color(index: 200)), widths: widths)
    let bytes = screen.paint(Frame(rows: [row], caretColumn: 4))
    #expect(
      bytes == "\r\u{1B}[K\u{1B}[1ma\u{1B}[31mb\u{1B}[0;90mc\u{1B}[2;39;48;5;200md\u{1B}[m")
    #expect(screen.emulator.style(row: 0, column: 1).foreground == 1)
    #expect(screen.emulator.style(row: 0, column: 1).isBold)
    #expect(!screen.emulator.style(row: 0, column: 2).isBold)
    #expect(screen.emulator.style(row: 0, column: 3).background == 200)
    #expect(screen.emulator.style(row: 0, column: 4).background == nil)
  }

  @Test("11.5: with NO_COLOR there are attributes and no colours, above the block too")
  func noColor() {
    var screen = Screen(capabilities: Painter.TerminalCapabilities(colors: false))
    let line = StyledLine("a", Style(.bold, foreground: .red, background: .blue))
    let bytes = screen.paint(Frame(rows: [CellRow(line, widths: widths)]), above: [line])
    #expect(bytes.contains("\u{1B}[1m"))
    #expect(!bytes.contains("31") && !bytes.contains("44"))
  }

  @Test("12.2: a cell with an escape sequence in it is not written")
  func unsafeCell() {
    var screen = Screen()
    let cells = [Cell("\u{1B}"), Cell("\u{9B}", columns: 2), Cell(" ", columns: 0), Cell("\r\n")]
    let bytes = screen.paint(Frame(rows: [CellRow(cells: cells)], caretColumn: 4))
    #expect(bytes == "\r\u{1B}[K????")
  }

  @Test("of a frame taller than the screen the rows around the caret are drawn")
  func tooTall() {
    var screen = Screen(rows: 3)
    let tall = ["0", "1", "2", "3", "4", "5"]
    screen.paint(frame(tall, row: 4, column: 0), above: ["m"])
    #expect(screen.emulator.picture == "2\n3\n|4")
    screen.paint(frame(tall, row: 0, column: 0))
    #expect(screen.emulator.picture == "|0\n1\n2")
    #expect(screen.emulator.scrollback == ["m"])
  }

  @Test("an emoji that terminals draw in different widths leaves the rest in its own column")
  func disputedWidth() {
    // libvterm draws the family in six columns; the painter believes in two.
    let joined = Widths(clusters: .joinedAsOne)
    var painter = Painter(
      size: Size(rows: 2, columns: 20), widths: joined, capabilities: Painter.TerminalCapabilities()
    )
    let emulator = Emulator(rows: 2, columns: 20)
    let row = CellRow(StyledLine(SafeText(line: "a👩‍👩‍👧bcdefghi")), widths: joined)
    emulator.feed(painter.paint(Frame(rows: [row], caretColumn: row.columns)))
    #expect(emulator.screen[0].hasSuffix("bcdefghi"))
    #expect(emulator.cursor.column == 11)
    #expect(emulator.character(row: 0, column: 3) == "b")
  }

  @Test("leaving keeps the line or removes the block, and the cursor is on a fresh row")
  func leaving() {
    for (kept, picture) in [(true, "m\n> a\n|"), (false, "m\n|")] {
      var screen = Screen()
      screen.paint(frame(["> a", "status", "toolbar"]), above: ["m"])
      screen.emulator.feed(screen.painter.leave(keepingLine: kept))
      #expect(screen.emulator.picture == picture)
      #expect(screen.painter.leave(keepingLine: true).isEmpty)
      screen.emulator.feed("done\r\n")
      screen.paint(frame(["> b"]))
      #expect(screen.emulator.picture == picture.dropLast() + "done\n> b|")
    }
    var screen = Screen(rows: 2)
    screen.paint(frame(["> a", "b"]))
    screen.emulator.feed(screen.painter.leave(keepingRows: 2))
    #expect(screen.emulator.picture == "b\n|")
    #expect(screen.emulator.scrollback == ["> a"])
  }

  @Test("1.6: a clear screen has the block at its top")
  func clearing() {
    var screen = Screen()
    screen.paint(frame(["> a", "status"]), above: ["1", "2"])
    screen.emulator.feed(screen.painter.clearScreen())
    screen.paint(frame(["> a", "status"]))
    #expect(screen.emulator.picture == "> a|\nstatus")
  }

  @Test("after other output, the block begins in the cursor's row")
  func forgetting() {
    var screen = Screen()
    screen.paint(frame(["> a"]))
    screen.painter.forget()
    screen.emulator.feed("\r\nother\r\n")
    screen.paint(frame(["> b"]))
    #expect(screen.emulator.picture == "> a\nother\n> b|")
  }

  @Test("a resize of a terminal that cuts rows off leaves one block")
  func resizing() {
    var screen = Screen(rows: 8)
    screen.paint(frame(["> aaaaaaaaaaaaaaaa", "sssssssssssssssss"], row: 1), above: ["m"])
    for size in [
      Size(rows: 8, columns: 10), Size(rows: 8, columns: 30), Size(rows: 6, columns: 12),
    ] {
      screen.emulator.resize(rows: size.rows, columns: size.columns)
      screen.emulator.feed(screen.painter.resize(to: size))
      #expect(screen.painter.size == size)
      #expect(screen.painter.resize(to: size).isEmpty)
      screen.paint(frame(["> a", "s"], row: 1))
      #expect(screen.emulator.picture == "m\n> a\ns|")
    }
  }

  @Test("no size is too small", arguments: [(1, 1), (1, 2), (2, 1), (0, 0), (2, 2)])
  func tiny(rows: Int, columns: Int) {
    var screen = Screen(rows: max(1, rows), columns: max(1, columns))
    screen.change { $0.resize(to: Size(rows: rows, columns: columns)) }
    screen.paint(frame(["> 漢a", "b", "c"], row: 2))
    screen.paint(Frame(), above: ["漢ab"])
    screen.paint(Frame(rows: [CellRow()], caretRow: 9, caretColumn: -3))
    screen.change { $0.leave(keepingLine: true) }
    #expect(screen.emulator.cursor.column == 0)
  }

  @Test(
    "the environment says what the terminal can do",
    arguments: [
      (["TERM": "xterm-256color"], true, true, false),
      (["TERM": "xterm-256color", "NO_COLOR": "1"], false, true, false),
      (["TERM": "xterm-256color", "NO_COLOR": ""], true, true, false),
      (["TERM": "xterm-256color", "XTERM_VERSION": "XTerm(379)"], true, false, false),
      (["TERM": "screen-256color", "TMUX": "/tmp/x"], true, true, true),
      (["TERM": "screen-256color"], true, false, false), (["TERM": "linux"], true, false, false),
      (["TERM": "tmux-256color", "XTERM_VERSION": "XTerm(379)"], true, true, true),
      (["TERM": "vte-256color"], true, true, false), ([:], true, true, false),
    ])
  func environment(variables: [String: String], colors: Bool, rewraps: Bool, showsEnd: Bool) {
    let capabilities = Painter.TerminalCapabilities(environment: { variables[$0] })
    #expect(
      capabilities.colors == colors && capabilities.rewraps == rewraps
        && capabilities.showsEnd == showsEnd)
    #expect(!capabilities.links && capabilities.ignoresStrings == (variables["TERM"] != "linux"))
  }

  @Test(
    "a terminal without colours gets none",
    arguments: [
      ("vt100", false), ("vt220", false), ("xterm-vt220", false), ("linux-m", false),
      ("xterm-mono", false), ("vte-256color", true), ("xterm", true), ("screen", true),
    ])
  func withoutColours(terminal: String, has: Bool) {
    let capabilities = Painter.TerminalCapabilities(environment: {
      ["TERM": terminal, "COLORTERM": "truecolor"][$0]
    })
    #expect(capabilities.colors == has)
  }

  @Test(
    "the environment says how many colours there are, and perhaps the background",
    arguments: [
      (["TERM": "xterm"], Palette.Depth.sixteen), (["TERM": "linux"], .sixteen),
      (["TERM": "screen"], .sixteen), (["TERM": "xterm-256color"], .many),
      (["TERM": "foot"], .many), (["TERM": "alacritty"], .many), (["TERM": "xterm-kitty"], .many),
      (["TERM": "xterm", "COLORTERM": "1"], .many),
      (["TERM": "xterm", "COLORTERM": "truecolor"], .all), (["TERM": "xterm-direct"], .all),
    ])
  func colours(variables: [String: String], depth: Palette.Depth) {
    let capabilities = Painter.TerminalCapabilities(environment: { variables[$0] })
    #expect(capabilities.palette == Palette(depth: depth))
  }

  @Test(
    "COLORFGBG is a hint",
    arguments: [
      ("0;15", true), ("15;0", false), ("0;default;15", true), ("12;8", false), ("0;7", true),
      ("default;default", nil), ("", nil), ("1;99", nil),
    ] as [(String, Bool?)])
  func hint(value: String, isLight: Bool?) {
    let capabilities = Painter.TerminalCapabilities(environment: { $0 == "COLORFGBG" ? value : nil }
    )
    #expect(capabilities.palette.isLight == isLight)
  }

  @Test(
    "a terminal's answer tells whether its background is light",
    arguments: [
      ("rgb:0000/0000/0000", false), ("rgb:ffff/ffff/ffff", true), ("rgb:fd/f6/e3", true),
      ("rgb:00/2b/36", false), ("rgba:1/1/1/f", false), ("rgba:ffff/ffff/ffff/8000", true),
      ("rgb:8/8/8", true), ("rgb:fffff/0/0", nil), ("rgb:1/2", nil), ("#ffffff", nil), ("", nil),
      ("rgb:f/f/f/f", nil), ("rgb:+f/f/f", nil), ("rgb:gg/00/00", nil),
    ] as [(String, Bool?)])
  func answer(text: String, isLight: Bool?) {
    for end in ["\u{07}", "\u{1B}\\"] {
      var decoder = KeyDecoder()
      let events = decoder.decode(Array("\u{1B}]11;\(text)\(end)".utf8))
      #expect(events.count == 1 && events.allSatisfy { BackgroundReport.isReport($0) })
      #expect(events.map { BackgroundReport.isLight($0) } == [isLight])
    }
    #expect(!BackgroundReport.isReport(.key(Array("]11;\(text)".utf8))))
    #expect(!BackgroundReport.isReport(.reply(Array("\u{1B}]10;\(text)\u{07}".utf8))))
  }
}
