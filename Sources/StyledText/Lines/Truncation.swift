// SPDX-License-Identifier: GPL-3.0-or-later

extension SafeText {
  /// The text, cut to fit.
  ///
  /// - Parameters:
  ///   - columns: how many columns it may take, the ellipsis included.
  ///   - widths: how the terminal counts columns.
  ///   - ellipsis: replaces the part that was cut off; `Glyphs.ascii.ellipsis` if the
  ///     terminal knows no other.
  /// - Returns: the whole text when it fits.
  public func truncated(
    to columns: Int, widths: Widths, ellipsis: SafeText = Glyphs.unicode.ellipsis
  ) -> SafeText {
    if widths.columns(of: string) <= columns { return self }
    let forEllipsis = widths.columns(of: ellipsis.string)
    guard forEllipsis <= columns else {
      return SafeText(unchecked: String(string[..<end(ofPrefix: columns, widths)]))
    }
    return self[..<end(ofPrefix: columns - forEllipsis, widths)] + ellipsis
  }

  /// Where the longest beginning that takes at most `columns` ends.
  private func end(ofPrefix columns: Int, _ widths: Widths) -> String.Index {
    var used = 0
    var end = string.startIndex
    while end < string.endIndex {
      let next = widths.column(after: string[end], at: used)
      if next > columns { break }
      used = next
      end = string.index(after: end)
    }
    return end
  }
}

extension StyledLine {
  /// The line, cut to fit; a link that is cut is no longer a link.
  ///
  /// - Parameters:
  ///   - columns: how many columns it may take, the ellipsis included; the ellipsis has the style
  ///     of what was cut off.
  ///   - widths: how the terminal counts columns.
  ///   - ellipsis: replaces the part that was cut off.
  public func truncated(
    to columns: Int, widths: Widths, ellipsis: SafeText = Glyphs.unicode.ellipsis
  ) -> StyledLine {
    if self.columns(widths) <= columns { return self }
    let forEllipsis = widths.columns(of: ellipsis.string)
    guard forEllipsis <= columns else {
      return longestPrefix(of: columns, widths)
    }
    var line = longestPrefix(of: columns - forEllipsis, widths)
    let kept = line.runs.reduce(0) { $0 + $1.text.string.utf8.count }
    line.append(ellipsis, style(atByte: kept))
    return line
  }

  /// The longest beginning that takes at most `columns`.
  private func longestPrefix(of columns: Int, _ widths: Widths) -> StyledLine {
    var result = StyledLine(runs: [])
    var used = 0
    for run in runs {
      var end = run.text.string.startIndex
      while end < run.text.string.endIndex {
        let next = widths.column(after: run.text.string[end], at: used)
        if next > columns {
          result.append(run.text[..<end], run.style)
          return result
        }
        used = next
        end = run.text.string.index(after: end)
      }
      result.append(run.text, run.style)
    }
    return result
  }

  private func style(atByte offset: Int) -> Style {
    var left = offset
    for run in runs {
      if left < run.text.string.utf8.count { return run.style }
      left -= run.text.string.utf8.count
    }
    return .plain
  }
}
