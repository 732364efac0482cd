// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import StyledText
import Testing

@Suite("1.1, 1.7, 1.11: What Return makes of a text")
struct LineRulesTests {
  @Test(
    "Blank, message, command",
    arguments: [
      ("", .blank),
      (" \t\n\u{3000}\u{A0}", .blank),
      ("hello", .message("hello")),
      // What is stored is the text as typed, but for newlines at its end.
      ("  hello \n", .message("  hello ")),
      ("\n a\r\n\n", .message("\n a")), ("a\n \n", .message("a\n ")),
      ("a\nb", .message("a\nb")),
      ("/join lobby", .command("/join lobby")),
      ("/", .command("/")),
      ("//usr/bin", .message("/usr/bin")),
      ("///", .manySlashes("//")), ("/// a\n", .manySlashes("// a")),
      ("//\u{338}/", .message("/\u{338}/")),
      ("//", .message("/")),
      ("//a\nb", .message("/a\nb")),
      (" /quit", .slashGuard),
      ("\n\t/quit", .slashGuard),
      (" //quit", .slashGuard),
      ("/me waves\nand leaves", .command("/me waves\nand leaves")),
      ("/msg\nx", .command("/msg\nx")),
      ("/join a\nb", .commandWithNewlines(name: "join")),
      ("/\nb", .commandWithNewlines(name: "")),
      ("/join a\n", .command("/join a\n")),
      ("a/b", .message("a/b")),
      // A slash with a mark on it is a slash all the same.
      (" /\u{338}quit", .slashGuard),
      ("/\u{338}quit", .command("/\u{338}quit")),
    ] as [(String, LineVerdict)])
  func judged(_ text: String, _ verdict: LineVerdict) {
    #expect(LineRules().judge(text) == verdict)
  }

  @Test("1.11: Without the guard a slash after blanks is a message")
  func slashGuardOff() {
    #expect(LineRules(slashGuard: false).judge(" /x") == .message(" /x"))
    #expect(LineRules(slashGuard: false).judge("/x") == .command("/x"))
  }

  @Test(
    "1.7: The limit counts graphemes of the trimmed text, and blocks sending only",
    arguments: [
      ("abc", .message("abc")),
      ("abcd", .overLimit(4, limit: 3)),
      (" abc \n", .message(" abc ")),
      ("👨‍👩‍👧🇩🇪e\u{301}", .message("👨‍👩‍👧🇩🇪e\u{301}")),
      ("//ab", .message("/ab")),
      ("//abc", .overLimit(4, limit: 3)),
      ("/command", .command("/command")),
      ("     ", .blank),
    ] as [(String, LineVerdict)])
  func limited(_ text: String, _ verdict: LineVerdict) {
    #expect(LineRules(messageLimit: 3).judge(text) == verdict)
  }

  @Test(
    "1.1: When Return does something, and when attachments wait",
    arguments: [
      ("hi", true, true), ("/quit", true, true), ("", false, true), (" \n", false, true),
      ("hello", false, false), (" /quit", false, false), ("/join\nx", false, false),
    ])
  func sending(_ text: String, _ alone: Bool, _ withAttachments: Bool) {
    let rules = LineRules(messageLimit: 4)
    #expect(rules.allowsSending(text) == alone)
    #expect(rules.allowsSending(text, hasAttachments: true) == withAttachments)
  }

  @Test("1.7: Counter and limit trim alike")
  func oneTrimmingRule() {
    for text in ["", " a ", "\n👍🏽\n", "//a", "  "] {
      let length = LineRules.graphemeCount(of: text)
      let blocked = LineRules(messageLimit: max(1, length)).judge(text)
      if case .overLimit = blocked { Issue.record("\(text) is over its own length") }
    }
    #expect(LineRules.graphemeCount(of: "\n a👍🏽b \t") == 3)
  }

  @Test(
    "1.7: Counter styles",
    arguments: [
      (CounterStyle.none, "12", "150"),
      (.split, "12/140", "150/140"),
      (.countdown, "-128", "10"),
      (.countdownReversed, "128", "-10"),
    ])
  func counters(_ style: CounterStyle, _ below: String, _ above: String) {
    #expect(style.text(count: 12, max: 140).string == below)
    #expect(style.text(count: 150, max: 140).string == above)
  }

  @Test("The styles have the names that /set uses")
  func counterNames() {
    let names = ["none", "split", "countdown", "countdown-reversed"]
    #expect(CounterStyle.allCases.map(\.rawValue) == names)
  }
}
