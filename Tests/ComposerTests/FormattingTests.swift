// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Repeatable
import StyledText
import Testing

/// The text after a change, with its caret.
func applying(_ change: (range: Range<Int>, insert: String, caret: Int), to text: String) -> String
{
  var bytes = Array(text.utf8)
  guard change.range.upperBound <= bytes.count else { return "\(change.range) outside \(text)" }
  bytes.replaceSubrange(change.range, with: change.insert.utf8)
  return marking(String(decoding: bytes, as: UTF8.self), change.caret)
}

/// What a space makes of a text with `|` in it; nil for a plain one.
func spaceTyped(_ marked: String, _ symbols: MessageStyling = .standard) -> String? {
  let (text, caret) = ComposerTests.marked(marked)
  return Formatting.closing(in: text, caret: caret, symbols: symbols).map { change in
    var bytes = Array(text.utf8)
    bytes.insert(UInt8(ascii: " "), at: caret)
    return applying(change, to: String(decoding: bytes, as: UTF8.self))
  }
}

@Suite("6.3: closing by double space")
struct ClosingTests {
  @Test(
    "6.3: a second space closes the nearest opened symbol",
    arguments: [
      ("hello *bold world |", "hello *bold world* |"),
      ("*bold |", "*bold* |"),
      ("_it |", "_it_ |"),
      ("~gone |", "~gone~ |"),
      ("`code |", "`code` |"),
      ("```code |", "```code``` |"),
      ("say ```code |", "say ```code``` |"),
      ("*a _b |", "*a _b_ |"),
      // And the one around it with the next.
      ("*a _b_ |", "*a _b_* |"),
      ("*a *b |", "*a *b* |"),
      // Another symbol may stand behind the mark.
      ("*_both |", "*_both* |"),
      ("*`x` |", "*`x`* |"),
      // Nothing but the space typed goes: what white space was there stays.
      ("*bold\t|", "*bold*\t|"),
      ("*bold\u{3000}|", "*bold*\u{3000}|"),
      ("*bold   |", "*bold*   |"),
      // In the middle of a text, and beside a word.
      ("*bold | more", "*bold* | more"),
      ("*bold |more", "*bold* |more"),
      ("(a) *bold |", "(a) *bold* |"),
      ("one\n*two |", "one\n*two* |"),
      ("one\n*two |\nthree*", "one\n*two* |\nthree*"),
      ("\t*a |", "\t*a* |"),
      ("\u{3000}*a |", "\u{3000}*a* |"),
      ("> *a |", "> *a* |"),
      (">*a |", ">*a* |"),
      ("*a* *b |", "*a* *b* |"),
      ("a* *b |", "a* *b* |"),
      ("*bold, (really). |", "*bold, (really).* |"),
      // Signs of money and mathematics are not punctuation.
      ("*$5 |", "*$5* |"), ("*+1 |", "*+1* |"), ("*<a> |", "*<a>* |"),
      ("*漢字 |", "*漢字* |"),
      ("*é e\u{301} |", "*é e\u{301}* |"),
      ("*👨‍👩‍👧 |", "*👨‍👩‍👧* |"),
      ("*🇩🇪🇫🇷 |", "*🇩🇪🇫🇷* |"),
      ("👍🏽 *👍🏽 |", "👍🏽 *👍🏽* |"),
      ("漢 *ab |漢", "漢 *ab* |漢"),
      ("*สวัสดี |", "*สวัสดี* |"),
      // Code opened last is closed; what was opened before it waits.
      ("*a `b *c |", "*a `b *c` |"),
      ("`a *b* |", "`a *b*` |"),
      ("`a` *b |", "`a` *b* |"),
      ("```\na\n```\n*b |", "```\na\n```\n*b* |"),
      ("> ```\n> a\n*b |", "> ```\n> a\n*b* |"),
      ("*a | _b_", "*a* | _b_"),
    ])
  func closes(_ before: String, _ after: String) {
    #expect(spaceTyped(before).map { Array($0.utf8) } == Array(after.utf8))
  }

  @Test(
    "6.3: anything else is a plain space",
    arguments: [
      "|", " |", "a |", "ab  |", "*|", "* |", "*bold|", "|*bold ", "*bold| ", "hello |*bold",
      // Not behind white space, or before none but a blank.
      "2*3 |", "a*b |", "* bold |", "(*bold |", "\"*bold |", "*\u{A0}bold |",
      // Punctuation behind it.
      "*(a |", "*... |", "*-1 |", "*\"a |", "*¿a |", "*「a |", "*@anna |",
      // Closed already, in the word or later, before the caret or behind it.
      "*bold* |", "*bold* world |", "*bold word* next |", "*a*b |", "*bold |word*", "_a *b* c_ |",
      "```code``` |", "`code` |", "*a* b |",
      // The word before the caret ends with the symbol.
      "*a * |", "*a b* |",
      // The same symbol twice is none.
      "** |", "**bold |", "*** |", "__init |", "``a |",
      // A span ends with its line.
      "*bold\n|", "*bold\nworld |", "\n|", "*bold\n |",
      // In code.
      "`a  |b`", "`a *b |c`", "```\ncode |", "```\n*bold |", "``` *bold |", "```code``` *b |",
      "> ```\n> *a |",
      // A quote has no end.
      "> quote |", ">quote |", ">> quote |",
      // The keycap is not an asterisk.
      "*️⃣ bold |", "*\u{301}bold |", "漢字 |", "👨‍👩‍👧 |",
    ])
  func plain(_ text: String) {
    #expect(spaceTyped(text) == nil)
  }

  @Test("6.1, 6.3: registered symbols close too, and without symbols nothing closes")
  func otherSymbols() {
    var symbols = MessageStyling.standard
    symbols.register(.init(mark: "==", style: .reverse))
    symbols.register(.init(mark: "+", style: .underline))
    #expect(spaceTyped("==a b |", symbols) == "==a b== |")
    #expect(spaceTyped("+a |", symbols) == "+a+ |")
    #expect(spaceTyped("+*a |", symbols) == "+*a+ |")
    #expect(spaceTyped("== a |", symbols) == nil)
    #expect(spaceTyped("+a |") == nil)
    #expect(spaceTyped("*a |", .off) == nil)
  }

  @Test("6.3: the closed part is drawn styled")
  func isStyled() {
    for text in ["hello *bold world ", "*a _b ", "`a *b ", "> *a ", "*漢字 "] {
      guard let change = Formatting.closing(in: text, caret: text.utf8.count, symbols: .standard)
      else {
        Issue.record("\(text) is not closed")
        continue
      }
      let after = String(applying(change, to: text + " ").dropLast())
      let runs = MessageStyling.standard.runs(in: after)
      #expect(runs.contains { $0.isMark && $0.range.upperBound == change.caret - 1 }, "\(after)")
    }
  }

  @Test("6.3: in any text, a space becomes a symbol and a space, and nothing else changes")
  func anyText() {
    var dice = FixedRandom(seed: 63)
    let pieces = ["*", "_", "~", "`", "```", ">", " ", " ", "a", "\n"] + hardPieces
    for _ in 0..<4000 {
      let count = Int.random(in: 0..<20, using: &dice)
      let text = (0..<count).map { _ in pieces.randomElement(using: &dice)! }.joined()
      let caret = Int.random(in: -2...(text.utf8.count + 2), using: &dice)
      let clamped = Motion.clampedToGrapheme(in: text, offset: caret)
      guard let change = Formatting.closing(in: text, caret: caret, symbols: .standard) else {
        continue
      }
      var bytes = Array(text.utf8)
      let mark = change.insert.trimmingSpaces()
      #expect(["*", "_", "~", "`", "```"].contains(mark))
      #expect(change.range.upperBound == clamped + 1)
      #expect(change.range.lowerBound < clamped)
      #expect(change.caret == clamped + mark.utf8.count)
      // Without the mark it is the text from before the space.
      #expect(change.insert.utf8.starts(with: mark.utf8))
      #expect(
        Array(change.insert.utf8.dropFirst(mark.utf8.count))
          == Array(bytes[change.range.lowerBound..<clamped]))
      bytes.insert(UInt8(ascii: " "), at: clamped)
      bytes.replaceSubrange(change.range, with: change.insert.utf8)
      #expect(String(validating: bytes, as: UTF8.self) != nil)
    }
  }
}

extension String {
  fileprivate func trimmingSpaces() -> String {
    String(unicodeScalars.filter { !$0.properties.isWhitespace })
  }
}

@Suite("6.2: wrapping with C-x and a symbol")
struct SymbolWrappingTests {
  /// `[` and `]` around the region, `|` for the caret where there is none.
  private func wrapped(_ mark: String, _ text: String) -> String? {
    var bytes = Array(text.utf8)
    var region: Range<Int>?
    if let start = bytes.firstIndex(of: UInt8(ascii: "[")),
      let end = bytes.firstIndex(of: UInt8(ascii: "]"))
    {
      bytes.remove(at: end)
      bytes.remove(at: start)
      region = start..<(end - 1)
    }
    let (plain, caret) = marked(String(decoding: bytes, as: UTF8.self))
    return Formatting.wrap(mark, in: plain, caret: region?.upperBound ?? caret, region: region)
      .map { applying($0, to: plain) }
  }

  @Test(
    "6.2: the word at the caret",
    arguments: [
      ("*", "hello|", "*hello*|"),
      ("*", "he|llo", "*hello*|"),
      ("_", "|hello", "_hello_|"),
      ("~", "say hel|lo now", "say ~hello~| now"),
      ("`", "say | now", "say `|` now"),
      ("*", "say |now", "say *now*|"),
      ("```", "ls|", "```ls```|"),
      ("*", "|", "*|*"),
      ("*", "a\n|b", "a\n*b*|"),
      ("*", "a|\nb", "*a*|\nb"),
      ("*", "(hello)|!", "*(hello)!*|"),
      ("*", "漢字| x", "*漢字*| x"),
      ("*", "👨‍👩‍👧e\u{301}|", "*👨‍👩‍👧e\u{301}*|"),
      ("||", "a|", "||a|||"),
      ("*", "*a|", "**a*|"),
      // With these marks around it already.
      ("*", "*hello*|", nil), ("_", "*hello*|", "_*hello*_|"),
    ])
  func word(_ mark: String, _ before: String, _ after: String?) {
    #expect(wrapped(mark, before) == after)
  }

  @Test(
    "6.2: the region",
    arguments: [
      ("*", "say [hello world] now", "say *hello world*| now"),
      // Blanks stay outside, for a mark beside a blank styles nothing.
      ("*", "say[ hello ]now", "say *hello*| now"),
      ("*", "h[ell]o", "h*ell*|o"),
      ("`", "[a\n\n  b ]c", "`a`\n\n  `b`| c"),
      ("```", "[a\nb]", "```\na\nb\n```|"),
      ("```", "x [a\nb] y", "x \n```\na\nb\n```\n| y"),
      ("```", "x [a b] y", "x ```a b```| y"),
      ("*", "a[]b", "*ab*|"),
      ("*", "a[ ]b", nil), ("*", "[*ab*]", nil),
    ])
  func region(_ mark: String, _ before: String, _ after: String?) {
    #expect(wrapped(mark, before) == after)
  }

  @Test(
    "6.2: a quote mark goes to the start of the caret's line, and has no closing mark",
    arguments: [
      ("|hello", "> |hello"),
      ("a\n|b", "a\n> |b"),
      ("|", "> |"),
      ("[a\nb]", "> a\n> b|"),
      ("[a\n\nb\n]c", "> a\n> \n> b\n|c"),
      ("|> a", "> |> a"),
      ("hel|lo", "> hel|lo"), ("hello|", "> hello|"), ("a [b]", "> a b|"),
      ("a\nb|", "a\n> b|"), ("a [b\nc] d", "> a b\n> c| d"),
    ])
  func quote(_ before: String, _ after: String) {
    #expect(wrapped(">", before) == after)
  }

  @Test("6.2: without a word or a region nothing happens")
  func noMark() {
    #expect(Formatting.wrap("", in: "a", caret: 1, region: nil) == nil)
  }

  @Test("6.2: in any text, only marks and newlines are added")
  func anyText() {
    var dice = FixedRandom(seed: 62)
    let pieces = ["*", " ", " ", "a", "\n"] + hardPieces
    for _ in 0..<4000 {
      let count = Int.random(in: 0..<20, using: &dice)
      let text = (0..<count).map { _ in pieces.randomElement(using: &dice)! }.joined()
      let ends = (0..<3).map { _ in Int.random(in: -2...(text.utf8.count + 2), using: &dice) }
      let region = Bool.random(using: &dice) ? min(ends[0], ends[1])..<max(ends[0], ends[1]) : nil
      let mark = ["*", "`", "```", ">", "||"].randomElement(using: &dice)!
      guard let change = Formatting.wrap(mark, in: text, caret: ends[2], region: region) else {
        continue
      }
      var bytes = Array(text.utf8)
      guard change.range.lowerBound >= 0 && change.range.upperBound <= bytes.count else {
        Issue.record("\(change.range) outside \(bytes.count)")
        continue
      }
      bytes.replaceSubrange(change.range, with: change.insert.utf8)
      #expect((0...bytes.count).contains(change.caret))
      guard let after = String(validating: bytes, as: UTF8.self) else {
        Issue.record("no UTF-8 any more: \(text) \(change)")
        continue
      }
      func kept(_ text: String) -> [Unicode.Scalar] {
        text.unicodeScalars.filter { !"*`>| \n".unicodeScalars.contains($0) }
      }
      #expect(kept(after) == kept(text))
    }
  }
}
