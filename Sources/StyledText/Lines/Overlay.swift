// SPDX-License-Identifier: GPL-3.0-or-later

/// A part of a line to highlight: an address, a name, a search hit.
package struct Overlay: Hashable, Sendable {
  /// UTF-8 offsets into the line's plain text.
  package var range: Range<Int>
  /// The style to lay over the existing ones.
  package var style: Style
  package var link: Link?

  package init(_ range: Range<Int>, _ style: Style, link: Link? = nil) {
    self.range = range
    self.style = style
    self.link = link
  }
}

extension StyledLine {
  /// The line with highlighted parts.
  ///
  /// - Parameter overlays: ascending, not overlapping; parts outside the text are ignored.
  package func overlaid(_ overlays: [Overlay]) -> StyledLine {
    guard !overlays.isEmpty else { return self }
    var rest = overlays[...]
    var result = StyledLine()
    var start = 0
    for run in runs {
      let count = run.text.string.utf8.count
      var at = 0
      func part(_ end: Int) -> SafeText {
        defer { at = end }
        return run.text.bytes(at..<end)
      }
      while at < count {
        while let first = rest.first, first.range.upperBound <= start + at { rest.removeFirst() }
        guard let next = rest.first, next.range.lowerBound < start + count else {
          result.append(part(count), run.style, link: run.link)
          break
        }
        if next.range.lowerBound > start + at {
          result.append(part(next.range.lowerBound - start), run.style, link: run.link)
        }
        let end = min(next.range.upperBound - start, count)
        result.append(part(end), next.style.laid(over: run.style), link: next.link ?? run.link)
      }
      start += count
    }
    return result
  }
}
