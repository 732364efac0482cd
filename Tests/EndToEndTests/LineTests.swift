// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Testing

extension EndToEnd {
  @Suite("The line, whatever is typed")
  struct LineTests {
    private let home: Home
    private let shell: PseudoTerminal

    init() throws {
      home = try Home()
      shell = try home.shellInLobby(as: "anna")
    }

    @Test(
      "1.14: a search goes on after keys without a meaning",
      arguments: [
        "\u{18}z", "\u{18}\u{11}", "\u{1B}z", "\u{1B}[24~", "\u{1B}[99;9u",
      ])
    func meaninglessKeysLeaveASearch(keys: String) throws {
      try shell.type("alpha one\r", seeing: "[1]")
      shell.send("before")
      try shell.type("\u{12}alp", seeing: "`alp': ")
      shell.send(keys)
      try shell.type("h", seeing: "`alph': ")
      try shell.type("\u{07}", seeing: "#lobby> before|")
      try shell.type("\u{12}alp\u{05}", seeing: "#lobby> alpha one|")
    }

    @Test("1.6: C-c on a history line empties it, and C-_ brings it back")
    func clearingALineOfTheHistory() throws {
      try shell.type("first\r", seeing: "[1]")
      try shell.type("second\r", seeing: "[2]")
      try shell.type("\u{1B}[A\u{1B}[A", seeing: "#lobby> first|")
      try shell.type("\u{03}", seeing: "#lobby> |")
      try shell.type("\u{1F}", seeing: "#lobby> first|")
      // The line is the live one again, so Up finds the newest.
      try shell.type("\u{03}\u{1B}[A", seeing: "#lobby> second|")
    }

    @Test("1.6: C-z does nothing and says so if no one could resume the shell")
    func suspendingWithoutAShell() throws {
      try shell.type("keep\u{1A}", seeing: "hobnob was not started from a shell")
      try shell.type("!", seeing: "#lobby> keep!|")
      #expect(shell.emulator.history.count { $0.contains("#lobby>") } == 1)
    }

    @Test(
      "3.4: Esc, C-c and C-z behind C-v are characters, as in bash",
      arguments: [("\u{1B}", "^["), ("\u{03}", "^C"), ("\u{1A}", "^Z")])
    func quoted(key: String, shown: String) throws {
      shell.send("ab\u{16}")
      shell.send(key)
      try shell.expect("#lobby> ab\(shown)|")
      try shell.type("\u{02}c", seeing: "#lobby> abc|\(shown)")
    }

    @Test("1.6: the notice about an emptied line stays until the next change by hand")
    func noticeOfAnEmptiedLineStays() throws {
      try shell.type("half a line\u{03}", seeing: "Line emptied; C-_ brings it back")
      try expectUntilTyping("Line emptied; C-_ brings it back")
    }

    @Test("3.4: the notice about an abandoned message stays until the next change by hand")
    func noticeOfALeftMessageStays() throws {
      try shell.type("the message\r", seeing: "[1]")
      // Typing is noticed a moment late (20 ms); what is said comes after that.
      try home.say("hello", as: "ben")
      try shell.expect("ben: hello")
      try shell.type("\u{1B}e", seeing: "edit 1> the message|")
      try shell.type("\u{07}", seeing: "Message [1] stays as it was")
      try expectUntilTyping("Message [1] stays as it was")
    }

    @Test("4.1, 7.4: a notice about the line stands beside who is typing")
    func typingIsSeenAfterANotice() throws {
      let ben = try home.shellInLobby(as: "ben")
      try shell.type("\u{03}", seeing: "To leave: C-d on the empty line, or /quit")
      ben.send("x")
      try shell.expect("ben is typing · To leave: C-d on the empty line, or /quit")
    }

    @Test("7.5: a person renamed within a run is shown under the new name at once")
    func newNameInARun() throws {
      let ben = try home.shellInLobby(as: "ben")
      try ben.type("one\r", seeing: "one")
      try ben.type("two\r", seeing: "two")
      try shell.expect("two")
      try ben.type("/nick bernd\r", seeing: "#lobby> |")
      try ben.type("three\r", seeing: "three")
      try shell.expect("bernd: three")
    }

    /// Looks on while things happen that are not typed.
    private func expectUntilTyping(_ notice: String) throws {
      try home.say("meanwhile", as: "ben")
      try shell.expect("meanwhile")
      try shell.expect(notice)
      shell.resize(rows: 30, columns: 90)
      try home.say("and later", as: "ben")
      try shell.expect("and later")
      try shell.expect(notice)
      shell.send("x")
      try shell.expectGone(notice)
    }
  }
}
