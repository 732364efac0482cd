// SPDX-License-Identifier: GPL-3.0-or-later
import Repeatable
import StyledText
import Testing

@Suite("6.4: styling long texts")
struct LongStylingTests {
  private let styling = MessageStyling.standard

  @Test("a long text is styled by lines, except a preformatted block")
  func byLines() {
    let filler = String(repeating: "filler\n", count: 4000)
    let text = filler + "```\n*a*\n> _b_\n" + filler
    let start = filler.utf8.count
    let runs = styling.runs(in: text, visible: (start + 4)..<(start + 13))
    #expect(runs.allSatisfy { $0.range.lowerBound >= start + 4 })
    #expect(
      runs.map(\.range)
        == [4..<5, 5..<6, 6..<7, 8..<9, 9..<10, 10..<11, 11..<12, 12..<13].map {
          ($0.lowerBound + start)..<($0.upperBound + start)
        })
    #expect(styling.runs(in: text, visible: start..<start).map(\.isMark) == [true])
    #expect(styling.runs(in: text, visible: 0..<text.utf8.count).count > 8)
  }

  @Test("a line that is too long is plain, and its neighbours are not")
  func oneLongLine() {
    let long = "*a* " + String(repeating: "x", count: 3 * MessageStyling.longText) + " *b*"
    let text = "*c*\n" + long + "\n*d*"
    let end = text.utf8.count
    for visible in [10..<20, 4..<9, (end / 2)..<(end / 2 + 80), (end - 10)..<(end - 5)] {
      #expect(styling.runs(in: text, visible: visible).isEmpty, "\(visible)")
    }
    #expect(styling.runs(in: text, visible: 0..<9).map(\.range.lowerBound) == [0, 1, 2])
    #expect(
      styling.runs(in: text, visible: (end - 8)..<end).map(\.range.upperBound)
        == [end - 2, end - 1, end])
    #expect(styling.runs(in: text, visible: 0..<end).count == 6)
    #expect(styling.runs(in: long, visible: 9..<20).isEmpty)
    #expect(styling.runs(in: text).count == 12)
  }

  /// Pieces that make trouble when they meet.
  private static let pieces = [
    "*", "_", "~", "`", "```", ">", "> ", " ", "\n", "\n```\n", "a", "bc", "é", "e\u{301}", "漢",
    "👨‍👩‍👧", "🇩🇪", "\u{FE0F}\u{20E3}", "\u{200D}", "\u{301}", "\t", "\u{3000}", "\r", "(", ".", "\u{1B}",
  ]

  @Test("6.4: in any text: runs in order, on scalar boundaries, and the lines are the text")
  func anyText() {
    var random = FixedRandom(seed: 393)
    for round in 0..<3000 {
      let count = Int.random(in: 0..<40, using: &random)
      let text = (0..<count).map { _ in Self.pieces.randomElement(using: &random)! }.joined()
      let bytes = Array(text.utf8)
      let runs = styling.runs(in: text)
      var at = 0
      for run in runs {
        #expect(run.range.lowerBound >= at && !run.range.isEmpty && run.style != .plain)
        at = run.range.upperBound
        guard at <= bytes.count else {
          Issue.record("round \(round) ends at \(at) of \(bytes.count)")
          break
        }
        #expect(!bytes[run.range].contains(UInt8(ascii: "\n")))
        for edge in [run.range.lowerBound, at] where edge < bytes.count {
          #expect(bytes[edge] & 0xC0 != 0x80)
        }
      }
      // The part is the whole, where the whole is short.
      #expect(styling.runs(in: text, visible: 0..<bytes.count) == runs)
      let body = SafeText(body: text)
      let lines = styling.lines(of: body)
      #expect(lines.map(\.plain) == body.lines)
      #expect(
        lines.map(\.plain).joined(separator: "\n").string.utf8.elementsEqual(body.string.utf8))
      for opening in styling.openings(in: text, before: Int.random(in: 0...60, using: &random)) {
        let end = opening.offset + opening.symbol.mark.utf8.count
        #expect(Array(bytes[opening.offset..<end]) == Array(opening.symbol.mark.utf8))
      }
    }
  }

  @Test(
    "time grows with the length, not faster, whatever is repeated",
    arguments: [
      "*", "*a ", "*a _b ~c `d ", "*_", "*_~a~_* ", "> ", ">", "`a ", "```\n", ">```\n", "\n", "* ",
      "*a* ", "a*", "漢* ",
    ])
  func linear(_ piece: String) {
    func time(_ bytes: Int) -> Double {
      let text = String(repeating: piece, count: bytes / piece.utf8.count)
      let safe = SafeText(body: text)
      return processorTime {
        _ = styling.runs(in: text)
        _ = styling.openings(in: text, before: text.utf8.count)
        _ = styling.lines(of: safe)
      }
    }
    let (short, long) = (time(1500), time(24_000))
    // 16 times the text: linear is 16, quadratic 256.
    #expect(long < short * 80, "\(short) and \(long)")
  }
}
