// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// The composed text as rows, drawn one at a time: only visible rows are made.
struct TextRows {
  /// How many rows the whole text takes.
  let count: Int
  /// The row of the caret, and its column on the screen.
  let caretRow: Int
  let caretColumn: Int

  private let text: String
  private let region: Range<Int>
  private let highlights: [InputBar.Highlight]
  private let lead: Lead
  private let usable: Int
  private let widths: Widths
  private let lines: [LayoutCache.Line]

  init(
    _ composed: ComposedText, _ highlights: [InputBar.Highlight], _ lead: Lead, usable: Int,
    widths: Widths, cache: inout LayoutCache
  ) {
    cache.update(
      composed.text,
      LayoutCache.Geometry(
        first: usable - lead.columns, other: usable - lead.indent, widths: widths))
    text = composed.text
    region = composed.region ?? 0..<0
    self.highlights = highlights
    self.lead = lead
    self.usable = usable
    self.widths = widths
    lines = cache.lines
    count = cache.rowCount
    (caretRow, caretColumn) = Self.caret(composed, lead, usable: usable, lines, widths)
  }

  /// One row of the text, with the prompt or the indentation before it.
  func row(_ number: Int) -> CellRow {
    var row = number == 0 ? lead.row : CellRow()
    let (line, part, start) = position(ofRow: number)
    row.cells.reserveCapacity(usable)
    if number > 0 { row.pad(to: lead.indent) }
    text.withUTF8Bytes { utf8 in
      var wrap = RowWrap(
        utf8, start..<(start + lines[line].length),
        columns: usable - (number == 0 ? lead.columns : lead.indent), widths: widths)
      if part > 0 { wrap.resume(at: lines[line].breaks[part - 1], columns: usable - lead.indent) }
      _ = wrap.walkRow { offset, _, drawn in
        let style = style(at: offset)
        switch drawn {
        case .ascii(let byte):
          row.cells.append(Cell(Character(Unicode.Scalar(byte)), style: style))
        case .blanks(let count):
          for _ in 0..<count { row.cells.append(Cell(" ", style: style)) }
        case .character(_, 0): break
        case .character(let character, let columns):
          row.cells.append(Cell(character, columns: UInt8(columns), style: style))
          for _ in 1..<columns { row.cells.append(Cell(" ", columns: 0, style: style)) }
        }
      }
    }
    return row
  }

  private func style(at offset: Int) -> Style {
    var style = highlights.last { $0.range.contains(offset) }?.style ?? .plain
    if region.contains(offset) { style.attributes.formSymmetricDifference(.reverse) }
    return style
  }

  /// The line a row belongs to, which of the line's rows it is, and where the line begins.
  private func position(ofRow number: Int) -> (line: Int, part: Int, start: Int) {
    var (left, start, line) = (number, 0, 0)
    while left > lines[line].breaks.count {
      left -= lines[line].breaks.count + 1
      start += lines[line].length + 1
      line += 1
    }
    return (line, left, start)
  }

  private static func caret(
    _ composed: ComposedText, _ lead: Lead, usable: Int, _ lines: [LayoutCache.Line],
    _ widths: Widths
  ) -> (row: Int, column: Int) {
    composed.text.withUTF8Bytes { utf8 in
      let caret = Motion.clampedToGrapheme(in: utf8, offset: composed.caret)
      var (row, start, line) = (0, 0, 0)
      while start + lines[line].length < caret {
        row += lines[line].breaks.count + 1
        start += lines[line].length + 1
        line += 1
      }
      let breaks = lines[line].breaks
      // If a placeholder is split over two rows, a caret before it is in the row where it begins.
      let part = breaks.prefix {
        Int($0.offset) < caret - start || Int($0.offset) == caret - start && $0.piece == 0
      }.count
      row += part
      let before = row == 0 ? lead.columns : lead.indent
      var wrap = RowWrap(
        utf8, start..<(start + lines[line].length), columns: usable - before, widths: widths)
      if part > 0 { wrap.resume(at: breaks[part - 1], columns: usable - before) }
      var column: Int?
      var end = 0
      _ = wrap.walkRow { offset, at, drawn in
        if offset == caret && column == nil { column = at }
        switch drawn {
        case .ascii: end = at + 1
        case .character(_, let columns), .blanks(let columns): end = at + columns
        }
      }
      return (row, before + (column ?? end))
    }
  }
}
