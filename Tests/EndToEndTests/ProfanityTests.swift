// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Foundation
import Testing

extension EndToEnd {
  /// On a real server (Prosody), anna has hobnob, and ben has profanity, which encrypts with
  /// another library (libsignal-protocol-c).
  @Suite("Encryption from end to end with profanity (OMEMO)")
  struct ProfanityTests {
    private static let (anna, ben) = ("anna@chat.localhost", "ben@chat.localhost")
    private let server: LocalServer
    private let anna: Correspondent
    private let bensHome: Home

    init() throws {
      server = try LocalServer(["anna", "ben"])
      anna = try Correspondent("anna", at: server)
      bensHome = try Home()
      try bensHome.write(
        """
        [ben]
        enabled=true
        jid=\(Self.ben)
        resource=profanity
        server=127.0.0.1
        port=\(server.port)
        password=secret
        tls.policy=trust
        """, to: ".local/share/profanity/accounts")
      try bensHome.write(
        """
        [omemo]
        policy=always
        trustmode=blind
        [logging]
        chlog=false
        [ui]
        roster=false
        """, to: ".config/profanity/profrc")
    }

    /// Makes anna and ben contacts, by another client of ben's. It also makes the list of ben's
    /// devices: profanity 0.13.1 adds itself to a list, but does not begin one on Prosody 0.12.
    private func befriend() throws {
      let helper = try ForeignClient("ben", at: server)
      try helper.tell(
        "raw",
        """
        <iq type='set' id='list'><pubsub xmlns='http://jabber.org/protocol/pubsub'>\
        <publish node='eu.siacs.conversations.axolotl.devicelist'><item id='current'>\
        <list xmlns='eu.siacs.conversations.axolotl'/></item></publish></pubsub></iq>
        """)
      try anna.connect()
      try anna.ask(.subscribe, target: Self.ben)
      try helper.expect(#"from=\"\#(Self.anna)/"#)
      // The server would keep messages for a client whose connection only broke.
      try helper.tell("quit")
      #expect(helper.program.finish().status == 0)
    }

    /// Starts profanity, and waits until ben is online.
    private func profanity() throws -> PseudoTerminal {
      let terminal = try PseudoTerminal(
        command: ["profanity", "-a", "ben"], environment: bensHome.environment, rows: 24,
        columns: 120)
      try terminal.expect("logged in successfully", for: 20)
      return terminal
    }

    /// Waits for anna's first line, which opens a window, and goes there.
    private func open(on ben: PseudoTerminal) throws {
      try ben.expect("chat message: \(Self.anna)", for: 20)
      ben.send("/win 2\r")
    }

    /// Waits until profanity shows a line of somebody, with its sign for an encrypted one.
    private func expect(
      _ text: String, from name: String, on ben: PseudoTerminal,
      sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      let isThere = ben.wait(for: 20) { terminal in
        terminal.screen.contains { $0.contains(" ~ \(name)") && $0.hasSuffix(": \(text)") }
      }
      try #require(
        isThere, "no “\(text)” on:\n\(ben.emulator.picture)", sourceLocation: sourceLocation)
    }

    /// Each writes a line, and the other one reads it.
    private func exchange(
      _ word: String, in chat: ID<Conversation>, with ben: PseudoTerminal
    ) throws {
      try anna.say("anna \(word)", in: chat)
      try expect("anna \(word)", from: Self.anna, on: ben)
      ben.send("ben \(word)\r")
      try expect("ben \(word)", from: "me", on: ben)
      try anna.expect("ben \(word)", in: chat)
      try anna.expect("anna \(word)", in: chat) { $0.state >= .sent }
    }

    @Test("14.16: each reads the other's lines, also after breaks and restarts of both programs")
    func conversation() throws {
      try befriend()
      var ben = try profanity()
      try ben.type("/omemo gen\r", seeing: "materials generated")
      try ben.expect("Going to publish own device ID")
      // Now the server tells anna of ben's device.
      anna.kill(SIGTERM)
      try anna.connect()
      let chat = try anna.chat(with: "ben")

      try anna.say("tea at five?", in: chat)
      try open(on: ben)
      try expect("tea at five?", from: Self.anna, on: ben)
      try ben.expect("[OMEMO]")
      try exchange("at first", in: chat, with: ben)

      anna.proxy.cut()
      try exchange("after a break", in: chat, with: ben)

      anna.kill()
      ben.send("ben while anna is away\r")
      try expect("ben while anna is away", from: "me", on: ben)
      try anna.connect()
      try anna.expect("ben while anna is away", in: chat)
      try exchange("after her restart", in: chat, with: ben)

      ben.send("/quit\r")
      #expect(ben.waitForExit(seconds: 10) == 0)
      try anna.say("anna while ben is away", in: chat)
      ben = try profanity()
      try open(on: ben)
      try expect("anna while ben is away", from: Self.anna, on: ben)
      try exchange("after his restart", in: chat, with: ben)

      let messages = try anna.messages(in: chat)
      #expect(
        messages.map(\.body) == [
          "tea at five?", "anna at first", "ben at first", "anna after a break",
          "ben after a break", "ben while anna is away", "anna after her restart",
          "ben after her restart", "anna while ben is away", "anna after his restart",
          "ben after his restart",
        ])
      #expect(messages.allSatisfy { $0.encryption == .encrypted })
    }
  }
}
