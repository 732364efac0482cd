// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// A composed text as one row of printable characters, for a display that is not ours: with the
/// marks that the drawn bar shows, blanks for tabs and `^J` for newlines (11.5, 12.2).
package struct ShownRow: Hashable, Sendable {
  package private(set) var text = ""
  /// Where the caret stands in `text`, a UTF-8 offset.
  package private(set) var caret = 0

  /// - Parameters:
  ///   - utf8: the text as typed.
  ///   - caret: a UTF-8 offset; one inside a grapheme is taken as its start.
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
}
