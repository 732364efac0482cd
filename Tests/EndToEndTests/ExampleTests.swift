// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Testing

extension EndToEnd {
  @Suite("9: The example of an input bar in another program")
  struct ExampleTests {
    /// The built example, beside hobnob.
    private static let program = Home.program + "-bar-example"

    private func example(columns: Int = 40) throws -> PseudoTerminal {
      let example = try PseudoTerminal(
        command: [Self.program], environment: ["TERM": "xterm"], rows: 12, columns: columns)
      try example.expect("say> |")
      return example
    }

    @Test("1.4, 9.1: typing, motion and deletion go by grapheme, the counter stands on the right")
    func editing() throws {
      let example = try example()
      example.send("ab👨‍👩‍👧c")
      try example.expect("4")
      example.send("\u{1B}[D\u{7F}")
      try example.expect("say> ab|c")
      try example.expect("3")
      example.send("\u{1B}[D\u{1B}[D\u{1B}[D漢\u{1B}[1~")
      try example.expect("say> 漢|abc")
      #expect(example.caretRow.hasSuffix(" 4"))
      example.send("\u{1B}[C\u{1B}[C\u{1B}[C\u{1B}[C!\nx")
      try example.expect("say> 漢abc!\n     x|                                7")
    }

    @Test("2.5, 2.6: TAB completes the common part, then the name")
    func completion() throws {
      let example = try example()
      example.send("@a\t")
      try example.expect("say> @An|")
      try example.expect("@Anna\n@Anton")
      example.send("n\t")
      try example.expect("say> @Anna: |")
      try example.expectGone("\n@Anna")
      example.send("(@zoe\t")
      try example.expect("say> @Anna: (@Zoë |")
    }

    @Test("1.1: Return sends above and begins anew, a blank line is not sent")
    func sending() throws {
      let example = try example(columns: 20)
      example.send("  \r")
      try example.expect("say>   |           2")
      try example.expectNever("\n")
      example.send("\u{7F}\u{7F}one two three four five\u{1B}[D\r")
      try example.expect("one two three four f\nive\nsay> |             0")
      example.send("a\u{1B}[D\nb\r")
      try example.expect("ive\n\nba\nsay> |")
    }

    @Test("C-d leaves, and restores the terminal")
    func leaving() throws {
      let shell = try PseudoTerminal(
        command: ["sh", "-c", "stty -a; \(Self.program); stty -a; echo left"],
        environment: ["TERM": "xterm", "PATH": "/usr/bin:/bin"], rows: 60)
      try shell.expect("say> |")
      shell.send("two\nlines\u{1B}[D\u{04}")
      try shell.expect("left")
      #expect(shell.waitForExit(seconds: 10) == 0)
      let text = String(decoding: shell.output, as: UTF8.self)
      let settings = text.matches(of: /(?s)speed.*?-?extproc/).map { String($0.output) }
      #expect(settings.count == 2 && settings[0] == settings[1])
    }
  }
}
