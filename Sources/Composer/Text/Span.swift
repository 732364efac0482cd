// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// A part of a text that is more than its letters: a mention that knows who is meant (2.10).
///
/// ```swift
/// spans.append(Span(range: 0..<5, identity: "anna@example.org"))  // "@Anna: hello"
/// ```
public struct Span: Hashable, Sendable {
  /// UTF-8 offsets.
  public var range: Range<Int>
  /// Who is meant, as the source named them.
  public var identity: String

  public init(range: Range<Int>, identity: String) {
    self.range = range
    self.identity = identity
  }

  /// The spans after a change of the text. Spans before the change stay, spans after it move, and
  /// spans that the change touches become plain text.
  ///
  /// - Parameters:
  ///   - spans: the spans of the text before the change.
  ///   - replaced: the UTF-8 range that was replaced.
  ///   - count: how many bytes replaced it.
  package static func adjusted(
    _ spans: [Span], replacing replaced: Range<Int>, with count: Int
  ) -> [Span] {
    spans.compactMap { span in
      if replaced.lowerBound >= span.range.upperBound { return span }
      guard replaced.upperBound <= span.range.lowerBound else { return nil }
      let shift = count - replaced.count
      let range = (span.range.lowerBound + shift)..<(span.range.upperBound + shift)
      return Span(range: range, identity: span.identity)
    }
  }

  /// What deleting a word backwards removes when the caret is in or after a span of several words:
  /// the span's last word up to the caret, then the rest (2.10). The span stays, shorter, as long
  /// as it has its first word.
  ///
  /// - Parameters:
  ///   - caret: a UTF-8 offset.
  ///   - text: the text before the deletion.
  ///   - spans: its spans.
  /// - Returns: the range to delete and the spans afterwards; nil if the caret is in no span, so
  ///   that the line editor's own idea of a word applies.
  package static func deletingWord(
    before caret: Int, in text: String, spans: [Span]
  ) -> (range: Range<Int>, spans: [Span])? {
    guard
      let hit = spans.firstIndex(where: {
        $0.range.lowerBound < caret && caret <= $0.range.upperBound
      })
    else { return nil }
    let span = spans[hit]
    let head = text.slice(span.range.lowerBound..<caret)
    let words = head.trimmed
    let cut =
      words.unicodeScalars.lastIndex { $0.properties.isWhitespace }
      .map { words[..<$0].trimmed.endIndex } ?? words.startIndex
    let start = text.byteOffset(of: cut)
    var after = adjusted(spans, replacing: start..<caret, with: 0)
    if start > span.range.lowerBound {
      let end = span.range.upperBound - (caret - start)
      let shorter = Span(range: span.range.lowerBound..<end, identity: span.identity)
      after.insert(shorter, at: min(hit, after.count))
    }
    return (start..<caret, after)
  }
}

extension Span {
  /// The spans that fit a text, when a store or another program names both: those that begin and
  /// end at a boundary between its characters, and not before the end of the one before.
  public static func fitting(_ spans: [Span], to text: String) -> [Span] {
    if spans.isEmpty { return [] }
    return text.withUTF8Bytes { utf8 in
      var end = 0
      // Walk forward only: there may be any number of places in a long character.
      var walk = Graphemes(utf8, from: 0)
      func isBoundary(_ offset: Int) -> Bool {
        if Graphemes.isCertainBoundary(utf8, offset) { return true }
        while walk.offset < offset, walk.next() != nil {}
        return walk.offset == offset
      }
      return spans.filter { span in
        let range = span.range
        guard !range.isEmpty, end <= range.lowerBound, range.upperBound <= utf8.count,
          isBoundary(range.lowerBound), isBoundary(range.upperBound)
        else { return false }
        end = range.upperBound
        return true
      }
    }
  }
}
