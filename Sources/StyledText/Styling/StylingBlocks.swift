// SPDX-License-Identifier: GPL-3.0-or-later

/// Walks over the lines of a text and says which block each belongs to (XEP-0393, 5.1).
struct BlockWalk {
  enum Kind {
    /// A line of spans.
    case plain
    /// The first line of a preformatted block.
    case opens(MarkSet.Mark)
    case inside(MarkSet.Mark)
    /// The last line of a preformatted block, which consists of the mark.
    case closes(MarkSet.Mark)
  }

  /// The parts of a line: marks of quotes, each with at most one blank after it, and the rest.
  struct Line {
    var start: Int
    var quotes: [(range: Range<Int>, symbol: Int)]
    var content: Range<Int>
    var kind: Kind
  }

  private let bytes: UTF8Bytes
  private let fences: MarkSet
  private let quotes: MarkSet
  /// The preformatted block that is open, and how many quotes it is in.
  private var open: (fence: MarkSet.Mark, depth: Int)?

  /// - Parameters:
  ///   - fences: the marks of preformatted blocks.
  ///   - quotes: the marks of quotes.
  init(_ bytes: UTF8Bytes, fences: MarkSet, quotes: MarkSet) {
    self.bytes = bytes
    self.fences = fences
    self.quotes = quotes
  }

  /// Returns the parts of the next line, given without its newline.
  mutating func next(_ line: Range<Int>) -> Line {
    if let (fence, depth) = open {
      var block = quoted(line, atMost: depth)
      if block.quotes.count == depth {
        // A `>` in addition to those before the block is text of the block.
        let isClosing =
          bytes.begins(with: fence, block.content)
          && block.content.count == fence.bytes.count
        block.kind = isClosing ? .closes(fence) : .inside(fence)
        if isClosing { open = nil }
        return block
      }
      // The quote around the block has ended, and with it the block.
      open = nil
    }
    var block = quoted(line, atMost: .max)
    if let fence = fences.mark(at: block.content, in: bytes) {
      open = (fence, block.quotes.count)
      block.kind = .opens(fence)
    }
    return block
  }

  /// Forgets that a preformatted block is open.
  mutating func leave() { open = nil }

  private func quoted(_ line: Range<Int>, atMost depth: Int) -> Line {
    var quotes: [(range: Range<Int>, symbol: Int)] = []
    var at = line.lowerBound
    while quotes.count < depth,
      let mark = self.quotes.mark(at: at..<line.upperBound, in: bytes)
    {
      let end = at + mark.bytes.count
      quotes.append((at..<end, mark.symbol))
      at = end + bytes.lengthOfSpace(at: end..<line.upperBound)
    }
    return Line(
      start: line.lowerBound, quotes: quotes, content: at..<line.upperBound, kind: .plain)
  }
}
