// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Testing

extension EndToEnd {
  @Suite("2.11: TAB as the user's inputrc sets it")
  struct OwnTabTests {
    @Test("menu-complete goes through the candidates, one a TAB")
    func menuComplete() throws {
      let home = try Home.withPeople()
      let shell = try home.shellInLobby(as: "anna", inputrc: "TAB: menu-complete\n")
      shell.send("ask @b\t")
      try shell.expect("#lobby> ask @bea|")
      shell.send("\t")
      try shell.expect("#lobby> ask @ben|")
      shell.send("\t")
      try shell.expect("#lobby> ask @b")
      shell.send("\u{15}@ca\t")
      try shell.expect("#lobby> @carl: |")
    }

    @Test("possible-completions lists them above the line")
    func possibleCompletions() throws {
      let home = try Home.withPeople()
      let shell = try home.shellInLobby(as: "anna", inputrc: "\"\\C-xp\": possible-completions\n")
      shell.send("ask @b\u{18}p")
      try shell.expect("@bea  @ben\n#lobby> ask @b|")
    }

    @Test("in plain mode TAB completes and lists")
    func plainFace() throws {
      let home = try Home.withPeople()
      let shell = try home.shellInLobby(as: "anna", ["--plain"])
      shell.send("ask @b\t")
      try shell.expect("#lobby> ask @be|")
      shell.send("\t\t")
      try shell.expect("1 @bea\n2 @ben")
      try shell.expect("#lobby> ask @be|")
      shell.send("a\t")
      try shell.expect("#lobby> ask @bea |")
      shell.send("\u{15}/theme sl\t")
      try shell.expect("#lobby> /theme slack |")
    }
  }
}
