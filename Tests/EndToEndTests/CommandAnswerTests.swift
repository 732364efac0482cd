// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Foundation
import Testing

@testable import NetworkInbox

extension EndToEnd {
  @Suite("Commands say what they do, and do what they say")
  struct CommandAnswerTests {
    private let home: Home

    init() throws {
      home = try Home()
    }

    @Test(
      "1.11: a failed command stays, selected: typing replaces it, and Up finds it",
      arguments: [true, false])
    func failedCommand(isPlain: Bool) throws {
      let anna = try home.shellInLobby(as: "anna", isPlain ? ["--plain"] : [])
      try anna.type("/serch tea\r", seeing: "The line is selected: type to replace it")
      if !isPlain { #expect(anna.style(of: "/serch tea")?.isReverse == true) }
      try anna.type("hello", seeing: "#lobby> hello|")
      if !isPlain { try anna.expectGone("The line is selected") }
      try anna.type("\r", seeing: "anna: hello")
      try anna.type("\u{10}\u{10}", seeing: "#lobby> /serch tea|")
      try anna.type("\r", seeing: "/search")
      try anna.type("\u{05}!", seeing: "#lobby> /serch tea!|")
    }

    @Test("1.11: a refused message, and an edit, are not selected")
    func refusedMessage() throws {
      let anna = try home.shellInLobby(as: "anna")
      try anna.type("/set message-limit 5\r", seeing: "message-limit is 5")
      try anna.type("too long\r", seeing: "Shorten it")
      try anna.type("!", seeing: "#lobby> too long!|")
      try anna.type("\u{03}tea\r", seeing: "anna: tea")
      try anna.type("/edit\r", seeing: "edit 1> tea|")
      try anna.type("\u{15}/nonsense\r", seeing: "While you edit, only")
      try anna.type("!", seeing: "edit 1> /nonsense!|")
    }

    @Test("7.6: a failing pager is reported, and its text is printed")
    func failingPager() throws {
      let lines = (1...40).map { "line \($0)." }.joined(separator: "\n")
      #expect(try home.run(["lobby", "--as", "ben"], input: lines + "\n").status == 0)
      let anna = try home.shellInLobby(as: "anna", environment: ["PAGER": "false"])
      try anna.type("/clear\r/history 40\r", seeing: "The pager false failed with status 1")
      let shown = anna.emulator.history
      #expect(
        shown.contains { $0.contains("line 2.") } && shown.contains { $0.contains("line 40.") })
      // One that was interrupted did what was wanted.
      let ben = try home.shellInLobby(as: "ben", environment: ["PAGER": "sh -c 'kill -INT $$'"])
      try ben.type("/clear\r/history 40\r", seeing: "#lobby> |")
      try ben.expectNever("failed")
    }

    private struct Following {
      let log: Program
      func expect(_ part: String) {
        #expect(log.wait(for: 10) { $0.output.contains(part) }, "\(log.output)")
      }
    }

    @Test("3.8, 11.3: log --follow reports changes of the messages that it printed")
    func followTellsChanges() throws {
      for text in ["old", "first", "second"] { try home.say(text, as: "anna") }
      let follow = Following(
        log: try home.start(["log", "lobby", "--lines", "2", "--follow", "--as", "cy"]))
      follow.expect("second")
      let anna = try home.shellInLobby(as: "anna")
      try anna.type("third\r", seeing: "[4]")
      follow.expect("[4] anna: third\n")
      for (command, line) in [
        ("/edit 2\r\u{15}other\u{0A}text\r", "✎ [2] anna: other\n            text\n"),
        ("/edit 4\r\u{15}new\r", "✎ [4] anna: new\n"),
        ("/react 3 :tada:\r", "🎉 anna [3] second\n"),
        ("/react 3 :tada:\r", "anna removed 🎉 from [3]\n"),
        ("/delete 3\r", "✎ anna deleted [3]\n"),
      ] {
        anna.send(command)
        follow.expect(line)
      }
      // What was not printed is not told of.
      anna.send("/edit 1\r\u{15}nobody asked\r")
      try anna.expect("nobody asked")
      try home.say("last", as: "ben")
      follow.expect("ben: last\n")
      #expect(!follow.log.output.contains("nobody asked"))
      #expect(count(of: "✎", in: follow.log.output) == 3)
    }

    @Test("11.3: with --json the message is printed again as it is now")
    func followJSON() throws {
      for text in ["first", "second"] { try home.say(text, as: "anna") }
      let follow = Following(
        log: try home.start(["log", "lobby", "--follow", "--json", "--as", "cy"]))
      follow.expect("second")
      let anna = try home.shellInLobby(as: "anna")
      anna.send("/edit 1\r\u{15}other\r")
      follow.expect(#""text":"other""#)
      anna.send("/react 2 :tada:\r")
      follow.expect("🎉")
      anna.send("/delete 2\r")
      follow.expect(#""gone":"deleted""#)
      let lines = follow.log.output.split(separator: "\n")
      #expect(lines.count == 5 && lines[2].contains(#""number":1,"#), "\(lines)")
    }
  }
}
