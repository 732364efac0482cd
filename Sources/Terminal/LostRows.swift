// SPDX-License-Identifier: GPL-3.0-or-later

/// What of the block went into the scrollback when the screen became too small for it. Nothing can
/// take it away there, but a terminal that grows again brings it back above the block, where the
/// next drawing removes it.
struct LostRows: Equatable {
  /// From the top, each as it was before any wrapping.
  private(set) var lines: [PaintedRow] = []

  /// Nothing is there, or something else has come between it and the block.
  static let none = LostRows()

  private init() {}

  /// Of these lines, wrapped, the first `count` rows are lost.
  init(_ all: [PaintedRow], first count: Int, columns: Int) {
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
