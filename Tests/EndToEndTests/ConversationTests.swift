// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Testing

extension EndToEnd {
  @Suite("Between people")
  struct ConversationTests {
    private let home: Home

    init() throws {
      home = try Home()
    }

    @Test("is typing appears, and goes with the message, with C-c, and by itself (4)")
    func typingAppearsAndGoes() throws {
      let (anna, ben) = try home.annaAndBen()
      ben.send("I could")
      try anna.expect("ben is typing")
      ben.send(" come\r")
      try anna.expect("ben: I could come")
      try anna.expectGone("is typing")
      // At most one signal in three seconds (4.3).
      _ = ben.wait(for: 3.1) { _ in false }
      ben.send("or not")
      try anna.expect("ben is typing")
      ben.send("\u{03}")
      try anna.expectGone("is typing", for: 2)
      _ = ben.wait(for: 3.1) { _ in false }
      ben.send("x")
      try anna.expect("ben is typing")
      try anna.expectGone("is typing", for: 10)
    }

    @Test("4.3: commands and a switched-off setting signal no typing")
    func commandsSignalNoTyping() throws {
      let (anna, ben) = try home.annaAndBen()
      ben.send("/histor")
      try anna.expectNever("is typing", for: 1)
      try ben.type("\u{15}/set typing off\r", seeing: "#lobby> |")
      ben.send("secretly")
      try anna.expectNever("is typing", for: 1)
    }

    @Test("4.3: changes that are not typed signal no typing: history, draft, editing")
    func changesOfTheProgramSignalNoTyping() throws {
      let anna = try home.shellInLobby(as: "anna")
      let before = try home.shellInLobby(as: "ben")
      try before.type("first\r", seeing: "[1]")
      try before.type("second\r", seeing: "[2]")
      try before.type("a draft", seeing: "#lobby> a draft|")
      try anna.expect("ben is typing")
      before.kill(15)
      #expect(before.waitForExit(seconds: 10) != nil)
      try anna.expectGone("is typing")
      let ben = try home.shell(as: "ben", ["lobby"])
      try ben.expect("#lobby> a draft|")
      try ben.type("\u{10}\u{10}", seeing: "#lobby> first|")
      try ben.type("\u{0E}\u{0E}", seeing: "#lobby> a draft|")
      try ben.type("\u{1B}e", seeing: "edit 2> second|")
      try ben.type("\u{07}", seeing: "#lobby> a draft|")
      try anna.expectNever("is typing", for: 1)
      ben.send("!")
      try anna.expect("ben is typing")
    }

    @Test("7.2, 7.3: a message goes from sent to seen, by what others really saw")
    func deliveryMovesForward() throws {
      let ben = try home.shellInLobby(as: "ben")
      try ben.type("/join tea\r", seeing: "#tea> |")
      let anna = try home.shellInLobby(as: "anna")
      anna.send("are you there?\r")
      // Ben's shell has it, but shows another room.
      try anna.expect("[1] ✓✓ delivered")
      try ben.expect("#lobby")
      try ben.type("/switch lobby\r", seeing: "are you there?")
      try anna.expect("[1] seen")
    }

    @Test("11.1: two shells under one name are one participant")
    func oneNameIsOneParticipant() throws {
      let first = try home.shellInLobby(as: "anna")
      let second = try home.shellInLobby(as: "anna")
      first.send("from the first\r")
      try second.expect("[1] anna: from the first")
      // Nobody else has it.
      try first.expect("[1] ✓ sent")
      try second.type("\u{10}", seeing: "#lobby> from the first|")
    }

    @Test("5.1, 5.2: a draft is kept after a second of rest, and comes back with its caret")
    func draftsSurvive() throws {
      let shell = try home.shellInLobby(as: "anna")
      try shell.type("about the lobby\u{1B}b", seeing: "#lobby> about the |lobby")
      #expect(
        shell.wait(for: 5) { _ in
          (try? home.run(["--as", "anna", "--no-rc", "--create", "dev"], input: "/drafts\n").output)?
            .contains("about the lobby") == true
        })
      shell.kill(9)
      let again = try home.shell(as: "anna", ["lobby"])
      try again.expect("#lobby> about the |lobby")
      // What was emptied is forgotten.
      try again.type("\u{05}\u{15}", seeing: "#lobby> |")
      again.send("/quit\r")
      #expect(again.waitForExit(seconds: 10) == 0)
      let last = try home.shell(as: "anna", ["lobby"])
      try last.expect("#lobby> |")
    }

    @Test("5.3: emptying a line leaves the draft that another shell of this person stored")
    func emptyingLeavesTheDraftOfAnotherShell() throws {
      let first = try home.shellInLobby(as: "anna")
      let second = try home.shellInLobby(as: "anna")
      try second.type("of the second", seeing: "#lobby> of the second|")
      #expect(try home.draft(becomes: "of the second", while: second))
      try first.type("of the first", seeing: "#lobby> of the first|")
      #expect(try home.draft(becomes: "of the first", while: first))
      try second.type("\u{15}", seeing: "#lobby> |")
      second.send("/quit\r")
      #expect(second.waitForExit(seconds: 10) == 0)
      #expect(try home.draft(becomes: "of the first", while: first))
      // Its own it takes away.
      first.send("\u{15}/quit\r")
      #expect(first.waitForExit(seconds: 10) == 0)
      #expect(try home.draft(becomes: nil, while: first))
    }

    @Test("5.1: each conversation has a draft of its own")
    func draftsBelongToConversations() throws {
      for (room, text) in [("tea", "green or black"), ("lobby", "hello all")] {
        let shell = try home.shell(as: "anna", ["--create", room])
        try shell.expect("#\(room)> |")
        try shell.type(text, seeing: "#\(room)> \(text)|")
        shell.kill(15)
        #expect(shell.waitForExit(seconds: 10) != nil)
      }
      let shell = try home.shell(as: "anna", ["tea"])
      try shell.expect("#tea> green or black|")
      let listed = try home.run(["--as", "anna", "--no-rc", "--create", "dev"], input: "/drafts\n")
        .output
      #expect(listed.contains("green or black") && listed.contains("hello all"))
    }

    @Test("1.12: history of input is searched across restarts, without repeats in a row")
    func inputHistoryLasts() throws {
      let first = try home.shellInLobby(as: "anna")
      for line in ["alpha", "beta", "beta", "/who"] {
        try first.type(line + "\r", seeing: "#lobby> |")
      }
      first.send("/quit\r")
      #expect(first.waitForExit(seconds: 10) == 0)
      let second = try home.shellInLobby(as: "anna")
      for shown in ["/quit", "/who", "beta", "alpha"] {
        try second.type("\u{10}", seeing: "#lobby> \(shown)|")
      }
      try second.type("\u{0E}\u{0E}\u{0E}\u{0E}\u{12}alp", seeing: "alpha")
    }

    @Test("1.9: a paste is one insertion, sends nothing, and is one undo")
    func pasteSendsNothing() throws {
      let shell = try home.shellInLobby(as: "anna")
      shell.send("a ")
      try shell.type("\u{1B}[200~one\rtwo\u{1B}[31m\u{07}\rthree\u{1B}[201~", seeing: "three|")
      try shell.expect("two^[[31m^G")
      try shell.expectNever("[1]")
      try shell.type("\u{1F}", seeing: "#lobby> a |")
    }

    @Test("12.2: escape sequences in a message are shown, not obeyed")
    func hostileTextIsShown() throws {
      let shell = try home.shellInLobby(as: "anna")
      let hostile = "\u{1B}[2J\u{1B}]0;owned\u{07}\u{9B}31m\u{202E}\u{7F}\n12:03 boss: fake"
      try home.say(hostile, as: "ben")
      try shell.expect("^[[2J^[]0;owned^G<U+009B>31m<U+202E>^?")
      #expect(shell.emulator.title != "owned")
      #expect(!shell.emulator.screen.contains { $0.hasPrefix("12:03 boss") })
    }
  }
}
