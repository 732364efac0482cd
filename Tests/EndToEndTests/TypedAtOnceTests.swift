// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Testing

extension EndToEnd {
  /// Keys that arrive in one read, as over a slow line, mean what they mean one by one.
  @Suite("Keys typed in one burst")
  struct TypedAtOnceTests {
    let home: Home
    let shell: PseudoTerminal

    init() throws {
      home = try Home.withPeople()
      shell = try home.shellInLobby(as: "anna")
    }

    @Test(
      "2.7: TAB, a key of the menu and Return accept and send nothing",
      arguments: [("\t\u{1B}[B\u{1B}[Z\r", "bea"), ("\t\t\r", "ben")])
    func menuAtOnce(keys: String, accepted: String) throws {
      try shell.type("ask @be\(keys)", seeing: "#lobby> ask @\(accepted) |")
      try shell.expectNever("[8]")
    }

    @Test("6.3: two spaces close what was opened, and one undo gives them back")
    func closing() throws {
      try shell.type("hello *bold world  ", seeing: "#lobby> hello *bold world* |")
      try shell.type("\u{1F}", seeing: "#lobby> hello *bold world  |")
      try shell.type("\u{15}plain  text", seeing: "#lobby> plain  text|")
    }

    @Test("6.2: C-x * takes the region, not only the word at the caret")
    func region() throws {
      try shell.type("one two\u{01}\u{00}\u{05}\u{18}\u{18}\u{18}*", seeing: "#lobby> *one two*")
    }

    @Test("7.8: a reaction is to the message that was newest when +: was typed")
    func reaction() throws {
      try shell.type("+:ta", seeing: "Reaction to [7]")
      try home.say("something newer", as: "ben")
      try shell.expect("something newer")
      try shell.type("da:\r", seeing: "🎉 anna [7]")
      try shell.expectNever("anna: +")
    }

    @Test("1.12: a line sent twice is in the history once")
    func historyOnce() throws {
      try shell.type("first\r", seeing: "8 anna: first")
      try shell.type("again\r", seeing: "[9]")
      try shell.type("again\r", seeing: "[10]")
      try shell.type("\u{1B}[A", seeing: "#lobby> again|")
      try shell.type("\u{1B}[A", seeing: "#lobby> first|")
    }

    @Test("the menu is one row if it has to be compact")
    func compactMenu() throws {
      try shell.command("/set menu-style compact")
      try shell.type("@be", seeing: "#lobby> @be|\n@bea   @ben")
    }
  }
}
