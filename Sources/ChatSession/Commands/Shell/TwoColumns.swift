// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// A name, and its explanation.
struct ColumnEntry {
  var name: StyledLine
  var help: StyledLine
}

extension CommandContext {
  /// Prints names and their explanations in two columns. The first takes at most a third of a row,
  /// where the margin of wrapped rows ends; after a longer name the explanation begins on a row of
  /// its own.
  func list(_ sections: [(heading: SafeText, entries: [ColumnEntry])]) -> Step {
    let longest = sections.flatMap(\.entries).map { $0.name.columns(widths) }.max() ?? 0
    // A list has a margin of two columns.
    let most = max(8, printer.options.columns / 3 - 2 - 2)
    let start = min(longest, most) + 2
    func blanks(_ count: Int) -> StyledLine {
      StyledLine(SafeText(line: String(repeating: " ", count: count)))
    }
    return Step([
      .list(
        sections.map { section in
          (
            section.heading,
            section.entries.flatMap { entry in
              let gap = start - entry.name.columns(widths)
              return gap >= 2
                ? [entry.name + blanks(gap) + entry.help]
                : [entry.name, blanks(start) + entry.help]
            }
          )
        }, indent: start)
    ])
  }
}
