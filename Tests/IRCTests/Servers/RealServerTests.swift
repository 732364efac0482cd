// SPDX-License-Identifier: GPL-3.0-or-later
import IRCFixture
import ProsodyFixture
import Testing

extension IRCPackage {
  /// Skips a test, and says so, only where nobody can install what it needs.
  var isNeeded: ConditionTrait {
    .enabled(if: isOffered, "there is no package \(rawValue)")
  }
}

/// The servers that other suites use start, and carry a line.
@Suite("servers of IRC for tests", .serialized)
struct RealServerTests {
  private func talk(on server: IRCServer, _ capabilities: String? = nil) throws {
    let anna = try IRCPeer(server.port, "anna", capabilities: capabilities)
    let ben = try IRCPeer(server.port, "ben", capabilities: capabilities)
    try anna.join("#tea")
    try ben.join("#tea")
    ben.send("PRIVMSG #tea :hello")
    let line = try anna.wait(for: " PRIVMSG #tea :hello")
    #expect(line.contains(":ben!"))
  }

  @Test(
    "InspIRCd has accounts, echoes with labels, and an operator",
    IRCPackage.inspircd.isNeeded, IRCPackage.anope.isNeeded)
  func inspircd() throws {
    let server = try InspIRCd()
    try talk(on: server)
    let ben = try IRCPeer(
      server.port, "ben",
      capabilities: "account-tag batch echo-message labeled-response message-tags",
      account: "ben")
    try ben.join("#tea")
    ben.send("@label=a1;+typing=active PRIVMSG #tea :hello")
    #expect(try ben.wait(for: "label=a1").contains("account=ben"))
    let anna = try IRCPeer(server.port, "anna")
    try anna.becomeOperator()
    anna.send("SANICK ben benny")
    try ben.wait(for: " NICK :benny")
    #expect(throws: ServerFailure.self) {
      _ = try IRCPeer(server.port, "carl", account: "carl")
    }
    server.kill()
    try server.start()
    _ = try IRCPeer(server.port, "ben", account: "ben")
  }

  @Test("InspIRCd limits floods", IRCPackage.inspircd.isNeeded)
  func limitsFloods() throws {
    var options = InspIRCd.Options()
    (options.limitsFloods, options.hasServices, options.strictTransport) = (true, false, 600)
    let server = try InspIRCd(options)
    let ben = try IRCPeer(server.port, "ben", capabilities: "message-tags")
    #expect(
      ben.lines.contains {
        $0.contains(" sts=port=\(server.securePort)") || $0.contains(",port=\(server.securePort)")
      })
    for number in 1...40 { ben.send("PRIVMSG ben :\(number)") }
    #expect(throws: ServerFailure.self) { try ben.wait(for: " :40", within: 1) }
  }

  @Test("ngIRCd", IRCPackage.ngircd.isNeeded)
  func ngircd() throws { try talk(on: NgIRCd(), "multi-prefix") }

  @Test("ircd-hybrid", IRCPackage.hybrid.isNeeded)
  func hybrid() throws { try talk(on: Hybrid(), "away-notify") }

  @Test("ircd-irc2", IRCPackage.irc2.isNeeded)
  func irc2() throws { try talk(on: IRC2()) }

  @Test(
    "ZNC keeps what anna missed",
    IRCPackage.znc.isNeeded, IRCPackage.inspircd.isNeeded, IRCPackage.anope.isNeeded)
  func znc() throws {
    let server = try InspIRCd()
    let bouncer = try ZNC(for: server)
    let ben = try IRCPeer(server.port, "ben")
    try ben.join("#tea")
    ben.send("PRIVMSG #tea :missed")
    _ = try ben.everything()
    let anna = try IRCPeer(
      bouncer.port, "anna", capabilities: "server-time znc.in/self-message", user: ZNC.user,
      password: ZNC.password)
    let line = try anna.wait(for: ":missed")
    #expect(line.contains("@time=") && line.contains(":ben!ben@"))
    anna.send("PRIVMSG #tea :hello")
    try ben.wait(for: ":anna!anna@127.0.0.1 PRIVMSG #tea :hello")
    ben.send("WHOIS anna")
    try ben.wait(for: " 330 ben anna anna ")
  }

  @Test("BitlBee reaches Prosody", IRCPackage.bitlbee.isNeeded)
  func bitlbee() throws {
    let gateway = try BitlBee()
    let anna = try IRCPeer(gateway.port, "anna", account: "anna")
    let ben = try IRCPeer(gateway.port, "ben", password: BitlBee.password)
    for peer in [anna, ben] { try peer.wait(for: "Logged in") }
    anna.send("PRIVMSG &bitlbee :add jabber ben@hobnob.test")
    try ben.wait(for: "anna@hobnob.test")
    ben.send("PRIVMSG &bitlbee :yes")
    try anna.wait(for: "JOIN :&bitlbee")
    anna.send("PRIVMSG ben :hello")
    // It opens no direct chat by itself.
    #expect(try ben.wait(for: ":ben: hello").hasPrefix(":anna!anna@\(Prosody.domain) PRIVMSG "))
  }
}
