// SPDX-License-Identifier: GPL-3.0-or-later
import Networks
import Testing

@testable import IRC

/// What is agreed before the login (IRCv3 capability negotiation).
@Suite("capabilities of an IRC server")
struct CapabilityTests {
  @Test("a list of several lines is answered at its end, with what is offered and useful")
  func severalLines() {
    var talk = LoginTalk(.none)
    #expect(talk.takeSent() == ["CAP LS 302", "NICK anna", "USER anna 0 * :Anna K"])
    talk.receive(":srv CAP * LS * :multi-prefix sasl=PLAIN,EXTERNAL example.org/unknown")
    #expect(talk.takeSent().isEmpty)
    talk.receive(":srv CAP * LS :server-time sts=duration=1 tls")
    #expect(talk.takeSent() == ["CAP REQ :multi-prefix server-time"])
    talk.receive(":srv CAP anna ACK :multi-prefix server-time ")
    #expect(talk.takeSent() == ["CAP END"])
    talk.receive(":srv 001 anna :Welcome")
    #expect(talk.welcome?.capabilities.enabled == ["multi-prefix", "server-time"])
    #expect(talk.welcome?.account == nil)
  }

  @Test("a server without capabilities lets people in who have no password")
  func noCapabilities() {
    var talk = LoginTalk(password: "")
    talk.receive(":srv 421 * CAP :Unknown command", "PING :123")
    talk.receive(":srv 001 anna :Welcome")
    #expect(talk.welcome?.nick == "anna")
    #expect(talk.takeSent().last == "PONG 123")
    var empty = LoginTalk(password: "")
    empty.receive(":srv CAP * LS :")
    #expect(empty.takeSent().last == "CAP END")
  }

  @Test("a list that is refused as a whole is asked for name by name")
  func refusedList() {
    var talk = LoginTalk(.none)
    talk.receive(":srv CAP * LS :batch chghost sasl=PLAIN")
    _ = talk.takeSent()
    talk.receive(":srv CAP anna NAK :batch chghost")
    #expect(talk.takeSent() == ["CAP REQ batch", "CAP REQ chghost"])
    talk.receive(":srv CAP anna ACK :batch")
    #expect(talk.takeSent().isEmpty)
    talk.receive(":srv CAP anna NAK :chghost")
    #expect(talk.takeSent() == ["CAP END"])
    talk.receive(":srv 001 anna :Welcome")
    #expect(talk.welcome?.capabilities.enabled == ["batch"])
  }

  @Test("a second list does not begin the login again")
  func secondList() {
    var talk = LoginTalk()
    talk.agree(to: "sasl=PLAIN")
    #expect(talk.takeSent() == ["AUTHENTICATE PLAIN"])
    talk.receive(":srv CAP * LS :sasl=PLAIN batch")
    #expect(talk.takeSent().isEmpty)
  }

  @Test("capabilities that come and go before the welcome count")
  func changes() {
    var talk = LoginTalk(.none)
    talk.agree(to: "batch echo-message")
    talk.receive(":srv CAP anna DEL :batch", ":srv CAP anna NEW :invite-notify")
    talk.receive(":srv 001 anna :Welcome")
    #expect(talk.welcome?.capabilities.enabled == ["echo-message"])
    #expect(talk.welcome?.capabilities.offered.keys.sorted() == ["echo-message", "invite-notify"])
  }

  @Test("many names are asked for in several lines")
  func longRequests() {
    var capabilities = Capabilities()
    capabilities.offer(
      """
      account-notify account-tag away-notify batch cap-notify chghost draft/channel-rename \
      draft/chathistory draft/event-playback draft/multiline draft/read-marker draft/message-redaction echo-message \
      extended-join extended-monitor invite-notify labeled-response message-tags multi-prefix \
      server-time setname soju.im/bouncer-networks soju.im/bouncer-networks-notify \
      standard-replies userhost-in-names znc.in/self-message znc.in/server-time-iso
      """)
    let lines = capabilities.requestLines(withSASL: false)
    #expect(lines.count == 2)
    #expect(lines.allSatisfy { $0.text.utf8.count <= 510 })
    capabilities.enable(lines.map { $0[1] }.joined(separator: " "))
    #expect(capabilities.enabled.count == 27)
    #expect(capabilities.requestLines(withSASL: false).isEmpty)
    capabilities.enable("-batch")
    #expect(!capabilities.enabled.contains("batch"))
  }

  @Test("the echoes of a ZNC are not asked for: they say nothing of its server")
  func behindZNC() {
    var capabilities = Capabilities()
    capabilities.offer("echo-message znc.in/batch")
    #expect(capabilities.requestLines(withSASL: false).map(\.text) == ["CAP REQ znc.in/batch"])
  }
}

/// Rule 14: a connection without TLS changes to one with TLS where the server promises it (IRCv3
/// Strict Transport Security).
@Suite("strict transport security on IRC")
struct StrictTransportTests {
  @Test("without TLS, a port ends the login; nothing else counts")
  func upgrade() {
    var talk = LoginTalk(.none, isSecure: false)
    _ = talk.takeSent()
    talk.receive(":srv CAP * LS * :batch", ":srv CAP * LS :sts=duration=100,port=6697")
    #expect(talk.failure == .wantsTLS(port: 6_697))
    #expect(talk.policies.isEmpty && talk.takeSent().isEmpty)
    var noPort = LoginTalk(.none, isSecure: false)
    noPort.receive(":srv CAP * LS :sts=duration=100")
    #expect(noPort.takeSent().last == "CAP END")
  }

  @Test("a server without a name cannot promise TLS", arguments: [true, false])
  func noName(isSecure: Bool) {
    var talk = LoginTalk(.none, isSecure: isSecure, server: "192.0.2.1")
    talk.receive(":srv CAP * LS :sts=duration=100,port=6697")
    #expect(talk.failure == nil && talk.policies.isEmpty)
    #expect(talk.takeSent().last == "CAP END")
  }

  @Test("over TLS, the login goes on, and the duration counts")
  func persistence() {
    var talk = LoginTalk(.none)
    talk.receive(":srv CAP * LS :sts=port=1,duration=100")
    #expect(talk.policies == ["port=1,duration=100"])
    #expect(talk.takeSent().last == "CAP END")
    let policy = StrictTransport("port=1,duration=100,x", port: 6_697, at: 5_000)
    #expect(policy?.port == 6_697)
    #expect(policy?.end == 105_000)
    #expect(policy?.fact == "6697 100000 105000")
    #expect(StrictTransport(policy?.fact) == policy)
    // Ten years are enough.
    let long = StrictTransport("duration=9223372036854775807", port: 1, at: 0)
    #expect(long?.duration == 315_360_000_000)
    // The server takes its promise back.
    let none = StrictTransport("duration=0,port=6697", port: 6_697, at: 0)
    #expect((none?.duration, none?.fact) == (0, ""))
    for value in ["duration=-5", "duration=x", "port=6697", "", "duration"] {
      #expect(StrictTransport(value, port: 6_697, at: 0) == nil, "\(value)")
    }
  }

  @Test("a promise that comes later counts as well")
  func later() {
    for isSecure in [true, false] {
      var talk = LoginTalk(.none, isSecure: isSecure)
      talk.agree(to: "batch")
      talk.receive(":srv CAP anna NEW :sts=duration=1 batch")
      talk.receive(":srv 001 anna :Welcome", ":srv CAP anna NEW :batch sts=port=6697,duration=9")
      talk.receive(":srv CAP anna DEL :sts batch")
      #expect(talk.policies == (isSecure ? ["duration=1", "port=6697,duration=9"] : []))
      #expect(talk.failure == (isSecure ? nil : .wantsTLS(port: 6_697)))
      #expect(talk.takeSent() == ["CAP END"])
    }
  }

  @Test("a port is a number that a port can be; a damaged fact is none")
  func ports() {
    #expect(StrictTransport.port(in: "duration=5,port=6697") == 6_697)
    for value in ["port=0", "port=65536", "port=-1", "port=", "port", "duration=6697", "xport=1"] {
      #expect(StrictTransport.port(in: value) == nil, "\(value)")
    }
    for fact in [nil, "", "6697", "6697 1", "x 1 1", "70000 1 1", "1 1 1 1"] {
      #expect(StrictTransport(fact) == nil)
    }
  }
}
