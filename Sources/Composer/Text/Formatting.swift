// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// Puts symbols such as `*` around text that is being typed (6.2, 6.3).
///
/// ```swift
/// Formatting.wrap("*", in: "hello", caret: 5, region: nil)  // 0..<5, "*hello*", 7
/// ```
public enum Formatting {
  /// What C-x and a symbol do (6.2): put the region, or the word at the caret, between two marks,
  /// and the caret after them.
  ///
  /// - Blanks at both ends of a region stay outside, since a mark beside a blank styles nothing.
  /// - A span cannot go past the end of its line, so each line of a region gets its own marks. If
  ///   the symbol is preformatted, a region of several lines goes between two lines that have only
  ///   the mark.
  /// - A quote has no closing mark: each line of the region, or the caret's line, gets a mark and a
  ///   blank in front.
  /// - Without a word, the caret ends up between two marks.
  ///
  /// - Parameters:
  ///   - mark: the symbol; if it is not in `symbols`, it is treated as a symbol for a span.
  ///   - text: the text before the change.
  ///   - caret: a UTF-8 offset.
  ///   - region: UTF-8 offsets; an empty one does not count.
  ///   - symbols: those that the text may have.
  /// - Returns: the range to replace, in UTF-8 offsets before the change, its new text, and the
  ///   caret, a UTF-8 offset after the change. Nil if there is nothing to change: for a region of
  ///   white space only, and for a text that already has these marks around it.
  public static func wrap(
    _ mark: String, in text: String, caret: Int, region: Range<Int>?,
    symbols: MessageStyling = .standard
  ) -> (range: Range<Int>, insert: String, caret: Int)? {
    guard !mark.isEmpty else { return nil }
    let caret = Motion.clampedToGrapheme(in: text, offset: caret)
    let kind = symbols.symbols.first { $0.mark == mark }?.kind ?? .span
    let region = region.map {
      Motion.clampedToGrapheme(
        in: text, offset: $0.lowerBound)..<Motion.clampedToGrapheme(in: text, offset: $0.upperBound)
    }
    let chosen = region.flatMap { $0.isEmpty ? nil : $0 }
    if kind == .quote { return quote(mark, text, chosen ?? caret..<caret) }

    let range = chosen.map { trimmedRange($0, in: text) } ?? word(at: caret, in: text)
    if range.isEmpty {
      guard chosen == nil else { return nil }
      return (caret..<caret, mark + mark, caret + mark.utf8.count)
    }
    let inside = String(text.slice(range))
    let marks = 2 * mark.utf8.count
    if inside.utf8.count > marks && inside.hasPrefix(mark) && inside.hasSuffix(mark) { return nil }
    let isOneLine = !inside.utf8.contains(newline)
    let insert: String
    if isOneLine {
      insert = mark + inside + mark
    } else if kind == .preformatted {
      insert = fenced(inside, mark, in: text, range)
    } else {
      insert = wrappedLines(inside, mark)
    }
    return (range, insert, range.lowerBound + insert.utf8.count)
  }

  /// What a space does if it is typed after white space (6.3): it closes the nearest open symbol.
  ///
  /// ```swift
  /// // "hello *bold world |" and a space: "hello *bold world* |"
  /// ```
  ///
  /// The change applies to the text with the space in it. Insert the space at the caret as one undo
  /// step, then make this change as another; one undo then brings back the two spaces.
  ///
  /// Do not call this for commands and pastes. Symbols in code are ignored here.
  ///
  /// - Parameters:
  ///   - text: the text before the space is inserted.
  ///   - caret: where it is going to be inserted, a UTF-8 offset.
  ///   - symbols: those that a space closes.
  /// - Returns: the range to replace, counted in the text with the space, and the caret after the
  ///   change, UTF-8 offsets. Nil for a plain space.
  public static func closing(
    in text: String, caret: Int, symbols: MessageStyling
  ) -> (range: Range<Int>, insert: String, caret: Int)? {
    let caret = Motion.clampedToGrapheme(in: text, offset: caret)
    let line = text.slice(Motion.lineStart(in: text, offset: caret)..<caret)
    guard let last = line.unicodeScalars.last, last.properties.isWhitespace,
      let letter = line.unicodeScalars.lastIndex(where: { !$0.properties.isWhitespace })
    else { return nil }
    let wordEnd = line.unicodeScalars.index(after: letter)
    let words = line[..<wordEnd]
    let end = text.byteOffset(of: wordEnd)
    let opening = symbols.openings(in: text, before: end).last {
      !words.utf8.reversed().starts(with: $0.symbol.mark.utf8.reversed())
    }
    guard let opening else { return nil }
    let insert = opening.symbol.mark + line[wordEnd...]
    return (end..<(caret + 1), insert, end + insert.utf8.count)
  }

  private static let newline = UInt8(ascii: "\n")

  private static func trimmedRange(_ range: Range<Int>, in text: String) -> Range<Int> {
    let inside = text.slice(range).trimmed
    guard !inside.isEmpty else { return range.lowerBound..<range.lowerBound }
    let start = text.byteOffset(of: inside.startIndex)
    return start..<(start + inside.utf8.count)
  }

  /// The word at the caret, from white space to white space; only what is after the caret if white
  /// space is before it.
  private static func word(at caret: Int, in text: String) -> Range<Int> {
    let scalars = text.unicodeScalars
    let index = text.index(atByte: caret)
    let start =
      scalars[..<index].lastIndex { $0.properties.isWhitespace }
      .map { scalars.index(after: $0) } ?? scalars.startIndex
    let end = scalars[index...].firstIndex { $0.properties.isWhitespace } ?? scalars.endIndex
    return text.byteOffset(of: start)..<text.byteOffset(of: end)
  }

  private static func quote(
    _ mark: String, _ text: String, _ range: Range<Int>
  ) -> (range: Range<Int>, insert: String, caret: Int)? {
    let range = Motion.lineStart(in: text, offset: range.lowerBound)..<range.upperBound
    var lines = text.slice(range).utf8.split(separator: newline, omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
    // A region that ends after a newline includes nothing of the next line.
    let endsWithNewline = lines.count > 1 && lines[lines.count - 1].isEmpty
    if endsWithNewline { lines.removeLast() }
    let insert =
      lines.map { mark + " " + $0 }.joined(separator: "\n") + (endsWithNewline ? "\n" : "")
    return (range, insert, range.lowerBound + insert.utf8.count)
  }

  /// Puts the text on lines of its own between two lines with the mark.
  private static func fenced(
    _ inside: String, _ mark: String, in text: String, _ range: Range<Int>
  ) -> String {
    let isAtStart = Motion.lineStart(in: text, offset: range.lowerBound) == range.lowerBound
    let isAtEnd = Motion.lineEnd(in: text, offset: range.upperBound) == range.upperBound
    return (isAtStart ? "" : "\n") + mark + "\n" + inside + "\n" + mark + (isAtEnd ? "" : "\n")
  }

  private static func wrappedLines(_ inside: String, _ mark: String) -> String {
    inside.utf8.split(separator: newline, omittingEmptySubsequences: false).map {
      let line = String(Substring($0))
      let words = line[...].trimmed
      if words.isEmpty { return line }
      return line[..<words.startIndex] + mark + words + mark + line[words.endIndex...]
    }.joined(separator: "\n")
  }
}
