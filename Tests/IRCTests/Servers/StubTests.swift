// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import IRCFixture
import Networks
import ProsodyFixture
import Testing

/// What other suites believe about the stub: that it does what the specifications' examples do, and
/// sees what breaks them.
@Suite("the strict stub server of IRC")
struct StubTests {
  private static let capabilities = """
    batch draft/chathistory draft/message-redaction draft/multiline draft/read-marker \
    echo-message labeled-response message-tags server-time
    """

  /// A client that the stub watches, unlike ``IRCPeer``.
  private func client(
    _ stub: IRCStub, _ nick: String = "anna", capabilities: String = Self.capabilities
  ) throws -> IRCPeer {
    try IRCPeer(stub.port, nick, capabilities: capabilities, realName: "a client")
  }

  @Test("an echo has the label; several answers are a batch; no answer is ACK")
  func answersWithLabels() throws {
    let stub = try IRCStub()
    let anna = try client(stub)
    anna.send("@label=1 JOIN #tea")
    let start = try anna.wait(for: "label=1")
    #expect(start.contains("BATCH +") && start.hasSuffix(" labeled-response"))
    try anna.wait(for: " 366 ")
    anna.send("@label=2 PRIVMSG #tea :hello")
    #expect(try anna.wait(for: "label=2").hasSuffix(" PRIVMSG #tea :hello"))
    anna.send("@label=3 PRIVMSG nobody :hello")
    #expect(try anna.wait(for: "label=3").contains(" 401 anna nobody "))
    anna.send("@label=4 PONG x")
    #expect(try anna.wait(for: "label=4").hasSuffix(" ACK"))
    #expect(try stub.violations() == [])
    anna.send("@label=4 PRIVMSG #tea :again")
    _ = try anna.everything()
    #expect(try stub.violations().count == 1)
    #expect(try stub.accepted().map(\.text) == ["hello", "again"])
  }

  @Test("a multi-line message is one for those who know them, and lines for others")
  func carriesSeveralLines() throws {
    let stub = try IRCStub()
    let anna = try client(stub)
    let ben = try IRCPeer(stub.port, "ben")
    try anna.join("#tea")
    try ben.join("#tea")
    anna.send("@label=1 BATCH +123 draft/multiline #tea")
    for line in ["123 PRIVMSG #tea hello", "123 PRIVMSG #tea :", "123 PRIVMSG #tea :how is "] {
      anna.send("@batch=" + line)
    }
    anna.send("@batch=123;draft/multiline-concat PRIVMSG #tea :everyone?")
    anna.send("BATCH -123")
    #expect(try anna.wait(for: "label=1").contains("msgid="))
    try anna.wait(for: " BATCH -")
    for text in ["hello", "how is ", "everyone?"] {
      #expect(try ben.wait(for: "PRIVMSG").hasSuffix(" #tea :" + text))
    }
    #expect(try stub.accepted().map(\.text) == ["hello\n\nhow is everyone?"])
    #expect(try stub.violations() == [])
    try stub.set(["maxLines": 1])
    for line in [
      "BATCH +4 draft/multiline #tea", "@batch=4 PRIVMSG #tea :1", "@batch=4 PRIVMSG #tea :2",
    ] {
      anna.send(line)
    }
    anna.send("BATCH -4")
    try anna.wait(for: "FAIL BATCH MULTILINE_MAX_LINES 1")
    #expect(try stub.violations().count == 1)
  }

  @Test("a history is read from its end, from an id, or from a time, within the limit")
  func tellsHistory() throws {
    var options = IRCStub.Options()
    options.historyLimit = 3
    let stub = try IRCStub(options)
    let texts = (1...9).map(String.init)
    let start = 1_700_000_000.0
    let ids = try stub.addHistory(texts, from: "ben", to: "#tea", start: start)
    try stub.addHistory(["psst"], from: "ben", to: "anna", start: start + 100)
    let anna = try client(stub)
    try anna.join("#tea")
    func history(_ words: String) throws -> [String] {
      anna.send("CHATHISTORY " + words)
      try anna.wait(for: "BATCH +", unless: "FAIL")
      var found: [String] = []
      while true {
        let line = try anna.wait { _ in true }
        if line.contains("BATCH -") { return found }
        found.append(line.components(separatedBy: " :").last ?? "")
      }
    }
    #expect(try history("LATEST #tea * 3") == ["7", "8", "9"])
    #expect(try history("BEFORE #tea msgid=\(ids[6]) 2") == ["5", "6"])
    #expect(try history("AFTER #tea timestamp=2023-11-14T22:13:22.000Z 2") == ["4", "5"])
    #expect(try history("AROUND #tea msgid=\(ids[4]) 3") == ["4", "5", "6"])
    #expect(
      try history("BETWEEN #tea msgid=\(ids[1]) timestamp=2023-11-14T22:13:24.000Z 3") == [
        "3", "4",
      ])
    #expect(try history("BETWEEN #tea msgid=\(ids[8]) msgid=\(ids[0]) 2") == ["7", "8"])
    anna.send(
      "CHATHISTORY TARGETS timestamp=2023-01-01T00:00:00.000Z timestamp=2024-01-01T00:00:00.000Z 3")
    try anna.wait(for: "CHATHISTORY TARGETS #tea 2023-11-14T22:13:28.000Z")
    try anna.wait(for: "CHATHISTORY TARGETS ben 2023-11-14T22:15:00.000Z")
    #expect(try stub.violations() == [])
    anna.send("CHATHISTORY LATEST #tea * 4")
    try anna.wait(for: "FAIL CHATHISTORY INVALID_PARAMS LATEST")
    #expect(try stub.violations().count == 1)
  }

  @Test("marks of reading only go forwards, and redactions need the right to them")
  func marksAndRedacts() throws {
    let stub = try IRCStub()
    let ids = try stub.addHistory(["1", "2"], from: "ben", to: "#tea", start: 1_700_000_000)
    let anna = try client(stub)
    anna.send("JOIN #tea")
    try anna.wait(for: " MARKREAD #tea *")
    anna.send("MARKREAD #tea timestamp=2023-11-14T22:13:21.000Z")
    try anna.wait(for: " MARKREAD #tea timestamp=2023-11-14T22:13:21.000Z")
    anna.send("MARKREAD #tea timestamp=2023-11-14T22:13:20.000Z")
    try anna.wait(for: " MARKREAD #tea timestamp=2023-11-14T22:13:21.000Z")
    #expect(try stub.violations() == [])
    anna.send("MARKREAD #tea timestamp=2023-11-14T22:13:25.000Z")
    anna.send("PRIVMSG #tea :oops")
    let id = try #require(try anna.wait(for: ":oops").firstMatch(of: /msgid=([^; ]+)/)?.1)
    anna.send("REDACT #tea \(id) :typed too fast")
    try anna.wait(for: ":anna!~anna@user.hobnob.test REDACT #tea \(id) :typed too fast")
    anna.send("REDACT #tea " + id)
    try anna.wait(for: "FAIL REDACT UNKNOWN_MSGID #tea \(id)")
    let carl = try client(stub, "carl")
    try carl.join("#tea")
    carl.send("REDACT #tea " + ids[0])
    try carl.wait(for: "FAIL REDACT REDACT_FORBIDDEN")
    #expect(try stub.violations().count == 1)
  }

  @Test("a login by SCRAM is proved by both sides, unless the server lies")
  func provesItself() throws {
    for lies in [false, true] {
      var options = IRCStub.Options()
      (options.liesInSCRAM, options.mechanisms) = (lies, ["SCRAM-SHA-256"])
      let stub = try IRCStub(options)
      let socket = try LineSocket(stub.port)
      func exchange(_ bytes: [UInt8]) throws -> [UInt8] {
        socket.send("AUTHENTICATE " + Data(bytes).base64EncodedString())
        let line = try socket.line()
        return Array(
          try #require(Data(base64Encoded: line.split(separator: " ").last.map(String.init) ?? "")))
      }
      socket.send("CAP REQ :sasl")
      socket.send("AUTHENTICATE SCRAM-SHA-256")
      #expect(try socket.line().contains(" ACK "))
      #expect(try socket.line().hasSuffix("AUTHENTICATE +"))
      var login = SASLExchange(
        name: "anna", password: Secret(IRCStub.password), strongest: nil)
      let first = try exchange(login.begin(["SCRAM-SHA-256"]).response)
      let last = try exchange(login.answer(first))
      if lies {
        #expect(throws: SASLFailure.self) { try login.answer(last) }
      } else {
        _ = try login.answer(last)
        socket.send("AUTHENTICATE +")
        #expect(try socket.line().contains(" 900 "))
        #expect(try socket.line().contains(" 903 "))
      }
      #expect(try stub.violations() == [])
    }
  }

  @Test("a bouncer lists its networks, and each connection is bound to one")
  func bindsNetworks() throws {
    var options = IRCStub.Options()
    options.networks = ["42": ["name": "Libera", "state": "connected"], "43": ["name": "OFTC"]]
    let stub = try IRCStub(options)
    try stub.add(members: ["ben"], to: "#tea", network: "42")
    let anna = try IRCPeer(
      stub.port, "anna",
      capabilities: "batch soju.im/bouncer-networks soju.im/bouncer-networks-notify",
      account: "anna")
    #expect(try anna.wait(for: " NETWORK 42 ").contains("name=Libera"))
    try stub.set(network: "43", ["state": "disconnected"])
    try anna.wait(for: " NETWORK 43 state=disconnected")
    let bound = try IRCPeer(
      stub.port, "anna", capabilities: "soju.im/bouncer-networks", account: "anna",
      beforeEnd: ["BOUNCER BIND 42"])
    for token in [" BOUNCER_NETID=42 ", " NETWORK=Libera "] {
      #expect(bound.lines.contains { $0.contains(token) })
    }
    try bound.join("#tea")
    try stub.say(["hello"], from: "ben", to: "#tea", network: "42")
    try bound.wait(for: ":ben!~ben@user.hobnob.test PRIVMSG #tea :hello")
  }

  @Test("two clients of an account are one person, who stays when they are gone")
  func servesSeveralClients() throws {
    var options = IRCStub.Options()
    options.isAlwaysOn = true
    let stub = try IRCStub(options)
    let capabilities = "draft/read-marker echo-message"
    let one = try IRCPeer(stub.port, "anna", capabilities: capabilities, account: "anna")
    try one.join("#tea")
    let other = try IRCPeer(stub.port, "anna", capabilities: capabilities, account: "anna")
    try other.wait(for: ":anna!~anna@user.hobnob.test JOIN #tea")
    one.send("PRIVMSG #tea :hello")
    try other.wait(for: ":anna!~anna@user.hobnob.test PRIVMSG #tea :hello")
    let time = try #require(try stub.accepted().first?.stamp)
    one.send("MARKREAD #tea timestamp=" + time)
    try other.wait(for: "MARKREAD #tea timestamp=" + time)
    one.disconnect()
    other.disconnect()
    let ben = try IRCPeer(stub.port, "ben")
    try ben.join("#tea")
    ben.send("PRIVMSG #tea :missed")
    ben.send("WHO #tea")
    try ben.wait(for: " 352 ben #tea ~anna ")
    let again = try IRCPeer(
      stub.port, "anna", capabilities: "batch draft/chathistory", account: "anna")
    again.send("CHATHISTORY LATEST #tea * 1")
    try again.wait(for: ":missed")
  }

  @Test("it sees lines that break the protocol")
  func seesViolations() throws {
    var options = IRCStub.Options()
    (options.floodLines, options.without) = (30, ["draft/multiline"])
    let stub = try IRCStub(options)
    let anna = try client(stub, capabilities: "message-tags")
    try anna.join("#tea")
    let bad = [
      "@+a b", "@a\\=b PRIVMSG #tea :x", "@label=1 PRIVMSG #tea :x", "@+x=1;+x=2 TAGMSG #tea",
      "KICK #tea", "PRIVMSG #tea", "CHATHISTORY LATEST #tea * 1", "CAP REQ :draft/none",
      "AUTHENTICATE PLAIN", "PRIVMSG  #tea :x",
      "PRIVMSG #tea :" + String(repeating: "x", count: 480),
      "PRIVMSG #tea :" + String(repeating: "x", count: 600), "PRIVMSG #tea :a\0b", "NONSENSE",
      "BATCH +1 draft/multiline #tea", "MARKREAD #tea", ":anna PRIVMSG #tea :x",
    ]
    for (index, line) in bad.enumerated() {
      let before = try stub.violations().count
      anna.send(line)
      _ = try anna.everything()
      #expect(try stub.violations().count > before, "\(index): \(line)")
    }
    try stub.set(["floodLines": 4])
    for _ in 1...5 { anna.send("PRIVMSG #tea :x") }
    _ = try anna.everything()
    #expect(try stub.violations().last == "anna: too many lines at once")
  }

  @Test("it drops a connection before or behind a message, and holds back answers")
  func breaks() throws {
    let stub = try IRCStub()
    for moment in [IRCStub.Moment.before, .after] {
      let anna = try client(stub)
      try anna.join("#tea")
      try stub.drop("anna", moment, 2)
      anna.send("PRIVMSG #tea :one \(moment)")
      anna.send("PRIVMSG #tea :two \(moment)")
      #expect(throws: ServerFailure.self) { try anna.wait(for: ":two") }
    }
    #expect(try stub.accepted().map(\.text) == ["one before", "one after", "two after"])
    let anna = try client(stub)
    try stub.hold(true)
    anna.send("PING held")
    #expect(throws: ServerFailure.self) { try anna.wait(for: "held", within: 0.2) }
    try stub.hold(false)
    try anna.wait(for: "held")
    try stub.add(capability: "example.org/new=1")
    try anna.wait(for: " CAP anna NEW :example.org/new=1")
    try stub.remove(capability: "example.org/new")
    try anna.wait(for: " CAP anna DEL :example.org/new")
  }
}
