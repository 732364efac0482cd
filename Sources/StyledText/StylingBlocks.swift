// SPDX-License-Identifier: GPL-3.0-or-later

/// Walks over the lines of a text and says of each what block it belongs to (XEP-0393, 5.1).
struct BlockWalk {
  enum Kind {
    /// A line of spans.
    case plain
    /// The first line of a preformatted block.
    case opens(MarkSet.Mark)
    case inside(MarkSet.Mark)
    /// The last line of a preformatted block: the mark and nothing else.
    case closes(MarkSet.Mark)
  }

  /// What a line is made of: marks of quotes, each with at most one blank behind it, and the rest.
  struct Line {
    var start: Int
    var quotes: [(range: Range<Int>, symbol: Int)]
    var content: Range<Int>
    var kind: Kind
  }

  private let bytes: UTF8Bytes
  private let styling: MessageStyling
  /// The preformatted block that is open, and how many quotes it stands in.
  private var open: (fence: MarkSet.Mark, depth: Int)?

  init(_ bytes: UTF8Bytes, _ styling: MessageStyling) {
    self.bytes = bytes
    self.styling = styling
  }

  /// The line that comes next, without its newline.
  mutating func next(_ line: Range<Int>) -> Line {
    if let (fence, depth) = open {
      var block = quoted(line, atMost: depth)
      if block.quotes.count == depth {
        // A `>` more than there were is text of the block.
        let isClosing =
          bytes.begins(with: fence, block.content)
          && block.content.count == fence.bytes.count
        block.kind = isClosing ? .closes(fence) : .inside(fence)
        if isClosing { open = nil }
        return block
      }
      // The quote around it has ended, and the block with it.
      open = nil
    }
    var block = quoted(line, atMost: .max)
    if let fence = styling.fences.mark(at: block.content, in: bytes) {
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
      let mark = styling.quotes.mark(at: at..<line.upperBound, in: bytes)
    {
      let end = at + mark.bytes.count
      quotes.append((at..<end, mark.symbol))
      at = end + bytes.lengthOfSpace(at: end..<line.upperBound)
    }
    return Line(
      start: line.lowerBound, quotes: quotes, content: at..<line.upperBound, kind: .plain)
  }
}

/// Marks to look for at a place of a text.
struct MarkSet: Hashable, Sendable {
  struct Mark: Hashable, Sendable {
    var bytes: [UInt8]
    /// Index into `MessageStyling.symbols`.
    var symbol: Int
  }

  /// Longest first: where several fit, the longest is meant.
  private var marks: [Mark] = []
  /// For every byte, whether a mark begins with it: most bytes of a text are none.
  private var firstBytes = [Bool](repeating: false, count: 256)

  mutating func insert(_ mark: Mark) {
    let place = marks.firstIndex { $0.bytes.count < mark.bytes.count } ?? marks.count
    marks.insert(mark, at: place)
    firstBytes[Int(mark.bytes[0])] = true
  }

  /// The mark that stands at the start of the range and within it.
  func mark(at range: Range<Int>, in bytes: UTF8Bytes) -> Mark? {
    guard let first = range.first, firstBytes[Int(bytes[first])] else { return nil }
    return marks.first { bytes.begins(with: $0, range) }
  }
}

typealias UTF8Bytes = UnsafeBufferPointer<UInt8>

extension UnsafeBufferPointer<UInt8> {
  func firstNewline(in range: Range<Int>) -> Int? {
    self[range].firstIndex(of: UInt8(ascii: "\n"))
  }

  func lastNewline(in range: Range<Int>) -> Int? {
    self[range].lastIndex(of: UInt8(ascii: "\n"))
  }

  /// Whether the mark stands at the start of the range, as characters of its own.
  func begins(with mark: MarkSet.Mark, _ range: Range<Int>) -> Bool {
    let end = range.lowerBound + mark.bytes.count
    return end <= range.upperBound && self[range.lowerBound..<end].elementsEqual(mark.bytes)
      && !joinsWhatIsBefore(end..<range.upperBound)
  }

  /// The bytes of the white space character at the start of the range, 0 where there is none.
  func lengthOfSpace(at range: Range<Int>) -> Int {
    guard let first = range.first else { return 0 }
    if self[first] < 0x80 {
      return self[first] == 0x20 || (0x09...0x0D).contains(self[first]) ? 1 : 0
    }
    guard let scalar = scalar(at: range), scalar.value.properties.isWhitespace else { return 0 }
    return scalar.length
  }

  /// The scalar at the start of the range.
  func scalar(at range: Range<Int>) -> (value: Unicode.Scalar, length: Int)? {
    guard let first = range.first else { return nil }
    return decodeScalar(self, at: first).map { ($0.scalar, $0.length) }
  }

  private func joinsWhatIsBefore(_ range: Range<Int>) -> Bool {
    // Nothing below U+0300 does.
    guard let first = range.first, self[first] >= 0xCC, let scalar = scalar(at: range)?.value
    else { return false }
    let properties = scalar.properties
    return properties.isGraphemeExtend || properties.isEmojiModifier || scalar.value == 0x200D
      || properties.generalCategory == .spacingMark
  }
}

extension String {
  /// Gives the bytes of the text to `body`, without a copy where the text is stored as UTF-8.
  func withUTF8Bytes<Result>(_ body: (UTF8Bytes) -> Result) -> Result {
    if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
    return ContiguousArray(utf8).withUnsafeBufferPointer(body)
  }
}
