// SPDX-License-Identifier: GPL-3.0-or-later

/// One column of a row.
public struct Cell: Hashable, Sendable {
  /// What is drawn here; a space in a covered cell.
  public var character: Character
  /// How many columns it takes, from 1; 0 when it is covered by the wide cell to its left.
  public var columns: UInt8
  public var style: Style

  public init(_ character: Character, columns: UInt8 = 1, style: Style = .plain) {
    self.character = character
    self.columns = columns
    self.style = style
  }

  /// An empty column.
  public static let blank = Cell(" ")

  /// The cell for the columns after the first one of a wide character.
  static func covered(_ style: Style) -> Cell {
    Cell(" ", columns: 0, style: style)
  }
}

/// A row of cells, one cell per column: a character of n columns is followed by n − 1 covered
/// cells.
public struct CellRow: Hashable, Sendable {
  /// The index is the column.
  public var cells: [Cell]

  public init(cells: [Cell] = []) {
    self.cells = cells
  }

  /// A row that shows a line from its first column.
  public init(_ line: StyledLine, widths: Widths) {
    self.init()
    append(line, widths: widths)
  }

  /// How many columns the row takes.
  public var columns: Int { cells.count }

  /// The characters of the row, for tests and error messages.
  public var string: String {
    String(cells.lazy.filter { $0.columns > 0 }.map(\.character))
  }

  /// Adds a character. A tab adds blanks up to the next multiple of 8. A character without width
  /// joins the one before it, or is put on a blank if it is the first. A character that is not text
  /// to a terminal is shown as its placeholder (12.2).
  public mutating func append(_ character: Character, style: Style = .plain, widths: Widths) {
    if let ascii = character.asciiValue, ascii >= 0x20 && ascii < 0x7F {
      cells.append(Cell(character, style: style))
      return
    }
    if character == "\t" {
      let end = (cells.count / 8 + 1) * 8
      while cells.count < end { cells.append(Cell(" ", style: style)) }
      return
    }
    let safe = Sanitizer.line.safe(String(character))
    if safe.unicodeScalars.elementsEqual(character.unicodeScalars) {
      append(safe: character, style: style, widths: widths)
    } else {
      for character in safe { append(safe: character, style: style, widths: widths) }
    }
  }

  /// Adds a line; a newline in it becomes a blank.
  public mutating func append(_ line: StyledLine, widths: Widths) {
    for run in line.runs {
      for character in run.text.string {
        if character == "\n" {
          cells.append(Cell(" ", style: run.style))
        } else if character == "\t" {
          append(character, style: run.style, widths: widths)
        } else {
          append(safe: character, style: run.style, widths: widths)
        }
      }
    }
  }

  /// Fills with blanks up to `columns`; a longer row stays as it is.
  public mutating func pad(to columns: Int) {
    while cells.count < columns { cells.append(.blank) }
  }

  private mutating func append(safe character: Character, style: Style, widths: Widths) {
    let columns = widths.columns(of: character)
    if columns == 0 {
      join(character, style: style)
    } else if columns <= 16 {
      cells.append(Cell(character, columns: UInt8(columns), style: style))
      for _ in 1..<columns { cells.append(.covered(style)) }
    } else {
      // A chain of joined emoji can be of any length, but each of its pieces fits a row.
      for piece in pieces(of: character, widths) {
        append(safe: piece, style: style, widths: widths)
      }
    }
  }

  /// The character, cut before each code point that has a width.
  private func pieces(of character: Character, _ widths: Widths) -> String {
    var text = ""
    for scalar in character.unicodeScalars where scalar.value != 0x200D {
      // Without the joiners, only Hangul and flags would still combine.
      if widths.columns(of: scalar) > 0 && !text.isEmpty { text.unicodeScalars.append("\u{200B}") }
      text.unicodeScalars.append(scalar)
    }
    return text
  }

  private mutating func join(_ character: Character, style: Style) {
    guard let base = cells.lastIndex(where: { $0.columns > 0 }) else {
      if let onBlank = single(" ", character) { cells.append(Cell(onBlank, style: style)) }
      return
    }
    // A character that does not join, such as a zero-width space, is invisible anyway.
    if let joined = single(cells[base].character, character) { cells[base].character = joined }
  }

  private func single(_ base: Character, _ mark: Character) -> Character? {
    let text = String(base) + String(mark)
    return text.count == 1 ? Character(text) : nil
  }
}

/// The rows of the block below the messages, and the caret's place in them.
public struct Frame: Hashable, Sendable {
  public var rows: [CellRow]
  /// The caret's index into `rows`.
  public var caretRow: Int
  /// The caret's column, from 0.
  public var caretColumn: Int

  public init(rows: [CellRow] = [], caretRow: Int = 0, caretColumn: Int = 0) {
    self.rows = rows
    self.caretRow = caretRow
    self.caretColumn = caretColumn
  }
}
