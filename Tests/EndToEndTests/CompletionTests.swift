// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Testing

extension EndToEnd {
  @Suite("2: TAB")
  struct CompletionTests {
    private let home: Home

    init() throws {
      home = try Home()
      try home.say("hello", as: "ben")
    }

    @Test(
      "completes commands, people and rooms",
      arguments: [
        ("/ed\t", "#lobby> /edit |"),
        ("/hi\t", "#lobby> /history |"),
        ("@b\t", "#lobby> @ben: |"),
        ("ask @b\t", "#lobby> ask @ben |"),
        ("see #te\t", "#lobby> see #tea |"),
        ("/join te\t", "#lobby> /join tea |"),
        ("/switch #te\t", "#lobby> /switch #tea |"),
        ("/set recei\t", "#lobby> /set receipts |"),
        ("a@b\t", "#lobby> a@b|"),
        ("@zed\t", "#lobby> @zed|"),
      ])
    func completes(typed: String, shown: String) throws {
      let ben = try home.shellInLobby(as: "ben")
      try ben.type("/join tea\r", seeing: "#tea> |")
      let anna = try home.shellInLobby(as: "anna")
      anna.send(typed)
      try anna.expect(shown)
    }

    @Test("2.6: replaces the whole word on both sides of the caret")
    func replacesTheWholeWord() throws {
      let shell = try home.shellInLobby(as: "anna")
      try shell.type("ask @bxx now\u{1B}b\u{02}\u{02}\u{02}", seeing: "#lobby> ask @b|xx now")
      try shell.type("\u{04}\u{04}e\u{02}", seeing: "#lobby> ask @b|e now")
      try shell.type("\t", seeing: "#lobby> ask @ben |now")
    }

    @Test("1.14: an arriving message neither opens nor changes it")
    func staysWhenAMessageArrives() throws {
      try home.say("hello", as: "bea")
      let shell = try home.shellInLobby(as: "anna")
      try shell.type("@b\t", seeing: "#lobby> @be|")
      try home.say("while you choose", as: "ben")
      try shell.expect("while you choose")
      try shell.expect("#lobby> @be|")
      try shell.type("n\t", seeing: "#lobby> @ben: |")
    }
  }
}
