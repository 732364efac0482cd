// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Repeatable
import StyledText
import Terminal
import Testing

private let widths = Widths()

/// A block on a terminal that says where the cursor is when it is asked.
private struct Block {
  var painter: Painter
  let emulator: Emulator
  var text = "hello"
  var menuRows = 0
  var printed = 0

  init(_ size: Size, rewraps: Bool) {
    emulator = Emulator(rows: size.rows, columns: size.columns)
    emulator.rewraps = rewraps
    // What the environment says may be wrong.
    painter = Painter(
      size: size, widths: widths, capabilities: Painter.TerminalCapabilities(rewraps: rewraps))
  }

  mutating func paint(messages: Int = 0) {
    let above = (0..<messages).map { index in
      StyledLine(SafeText(line: "m\(printed + index)."))
    }
    printed += messages
    emulator.feed(painter.paint(frame, above: above))
  }

  mutating func resize(to size: Size) {
    emulator.resize(rows: size.rows, columns: size.columns)
    let cursor = CursorPosition(row: emulator.cursor.row, column: emulator.cursor.column)
    emulator.feed(painter.resize(to: size, cursor: cursor) + painter.paint(frame))
  }

  /// Wrapped input, a menu, and a status row as wide as the screen.
  var frame: Frame {
    let usable = painter.size.columns - 1
    var rows: [String] = []
    var rest = Substring("PROMPT> " + text)
    repeat {
      rows.append(String(rest.prefix(usable)))
      rest = rest.dropFirst(usable)
    } while !rest.isEmpty
    let caretRow = rows.count - 1
    let caretColumn = rows[caretRow].count
    rows += (0..<menuRows).map { "MENU \($0)" }
    rows.append(
      "STATUS" + String(repeating: " ", count: max(0, usable - 9))
        + String("END".prefix(usable - 6)))
    return Frame(
      rows: rows.map { CellRow(StyledLine(SafeText(line: $0)), widths: widths) },
      caretRow: caretRow,
      caretColumn: caretColumn)
  }

  /// What is wrong with scrollback and screen.
  var faults: [String] {
    let history = emulator.history
    var faults: [String] = []
    let numbers = history.compactMap { row in
      row.first == "m" ? Int(row.dropFirst().prefix(while: \.isNumber)) : nil
    }
    if numbers != Array(0..<printed) { faults.append("messages \(numbers) of \(printed)") }
    let shown = frame.rows.map(\.string).map { row in
      String(row.reversed().drop { $0 == " " }.reversed())
    }
    if Array(history.suffix(shown.count)) != shown { faults.append("not \(shown)") }
    for word in ["PROMPT>", "STATUS", "MENU"] {
      let count = history.count { $0.contains(word) }
      if count != shown.count(where: { $0.contains(word) }) { faults.append("\(count) \(word)") }
    }
    return faults.isEmpty ? [] : faults + history
  }
}

@Suite("13.8: after a resize the block is where it was, once")
struct ResizeTests {
  @Test(
    "through every width from 20 to 200 and back, with text and without",
    arguments: [true, false], [5, 52, 160])
  func everyWidth(rewraps: Bool, letters: Int) {
    var block = Block(Size(rows: 16, columns: 200), rewraps: rewraps)
    block.text = String(repeating: "x", count: letters)
    block.paint(messages: 18)
    // By one column, and by leaps.
    let steps = (20...200).reversed() + stride(from: 200, through: 20, by: -9) + [39, 40, 41]
    for columns in steps + steps.reversed() + [200] {
      block.resize(to: Size(rows: 16, columns: columns))
      #expect(block.faults.isEmpty, "\(columns) columns")
      if !block.faults.isEmpty { return }
    }
    // Rows that are cut off leave room below a text that had more of them.
    if rewraps || letters == 5 { #expect(block.emulator.screen[14].hasPrefix("PROMPT>")) }
  }

  @Test(
    "with text, menus and arrivals in between, in windows of all sizes",
    arguments: [true, false], 1...4)
  func between(rewraps: Bool, seed: UInt64) {
    var random = FixedRandom(seed: seed)
    var block = Block(Size(rows: 24, columns: 80), rewraps: rewraps)
    block.paint(messages: seed % 2 == 0 ? 3 : 30)
    for step in 0..<40 {
      switch random.below(5) {
      case 0: block.paint(messages: 1 + random.below(4))
      case 1:
        block.text = String(repeating: "x", count: random.below(60))
        block.paint()
      case 2:
        block.menuRows = random.below(5)
        block.paint()
      default:
        block.resize(to: Size(rows: 16 + random.below(12), columns: 20 + random.below(181)))
      }
      #expect(block.faults.isEmpty, "step \(step)")
      if !block.faults.isEmpty { return }
    }
  }

  @Test("what the terminal does about wrapping overrides the environment")
  func learns() {
    for rewraps in [true, false] {
      var block = Block(Size(rows: 24, columns: 80), rewraps: rewraps)
      block.painter = Painter(
        size: Size(rows: 24, columns: 80), widths: widths,
        capabilities: Painter.TerminalCapabilities(rewraps: !rewraps))
      block.text = String(repeating: "x", count: 52)
      block.paint(messages: 30)
      for columns in [40, 80, 33, 70] {
        block.resize(to: Size(rows: 24, columns: columns))
        #expect(block.faults.isEmpty, "\(columns) columns, wraps: \(rewraps)")
      }
    }
  }
}
