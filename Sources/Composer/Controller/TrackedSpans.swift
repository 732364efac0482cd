// SPDX-License-Identifier: GPL-3.0-or-later

/// The spans of a line whose text somebody else changes: they move along, and a text that comes
/// back as a whole has those it had (2.10). It knows no text but those that lost their spans.
struct TrackedSpans {
  /// The spans of the present text, in its order.
  private(set) var spans: [Span] = []
  /// Texts that lost spans when another one took their place, the latest last.
  private var left: [(text: String, spans: [Span])] = []

  private static let mostLeft = 16
  private static let mostBytesLeft = 1 << 16

  /// A text arrived with its spans: a draft, or a message to edit.
  mutating func begin(with spans: [Span]) {
    self.spans = spans
    left = []
  }

  /// The text has changed. What is typed into a span makes it plain text; a text that comes back
  /// whole, from the history, by undo or from the kill ring, has the spans it had.
  ///
  /// - Parameters:
  ///   - change: what lies between the two.
  ///   - isUndo: the change is undo or redo; otherwise one letter more or less counts as typing.
  mutating func follow(
    from old: String, to new: String, _ change: (range: Range<Int>, count: Int), isUndo: Bool
  ) {
    if spans.isEmpty && left.isEmpty { return }
    let now = Span.adjusted(spans, replacing: change.range, with: change.count)
    let known = left.last { $0.text.hasSameBytes(as: new) }?.spans ?? []
    if known.count > now.count, isUndo || !Self.isTyping(from: old, to: new, change) {
      spans = known
      return
    }
    if now.count < spans.count { leave(old) }
    spans = now
  }

  /// A part of the text was replaced.
  ///
  /// - Parameters:
  ///   - range: UTF-8 offsets in the text before.
  ///   - insert: the new text of that range.
  ///   - old: the text before.
  ///   - accepted: a span that came with it.
  ///   - isWrapping: the old part was put between marks, or out of them: spans in it stay.
  mutating func applyReplacement(
    of range: Range<Int>, with insert: String, in old: String, accepted: Span? = nil,
    isWrapping: Bool = false
  ) {
    let moved = isWrapping ? moved(range, insert, old) : []
    let adjusted = Span.adjusted(spans, replacing: range, with: insert.utf8.count)
    if adjusted.count + moved.count < spans.count { leave(old) }
    spans = (adjusted + moved + [accepted].compactMap { $0 })
      .sorted { $0.range.lowerBound < $1.range.lowerBound }
  }

  /// The spans that lie in a part that is put between marks, or out of them.
  private func moved(_ range: Range<Int>, _ insert: String, _ text: String) -> [Span] {
    if spans.isEmpty { return [] }
    let (old, new) = (Array(text.slice(range).utf8), Array(insert.utf8))
    guard let shift = Self.offset(of: old, in: new) ?? Self.offset(of: new, in: old).map({ -$0 })
    else { return [] }
    let kept =
      shift >= 0 ? range : (range.lowerBound - shift)..<(range.lowerBound - shift + new.count)
    return spans.filter {
      kept.lowerBound <= $0.range.lowerBound && $0.range.upperBound <= kept.upperBound
    }
    .map {
      Span(
        range: ($0.range.lowerBound + shift)..<($0.range.upperBound + shift),
        identity: $0.identity)
    }
  }

  private static func offset(of part: [UInt8], in whole: [UInt8]) -> Int? {
    guard !part.isEmpty, part.count <= whole.count else { return nil }
    return (0...(whole.count - part.count)).first {
      whole[$0..<($0 + part.count)].elementsEqual(part)
    }
  }

  /// What deleting a word backwards takes where the caret is in a span of several words; see
  /// `Span.deletingWord`. The text is taken to lose it.
  ///
  /// - Returns: what is deleted, nil where the line editor's own word counts.
  mutating func deleteWord(before caret: Int, in text: String) -> Range<Int>? {
    guard let cut = Span.deletingWord(before: caret, in: text, spans: spans) else { return nil }
    if cut.spans.count < spans.count { leave(text) }
    spans = cut.spans
    return cut.range
  }

  /// Whether the change is one letter more or less.
  private static func isTyping(
    from old: String, to new: String, _ change: (range: Range<Int>, count: Int)
  ) -> Bool {
    let (range, count) = change
    if !range.isEmpty && count > 0 { return false }
    let piece =
      count > 0 ? new.slice(range.lowerBound..<(range.lowerBound + count)) : old.slice(range)
    return piece.count <= 1
  }

  private mutating func leave(_ text: String) {
    guard text.utf8.count <= Self.mostBytesLeft else { return }
    left.removeAll { $0.text.hasSameBytes(as: text) }
    left.append((text, spans))
    if left.count > Self.mostLeft { left.removeFirst() }
  }
}
