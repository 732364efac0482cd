// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import IRCFixture
import Networks
import Platform
import ProsodyFixture
import StoreFixture
import Testing

@testable import IRC
@testable import NetworkInbox

/// Connections in this process, with a server that the test directs.
@MainActor
@Suite("the connections of an account on IRC", .serialized)
struct IRCWireTests {
  @MainActor
  private final class Owner {
    let store: Store
    let loop = EventLoop()
    let wire: IRCWire
    let settings: [String: String]
    private let account: Account
    private(set) var reports: [WireReport] = []
    private(set) var ups = 0

    init(_ settings: [String: String], server: String = IRCServer.name) throws {
      store = try Fixture().open()
      let account = try store.writeDurably {
        try $0.addAccount(
          owner: $0.participant(identity: "anna").id, network: "irc:anna@" + server)
      }
      self.account = account
      let lease = try #require(try AccountLease.acquire(account, in: store))
      self.settings = ["host": "127.0.0.1", "flood": "off"].merging(settings) { $1 }
      wire = try IRCWire(lease, self.settings, loop: loop)
      wire.report = { [weak self] report in
        guard let self else { return }
        reports.append(report)
        if case .up = report { ups += 1 }
        guard case .events(let events) = report else { return }
        do { try lease.apply(events) } catch { Issue.record(error) }
      }
    }

    func connect(facts: [String: String] = [:], _ changed: [String: String] = [:]) {
      wire.connect(
        secret: IRCServer.password, settings: settings.merging(changed) { $1 }, facts: facts)
    }

    /// Runs until something holds.
    func run(sourceLocation: SourceLocation = #_sourceLocation, until holds: @escaping () -> Bool) {
      let end = loop.now + 20_000
      func look() {
        if holds() || loop.now > end { return loop.stop() }
        loop.after(milliseconds: 10) { look() }
      }
      loop.after(milliseconds: 0) { look() }
      loop.run()
      #expect(holds(), "\(reports)", sourceLocation: sourceLocation)
    }

    var events: [NetworkEvent] {
      reports.flatMap { report -> [NetworkEvent] in
        if case .events(let events) = report { events } else { [] }
      }
    }

    var notices: [String] {
      events.compactMap { if case .notice(let text) = $0 { text.text } else { nil } }
    }

    /// The values of a fact.
    func facts(_ name: String) -> [String] {
      reports.compactMap { if case .learned(name, let fact) = $0 { fact } else { nil } }
    }

    /// The facts about TLS.
    var promises: [String] { facts("sts") }

    var ends: Int { reports.count { if case .down = $0 { true } else { false } } }

    func ask(_ id: NetworkRequest.ID, _ verb: NetworkRequest.Verb, _ target: String) {
      try? wire.deliver(
        outbox: [], requests: [NetworkRequest(id: id, verb: verb, target: target)], signals: []
      ) { _ in }
    }

    /// Enters a room, as soon as the connection to its network is there.
    func enter(
      _ id: NetworkRequest.ID, _ room: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
      run(sourceLocation: sourceLocation) {
        self.ask(id, .join, room)
        return self.answer(to: id) == ""
      }
    }

    func setAway(_ message: String) throws {
      try store.writeDurably { try $0.setAway(message, of: account.owner) }
    }

    /// The names of those who are in a room.
    func people(in room: String) throws -> [String] {
      let room = try store.writeDurablyIfNeeded {
        try $0.networkRoom(room, network: account.network)
      }
      return try store.read { try $0.people(in: room.id) }.filter {
        $0.isHere && $0.participant.id != account.owner
      }.map(\.participant.name)
    }

    func hears(_ text: String, in room: String) -> Bool {
      events.contains {
        guard case .messageReceived(let message, .room(room)) = $0 else { return false }
        return message.body == text
      }
    }

    /// Whether somebody's presence became unknown.
    var hasLostSome: Bool { events.contains { if case .offline = $0 { true } else { false } } }

    /// Whether old messages of a room were read as such, and not as missed ones.
    func hasPage(of room: String, after count: Int) -> Bool {
      events[count...].contains {
        if case .page(.room(room), _, _) = $0 { true } else { false }
      }
    }

    func answer(to id: NetworkRequest.ID) -> String? {
      events.compactMap {
        if case .answered(let request, let text) = $0, request.id == id { text.text } else { nil }
      }.first
    }
  }

  private func stub(_ change: (inout IRCStub.Options) -> Void) throws -> IRCStub {
    var options = IRCStub.Options()
    change(&options)
    return try IRCStub(options)
  }

  private func owner(at server: IRCStub) throws -> Owner {
    try Owner([
      "port": String(server.securePort), "ca": server.certificates.authority,
    ])
  }

  @Test("a promise of TLS begins anew after a connection, but not after a try that fails")
  func promises() throws {
    let server = try stub { $0.sts = 600 }
    let anna = try owner(at: server)
    anna.connect()
    anna.run { anna.ups == 1 }
    server.kill()
    anna.run { anna.ends == 1 }
    #expect(anna.promises.count == 2)
    let fact = try #require(anna.promises.last)
    // The server is gone; so its promise ends some day.
    for number in 2...3 {
      anna.connect(facts: ["sts": fact], ["tls": "off"])
      anna.run { anna.ends == number }
    }
    #expect(anna.promises.count == 2)
  }

  @Test("behind a bouncer, what was learned on a connection counts after a break")
  func breaks() throws {
    let server = try stub { $0.networks = ["1": ["name": "libera", "state": "connected"]] }
    let anna = try owner(at: server)
    let room = "#new/libera"
    anna.connect()
    anna.run { anna.ups == 1 }
    anna.enter(1, room)
    try server.say(["first"], from: "ben", to: "#new", network: "1")
    anna.run { anna.hears("first", in: room) }
    let count = anna.events.count
    try server.drop()
    anna.run { anna.ends == 1 }
    try server.addHistory(["missed"], from: "ben", to: "#new", network: "1")
    anna.connect()
    anna.run { anna.hears("missed", in: room) }
    // It is what was missed, and not a page of the past.
    #expect(!anna.hasPage(of: room, after: count))
    anna.wire.close()
  }

  @Test(
    "when a bouncer's network goes, only its people do; when it is back, the state of now counts")
  func oneNetworkGoes() throws {
    let server = try stub { $0.networks = ["1": ["name": "libera"], "2": ["name": "oftc"]] }
    let anna = try owner(at: server)
    try server.add(members: ["ben"], to: "#tea", network: "1")
    try server.add(members: ["cem"], to: "#tea", network: "2")
    anna.connect()
    anna.run { anna.ups == 1 }
    anna.enter(1, "#tea/libera")
    anna.enter(2, "#tea/oftc")
    try server.say(["first"], from: "cem", to: "#tea", network: "2")
    anna.run { anna.hears("first", in: "#tea/oftc") }
    #expect(try anna.people(in: "#tea/libera") == ["ben"])
    #expect(try anna.people(in: "#tea/oftc") == ["cem"])
    try server.set(network: "2", nil)
    anna.run { anna.hasLostSome }
    #expect(try anna.people(in: "#tea/libera") == ["ben"])
    #expect(try anna.people(in: "#tea/oftc") == [])
    try server.addHistory(["missed"], from: "cem", to: "#tea", network: "2")
    try anna.setAway("lunch")
    let count = anna.events.count
    try server.set(network: "2", ["name": "oftc"])
    anna.run { anna.hears("missed", in: "#tea/oftc") }
    #expect(!anna.hasPage(of: "#tea/oftc", after: count))
    #expect(try anna.people(in: "#tea/oftc") == ["cem"])
    #expect(try server.lines().contains { $0.line.hasSuffix("AWAY :lunch") })
    anna.wire.close()
    #expect(try anna.people(in: "#tea/libera") == [])
  }

  @Test("a network that the bouncer refuses is left out until it is there, and the others stay")
  func refused() throws {
    let server = try stub { $0.networks = ["1": ["name": "libera"]] }
    let anna = try owner(at: server)
    anna.connect()
    anna.run { anna.ups == 1 }
    let sentence = "The bouncer does not know the network ghost."
    var number: Int64 = 0
    func tries() throws -> Int { try server.lines().count { $0.line == "BOUNCER BIND 9" } }
    for count in 1...2 {
      try server.inject("BOUNCER NETWORK 9 name=ghost", to: "anna")
      anna.run { (try? tries()) == count }
      anna.run {
        number += 1
        anna.ask(number, .join, "#tea/ghost")
        return anna.answer(to: number) == sentence
      }
    }
    #expect(anna.notices == [sentence] && anna.ends == 0 && anna.ups == 1)
    try server.set(network: "9", ["name": "ghost"])
    anna.run { (try? tries()) == 3 }
    anna.enter(1_000, "#tea/ghost")
    anna.enter(1_001, "#tea/libera")
    #expect(anna.notices == [sentence] && anna.ends == 0)
    anna.wire.close()
  }

  @Test("a server that offers no login now is tried again if it did once, maybe to another process")
  func missingServices() throws {
    let server = try stub { _ in }
    let anna = try owner(at: server)
    anna.connect()
    anna.run { anna.ups == 1 }
    anna.wire.close()
    let fact = try #require(anna.facts("sasl").first)
    try server.remove(capability: "sasl")
    for facts in [["sasl": fact], [:]] {
      let anna = try owner(at: server)
      anna.connect(facts: facts)
      anna.run { anna.ends == 1 }
      let isFinal = anna.reports.contains { if case .down(_, true) = $0 { true } else { false } }
      #expect(isFinal == facts.isEmpty)
    }
    // Whoever uses no login learns nothing about it.
    let ben = try owner(at: server)
    ben.connect(["login": "none"])
    ben.run { ben.ups == 1 }
    #expect(ben.facts("sasl") == [])
    ben.wire.close()
  }

  @Test("an address in digits cannot have made a promise of TLS")
  func numericAddress() throws {
    let server = try stub { _ in }
    for (name, isUp) in [("127.0.0.1", true), (IRCServer.name, false)] {
      let anna = try Owner(
        ["port": String(server.port), "tls": "off", "login": "none"], server: name)
      // Nobody answers there.
      anna.connect(facts: ["sts": "1 600000 \(Clock.wall() + 600_000)"])
      anna.run { anna.ups + anna.ends == 1 }
      #expect(anna.ups == (isUp ? 1 : 0))
      anna.wire.close()
    }
  }

  @Test("whoever tries TLS where there is none learns how to connect without it")
  func noTLS() throws {
    let server = try stub { _ in }
    let anna = try Owner(["port": String(server.port)])
    anna.connect()
    anna.run { anna.ends == 1 }
    let reasons = anna.reports.compactMap {
      if case .down(let reason, _) = $0 { reason.text } else { nil }
    }
    #expect(reasons.first?.contains("/account set ADDRESS tls off") == true, "\(reasons)")
  }

  @Test("that the bouncer has lost a network is told once, and that it has it again")
  func losesNetwork() throws {
    let server = try stub { $0.networks = ["1": ["name": "Libera", "state": "connected"]] }
    let anna = try owner(at: server)
    anna.connect()
    anna.run { anna.events.contains { if case .caughtUp = $0 { true } else { false } } }
    for _ in 1...2 { try server.set(network: "1", ["state": "disconnected", "error": "No route"]) }
    for state in ["connecting", "connected"] { try server.set(network: "1", ["state": state]) }
    anna.run { anna.notices.count == 2 }
    #expect(
      anna.notices == [
        "The bouncer is not connected to libera (No route).",
        "The bouncer is connected to libera again.",
      ])
    anna.wire.close()
  }

  @Test("networks of a bouncer that there is no room for are named once, in one sentence")
  func leftOut() throws {
    let server = try stub {
      let libera = ["name": "Libera"]
      $0.networks = ["1": libera, "2": libera, "3": libera, "4": ["name": "oftc"]]
    }
    let anna = try owner(at: server)
    anna.connect()
    anna.run { !anna.notices.isEmpty }
    for id in 1...3 { try server.set(network: String(id), ["state": "connecting"]) }
    try server.set(network: "5", ["name": "oftc"])
    anna.run { anna.notices.count == 2 }
    #expect(
      anna.notices
        == ["Libera, Libera", "oftc"].map {
          "hobnob does not connect to these networks of the bouncer: \($0). It connects to at most 50 networks, and to only one of those with the same name."
        })
    try server.drop()
    anna.run { anna.ends == 1 }
    anna.connect()
    anna.run { anna.ups == 2 }
    anna.ask(1, .join, "#tea/oftc")
    anna.run { anna.answer(to: 1) == "" }
    #expect(anna.notices.count == 2)
    anna.wire.close()
  }

  @Test("settings count from the next connection on")
  func settings() throws {
    let server = try stub { _ in }
    let anna = try owner(at: server)
    anna.connect(["ctcp": "off"])
    anna.run { anna.ups == 1 }
    anna.wire.close()
    anna.connect(["ctcp": "on"])
    anna.run { anna.ups == 2 }
    try server.say(["\u{01}VERSION\u{01}"], from: "ben", to: "anna")
    anna.run { (try? server.lines().contains { $0.line.contains("VERSION hobnob") }) == true }
    anna.wire.close()
  }
}
