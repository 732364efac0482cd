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

    private func times(_ text: String, _ terminal: Emulator) -> Int {
      terminal.history.count { $0.contains(text) }
    }

    @Test("what was missed in another conversation is shown on return, below a rule (7.7)")
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
