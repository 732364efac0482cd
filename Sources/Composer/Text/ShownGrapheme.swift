// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// What one grapheme of the composed text looks like on the screen: itself, blanks for a tab, or
/// the sanitiser's placeholder for what a terminal would not take as text (`^[`, rule 12.2).
struct ShownGrapheme {
  enum Appearance {
    /// One cell, straight from the byte.
    case ascii(UInt8)
    case tab
    /// Drawn as it is, in one piece.
    case whole(Character)
    /// A placeholder of several characters; it may be split if a row is too short for it.
    case pieces(String)
    /// A character without columns that does not combine, such as a zero-width space.
    case nothing
  }

  var look: Appearance
  var columns: Int

  /// - Parameters:
  ///   - grapheme: its bytes in `utf8`.
  ///   - column: where it begins, counted from the left edge of the text; tab stops are every 8
  ///     columns from that edge.
  ///   - widths: how the terminal counts columns.
  init(
    _ utf8: UnsafeBufferPointer<UInt8>, _ grapheme: Range<Int>, at column: Int, widths: Widths
  ) {
    let first = utf8[grapheme.lowerBound]
    if grapheme.count == 1 {
      if first >= 0x20 && first < 0x7F {
        (look, columns) = (.ascii(first), 1)
        return
      }
      if first == 0x09 {
        (look, columns) = (.tab, 8 - column % 8)
        return
      }
    }
    let spot = utf8.decodedScalar(at: grapheme.lowerBound)
    if spot.length == grapheme.count, let scalar = spot.scalar, Graphemes.standsAlone(scalar) {
      // The sanitiser would change none of these, and most text beyond ASCII consists of them.
      (look, columns) = (.whole(Character(scalar)), widths.columns(of: scalar))
      return
    }
    let text = SafeText(body: utf8[grapheme]).string
    guard let character = text.first else {
      (look, columns) = (.nothing, 0)
      return
    }
    guard text.index(after: text.startIndex) == text.endIndex else {
      (look, columns) = (.pieces(text), text.reduce(0) { $0 + widths.columns(of: $1) })
      return
    }
    let width = widths.columns(of: character)
    if width > 0 {
      (look, columns) = (.whole(character), width)
    } else if let onBlank = Self.onBlank(character) {
      (look, columns) = (.whole(onBlank), 1)
    } else {
      (look, columns) = (.nothing, 0)
    }
  }

  /// Puts a combining mark without a base on a blank, so that the caret can reach it.
  private static func onBlank(_ mark: Character) -> Character? {
    let text = " " + String(mark)
    return text.count == 1 ? Character(text) : nil
  }
}
