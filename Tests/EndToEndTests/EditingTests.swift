// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Testing

extension EndToEnd {
  @Suite("Editing what was sent (3)")
  struct EditingTests {
    private let home: Home
    private let anna: PseudoTerminal

    init() throws {
      home = try Home()
      anna = try home.shellInLobby(as: "anna")
    }

    @Test("3.1 to 3.3: /edit puts the newest message on the line, Return saves it on both screens")
    func editSaves() throws {
      let ben = try home.shellInLobby(as: "ben")
      anna.send("I bring tree\r")
      try ben.expect("[1] anna: I bring tree")
      try anna.type("/edit\r", seeing: "edit 1> I bring tree|")
      try anna.expect("Editing message 1 — Return saves, /cancel or C-g leaves")
      try anna.type("\u{17}three\r", seeing: "#lobby> |")
      try ben.expect("✎ [1] anna: I bring three")
      let log = try home.run(["log", "lobby", "--as", "ben"]).output
      #expect(log.contains("I bring three"))
      #expect(!log.contains("tree"))
    }

    @Test(
      "3.4: /cancel, C-g, a lone Esc and unchanged text leave the message, and the draft comes back",
      arguments: ["/cancel", "C-g", "Esc", "unchanged"])
    func leavingBringsTheDraftBack(how: String) throws {
      try anna.type("the message\r", seeing: "[1]")
      try anna.type("my draft\u{02}\u{02}", seeing: "#lobby> my dra|ft")
      try anna.type("\u{1B}e", seeing: "edit 1> the message|")
      switch how {
      case "/cancel": anna.send("\u{15}/cancel\r")
      case "C-g": anna.send(" changed\u{07}")
      case "Esc": anna.send(" changed\u{1B}")
      default: anna.send("\r")
      }
      try anna.expect("#lobby> my dra|ft")
      try anna.expectNever("✎")
      // The draft's own undo is back too.
      anna.send("\u{1F}")
      try anna.expectGone("#lobby> my dra|ft")
      let log = try home.run(["log", "lobby", "--as", "ben"]).output
      #expect(log.contains("the message"))
    }

    @Test("3.4: changed text that was left is offered by C-_ at the next /edit")
    func changedTextIsNotLost() throws {
      try anna.type("the message\r", seeing: "[1]")
      try anna.type("/edit\r", seeing: "edit 1> the message|")
      try anna.type(" and more\u{07}", seeing: "#lobby> |")
      try anna.type("/edit\r", seeing: "edit 1> the message|")
      try anna.type("\u{1F}", seeing: "edit 1> the message and more|")
    }

    @Test(
      "3.4: /edit of the same message inside edit mode: C-_ gives back what was typed",
      arguments: ["\u{15}/edit 1\r", "\u{0A}/edit 1\r"])
    func editAgain(keys: String) throws {
      try anna.type("one\r", seeing: "[1]")
      try anna.type("/edit 1\r", seeing: "edit 1> one|")
      try anna.type(" typed more", seeing: "edit 1> one typed more|")
      try anna.type(keys, seeing: "edit 1> one|")
      try anna.type("\u{1F}", seeing: "edit 1> one typed more|")
    }

    @Test("a line of the history saved in edit mode leaves what was typed in the history")
    func historyLineSaved() throws {
      for text in ["one", "two"] { try anna.type(text + "\r", seeing: " \(text)\n#lobby> |") }
      try anna.type("/edit\r", seeing: "edit 2> two|")
      try anna.type(" precious", seeing: "edit 2> two precious|")
      try anna.type("\u{10}\u{10}\u{10}", seeing: "edit 2> one|")
      try anna.type("\r", seeing: "✎ [2] anna: one")
      try anna.type("\u{10}", seeing: "#lobby> one|")
      try anna.type("\u{10}", seeing: "#lobby> two precious|")
    }

    @Test("3.2, 8: C-c in edit mode empties the text and leaves the files of the draft")
    func emptyingLeavesTheFiles() throws {
      try home.write("x", to: "f.txt")
      try anna.type("one\r", seeing: "[1]")
      try anna.type("/attach ~/f.txt\r", seeing: "[1 file]")
      try anna.type("with file", seeing: "#lobby> with file|")
      try anna.type("\u{1B}e", seeing: "edit 1> one|")
      try anna.type("\u{03}", seeing: "edit 1> |")
      try anna.type("\u{07}", seeing: "#lobby> with file|")
      try anna.expect("[1 file]")
      try anna.type("\r", seeing: "with file\n                [file 1: f.txt")
    }

    @Test("3.4: /cancel behind a changed text saves nothing before a second Return")
    func cancelBehindChangedText() throws {
      try anna.type("old text\r", seeing: "[1] anna: old text")
      try anna.type("/edit\r", seeing: "edit 1> old text|")
      try anna.type(" new/cancel\r", seeing: "Return again")
      try anna.type("\u{07}", seeing: "#lobby> |")
      try anna.type("/edit\r", seeing: "edit 1> old text|")
      try anna.type(" /cancel\r", seeing: "#lobby> |")
      #expect(!anna.emulator.history.contains { $0.contains("✎") })
      try anna.type("/edit\r", seeing: "edit 1> old text|")
      try anna.type(" see src/cancel\r", seeing: "Return again")
      try anna.type("\r", seeing: "✎ [1] anna: old text see src/cancel")
    }

    @Test("3.3, 3.9: blank text is refused, other commands too; edit mode stays")
    func whatEditModeRefuses() throws {
      try anna.type("the message\r", seeing: "[1]")
      try anna.type("/edit\r", seeing: "edit 1> the message|")
      try anna.type("\u{15}  \r", seeing: "edit 1>   |")
      try anna.type("\u{15}/list\r", seeing: "edit 1> /list|")
    }

    @Test("3.1: /edit N takes that message, /edit -2 the last but one, another's is an error")
    func editTakesNumbers() throws {
      try home.say("not yours", as: "ben")
      try anna.expect("[1]")
      for text in ["one", "two", "three"] { anna.send("\(text)\r") }
      try anna.expect("[4]")
      try anna.type("/edit 2\r", seeing: "edit 2> one|")
      try anna.type("\u{07}", seeing: "#lobby> |")
      try anna.type("/edit -2\r", seeing: "edit 3> two|")
      try anna.type("\u{07}", seeing: "#lobby> |")
      anna.send("/edit 1\r")
      // The line stays with the error.
      try anna.expect("#lobby> /edit 1|")
    }

    @Test("3.5: a message deleted elsewhere ends edit mode; C-_ brings the text back")
    func deletionElsewhereEndsEditMode() throws {
      let second = try home.shellInLobby(as: "anna")
      anna.send("the message\r")
      try second.expect("[1]")
      try anna.type("/edit\r", seeing: "edit 1> the message|")
      try anna.type(" and more", seeing: "edit 1> the message and more|")
      second.send("/delete\r")
      try anna.expect("#lobby> |")
      try anna.type("\u{1F}", seeing: "#lobby> the message and more|")
    }

    @Test("3.5: a message edited elsewhere while it is edited: said, and what is typed stays")
    func editElsewhereIsSaid() throws {
      let second = try home.shellInLobby(as: "anna")
      anna.send("the message\r")
      try second.expect("[1]")
      try anna.type("/edit\r", seeing: "edit 1> the message|")
      try anna.type(" and more", seeing: "edit 1> the message and more|")
      try second.type("/edit\r", seeing: "edit 1> the message|")
      try second.type(", changed\r", seeing: "#lobby> |")
      try anna.expect("✎ [1] anna: the message, changed")
      try anna.expect("Message [1] was changed elsewhere while you edit it")
      try anna.expect("edit 1> the message and more|")
      try anna.type("\r", seeing: "#lobby> |")
      try second.expect("✎ [1] anna: the message and more")
    }

    @Test("3.1: with up-edits-last on, Up on an empty line edits the newest message")
    func upEditsLast() throws {
      try anna.type("the message\r", seeing: "[1]")
      // Off by default: the history.
      try anna.type(Key.up, seeing: "#lobby> the message|")
      anna.send("\u{15}")
      try anna.command("/set up-edits-last on")
      try anna.type(Key.up, seeing: "edit 1> the message|")
      try anna.type("\u{07}", seeing: "#lobby> |")
      // On a line with text it is the history still.
      try anna.type("x\u{10}", seeing: "#lobby> /set up-edits-last on|")
    }

    @Test("3.7: /cancel takes back what nobody has yet, and says so when somebody has")
    func cancelTakesBack() throws {
      try anna.type("too early\r", seeing: "[1]")
      try anna.type("/cancel\r", seeing: "#lobby> too early|")
      let early = try home.run(["log", "lobby", "--as", "anna"]).output
      #expect(!early.contains("too early"))
      anna.send("\u{15}")
      let ben = try home.shellInLobby(as: "ben")
      anna.send("in time\r")
      try ben.expect("in time")
      try anna.expect("seen")
      try anna.type("/cancel\r", seeing: "/delete")
      anna.send("\u{15}/delete\r")
      try ben.expect("deleted")
      let log = try home.run(["log", "lobby", "--as", "ben"]).output
      #expect(!log.contains("in time"))
    }
  }
}
