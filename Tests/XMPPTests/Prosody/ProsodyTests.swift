// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Networks
import Platform
import ProsodyFixture
import StoreFixture
import Testing

@testable import NetworkInbox
@testable import XMPP

/// One server for all of these tests.
private let prosody = Result { try Prosody() }

@Suite("a stream to a real server (Prosody)", .serialized) @MainActor struct ProsodyTests {
  let server: Prosody

  init() throws { server = try prosody.get() }

  private func settings(isDirectTLS: Bool = false, pin: String? = nil) -> ServerSettings {
    var settings = ServerSettings(["host": "127.0.0.1"], isDirectTLS: isDirectTLS)
    settings.port = isDirectTLS ? server.directPort : server.port
    (settings.authorities, settings.pin) = (server.certificates.authority, pin)
    return settings
  }

  private func user(
    _ name: String = "anna", at domain: String = Prosody.domain,
    password: String = Prosody.password, server: ServerSettings? = nil,
    purpose: Negotiation.Purpose = .logIn, quiet: Int64 = 180_000, patience: Int64 = 30_000
  ) throws -> StreamUser {
    try StreamUser(
      name + "@" + domain, password: password, server: server ?? settings(), purpose: purpose,
      quiet: quiet, patience: patience)
  }

  @Test("a login works with STARTTLS and with TLS from the start", arguments: [false, true])
  func login(isDirectTLS: Bool) throws {
    let anna = try user("anna", server: settings(isDirectTLS: isDirectTLS))
    try anna.runUntilReady()
    #expect(anna.ready?.address.bare.description == "anna@hobnob.test")
    #expect(anna.ready?.features.acknowledges == true)
    #expect(anna.sawSCRAM == .sha1)
    anna.stream.close()
    #expect(anna.runToEnd() == .closedByUs)
  }

  @Test("a closed and released stream stays until the server has said goodbye")
  func closedAndLetGo() throws {
    let loop = EventLoop()
    weak var stream: ClientStream<String>?
    do {
      let anna = try StreamUser(
        "anna@" + Prosody.domain, password: Prosody.password, server: settings(), loop: loop)
      try anna.runUntilReady()
      stream = anna.stream
      anna.stream.close()
    }
    // Else its socket would be watched for ever, and read by nobody.
    #expect(stream != nil)
    let limit = loop.after(milliseconds: 20_000) { [loop] in loop.stop() }
    loop.endOfTurn { [loop] in if stream == nil { loop.stop() } }
    if stream != nil { loop.run() }
    #expect(stream == nil)
    loop.cancel(limit)
  }

  @Test("a requested resource is assigned")
  func resource() throws {
    let anna = try StreamUser(
      "anna@hobnob.test/laptop", password: Prosody.password, server: settings())
    try anna.runUntilReady()
    #expect(anna.ready?.address.resource == "laptop")
    anna.stream.close()
    anna.runToEnd()
  }

  @Test("a wrong password is a sentence that says so")
  func wrongPassword() throws {
    let end = try user(password: "pencil").runToEnd()
    #expect(end == .login(.sasl(.wrongPassword)) && end?.isFatal == true)
    #expect(
      end?.description == "The server does not accept this password; /connect asks for another.")
    #expect(try user("nobody").runToEnd() == .login(.sasl(.wrongPassword)))
  }

  @Test(
    "a certificate of an unknown authority, another name or the past is refused",
    arguments: [false, true])
  func certificates(isDirectTLS: Bool) throws {
    var settings = settings(isDirectTLS: isDirectTLS)
    // Where TLS comes first, Prosody shows the same certificate to all.
    if !isDirectTLS {
      #expect(
        try user(at: Prosody.expiredDomain, server: settings).runToEnd()?.description
          == "The certificate of expired.test has expired, so hobnob sent nothing.")
    }
    #expect(
      try user(at: Prosody.foreignDomain, server: settings).runToEnd()?.description
        == "The server's certificate is not for foreign.test, so hobnob sent nothing.")
    settings.authorities = nil
    #expect(
      try user(server: settings).runToEnd()?.description
        == "The certificate of hobnob.test is from an authority that this machine does not know,"
        + " so hobnob sent nothing.")
    settings.authorities = "/dev/null"
    let end = try user(server: settings).runToEnd()
    #expect(end == .connection(.noAuthorities(file: "/dev/null")) && end?.isFatal == true)
  }

  @Test("only a pinned key is accepted")
  func pin() throws {
    let anna = try user()
    try anna.runUntilReady()
    let key = anna.stream.peerKey
    anna.stream.close()
    anna.runToEnd()

    let again = try user(server: settings(pin: key))
    try again.runUntilReady()
    again.stream.close()
    again.runToEnd()

    let other = String(key.reversed())
    #expect(
      try user(server: settings(pin: other)).runToEnd()
        == .connection(.certificate(.otherKey, domain: Prosody.domain)))
    #expect(try user(server: settings(pin: "abc")).runToEnd() == .connection(.badPin))
  }

  @Test("a domain that the server does not serve is a sentence")
  func unknownHost() throws {
    #expect(try user(at: "unknown.test").runToEnd() == .login(.hostUnknown("unknown.test")))
  }

  @Test("an account is made if the server allows it, and can log in")
  func registration() throws {
    let name = "carla\(UInt32.random(in: 0 ... .max))"
    let carla = try user(
      name, at: Prosody.openDomain, password: "1 <& 'ü", purpose: .register)
    #expect(carla.runToEnd() == .closedByUs && carla.isRegistered)
    let again = try user(name, at: Prosody.openDomain, password: "1 <& 'ü")
    try again.runUntilReady()
    again.stream.close()
    again.runToEnd()

    #expect(
      try user(name, at: Prosody.openDomain, password: "x", purpose: .register).runToEnd()
        == .login(.nameTaken(name)))
    #expect(
      try user(name, password: "x", purpose: .register).runToEnd() == .login(.noRegistration))
  }

  @Test("what the server accepted is acknowledged in order, and its stanzas come in")
  func acknowledgements() throws {
    let ben = try user("ben")
    try ben.runUntilReady()
    let anna = try StreamUser(
      "anna@hobnob.test", password: Prosody.password, server: settings(), loop: ben.loop)
    try anna.runUntilReady()
    ben.stream.send(Element("presence"))
    let count = 500
    let address = try #require(ben.ready?.address.description)
    for number in 0..<count {
      anna.stream.send(
        Element(
          "message", ["to": address, "type": "chat"],
          children: [Element("body", text: "\(number) <&> \u{1F600}")]),
        as: String(number))
    }
    anna.run { anna.acknowledged.count >= count }
    let areAcknowledged = anna.acknowledged == (0..<count).map(String.init)
    #expect(areAcknowledged)
    #expect(anna.stream.unacknowledged.isEmpty)
    ben.run { ben.stanzas.count { $0.name == "message" } >= count }
    let texts = ben.stanzas.filter { $0.name == "message" }.compactMap { $0.first("body")?.text }
    let haveCome = texts == (0..<count).map { "\($0) <&> \u{1F600}" }
    #expect(haveCome)
    anna.stream.close()
    anna.runToEnd()
    ben.stream.close()
    ben.runToEnd()
  }

  @Test("during a pause nothing comes, and afterwards all of it in order")
  func pausing() throws {
    let ben = try user("ben")
    try ben.runUntilReady()
    ben.stream.send(Element("presence"))
    ben.run { ben.stanzas.contains { $0.name == "presence" } }
    let anna = try StreamUser(
      "anna@hobnob.test", password: Prosody.password, server: settings(), loop: ben.loop)
    try anna.runUntilReady()
    ben.then = { [stream = ben.stream] in
      if case .stanzas(let all) = $0, all.contains(where: { $0.first("body")?.text == "1" }) {
        stream.pause()
      }
    }
    let address = try #require(ben.ready?.address.description)
    func send(_ numbers: Range<Int>) {
      for number in numbers {
        anna.stream.send(
          Element(
            "message", ["to": address, "type": "chat"],
            children: [Element("body", text: String(number))]), as: String(number))
      }
      anna.run { anna.acknowledged.count == numbers.upperBound }
    }
    let texts = { ben.stanzas.compactMap { $0.first("body")?.text } }
    send(0..<20)
    ben.run { texts().contains("1") }
    // All of them may have come together.
    let before = texts()
    send(20..<40)
    var turns = 0
    func turn() {
      turns += 1
      if turns == 20 { ben.loop.stop() } else { ben.loop.after(milliseconds: 1) { turn() } }
    }
    turn()
    ben.loop.run()
    #expect(texts() == before)
    ben.stream.resume()
    ben.run { texts().count == 40 }
    #expect(texts() == (0..<40).map(String.init))
    anna.stream.close()
    anna.runToEnd()
    ben.stream.close()
    #expect(ben.runToEnd() == .closedByUs)
  }

  @Test("a server that is stopped, killed or frozen is noticed, and found again afterwards")
  func outages() throws {
    for outage in ["stop", "kill", "freeze"] {
      // Only what is frozen says nothing; whatever else is slow must not pass for that.
      let anna = outage == "freeze" ? try user(quiet: 100, patience: 300) : try user()
      try anna.runUntilReady()
      switch outage {
      case "stop": server.stop()
      case "kill": server.kill()
      default: server.freeze()
      }
      anna.stream.send(Element("presence"), as: "presence")
      let end = anna.runToEnd()
      if outage == "freeze" {
        #expect(end == .noAnswer(300))
        #expect(anna.stream.unacknowledged == ["presence"])
        server.thaw()
      } else {
        let isGone =
          switch end {
          case .closedByServer?, .streamError("system-shutdown", _)?, .connection(.lost)?,
            .connection(.closed)?:
            true
          default: false
          }
        #expect(isGone, "\(outage): \(String(describing: end))")
        #expect(end?.isFatal == false)
        let refused = try user().runToEnd()
        #expect(
          refused
            == .connection(
              .unreachable(host: "127.0.0.1", port: server.port, reason: "Connection refused")))
        try server.start()
      }
    }
    let anna = try user(quiet: 20, patience: 5_000)
    try anna.runUntilReady()
    // It goes on being asked, and answers.
    anna.loop.after(milliseconds: 200) { [loop = anna.loop] in loop.stop() }
    anna.loop.run()
    #expect(anna.end == nil)
    anna.stream.close()
    anna.runToEnd()
  }

  @Test("what waits goes out in order, even if more is added while events are stored")
  func order() throws {
    let store = try Fixture().open()
    let account = try store.writeDurably {
      try $0.addAccount(
        owner: $0.participant(identity: "anna").id,
        network: "xmpp:anna@" + Prosody.domain)
    }
    let settings = [
      "host": "127.0.0.1", "port": String(server.port), "ca": server.certificates.authority,
    ]
    let loop = EventLoop()
    let lease = try #require(try AccountLease.acquire(account, in: store))
    let wire = try XMPPWire(lease, settings, loop: loop)
    var (accepted, isRead): ([OutboxEntry.ID], Bool) = ([], false)
    var waiting: ClosedRange<OutboxEntry.ID> = 1...3
    func give() {
      let ben = ConversationAddress.direct("ben@" + Prosody.domain)
      let outbox = waiting.map { OutboxEntry.test($0, to: ben) }
      try? wire.deliver(outbox: outbox, requests: [], signals: []) { _ in }
    }
    wire.report = { report in
      switch report {
      case .up, .wantsOutbox: give()
      case .events(let news):
        accepted += news.accepted
        // What waited for this goes out in the same turn.
        if !isRead, news.contains(where: { if case .caughtUp = $0 { true } else { false } }) {
          (isRead, waiting) = (true, 1...6)
          give()
        }
        if accepted.count == 6 { loop.stop() }
      case .down(let reason, _):
        Issue.record("\(reason)")
        loop.stop()
      default: break
      }
    }
    wire.connect(secret: Prosody.password, settings: settings, facts: [:])
    let limit = loop.after(milliseconds: 20_000) { loop.stop() }
    loop.run()
    loop.cancel(limit)
    #expect(accepted == Array(1...6))
    wire.close()
  }
}
