// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Testing

extension EndToEnd {
  @Suite("Leaving a room and coming back")
  struct RoomTests {
    private let home: Home
    private let anna: PseudoTerminal

    init() throws {
      home = try Home()
      try home.say("said before", as: "ben")
      anna = try home.shellInLobby(as: "anna")
      try anna.expect("said before")
    }

    @Test("who has left a room is told nothing of it; coming back shows its end, nothing as new")
    func comingBackShowsTheEnd() throws {
      try anna.type("/leave\r", seeing: "#lobby (left)> |")
      try home.say("said between", as: "ben")
      // A message is refused, and the line stays (1.13).
      try anna.type("still there?\r", seeing: "You are not in #lobby")
      try anna.expect("(left)> still there?|")
      #expect(times("said between", anna.emulator) == 0)
      anna.send("\u{15}/join lobby\r")
      #expect(anna.wait(for: 10) { times("said between", $0) == 1 }, "\(anna.emulator.history)")
      try home.say("said after", as: "ben")
      try anna.expect("said after")
      let shown = anna.emulator.history
      #expect(times("said before", anna.emulator) == 2, "\(shown)")
      #expect(!shown.contains { $0.contains("new") }, "\(shown)")
    }

    @Test("1.13: a room that was left is for reading: nothing is changed in it, no typing is seen")
    func leftRoomIsReadOnly() throws {
      let ben = try home.shellInLobby(as: "ben")
      try anna.type("mine\r", seeing: "mine")
      try ben.expect("mine")
      try anna.type("/leave\r", seeing: "#lobby (left)> |")
      for command in ["/edit", "/delete 2", "/react 2 :tada:", "/me waves"] {
        try anna.type("\(command)\r", seeing: "\(command)|")
        try anna.expect("You are not in #lobby")
        anna.send("\u{15}")
        try anna.expect("(left)> |")
      }
      try anna.type("words", seeing: "(left)> words|")
      // Longer than a signal takes, as the line behind it shows.
      try home.say("a line later", as: "cem")
      try ben.expect("a line later")
      try ben.expectNever("anna is typing")
      try anna.type("\u{15}/join lobby\r", seeing: "#lobby> |")
      try anna.type("words", seeing: "#lobby> words|")
      try ben.expect("anna is typing")
    }

    @Test("1.13: a room that one was never in is not one that was left")
    func neverJoined() throws {
      _ = try home.run(["send", "tea", "--create", "--as", "ben", "one"])
      try anna.type("/switch tea\r", seeing: "#tea (not joined)> |\nOnly commands work here")
      try anna.type("words\r", seeing: "/join #tea enters it.")
      // It makes room for the command.
      try anna.type("/status\r", seeing: "You are anna, and not in #tea.")
      try anna.type("/join tea\r", seeing: "#tea> |")
      try anna.type("/leave\r", seeing: "#lobby> |")
    }

    private func times(_ text: String, _ terminal: Emulator) -> Int {
      terminal.history.count { $0.contains(text) }
    }

    @Test("7.7: what was missed in another conversation is shown on return, below a rule")
    func missedMessagesAreShown() throws {
      try anna.type("/join tea\r", seeing: "#tea> |")
      try home.say("said between", as: "ben")
      try anna.expect("#lobby")
      try anna.expectNever("said between")
      try anna.type("/switch lobby\r", seeing: "said between")
      let shown = anna.emulator.history
      let missed = try #require(shown.firstIndex { $0.contains("said between") })
      #expect(shown[missed - 1].contains("new"), "\(shown)")
      #expect(times("said between", anna.emulator) == 1, "\(shown)")
    }
  }
}
