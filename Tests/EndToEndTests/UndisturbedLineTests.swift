// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Testing

extension EndToEnd {
  /// Rule 1.14: a message that arrives changes nothing of what is being typed.
  @Suite("A message arrives while a line is being typed (1.14)")
  struct UndisturbedLineTests {
    @Test("the text and the caret stay")
    func halfTypedLineStays() throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna")
      shell.send("half a line\u{02}\u{02}")
      try shell.expect("#lobby> half a li|ne")
      try home.say("while you type", as: "ben")
      try shell.expect("while you type")
      try shell.expect("#lobby> half a li|ne")
    }

    @Test("undo and the kill ring stay")
    func undoAndKillRingStay() throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna")
      // Kill a word, type another, and use both afterwards.
      shell.send("one two\u{17}three")
      try shell.expect("#lobby> one three|")
      try home.say("while you type", as: "ben")
      try shell.expect("while you type")
      shell.send("\u{19}")
      try shell.expect("#lobby> one threetwo|")
      shell.send("\u{1F}\u{1F}\u{1F}")
      try shell.expect("#lobby> one two|")
    }

    @Test("a search goes on")
    func searchGoesOn() throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna")
      shell.send("alpha one\r")
      try shell.expect("[1]")
      shell.send("beta two\r")
      try shell.expect("[2]")
      shell.send("\u{12}alp")
      try shell.expect("`alp': ")
      let line = shell.caretRow
      try home.say("while you search", as: "ben")
      try shell.expect("while you search")
      #expect(shell.caretRow == line)
      shell.send("h")
      try shell.expect("`alph': ")
      shell.send("\u{05}!")
      try shell.expect("#lobby> alpha one!|")
    }

    @Test("a numeric argument goes on")
    func numericArgumentGoesOn() throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna")
      shell.send("\u{1B}4")
      try shell.expect("(arg: 4)")
      try home.say("while you count", as: "ben")
      try shell.expect("while you count")
      try shell.expect("(arg: 4)")
      shell.send("x")
      try shell.expect("#lobby> xxxx|")
    }

    @Test("vi command mode and a pending operator go on")
    func viCommandModeGoesOn() throws {
      let home = try Home()
      try home.write("set editing-mode vi\n", to: ".inputrc")
      let shell = try home.shellInLobby(as: "anna")
      shell.send("one two three\u{1B}")
      try shell.expect("#lobby> one two thre|e")
      shell.send("0d")
      try shell.expect("#lobby> |one two three")
      try home.say("while you think", as: "ben")
      try shell.expect("while you think")
      shell.send("w")
      try shell.expect("#lobby> |two three")
      shell.send("u")
      #expect(
        shell.wait(for: 10) { $0.screen.contains("#lobby> one two three") },
        "\(shell.emulator.picture)")
    }

    @Test("a text of several rows stays, the message above it")
    func textOfSeveralRowsStays() throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna", rows: 12, columns: 40)
      shell.send("first\nsecond\nthird\u{1B}[A")
      try shell.expect("#lobby> first")
      try home.say("while you write", as: "ben")
      try shell.expect("while you write")
      let rows = shell.emulator.screen
      let first = try #require(rows.firstIndex { $0.hasPrefix("#lobby> first") }, "\(rows)")
      #expect(rows[first - 1].contains("while you write"), "\(rows)")
      #expect(rows[first + 1].hasSuffix("second"), "\(rows)")
      #expect(rows[first + 2].hasSuffix("third"), "\(rows)")
      shell.send("!")
      try shell.expect("secon!|d")
    }
  }
}
