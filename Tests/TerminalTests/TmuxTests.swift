// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Repeatable
import StyledText
import Terminal
import Testing

/// A line editor of a kind: wrapped input, a menu, a status row as wide as the screen, a toolbar.
private struct Editor {
  var painter: Painter
  var size: Size
  var text = "hello"
  var caret = 5
  var menuRows = 0
  var hasToolbar = true
  /// The status row is as wide as the screen.
  var hasLongRows = true
  /// Whether the terminal is asked where the cursor is.
  var asks = true
  /// Messages printed so far.
  var printed = 0
  let tmux: TmuxPane
  private let widths = Widths(clusters: .joinedAsOne)

  init(rows: Int, columns: Int) throws {
    size = Size(rows: rows, columns: columns)
    painter = Painter(
      size: size, widths: widths, capabilities: Painter.TerminalCapabilities(showsEnd: true))
    tmux = try TmuxPane(rows: rows, columns: columns)
  }

  mutating func paint(messagesOfLengths lengths: [Int] = []) {
    let above = lengths.map { length in
      printed += 1
      let filling = String(repeating: "é", count: length)
      return StyledLine(SafeText(line: "m\(printed) \(filling)."), .dim)
    }
    tmux.feed(painter.paint(frame, above: above))
  }

  /// The terminal says where the block is, if it is asked.
  mutating func learnPlace() {
    guard !painter.questionForPlace().isEmpty else { return }
    painter.learnPlace(from: CursorPosition(row: tmux.cursor.row, column: tmux.cursor.column))
  }

  mutating func resize(rows: Int, columns: Int) {
    size = Size(rows: rows, columns: columns)
    tmux.resize(rows: rows, columns: columns)
    let cursor = asks ? tmux.cursor : nil
    let place = cursor.map { CursorPosition(row: $0.row, column: $0.column) }
    tmux.feed(painter.resize(to: size, cursor: place) + painter.paint(frame))
  }

  /// In which row of the screen the prompt is.
  var promptRow: Int? { tmux.screen.firstIndex { $0.hasPrefix("PROMPT>") } }

  var frame: Frame {
    let columns = size.columns - 1
    var rows: [CellRow] = []
    var caretPlace = (row: 0, column: 0)
    var row = CellRow(StyledLine("PROMPT> ", .bold), widths: widths)
    for (index, character) in (text + " ").enumerated() {
      if row.columns + widths.columns(of: character) > columns {
        rows.append(row)
        row = CellRow()
      }
      if index == caret { caretPlace = (rows.count, row.columns) }
      row.append(character, widths: widths)
    }
    rows.append(row)
    let status = "STATUS " + String(repeating: "s", count: hasLongRows ? columns : 0)
    let below =
      (0..<menuRows).map { "MENU \($0)" } + [String(status.prefix(columns))]
      + (hasToolbar ? ["TOOLBAR"] : [])
    rows += below.map { CellRow(StyledLine(SafeText(line: $0), .reverse), widths: widths) }
    return Frame(
      rows: Array(rows.prefix(size.rows)), caretRow: caretPlace.row,
      caretColumn: caretPlace.column)
  }

  private func numbers(in history: [String]) -> [Int] {
    history.compactMap { line in
      line.first == "m" && line.last == "." ? Int(line.dropFirst().prefix(while: \.isNumber)) : nil
    }
  }

  var hasAllMessages: Bool { numbers(in: tmux.history) == Array(1..<(printed + 1)) }

  /// What is wrong with scrollback and screen.
  var faults: [String] {
    let history = tmux.history
    let shown = frame.rows.map(\.string).joined()
    var faults: [String] = []
    let numbers = numbers(in: history)
    if numbers != Array(1..<(printed + 1)) { faults.append("messages \(numbers) of \(printed)") }
    for word in ["PROMPT>", "MENU 0", "MENU 3", "STATUS", "TOOLBAR"] {
      let count = history.count { $0.contains(word) }
      if count != (shown.contains(word) ? 1 : 0) { faults.append("\(count) times \(word)") }
    }
    return faults.isEmpty ? [] : faults + history.suffix(size.rows)
  }
}

@Suite("in a real tmux", .enabled(if: TmuxPane.isInstalled), .serialized)
struct TmuxTests {
  @Test(
    "1.14: through resizes, messages and menus: every message once, one block, nothing stale",
    arguments: 1...8)
  func resizes(seed: UInt64) throws {
    var random = FixedRandom(seed: seed)
    var editor = try Editor(rows: 24, columns: 80)
    editor.asks = seed > 3
    editor.paint(messagesOfLengths: Array(repeating: 10, count: 12))
    for step in 0..<30 {
      switch random.below(6) {
      case 0, 1:
        // Some are wider than any screen here.
        let most = random.below(3) == 0 ? 250 : 30
        editor.paint(messagesOfLengths: (0...random.below(5)).map { _ in random.below(most) })
      case 2:
        editor.text = String(repeating: "word ", count: random.below(20))
        editor.caret = random.below(editor.text.count + 1)
        editor.paint()
      case 3:
        editor.menuRows = random.below(5)
        editor.paint()
      default:
        editor.resize(rows: 12 + random.below(30), columns: 40 + random.below(80))
      }
      let faults = editor.faults
      #expect(faults.isEmpty, "step \(step)")
      if !faults.isEmpty { return }
    }
  }

  @Test(
    "1.14: a drawing for a width that the window no longer has costs no message",
    arguments: 1...12)
  func drawnForAnotherWidth(seed: UInt64) throws {
    var random = FixedRandom(seed: seed)
    for round in 0..<12 {
      var editor = try Editor(rows: 24, columns: 80)
      editor.hasLongRows = false
      editor.hasToolbar = random.below(2) == 0
      editor.paint(messagesOfLengths: Array(repeating: 10, count: 12 + random.below(20)))
      var story: [String] = []
      for _ in 0..<(2 + random.below(5)) {
        switch random.below(3) {
        case 0:
          let columns = [20, 33, 40, 60, 80, 100][random.below(6)]
          story.append("\(columns) columns")
          editor.tmux.resize(rows: 24, columns: columns)
        case 1:
          let count = random.below(30)
          story.append("echo \(count)")
          for _ in 0..<count {
            let bytes = editor.painter.echo(0x78)
            if bytes.isEmpty { break }
            editor.tmux.feed(bytes)
            editor.text += "x"
          }
          editor.caret = editor.text.count
        default:
          let count = random.below(100)
          story.append("paint \(count)")
          editor.text += String(repeating: "y", count: count)
          editor.caret = editor.text.count
          editor.paint()
        }
      }
      editor.paint()
      editor.resize(rows: 24, columns: 80)
      editor.paint(messagesOfLengths: [10])
      let holdsAll = editor.hasAllMessages
      #expect(holdsAll, "round \(round): \(story)\n\(editor.faults.joined(separator: "\n"))")
    }
  }

  @Test(
    "1.14: through a screen too small for the block and back, nothing stale is on it",
    arguments: [
      [(20, 5), (500, 200), (1, 1), (80, 24)], [(20, 5), (3, 2), (80, 24)], [(1, 1), (80, 24)],
      [(10, 3), (4, 3), (2, 2), (1, 1), (2, 2), (40, 10), (80, 24)],
      [(20, 5), (20, 2), (1, 1), (5, 1), (90, 30), (3, 1), (80, 24)],
    ], [0, 4, 17])
  func tiny(sizes: [(columns: Int, rows: Int)], words: Int) throws {
    for messages in [5, 12, 30] {
      var editor = try Editor(rows: 24, columns: 80)
      // How many blank rows are below a block that stands higher, and go first, nobody can tell.
      editor.hasLongRows = messages == 30
      editor.text = String(repeating: "word ", count: words)
      editor.caret = editor.text.count
      editor.paint(messagesOfLengths: Array(repeating: 10, count: messages))
      for size in sizes { editor.resize(rows: size.rows, columns: size.columns) }
      #expect(editor.faults.isEmpty, "\(sizes), \(messages) messages")
    }
  }

  @Test(
    "13.8: narrowing to a few columns and widening leave no stale row, wherever the block was",
    arguments: [1, 2, 3, 5, 13], [0, 5, 30])
  func few(columns: Int, messages: Int) throws {
    for (length, hasLongRows) in [(0, false), (5, true), (5, false), (18, false)] {
      var editor = try Editor(rows: 24, columns: 40)
      editor.hasLongRows = hasLongRows
      editor.text = String(repeating: "x", count: length)
      editor.caret = length
      editor.paint(messagesOfLengths: Array(repeating: 10, count: messages))
      editor.learnPlace()
      for columns in [columns, 40, columns + 1, columns, 40] {
        editor.resize(rows: 24, columns: columns)
      }
      #expect(editor.faults.isEmpty, "\(length) letters, \(hasLongRows)")
    }
  }

  @Test("13.8: down through every width from 200 to 20, and back, with menus and arrivals between")
  func everyWidth() throws {
    var editor = try Editor(rows: 16, columns: 200)
    editor.text = String(repeating: "word ", count: 12)
    editor.caret = editor.text.count
    editor.paint(messagesOfLengths: Array(repeating: 45, count: 20))
    for columns in (20...199).reversed() + Array(stride(from: 20, through: 200, by: 3)) {
      editor.menuRows = columns % 7 == 0 ? 4 : 0
      if columns % 11 == 0 {
        editor.paint(messagesOfLengths: [columns])
      } else {
        editor.paint()
      }
      editor.resize(rows: 16, columns: columns)
      let faults = editor.faults
      #expect(faults.isEmpty, "\(columns) columns")
      if !faults.isEmpty { return }
    }
  }

  @Test(
    "13.8: narrowing and widening leave the prompt where it was",
    arguments: [
      [40, 80, 40, 80, 40, 80], [60, 41, 33, 20, 47, 80, 25, 80], [41, 40, 80, 39, 80],
    ],
    [0, 9, 22])
  func wandering(columns: [Int], words: Int) throws {
    var editor = try Editor(rows: 16, columns: 80)
    editor.text = String(repeating: "word ", count: words)
    editor.caret = editor.text.count
    editor.paint(messagesOfLengths: Array(repeating: 45, count: 20))
    let row = editor.promptRow
    for columns in columns {
      editor.resize(rows: 16, columns: columns)
      #expect(editor.faults.isEmpty, "\(columns) columns")
      if columns == 80 { #expect(editor.promptRow == row) }
    }
  }

  @Test(
    "13.8: at the top of a cleared screen a narrowing leaves nothing behind after a widening",
    arguments: [[40], [60, 40], [40, 20], [75], [30, 44]], [0, 4, 30, 52, 70])
  func clearedScreen(columns: [Int], length: Int) throws {
    var editor = try Editor(rows: 16, columns: 80)
    editor.paint(messagesOfLengths: Array(repeating: 10, count: 20))
    editor.text = String(repeating: "x", count: length)
    editor.caret = length
    editor.hasToolbar = length % 4 != 0
    editor.paint()
    editor.tmux.feed(editor.painter.clearScreen())
    for _ in 0..<3 {
      editor.paint()
      for columns in columns + [80] { editor.resize(rows: 16, columns: columns) }
      #expect(editor.faults.isEmpty)
      #expect(editor.promptRow == 0)
    }
  }

  @Test("at the top of the screen nothing of the block gets into the scrollback")
  func topOfScreen() throws {
    var editor = try Editor(rows: 12, columns: 60)
    for menuRows in [0, 4, 0, 2] {
      editor.menuRows = menuRows
      editor.paint()
      #expect(editor.faults.isEmpty)
    }
    editor.paint(messagesOfLengths: [5])
    editor.resize(rows: 14, columns: 70)
    editor.resize(rows: 16, columns: 80)
    #expect(editor.faults.isEmpty)
    #expect(editor.tmux.history == editor.tmux.screen)
    editor.tmux.feed(editor.painter.clearScreen())
    editor.paint()
    #expect(editor.tmux.screen.first?.hasPrefix("PROMPT>") == true)
    #expect(editor.faults.isEmpty)
    editor.tmux.feed(editor.painter.leave(keepingLine: false))
    #expect(editor.tmux.screen.isEmpty)
  }

  @Test("the cursor stands behind what was typed, whatever it is")
  func cursor() throws {
    var editor = try Editor(rows: 8, columns: 60)
    for text in ["漢字", "e\u{301}a", "😀b", "👩‍👩‍👧c", "🇩🇪", "👍🏽d", "🏳️‍🌈", "1️⃣2"] {
      editor.text = text
      editor.caret = text.count
      editor.paint()
      let columns = Widths(clusters: .joinedAsOne).columns(of: text)
      #expect(editor.tmux.cursor == (0, 8 + columns), "\(text)")
      #expect(editor.tmux.screen.first == "PROMPT> " + text, "\(text)")
    }
  }

  @Test("a row that was longer once is not wrapped for it")
  func formerLength() throws {
    let size = Size(rows: 12, columns: 40)
    let tmux = try TmuxPane(rows: 12, columns: 80)
    var painter = Painter(
      size: Size(rows: 12, columns: 80), widths: Widths(),
      capabilities: Painter.TerminalCapabilities())
    func frame(_ first: String) -> Frame {
      let rows = [first, "> a"].map { CellRow(StyledLine(SafeText(line: $0)), widths: Widths()) }
      return Frame(rows: rows, caretRow: 1, caretColumn: 3)
    }
    tmux.feed(
      painter.paint(
        frame(String(repeating: "x", count: 70)),
        above: [StyledLine("1"), StyledLine("2"), StyledLine("3")]))
    // tmux would wrap the 65 erased columns as well.
    tmux.feed(painter.paint(frame("short")))
    tmux.resize(rows: size.rows, columns: size.columns)
    tmux.feed(painter.resize(to: size) + painter.paint(frame("short")))
    #expect(tmux.history == ["1", "2", "3", "short", "> a"])
  }

  @Test("the row with the caret, too, may have been longer once")
  func formerLengthOfCaretRow() throws {
    let size = Size(rows: 12, columns: 40)
    let tmux = try TmuxPane(rows: 12, columns: 80)
    var painter = Painter(
      size: Size(rows: 12, columns: 80), widths: Widths(),
      capabilities: Painter.TerminalCapabilities())
    for (count, caret) in [(70, 70), (60, 60), (60, 50), (45, 45), (40, 40), (10, 10)] {
      let row = CellRow(
        StyledLine(SafeText(line: String(repeating: "x", count: count))), widths: Widths())
      let frame = Frame(rows: [row], caretColumn: caret)
      tmux.resize(rows: 12, columns: 80)
      tmux.feed(painter.resize(to: Size(rows: 12, columns: 80)))
      let long = CellRow(
        StyledLine(SafeText(line: String(repeating: "x", count: 75))), widths: Widths())
      tmux.feed(painter.paint(Frame(rows: [long], caretColumn: 75), above: [StyledLine("m")]))
      tmux.feed(painter.paint(frame))
      tmux.resize(rows: size.rows, columns: size.columns)
      tmux.feed(painter.resize(to: size) + painter.paint(Frame(rows: [CellRow()])))
      #expect(tmux.history.allSatisfy { $0 == "m" }, "\(count), caret \(caret)")
    }
    #expect(tmux.history.count == 6)
  }

  @Test(
    "1.14: a message that precedes the report of a resize is whole, with nothing stale beside it",
    arguments: [
      Size(rows: 12, columns: 60), Size(rows: 12, columns: 66), Size(rows: 12, columns: 100),
      Size(rows: 5, columns: 60), Size(rows: 4, columns: 80), Size(rows: 20, columns: 33),
    ])
  func resizeUnheardOf(size: Size) throws {
    let widths = Widths(clusters: .joinedAsOne)
    let tmux = try TmuxPane(rows: 12, columns: 80)
    var painter = Painter(
      size: Size(rows: 12, columns: 80), widths: widths,
      capabilities: Painter.TerminalCapabilities())
    let rows = ["PROMPT> half a line", "STATUS anna, alone here"]
    let block = Frame(
      rows: rows.map { CellRow(StyledLine(SafeText(line: $0)), widths: widths) }, caretColumn: 19)
    var said: [String] = []
    func say(_ lengths: [Int]) {
      let lines = lengths.map { "m\(said.count) " + String(repeating: "x", count: $0) + "." }
      said += lines
      tmux.feed(painter.paint(block, above: lines.map { StyledLine(SafeText(line: $0)) }))
    }
    say(Array(repeating: 3, count: 11))
    tmux.resize(rows: size.rows, columns: size.columns)
    say([62])
    say([3, 62, 55])
    #expect(tmux.history == said + rows)
    tmux.feed(painter.resize(to: size) + painter.paint(block))
    say([62])
    #expect(tmux.history == said + rows)
  }
}
