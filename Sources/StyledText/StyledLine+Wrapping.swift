// SPDX-License-Identifier: GPL-3.0-or-later

extension StyledLine {
  /// The line in several, broken at blanks, so that no word is cut in two. For what the program says
  /// itself; what people wrote is left to the terminal to wrap, so that it can be copied whole.
  ///
  /// A word wider than the space it has stays in one piece, for the terminal to wrap.
  ///
  /// ```swift
  /// print(help.wrapped(at: 80, indent: 20, widths: widths))
  /// ```
  ///
  /// - Parameters:
  ///   - columns: how wide a line may be.
  ///   - indent: how many blanks the second line and the others begin with, in columns.
  ///   - widths: how the terminal counts columns.
  public func wrapped(at columns: Int, indent: Int, widths: Widths) -> [StyledLine] {
    if self.columns(widths) <= columns { return [self] }
    let text = plain.string
    func offset(_ index: String.Index) -> Int {
      text.utf8.distance(from: text.startIndex, to: index)
    }
    var pieces: [Range<Int>] = []
    var start = text.startIndex
    /// Where the last blanks begin and end that the line may be broken at.
    var blanks: Range<String.Index>?
    var hasWord = false
    var used = 0
    var at = start
    while at < text.endIndex {
      let next = text.index(after: at)
      let isBlank = text[at] == " "
      if isBlank, hasWord {
        let first = blanks.flatMap { $0.upperBound == at ? $0.lowerBound : nil } ?? at
        blanks = first..<next
      } else if !isBlank {
        hasWord = true
      }
      used = widths.column(after: text[at], at: used)
      if used > columns, !isBlank, let gap = blanks {
        pieces.append(offset(start)..<offset(gap.lowerBound))
        start = gap.upperBound
        used = indent
        blanks = nil
        at = start
        continue
      }
      at = next
    }
    pieces.append(offset(start)..<text.utf8.count)
    let margin = StyledLine(SafeText(line: String(repeating: " ", count: indent)))
    return pieces.enumerated().map { $0.offset == 0 ? cut($0.element) : margin + cut($0.element) }
  }

  /// The part of the line between two places in its text, in bytes.
  private func cut(_ range: Range<Int>) -> StyledLine {
    var result = StyledLine(runs: [])
    var offset = 0
    for run in runs {
      let length = run.text.string.utf8.count
      let part = range.clamped(to: offset..<(offset + length))
      if !part.isEmpty {
        result.append(
          run.text.bytes((part.lowerBound - offset)..<(part.upperBound - offset)), run.style,
          link: run.link)
      }
      offset += length
    }
    return result
  }
}
