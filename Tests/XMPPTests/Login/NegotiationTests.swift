// SPDX-License-Identifier: GPL-3.0-or-later
import Networks
import Platform
import Testing

@testable import XMPP

private let password = "r0m30&<myr0m30>"
private let nonce = "fyko+d2lbbFgONRv9qkxdawL"

/// A negotiation with a server whose words the test says.
private struct LoginTalk {
  var machine: Negotiation
  var now: MonotonicTime = 0
  /// All that went out.
  var sent = ""

  init(
    purpose: Negotiation.Purpose = .logIn, address: String = "anna@example.org",
    password: String = password, strongest: SCRAMHash? = nil
  ) throws {
    machine = Negotiation(
      Negotiation.Settings(
        address: try #require(Address(address)), password: Secret(password), purpose: purpose,
        strongest: strongest, nonce: { nonce }))
  }

  mutating func take(_ event: Negotiation.Event) -> [Negotiation.Effect] {
    let effects = machine.handle(event, at: now)
    for case .send(let text) in effects { sent += text }
    return effects
  }

  @discardableResult
  mutating func hear(_ element: Element) -> [Negotiation.Effect] { take(.element(element)) }

  /// Connected with TLS, and the server's header heard.
  mutating func greet() {
    _ = take(.connected(isSecure: true))
    _ = take(.opened)
  }

  /// As far as an authentication that went well, and the stream anew.
  mutating func authenticate() throws {
    greet()
    hear(features(mechanisms("SCRAM-SHA-1")))
    hear(challenge(rounds: "4096"))
    _ = hear(success(signature))
    _ = take(.opened)
  }

  /// What a server that knows the password would say in the end.
  let signature = "v=zOyG6tLL5D+CWOBkwzMuxPPjZHk="
}

private let tls = "urn:ietf:params:xml:ns:xmpp-tls"
private let sasl = "urn:ietf:params:xml:ns:xmpp-sasl"
private let bindNamespace = "urn:ietf:params:xml:ns:xmpp-bind"
private let sm = "urn:xmpp:sm:3"
private let streams = "http://etherx.jabber.org/streams"

private func features(_ children: Element...) -> Element {
  Element("features", namespace: streams, children: children)
}

private func mechanisms(_ names: String...) -> Element {
  Element(
    "mechanisms", namespace: sasl,
    children: names.map { Element("mechanism", namespace: sasl, text: $0) })
}

private func challenge(rounds: String, nonce: String = nonce + "more") -> Element {
  Element(
    "challenge", namespace: sasl, text: letters("r=\(nonce),s=QSXCR+Q6sek8bf92,i=\(rounds)"))
}

private func success(_ text: String) -> Element {
  Element("success", namespace: sasl, text: letters(text))
}

private func failure(_ condition: String, text: String = "") -> Element {
  Element(
    "failure", namespace: sasl,
    children: [Element(condition, namespace: sasl)]
      + (text.isEmpty ? [] : [Element("text", namespace: sasl, text: text)]))
}

private func bound(_ address: String) -> Element {
  Element(
    "iq", ["id": "bind", "type": "result"],
    children: [
      Element(
        "bind", namespace: bindNamespace,
        children: [Element("jid", namespace: bindNamespace, text: address)])
    ])
}

private func refusal(_ id: String, _ condition: String, text: String = "") -> Element {
  let stanzas = "urn:ietf:params:xml:ns:xmpp-stanzas"
  return Element(
    "iq", ["id": id, "type": "error"],
    children: [
      Element(
        "error",
        children: [
          Element(condition, namespace: stanzas), Element("text", namespace: stanzas, text: text),
        ])
    ])
}

@Suite("the way to a session (attacks 10)") struct NegotiationTests {
  @Test("STARTTLS, SCRAM, binding, acknowledgements: then the session is ready")
  func wholeWay() throws {
    var talk = try LoginTalk(address: "anna@example.org/laptop")
    var effects = talk.take(.connected(isSecure: false))
    #expect(effects.first == .restartStream)
    #expect(talk.sent.contains("to='example.org'") && !talk.sent.contains("anna"))
    _ = talk.take(.opened)
    talk.hear(features(Element("starttls", namespace: tls), mechanisms("PLAIN")))
    #expect(talk.sent.hasSuffix("<starttls xmlns='\(tls)'/>"))
    #expect(talk.hear(Element("proceed", namespace: tls)) == [.startTLS])
    effects = talk.take(.tlsReady)
    #expect(effects.first == .restartStream && talk.sent.contains("from='anna@example.org'"))
    _ = talk.take(.opened)
    effects = talk.hear(features(mechanisms("PLAIN", "SCRAM-SHA-1", "SCRAM-SHA-1-PLUS")))
    #expect(effects.first == .sawSCRAM(.sha1))
    #expect(
      talk.sent.hasSuffix(
        "<auth xmlns='\(sasl)' mechanism='SCRAM-SHA-1'>"
          + letters("n,,n=anna,r=\(nonce)") + "</auth>"))
    talk.hear(challenge(rounds: "4096"))
    effects = talk.hear(success(talk.signature))
    #expect(effects.first == .restartStream)
    _ = talk.take(.opened)
    let last = features(
      Element("bind", namespace: bindNamespace), Element("sm", namespace: sm),
      Element("csi", namespace: "urn:xmpp:csi:0"))
    talk.hear(last)
    #expect(talk.sent.hasSuffix("<resource>laptop</resource></bind></iq>"))
    #expect(talk.hear(bound("anna@example.org/laptop")).count == 1)
    #expect(talk.sent.hasSuffix("<enable xmlns='\(sm)'/>"))
    let early = Element("message", ["from": "example.org"])
    #expect(talk.hear(early) == [])
    let address = Address(local: "anna", domain: "example.org", resource: "laptop")
    effects = talk.hear(Element("enabled", namespace: sm))
    #expect(effects == [.ready(address, StreamFeatures(last)), .stanza(early)])
    #expect(StreamFeatures(last).acknowledges)
    #expect(talk.machine.deadline == nil)
    #expect(!talk.sent.contains("r0m30") && !talk.sent.contains(letters(password)))
    #expect(!talk.sent.contains(letters("\0anna\0" + password)))
  }

  @Test("PLAIN is used over TLS if there is nothing else, and never after SCRAM was seen")
  func plain() throws {
    var talk = try LoginTalk()
    talk.greet()
    talk.hear(features(mechanisms("PLAIN", "DIGEST-MD5")))
    #expect(talk.sent.hasSuffix(letters("\0anna\0" + password) + "</auth>"))
    #expect(talk.hear(Element("success", namespace: sasl)).first == .restartStream)

    talk = try LoginTalk(strongest: .sha1)
    talk.greet()
    #expect(talk.hear(features(mechanisms("PLAIN"))) == [.fail(.sasl(.weakened))])
    #expect(!talk.sent.contains("auth"))

    talk = try LoginTalk()
    talk.greet()
    #expect(
      talk.hear(features(mechanisms("SCRAM-SHA-9", "PLAIN")))
        == [.sawSCRAM(.sha1), .fail(.sasl(.noMechanism(["SCRAM-SHA-9", "PLAIN"])))])
    #expect(!talk.sent.contains("auth"))
  }

  @Test("a server without TLS hears nothing more than its name")
  func noTLS() throws {
    var talk = try LoginTalk()
    _ = talk.take(.connected(isSecure: false))
    _ = talk.take(.opened)
    let before = talk.sent
    #expect(talk.hear(features(mechanisms("SCRAM-SHA-1", "PLAIN"))) == [.fail(.noTLS)])
    #expect(talk.sent == before && !before.contains("anna"))
    // And nothing brings it back.
    #expect(talk.hear(features(Element("starttls", namespace: tls))) == [])
    #expect(talk.take(.tlsReady) == [])
  }

  @Test("clear text between proceed and TLS ends it")
  func injected() throws {
    for injected in [features(mechanisms("PLAIN")), success(""), Element("message")] {
      var talk = try LoginTalk()
      _ = talk.take(.connected(isSecure: false))
      _ = talk.take(.opened)
      talk.hear(features(Element("starttls", namespace: tls)))
      talk.hear(Element("proceed", namespace: tls))
      #expect(talk.hear(injected) == [.fail(.unexpected(injected.name, .encrypting))])
    }
  }

  @Test(
    "a server that cheats in SCRAM is left before or after the proof, and gets no password",
    arguments: [
      (challenge(rounds: "1"), nil, LoginFailure.sasl(.tooManyRounds("1"))),
      (challenge(rounds: "2147483647"), nil, .sasl(.tooManyRounds("2147483647"))),
      (challenge(rounds: "4096", nonce: "another"), nil, .sasl(.unproven)),
      (Element("challenge", namespace: sasl, text: "!"), nil, .sasl(.broken)),
      (Element("challenge", namespace: sasl), nil, .sasl(.broken)),
      (success("v=AAAA"), nil, .sasl(.unproven)),
      (success(""), nil, .sasl(.unproven)),
      (challenge(rounds: "4096"), success("v=AAAA"), .sasl(.unproven)),
      (challenge(rounds: "4096"), success(""), .sasl(.unproven)),
      (challenge(rounds: "4096"), Element("success", namespace: sasl, text: "="), .sasl(.unproven)),
      (challenge(rounds: "4096"), challenge(rounds: "4096"), .sasl(.unproven)),
      (challenge(rounds: "4096"), success("e=invalid-proof"), .sasl(.wrongPassword)),
    ] as [(Element, Element?, LoginFailure)])
  func cheats(first: Element, second: Element?, expected: LoginFailure) throws {
    var talk = try LoginTalk()
    talk.greet()
    talk.hear(features(mechanisms("SCRAM-SHA-1", "PLAIN")))
    var effects = talk.hear(first)
    if let second { effects = talk.hear(second) }
    #expect(effects == [.fail(expected)])
    #expect(!talk.sent.contains(letters("\0anna\0" + password)))
    #expect(expected.isFatal)
  }

  @Test("a server may prove itself in a challenge, before its success")
  func provenEarly() throws {
    var talk = try LoginTalk()
    talk.greet()
    talk.hear(features(mechanisms("SCRAM-SHA-1")))
    talk.hear(challenge(rounds: "4096"))
    let last = Element("challenge", namespace: sasl, text: letters(talk.signature))
    #expect(talk.hear(last) == [.send("<response xmlns='\(sasl)'/>")])
    #expect(talk.hear(Element("success", namespace: sasl)).first == .restartStream)
  }

  @Test(
    "a SASL refusal is a sentence",
    arguments: [
      (
        failure("not-authorized"),
        "The server does not accept this password; /connect asks for another.", true
      ),
      (
        failure("account-disabled", text: "Pay first"),
        "The server has disabled this account: “Pay first”.", true
      ),
      (
        failure("temporary-auth-failure"), "The server cannot check passwords just now.", false
      ),
      (
        failure("malformed-request"), "The server refuses the login (malformed-request).", true
      ),
    ])
  func refused(element: Element, sentence: String, isFatal: Bool) throws {
    var talk = try LoginTalk()
    talk.greet()
    talk.hear(features(mechanisms("SCRAM-SHA-1")))
    guard case .fail(let failure) = talk.hear(element).first else {
      Issue.record("no failure")
      return
    }
    #expect(failure.description == sentence)
    #expect(failure.isFatal == isFatal)
  }

  @Test("an address that was not requested is not accepted")
  func otherAddress() throws {
    for wrong in ["ben@example.org/x", "anna@example.com/x", "anna@example.org", "", "@"] {
      var talk = try LoginTalk()
      try talk.authenticate()
      talk.hear(features(Element("bind", namespace: bindNamespace)))
      #expect(talk.hear(bound(wrong)) == [.fail(.otherAddress(wrong))])
    }
  }

  @Test("acknowledgements may be refused")
  func withoutAcknowledgements() throws {
    var talk = try LoginTalk()
    try talk.authenticate()
    talk.hear(
      features(Element("bind", namespace: bindNamespace), Element("sm", namespace: sm)))
    talk.hear(bound("anna@example.org/x"))
    #expect(talk.sent.hasSuffix("<enable xmlns='\(sm)'/>"))
    let effects = talk.hear(Element("failed", namespace: sm))
    guard case .ready(_, let features) = effects.first else {
      Issue.record("\(effects)")
      return
    }
    #expect(!features.acknowledges)
  }

  @Test("an unknown host, an old server and other stream errors are sentences")
  func streamErrors() throws {
    let errors = "urn:ietf:params:xml:ns:xmpp-streams"
    func error(_ name: String) -> Element {
      Element(
        "error", namespace: streams,
        children: [
          Element(name, namespace: errors), Element("text", namespace: errors, text: "so"),
        ])
    }
    for (name, sentence) in [
      ("host-unknown", "The server does not serve example.org."),
      ("see-other-host", "The server redirects to another host; hobnob does not follow."),
      ("system-shutdown", "The server ended the connection (system-shutdown): “so”."),
    ] {
      var talk = try LoginTalk()
      _ = talk.take(.connected(isSecure: false))
      _ = talk.take(.opened)
      guard case .fail(let failure) = talk.hear(error(name)).first else {
        Issue.record("no failure")
        return
      }
      #expect(failure.description == sentence)
    }
    // A server that is being stopped may end before it has read our header.
    for isTold in [true, false] {
      var talk = try LoginTalk()
      _ = talk.take(.connected(isSecure: true))
      #expect(talk.take(.opened) == [])
      let effects = isTold ? talk.hear(error("system-shutdown")) : talk.take(.closed)
      let failure: LoginFailure =
        isTold ? .streamError("system-shutdown", text: "so") : .closed(.greeting)
      #expect(effects == [.fail(failure)])
      #expect(!failure.isFatal)
    }
  }

  @Test(
    "silence and an end in each step are reported within its time, which drops do not extend")
  func steps() throws {
    let start = features(Element("starttls", namespace: tls))
    let way: [(Negotiation.Event, LoginStep)] = [
      (.connected(isSecure: false), .greeting),
      (.opened, .greeting),
      (.element(start), .encrypting),
      (.element(Element("proceed", namespace: tls)), .encrypting),
      (.tlsReady, .greeting),
      (.opened, .greeting),
      (.element(features(mechanisms("SCRAM-SHA-1"))), .authenticating),
      (.element(challenge(rounds: "4096")), .authenticating),
      (.element(success("v=zOyG6tLL5D+CWOBkwzMuxPPjZHk=")), .greeting),
      (.opened, .greeting),
      (
        .element(
          features(Element("bind", namespace: bindNamespace), Element("sm", namespace: sm))),
        .binding
      ),
      (.element(bound("anna@example.org/x")), .binding),
      (.element(Element("message")), .binding),
    ]
    for count in 1...way.count {
      var talk = try LoginTalk()
      for (event, _) in way.prefix(count) {
        talk.now = talk.now + 20_000
        _ = talk.take(event)
        if case .opened = event {
          talk.now = talk.now - 20_000
        } else if case .element(Element("message")) = event {
          talk.now = talk.now - 20_000
        }
      }
      let step = way[count - 1].1
      let deadline = talk.now + 30_000
      #expect(talk.machine.deadline == deadline, "\(count)")
      var late = talk
      #expect(late.machine.timePassed(at: deadline - 1) == [])
      #expect(
        late.machine.timePassed(at: deadline) == [.fail(.tooSlow(step, limit: 30_000))])
      #expect(late.machine.deadline == nil)
      #expect(talk.take(.closed) == [.fail(.closed(step))])
    }
  }

  @Test("a password is hidden where settings are printed")
  func printed() throws {
    let settings = Negotiation.Settings(
      address: Address(domain: "x"), password: Secret(password), nonce: { "" })
    var dumped = ""
    dump(settings, to: &dumped)
    #expect(!"\(settings)\(String(reflecting: settings))\(dumped)".contains("r0m30"))
    #expect(!"\(try LoginTalk().machine)".contains("r0m30"))
  }
}

@Suite("an account made on the server (XEP-0077)") struct RegistrationTests {
  private func form(_ fields: String...) -> Element {
    let register = "jabber:iq:register"
    return Element(
      "iq", ["id": "form", "type": "result"],
      children: [
        Element(
          "query", namespace: register,
          children: [Element("instructions", namespace: register, text: "Tell us.")]
            + fields.map { Element($0, namespace: register) })
      ])
  }

  @Test("name and password are sent over TLS only, then the account is there")
  func registered() throws {
    var talk = try LoginTalk(purpose: .register)
    talk.greet()
    talk.hear(features(mechanisms("SCRAM-SHA-1")))
    talk.hear(form("username", "password"))
    #expect(
      talk.sent.hasSuffix(
        "<username>anna</username><password>r0m30&amp;&lt;myr0m30&gt;</password></query></iq>"))
    let effects = talk.hear(Element("iq", ["id": "register", "type": "result"]))
    #expect(effects == [.send("</stream:stream>"), .registered])

    talk = try LoginTalk(purpose: .register)
    _ = talk.take(.connected(isSecure: false))
    _ = talk.take(.opened)
    #expect(talk.hear(features(mechanisms("PLAIN"))) == [.fail(.noTLS)])
  }

  @Test("a server that wants more, has the name, or lets no one in is a sentence")
  func refused() throws {
    var talk = try LoginTalk(purpose: .register)
    talk.greet()
    talk.hear(features())
    var other = talk
    #expect(
      other.hear(form("username", "password", "email"))
        == [.fail(.registrationNeedsMore("Tell us."))])
    #expect(other.sent == talk.sent)
    other = talk
    #expect(other.hear(refusal("form", "service-unavailable")) == [.fail(.noRegistration)])
    talk.hear(form("username", "password"))
    other = talk
    #expect(other.hear(refusal("register", "conflict")) == [.fail(.nameTaken("anna"))])
    other = talk
    #expect(other.hear(refusal("register", "not-allowed")) == [.fail(.noRegistration)])
    #expect(
      talk.hear(refusal("register", "resource-constraint", text: "Later"))
        == [.fail(.registrationRefused("resource-constraint", text: "Later"))])
  }
}
