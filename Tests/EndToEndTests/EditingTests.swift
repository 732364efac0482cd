// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Testing

extension EndToEnd {
  @Suite("Editing what was sent (3)")
  struct EditingTests {
    @Test("/edit puts the newest message on the line, Return saves it on both screens (3.1–3.3)")
    func editSaves() throws {
      let home = try Home()
      let anna = try home.shellInLobby(as: "anna")
      let ben = try home.shellInLobby(as: "ben")
      anna.send("I bring tree\r")
      try ben.expect("[1] anna: I bring tree")
      anna.send("/edit\r")
      try anna.expect("edit 1> I bring tree|")
      try anna.expect("Editing message 1 — Return saves, /cancel or C-g leaves")
      anna.send("\u{17}three\r")
      try anna.expect("#lobby> |")
      try ben.expect("✎ [1] anna: I bring three")
      let log = try home.run(["log", "lobby", "--as", "ben"]).output
      #expect(log.contains("I bring three"))
      #expect(!log.contains("tree"))
    }

    @Test(
      "/cancel, C-g, a lone Esc and unchanged text leave the message, and the draft comes back (3.4)",
      arguments: ["/cancel", "C-g", "Esc", "unchanged"])
    func leavingBringsTheDraftBack(how: String) throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna")
      shell.send("the message\r")
      try shell.expect("[1]")
      shell.send("my draft\u{02}\u{02}")
      try shell.expect("#lobby> my dra|ft")
      shell.send("\u{1B}e")
      try shell.expect("edit 1> the message|")
      switch how {
      case "/cancel": shell.send("\u{15}/cancel\r")
      case "C-g": shell.send(" changed\u{07}")
      case "Esc": shell.send(" changed\u{1B}")
      default: shell.send("\r")
      }
      try shell.expect("#lobby> my dra|ft")
      try shell.expectNever("✎")
      // The draft's own undo is back too.
      shell.send("\u{1F}")
      try shell.expectGone("#lobby> my dra|ft")
      let log = try home.run(["log", "lobby", "--as", "ben"]).output
      #expect(log.contains("the message"))
    }

    @Test("changed text that was left is offered by C-_ at the next /edit (3.4)")
    func changedTextIsNotLost() throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna")
      shell.send("the message\r")
      try shell.expect("[1]")
      shell.send("/edit\r")
      try shell.expect("edit 1> the message|")
      shell.send(" and more\u{07}")
      try shell.expect("#lobby> |")
      shell.send("/edit\r")
      try shell.expect("edit 1> the message|")
      shell.send("\u{1F}")
      try shell.expect("edit 1> the message and more|")
    }

    @Test("blank text is refused, other commands too; edit mode stays (3.3, 3.9)")
    func whatEditModeRefuses() throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna")
      shell.send("the message\r")
      try shell.expect("[1]")
      shell.send("/edit\r")
      try shell.expect("edit 1> the message|")
      shell.send("\u{15}  \r")
      try shell.expect("edit 1>   |")
      shell.send("\u{15}/list\r")
      try shell.expect("edit 1> /list|")
    }

    @Test("/edit N takes that message, /edit -2 the last but one, another's is an error (3.1)")
    func editTakesNumbers() throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna")
      try home.say("not yours", as: "ben")
      try shell.expect("[1]")
      for text in ["one", "two", "three"] { shell.send("\(text)\r") }
      try shell.expect("[4]")
      shell.send("/edit 2\r")
      try shell.expect("edit 2> one|")
      shell.send("\u{07}")
      try shell.expect("#lobby> |")
      shell.send("/edit -2\r")
      try shell.expect("edit 3> two|")
      shell.send("\u{07}")
      try shell.expect("#lobby> |")
      shell.send("/edit 1\r")
      // The line stays with the error.
      try shell.expect("#lobby> /edit 1|")
    }

    @Test("a message deleted elsewhere ends edit mode; C-_ brings the text back (3.5)")
    func deletionElsewhereEndsEditMode() throws {
      let home = try Home()
      let first = try home.shellInLobby(as: "anna")
      let second = try home.shellInLobby(as: "anna")
      first.send("the message\r")
      try second.expect("[1]")
      first.send("/edit\r")
      try first.expect("edit 1> the message|")
      first.send(" and more")
      try first.expect("edit 1> the message and more|")
      second.send("/delete\r")
      try first.expect("#lobby> |")
      first.send("\u{1F}")
      try first.expect("#lobby> the message and more|")
    }

    @Test("/cancel takes back what nobody has yet, and says so when somebody has (3.7)")
    func cancelTakesBack() throws {
      let home = try Home()
      let anna = try home.shellInLobby(as: "anna")
      anna.send("too early\r")
      try anna.expect("[1]")
      anna.send("/cancel\r")
      try anna.expect("#lobby> too early|")
      let early = try home.run(["log", "lobby", "--as", "anna"]).output
      #expect(!early.contains("too early"))
      anna.send("\u{15}")
      let ben = try home.shellInLobby(as: "ben")
      anna.send("in time\r")
      try ben.expect("in time")
      try anna.expect("seen")
      anna.send("/cancel\r")
      try anna.expect("/delete")
      anna.send("\u{15}/delete\r")
      try ben.expect("deleted")
      let log = try home.run(["log", "lobby", "--as", "ben"]).output
      #expect(!log.contains("in time"))
    }
  }
}
