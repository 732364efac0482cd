// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Testing

extension EndToEnd {
  @Suite("TAB (2)")
  struct CompletionTests {
    @Test(
      "completes commands, people and rooms",
      arguments: [
        ("/e\t", "#lobby> /edit |"),
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
      let home = try Home()
      try home.say("hello", as: "ben")
      let ben = try home.shellInLobby(as: "ben")
      ben.send("/join tea\r")
      try ben.expect("#tea> |")
      let anna = try home.shellInLobby(as: "anna")
      anna.send(typed)
      try anna.expect(shown)
    }

    @Test("replaces the whole word on both sides of the caret (2.6)")
    func replacesTheWholeWord() throws {
      let home = try Home()
      try home.say("hello", as: "ben")
      let shell = try home.shellInLobby(as: "anna")
      shell.send("ask @bxx now\u{1B}b\u{02}\u{02}\u{02}")
      try shell.expect("#lobby> ask @b|xx now")
      shell.send("\u{04}\u{04}e\u{02}")
      try shell.expect("#lobby> ask @b|e now")
      shell.send("\t")
      try shell.expect("#lobby> ask @ben| now")
    }

    @Test("never opens by an arriving message, and stays as it is (1.14)")
    func staysWhenAMessageArrives() throws {
      let home = try Home()
      try home.say("hello", as: "ben")
      try home.say("hello", as: "bea")
      let shell = try home.shellInLobby(as: "anna")
      shell.send("@b\t")
      try shell.expect("#lobby> @be|")
      try home.say("while you choose", as: "ben")
      try shell.expect("while you choose")
      try shell.expect("#lobby> @be|")
      shell.send("n\t")
      try shell.expect("#lobby> @ben: |")
    }
  }
}
