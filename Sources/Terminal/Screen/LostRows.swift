// SPDX-License-Identifier: GPL-3.0-or-later

/// The rows of the block that went into the scrollback when the screen became too small for it.
/// Nothing can remove them there, but a terminal that grows again brings them back above the block,
/// where the next drawing removes them.
struct LostRows: Equatable {
  /// The lines from the top, each as it was before any wrapping.
  private(set) var lines: [PaintedRow] = []

  /// No lost rows, or none that are still directly above the block.
  static let none = LostRows()

  private init() {}

  /// Makes the first `count` rows of these lines, wrapped, the lost ones.
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
        // This part is now a separate line: its rest is deleted, and what is drawn there begins a
        // new line.
        lines.append(cut)
      }
      left -= height
    }
  }
}
