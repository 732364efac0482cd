// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// Wraps one line, row by row, and tells what each column shows. A row ends where the next grapheme
/// does not fit; a wide character never straddles the margin. A grapheme wider than a whole row is
/// drawn as `?`; a placeholder such as `<U+202E>` that is wider than the row continues on the next
/// row.
struct RowWrap {
  /// The columns of the row that is being filled.
  var columns: Int
  private let utf8: UnsafeBufferPointer<UInt8>
  private let line: Range<Int>
  private let widths: Widths
  private var graphemes: Graphemes
  /// Where the next row begins, once the previous row is full.
  private var start: RowStart

  /// The widest character that is drawn; a wider one is drawn as `?`.
  private static let widest = 16

  init(_ utf8: UnsafeBufferPointer<UInt8>, _ line: Range<Int>, columns: Int, widths: Widths) {
    self.utf8 = utf8
    self.line = line
    self.columns = columns
    self.widths = widths
    graphemes = Graphemes(utf8, from: line.lowerBound, to: line.upperBound)
    start = RowStart(offset: 0, piece: 0)
  }

  mutating func resume(at row: RowStart, columns: Int) {
    start = row
    self.columns = columns
    graphemes.skip(to: line.lowerBound + Int(row.offset))
  }

  /// Goes through one row. Returns where the next one begins, or nil if the line ends in this one.
  mutating func nextRow() -> RowStart? {
    walkRow(nil)
  }

  /// Goes through one row and passes what is drawn to `body`: the UTF-8 offset in the text, the
  /// column in the row, and the look. Zero-width graphemes are passed as well, so that the caret
  /// can be placed.
  mutating func walkRow(
    _ body: ((_ offset: Int, _ column: Int, _ drawn: DrawnPiece) -> Void)?
  ) -> RowStart? {
    var column = 0
    var skipped = Int(start.piece)
    while true {
      let plain = plainRun(atMost: columns - column)
      if plain > 0 {
        let from = graphemes.offset
        if let body {
          for step in 0..<plain { body(from + step, column + step, .ascii(utf8[from + step])) }
        }
        column += plain
        graphemes.skip(to: from + plain)
      }
      guard let grapheme = graphemes.next() else { return nil }
      let shown = ShownGrapheme(utf8, grapheme, at: column, widths: widths)
      let (offset, width) = (grapheme.lowerBound, shown.columns)
      switch shown.look {
      case .nothing:
        body?(offset, column, .blanks(0))
      case .tab where column < columns:
        let blanks = min(width, columns - column)
        body?(offset, column, .blanks(blanks))
        column += blanks
      case .ascii(let byte) where column < columns:
        body?(offset, column, .ascii(byte))
        column += 1
      case .whole where width > columns || width > Self.widest:
        guard column < columns else { return endRow(at: offset, 0) }
        body?(offset, column, .ascii(UInt8(ascii: "?")))
        column += 1
      case .whole(let character) where column + width <= columns:
        body?(offset, column, .character(character, width))
        column += width
      case .pieces(let text) where column + width <= columns || width > columns:
        for (index, piece) in text.enumerated() where index >= skipped {
          let width = widths.columns(of: piece)
          let fits = width <= columns && width <= Self.widest
          guard column + (fits ? width : 1) <= columns else { return endRow(at: offset, index) }
          body?(offset, column, fits ? .character(piece, width) : .ascii(UInt8(ascii: "?")))
          column += fits ? width : 1
        }
        skipped = 0
      case .tab, .ascii, .whole, .pieces:
        return endRow(at: offset, 0)
      }
    }
  }

  /// What is drawn for a grapheme or a piece of one.
  enum DrawnPiece {
    case ascii(UInt8)
    /// A character and how many columns it takes.
    case character(Character, Int)
    case blanks(Int)
  }

  private mutating func endRow(at offset: Int, _ piece: Int) -> RowStart {
    graphemes.skip(to: offset)
    start = RowStart(offset: Int32(offset - line.lowerBound), piece: Int32(piece))
    return start
  }

  /// How many of the next bytes are printable ASCII with no combining mark after them. In most
  /// texts all are, and such a row need not be split into graphemes.
  private func plainRun(atMost columns: Int) -> Int {
    guard graphemes.canSkip else { return 0 }
    let from = graphemes.offset
    let limit = min(line.upperBound, from + columns)
    var at = from
    while at < limit, utf8[at] >= 0x20 && utf8[at] < 0x7F { at += 1 }
    // A combining mark after these bytes belongs to the last of them.
    let mayBeJoined = at > from && at < line.upperBound && utf8[at] >= 0x80
    return at - from - (mayBeJoined ? 1 : 0)
  }
}

/// Where a row of a line begins.
struct RowStart: Hashable, Sendable {
  /// UTF-8 offset in the line.
  var offset: Int32
  /// How many pieces of the grapheme at `offset` are in the previous row; more than 0 only for long
  /// placeholders.
  var piece: Int32
}
