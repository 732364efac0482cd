// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// Motions by grapheme and by line over UTF-8 bytes, as the line editor's buffer holds them (1.4).
///
/// Offsets count bytes and may be anything: one outside the text is moved to its start or end, one
/// inside a grapheme to the grapheme's start. Bytes that are not UTF-8 are graphemes of one byte.
/// Each motion reads only the neighbourhood of the caret or its line, so it takes no longer in a
/// long text than in a short one.
///
/// ```swift
/// Motion.previousGrapheme(in: "hi 🇩🇪", before: 11)  // 3
/// ```
package enum Motion {
  /// The start of the grapheme before `offset`; 0 at the start.
  package static func previousGrapheme(
    in utf8: UnsafeBufferPointer<UInt8>, before offset: Int
  ) -> Int {
    let offset = inside(utf8, offset)
    guard offset > 0 else { return 0 }
    var graphemes = Graphemes(
      utf8, from: Graphemes.certainBoundary(utf8, atOrBefore: offset - 1))
    while let grapheme = graphemes.next() {
      if grapheme.upperBound >= offset { return grapheme.lowerBound }
    }
    return 0
  }

  /// The end of the grapheme at `offset`; the text's end at the end.
  package static func nextGrapheme(
    in utf8: UnsafeBufferPointer<UInt8>, after offset: Int
  ) -> Int {
    let offset = inside(utf8, offset)
    var graphemes = Graphemes(utf8, from: Graphemes.certainBoundary(utf8, atOrBefore: offset))
    while let grapheme = graphemes.next() {
      if grapheme.upperBound > offset { return grapheme.upperBound }
    }
    return utf8.count
  }

  /// The nearest grapheme boundary at or before `offset`.
  package static func clampedToGrapheme(
    in utf8: UnsafeBufferPointer<UInt8>, offset: Int
  ) -> Int {
    let offset = inside(utf8, offset)
    var graphemes = Graphemes(utf8, from: Graphemes.certainBoundary(utf8, atOrBefore: offset))
    while let grapheme = graphemes.next() {
      if grapheme.upperBound > offset { return grapheme.lowerBound }
    }
    return offset
  }

  /// The start of the line that `offset` is in: after the newline before `offset`.
  package static func lineStart(in utf8: UnsafeBufferPointer<UInt8>, offset: Int) -> Int {
    var at = inside(utf8, offset)
    while at > 0 && utf8[at - 1] != newline { at -= 1 }
    return at
  }

  /// The end of the line that `offset` is in: before the newline after `offset`.
  package static func lineEnd(in utf8: UnsafeBufferPointer<UInt8>, offset: Int) -> Int {
    var at = inside(utf8, offset)
    while at < utf8.count && utf8[at] != newline { at += 1 }
    return at
  }

  /// The place one line up.
  ///
  /// - Parameters:
  ///   - offset: the caret.
  ///   - goal: the column to go to, as `unwrappedColumn(in:offset:widths:)` counts; nil for the
  ///     current one. Keep it over several motions, so that a short line between two long ones does
  ///     not change the column.
  ///   - widths: how the terminal counts columns.
  /// - Returns: an offset; the end of the line if it is shorter. Nil on the first line.
  package static func lineAbove(
    in utf8: UnsafeBufferPointer<UInt8>, from offset: Int, column goal: Int? = nil, widths: Widths
  ) -> Int? {
    let start = lineStart(in: utf8, offset: offset)
    guard start > 0 else { return nil }
    let above = lineStart(in: utf8, offset: start - 1)
    let goal = goal ?? unwrappedColumn(in: utf8, offset: offset, widths: widths)
    return self.offset(in: utf8, line: above..<(start - 1), column: goal, widths: widths)
  }

  /// The place one line down; nil on the last line. See `lineAbove(in:from:column:widths:)`.
  package static func lineBelow(
    in utf8: UnsafeBufferPointer<UInt8>, from offset: Int, column goal: Int? = nil, widths: Widths
  ) -> Int? {
    let end = lineEnd(in: utf8, offset: offset)
    guard end < utf8.count else { return nil }
    let goal = goal ?? unwrappedColumn(in: utf8, offset: offset, widths: widths)
    let below = (end + 1)..<lineEnd(in: utf8, offset: end + 1)
    return self.offset(in: utf8, line: below, column: goal, widths: widths)
  }

  /// The columns between the start of the line and `offset`, as if the line were never wrapped.
  package static func unwrappedColumn(
    in utf8: UnsafeBufferPointer<UInt8>, offset: Int, widths: Widths
  ) -> Int {
    let offset = inside(utf8, offset)
    var graphemes = Graphemes(
      utf8, from: lineStart(in: utf8, offset: offset), to: lineEnd(in: utf8, offset: offset))
    var column = 0
    while let grapheme = graphemes.next(), grapheme.upperBound <= offset {
      column += ShownGrapheme(utf8, grapheme, at: column, widths: widths).columns
    }
    return column
  }

  private static func offset(
    in utf8: UnsafeBufferPointer<UInt8>, line: Range<Int>, column goal: Int, widths: Widths
  ) -> Int {
    var graphemes = Graphemes(utf8, from: line.lowerBound, to: line.upperBound)
    var column = 0
    while let grapheme = graphemes.next() {
      column += ShownGrapheme(utf8, grapheme, at: column, widths: widths).columns
      if column > goal { return grapheme.lowerBound }
    }
    return line.upperBound
  }

  private static func inside(_ utf8: UnsafeBufferPointer<UInt8>, _ offset: Int) -> Int {
    min(max(0, offset), utf8.count)
  }

  private static let newline = UInt8(ascii: "\n")
}

extension Motion {
  /// The start of the grapheme before `offset`, in a text.
  package static func previousGrapheme(in text: String, before offset: Int) -> Int {
    text.withUTF8Bytes { previousGrapheme(in: $0, before: offset) }
  }

  /// The end of the grapheme at `offset`, in a text.
  package static func nextGrapheme(in text: String, after offset: Int) -> Int {
    text.withUTF8Bytes { nextGrapheme(in: $0, after: offset) }
  }

  /// The nearest grapheme boundary at or before `offset`, in a text.
  package static func clampedToGrapheme(in text: String, offset: Int) -> Int {
    text.withUTF8Bytes { clampedToGrapheme(in: $0, offset: offset) }
  }

  /// The start of the line that `offset` is in, in a text.
  package static func lineStart(in text: String, offset: Int) -> Int {
    text.withUTF8Bytes { lineStart(in: $0, offset: offset) }
  }

  /// The end of the line that `offset` is in, in a text.
  package static func lineEnd(in text: String, offset: Int) -> Int {
    text.withUTF8Bytes { lineEnd(in: $0, offset: offset) }
  }
}
