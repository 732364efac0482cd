// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Repeatable
import StyledText
import Testing

@Suite("12.2: What is typed passes through the same door as all text")
struct ShownTextTests {
  @Test("Each scalar is drawn as SafeText and the terminal's width rule say")
  func everyScalar() {
    let widths = Widths()
    var cache = LayoutCache()
    var bar = InputBar()
    let blocks: [ClosedRange<UInt32>] = [
      0...0x3100, 0x33F0...0x3410, 0x4DB0...0x4E10, 0xA480...0xA500, 0xABF0...0xAC10,
      0xD790...0xD7FF, 0xF8F0...0x10010, 0x1F1E0...0x1FC00, 0x1FFF0...0x20010, 0x2FFF0...0x30010,
      0x3FFF0...0x40000, 0xE0000...0xE0100, 0x10FFF0...0x10FFFF,
    ]
    for value in blocks.joined() where value != 0x09 && value != 0x0A {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let text = "a" + String(scalar)
      bar.composed = ComposedText(text)
      let row = bar.layout(size: 4, columns: 40, widths: widths, cache: &cache).frame.rows[0]
      let safe = SafeText(body: text)
      let name = Comment(rawValue: "U+\(String(value, radix: 16))")
      #expect(row.columns == widths.columns(of: safe.string), name)
      if widths.columns(of: Character(scalar)) > 0 || safe.string != text {
        #expect(row.string == safe.string, name)
      }
    }
  }

  @Test("Nothing gets through that could control a terminal")
  func noControls() {
    var dice = FixedRandom(seed: 5)
    for _ in 0..<300 {
      var bar = InputBar()
      bar.composed = ComposedText(ComposerTests.hardText(&dice, pieces: 30))
      bar.maxInputRows = 0
      var cache = LayoutCache()
      for row in bar.layout(size: 60, columns: 9, widths: Widths(), cache: &cache).frame.rows {
        #expect(SafeText(line: row.string).string == row.string)
      }
    }
  }
}
