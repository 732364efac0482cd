// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Testing

extension EndToEnd {
  @Suite("1.5 to 1.7: undo, C-c and the limit")
  struct UndoAndLimitTests {

    @Test("1.6: C-c empties the line, says so, and C-_ brings it back with its caret")
    func clearing() throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna")
      shell.send("\u{03}")
      try shell.expect("To leave: C-d on the empty line, or /quit")
      shell.send("half a line\u{03}")
      try shell.expect("#lobby> |")
      try shell.expect("Line emptied; C-_ brings it back")
      shell.send(Key.undo)
      try shell.expect("#lobby> half a line|")
      try shell.expectGone("Line emptied")
      shell.send(Key.redo)
      try shell.expect("#lobby> |")
      shell.send("one\n two\u{02}\u{02}\u{03}")
      try shell.expect("#lobby> |")
      shell.send(Key.undo)
      try shell.expect(" t|wo")
    }

    @Test(
      "1.6: with confirm-clear C-c asks first",
      arguments: [("y", "|"), ("\r", "|"), ("\u{1B}", "half a line|")])
    func confirmedClearing(key: String, left: String) throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna")
      try shell.command("/set confirm-clear on")
      shell.send("half a line\u{03}")
      try shell.expect("Undo typing?")
      shell.send(key)
      try shell.expectGone("Undo typing?")
      try shell.expect("#lobby> \(left)")
    }

    @Test(
      "1.7: the counter, red and bold when over",
      arguments: [("none", "3", "6"), ("split", "3/5", "6/5")])
    func counters(style: String, within: String, over: String) throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna")
      try shell.command("/set counter \(style)")
      shell.send("abc")
      try shell.expect("#lobby> abc|\nanna")
      shell.send("\u{15}")
      try shell.command("/set message-limit 5")
      // A family is one; blanks at the end are none.
      shell.send("a👨‍👩‍👧c ")
      #expect(shell.wait(for: 10) { _ in shell.caretRow.hasSuffix(" " + within) })
      #expect(shell.style(of: within)?.isBold == false)
      shell.send("\u{15}abcdef")
      #expect(shell.wait(for: 10) { _ in shell.caretRow.hasSuffix(" " + over) })
      #expect(shell.waits(forStyleOf: over) { $0.isBold && $0.foreground == 1 })
      // Of a command what it says counts.
      shell.send("\u{15}/reply 1 abcdef")
      #expect(shell.wait(for: 10) { _ in shell.caretRow.hasSuffix(" " + over) })
      #expect(shell.waits(forStyleOf: over) { $0.isBold && $0.foreground == 1 })
    }

    @Test("1.3: the bell sounds once when the text first passes the rows it may have")
    func growingPastTheMaximum() throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna")
      try shell.command("/set max-input-rows 3")
      let bells = shell.emulator.bells
      shell.send("one\ntwo\nthree")
      try shell.expect("three|")
      #expect(shell.emulator.bells == bells)
      shell.send("\nfour")
      #expect(shell.wait(for: 10) { $0.bells == bells + 1 })
      shell.send("\nfive\nsix")
      try shell.expect("six|")
      #expect(shell.emulator.bells == bells + 1)
      // The height shrinks again, and the next time is a first time.
      shell.send("\u{15}\u{7F}\u{15}\u{7F}\u{15}\u{7F}")
      try shell.expect("three|")
      shell.send("\nfour")
      #expect(shell.wait(for: 10) { $0.bells == bells + 2 })
    }

    @Test("1.8: the placeholder is drawn on an empty line, and not in plain mode")
    func placeholder() throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna")
      try shell.expect("Message #lobby")
      try shell.type("x", seeing: "#lobby> x|")
      try shell.expectGone("Message #lobby")
      let plain = try home.shellInLobby(as: "ben", ["--plain"])
      try plain.type("/status\r", seeing: "#lobby> |")
      #expect(!plain.emulator.history.contains { $0.contains("Message #lobby") })
    }
  }
}
