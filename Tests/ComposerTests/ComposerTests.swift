// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Repeatable
import StyledText
import Testing

// How the tables of these tests write things: `|` is the caret.

/// A text with its caret, from a text with `|` in it.
func marked(_ text: String) -> (text: String, caret: Int) {
  // By bytes: a combining mark behind the `|` would join it.
  var bytes = Array(text.utf8)
  guard let caret = bytes.firstIndex(of: UInt8(ascii: "|")) else { return (text, bytes.count) }
  bytes.remove(at: caret)
  return (String(decoding: bytes, as: UTF8.self), caret)
}

/// The other way round.
func marking(_ text: String, _ caret: Int) -> String {
  let bytes = Array(text.utf8)
  guard (0...bytes.count).contains(caret) else { return "caret \(caret) outside \(text)" }
  return String(decoding: bytes[..<caret], as: UTF8.self) + "|"
    + String(decoding: bytes[caret...], as: UTF8.self)
}

/// A frame as a picture: rows joined by newlines, blanks at their ends left out, the caret as `|`.
func picture(_ frame: Frame) -> String {
  frame.rows.enumerated().map { number, row in
    var cells = row.cells.enumerated().map { $1.columns == 0 ? "" : String($1.character) }
    if number == frame.caretRow {
      while cells.count < frame.caretColumn { cells.append(" ") }
      cells.insert("|", at: frame.caretColumn)
    }
    while cells.last == " " { cells.removeLast() }
    return cells.joined()
  }.joined(separator: "\n")
}

/// Pieces that make trouble when they meet: clusters, wide letters, controls, newlines, tabs.
let hardPieces = [
  "a", "b", " ", "-", "\n", "\t", "é", "e\u{301}", "漢", "字", "한", "\u{1112}\u{1161}\u{11AB}",
  "👨‍👩‍👧", "🇩🇪", "🇫🇷", "👍🏽", "😀", "❤️", "1️⃣", "\u{200D}", "\u{301}", "\u{1B}", "\r", "\r\n", "\u{7F}",
  "\u{202E}", "\u{200B}", "नि", "क्ष", "สวัสดี", "\u{600}", "\u{FE0F}", "ﬁ", "\u{9B}", "𝒳", "\u{E0067}",
]

func hardText(_ dice: inout FixedRandom, pieces: Int) -> String {
  (0..<pieces).map { _ in hardPieces.randomElement(using: &dice) ?? "" }.joined()
}
