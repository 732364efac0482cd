// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Networks
import Platform
import ProsodyFixture
import Synchronization
import Testing

@testable import XMPP

private let password = "pencil-and-paper"
private typealias Peer = ScriptedServer.Peer

@Suite("a hostile server (attacks 10, 11, 17)", .serialized) @MainActor
struct HostileServerAttackTests {
  private func user(
    _ server: ScriptedServer, loop: EventLoop = EventLoop(), isDirectTLS: Bool = false,
    strongest: SCRAMHash? = nil, step: Int64 = 20_000, quiet: Int64 = 180_000,
    patience: Int64 = 30_000
  ) throws -> StreamUser {
    var settings = ServerSettings(["host": "127.0.0.1"], isDirectTLS: isDirectTLS)
    settings.port = server.port
    settings.authorities = try ScriptedServer.authority
    return try StreamUser(
      "anna@example.test", password: password, server: settings,
      loop: loop, strongest: strongest, step: step, quiet: quiet, patience: patience,
      limits: XMLReader.Limits(bytes: 100_000))
  }

  /// Lets a server do that with a client, and looks that it never gets the password.
  private func end(
    strongest: SCRAMHash? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ script: @escaping @Sendable (ScriptedServer.Peer) throws -> Void
  ) throws -> StreamEnd? {
    let server = try ScriptedServer(script)
    let anna = try user(server, strongest: strongest)
    let end = anna.runToEnd(sourceLocation: sourceLocation)
    expectNoSecret(in: server.finish(), sourceLocation: sourceLocation)
    #expect(anna.ready == nil, sourceLocation: sourceLocation)
    return end
  }

  private func expectNoSecret(
    in heard: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for secret in [password, letters("\0anna\0" + password), letters(password)] {
      #expect(!heard.contains(secret), sourceLocation: sourceLocation)
    }
  }

  @Test("an offer without TLS, which an attacker removed, ends it")
  func stripped() throws {
    let end = try end { peer in
      try peer.greet(Peer.mechanisms("SCRAM-SHA-1", "PLAIN"))
      peer.expectEnd()
    }
    #expect(end == .login(.noTLS))
    let refused = try self.end { peer in
      try peer.greet("<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")
      try peer.expect("<starttls")
      try peer.write("<failure xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")
      peer.expectEnd()
    }
    #expect(refused == .login(.refusedTLS))
  }

  @Test("PLAIN alone gets nothing after SCRAM was seen")
  func weakened() throws {
    let end = try end(strongest: .sha1) { peer in
      try peer.secure(Peer.mechanisms("PLAIN"))
      peer.expectEnd()
    }
    #expect(end == .login(.sasl(.weakened)))
  }

  @Test(
    "a challenge with too few or too many rounds, or with a foreign nonce, gets no proof",
    arguments: [
      ("1", true, LoginFailure.sasl(.tooManyRounds("1"))),
      ("2147483647", true, .sasl(.tooManyRounds("2147483647"))),
      ("4096", false, .sasl(.unproven)),
    ])
  func challenges(rounds: String, keepsNonce: Bool, expected: LoginFailure) throws {
    let end = try end { peer in
      let nonce = try peer.scramOpening().components(separatedBy: "r=").last ?? ""
      let challenge = "r=\(keepsNonce ? nonce : "")more,s=QSXCR+Q6sek8bf92,i=\(rounds)"
      try peer.write(
        "<challenge xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>\(letters(challenge))</challenge>")
      peer.expectEnd()
    }
    #expect(end == .login(expected))
  }

  @Test(
    "a server that proves itself wrongly or not at all is rejected",
    arguments: ["", "v=", "v=rmF9pqV8S7suAoZWja4dJRkFsKQ=", "x"])
  func unproven(final: String) throws {
    let end = try end { peer in
      let nonce = try peer.scramOpening().components(separatedBy: "r=").last ?? ""
      let challenge = letters("r=\(nonce)more,s=QSXCR+Q6sek8bf92,i=4096")
      try peer.write(
        "<challenge xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>\(challenge)</challenge>")
      try peer.expect("</response>")
      try peer.write(
        "<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>\(letters(final))</success>")
      peer.expectEnd()
    }
    #expect(end == .login(.sasl(.unproven)))
  }

  @Test("clear text behind proceed, in the same packet, is ignored")
  func injected() throws {
    let header =
      "<?xml version='1.0'?><stream:stream xmlns='jabber:client' version='1.0' "
      + "xmlns:stream='http://etherx.jabber.org/streams'>"
    for injected in [
      header + "<stream:features>" + Peer.mechanisms("PLAIN") + "</stream:features>",
      "<stream:features>" + Peer.mechanisms("PLAIN") + "</stream:features>",
      "<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>" + header,
      "<message from='boss@example.test'><body>pay</body></message>", "<broken", "</stream:stream>",
    ] {
      // Within TLS it goes on as if nothing had been.
      let end = try end { peer in
        try peer.secure(Peer.mechanisms("SCRAM-SHA-256", "PLAIN"), behindProceed: injected)
        try peer.expect("mechanism='SCRAM-SHA-256'")
        try peer.write(
          "<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><not-authorized/></failure>")
        peer.expectEnd()
      }
      #expect(end == .login(.sasl(.wrongPassword)))
    }
  }

  @Test("endless stanzas, deep ones and document types end it, before TLS and within")
  func xml() throws {
    let bombs: [(String, XMLFault)] = [
      (String(repeating: "x", count: 200_000), .tooLong(limit: 100_000)),
      (String(repeating: "<a>", count: 100), .tooDeep(limit: 64)),
    ]
    for (bomb, fault) in bombs {
      let early = try end { peer in
        try peer.greet("<x>" + bomb)
        peer.expectEnd()
      }
      #expect(early == .xml(fault))
      let late = try end { peer in
        try peer.secure("<x>" + bomb)
        peer.expectEnd()
      }
      #expect(late == .xml(fault))
    }
    let typed = try end { peer in
      try peer.expect("<stream:stream")
      try peer.write(
        "<!DOCTYPE x [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;'>]><stream:stream xmlns='jabber:client' "
          + "xmlns:stream='http://etherx.jabber.org/streams' id='&b;' version='1.0'>")
      peer.expectEnd()
    }
    #expect(typed == .xml(.docType))
  }

  @Test("14.6: a stanza of any size within the session is skipped, counted, and costs nothing else")
  func giants() throws {
    let server = try ScriptedServer { peer in
      try peer.logIn(Peer.counting)
      let text = String(repeating: "x", count: 150_000)
      let deep = String(repeating: "<a>", count: 90_000) + String(repeating: "</a>", count: 90_000)
      try peer.write("<message from='mallory@evil.test'><body>\(text)</body></message>")
      try peer.write("<message from='mallory@evil.test'>\(deep)</message>")
      try peer.write("<message from='mallory@evil.test'><a b='\(text)'/></message>")
      try peer.write("<message a='\(text)' from='mallory@evil.test'/>")
      for _ in 0..<100 { try peer.write("<presence><status>\(text)\(text)</status></presence>") }
      try peer.write("<message id='last'/><r xmlns='urn:xmpp:sm:3'/>")
      try peer.expect("h='105'")
      try peer.expect("</stream:stream>")
    }
    let anna = try user(server)
    anna.run { !anna.stanzas.isEmpty || anna.end != nil }
    #expect(anna.stanzas.map { $0["id"] } == ["last"])
    #expect(anna.skipped.count == 104)
    #expect(anna.skipped.first?.stanza == Element("message", ["from": "mallory@evil.test"]))
    anna.stream.close()
    #expect(anna.runToEnd() == .closedByUs)
    _ = server.finish()
  }

  @Test("14.6: an endless tag, and endless depth, end the session nevertheless")
  func endlessTags() throws {
    for bomb in [
      "<message a='" + String(repeating: "x", count: 6_500_000),
      "<message>" + String(repeating: "<a>", count: 2_200_000),
    ] {
      let server = try ScriptedServer { peer in
        try peer.logIn(Peer.counting)
        try peer.write("<r xmlns='urn:xmpp:sm:3'/>")
        try peer.expect("<a ")
        try peer.write(bomb)
        peer.expectEnd()
      }
      let anna = try user(server)
      #expect(anna.runToEnd() == .xml(.tooLong(limit: 6_400_000)))
      _ = server.finish()
    }
  }

  @Test("a machine that was suspended for an hour asks the server at once whether it is there")
  func suspended() throws {
    let server = try ScriptedServer { peer in
      try peer.logIn(Peer.counting)
      try peer.expect("<r xmlns='urn:xmpp:sm:3'/>")
      peer.expectEnd()
    }
    var asleep: Int64 = 0
    let loop = EventLoop { Clock.steady() + asleep }
    let anna = try user(server, loop: loop, patience: 5_000)
    try anna.runUntilReady()
    asleep = 3_600_000
    // It takes any event to look at the time; on waking that is the loop's own timer.
    loop.after(milliseconds: 0) { loop.after(milliseconds: 0) { asleep += 5_000 } }
    #expect(anna.runToEnd() == .noAnswer(5_000))
    #expect(server.finish().contains("<r xmlns='urn:xmpp:sm:3'/>"))
  }

  @Test("a port that does not speak XMPP is reported as such")
  func otherProtocol() throws {
    let end = try end { peer in
      try peer.write("<html xmlns='http://www.w3.org/1999/xhtml'><body>400")
      peer.expectEnd()
    }
    #expect(end?.description == "The program that answers there does not speak XMPP.")
  }

  @Test("a reset and an end during the TLS handshake are noticed at once")
  func reset() throws {
    for isReset in [true, false] {
      let end = try end { peer in
        try peer.greet("<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")
        try peer.expect("<starttls")
        try peer.write("<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")
        // The client's hello.
        try peer.expect("example.test")
        if isReset { peer.reset() }
      }
      switch end {
      case .connection(.lost), .connection(.closed): break
      default: Issue.record("\(String(describing: end))")
      }
      #expect(end?.isFatal == false)
    }
  }

  @Test("silence in any step of logging in ends within the step's time, with the step's name")
  func silence() throws {
    let scripts: [(@Sendable (ScriptedServer.Peer) throws -> Void, LoginStep)] = [
      ({ try $0.expect("<stream:stream") }, .greeting),
      (
        {
          try $0.expect("<stream:stream")
          try $0.write("<?xml version='1.0'?>")
        }, .greeting
      ),
      (
        {
          try $0.greet("<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")
          try $0.expect("<starttls")
        }, .encrypting
      ),
      (
        {
          try $0.greet("<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")
          try $0.expect("<starttls")
          try $0.write("<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")
        }, .encrypting
      ),
      ({ try $0.secure(Peer.mechanisms("SCRAM-SHA-1")) }, .authenticating),
    ]
    // All at once, since each takes its time.
    let loop = EventLoop()
    func begin(
      isDirectTLS: Bool = false, _ script: @escaping @Sendable (Peer) throws -> Void
    ) throws -> (ScriptedServer, StreamUser) {
      let server = try ScriptedServer { peer in
        try script(peer)
        peer.expectEnd()
      }
      return (server, try user(server, loop: loop, isDirectTLS: isDirectTLS, step: 1_000))
    }
    let logins = try scripts.map { (try begin($0.0), $0.1) }
    let binding = try begin { try $0.authenticate() }
    let direct = try begin(isDirectTLS: true) { _ in }
    for ((server, anna), step) in logins {
      #expect(anna.runToEnd() == .login(.tooSlow(step, limit: 1_000)))
      expectNoSecret(in: server.finish())
      #expect(anna.ready == nil)
    }
    // The password is out by then, as it should be: it is PLAIN within TLS.
    #expect(binding.1.runToEnd() == .login(.tooSlow(.binding, limit: 1_000)))
    #expect(
      direct.1.runToEnd()
        == .connection(
          .noHandshake(host: "127.0.0.1", port: direct.0.port, limit: 1_000)))
    for (server, _) in [binding, direct] { _ = server.finish() }
  }

  @Test("an acknowledgement of what was never sent ends it, and nothing counts as sent")
  func impossibleCount() throws {
    for count in ["2", "4294967295", "x", "-1"] {
      let server = try ScriptedServer { peer in
        try peer.logIn(Peer.counting)
        try peer.expect("<r ")
        try peer.write("<a xmlns='urn:xmpp:sm:3' h='\(count)'/>")
        peer.expectEnd()
      }
      let anna = try user(server)
      try anna.runUntilReady()
      anna.stream.send(Element("message"), as: "a")
      #expect(anna.runToEnd() == .impossibleCount)
      #expect(anna.acknowledged.isEmpty && anna.stream.unacknowledged == ["a"])
      _ = server.finish()
    }
  }

  @Test("a server that cannot count is pinged, and only its own answer counts")
  func pinged() throws {
    let server = try ScriptedServer { peer in
      try peer.logIn()
      try peer.expect("<ping")
      try peer.write("<iq id='alive1' type='result' from='mallory@example.test'/>")
      try peer.expect("<presence/>")
      try peer.write("<iq id='alive1' type='error' from='example.test'/>")
      try peer.expect("</stream:stream>")
    }
    let anna = try user(server)
    try anna.runUntilReady()
    anna.stream.send(Element("message"), as: "a")
    anna.run { !anna.stanzas.isEmpty }
    #expect(anna.acknowledged.isEmpty)
    anna.stream.send(Element("presence"))
    anna.run { !anna.acknowledged.isEmpty }
    #expect(anna.acknowledged == ["a"] && anna.stanzas.count == 1)
    anna.stream.close()
    anna.runToEnd()
    _ = server.finish()
  }

  @Test("a server that cannot count is pinged during silence, even without anything pending")
  func pingedAgainstSilence() throws {
    let server = try ScriptedServer { peer in
      try peer.logIn()
      try peer.expect("id='alive1'")
      try peer.write("<iq id='alive1' type='result' from='example.test'/>")
      try peer.expect("id='alive2'")
      try peer.write("<iq id='alive2' type='result' from='example.test'/><presence/>")
      try peer.expect("</stream:stream>")
    }
    let anna = try user(server, quiet: 100, patience: 3_000)
    try anna.runUntilReady()
    anna.run { !anna.stanzas.isEmpty }
    anna.stream.close()
    #expect(anna.runToEnd() == .closedByUs)
    _ = server.finish()
  }

  @Test("a silent server is given up, even while it accepts everything")
  func frozen() throws {
    let server = try ScriptedServer { peer in
      try peer.logIn(Peer.counting)
      peer.expectEnd()
    }
    let anna = try user(server, quiet: 200, patience: 200)
    try anna.runUntilReady()
    #expect(anna.runToEnd() == .noAnswer(200))
    #expect(server.finish().contains("<r xmlns='urn:xmpp:sm:3'/>"))
  }

  @Test("a server that reads nothing does not fill the memory")
  func takesNothing() throws {
    let isOver = DispatchSemaphore(value: 0)
    let server = try ScriptedServer { peer in
      try peer.logIn()
      isOver.wait()
    }
    let anna = try user(server)
    try anna.runUntilReady()
    let big = Element("message", text: String(repeating: "x", count: 1 << 20))
    for _ in 0..<40 where anna.end == nil { anna.stream.send(big) }
    isOver.signal()
    _ = server.finish()
    guard case .connection(.tooMuchWaiting) = anna.end else {
      Issue.record("\(String(describing: anna.end))")
      return
    }
  }

  @Test("14.2: what arrives together is stored together, and acknowledged only then")
  func together() throws {
    let server = try ScriptedServer { peer in
      try peer.logIn(Peer.counting)
      let stanzas = (1...3).map { "<message id='\($0)'/>" }
      try peer.write(
        stanzas[0] + stanzas[1] + "<r xmlns='urn:xmpp:sm:3'/>" + stanzas[2]
          + "<r xmlns='urn:xmpp:sm:3'/>")
      try peer.expect("h='2'")
      try peer.expect("h='3'")
      try peer.expect("</stream:stream>")
    }
    let anna = try user(server)
    var groups: [[String]] = []
    anna.then = {
      if case .stanzas(let stanzas) = $0 { groups.append(stanzas.map { $0["id"] ?? "" }) }
    }
    anna.run { anna.stanzas.count == 3 }
    anna.stream.close()
    #expect(anna.runToEnd() == .closedByUs)
    _ = server.finish()
    #expect(groups == [["1", "2"], ["3"]])
  }

  @Test("during a pause the server waits, and nothing is acknowledged")
  func paused() throws {
    let count = 400
    let written = EventCounter()
    let server = try ScriptedServer { peer in
      try peer.logIn(Peer.counting)
      let stanza = "<message><body>\(String(repeating: "x", count: 90_000))</body></message>"
      for _ in 0..<count {
        try peer.write(stanza + "<r xmlns='urn:xmpp:sm:3'/>")
        written.increase()
      }
      try peer.expect("h='\(count)'")
      try peer.expect("</stream:stream>")
    }
    let anna = try user(server)
    anna.then = { [unowned anna] in
      if case .stanzas = $0, anna.stanzas.count == 1 { anna.stream.pause() }
    }
    anna.run { !anna.stanzas.isEmpty }
    anna.loop.after(milliseconds: 500) { [loop = anna.loop] in loop.stop() }
    anna.loop.run()
    // What the kernel keeps between two sockets is less than these 36 MB.
    #expect(anna.stanzas.count == 1 && written.value < count)
    anna.stream.resume()
    anna.run { anna.stanzas.count == count }
    anna.stream.close()
    #expect(anna.runToEnd() == .closedByUs)
    let heard = server.finish()
    #expect(heard.contains("h='1'/>") && heard.contains("h='\(count)'/>"))
    #expect(!heard.contains("h='0'"))
  }
}

private final class EventCounter: Sendable {
  private let count = Mutex(0)
  var value: Int { count.withLock { $0 } }
  func increase() { count.withLock { $0 += 1 } }
}
