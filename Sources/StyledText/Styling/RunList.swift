// SPDX-License-Identifier: GPL-3.0-or-later

/// Collects runs as they are found, from left to right.
struct RunList {
  private(set) var runs: [MessageStyling.Run] = []

  mutating func append(_ range: Range<Int>, _ style: Style) {
    if style != .plain { append(range, style, isMark: false) }
  }

  /// - Parameter style: the style of the text that the mark belongs to.
  mutating func append(mark range: Range<Int>, _ style: Style) {
    append(range, style.asMark(in: .plain), isMark: true)
  }

  private mutating func append(_ range: Range<Int>, _ style: Style, isMark: Bool) {
    if range.isEmpty { return }
    if let last = runs.last, last.range.upperBound == range.lowerBound, last.style == style,
      last.isMark == isMark
    {
      runs[runs.count - 1].range = last.range.lowerBound..<range.upperBound
    } else {
      runs.append(MessageStyling.Run(range: range, style: style, isMark: isMark))
    }
  }
}
