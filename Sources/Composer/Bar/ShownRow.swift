// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// A composed text as one row of printable characters, for a display that hobnob does not draw:
/// with the placeholders that the drawn bar shows, blanks for tabs and `^J` for newlines (11.5,
/// 12.2).
package struct ShownRow: Hashable, Sendable {
  package private(set) var text = ""
  /// The caret in `text`, a UTF-8 offset.
  package private(set) var caret = 0

  /// - Parameters:
  ///   - utf8: the text as typed.
  ///   - caret: a UTF-8 offset; one inside a grapheme means the grapheme's start.
  ///   - widths: how the terminal counts columns, for tab stops every 8 from the row's start.
  package init(_ utf8: UnsafeBufferPointer<UInt8>, caret: Int, widths: Widths) {
    var graphemes = Graphemes(utf8, from: 0)
    var column = 0
    while let grapheme = graphemes.next() {
      if grapheme.lowerBound <= caret { self.caret = text.utf8.count }
      if utf8[grapheme.lowerBound] == 0x0A {
        text += "^J"
        column += 2
        continue
      }
      let shown = ShownGrapheme(utf8, grapheme, at: column, widths: widths)
      column += shown.columns
      switch shown.look {
      case .ascii(let byte): text.unicodeScalars.append(Unicode.Scalar(byte))
      case .tab: text += String(repeating: " ", count: shown.columns)
      case .whole(let character): text.append(character)
      case .pieces(let mark): text += mark
      case .nothing: break
      }
    }
    if caret >= utf8.count { self.caret = text.utf8.count }
  }

  /// Keeps the whole graphemes around the caret that a display that counts bytes can show, with `<`
  /// and `>` for what is left out.
  ///
  /// - Parameters:
  ///   - bytes: how many it shows; one stays free for the caret.
  ///   - start: a UTF-8 offset in the whole row: where the part that was shown before began. That
  ///     part stays until the caret leaves it. On return, where the new part begins.
  package mutating func cut(to bytes: Int, start: inout Int) {
    guard text.utf8.count >= bytes else {
      start = 0
      return
    }
    // Room for `<` and `>`, and for the caret after the last letter.
    let room = max(1, bytes - 3)
    let borders = text.withUTF8Bytes { utf8 in
      var graphemes = Graphemes(utf8, from: 0)
      var found = [0]
      while let grapheme = graphemes.next() { found.append(grapheme.upperBound) }
      return found
    }
    start = borders.last { $0 <= start } ?? 0
    if caret < start || caret > start + room {
      start = borders.first { $0 >= caret - room * 2 / 3 } ?? 0
    }
    let end = borders.last { $0 <= start + room } ?? start
    let from = text.utf8.index(text.utf8.startIndex, offsetBy: start)
    let to = text.utf8.index(text.utf8.startIndex, offsetBy: max(start, end))
    caret += (start > 0 ? 1 : 0) - start
    text = (start > 0 ? "<" : "") + text[from..<to] + (to < text.utf8.endIndex ? ">" : "")
  }
}
