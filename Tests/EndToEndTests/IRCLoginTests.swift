// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Foundation
import IRCFixture
import ProsodyFixture
import Testing

extension EndToEnd {
  /// What changes at the server while the built program is connected, and what a new process knows
  /// of the one before.
  @Suite("14: IRC's login, and what lasts")
  struct IRCLoginTests {
    /// The facts that Anna's processes have learned.
    private func facts(_ person: Correspondent) throws -> [String: String] {
      try AccountFiles(environment: person.home.environment).facts(
        of: person.account, inStoreAt: person.home.store)
    }

    @Test("when services come back, hobnob logs in again, and never enters without the account")
    func services() throws {
      let stub = try IRCStub()
      let anna = try Correspondent("anna", withAccountAt: stub)
      try anna.connect()
      for _ in 1...2 {
        let count = try stub.lines().count
        try stub.remove(capability: "sasl")
        try stub.add(capability: "sasl")
        try anna.expect("not logged in again") {
          try stub.lines().dropFirst(count).count { $0.line.hasPrefix("AUTHENTICATE ") } >= 3
        }
        // The server has not accepted the last of them yet.
        try anna.expect("no account") {
          try anna.ask(.whois, target: "anna").contains("logged in as anna")
        }
      }
      #expect(anna.proxy.count == 1)
      for isNewProcess in [false, true] {
        try stub.remove(capability: "sasl")
        if isNewProcess {
          anna.kill()
          try anna.start()
        } else {
          anna.proxy.cut()
        }
        try anna.expect("still connected") {
          if case .offline(let reason, _) = anna.status {
            reason.text.contains("SASL")
          } else {
            false
          }
        }
        try stub.add(capability: "sasl")
        try anna.expect("not connected again") {
          try anna.hurry()
          return anna.status == .connected([])
        }
      }
      #expect(try anna.ask(.whois, target: "anna").contains("logged in as anna"))
      #expect(try stub.violations() == [])
    }

    @Test("the process that serves an account is confined")
    func isConfined() throws {
      let stub = try IRCStub()
      let anna = try Correspondent("anna", withAccountAt: stub)
      try anna.connect()
      try anna.home.expectConfined("hobnob-irc")
    }

    @Test("14.9: the shell shows the nick on the network, in a room and in a direct chat")
    func ownNick() throws {
      let stub = try IRCStub()
      let max = try Correspondent("max", at: stub, settings: ["nick": "anna9"])
      _ = try max.connect(to: "#tea")
      let other = try IRCPeer(stub.port, "max")
      try other.join("#tea")
      _ = try max.ircChat(with: "max")
      let shell = try max.home.shell(as: "max", ["#tea"])
      try shell.expect("#tea> |")
      try shell.expect("You are anna9 in #tea.")
      try shell.expect("anna9, with 1 other here")
      try shell.type("tea?\r", seeing: " anna9: tea?")
      try other.wait(for: " PRIVMSG #tea :tea?")
      other.send("PRIVMSG #tea :so am I")
      try shell.expect(" max: so am I")
      try shell.type("/topic green\r", seeing: "anna9 changed the topic: green")
      try shell.type("/who\r", seeing: "  anna9 (max)")
      try shell.type("/switch @max\r", seeing: "@max@\(IRCServer.name)> |")
      try shell.type("only you\r", seeing: " anna9: only you")
      try shell.type("/nick anna7\r", seeing: "You are anna7 now.")
      try shell.expect("\nanna7")
      try shell.expectNever("≈")
    }

    @Test("a promise of TLS that comes later counts at once, and one that is taken back no more")
    func strictTransport() throws {
      let stub = try IRCStub()
      let anna = try Correspondent(
        "anna", at: stub, settings: ["ca": stub.certificates.authority])
      let tea = try anna.connect(to: "#tea")
      try stub.add(capability: "sts=port=\(stub.securePort),duration=600")
      try anna.expect("no promise") { try facts(anna)["sts"] != nil }
      try anna.say("over TLS", in: tea)
      try anna.expect("over TLS", in: tea) { $0.state == .sent }
      #expect(anna.proxy.count == 1)
      try stub.add(capability: "sts=duration=0")
      try anna.expect("the promise is still there") { try facts(anna)["sts"] == nil }
      anna.kill(SIGTERM)
      #expect(try facts(anna)["sts"] == nil)
      try stub.remove(capability: "sts")
      try anna.connect()
      #expect(anna.proxy.count == 2)
    }

    @Test(
      "a room's password is there for the next process, for nobody else to read",
      .enabled(if: IRCPackage.inspircd.isOffered, "Debian has no inspircd"))
    func roomPassword() throws {
      var options = InspIRCd.Options()
      options.hasServices = false
      let server = try InspIRCd(options)
      let ben = try IRCPeer(server.port, "ben")
      try ben.join("#tea")
      ben.send("MODE #tea +k green")
      _ = try ben.everything()
      let anna = try Correspondent("anna", at: server)
      try anna.connect()
      let (tea, answer) = try anna.enter("#tea", key: "green")
      #expect(answer == "")
      for number in 1...2 {
        anna.kill(number == 1 ? SIGKILL : SIGTERM)
        try anna.connect()
        try anna.say("here \(number)", in: tea)
        try anna.expect("here \(number)", in: tea) { $0.state == .sent }
      }
      #expect(try facts(anna)["keys"] == "#tea green")
      let files = FileManager.default.enumerator(atPath: anna.home.path)?.compactMap {
        $0 as? String
      }
      let facts = try #require(files?.first { $0.hasSuffix("/facts") })
      let attributes = try FileManager.default.attributesOfItem(
        atPath: anna.home.path + "/" + facts)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
      try anna.ask(.leave, target: "#tea")
      try anna.expect("the password is still there") { try self.facts(anna)["keys"] == nil }
    }

    @Test(
      "a name that services give stays, and the owner learns of it",
      .enabled(if: IRCPackage.inspircd.isOffered, "Debian has no inspircd"))
    func renamedByServices() throws {
      var options = InspIRCd.Options()
      options.hasServices = false
      let server = try InspIRCd(options)
      let other = try IRCPeer(server.port, "anna")
      let anna = try Correspondent("anna", at: server)
      let tea = try anna.connect(to: "#tea")
      let ben = try IRCPeer(server.port, "ben")
      try ben.join("#tea")
      try ben.becomeOperator()
      ben.send("SANICK anna_ Guest123")
      try ben.wait(for: ":anna_!")
      other.disconnect()
      // By then hobnob would have asked for its own nick again.
      try anna.ask(.line, text: "ISON anna")
      try anna.say("who am I?", in: tea)
      #expect(try ben.wait(for: "who am I?").hasPrefix(":Guest123!"))
    }
  }
}
