// SPDX-License-Identifier: GPL-3.0-or-later

/// What of the block went into the scrollback when the screen became too small for it. Nothing can
/// take it away there, but a terminal that grows again brings it back above the block, where the
/// next drawing removes it.
struct LostRows: Equatable {
  /// From the top, each as it was before any wrapping.
  private var lines: [PaintedRow] = []

  /// Nothing is there, or something else has come between it and the block.
  static let none = LostRows()

  /// The terminal has wrapped the rows anew, for another size.
  ///
  /// - Parameters:
  ///   - rows: the block.
  ///   - caret: where the cursor is in it.
  ///   - former: the screen's size until now.
  ///   - showsEnd: how the terminal makes a screen lower: see ``Painter/Looks/showsEnd``.
  /// - Returns: how many rows above the cursor the first of them now begins, on the screen or above.
  mutating func rewrap(
    _ rows: [PaintedRow], caret: (row: Int, column: Int), from former: Size, to size: Size,
    showsEnd: Bool
  ) -> Int {
    let all = lines + rows
    let heights = all.map { $0.wrappedRows(columns: size.columns) }
    let line = lines.count + caret.row
    let within = all[line].wrappedRow(of: caret.column, columns: size.columns)
    let up = heights[..<line].reduce(within, +)
    // The cursor is on the screen, so what does not fit above it there is lost for certain. Where
    // it stands higher, more is; but to count that, too, might remove messages one day.
    var count = up - (size.rows - 1)
    if showsEnd {
      let dropped = min(max(0, former.rows - size.rows), all.count - 1 - line)
      count = heights.dropLast(dropped).reduce(0, +) - size.rows
    }
    keep(all, first: count, columns: size.columns)
    return up
  }

  /// Of `all`, wrapped, the first `count` rows are lost.
  private mutating func keep(_ all: [PaintedRow], first count: Int, columns: Int) {
    lines = []
    var left = count
    for line in all {
      guard left > 0 else { return }
      let height = line.wrappedRows(columns: columns)
      if height <= left {
        lines.append(line)
      } else {
        var cut = line
        while cut.wrappedRows(columns: columns) > left { cut.cells.removeLast() }
        // A line of its own from now on: its rest is deleted, and what is drawn there begins anew.
        lines.append(cut)
      }
      left -= height
    }
  }
}
