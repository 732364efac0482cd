// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// Rows of cells below each other, in columns as wide as their cells; on a narrow screen each row
/// becomes a block, with its last cell below the others. For a screen reader, a row is its first
/// cell, a colon and the other cells.
package struct AnswerTable {
  /// Where each cell begins, in columns.
  private var starts: [Int] = []
  private var isStacked = false
  private let columns: Int
  private let widths: Widths
  /// Whether to break cells between words; otherwise each row is one line.
  private let breaks: Bool
  private let isSpoken: Bool

  /// If fewer columns than this are left for the last cell, and it needs more than are left, rows
  /// are stacked.
  private static let minimumRoom = 30
  /// The maximum width of a column between the first and the last. After a cell that is wider, the
  /// row continues on the next line.
  private static let widestMiddle = 14

  /// - Parameter rows: all of them have the same number of cells.
  package init(
    for rows: [[StyledLine]], columns: Int, widths: Widths, breaks: Bool, isSpoken: Bool
  ) {
    (self.columns, self.widths, self.breaks, self.isSpoken) = (columns, widths, breaks, isSpoken)
    let count = rows.map(\.count).max() ?? 0
    func widest(_ cell: Int) -> Int {
      rows.map { $0[cell].columns(widths) }.max() ?? 0
    }
    func taken(by cell: Int) -> Int {
      let width = widest(cell)
      let most = cell == 0 ? widestFirst(beside: widest(count - 1)) : Self.widestMiddle
      return width > 0 ? (breaks ? min(width, most) : width) + 2 : 0
    }
    /// A short last cell, such as a state, leaves up to half of the columns to the first one.
    func widestFirst(beside last: Int) -> Int {
      let usual = max(8, columns / 3 - 4 + (count > 2 ? 6 : 0))
      return count == 2 ? max(usual, min(columns / 2, columns - last - 2)) : usual
    }
    var start = 0
    for cell in 0..<count {
      starts.append(start)
      if cell == count - 1 {
        isStacked = breaks && columns - start < min(widest(cell), Self.minimumRoom)
      } else {
        start += taken(by: cell)
      }
    }
  }

  /// The lines of a row.
  package func lines(_ cells: [StyledLine]) -> [StyledLine] {
    if isSpoken { return [sentence(cells.filter { !$0.isEmpty })] }
    if isStacked { return block(cells) }
    return row(cells)
  }

  private func sentence(_ cells: [StyledLine]) -> StyledLine {
    cells.enumerated().reduce(StyledLine()) { line, cell in
      line + StyledLine(cell.offset == 0 ? "" : cell.offset == 1 ? ": " : ", ") + cell.element
    }
  }

  private func row(_ cells: [StyledLine]) -> [StyledLine] {
    var lines: [StyledLine] = []
    var line = StyledLine()
    for (index, cell) in cells.enumerated() where !cell.isEmpty {
      let start = starts[index]
      let gap = start - line.columns(widths)
      if gap < 2, !line.isEmpty {
        if breaks {
          lines.append(line)
          line = .blanks(start)
        } else {
          line += .blanks(2)
        }
      } else {
        line += .blanks(gap)
      }
      var parts = [cell]
      if breaks, index == cells.count - 1 {
        parts = cell.with(margin: 0).wrapped(at: max(1, columns - start), widths: widths)
      }
      line += parts[0]
      for part in parts.dropFirst() {
        lines.append(line)
        line = StyledLine.blanks(start) + part
      }
    }
    return lines + [line]
  }

  private func block(_ cells: [StyledLine]) -> [StyledLine] {
    let head = cells.dropLast().filter { !$0.isEmpty }
    let first = head.dropFirst().reduce(head.first ?? StyledLine()) {
      $0 + StyledLine.blanks(2) + $1
    }
    guard let last = cells.last, !last.isEmpty else { return [first] }
    let rows = last.with(margin: 0).wrapped(at: max(1, columns - 4), widths: widths)
    return [first] + rows.map { StyledLine.blanks(4) + $0 }
  }
}

extension StyledLine {
  package static func blanks(_ columns: Int) -> StyledLine {
    columns > 0 ? StyledLine(SafeText(line: String(repeating: " ", count: columns))) : StyledLine()
  }
}
