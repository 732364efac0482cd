// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Repeatable
import StyledText
import Terminal
import Testing

private let widths = Widths(clusters: .codePoints)
private let capabilities = Painter.TerminalCapabilities(rewraps: false)

/// Random frames and lines; libvterm counts their characters as `Widths.Clusters.codePoints` does.
private struct Scene {
  var random: FixedRandom
  let size: Size

  private static let characters = [
    "a", "b", " ", " ", "Z", "-", "漢", "字", "カ", "e\u{301}", "o\u{308}\u{304}", "😀", "👩‍👩‍👧", "👍🏽",
    "🇩🇪", "ß", "│", "\u{1B}", "…",
  ]
  private static let styles: [Style] = [
    .plain, .plain, .bold, .reverse, Style(foreground: .red), Style(.bold, foreground: .brightBlue),
    Style(.underline, foreground: Color(index: 200), background: .green), .italic, .strike,
  ]

  mutating func text(_ count: Int) -> SafeText {
    var text = ""
    for _ in 0..<count { text += Self.characters[random.below(Self.characters.count)] }
    return SafeText(line: text)
  }

  mutating func line(_ columns: Int) -> StyledLine {
    var line = StyledLine(runs: [])
    while line.columns(widths) < columns {
      line.append(text(1 + random.below(4)), Self.styles[random.below(Self.styles.count)])
    }
    return line
  }

  mutating func row() -> CellRow {
    // Now and then a row goes over the margin, which a layout should not do.
    let most = random.below(10) == 0 ? size.columns + 3 : max(1, size.columns - 3)
    return CellRow(line(random.below(most + 1)), widths: widths)
  }

  mutating func frame() -> Frame {
    let rows = (0..<(1 + random.below(random.below(6) == 0 ? size.rows + 2 : min(size.rows, 5))))
      .map { _ in row() }
    let caretRow = random.below(rows.count)
    return Frame(
      rows: rows, caretRow: caretRow, caretColumn: random.below(rows[caretRow].columns + 2))
  }

  /// A frame that differs in a few places only, as after a key.
  mutating func next(after frame: Frame) -> Frame {
    var next = frame
    switch random.below(6) {
    case 0: return self.frame()
    case 1: next.rows[random.below(next.rows.count)] = row()
    case 2: next.rows.append(row())
    case 3 where next.rows.count > 1: next.rows.removeLast()
    case 4:
      let index = random.below(next.rows.count)
      next.rows[index].append("x", style: .dim, widths: widths)
    default:
      let index = random.below(next.rows.count)
      let column = random.below(next.rows[index].columns + 1)
      var row = CellRow(cells: Array(next.rows[index].cells[..<column]))
      row.append("y", widths: widths)
      row.cells += next.rows[index].cells[column...]
      next.rows[index] = row
    }
    next.caretRow = random.below(next.rows.count)
    next.caretColumn = random.below(next.rows[next.caretRow].columns + 1)
    return next
  }
}

private struct Shown: Equatable {
  var screen: [String]
  var row: Int
  var column: Int
  var styles: [Emulator.Style]

  init(_ emulator: Emulator) {
    screen = emulator.screen
    (row, column) = emulator.cursor
    styles = (0..<emulator.rows).flatMap { row in
      (0..<emulator.columns).map { column in
        var style = emulator.style(row: row, column: column)
        let isBlank = emulator.character(row: row, column: column) == " "
        if isBlank && !style.isUnderlined && !style.isReverse && !style.isStruck {
          // Not to be seen on a blank.
          (style.isBold, style.isItalic, style.foreground) = (false, false, nil)
        }
        return style
      }
    }
  }
}

@Suite("the painter draws what a fresh one would")
struct PainterPropertyTests {
  static let sizes = [
    Size(rows: 1, columns: 1), Size(rows: 2, columns: 3), Size(rows: 5, columns: 20),
    Size(rows: 20, columns: 5), Size(rows: 24, columns: 80), Size(rows: 1, columns: 40),
  ]

  @Test(
    "after each frame, screen and cursor are those of that frame alone", arguments: sizes)
  func changes(size: Size) {
    var scene = Scene(random: FixedRandom(seed: 11), size: size)
    for _ in 0..<(size.rows * size.columns > 500 ? 12 : 60) {
      var painter = Painter(size: size, widths: widths, capabilities: capabilities)
      let emulator = Emulator(rows: size.rows, columns: size.columns)
      var frame = scene.frame()
      emulator.feed(painter.paint(frame))
      for _ in 0..<12 {
        let next = scene.next(after: frame)
        emulator.feed(painter.paint(next))
        var fresh = Painter(size: size, widths: widths, capabilities: capabilities)
        let other = Emulator(rows: size.rows, columns: size.columns)
        other.feed(fresh.paint(next))
        let same = Shown(emulator) == Shown(other)
        #expect(same, "\(frame) to \(next)")
        #expect(emulator.scrollback.isEmpty)
        #expect(painter.paint(next).isEmpty)
        frame = next
      }
    }
  }

  // Not in one row or column: libvterm saves nothing in the first, and does not leave the margin
  // with a carriage return in the second.
  @Test(
    "every line above is in the scrollback or on the screen, once and in order",
    arguments: sizes.filter { $0.rows > 1 })
  func linesAbove(size: Size) {
    var scene = Scene(random: FixedRandom(seed: 5), size: size)
    for _ in 0..<(size.rows * size.columns > 500 ? 6 : 30) {
      var painter = Painter(size: size, widths: widths, capabilities: capabilities)
      let emulator = Emulator(rows: size.rows, columns: size.columns)
      let expected = Emulator(rows: 400, columns: size.columns)
      var frame = scene.frame()
      emulator.feed(painter.paint(frame))
      var number = 0
      for _ in 0..<10 {
        frame = scene.next(after: frame)
        var lines: [StyledLine] = []
        for _ in 0..<scene.random.below(4) {
          number += 1
          var line = StyledLine("\(number):")
          let columns = scene.random.below(4) == 0 ? size.columns * 3 : size.columns
          // Wide characters in a terminal of one column are for no one.
          line.append(
            size.columns < 4 ? StyledLine("abcdefgh") : scene.line(scene.random.below(columns + 1)))
          if scene.random.below(5) == 0 {
            // Exactly as wide as the screen: the cursor waits at the margin.
            line = StyledLine(SafeText(line: String(repeating: "m", count: size.columns)))
          }
          lines.append(line)
        }
        emulator.feed(painter.paint(frame, above: lines))
        for line in lines { expected.feed(raw(line) + "\r\n") }
        let settled = expected.screen[..<expected.cursor.row]
        var fresh = Painter(size: size, widths: widths, capabilities: capabilities)
        let block = Emulator(rows: size.rows, columns: size.columns)
        block.feed(fresh.paint(frame))
        var all = Array(settled) + block.screen
        while all.last == "" { all.removeLast() }
        #expect(emulator.history == all)
        let top = emulator.scrollback.count + emulator.cursor.row - block.cursor.row
        #expect(top == settled.count)
        #expect(emulator.cursor.column == block.cursor.column)
      }
    }
  }

  private func raw(_ line: StyledLine) -> String { line.plain.string }
}
