// SPDX-License-Identifier: GPL-3.0-or-later
import Repeatable
import StyledText
import Testing

@testable import Composer

@Suite("11.5, 12.2: the line as one row, for a display that is not ours")
struct ShownRowTests {
  private let widths = Widths()

  private func row(_ text: String, caret: Int) -> ShownRow {
    Array(text.utf8).withUnsafeBufferPointer { ShownRow($0, caret: caret, widths: widths) }
  }

  @Test(
    "11.5: a line that fits is shown whole; else the part around the caret, until it leaves it",
    arguments: [
      ("abc", 3, 0, "abc|", 0), ("abcdefgh", 8, 0, "abcdefgh|", 0),
      ("abcdefghijkl", 12, 0, "<ijkl|", 8), ("abcdefghijkl", 11, 7, "<hijk|l", 7),
      ("abcdefghijkl", 0, 7, "|abcdef>", 0), ("abcdefghijkl", 6, 0, "abcdef|>", 0),
      ("漢漢漢漢漢漢", 18, 0, "<漢|", 15), ("漢漢漢漢漢漢", 0, 0, "|漢漢>", 0),
    ])
  func cut(text: String, caret: Int, from: Int, expected: String, begins: Int) {
    var (row, start) = (row(text, caret: caret), from)
    row.cut(to: 9, start: &start)
    var shown = row.text
    shown.insert("|", at: shown.utf8.index(shown.utf8.startIndex, offsetBy: row.caret))
    #expect(shown == expected && start == begins)
  }

  @Test("12.2: in any text, the part fits, has whole characters, and contains the caret")
  func cutsFit() {
    var dice = FixedRandom(seed: 7)
    let pieces = ["a", "é", "☛", "👩‍👩‍👧", "漢", "\t", "\u{9B}", "e\u{301}\u{302}", "🇩🇪", " "]
    for _ in 0..<2000 {
      let text = (0..<dice.below(60)).map { _ in pieces[dice.below(pieces.count)] }.joined()
      var start = dice.below(80)
      var row = row(text, caret: dice.below(text.utf8.count + 1))
      let whole = row
      let columns = 4 + dice.below(30)
      row.cut(to: columns, start: &start)
      #expect(row.text.utf8.count < columns)
      #expect(row.caret >= 0 && row.caret <= row.text.utf8.count)
      let part = row.text.drop { $0 == "<" && start > 0 }
      #expect(
        whole.text == row.text || whole.text.contains(part.hasSuffix(">") ? part.dropLast() : part))
    }
  }
}
