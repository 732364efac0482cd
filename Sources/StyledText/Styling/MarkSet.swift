// SPDX-License-Identifier: GPL-3.0-or-later

/// Marks to look for at a position in a text.
struct MarkSet: Hashable, Sendable {
  struct Mark: Hashable, Sendable {
    var bytes: [UInt8]
    /// Index into `MessageStyling.symbols`.
    var symbol: Int
  }

  /// The marks, longest first: if several fit, the longest counts.
  private var marks: [Mark] = []
  /// For every byte, whether a mark begins with it: most bytes of a text begin no mark.
  private var firstBytes = [Bool](repeating: false, count: 256)

  mutating func add(_ mark: Mark) {
    let index = marks.firstIndex { $0.bytes.count < mark.bytes.count } ?? marks.count
    marks.insert(mark, at: index)
    firstBytes[Int(mark.bytes[0])] = true
  }

  /// The mark at the start of the range, if the range contains all of it.
  func mark(at range: Range<Int>, in bytes: UTF8Bytes) -> Mark? {
    guard let first = range.first, firstBytes[Int(bytes[first])] else { return nil }
    return marks.first { bytes.begins(with: $0, range) }
  }
}

extension UTF8Bytes {
  /// Whether the mark is at the start of the range, as separate characters.
  func begins(with mark: MarkSet.Mark, _ range: Range<Int>) -> Bool {
    let end = range.lowerBound + mark.bytes.count
    return end <= range.upperBound && self[range.lowerBound..<end].elementsEqual(mark.bytes)
      && !joinsWhatIsBefore(end..<range.upperBound)
  }

  private func joinsWhatIsBefore(_ range: Range<Int>) -> Bool {
    // Nothing below U+0300 combines.
    guard let first = range.first, self[first] >= 0xCC,
      let scalar = decodeScalar(self, at: first)?.scalar
    else { return false }
    let properties = scalar.properties
    return properties.isGraphemeExtend || properties.isEmojiModifier || scalar.value == 0x200D
      || properties.generalCategory == .spacingMark
  }
}
