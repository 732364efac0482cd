// SPDX-License-Identifier: GPL-3.0-or-later

/// The marks on one line, and which of them form pairs (XEP-0393, 5.2).
struct SpanMarks {
  struct Mark {
    var range: Range<Int>
    /// Index into `MessageStyling.symbols`.
    var symbol: Int
    /// Whether white space, or the start of the block, is before it.
    var isAfterSpace: Bool
    /// Whether white space, or the end of the line, is after it.
    var isBeforeSpace: Bool
    /// The nearest mark after it that could close it.
    var closer: Int?
  }

  private(set) var marks: [Mark] = []
  private let content: Range<Int>
  private let symbols: [MessageStyling.Symbol]

  /// - Parameters:
  ///   - content: a line without its newline and the marks of quotes.
  ///   - fencesCount: whether to treat the marks of preformatted blocks as marks of spans.
  init(
    _ bytes: UTF8Bytes, _ content: Range<Int>, _ styling: MessageStyling, fencesCount: Bool = false
  ) {
    self.content = content
    symbols = styling.symbols
    var at = content.lowerBound
    var isAfterSpace = true
    while at < content.upperBound {
      let rest = at..<content.upperBound
      if let mark = (fencesCount ? styling.fences.mark(at: rest, in: bytes) : nil)
        ?? styling.spans.mark(at: rest, in: bytes)
      {
        let end = at + mark.bytes.count
        let isBeforeSpace =
          end == content.upperBound || bytes.lengthOfSpace(at: end..<content.upperBound) > 0
        marks.append(
          Mark(
            range: at..<end, symbol: mark.symbol, isAfterSpace: isAfterSpace,
            isBeforeSpace: isBeforeSpace))
        isAfterSpace = false
        at = end
      } else {
        let space = bytes.lengthOfSpace(at: rest)
        isAfterSpace = space > 0
        at += space > 0 ? space : decodeScalar(bytes, at: at)?.length ?? 1
      }
    }
    // Go from right to left, so that no mark has to search for its closer.
    var nearest: [Int: Int] = [:]
    for index in marks.indices.reversed() {
      marks[index].closer = nearest[marks[index].symbol]
      if !marks[index].isAfterSpace { nearest[marks[index].symbol] = index }
    }
  }

  private struct Open {
    /// Where the text of the span begins.
    var start: Int
    var symbol: Int
    /// Index of the closing mark.
    var closer: Int
    var style: Style
  }

  /// Adds the runs of the line.
  ///
  /// - Parameter base: the style of the block around the line.
  func append(to found: inout RunList, base: Style) {
    // Each symbol is open at most once: its first closer ends it.
    var open: [Open] = []
    var at = content.lowerBound
    var index = 0
    while index < marks.count {
      let mark = marks[index]
      if let span = open.last, span.closer == index {
        found.append(at..<mark.range.lowerBound, span.style)
        found.append(mark: mark.range, span.style)
        open.removeLast()
        at = mark.range.upperBound
        index += 1
        continue
      }
      let isBehindOpening =
        open.last.map { $0.start == mark.range.lowerBound && $0.symbol != mark.symbol } ?? false
      guard mark.isAfterSpace || isBehindOpening, !mark.isBeforeSpace, let closer = mark.closer,
        closer < open.last?.closer ?? marks.count
      else {
        index += 1
        continue
      }
      if marks[closer].range.lowerBound == mark.range.upperBound {
        // If nothing is between them, neither of them is a mark.
        index = closer + 1
        continue
      }
      let outer = open.last?.style ?? base
      let style = symbols[mark.symbol].style.laid(over: outer)
      found.append(at..<mark.range.lowerBound, outer)
      found.append(mark: mark.range, style)
      at = mark.range.upperBound
      open.append(Open(start: at, symbol: mark.symbol, closer: closer, style: style))
      // In code, only its end counts.
      index = symbols[mark.symbol].kind == .code ? closer : index + 1
    }
    found.append(at..<content.upperBound, base)
  }
}
