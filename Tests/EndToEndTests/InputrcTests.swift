// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Testing

extension EndToEnd {
  @Suite("The user's own inputrc")
  struct InputrcTests {
    @Test("bindings under $if hobnob hold, those of others do not")
    func conditionalBindingsHold() throws {
      let home = try Home()
      try home.write(
        """
        "\\C-x\\C-a": "for everyone"
        $if hobnob
        "\\C-x\\C-b": "for hobnob"
        "\\C-x\\C-e": edit-last
        $endif
        $if bash
        "\\C-x\\C-b": "for bash"
        $endif
        """, to: ".inputrc")
      let shell = try home.shellInLobby(as: "anna")
      shell.send("\u{18}\u{01} and \u{18}\u{02}")
      try shell.expect("#lobby> for everyone and for hobnob|")
      shell.send("\r")
      try shell.expect("[1]")
      shell.send("\u{18}\u{05}")
      try shell.expect("edit 1> for everyone and for hobnob|")
    }

    @Test("vi mode edits as vi does, and Return sends from both modes")
    func viModeWorks() throws {
      let home = try Home()
      try home.write("set editing-mode vi\n", to: ".inputrc")
      let shell = try home.shellInLobby(as: "anna")
      shell.send("one two\u{1B}")
      try shell.expect("#lobby> one tw|o")
      shell.send("bcwthree\u{1B}")
      try shell.expect("#lobby> one thre|e")
      shell.send("\r")
      try shell.expect("[1] anna: one three")
      shell.send("typed at once\r")
      try shell.expect("typed at once")
    }

    @Test("a key bound to one of readline's own functions keeps its meaning")
    func ownBindingsOfReadlineFunctionsHold() throws {
      let home = try Home()
      try home.write("\"\\C-t\": kill-whole-line\nTAB: tab-insert\n", to: ".inputrc")
      let shell = try home.shellInLobby(as: "anna")
      shell.send("gone\u{14}here")
      try shell.expect("#lobby> here|")
      shell.send("\u{14}/e\tx")
      try shell.expectNever("/edit")
    }
  }
}
