// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Testing

extension EndToEnd {
  @Suite("3: Editing what was sent")
  struct EditingEndToEndTests {
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
      try ben.expect("1 anna: I bring tree")
      try anna.type("/edit\r", seeing: "edit 1> I bring tree|")
      try anna.expect("Editing message 1 — Return saves, /cancel or C-g leaves")
      try anna.type("\u{17}three\r", seeing: "#lobby> |")
      try ben.expect("✎ [1] anna: I bring three")
      let log = try home.run(["log", "lobby", "--as", "ben"]).output
      #expect(log.contains("I bring three"))
      #expect(!log.contains("tree"))
    }

    @Test("3.4: a lone Esc leaves the message, and the draft comes back with its caret and undo")
    func leavingBringsTheDraftBack() throws {
      try anna.type("the message\r", seeing: "[1]")
      try anna.type("my draft\u{02}\u{02}", seeing: "#lobby> my dra|ft")
      try anna.type("\u{1B}e", seeing: "edit 1> the message|")
      anna.send(" changed\u{1B}")
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

    @Test("a history line saved in edit mode leaves the typed text in the history")
    func historyLineSaved() throws {
      for text in ["one", "two"] { try anna.type(text + "\r", seeing: " \(text)\n#lobby> |") }
      try anna.type("/edit\r", seeing: "edit 2> two|")
      try anna.type(" precious", seeing: "edit 2> two precious|")
      try anna.type("\u{10}\u{10}\u{10}", seeing: "edit 2> one|")
      try anna.type("\r", seeing: "✎ [2] anna: one")
      try anna.type("\u{10}", seeing: "#lobby> one|")
      try anna.type("\u{10}", seeing: "#lobby> two precious|")
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
  }
}
