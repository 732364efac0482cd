// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Testing

@Suite("Editing a text without a line editor")
struct TextEditingTests {
  @Test(
    "A part is replaced; the caret goes behind it or to a chosen place",
    arguments: [
      ("ab|cd", 1..<3, "x", nil, "ax|d"), ("|", 0..<0, "漢", nil, "漢|"),
      ("abc|", 0..<3, "", nil, "|"),
      ("abc|", 0..<1, "xy", 0, "|xybc"), ("abc|", 1..<1, "x", 99, "axbc|"),
      ("abc|", 1..<1, "", -5, "|abc"),
      // Outside is left out, inside a code point is its start.
      ("ab|", 5..<9, "x", nil, "abx|"), ("ab|", -4 ..< -2, "x", nil, "x|ab"),
      ("漢字|", 1..<4, "x", nil, "x|字"), ("漢字|", 4..<5, "x", nil, "漢x|字"),
    ] as [(String, Range<Int>, String, Int?, String)])
  func replacing(
    _ before: String, _ range: Range<Int>, _ insert: String, _ caret: Int?, _ after: String
  ) {
    let (text, start) = marked(before)
    var composed = ComposedText(text, caret: start, region: 0..<1)
    composed.replace(range, with: insert, caret: caret)
    #expect(marking(composed.text, composed.caret) == after)
    #expect(composed.region == nil)
  }

  @Test("Text goes in at the caret")
  func inserting() {
    var composed = ComposedText("ab", caret: 1)
    composed.insert("👨‍👩‍👧")
    composed.insert("x")
    #expect(marking(composed.text, composed.caret) == "a👨‍👩‍👧x|b")
    composed.caret = 999
    composed.insert("!")
    #expect(marking(composed.text, composed.caret) == "a👨‍👩‍👧xb!|")
  }
}
