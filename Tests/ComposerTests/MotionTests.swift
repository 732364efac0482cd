// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Repeatable
import StyledText
import Testing

@Suite("1.4: Motion goes by grapheme and by line")
struct MotionTests {
  @Test(
    "Back and forward by one grapheme",
    arguments: [
      // before, after moving back, after moving forward
      ("a|b", "|ab", "ab|"),
      ("|", "|", "|"),
      ("|a", "|a", "a|"),
      ("a|", "|a", "a|"),
      ("x👨‍👩‍👧|y", "x|👨‍👩‍👧y", "x👨‍👩‍👧y|"),
      ("x|👨‍👩‍👧y", "|x👨‍👩‍👧y", "x👨‍👩‍👧|y"),
      ("🇩🇪🇫🇷|🇩🇪", "🇩🇪|🇫🇷🇩🇪", "🇩🇪🇫🇷🇩🇪|"),
      ("🇩🇪|🇫🇷", "|🇩🇪🇫🇷", "🇩🇪🇫🇷|"),
      ("e\u{301}|e\u{301}", "|e\u{301}e\u{301}", "e\u{301}e\u{301}|"),
      ("👍🏽|👍🏽", "|👍🏽👍🏽", "👍🏽👍🏽|"),
      ("1️⃣|❤️", "|1️⃣❤️", "1️⃣❤️|"),
      ("漢|字", "|漢字", "漢字|"),
      ("नि|नि", "|निनि", "निनि|"),
      ("a\n|b", "a|\nb", "a\nb|"),
      // A carriage return is shown as a mark of its own.
      ("\r|\n", "|\r\n", "\r\n|"),
      ("a\n|\u{301}b", "a|\n\u{301}b", "a\n\u{301}|b"),
    ])
  func byGrapheme(_ from: String, _ back: String, _ forward: String) {
    let (text, caret) = marked(from)
    #expect(marking(text, Motion.previousGrapheme(in: text, before: caret)) == back)
    #expect(marking(text, Motion.nextGrapheme(in: text, after: caret)) == forward)
  }

  @Test("The boundaries are those of Character, for any neighbours")
  func agreesWithCharacter() {
    var dice = FixedRandom(seed: 1)
    for _ in 0..<1500 {
      let text = hardText(&dice, pieces: 12)
      var boundaries = [0]
      for character in text {
        // Control characters stand alone here; Character joins CR and LF.
        if character == "\r\n" { boundaries.append(boundaries[boundaries.count - 1] + 1) }
        let end = character == "\r\n" ? 1 : character.utf8.count
        boundaries.append(boundaries[boundaries.count - 1] + end)
      }
      let offsets = 0...text.utf8.count
      let name = text.unicodeScalars.map { String($0.value, radix: 16) }
      #expect(
        offsets.map { Motion.previousGrapheme(in: text, before: $0) }
          == offsets.map { offset in boundaries.last { $0 < offset } ?? 0 }, "\(name)")
      #expect(
        offsets.map { Motion.nextGrapheme(in: text, after: $0) }
          == offsets.map { offset in boundaries.first { $0 > offset } ?? text.utf8.count },
        "\(name)")
      #expect(
        offsets.map { Motion.clampedToGrapheme(in: text, offset: $0) }
          == offsets.map { offset in boundaries.last { $0 <= offset } ?? 0 }, "\(name)")
    }
  }

  @Test("Bytes that are not UTF-8 are graphemes of one byte")
  func damagedBytes() {
    let bytes: [UInt8] = [0x61, 0xFF, 0xC3, 0xE6, 0xBC, 0x80, 0xC3, 0xA9, 0xF0, 0x9F]
    let boundaries = [0, 1, 2, 3, 6, 8, 9, 10]
    bytes.withUnsafeBufferPointer { bytes in
      var (walked, offset) = ([0], 0)
      while offset < bytes.count {
        offset = Motion.nextGrapheme(in: bytes, after: offset)
        walked.append(offset)
      }
      #expect(walked == boundaries)
      var back = [bytes.count]
      while offset > 0 {
        offset = Motion.previousGrapheme(in: bytes, before: offset)
        back.append(offset)
      }
      #expect(back.reversed() == boundaries)
    }
  }

  @Test("Any bytes and any offset are survived, and every walk makes progress")
  func anyBytes() {
    var dice = FixedRandom(seed: 2)
    for _ in 0..<300 {
      let bytes = (0..<24).map { _ in
        UInt8.random(in: 0...255, using: &dice) | (Bool.random(using: &dice) ? 0x80 : 0)
      }
      bytes.withUnsafeBufferPointer { bytes in
        for offset in -2...(bytes.count + 2) {
          let back = Motion.previousGrapheme(in: bytes, before: offset)
          let forward = Motion.nextGrapheme(in: bytes, after: offset)
          #expect(back == 0 || back < offset && back < bytes.count)
          #expect(forward == bytes.count || forward > offset)
          _ = Motion.lineAbove(in: bytes, from: offset, widths: Widths())
          _ = Motion.lineBelow(in: bytes, from: offset, widths: Widths())
        }
      }
    }
  }

  @Test("1.4: each step in a long text looks only at its neighbourhood")
  func longTextsCostNoMore() {
    for piece in ["a", "漢", "नमस्ते ", "😀"] {
      func cost(bytes: Int) -> Double {
        let text = String(repeating: piece, count: bytes / piece.utf8.count)
        return processorTime(rounds: 3) {
          var offset = text.utf8.count
          var steps = 0
          while offset > 0 {
            offset = Motion.previousGrapheme(in: text, before: offset)
            steps += 1
          }
          #expect(steps == text.count)
        }
      }
      // If each step cost the whole text, this were a hundred times as much and not ten times.
      #expect(cost(bytes: 50_000) < cost(bytes: 5_000) * 40)
    }
  }

  @Test(
    "The start and the end of the line",
    arguments: [
      ("ab|c", "|abc", "abc|"),
      ("a\nb|c\nd", "a\n|bc\nd", "a\nbc|\nd"),
      ("a|\nb", "|a\nb", "a|\nb"),
      ("a\n|\nb", "a\n|\nb", "a\n|\nb"),
      ("a\n|", "a\n|", "a\n|"),
    ])
  func lineEnds(_ from: String, _ start: String, _ end: String) {
    let (text, caret) = marked(from)
    #expect(marking(text, Motion.lineStart(in: text, offset: caret)) == start)
    #expect(marking(text, Motion.lineEnd(in: text, offset: caret)) == end)
  }

  @Test(
    "Up and down keep the column, counted as the terminal does; nil on the first and last line",
    arguments: [
      // from, up, down
      ("ab|c", nil, nil),
      ("abc\nde|f", "ab|c\ndef", nil),
      ("a\nde|f\ngh", "a|\ndef\ngh", "a\ndef\ngh|"),
      ("漢字\nabc|", "漢|字\nabc", nil),
      ("ab|cd\n漢字", nil, "abcd\n漢|字"),
      ("abc|d\n漢字", nil, "abcd\n漢|字"),
      ("\tx\nabcdefgh|", "\t|x\nabcdefgh", nil),
      ("\tx\nabc|", "|\tx\nabc", nil),
      ("\u{1B}x\nab|", "\u{1B}|x\nab", nil),
      ("👨‍👩‍👧x\nab|cdefg", "|👨‍👩‍👧x\nabcdefg", nil),
    ] as [(String, String?, String?)])
  func upAndDown(_ from: String, _ up: String?, _ down: String?) {
    let (text, caret) = marked(from)
    let widths = Widths()
    let above = text.withUTF8Bytes { Motion.lineAbove(in: $0, from: caret, widths: widths) }
    let below = text.withUTF8Bytes { Motion.lineBelow(in: $0, from: caret, widths: widths) }
    #expect(above.map { marking(text, $0) } == up)
    #expect(below.map { marking(text, $0) } == down)
  }

  @Test("A goal column survives a short line")
  func goalColumn() throws {
    let (text, caret) = marked("abcdef\nx\nghijk|l")
    try Array(text.utf8).withUnsafeBufferPointer { bytes in
      let goal = Motion.unwrappedColumn(in: bytes, offset: caret, widths: Widths())
      #expect(goal == 5)
      let short = try #require(
        Motion.lineAbove(in: bytes, from: caret, column: goal, widths: Widths()))
      #expect(marking(text, short) == "abcdef\nx|\nghijkl")
      let long = try #require(
        Motion.lineAbove(in: bytes, from: short, column: goal, widths: Widths()))
      #expect(marking(text, long) == "abcde|f\nx\nghijkl")
    }
  }
}
