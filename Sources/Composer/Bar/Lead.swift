// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// The left items and the prompt, drawn before the text.
struct Lead {
  /// Left items and the prompt.
  let row: CellRow
  /// How many columns the rows after the first are indented by.
  let indent: Int

  /// How many columns it takes of the text's first row.
  var columns: Int { row.columns }

  init(of bar: InputBar, usable: Int, widths: Widths) {
    let forText = max(1, min(8, usable / 4))
    let room = usable - forText
    var line = bar.prompt
    if !bar.hidesSideZones, let left = bar.zoneLine(of: .left, widths) {
      // The prompt names the conversation, so the items are dropped first.
      if left.columns + 1 + bar.prompt.columns(widths) <= room {
        line = left.line(columns: left.columns, widths: widths)
        line.append(" ")
        line.append(bar.prompt)
      }
    }
    if line.columns(widths) > room {
      // Fewer than three columns of the prompt would not tell where the person is.
      line = room < 3 ? [] : line.truncated(to: room - 1, widths: widths) + StyledLine(" ")
    }
    row = CellRow(line, upTo: room, widths)
    indent = row.columns * 2 > usable ? min(2, row.columns) : row.columns
  }
}

extension CellRow {
  /// Makes a row of at most so many columns.
  init(_ line: StyledLine, upTo columns: Int, _ widths: Widths) {
    self.init(line, widths: widths)
    cut(to: columns)
  }

  /// Drops what does not fit, and a wide character as a whole. A line that was measured can still
  /// be longer when it is drawn: a newline that slipped into it becomes a blank, and so does a mark
  /// at its start with no letter to combine with.
  mutating func cut(to columns: Int) {
    guard cells.count > columns else { return }
    var end = max(0, columns)
    while end > 0 && cells[end].columns == 0 { end -= 1 }
    cells.removeSubrange(end...)
  }
}
