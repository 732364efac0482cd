// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Foundation
import IRCFixture
import ProsodyFixture
import Testing

extension EndToEnd {
  /// The built program on InspIRCd, with services where a test needs them.
  @Suite(
    "14: IRC on InspIRCd", .enabled(if: IRCPackage.inspircd.isOffered, "Debian has no inspircd"))
  struct IRCServerTests {
    private func server(
      hasServices: Bool = false, _ change: (inout InspIRCd.Options) -> Void = { _ in }
    ) throws -> InspIRCd {
      var options = InspIRCd.Options()
      options.hasServices = hasServices
      change(&options)
      return try InspIRCd(options)
    }

    @Test(
      "an account: login over TLS, people by their accounts, and a wrong password",
      .enabled(if: IRCPackage.anope.isOffered, "Debian has no anope"))
    func account() throws {
      let server = try server(hasServices: true)
      let anna = try Correspondent("anna", withAccountAt: server)
      let tea = try anna.connect(to: "#tea")
      let ben = try IRCPeer(
        server.port, "benny", capabilities: "account-tag echo-message message-tags", account: "ben")
      try ben.join("#tea")
      ben.send("WHOIS anna")
      try ben.wait(for: " 330 benny anna anna ")
      ben.send("PRIVMSG #tea :by ben")
      let first = try anna.expect("by ben", in: tea)
      #expect(first.senderIdentity == "ben" && first.senderName == "benny")
      ben.send("NICK bens")
      ben.send("PRIVMSG #tea :by ben again")
      let second = try anna.expect("by ben again", in: tea)
      #expect(second.sender == first.sender)
      // Somebody else under a name that belongs to an account.
      let other = try IRCPeer(server.port, "ben")
      try other.join("#tea")
      other.send("PRIVMSG #tea :by another")
      #expect(try anna.expect("by another", in: tea).sender != first.sender)
      let answer = try anna.ask(.whois, target: "ben")
      #expect(answer.contains("logged in as ben") && answer.contains("#tea"), "\(answer)")

      let wrong = try Correspondent(
        "ben", withAccountAt: server, settings: ["password-command": "echo wrong"])
      try wrong.start()
      try wrong.expect("not refused") {
        if case .ended(let reason) = wrong.status {
          reason.text.contains("password")
        } else {
          false
        }
      }
    }

    @Test(
      "echoes make messages sent, with labels or without; colours that the room strips are gone")
    func echoes() throws {
      for without in [
        [], ["ircv3_labeledresponse"], ["ircv3_labeledresponse", "ircv3_echomessage"],
      ] {
        let server = try server { $0.without = without }
        let anna = try Correspondent("anna", at: server)
        let tea = try anna.connect(to: "#tea")
        let ben = try IRCPeer(server.port, "ben", capabilities: "message-tags")
        try ben.join("#tea")
        for text in ["one", "one", "ä 🍵"] { try anna.say(text, in: tea) }
        try anna.expectDone()
        #expect(try anna.messages(in: tea).map(\.state) == [.sent, .sent, .sent])
        for text in ["one", "one", "ä 🍵"] { try ben.wait(for: "PRIVMSG #tea :" + text) }
        let toBen = try anna.ircChat(with: "ben")
        try anna.say("hello", in: toBen)
        try anna.expect("hello", in: toBen) { $0.state == .sent }
        let toNobody = try anna.ircChat(with: "nobody")
        try anna.say("hello", in: toNobody)
        let failed = try anna.expect("hello", in: toNobody) { $0.state == .failed }
        #expect(failed.failure?.text.contains("No such nick") == true, "\(failed.failure ?? "")")
        // Anna is the room's operator, since she has made it.
        try anna.ask(.mode, target: "#tea", text: "+S")
        try ben.wait(for: " MODE #tea :+S")
        try anna.say("\u{03}04red\u{03} and plain", in: tea)
        try anna.expectDone()
        try ben.wait(for: ":red and plain")
        let last = try #require(try anna.messages(in: tea).last)
        // Without an echo nobody knows.
        let text = without.count == 2 ? "\u{03}04red\u{03} and plain" : "red and plain"
        #expect(last.state == .sent && last.body == text, "\(last)")
      }
    }

    @Test("rooms that do not let somebody in say why; kicks, bans and topics are seen by both")
    func rooms() throws {
      let server = try server()
      let (anna, ben) = (
        try Correspondent("anna", at: server), try Correspondent("ben", at: server)
      )
      let tea = try anna.connect(to: "#tea")
      try ben.connect()
      func set(_ modes: String) throws {
        try anna.ask(.mode, target: "#tea", text: modes)
      }
      try set("+k secret")
      #expect(try ben.enter("#tea").answer.contains("has a password"))
      try set("-k secret")
      try set("+l 1")
      #expect(try ben.enter("#tea").answer == "#tea is full.")
      try set("-l+i")
      #expect(try ben.enter("#tea").answer == "You need an invitation to enter #tea.")
      #expect(try anna.ask(.invite, target: "#tea", person: "ben") == "You invited ben.")
      try ben.expectNotice("#tea")
      let (room, answer) = try ben.enter("#tea")
      #expect(answer == "")
      try anna.expect("ben is not there") { try anna.people(in: tea) == ["ben"] }
      try set("-i")

      #expect(try anna.ask(.topic, target: "#tea", text: "milk first") == "")
      for (person, place) in [(anna, tea), (ben, room)] {
        try person.expect("no topic") {
          try person.store.read { try $0.conversation(place, for: person.me) }?.topic
            == "milk first"
        }
      }

      #expect(
        try anna.ask(.kick, target: "#tea", person: "ben", text: "no tea")
          == "You removed ben from #tea.")
      try ben.expect("still there") {
        try !ben.store.read { try $0.isMember(ben.me, of: room) }
      }
      try ben.expectNotice("anna removed you from #tea: no tea")
      try anna.expect("ben is still there") { try anna.people(in: tea) == [] }
      #expect(
        try anna.ask(.ban, target: "#tea", person: "ben")
          == "ben (*!ben@127.0.0.1) can no longer enter #tea.")
      #expect(try ben.enter("#tea").answer == "#tea has banned you.")
      #expect(
        try anna.ask(.unban, target: "#tea", person: "ben")
          == "ben (*!ben@127.0.0.1, ben!*@*) can enter #tea again.")
      #expect(try ben.enter("#tea").answer == "")
      #expect(
        try anna.ask(.promote, target: "#tea", person: "ben") == "ben is an operator of #tea now.")
      try ben.expect("not an operator") {
        try ben.store.read { snapshot in
          let told = try snapshot.changes(since: 0, for: ben.me).events.map(\.remark)
          let me = try snapshot.people(in: room).first { $0.participant.id == ben.me }
          return told.contains("anna made you an operator") && me?.rank == "operator"
        }
      }
      #expect(try ben.ask(.kick, target: "#tea", person: "nobody").contains("No such nick"))
      #expect(try ben.ask(.join, target: "#tea", text: "benny") == "")
      try ben.expectNotice("You are benny now.")
      try anna.expect("no benny") { try anna.people(in: tea) == ["benny"] }
      #expect(try ben.ask(.join, target: "#tea", text: "ben") == "")
      try ben.expectNotice("You are ben again.")
      #expect(try ben.ask(.topic, target: "#tea", text: "sugar") == "")
      #expect(try anna.ask(.whois, target: "ben").contains("in @#tea"))
      #expect(try anna.ask(.whois, target: "nobody").contains("No such nick"))

      // Who is sent elsewhere is there.
      _ = try anna.enter("#coffee")
      try set("+L #coffee")
      try set("+l 1")
      try ben.ask(.leave, target: "#tea")
      #expect(try ben.enter("#tea").answer == "#tea redirected you to #coffee.")
      let coffee = try ben.room("#coffee")
      try ben.say("here", in: coffee)
      try ben.expect("here", in: coffee) { $0.state == .sent }
    }

    @Test("a nick that is in use: another one, and the wanted one as soon as it is free")
    func nick() throws {
      let server = try server()
      let other = try IRCPeer(server.port, "anna")
      let anna = try Correspondent("anna", at: server)
      let tea = try anna.connect(to: "#tea")
      let ben = try IRCPeer(server.port, "ben")
      try ben.join("#tea")
      try anna.say("who?", in: tea)
      try ben.wait(for: ":anna_!")
      try anna.expect("who?", in: tea) { $0.state == .sent }
      other.disconnect()
      try ben.wait(for: ":anna_!", within: 20)
      try anna.say("me", in: tea)
      try ben.wait(for: ":anna!")
      #expect(try anna.expect("me", in: tea) { $0.state == .sent }.sender == anna.me)
    }

    @Test("a public network's limits: twelve lines arrive one after the other")
    func flood() throws {
      let server = try server { $0.limitsFloods = true }
      let anna = try Correspondent("anna", at: server, settings: ["flood": "4/2"])
      let tea = try anna.connect(to: "#tea")
      let ben = try IRCPeer(server.port, "ben")
      try ben.join("#tea")
      for number in 1...12 { try anna.say("line \(number)", in: tea) }
      for number in 1...12 { try ben.wait(for: "PRIVMSG #tea :line \(number)", within: 30) }
      try anna.expectDone()
      #expect(try anna.messages(in: tea).allSatisfy { $0.state == .sent })
      #expect(anna.proxy.count == 1)
    }

    @Test("a server that promises TLS is reached with TLS, even if the owner has turned it off")
    func strictTransport() throws {
      let server = try server { $0.strictTransport = 600 }
      let anna = try Correspondent(
        "anna", at: server, settings: ["ca": server.certificates.authority])
      try anna.connect()
      func isSecure() throws -> Bool {
        try anna.ask(.whois, target: "anna").contains("has an encrypted connection")
      }
      #expect(try isSecure())
      let before = anna.proxy.count
      anna.kill()
      try anna.connect()
      #expect(try isSecure())
      // The second time it does not even try without.
      #expect(anna.proxy.count == before)
    }

    @Test(
      "a client certificate is a login",
      .enabled(if: IRCPackage.anope.isOffered, "Debian has no anope"))
    func certificate() throws {
      let server = try server(hasServices: true)
      let pair = try server.certificates.sign("anna", for: ["DNS:anna"])
      let both =
        try String(contentsOfFile: pair.certificate, encoding: .utf8)
        + String(contentsOfFile: pair.key, encoding: .utf8)
      let path = server.folder + "/anna-both.pem"
      try both.write(toFile: path, atomically: false, encoding: .utf8)
      // NickServ has to know its fingerprint first.
      let first = try Correspondent("anna", withAccountAt: server, settings: ["cert": path])
      try first.connect()
      let services = try first.ircChat(with: "NickServ")
      try first.say("CERT ADD", in: services)
      try first.expect("no answer of NickServ") {
        try first.messages(in: services).contains { $0.body.contains("added to") }
      }
      first.kill(SIGTERM)
      let anna = try Correspondent(
        "anna", withAccountAt: server,
        settings: ["cert": path, "login": "external", "password-command": "false"])
      try anna.connect()
      #expect(try anna.ask(.whois, target: "anna").contains("logged in as anna"))
    }

    @Test("what a server replays when one enters is there once")
    func replay() throws {
      let server = try server()
      let ben = try IRCPeer(server.port, "ben")
      try ben.join("#tea")
      ben.send("MODE #tea +H 20:1h")
      ben.send("PRIVMSG #tea :before")
      _ = try ben.everything()
      let anna = try Correspondent("anna", at: server)
      let tea = try anna.connect(to: "#tea")
      try anna.expect("before", in: tea)
      ben.send("PRIVMSG #tea :live")
      try anna.expect("live", in: tea)
      try anna.say("own", in: tea)
      try anna.expect("own", in: tea) { $0.state == .sent }
      for number in 1...2 {
        anna.kill(number == 1 ? SIGKILL : SIGTERM)
        ben.send("PRIVMSG #tea :away \(number)")
        _ = try ben.everything()
        try anna.connect()
        try anna.expect("away \(number)", in: tea)
        try anna.say("back \(number)", in: tea)
        try anna.expect("back \(number)", in: tea) { $0.state == .sent }
      }
      #expect(
        try anna.bodies(in: tea) == [
          "before", "live", "own", "away 1", "back 1", "away 2", "back 2",
        ])
    }
  }
}
