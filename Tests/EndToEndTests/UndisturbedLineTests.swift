// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Testing

extension EndToEnd {
  /// Rule 1.14: a message that arrives changes nothing of what is being typed.
  @Suite("1.14: A message arrives while a line is being typed")
  struct UndisturbedLineTests {
    private let home: Home
    private let shell: PseudoTerminal

    init() throws {
      home = try Home()
      shell = try home.shellInLobby(as: "anna")
    }

    @Test("the text and the caret stay")
    func halfTypedLineStays() throws {
      try shell.type("half a line\u{02}\u{02}", seeing: "#lobby> half a li|ne")
      try home.say("while you type", as: "ben")
      try shell.expect("while you type")
      try shell.expect("#lobby> half a li|ne")
    }

    @Test("undo and the kill ring stay")
    func undoAndKillRingStay() throws {
      // Kill a word, type another, and use both afterwards.
      try shell.type("one two\u{17}three", seeing: "#lobby> one three|")
      try home.say("while you type", as: "ben")
      try shell.expect("while you type")
      try shell.type("\u{19}", seeing: "#lobby> one threetwo|")
      try shell.type("\u{1F}\u{1F}\u{1F}", seeing: "#lobby> one two|")
    }

    @Test("a search goes on")
    func searchGoesOn() throws {
      try shell.type("alpha one\r", seeing: "[1]")
      try shell.type("beta two\r", seeing: "[2]")
      try shell.type("\u{12}alp", seeing: "`alp': ")
      let line = shell.caretRow
      try home.say("while you search", as: "ben")
      try shell.expect("while you search")
      #expect(shell.caretRow == line)
      try shell.type("h", seeing: "`alph': ")
      try shell.type("\u{05}!", seeing: "#lobby> alpha one!|")
    }

    @Test("a numeric argument stays pending")
    func numericArgumentGoesOn() throws {
      try shell.type("\u{1B}4", seeing: "(arg: 4)")
      try home.say("while you count", as: "ben")
      try shell.expect("while you count")
      try shell.expect("(arg: 4)")
      try shell.type("x", seeing: "#lobby> xxxx|")
    }

    @Test("a text of several rows stays, the message above it")
    func textOfSeveralRowsStays() throws {
      shell.resize(rows: 12, columns: 40)
      try shell.type("first\nsecond\nthird\u{1B}[A", seeing: "#lobby> first")
      try home.say("while you write", as: "ben")
      try shell.expect("while you write")
      let rows = shell.emulator.screen
      let first = try #require(rows.firstIndex { $0.hasPrefix("#lobby> first") }, "\(rows)")
      #expect(rows[first - 1].contains("while you write"), "\(rows)")
      #expect(rows[first + 1].hasSuffix("second"), "\(rows)")
      #expect(rows[first + 2].hasSuffix("third"), "\(rows)")
      try shell.type("!", seeing: "secon!|d")
    }
  }
}
