// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// Turns frames into the bytes that change the screen: the block under the messages, and the
/// messages above it. It only returns bytes and writes nothing.
///
/// All moves are relative to the block's first row, so it does not matter where on the screen the
/// block is. The screen below it is empty.
///
/// ```swift
/// device.write(painter.paint(frame, above: newMessages))
/// ```
///
/// A row that becomes shorter is erased from its first column and written anew, because tmux
/// remembers how long a row once was, and also wraps the erased columns when it becomes narrower.
/// The row with the caret is an exception, since each Backspace would then write a whole row.
package struct Painter: Sendable {
  /// The screen's size.
  package internal(set) var size: Size
  private let widths: Widths
  var capabilities: TerminalCapabilities

  /// The rows of the block on the screen; empty if there is no block.
  private(set) var rows: [PaintedRow] = []
  /// For each row, how many columns were written since it was last erased from its start.
  private(set) var written: [Int] = []
  /// The rows of the block that are above the screen.
  var lost = LostRows.none
  /// The rows that the last resize left for the block.
  var slack = ReflowSlack()
  /// In which row of the screen the block begins.
  var top = Top()
  /// The block's row with the cursor when the terminal was asked where that is; nil if the block has
  /// moved since.
  var askedCaretRow: Int?
  private(set) var caretRow = 0
  /// Where the cursor is.
  private(set) var caretColumn = 0

  package init(size: Size, widths: Widths, capabilities: TerminalCapabilities) {
    self.size = Size(rows: max(1, size.rows), columns: max(1, size.columns))
    self.widths = widths
    self.capabilities = capabilities
  }

  /// Draws a frame where the block is.
  ///
  /// - Parameters:
  ///   - frame: the block. If it has more rows than the screen, those around the caret are drawn.
  ///     Cells beyond the right margin are not drawn.
  ///   - above: lines to print above the block first; the terminal wraps them, so that it can wrap
  ///     them anew later.
  ///   - answers: which of these lines answer a typed one, in order.
  /// - Returns: the bytes to write in one go; none if nothing changes.
  package mutating func paint(
    _ frame: Frame, above: [StyledLine] = [], answers: [MarkedLines] = []
  ) -> [UInt8] {
    let (painted, row, column) = visible(frame)
    var out = ScreenBytes(row: caretRow, column: caretColumn, columns: size.columns)
    // Erase nothing within wrapped lines, or tmux would treat their rows as separate lines.
    if rows.isEmpty || !above.isEmpty || !slack.isPlain && painted != rows {
      drawAnew(painted, above, answers, &out)
    } else {
      drawChanges(painted, caretRow: row, &out)
    }
    out.set(.plain)
    out.move(toRow: row, column: column)
    rows = painted
    (caretRow, caretColumn) = (row, column)
    return out.bytes
  }

  /// Draws a plain character that was typed after the last one of the caret's row, before the row
  /// is laid out. If the layout is different, the next `paint` corrects it.
  ///
  /// - Parameter byte: a printable ASCII character, one column wide.
  /// - Returns: the byte; nothing if the row has anything after the caret, or no room.
  package mutating func echo(_ byte: UInt8) -> [UInt8] {
    guard (0x20...0x7E).contains(byte), rows.indices.contains(caretRow),
      rows[caretRow].cells.count <= caretColumn, caretColumn + 2 < size.columns
    else { return [] }
    if byte != 0x20 {
      while rows[caretRow].cells.count < caretColumn { rows[caretRow].cells.append(.blank) }
      rows[caretRow].cells.append(Cell(Character(Unicode.Scalar(byte))))
    }
    caretColumn += 1
    written[caretRow] = max(written[caretRow], caretColumn)
    return [byte]
  }

  /// For C-l: removes the block, then clears the screen. The next `paint` draws at the top of the
  /// screen.
  package mutating func clearScreen() -> [UInt8] {
    // Remove the block first: terminals that save a cleared screen should save only the messages.
    let bytes = leave(keepingRows: 0) + Array("\u{1B}[H\u{1B}[2J".utf8)
    top = Top(row: 0, isKnown: true)
    return bytes
  }

  /// Ends the block: moves the cursor to the first column of a row below the kept rows, where
  /// another program can continue.
  ///
  /// - Parameter keepingLine: whether to keep the rows down to the one with the caret; otherwise
  ///   the whole block is removed.
  package mutating func leave(keepingLine: Bool) -> [UInt8] {
    leave(keepingRows: keepingLine ? caretRow + 1 : 0)
  }

  /// Ends the block: moves the cursor to the first column of the row below the kept rows.
  ///
  /// - Parameter count: how many rows, from the first, stay on the screen.
  package mutating func leave(keepingRows count: Int) -> [UInt8] {
    guard !rows.isEmpty else { return [] }
    let kept = min(max(0, count), rows.count)
    var out = ScreenBytes(row: caretRow, column: caretColumn, columns: size.columns)
    if rows.count > max(1, kept) {
      out.move(toRow: max(1, kept), column: 0)
      out.eraseBelow()
    }
    if kept == 0 {
      out.move(toRow: 0, column: 0)
      out.eraseToEndOfRow()
    } else if kept == rows.count {
      out.move(toRow: kept - 1, column: 0)
      out.nextRow()
    }
    forget()
    return out.bytes
  }

  /// Call this when something else has written on the screen: the next `paint` starts a block in
  /// the cursor's row, at its first column.
  package mutating func forget() {
    rows = []
    written = []
    lost = .none
    slack = ReflowSlack()
    top = Top()
    askedCaretRow = nil
    caretRow = 0
    caretColumn = 0
  }

  /// The rows of the frame that fit the screen, and the caret in them.
  private func visible(_ frame: Frame) -> (rows: [PaintedRow], row: Int, column: Int) {
    let all = frame.rows.isEmpty ? [CellRow()] : frame.rows
    let caret = min(max(0, frame.caretRow), all.count - 1)
    let first = max(0, caret - size.rows + 1)
    let shown = all[first..<min(all.count, first + size.rows)]
    var painted = shown.map { PaintedRow($0, columns: size.columns, capabilities: capabilities) }
    let column = min(max(0, frame.caretColumn), size.columns - 1)
    // Blanks up to the caret were typed: write them, so that they are there when the terminal wraps
    // the row anew.
    while painted[caret - first].cells.count < column {
      painted[caret - first].cells.append(.blank)
    }
    return (painted, caret - first, column)
  }

  private mutating func drawAnew(
    _ painted: [PaintedRow], _ above: [StyledLine], _ answers: [MarkedLines],
    _ out: inout ScreenBytes
  ) {
    if rows.isEmpty {
      out.toFirstColumn()
    } else {
      out.move(toRow: 0, column: 0)
      if size.rows > 1 && !above.isEmpty {
        // Erase before the lines, not after each: only the terminal knows how many rows they take.
        // It may already have another size, and may count a character differently; and if a line
        // ends at the margin, an erasure removes its last character. Use a line feed: in a screen
        // that has become lower, the first row may be the last one, and the step back up has to end
        // in it.
        out.eraseToEndOfRow()
        out.nextRow()
        out.eraseBelow()
        out.move(toRow: 0, column: 0)
      }
    }
    if !above.isEmpty { (lost, slack, askedCaretRow) = (.none, ReflowSlack(), nil) }
    var answers = answers[...]
    for (index, line) in above.enumerated() {
      // Terminals forget the mark of a row that is erased.
      out.eraseToEndOfRow()
      if answers.first?.start == index { out.mark("A;redraw=0") }
      if answers.first?.output == index { out.mark("C") }
      write(line, &out)
      let ended = answers.first?.end == index + 1 ? answers.popFirst() : nil
      if let ended, ended.output <= index { out.mark("D") }
      out.settle()
      // One row cannot be both a prompt and output.
      if let ended, ended.output > index { for mark in ["C", "D"] { out.mark(mark) } }
      top.move(by: { line.columns(widths) }, in: size)
    }
    if rows.isEmpty {
      slack.draw(painted.map(\.cells.count), in: size, top: top.row, lost: lost)
    } else {
      slack.grow(to: painted.count)
    }
    for index in 0..<max(painted.count, slack.rows) {
      var row = index < painted.count ? painted[index] : .empty
      if slack.joins(index) {
        out.wrapOn()
        // For the terminal, the row exists only once something was written into it.
        row.pad(to: 1)
      } else if index > 0 {
        out.nextRow()
      }
      let goesOn = slack.joins(index + 1)
      if goesOn { row.pad(to: size.columns) }
      if !goesOn && !slack.joins(index) { out.eraseToEndOfRow() }
      out.write(row.cells[...])
      if !goesOn && slack.joins(index) && out.column != nil { out.eraseToEndOfRow() }
    }
    written = painted.map(\.cells.count)
    top.fit(max(painted.count, slack.rows), in: size)
  }

  private mutating func drawChanges(
    _ painted: [PaintedRow], caretRow: Int, _ out: inout ScreenBytes
  ) {
    for index in 0..<min(rows.count, painted.count) {
      let cells = painted[index].cells
      if cells.count < written[index] && index != caretRow {
        out.move(toRow: index, column: 0)
        out.eraseToEndOfRow()
        out.write(cells[...])
        written[index] = cells.count
      } else {
        drawChanges(from: rows[index].cells, to: cells, row: index, &out)
        written[index] = max(written[index], cells.count)
      }
    }
    if painted.count < rows.count {
      out.move(toRow: painted.count, column: 0)
      out.eraseBelow()
      written.removeLast(rows.count - painted.count)
    }
    for index in rows.count..<max(rows.count, painted.count) {
      out.move(toRow: index - 1, column: 0)
      out.nextRow()
      out.eraseToEndOfRow()
      out.write(painted[index].cells[...])
      written.append(painted[index].cells.count)
    }
    top.fit(painted.count, in: size)
  }

  private func drawChanges(
    from old: [Cell], to new: [Cell], row: Int, _ out: inout ScreenBytes
  ) {
    var at = 0
    while let start = nextChange(old, new, from: at) {
      at = endOfChange(old, new, from: start)
      out.move(toRow: row, column: start)
      out.write(new[start..<at])
    }
    if new.count < old.count, old[new.count...].contains(where: { $0 != .blank }) {
      out.move(toRow: row, column: new.count)
      out.eraseToEndOfRow()
    }
  }

  private func nextChange(_ old: [Cell], _ new: [Cell], from start: Int) -> Int? {
    var at = start
    while at < new.count {
      if isChanged(old, new, at) { return at }
      at += width(new, at)
    }
    return nil
  }

  /// Where the changes end; writing a few unchanged cells between two changes takes fewer bytes
  /// than moving over them.
  private func endOfChange(_ old: [Cell], _ new: [Cell], from start: Int) -> Int {
    var end = start + width(new, start)
    var at = end
    while at < new.count && at - end <= 4 {
      let isNext = isChanged(old, new, at)
      if !isNext && (new[at].style != new[start].style || !new[at].character.isASCII) { break }
      at += width(new, at)
      if isNext { end = at }
    }
    return end
  }

  private func isChanged(_ old: [Cell], _ new: [Cell], _ at: Int) -> Bool {
    for column in at..<(at + width(new, at)) {
      // After the end of the old row, write blanks as well: someone typed them.
      if column >= old.count || new[column] != old[column] { return true }
    }
    return false
  }

  private func width(_ cells: [Cell], _ at: Int) -> Int {
    max(1, Int(cells[at].columns))
  }

  /// Writes a line as it is, but with blanks for tabs, since a terminal's tab does not wrap and
  /// erases nothing.
  private func write(_ line: StyledLine, _ out: inout ScreenBytes) {
    // Write most lines as they are; only the terminal knows how many columns they take.
    guard size.columns > 1, !line.runs.contains(where: { Self.holdsControls($0.text) }) else {
      return writeCounting(line, &out)
    }
    for run in line.runs {
      out.link(capabilities.links ? run.link : nil)
      out.write(run.text.string, capabilities.shown(run.style))
    }
    out.link(nil)
  }

  private static func holdsControls(_ text: SafeText) -> Bool {
    text.string.utf8.withContiguousStorageIfAvailable { $0.contains { $0 < 0x20 } } ?? true
  }

  /// Writes a line with characters, such as tabs, whose column has to be known.
  private func writeCounting(_ line: StyledLine, _ out: inout ScreenBytes) {
    var column = 0
    for run in line.runs {
      out.link(capabilities.links ? run.link : nil)
      var text = ""
      for character in run.text.string {
        let next = widths.column(after: character, at: column)
        if character == "\t" {
          text += String(repeating: " ", count: next - column)
        } else if character == "\n" {
          text += " "
        } else if size.columns == 1 && next - column > 1 {
          text += "?"
        } else {
          text.append(character)
        }
        column = next
      }
      out.write(text, capabilities.shown(run.style))
    }
    out.link(nil)
  }
}
