// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Foundation
import IRCFixture
import ProsodyFixture
import Testing

extension EndToEnd {
  /// The built program on servers without tags, behind a bouncer, and on a gateway.
  @Suite("14: IRC on old servers, bouncers and gateways")
  struct IRCOtherServerTests {
    /// What works on every server.
    private func talk(
      at server: IRCServer, rooms: [String] = ["##tea", "&here"], repetitions: Int = 100,
      _ more: (Correspondent) throws -> Void = { _ in }
    ) throws {
      let (anna, ben) = (
        try Correspondent("anna", at: server), try Correspondent("ben", at: server)
      )
      let (tea, bens) = (try anna.connect(to: "#tea"), try ben.connect(to: "#tea"))
      try anna.say("täa? 🍵", in: tea)
      try ben.expect("täa? 🍵", in: bens)
      try ben.say("gladly", in: bens)
      try anna.expect("gladly", in: tea)
      // No echo and no label: the PONG behind them has said so.
      for (person, place) in [(anna, tea), (ben, bens)] {
        try person.expectDone()
        #expect(try person.messages(in: place).allSatisfy { $0.state == .sent })
      }
      let (chat, bensChat) = (try anna.ircChat(with: "ben"), try ben.ircChat(with: "anna"))
      try anna.say("only you", in: chat)
      try ben.expect("only you", in: bensChat)
      let toNobody = try anna.ircChat(with: "nobody")
      try anna.say("hello", in: toNobody)
      let unknown = try anna.expect("hello", in: toNobody) { $0.state == .failed }
      #expect(unknown.failure?.text.contains("nobody") == true, "\(unknown.failure ?? "")")

      // A long text arrives as several lines, whole, and is cut between characters only.
      let long =
        String(repeating: "tea ", count: repetitions)
        + String(repeating: "ä🍵", count: repetitions) + " end"
      let count = try ben.messages(in: bens).count
      try anna.say(long, in: tea)
      // Some servers remove the blank at the end of a line.
      func whole(_ texts: some Sequence<String>) -> String { texts.joined().filter { $0 != " " } }
      var parts: [String] = []
      let isWhole = try ben.wait(for: 30) {
        parts = Array(try ben.bodies(in: bens).dropFirst(count))
        return whole(parts) == whole([long])
      }
      #expect(isWhole && parts.count > 1, "\(parts)")
      try anna.expect(long, in: tea) { $0.state == .sent }

      let cem = try IRCPeer(server.port, "cem")
      // Without other servers, ircd-irc2 makes nobody the operator of a room of the network.
      let address = rooms.isEmpty ? "&quiet" : "#quiet"
      try cem.join(address)
      cem.send("MODE \(address) +m")
      try cem.wait { $0.contains(" MODE \(address) ") && $0.contains("+m") }
      let quiet = try anna.enter(address)
      #expect(quiet.answer == "")
      try anna.say("shh", in: quiet.room)
      let refused = try anna.expect("shh", in: quiet.room) { $0.state == .failed }
      #expect(
        refused.failure?.text.lowercased().contains("cannot send to channel") == true,
        "\(refused.failure ?? "")")
      // Rooms with other signs are others.
      for address in rooms {
        try cem.join(address)
        let (room, answer) = try anna.enter(address)
        #expect(answer == "")
        cem.send("PRIVMSG \(address) :in \(address)")
        try anna.expect("in \(address)", in: room)
        #expect(try anna.bodies(in: room) == ["in \(address)"])
      }
      try more(anna)
    }

    @Test("ngIRCd", .enabled(if: IRCPackage.ngircd.isOffered, "Debian has no ngircd"))
    func ngircd() throws {
      try talk(at: NgIRCd()) { anna in
        // It folds only letters: cem[ and cem{ are two.
        let rules = try anna.store.read { try $0.account(network: anna.account.network) }?.rules
        #expect(rules?.fold("#Tea[") == "#tea[")
      }
    }

    @Test("ircd-hybrid", .enabled(if: IRCPackage.hybrid.isOffered, "Debian has no ircd-hybrid"))
    func hybrid() throws {
      try talk(at: Hybrid(), rooms: ["##tea"])
    }

    @Test("ircd-irc2", .enabled(if: IRCPackage.irc2.isOffered, "Debian has no ircd-irc2"))
    func irc2() throws {
      // It delays whoever writes much.
      try talk(at: IRC2(), rooms: [], repetitions: 60)
    }

    @Test(
      "behind ZNC, what came while one was away is there once, and so are lines of other clients",
      .enabled(
        if: IRCPackage.znc.isOffered && IRCPackage.inspircd.isOffered
          && IRCPackage.anope.isOffered, "Debian has no znc, inspircd or anope"),
      arguments: [true, false])
    func bouncer(forgets: Bool) throws {
      let server = try InspIRCd()
      let bouncer = try ZNC(for: server, forgets: forgets)
      let ben = try IRCPeer(server.port, "ben")
      try ben.join("#tea")
      let anna = try Correspondent(
        "anna", withAccountAt: bouncer, settings: ["login": "pass", "user": ZNC.user])
      try anna.start()
      let isUp = anna.wait(for: 5) { anna.status == .connected([]) }
      try #require(isUp, "\(bouncer.log)")
      let tea = try anna.room("#tea")
      let chat = try anna.ircChat(with: "ben")
      var expected: [String] = []
      for round in 1...3 {
        try anna.say("own \(round)", in: tea)
        try anna.expect("own \(round)", in: tea) { $0.state == .sent }
        ben.send("PRIVMSG #tea :live \(round)")
        try anna.expect("live \(round)", in: tea)
        expected += ["own \(round)", "live \(round)"]
        if round == 2 { anna.kill() } else { anna.kill(SIGTERM) }
        let other = try IRCPeer(
          bouncer.port, "anna", capabilities: "server-time znc.in/self-message", user: ZNC.user,
          password: ZNC.password)
        ben.send("PRIVMSG #tea :missed \(round)")
        ben.send("PRIVMSG #tea :missed \(round), too")
        ben.send("PRIVMSG anna :for you \(round)")
        try other.wait(for: ":for you \(round)")
        expected += ["missed \(round)", "missed \(round), too"]
        if forgets {
          // Its other client has got them, and nobody gets them again.
          // The bouncer closes the connection once it knows that the client has gone.
          other.send("QUIT")
          let end = #expect(throws: (any Error).self) { try other.wait(for: "never said") }
          #expect("\(end.map { "\($0)" } ?? "")".contains("the connection has ended"))
          ben.send("PRIVMSG #tea :alone \(round)")
          _ = try ben.everything()
        }
        try anna.connect()
        if !forgets {
          try anna.expect("for you \(round)", in: chat)
          other.send("PRIVMSG #tea :elsewhere \(round)")
          let own = try anna.expect("elsewhere \(round)", in: tea)
          #expect(own.sender == anna.me && own.state == .sent)
          expected.append("elsewhere \(round)")
          other.disconnect()
        } else {
          try anna.expect("alone \(round)", in: tea)
          expected.removeLast(2)
          expected.append("alone \(round)")
        }
      }
      #expect(try anna.bodies(in: tea) == expected)
      if !forgets {
        #expect(try anna.bodies(in: chat) == (1...3).map { "for you \($0)" })
      }
    }

    @Test(
      "behind ZNC, what the server refuses fails, and what it answers arrives",
      .enabled(
        if: IRCPackage.znc.isOffered && IRCPackage.inspircd.isOffered
          && IRCPackage.anope.isOffered, "Debian has no znc, inspircd or anope"))
    func refusedBehindBouncer() throws {
      let server = try InspIRCd()
      let bouncer = try ZNC(for: server, forgets: true)
      let ben = try IRCPeer(server.port, "ben")
      try ben.join("#quiet")
      ben.send("MODE #quiet +m")
      let anna = try Correspondent(
        "anna", withAccountAt: bouncer, settings: ["login": "pass", "user": ZNC.user])
      let room = try anna.connect(to: "#quiet")
      try anna.say("is this heard", in: room)
      let refused = try anna.expect("is this heard", in: room) { $0.state == .failed }
      #expect(refused.failure?.text.contains("+m") == true)
      ben.send("MODE #quiet -m")
      try anna.say("and this", in: room)
      try anna.expect("and this", in: room) { $0.state == .sent }
      try ben.wait(for: "and this")
      #expect(try anna.ask(.line, text: "TIME").contains(IRCServer.name))
    }

    @Test(
      "behind BitlBee, XMPP",
      .enabled(if: IRCPackage.bitlbee.isOffered, "Debian has no bitlbee"))
    func gateway() throws {
      let gateway = try BitlBee()
      let ben = try IRCPeer(gateway.port, "ben", account: "ben")
      try ben.wait(for: "Logged in")
      let anna = try Correspondent("anna", at: gateway, settings: ["tls": "off"])
      try anna.connect()
      let control = try anna.room("&bitlbee")
      try anna.say("identify \"\(BitlBee.password)\"", in: control)
      try anna.expect("not logged in") {
        try anna.bodies(in: control).contains { $0.contains("Logged in") }
      }
      try anna.say("add jabber ben@\(Prosody.domain)", in: control)
      try ben.wait(for: "anna@\(Prosody.domain)")
      ben.send("PRIVMSG &bitlbee :yes")
      try anna.expect("ben does not come") { try anna.people(in: control).contains("ben") }
      let chat = try anna.ircChat(with: "ben")
      try anna.say("hello 🍵", in: chat)
      try anna.expect("hello 🍵", in: chat) { $0.state == .sent }
      try ben.wait(for: "hello 🍵")
      ben.send("PRIVMSG anna :good day")
      try anna.expect("no answer") {
        try anna.bodies(in: chat).contains("good day")
          || anna.bodies(in: control).contains { $0.contains("good day") }
      }
    }
  }
}
