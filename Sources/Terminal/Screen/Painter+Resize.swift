// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// The screen after a resize (rule 13.8): the block is removed from where the terminal has moved
/// it, and the next `paint` draws it there anew.
///
/// When tmux wraps rows at the bottom of its screen, it pushes as many rows into the scrollback,
/// and it brings them back only if it can unwrap something. So rows that the block no longer needs
/// after a narrowing stay wrapped parts of its lines, with blanks only. Otherwise the prompt would
/// be a row higher after each narrowing and widening.
extension Painter {
  /// In which row of the screen the block begins; while that is unknown, the lowest possible
  /// number.
  struct Top: Equatable {
    var row = 0
    var isKnown = false

    /// Call this when a line of so many columns was printed above the block.
    mutating func move(by columns: () -> Int, in size: Size) {
      // At the bottom of the screen the block stays where it is.
      guard row < size.rows else { return }
      row += max(1, (columns() + size.columns - 1) / size.columns)
    }

    /// Call this when the block has so many rows, all on the screen.
    mutating func fit(_ rows: Int, in size: Size) {
      guard row >= size.rows - rows else { return }
      row = max(0, size.rows - rows)
      isKnown = true
    }
  }

  /// The rows that the block has on the screen, if a resize left it more than it needs, or left
  /// rows that the terminal treats as one line.
  struct ReflowSlack: Equatable {
    /// A wider window that may come back: its columns, and its rows from the block's first row on.
    struct Layout: Equatable {
      var columns: Int
      var rows: Int
    }

    /// For each row, whether it continues the line of the row above.
    private var joined: [Bool] = []
    private(set) var widestLayout: Layout?

    init() {}

    /// - Parameter joined: for each row, whether it continues the line of the row above.
    init(joined: some Sequence<Bool>, widestLayout: Layout?) {
      self.joined = [false] + joined.dropFirst()
      self.widestLayout = widestLayout
    }

    /// Whether each row is a separate line.
    var isPlain: Bool { joined.isEmpty }
    var rows: Int { joined.count }

    func joins(_ row: Int) -> Bool { row < joined.count && joined[row] }

    /// Call this when the block has grown to so many rows.
    mutating func grow(to rows: Int) {
      if isPlain { return }
      while joined.count < rows { joined.append(false) }
    }

    /// Call this when the block is drawn for the first time, with rows of so many cells. As many of
    /// them are joined as do not fit in the widest layout.
    ///
    /// - Parameters:
    ///   - size: the size of the screen.
    ///   - top: the screen's row in which the block begins.
    ///   - lost: the rows of the block above the screen.
    mutating func draw(_ cells: [Int], in size: Size, top: Int, lost: LostRows) {
      grow(to: cells.count)
      if let widestLayout, !isPlain {
        let above = lost.lines.reduce(0) { $0 + $1.wrappedRows(columns: widestLayout.columns) }
        func isTooHigh() -> Bool {
          above + max(0, size.rows - top - rows)
            + rowsOnceWrapped(cells, from: size.columns, to: widestLayout.columns)
            > widestLayout.rows
        }
        let own = joined
        while isTooHigh(), let row = joined.dropFirst().lastIndex(of: false) { joined[row] = true }
        if isTooHigh() {
          // Blank rows below then continue the line of the last row.
          joined = own
          while isTooHigh(), top + rows < size.rows { joined.append(true) }
        }
        while !isTooHigh(), let row = joined.lastIndex(of: true) {
          joined[row] = false
          guard isTooHigh() else { continue }
          joined[row] = true
          break
        }
      }
      if !joined.contains(true) { joined = [] }
    }

    private func rowsOnceWrapped(_ cells: [Int], from columns: Int, to others: Int) -> Int {
      var (count, line) = (0, 0)
      for row in joined.indices {
        line = (joined[row] ? (line + columns - 1) / columns * columns : 0)
        line += max(1, row < cells.count ? cells[row] : 0)
        if row + 1 == joined.count || !joined[row + 1] { count += (line + others - 1) / others }
      }
      return count
    }
  }

  /// The block's lines as they were in the terminal before it wrapped them anew.
  private struct Lines {
    var lines: [PaintedRow]
    var caretLine = 0
    var caretColumn = 0
    /// Rows below the block, as far as they are known.
    var blanks = 0
  }

  /// The question where the block is; empty if that is known, or makes no difference. A terminal
  /// that shows the end of wrapped text does not say after a resize how many rows are hidden; the
  /// rows below the block tell.
  package mutating func questionForPlace() -> [UInt8] {
    guard capabilities.showsEnd, !top.isKnown, !rows.isEmpty, askedCaretRow == nil else {
      return []
    }
    askedCaretRow = caretRow
    return SizeReport.cursorQuestion
  }

  /// Takes the answer to `questionForPlace`, unless the block has moved since.
  package mutating func learnPlace(from cursor: CursorPosition) {
    guard let asked = askedCaretRow.take(), !top.isKnown else { return }
    top = Top(row: max(0, cursor.row - asked), isKnown: true)
    top.fit(max(rows.count, slack.rows), in: size)
  }

  /// Removes the block from where it is now, since the screen has another size, or had one for a
  /// moment. The next `paint` draws it anew.
  ///
  /// - Parameter cursor: where the terminal says that the cursor is; nil if it does not say.
  package mutating func resize(to size: Size, cursor: CursorPosition? = nil) -> [UInt8] {
    let former = self.size
    self.size = Size(rows: max(1, size.rows), columns: max(1, size.columns))
    guard !rows.isEmpty else {
      (top, slack) = (Top(), ReflowSlack())
      return []
    }
    let block = held(from: former)
    let widestLayout = layoutToRestore(from: former)
    if let cursor { learn(from: cursor, block) }
    let columns = capabilities.rewraps ? self.size.columns : .max
    let heights = block.lines.map { $0.wrappedRows(columns: columns) }
    let position = block.lines[block.caretLine].wrappedPosition(
      of: block.caretColumn, columns: columns)
    let up = heights[..<block.caretLine].reduce(position.row, +)
    let above = rowsAbove(up: up, all: heights.reduce(block.blanks, +), position: position, cursor)
    let first = max(0, -above)
    var out = ScreenBytes(row: cursor?.row ?? up, column: nil, columns: self.size.columns)
    out.move(toRow: cursor == nil ? 0 : first, column: 0)
    // Delete lines instead of erasing: at the top of the screen, tmux would save erased rows.
    // Delete as many lines as the screen has, since libvterm would save them if they were fewer.
    out.control(self.size.rows, "M")
    forget()
    lost = LostRows(block.lines, first: above, columns: columns)
    guard cursor != nil else { return out.bytes }
    top = Top(row: first, isKnown: true)
    if capabilities.showsEnd {
      slack = ReflowSlack(
        joined: heights.flatMap { [false] + Array(repeating: true, count: $0 - 1) }
          .dropFirst(max(0, above)).prefix(self.size.rows - first), widestLayout: widestLayout)
    }
    return out.bytes
  }

  /// How many rows of the block are above the screen; if negative, how many rows of the screen are
  /// above the block.
  private func rowsAbove(
    up: Int, all: Int, position: CursorPosition, _ cursor: CursorPosition?
  ) -> Int {
    let showsEnd = all - size.rows
    guard let cursor else {
      // The cursor is on the screen, so rows that do not fit above it there are certainly lost. If
      // it is higher, more rows are lost; but counting those as well could remove messages.
      return capabilities.showsEnd ? showsEnd : up - (size.rows - 1)
    }
    guard capabilities.showsEnd else { return up - cursor.row }
    let isElsewhere = cursor.column != min(position.column, max(cursor.column, size.columns - 1))
    let isFirst = cursor == CursorPosition(row: 0, column: 0)
    // tmux moves a cursor that is above the screen to the first row and column. In a screen of one
    // column, only the number of rows tells that it was moved there.
    if isFirst, top.isKnown, isElsewhere || showsEnd > up { return showsEnd }
    if isFirst || !isElsewhere { return up - cursor.row }
    // The block was drawn for a width that the screen no longer had. The caret's row belongs to the
    // block; the rows above it may be messages, and leaving stale rows is better than removing a
    // message.
    return -cursor.row
  }

  /// Finds out whether the terminal wraps rows or cuts them off. The environment does not always
  /// tell, but a cursor that was beyond the margin does.
  private mutating func learn(from cursor: CursorPosition, _ block: Lines) {
    let cut = min(block.caretColumn, size.columns - 1)
    let wrapped = block.lines[block.caretLine].wrappedPosition(
      of: block.caretColumn, columns: size.columns)
    guard !capabilities.showsEnd, wrapped.column != cut, wrapped.column < size.columns else {
      return
    }
    if cursor.column == wrapped.column { capabilities.rewraps = true }
    if cursor.column == cut { capabilities.rewraps = false }
  }

  private func layoutToRestore(from former: Size) -> ReflowSlack.Layout? {
    guard top.isKnown, size.rows == former.rows else { return nil }
    let widestLayout =
      slack.widestLayout ?? .init(columns: former.columns, rows: former.rows - top.row)
    return widestLayout.columns > size.columns ? widestLayout : nil
  }

  private func held(from former: Size) -> Lines {
    var block = Lines(lines: lost.lines)
    var kept = max(rows.count, slack.rows)
    block.blanks = top.isKnown ? max(0, former.rows - top.row - kept) : 0
    if capabilities.showsEnd {
      // When a screen becomes lower, it first loses rows below the cursor.
      let taken = min(max(0, former.rows - size.rows), block.blanks + kept - 1 - caretRow)
      kept -= max(0, taken - block.blanks)
      block.blanks = max(0, block.blanks - taken)
    }
    var start = 0
    for index in 0..<kept {
      var row = index < rows.count ? rows[index] : .empty
      if index < written.count { row.pad(to: written[index]) }
      if slack.joins(index), var line = block.lines.popLast() {
        start += former.columns
        line.pad(to: start)
        line.cells += row.cells.isEmpty ? [.blank] : row.cells
        block.lines.append(line)
      } else {
        start = 0
        block.lines.append(row)
      }
      if index == caretRow {
        (block.caretLine, block.caretColumn) = (block.lines.count - 1, start + caretColumn)
      }
    }
    return block
  }
}
