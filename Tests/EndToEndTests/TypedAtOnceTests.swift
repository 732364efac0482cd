// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Testing

extension EndToEnd {
  /// Keys that arrive in one read, as over a slow line, mean what they mean one by one.
  @Suite("Keys typed at once")
  struct TypedAtOnceTests {
    let home: Home
    let shell: PseudoTerminal

    init() throws {
      home = try Home.withPeople()
      shell = try home.shellInLobby(as: "anna")
    }

    @Test(
      "2.7: TAB, a key of the menu and Return accept and send nothing",
      arguments: [("\t\u{0E}\r", "ben"), ("\t\u{1B}[B\u{1B}[Z\r", "bea"), ("\t\t\r", "ben")])
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

    @Test("8.2: files that came are listed with name, type and size, and saved")
    func receivedFiles() throws {
      try home.write("the notes\n", to: "notes.txt")
      try shell.type("/attach \(home.path)/notes.txt\r", seeing: "[1 file]")
      try shell.type("look\r", seeing: "[file 1: notes.txt, text/plain, 10 B]")
      try shell.type("/save 8 \(home.path)/copy.txt\r", seeing: "Saved as \(home.path)/copy.txt")
    }

    @Test("1.12: the same line sent twice stands once in the history")
    func historyOnce() throws {
      try shell.type("first\r", seeing: "[8] anna: first")
      try shell.type("again\r", seeing: "[9]")
      try shell.type("again\r", seeing: "[10]")
      try shell.type("\u{1B}[A", seeing: "#lobby> again|")
      try shell.type("\u{1B}[A", seeing: "#lobby> first|")
    }

    @Test("3.7, 3.8: what /cancel takes back is said to be taken back")
    func takenBack() throws {
      let empty = try Home()
      let alone = try empty.shellInLobby(as: "anna")
      try alone.type("recall me\r", seeing: "[1] anna: recall me")
      try alone.type("/cancel\r", seeing: "anna took [1] back")
      try alone.type("\u{15}+:tada:\r", seeing: "no message here to react to")
      try alone.type("\u{15}/CANCEL\r", seeing: "Did you mean /cancel?")
    }

    @Test("the menu stands in one row where it is to be compact")
    func compactMenu() throws {
      try shell.command("/set menu-style compact")
      try shell.type("@be", seeing: "#lobby> @be|\n@bea   @ben")
    }
  }
}
