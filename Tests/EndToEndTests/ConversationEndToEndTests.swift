// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Testing

extension EndToEnd {
  @Suite("Between people")
  struct ConversationEndToEndTests {
    private let home: Home

    init() throws {
      home = try Home()
    }

    @Test("4.1: typing appears, and ends with the message")
    func typingAppearsAndGoes() throws {
      let (anna, ben) = try home.annaAndBen()
      ben.send("I could")
      try anna.expect("ben is typing")
      ben.send(" come\r")
      try anna.expect("ben: I could come")
      try anna.expectGone("is typing")
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
      try anna.expectNever("is typing", from: ben)
      ben.send("!")
      try anna.expect("ben is typing")
    }

    @Test("11.1: two shells under one name are one participant")
    func oneNameIsOneParticipant() throws {
      let first = try home.shellInLobby(as: "anna")
      let second = try home.shellInLobby(as: "anna")
      first.send("from the first\r")
      try second.expect("1 anna: from the first")
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

    @Test("1.12: input history is searched across restarts, without repeats in a row")
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
  }
}
