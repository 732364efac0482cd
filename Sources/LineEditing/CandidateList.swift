// SPDX-License-Identifier: GPL-3.0-or-later
import CReadline
import StyledText

/// The list of candidates that readline prints, as lines.
struct CandidateList {
  /// Whether a list has already explained how to choose by number.
  private var hasExplainedNumbers = false

  /// The labels with numbers, one per line, for a screen reader (rule 11.5).
  mutating func numbered(_ labels: [SafeText]) -> [StyledLine] {
    let lines = labels.enumerated().map { StyledLine(SafeText($0 + 1) + " " + $1) }
    defer { hasExplainedNumbers = true }
    // In vi's insert mode there is no key for a count.
    if hasExplainedNumbers || creadline_is_vi() { return lines }
    return lines + [StyledLine(say("M-2 TAB picks candidate number 2."))]
  }

  /// Labels side by side, as many as fit, filled downwards.
  static func sideBySide(_ labels: [SafeText], across columns: Int, widths: Widths) -> [StyledLine]
  {
    guard !labels.isEmpty else { return [] }
    let measured = labels.map { widths.columns(of: $0.string) }
    let cell = (measured.max() ?? 0) + 2
    let across = max(1, (columns - 1) / cell)
    let rows = (labels.count + across - 1) / across
    return (0..<rows).map { row in
      var line = StyledLine()
      for index in stride(from: row, to: labels.count, by: rows) {
        let blanks = index + rows < labels.count ? cell - measured[index] : 0
        line.append(labels[index] + SafeText(line: String(repeating: " ", count: blanks)))
      }
      return line
    }
  }
}
