// SPDX-License-Identifier: GPL-3.0-or-later

/// The spans of a line whose text is changed elsewhere. They move along with the text, and a text
/// that comes back as a whole gets its spans back (2.10). The only texts kept here are those that
/// lost their spans.
struct TrackedSpans {
  /// The spans of the current text, in order.
  private(set) var spans: [Span] = []
  /// Texts that lost spans when another text replaced them, the latest last.
  private var left: [(text: String, spans: [Span])] = []

  private static let mostLeft = 16
  private static let mostBytesLeft = 1 << 16

  /// Begins with the spans of another text: a draft, or a message to edit.
  mutating func begin(with spans: [Span]) {
    self.spans = spans
    left = []
  }

  /// Adjusts the spans to a change of the text. Typing into a span makes it plain text. A text that
  /// comes back as a whole, from the history, by undo or from the kill ring, gets its spans back.
  ///
  /// - Parameters:
  ///   - change: the difference between the two texts.
  ///   - isUndo: whether the change is undo or redo; if not, one letter more or less counts as
  ///     typing.
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

  /// Adjusts the spans after a part of the text was replaced.
  ///
  /// - Parameters:
  ///   - range: UTF-8 offsets in the old text.
  ///   - insert: the new text of that range.
  ///   - old: the text before the change.
  ///   - accepted: a span in the new text, if a candidate was accepted.
  ///   - isWrapping: whether the old part was put between marks, or marks around it were removed;
  ///     then its spans stay.
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

  /// The spans in a part that was put between marks, or that lost the marks around it.
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

  /// Returns what deleting a word backwards removes if the caret is in a span of several words; see
  /// `Span.deletingWord`. Adjusts the spans as if that were already deleted.
  ///
  /// - Returns: the range to delete; nil if the line editor's own idea of a word applies.
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
