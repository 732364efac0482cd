// SPDX-License-Identifier: GPL-3.0-or-later

/// The marks on one line and which of them belong together (XEP-0393, 5.2).
struct SpanMarks {
  struct Mark {
    var range: Range<Int>
    /// Index into `MessageStyling.symbols`.
    var symbol: Int
    /// White space, or the start of the block, stands before it.
    var isAfterSpace: Bool
    /// White space, or the end of the line, stands behind it.
    var isBeforeSpace: Bool
    /// The nearest mark behind it that could close it.
    var closer: Int?
  }

  private(set) var marks: [Mark] = []
  private let content: Range<Int>
  private let symbols: [MessageStyling.Symbol]

  /// - Parameters:
  ///   - content: a line without its newline and the marks of quotes.
  ///   - fencesCount: take the marks of preformatted blocks for marks of spans.
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
        at += space > 0 ? space : bytes.scalar(at: rest)?.length ?? 1
      }
    }
    // From the right, so that no mark has to search for its closer.
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
  /// - Parameter base: the style of the block around.
  func append(to found: inout RunList, base: Style) {
    // Each symbol is open once at most: its first closer ends it.
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
        // With nothing between them neither is a mark.
        index = closer + 1
        continue
      }
      let outer = open.last?.style ?? base
      let style = symbols[mark.symbol].style.laid(over: outer)
      found.append(at..<mark.range.lowerBound, outer)
      found.append(mark: mark.range, style)
      at = mark.range.upperBound
      open.append(Open(start: at, symbol: mark.symbol, closer: closer, style: style))
      // Nothing counts in code but its end.
      index = symbols[mark.symbol].kind == .code ? closer : index + 1
    }
    found.append(at..<content.upperBound, base)
  }
}

extension MessageStyling {
  /// A symbol that was opened and that nothing closes.
  package struct Opening: Hashable, Sendable {
    package var symbol: Symbol
    /// Where its mark begins, a UTF-8 offset.
    package var offset: Int

    package init(symbol: Symbol, offset: Int) {
      self.symbol = symbol
      self.offset = offset
    }
  }

  /// The symbols that could be closed at a place (6.3): opened before it on the same line and
  /// closed nowhere on it, the nearest one last.
  ///
  /// An opening mark stands at the start or after white space; what follows it is neither white
  /// space nor punctuation, but may be another symbol. In a closed code span and in a preformatted
  /// block that began on an earlier line there are none; behind an open code mark none but itself
  /// and what was opened before it.
  ///
  /// - Parameter offset: a UTF-8 offset.
  package func openings(in text: String, before offset: Int) -> [Opening] {
    text.withUTF8Bytes { bytes in
      let offset = min(max(0, offset), bytes.count)
      var blocks = BlockWalk(bytes, self)
      var start = 0
      while let end = bytes.firstNewline(in: start..<offset) {
        _ = blocks.next(start..<end)
        start = end + 1
      }
      let end = bytes.firstNewline(in: offset..<bytes.count) ?? bytes.count
      let block = blocks.next(start..<end)
      switch block.kind {
      case .inside, .closes: return []
      case .plain: return openings(in: bytes, block.content, before: offset)
      case .opens:
        // All of the line but the mark itself is in the block.
        return openings(in: bytes, block.content, before: offset)
          .filter { $0.offset == block.content.lowerBound }
      }
    }
  }

  private func openings(
    in bytes: UTF8Bytes, _ content: Range<Int>, before offset: Int
  ) -> [Opening] {
    let marks = SpanMarks(bytes, content, self, fencesCount: true).marks
    var openings: [Opening] = []
    var index = 0
    while index < marks.count, marks[index].range.upperBound <= offset {
      let mark = marks[index]
      let symbol = symbols[mark.symbol]
      index += 1
      guard mark.isAfterSpace, !mark.isBeforeSpace,
        isText(bytes, mark.range.upperBound..<content.upperBound, behind: mark.symbol)
      else { continue }
      let isCode = symbol.kind != .span
      if let closer = mark.closer {
        let isClosedHere = marks[closer].range.lowerBound < offset
        if isCode && !isClosedHere { return [] }
        if isClosedHere { index = closer + 1 }
      } else {
        openings.append(Opening(symbol: symbol, offset: mark.range.lowerBound))
        if isCode { break }
      }
    }
    return openings
  }

  /// Whether what follows a mark lets it open something.
  private func isText(_ bytes: UTF8Bytes, _ rest: Range<Int>, behind symbol: Int) -> Bool {
    let others = [fences, spans, quotes]
    if let other = others.lazy.compactMap({ $0.mark(at: rest, in: bytes) }).first {
      return other.symbol != symbol
    }
    switch bytes.scalar(at: rest)?.value.properties.generalCategory {
    case nil, .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
      .initialPunctuation, .finalPunctuation, .otherPunctuation:
      return false
    default: return true
    }
  }
}
