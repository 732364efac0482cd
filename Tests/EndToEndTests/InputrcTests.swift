// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Testing

extension EndToEnd {
  @Suite("The user's own inputrc")
  struct InputrcTests {
    private let home: Home

    init() throws {
      home = try Home()
    }

    @Test("bindings under $if hobnob hold, those of others do not")
    func conditionalBindingsHold() throws {
      let shell = try home.shellInLobby(
        as: "anna",
        inputrc: """
          "\\C-x\\C-a": "for everyone"
          $if hobnob
          "\\C-x\\C-b": "for hobnob"
          "\\C-x\\C-e": edit-last
          $endif
          $if bash
          "\\C-x\\C-b": "for bash"
          $endif
          """)
      try shell.type(
        "\u{18}\u{01} and \u{18}\u{02}", seeing: "#lobby> for everyone and for hobnob|")
      try shell.type("\r", seeing: "[1]")
      try shell.type("\u{18}\u{05}", seeing: "edit 1> for everyone and for hobnob|")
    }

    @Test("vi mode edits as vi does, and Return sends from both modes")
    func viModeWorks() throws {
      let shell = try home.shellInLobby(as: "anna", inputrc: "set editing-mode vi\n")
      try shell.type("one two\u{1B}", seeing: "#lobby> one tw|o")
      try shell.type("bcwthree\u{1B}", seeing: "#lobby> one thre|e")
      try shell.type("\r", seeing: "[1] anna: one three")
      try shell.type("typed at once\r", seeing: "typed at once")
    }

    @Test("a key bound to one of readline's own functions keeps its meaning")
    func ownBindingsOfReadlineFunctionsHold() throws {
      let shell = try home.shellInLobby(
        as: "anna", inputrc: "\"\\C-t\": kill-whole-line\nTAB: tab-insert\n")
      try shell.type("gone\u{14}here", seeing: "#lobby> here|")
      try shell.type("\u{14}/e\tx", seeing: "#lobby> /e      x|\nanna")
    }

    @Test("vi command mode and a pending operator go on")
    func viCommandModeGoesOn() throws {
      let shell = try home.shellInLobby(as: "anna", inputrc: "set editing-mode vi\n")
      try shell.type("one two three\u{1B}", seeing: "#lobby> one two thre|e")
      try shell.type("0d", seeing: "#lobby> |one two three")
      try home.say("while you think", as: "ben")
      try shell.expect("while you think")
      try shell.type("w", seeing: "#lobby> |two three")
      shell.send("u")
      #expect(
        shell.wait(for: 10) { $0.screen.contains("#lobby> one two three") },
        "\(shell.emulator.picture)")
    }

    @Test("C-x C-r with mistakes in the inputrc says them above the line, which stays as it was")
    func mistakesReadAgain() throws {
      let shell = try home.shellInLobby(as: "anna", inputrc: "set bell-style none\n")
      try home.write("set colored-bogus on\n\"\\C-xq\": newline\n", to: ".inputrc")
      try shell.type("abc def\u{18}\u{12}", seeing: "colored-bogus")
      try shell.type("g", seeing: "#lobby> abc defg|")
      try shell.type("\u{18}q", seeing: "abc defg\n")
      // Backspace is still by grapheme.
      try shell.type("🇩🇪\u{7F}x", seeing: "        x|")
    }
  }
}
