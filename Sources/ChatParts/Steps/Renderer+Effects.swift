// SPDX-License-Identifier: GPL-3.0-or-later
import ChatRendering
import StyledText

extension Renderer {
  /// Prints the answer of a command.
  ///
  /// - Parameter indent: where the second row of each line begins, in columns.
  package mutating func answer(_ lines: [StyledLine], indent: Int = 4) -> Effect {
    printer.endRun()
    return .print(lines.map { $0.with(margin: indent) })
  }

  /// Prints errors.
  package mutating func complain(_ sentences: [SafeText]) -> Effect {
    answer(sentences.map { Self.error($0) }, indent: 2)
  }

  /// Prints the answer of a command, in a pager if it is more than a screen.
  ///
  /// - Parameters:
  ///   - atEnd: start the pager at the last line.
  ///   - always: use the pager whatever the length.
  package func page(_ lines: [StyledLine], atEnd: Bool, always: Bool = false) -> Effect {
    needsPager(lines, always: always) ? .page(lines, atEnd: atEnd) : .print(lines)
  }

  /// Prints a long list in sections, in a pager if it is longer than the screen. A single section
  /// needs no heading.
  ///
  /// - Parameter indent: where the second row of a line begins, in columns from its own start.
  package mutating func list(
    _ sections: [(heading: SafeText, lines: [StyledLine])], indent: Int
  ) -> Effect {
    let sections = sections.filter { !$0.lines.isEmpty }
    printer.endRun()
    guard sections.count > 1 else { return answer(sections.first?.lines ?? [], indent: indent) }
    let lines = sections.flatMap { section in
      [StyledLine(section.heading, Style([.bold, .underline]))]
        + section.lines.map { StyledLine("  ") + $0 }
    }
    return page(lines.map { $0.with(margin: indent + 2) }, atEnd: false)
  }
}
