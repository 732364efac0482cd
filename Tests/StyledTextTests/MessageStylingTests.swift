// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText
import Testing

/// A text with its runs: marks in ‹›, what they style in {} behind the first letters of bold,
/// italic, strike, code (cyan) and quote (green).
func styled(_ text: String, by styling: MessageStyling = .standard) -> String {
  pictured(text, styling.runs(in: text))
}

func pictured(_ text: String, _ runs: [MessageStyling.Run]) -> String {
  let bytes = Array(text.utf8)
  var picture = ""
  var at = 0
  func take(to end: Int) -> String {
    defer { at = end }
    return String(decoding: bytes[at..<end], as: UTF8.self)
  }
  for run in runs {
    picture += take(to: run.range.lowerBound)
    if run.isMark {
      picture += "‹" + take(to: run.range.upperBound) + "›"
    } else {
      picture += letters(run.style) + "{" + take(to: run.range.upperBound) + "}"
    }
  }
  return picture + take(to: bytes.count)
}

private func letters(_ style: Style) -> String {
  (style.attributes.contains(.bold) ? "b" : "") + (style.attributes.contains(.italic) ? "i" : "")
    + (style.attributes.contains(.strike) ? "s" : "") + (style.foreground == .cyan ? "c" : "")
    + (style.foreground == .green ? "q" : "") + (style.attributes.contains(.dim) ? "dim" : "")
}

@Suite("6.1, 6.4: message styling by XEP-0393")
struct MessageStylingTests {
  @Test(
    "6.1: spans: where they begin and end",
    arguments: [
      ("", ""),
      ("plain span", "plain span"),
      ("*strong span*", "‹*›b{strong span}‹*›"),
      ("plain _emphasis_ plain", "plain ‹_›i{emphasis}‹_› plain"),
      ("`pre` plain *strong*", "‹`›c{pre}‹`› plain ‹*›b{strong}‹*›"),
      ("~gone~", "‹~›s{gone}‹~›"),
      ("*strong*plain*", "‹*›b{strong}‹*›plain*"),
      ("* plain *strong*", "* plain ‹*›b{strong}‹*›"),
      ("not strong*", "not strong*"),
      ("*not strong", "*not strong"),
      ("*not \n strong*", "*not \n strong*"),
      ("*not *strong", "*not *strong"),
      ("*", "*"), ("**", "**"), ("***", "***"), ("****", "****"), ("*****", "*****"),
      // With nothing between them neither is a mark, so the common way to write bold is none.
      ("**a**", "**a**"),
      ("** *a*", "** ‹*›b{a}‹*›"),
      ("**a *b*", "**a ‹*›b{b}‹*›"),
      ("a*b*c", "a*b*c"),
      ("2 * 3 * 4", "2 * 3 * 4"),
      ("snake_case_name", "snake_case_name"),
      ("(*a*)", "(*a*)"),
      ("*a*, *b*.", "‹*›b{a}‹*›, ‹*›b{b}‹*›."),
      ("*a *b*", "‹*›b{a *b}‹*›"),
      ("*a * b*", "‹*›b{a * b}‹*›"),
      ("\t*a*\u{3000}_b_\u{A0}~c~", "\t‹*›b{a}‹*›\u{3000}‹_›i{b}‹_›\u{A0}‹~›s{c}‹~›"),
      ("*\u{3000}a*", "*\u{3000}a*"),
      ("*a\u{A0}*", "*a\u{A0}*"),
      ("*a*\n*b*", "‹*›b{a}‹*›\n‹*›b{b}‹*›"),
      ("\n*a*\n", "\n‹*›b{a}‹*›\n"),
    ])
  func spans(_ text: String, _ picture: String) {
    #expect(styled(text) == picture)
  }

  @Test(
    "6.1: spans inside spans add up; what overlaps does not",
    arguments: [
      ("*a _b_ c*", "‹*›b{a }‹_›bi{b}‹_›b{ c}‹*›"),
      ("*_both_*", "‹*_›bi{both}‹_*›"),
      ("_*~all~*_", "‹_›‹*›‹~›bis{all}‹~›‹*›‹_›"),
      ("*this cannot _overlap*_", "‹*›b{this cannot _overlap}‹*›_"),
      ("_a *b_ c*", "‹_›i{a *b}‹_› c*"),
      // Only behind a mark that opens something; the asterisk here is none.
      ("*_a_", "*_a_"),
      ("*a*_b_", "‹*›b{a}‹*›_b_"),
      ("*a _b_*", "‹*›b{a }‹_›bi{b}‹_*›"),
      ("*_*", "‹*›b{_}‹*›"),
      ("*__*", "‹*›b{__}‹*›"),
      ("*a_b_c*", "‹*›b{a_b_c}‹*›"),
    ])
  func nested(_ text: String, _ picture: String) {
    // Two marks side by side are one run when they look alike.
    let apart = { (picture: String) in picture.replacing("›‹", with: "") }
    #expect(apart(styled(text)) == apart(picture))
  }

  @Test(
    "6.1: nothing counts in code",
    arguments: [
      ("`*a*`", "‹`›c{*a*}‹`›"),
      ("_no pre `with *children*`_", "‹_›i{no pre }‹`›ic{with *children*}‹`›‹_›"),
      ("*`both`*", "‹*›‹`›bc{both}‹`›‹*›"),
      ("`a *b` c*", "‹`›c{a *b}‹`› c*"),
      ("`` a ``", "`` a ``"),
      ("`a", "`a"),
      ("a ```b``` c", "a ```b``` c"),
      ("`a\nb`", "`a\nb`"),
    ])
  func code(_ text: String, _ picture: String) {
    #expect(styled(text) == picture)
  }

  @Test(
    "6.1: preformatted blocks and quotes",
    arguments: [
      ("```\n*a*\n```\n*b*", "‹```›\nc{*a*}\n‹```›\n‹*›b{b}‹*›"),
      ("```ignored\n(a)\n```", "‹```›c{ignored}\nc{(a)}\n‹```›"),
      ("```\npre *fmt* ```\n```\nplain", "‹```›\nc{pre *fmt* ```}\n‹```›\nplain"),
      ("````\na\n```", "‹```›c{`}\nc{a}\n‹```›"),
      ("```\na\n``` \nb", "‹```›\nc{a}\nc{``` }\nc{b}"),
      ("```\na```", "‹```›\nc{a```}"),
      ("```a```\n*b*", "‹```›c{a```}\nc{*b*}"),
      (" ```\n*a*", " ```\n‹*›b{a}‹*›"),
      ("```", "‹```›"),
      ("> a\nb", "‹>›q{ a}\nb"),
      (">a", "‹>›q{a}"),
      (">", "‹>›"),
      (" > a", " > a"),
      ("a > b", "a > b"),
      (">> a\n> b", "‹>>›q{ a}\n‹>›q{ b}"),
      ("> > a", "‹>›q{ }‹>›q{ a}"),
      // One blank belongs to the mark, a second one does not.
      (">  > a", "‹>›q{  > a}"),
      ("> *a* b", "‹>›q{ }‹*›bq{a}‹*›q{ b}"),
      (">*a*", "‹>*›bq{a}‹*›"),
      ("> ```\n> *a*\n\n*b*", "‹>›q{ }‹```›\n‹>›q{ }c{*a*}\n\n‹*›b{b}‹*›"),
      ("> ```\n> a\n> ```\n> b", "‹>›q{ }‹```›\n‹>›q{ }c{a}\n‹>›q{ }‹```›\n‹>›q{ b}"),
      ("> ``` \n> pre\nplain", "‹>›q{ }‹```›c{ }\n‹>›q{ }c{pre}\nplain"),
      // In the block a further mark is text; outside the quote it has ended.
      ("> ```\n>> a", "‹>›q{ }‹```›\n‹>›c{> a}"),
      (">> ```\n> a", "‹>>›q{ }‹```›\n‹>›q{ a}"),
      ("```\n> a\n```", "‹```›\nc{> a}\n‹```›"),
      ("> a\n```\nb\n```\n> c", "‹>›q{ a}\n‹```›\nc{b}\n‹```›\n‹>›q{ c}"),
    ])
  func blocks(_ text: String, _ picture: String) {
    #expect(styled(text) == picture)
  }

  @Test(
    "6.1: a mark combined into another character is none; letters of any script are text",
    arguments: [
      ("*️⃣ hello *️⃣", "*️⃣ hello *️⃣"),
      ("*\u{301}a*", "*\u{301}a*"),
      ("_\u{1F3FD}_ x_", "_\u{1F3FD}_ x_"),
      (">\u{338} a", ">\u{338} a"),
      ("*漢字* _한국어_", "‹*›b{漢字}‹*› ‹_›i{한국어}‹_›"),
      ("*👨‍👩‍👧 🇩🇪 e\u{301}*", "‹*›b{👨‍👩‍👧 🇩🇪 e\u{301}}‹*›"),
      ("*مرحبا*", "‹*›b{مرحبا}‹*›"),
      ("é*a*é *a*é", "é*a*é ‹*›b{a}‹*›é"),
    ])
  func otherScripts(_ text: String, _ picture: String) {
    #expect(styled(text) == picture)
  }

  @Test("6.1: registering: in order, twice is once, a symbol that looks like text is rejected")
  func registering() {
    let marks = ["*", "_", "~", "`", "```", ">"]
    #expect(MessageStyling.standard.symbols.map(\.mark) == marks)
    var styling = MessageStyling.standard
    styling.register(.init(mark: "*", style: .underline))
    styling.register(.init(mark: "", style: .underline))
    styling.register(.init(mark: "| |", style: .underline))
    styling.register(.init(mark: "\n", style: .underline, kind: .quote))
    #expect(styling == .standard)
    #expect(styled("*a*", by: styling) == "‹*›b{a}‹*›")

    styling.register(.init(mark: "||", style: .reverse))
    styling.register(.init(mark: "|", style: .underline))
    styling.register(.init(mark: "¡", style: .bold, kind: .quote))
    #expect(styling.symbols.map(\.mark) == marks + ["||", "|", "¡"])
    // The longest mark that fits is meant.
    let text = "||a|b|| |c| ||||"
    #expect(styled(text, by: styling) == "‹||›{a|b}‹||› ‹|›{c}‹|› ||||")
    #expect(styled("¡a", by: styling) == "‹¡›b{a}")
  }

  @Test("6.4: styling off: everything bare, the lines as they were")
  func off() {
    #expect(MessageStyling.off.runs(in: "*a*\n> b").isEmpty)
    #expect(MessageStyling.off.runs(in: "*a*", visible: 0..<3).isEmpty)
    let lines = MessageStyling.off.lines(of: "*a*\n> b", base: .dim)
    #expect(lines == [StyledLine("*a*", .dim), StyledLine("> b", .dim)])
  }

  @Test("6.4: a message keeps its marks, dim, and is styled on top of its own style")
  func messageLines() {
    let lines = MessageStyling.standard.lines(of: "a *b*\n\n> _c_")
    #expect(
      lines == [
        [StyledRun("a "), StyledRun("*", .dim), StyledRun("b", .bold), StyledRun("*", .dim)],
        [],
        [
          StyledRun(">", Style(.dim, foreground: .green)),
          StyledRun(" ", Style(foreground: .green)),
          StyledRun("_", Style([.dim, .italic], foreground: .green)),
          StyledRun("c", Style(.italic, foreground: .green)),
          StyledRun("_", Style([.dim, .italic], foreground: .green)),
        ],
      ])
    let base = Style([.bold, .underline], foreground: .red)
    #expect(
      MessageStyling.standard.lines(of: "`a` b", base: base) == [
        [
          StyledRun("`", Style([.dim, .underline], foreground: .cyan)),
          StyledRun("a", Style([.bold, .underline], foreground: .cyan)),
          StyledRun("`", Style([.dim, .underline], foreground: .cyan)),
          StyledRun(" b", base),
        ]
      ])
  }

  @Test(
    "6.4: the lines on the screen are styled as in the whole text",
    arguments: [
      (0..<1, "‹```›\n*a*\n```\n*b*\n*c*"),
      (5..<5, "```\nc{*a*}\n```\n*b*\n*c*"),
      (4..<9, "```\nc{*a*}\n‹```›\n*b*\n*c*"),
      (12..<14, "```\n*a*\n```\n‹*›b{b}‹*›\n*c*"),
      (-9..<99, "‹```›\nc{*a*}\n‹```›\n‹*›b{b}‹*›\n‹*›b{c}‹*›"),
      (99..<100, "```\n*a*\n```\n*b*\n‹*›b{c}‹*›"),
    ])
  func visible(_ range: Range<Int>, _ picture: String) {
    let text = "```\n*a*\n```\n*b*\n*c*"
    #expect(pictured(text, MessageStyling.standard.runs(in: text, visible: range)) == picture)
  }
}
