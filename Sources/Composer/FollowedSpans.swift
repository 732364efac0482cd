// SPDX-License-Identifier: GPL-3.0-or-later

/// The spans of a line whose text somebody else changes: they move along, and a text that comes
/// back as a whole has those it had (2.10).
///
/// ```swift
/// var followed = FollowedSpans()
/// followed.begin("@Anna: hello", with: [Span(range: 0..<5, identity: "anna")])
/// followed.follow("", caret: 0)               // C-c
/// followed.follow("@Anna: hello", caret: 12)  // C-_
/// followed.spans.count                        // 1
/// ```
public struct FollowedSpans: Sendable {
  /// Those of the text that was told last, in its order.
  public private(set) var spans: [Span] = []
  private var text = ""
  /// Texts that lost spans when another one took their place, the latest last.
  private var left: [(text: String, spans: [Span])] = []

  private static let mostLeft = 16
  private static let mostBytesLeft = 1 << 16

  public init() {}

  /// A text that brings its spans along: a draft, or a message to be edited.
  public mutating func begin(_ text: String, with spans: [Span]) {
    self.text = text
    self.spans = spans
    left = []
  }

  /// The text has changed. What is typed into a span makes it plain text; a text that comes back
  /// whole, from the history, by undo or from the kill ring, has the spans it had.
  ///
  /// - Parameters:
  ///   - caret: a UTF-8 offset in `new`.
  ///   - isUndo: undo or redo brought it; otherwise a letter more or less is taken for typing.
  public mutating func follow(_ new: String, caret: Int, isUndo: Bool = false) {
    defer { text = new }
    if spans.isEmpty && left.isEmpty { return }
    let now = Span.adjusted(spans, from: text, to: new, caret: caret)
    let known = left.last { $0.text.utf8.elementsEqual(new.utf8) }?.spans ?? []
    if known.count > now.count, isUndo || !isTyping(new, caret: caret) {
      spans = known
      return
    }
    if now.count < spans.count { leave() }
    spans = now
  }

  /// A part of the text was replaced.
  ///
  /// - Parameters:
  ///   - range: UTF-8 offsets in the text before.
  ///   - count: the bytes that stand there now.
  ///   - now: the text after.
  ///   - accepted: a span that came with it.
  public mutating func replaced(
    _ range: Range<Int>, with count: Int, text now: String, accepted: Span?
  ) {
    let adjusted = Span.adjusted(spans, replacing: range, with: count)
    if adjusted.count < spans.count { leave() }
    (spans, text) = (adjusted, now)
    guard let accepted else { return }
    spans.append(accepted)
    spans.sort { $0.range.lowerBound < $1.range.lowerBound }
  }

  /// A part of the text was put between marks, or out of them: what lies in it moves.
  ///
  /// - Parameters:
  ///   - range: UTF-8 offsets in the text before.
  ///   - insert: what stands there now.
  ///   - now: the text after.
  public mutating func wrapped(_ range: Range<Int>, in insert: String, text now: String) {
    let (old, new) = (Array(text.slice(range).utf8), Array(insert.utf8))
    guard let shift = Self.offset(of: old, in: new) ?? Self.offset(of: new, in: old).map({ -$0 })
    else {
      return replaced(range, with: new.count, text: now, accepted: nil)
    }
    let kept =
      shift >= 0 ? range : (range.lowerBound - shift)..<(range.lowerBound - shift + new.count)
    let inside = spans.filter {
      $0.range.lowerBound >= kept.lowerBound && $0.range.upperBound <= kept.upperBound
    }
    let moved = inside.map {
      Span(
        range: ($0.range.lowerBound + shift)..<($0.range.upperBound + shift), identity: $0.identity)
    }
    replaced(range, with: new.count, text: now, accepted: nil)
    spans = (spans + moved).sorted { $0.range.lowerBound < $1.range.lowerBound }
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
  /// - Returns: where it begins, nil where the line editor's own word counts.
  public mutating func deletesWord(before caret: Int, in line: String) -> Int? {
    follow(line, caret: caret)
    guard let cut = Span.deletingWord(before: caret, in: line, spans: spans) else { return nil }
    if cut.spans.count < spans.count { leave() }
    spans = cut.spans
    text = String(
      decoding: Array(line.utf8.prefix(cut.range.lowerBound))
        + Array(line.utf8.dropFirst(cut.range.upperBound)), as: UTF8.self)
    return cut.range.lowerBound
  }

  /// A letter more or less: somebody types.
  private func isTyping(_ new: String, caret: Int) -> Bool {
    let (range, count) = TextChange.between(text, new, caret: caret)
    if !range.isEmpty && count > 0 { return false }
    let piece =
      count > 0
      ? new.slice(range.lowerBound..<(range.lowerBound + count)) : text.slice(range)
    return piece.count <= 1
  }

  private mutating func leave() {
    guard text.utf8.count <= Self.mostBytesLeft else { return }
    left.removeAll { $0.text.utf8.elementsEqual(text.utf8) }
    left.append((text, spans))
    if left.count > Self.mostLeft { left.removeFirst() }
  }
}
