// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Testing

extension EndToEnd {
  @Suite("A room's topic and invitations, being away, what works (10)")
  struct PlaceTests {
    private let home: Home

    init() throws { home = try Home() }

    @Test("/topic shows, sets and takes away; others see it, and who enters (10)")
    func topics() throws {
      let (anna, ben) = try home.annaAndBen()
      try anna.type("/topic\r", seeing: "#lobby has no topic.")
      try anna.type("/topic tea at \u{1B}[31mnoon\r", seeing: "anna changed the topic: tea at")
      try ben.expect("anna changed the topic: tea at")
      try ben.type("/topic\r", seeing: "Topic of #lobby: tea at")
      let cleo = try home.shellInLobby(as: "cleo")
      try cleo.expect("topic: tea at")
      try ben.type("/topic -\r", seeing: "ben removed the topic")
      try anna.expect("ben removed the topic")
      let long = String(repeating: "x", count: 301)
      let refused = try home.run(["--as", "anna", "lobby"], input: "/topic \(long)\n")
      #expect(refused.errors.contains("up to 300 characters; this one has 301"))
    }

    @Test("/invite brings somebody in: they are told, and the room is in their list (10)")
    func invitations() throws {
      let (anna, ben) = try home.annaAndBen()
      try anna.type("/join tea\r", seeing: "#tea> |")
      let bells = ben.emulator.bells
      try anna.type("/invite @ben\r", seeing: "anna invited ben")
      try ben.expect("anna invited you to #tea; /switch #tea goes there.")
      #expect(ben.wait(for: 5) { $0.bells > bells })
      try anna.type("welcome\r", seeing: "[1]")
      try ben.expect("#tea 1")
      try ben.type("/next\r", seeing: "anna: welcome")
      try anna.type("/invite ben\r", seeing: "ben is in #tea already.")
      try anna.type("/invite nobody\r", seeing: "There is no one named nobody here")
      try anna.type("\u{15}/msg ben hi\r", seeing: "@ben> |")
      try anna.type("/invite ben\r", seeing: "@ben is not a room of this machine")
    }

    @Test("7.4: a notice stands beside a room whose name is longer than the screen")
    func longName() throws {
      let room = String(repeating: "r", count: 60)
      let ben = try home.shellInLobby(as: "ben", columns: 60)
      try ben.type("hello\r", seeing: "[1]")
      try ben.type("/join \(room)\r", seeing: "rrr… |")
      try ben.type("/switch lobby\r", seeing: "#lobby> |")
      try home.say("hello", as: "anna", in: room)
      try ben.expect("rr… 1")
      try ben.type("/copy 1\r", seeing: "Copied")
    }

    @Test("/away with a word, seen by others in /who, until /back (10)")
    func away() throws {
      let (anna, ben) = try home.annaAndBen()
      try anna.type("/back\r", seeing: "You are not away.")
      try anna.type("/away at \u{07}lunch\r", seeing: "You are away; /back ends it")
      try anna.type("/status\r", seeing: "You are away: at")
      try ben.type("/who\r", seeing: "anna  away: at")
      // Another shell of hers knows, and it outlives the first.
      anna.send("/quit\r")
      #expect(anna.waitForExit(seconds: 10) == 0)
      let again = try home.shellInLobby(as: "anna")
      try again.expect("anna, away: at")
      try again.type("/back\r", seeing: "You are back")
      try again.expectGone("away")
      try ben.type("/clear\r/who\r", seeing: "anna  here")
    }

    @Test("4.3: /typing says and changes whether others see it")
    func typing() throws {
      let (anna, ben) = try home.annaAndBen()
      try anna.type("/typing\r", seeing: "Others see when you type")
      try anna.command("/typing off")
      anna.send("secretly")
      try ben.expectNever("is typing", for: 1)
      try anna.type("\u{15}/typing\r", seeing: "Others do not see when you type")
      try anna.type("/typing maybe\r", seeing: "Usage: /typing [on|off]")
    }

    @Test("/can says what things mean here, and completion leaves out what does not work (10)")
    func can() throws {
      let shell = try home.shellInLobby(as: "anna")
      try shell.type("/can\r", seeing: "#lobby is on this machine, in this store.")
      for word in ["edit ", "recall ", "typing ", "seen ", "history "] {
        #expect(shell.emulator.picture.contains("  " + word))
      }
      try shell.type("/top\t", seeing: "#lobby> /topic")
      try home.say("hello", as: "ben")
      try shell.type("\u{15}/msg ben\r", seeing: "@ben> |")
      shell.send("/top\t")
      try shell.expectNever("/topic")
      let store = try Store(path: home.store)
      defer { store.close() }
      let far = try store.writeDurablyIfNeeded { try $0.networkRoom("far", network: "stub") }
      try store.writeDurablyIfNeeded {
        try $0.join(
          try $0.participant(identity: "anna").id, far.id)
      }
      try shell.type("\u{15}/switch far\r", seeing: "#far> |")
      try shell.type("/can\r", seeing: "#far is on the network stub.")
      try shell.type("/topic x\r", seeing: "#far is not a room of this machine")
    }
  }
}
