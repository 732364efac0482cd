// SPDX-License-Identifier: GPL-3.0-or-later

extension MessageStyling {
  /// A symbol that is opened but never closed.
  package struct Opening: Hashable, Sendable {
    package var symbol: Symbol
    /// Where its mark begins, a UTF-8 offset.
    package var offset: Int

    package init(symbol: Symbol, offset: Int) {
      self.symbol = symbol
      self.offset = offset
    }
  }

  /// The symbols that could be closed at an offset (6.3): those opened before it on the same line
  /// and not closed on that line, the nearest one last.
  ///
  /// An opening mark is at the start or after white space; what follows it is neither white space
  /// nor punctuation, but may be another symbol. There are no openings in a closed code span, nor
  /// in a preformatted block that began on an earlier line. After an open code mark, only that mark
  /// and those before it count.
  ///
  /// - Parameter offset: a UTF-8 offset.
  package func openings(in text: String, before offset: Int) -> [Opening] {
    text.withUTF8Bytes { bytes in
      let offset = min(max(0, offset), bytes.count)
      var blocks = BlockWalk(bytes, fences: fences, quotes: quotes)
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
        // The whole line except the mark itself is in the block.
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

  /// Whether a mark with this text after it can open something.
  private func isText(_ bytes: UTF8Bytes, _ rest: Range<Int>, behind symbol: Int) -> Bool {
    let others = [fences, spans, quotes]
    if let other = others.lazy.compactMap({ $0.mark(at: rest, in: bytes) }).first {
      return other.symbol != symbol
    }
    let next = rest.first.flatMap { decodeScalar(bytes, at: $0) }
    switch next?.scalar.properties.generalCategory {
    case nil, .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
      .initialPunctuation, .finalPunctuation, .otherPunctuation:
      return false
    default: return true
    }
  }
}
