// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Testing

extension EndToEnd {
  @Suite("Title, prompt marks and notifications of the terminal")
  struct TerminalStringsEndToEndTests {
    private let home: Home
    private let focusOut = "\u{1B}[O"
    private let knowsOSC99 = "\u{1B}]99;i=hobnob:p=?;p=title,body\u{1B}\\"

    init() throws {
      home = try Home()
    }

    /// What the shell has written, without carriage returns.
    private func written(_ shell: PseudoTerminal) -> String {
      String(decoding: shell.output.filter { $0 != 0x0D }, as: UTF8.self)
    }

    private func count(_ text: String, _ shell: PseudoTerminal) -> Int {
      written(shell).components(separatedBy: text).count - 1
    }

    private func expectTitle(_ title: String, _ shell: PseudoTerminal) {
      #expect(
        shell.wait(for: 10) { $0.title == title },
        "\(shell.emulator.title) in place of \(title)")
    }

    @Test("the title counts unread messages elsewhere, and here while the window has no focus")
    func title() throws {
      let anna = try home.shellInLobby(as: "anna")
      expectTitle("#lobby · hobnob", anna)
      try home.say("hello", as: "ben", in: "@anna")
      expectTitle("(1) #lobby · hobnob", anna)
      anna.send(focusOut)
      try home.say("here", as: "ben")
      expectTitle("(2) #lobby · hobnob", anna)
      anna.send("\u{1B}[I")
      expectTitle("(1) #lobby · hobnob", anna)
      try anna.type("/msg ben\r", seeing: "@ben> |")
      expectTitle("@ben · hobnob", anna)
      // Stopped from outside and continued, it sets its title again, and keeps the former one.
      let count = count("\u{1B}]0;@ben", anna)
      anna.kill(SIGSTOP)
      anna.kill(SIGCONT)
      #expect(anna.wait(for: 10) { _ in self.count("\u{1B}]0;@ben", anna) > count })
      #expect(self.count("\u{1B}[22;0t", anna) == 1)
    }

    @Test("the former title comes back for an editor, with the setting, at the end and in a crash")
    func formerTitle() throws {
      let anna = try home.shellInLobby(
        as: "anna", environment: ["EDITOR": "sh -c 'echo in the editor'"])
      #expect(count("\u{1B}[22;0t", anna) == 1 && count("\u{1B}[23;0t", anna) == 0)
      anna.send("\u{18}\u{05}")
      try anna.expect("in the editor")
      try anna.expect("#lobby> |")
      #expect(count("\u{1B}[22;0t", anna) == 2 && count("\u{1B}[23;0t", anna) == 1)
      try anna.command("/set title off")
      _ = anna.wait(for: 10) { _ in count("\u{1B}[23;0t", anna) == 2 }
      try anna.command("/set title on")
      _ = anna.wait(for: 10) { _ in count("\u{1B}[22;0t", anna) == 3 }
      anna.kill(SIGSEGV)
      _ = anna.waitForExit(seconds: 10)
      #expect(count("\u{1B}[22;0t", anna) == 3 && count("\u{1B}[23;0t", anna) == 3)
    }

    @Test("each typed line is marked once: its message, the answer to a command; nothing else is")
    func marks() throws {
      let anna = try home.shellInLobby(as: "anna")
      try anna.type("hello\r", seeing: "1 anna: hello")
      try home.say("hi", as: "ben")
      try anna.expect("2  ben: hi")
      #expect(count("\u{1B}]133;A;redraw=0\u{1B}\\", anna) == 1)
      let sent = #/\e\]133;A;redraw=0\e\\[^\n]* hello[^\n]*\n[^\n]*\e\]133;C\e\\\e\]133;D\e\\/#
      #expect(written(anna).contains(sent))
      try anna.type("/who\r", seeing: "Name  State")
      try anna.type("/nonsense\r", seeing: "nonsense")
      anna.send("\u{15}\u{0C}")
      try anna.expectGone("nonsense", for: 10)
      try home.say("again", as: "ben")
      try anna.expect("ben: again")
      for mark in ["A;redraw=0", "C", "D"] {
        #expect(count("\u{1B}]133;\(mark)\u{1B}\\", anna) == 2)
      }
    }

    @Test("a message for me is one notification, in the best form, while I look elsewhere")
    func notifications() throws {
      let anna = try home.shellInLobby(as: "anna", environment: ["TERM": "foot"])
      try home.say("@anna: seen", as: "ben")
      try anna.expect("@anna: seen")
      anna.send(focusOut)
      try home.say("@anna: one; two", as: "ben")
      try anna.expect("@anna: one; two")
      try home.say("not for me", as: "ben")
      try anna.expect("not for me")
      #expect(count("\u{1B}]777;", anna) == 1 && count("\u{1B}]99;", anna) == 1)
      #expect(written(anna).contains("\u{1B}]777;notify;ben (#lobby);@anna: one, two\u{1B}\\"))
      anna.send(knowsOSC99)
      try home.say("psst", as: "ben", in: "@anna")
      _ = anna.wait(for: 10) { _ in count("p=body", anna) == 1 }
      #expect(count("\u{1B}]777;", anna) == 1 && count("\u{1B}]99;i=hobnob-", anna) == 2)
      try anna.command("/set notify-terminal off")
      try home.say("@anna: three", as: "ben")
      try anna.expect("@anna: three")
      #expect(count("\u{1B}]777;", anna) == 1 && count("\u{1B}]99;i=hobnob-", anna) == 2)
    }

    @Test("of several shells one notifies, and of several ways the command")
    func once() throws {
      try home.write("echo \"$3\" >> \"$HOME/called\"\n", to: "program")
      let shells = try (1...2).map { _ in
        try home.shellInLobby(as: "anna", environment: ["TERM": "foot"])
      }
      for shell in shells { shell.send(focusOut) }
      for number in 1...10 {
        try home.say("@anna: \(number)", as: "ben")
        for shell in shells { try shell.expect("@anna: \(number)") }
      }
      #expect(shells.reduce(0) { $0 + count("\u{1B}]777;", $1) } == 10)
      for shell in shells {
        try shell.command("/set notify-command sh \(home.path)/program")
      }
      try home.say("@anna: command", as: "ben")
      try home.say("@anna: last", as: "ben")
      for shell in shells { try shell.expect("@anna: last") }
      let called = home.path + "/called"
      _ = shells[0].wait(for: 10) { _ in
        (try? String(contentsOfFile: called, encoding: .utf8))?.contains("last") ?? false
      }
      #expect(shells.reduce(0) { $0 + count("\u{1B}]777;", $1) } == 10)
      shells[0].rest(0.2)
      #expect(
        try String(contentsOfFile: called, encoding: .utf8).split(separator: "\n").sorted()
          == ["@anna: command", "@anna: last"])
    }

    @Test(
      "plain mode, the Linux console and old terminals get none of it",
      arguments: [(["TERM": "dumb"], []), (["TERM": "linux"], []), (["TERM": "foot"], ["--plain"])]
        as [([String: String], [String])])
    func nothing(changes: [String: String], arguments: [String]) throws {
      let anna = try home.shellInLobby(as: "anna", arguments, environment: changes)
      try anna.command("/set notify-terminal 777")
      anna.send(focusOut)
      try home.say("@anna: one", as: "ben")
      try anna.expect("@anna: one")
      anna.send("/quit\r")
      _ = anna.waitForExit(seconds: 10)
      for kind in ["\u{1B}]", "\u{1B}[22;", "\u{1B}[23;", "\u{1B}P"] {
        #expect(count(kind, anna) == 0, "\(kind.debugDescription)")
      }
    }
  }
}
