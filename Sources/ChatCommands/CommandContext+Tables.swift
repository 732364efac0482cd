// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatRendering
import StyledText

extension CommandContext {
  /// Prints tables with common columns, each below its heading.
  func list(_ sections: [(heading: SafeText, rows: [[StyledLine]])]) -> Step {
    // A list has a margin of two columns.
    let layout = layout(of: sections.flatMap(\.rows), margin: 2)
    return Step([
      .list(sections.map { ($0.heading, $0.rows.flatMap { layout.lines($0) }) }, indent: 4)
    ])
  }

  /// Prints a table.
  ///
  /// - Parameters:
  ///   - headings: the headings of the columns, printed only in tty mode; empty if the cells explain
  ///     themselves.
  ///   - cut: the column to cut if the table is too wide; see ``AnswerTable``.
  func table(_ headings: [SafeText], _ rows: [[StyledLine]]) -> Step {
    var head = headings.map { StyledLine($0, .dim) }
    for cell in head.indices where rows.allSatisfy({ $0[cell].isEmpty }) {
      head[cell] = StyledLine()
    }
    let rows = outputMode == .tty && !head.isEmpty ? [head] + rows : rows
    let layout = layout(of: rows, margin: 0)
    return .answer(rows.flatMap { layout.lines($0) })
  }

  private func layout(
    of rows: [[StyledLine]], margin: Int
  ) -> AnswerTable {
    AnswerTable(
      for: rows, columns: printer.options.columns - margin, widths: widths,
      breaks: printer.options.wraps, isSpoken: glyphs.isSpoken)
  }
}
