// SPDX-License-Identifier: GPL-3.0-or-later

/// A message that a search found.
public struct SearchHit: Hashable, Sendable {
  public var message: Message
  /// Where the searched words are in the body: UTF-8 offsets, ascending, not overlapping, whole
  /// graphemes.
  public var ranges: [Range<Int>]
}

extension SearchQuery {
  /// Where the words are in a text: UTF-8 offsets, ascending, not overlapping, whole graphemes.
  public func ranges(in body: String) -> [Range<Int>] {
    let tokens = Tokenizer.tokens(of: body)
    var found: [Range<Int>] = []
    for term in terms {
      let wanted = Tokenizer.tokens(of: term.text).map(\.folded)
      guard !wanted.isEmpty, wanted.count <= tokens.count else { continue }
      for start in 0...(tokens.count - wanted.count)
      where SearchQuery.matches(wanted, tokens[start...], isPrefix: term.isPrefix) {
        let last = tokens[start + wanted.count - 1]
        found.append(tokens[start].range.lowerBound..<last.range.upperBound)
      }
    }
    return SearchQuery.joined(found, in: body)
  }

  private static func matches(
    _ wanted: [[UInt8]], _ tokens: ArraySlice<Tokenizer.Token>, isPrefix: Bool
  ) -> Bool {
    for (index, (word, token)) in zip(wanted, tokens).enumerated() {
      let mayGoOn = isPrefix && index == wanted.count - 1
      guard mayGoOn ? token.folded.starts(with: word) : token.folded == word else { return false }
    }
    return true
  }

  private static func joined(_ ranges: [Range<Int>], in body: String) -> [Range<Int>] {
    guard !ranges.isEmpty else { return [] }
    var result: [Range<Int>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = result.last, range.lowerBound < last.upperBound {
        result[result.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        result.append(range)
      }
    }
    return body.utf8.allSatisfy { $0 < 0x80 } ? result : wholeGraphemes(result, of: body)
  }

  /// Highlighting a part of a grapheme would tear it apart.
  private static func wholeGraphemes(_ ranges: [Range<Int>], of body: String) -> [Range<Int>] {
    var result: [Range<Int>] = []
    var pending = ranges[...]
    var offset = 0
    for grapheme in body {
      let graphemeRange = offset..<(offset + grapheme.utf8.count)
      offset = graphemeRange.upperBound
      while let range = pending.first, range.upperBound <= graphemeRange.lowerBound {
        pending.removeFirst()
      }
      guard let range = pending.first else { break }
      guard range.overlaps(graphemeRange) else { continue }
      if let last = result.last, last.upperBound == graphemeRange.lowerBound,
        range.lowerBound < graphemeRange.lowerBound
      {
        result[result.count - 1] = last.lowerBound..<graphemeRange.upperBound
      } else {
        result.append(graphemeRange)
      }
    }
    return result
  }
}
