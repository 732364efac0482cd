// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// A row as it is on the screen: cut to the screen's columns, made of cells that are safe to send
/// to the terminal, and without the blanks at its end.
struct PaintedRow: Equatable {
  /// One cell per column.
  var cells: [Cell]

  init(_ row: CellRow, columns: Int, capabilities: Painter.TerminalCapabilities) {
    cells = []
    cells.reserveCapacity(min(row.cells.count, columns))
    var at = 0
    while at < row.cells.count && cells.count < columns {
      let cell = row.cells[at]
      let width = max(1, Int(cell.columns))
      let style = capabilities.shown(cell.style)
      if cell.columns == 0 || !Self.isWhole(row.cells, at, width) {
        // This is a covered cell without the wide one to its left, or a wide one without its
        // covered cells.
        cells.append(Self.cleaned(" ", style))
        at += 1
        continue
      }
      // Leave out a character that would reach across the margin.
      if cells.count + width > columns { break }
      if Self.isSafe(cell.character) {
        cells.append(
          width == 1
            ? Self.cleaned(cell.character, style)
            : Cell(cell.character, columns: cell.columns, style: style))
        for _ in 1..<width { cells.append(Cell(" ", columns: 0, style: style)) }
      } else {
        for _ in 0..<width { cells.append(Cell("?", style: style)) }
      }
      at += width
    }
    while cells.last == .blank { cells.removeLast() }
  }

  /// A row without anything in it.
  static let empty = PaintedRow(cells: [])

  private init(cells: [Cell]) { self.cells = cells }

  /// Fills the row with blanks up to so many columns.
  mutating func pad(to columns: Int) {
    while cells.count < columns { cells.append(.blank) }
  }

  /// How many rows a terminal of that many columns wraps the row into.
  func wrappedRows(columns: Int) -> Int {
    wrappedPosition(of: cells.count, columns: columns).row + 1
  }

  /// In which of the wrapped rows a column is, and where in that row. A column after the last cell
  /// is in the last row.
  func wrappedPosition(of column: Int, columns: Int) -> CursorPosition {
    var position = CursorPosition(row: 0, column: 0)
    for (index, cell) in cells.enumerated() where cell.columns > 0 {
      let width = Int(cell.columns)
      if position.column + width > columns && position.column > 0 {
        position = CursorPosition(row: position.row + 1, column: 0)
      }
      if index + width > column { break }
      position.column += width
    }
    return position
  }

  private static func isWhole(_ cells: [Cell], _ at: Int, _ width: Int) -> Bool {
    guard at + width <= cells.count else { return false }
    for covered in 1..<width where cells[at + covered].columns != 0 { return false }
    return true
  }

  /// The cell, without styles that a blank does not show: a blank without them equals an erased
  /// column.
  private static func cleaned(_ character: Character, _ style: Style) -> Cell {
    guard character == " " else { return Cell(character, style: style) }
    if style.attributes.isDisjoint(with: [.underline, .reverse, .strike]) {
      return Cell(" ", style: Style(background: style.background))
    }
    return Cell(" ", style: style)
  }

  /// The last check before the terminal: cells are public, so any caller can put anything into one.
  private static func isSafe(_ character: Character) -> Bool {
    if let ascii = character.asciiValue { return ascii >= 0x20 && ascii < 0x7F }
    return character.unicodeScalars.allSatisfy { scalar in
      switch scalar.value {
      case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: false
      default: true
      }
    }
  }
}
