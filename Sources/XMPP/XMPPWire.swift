// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Networks
import Platform

/// An account's connection to its XMPP server: what the stream brings goes into the client, and what
/// the client wants is done.
@MainActor
package final class XMPPWire: Wire {
  private typealias Stream = ClientStream<OutboxEntry.ID>

  package var report: (WireReport) -> Void = { _ in }
  package var isReading = true {
    didSet {
      if isReading == oldValue { return }
      if isReading { stream?.resume() } else { stream?.pause() }
    }
  }

  private let account: Account
  private let address: Address
  private let loop: EventLoop
  private var client: Client
  private var stream: Stream?
  private var hasSeenSCRAM: Bool
  private var timer: TimerID?
  /// How many there were, to tell the present one from those before it.
  private var connections = 0

  /// - Throws: `StoreError`.
  package init(_ account: Account, in store: Store, loop: EventLoop) throws {
    (self.account, self.loop) = (account, loop)
    address = Address(account.address) ?? Address(domain: account.address)
    hasSeenSCRAM = account.settings["scram"] != nil
    let rooms = try store.roomsJoined(of: account)
    client = Client(
      account: address, settings: account.settings, marks: try store.catchUpMarks(of: account),
      rooms: rooms.map { WantedRoom(address: $0.key, nick: $0.value) })
  }

  package func connect(secret: String, settings account: [String: String]) {
    let settings = Stream.Settings(
      login: Negotiation.Settings(
        address: address, password: Secret(secret), hasSeenSCRAM: hasSeenSCRAM),
      place: ServerPlace(account))
    connections += 1
    let stream = Stream(loop: loop, settings: settings) { [weak self, connections] event in
      // Of a connection that was closed nothing is news.
      if let self, self.connections == connections, self.stream != nil { hear(event) }
    }
    self.stream = stream
    if !isReading { stream.pause() }
    stream.connect()
  }

  package func take(
    outbox: [OutboxEntry], requests: [NetworkRequest], signals: [NetworkSignal]
  ) {
    // A message to a room that is being entered waits for that.
    tell(.requests(requests))
    tell(.outbox(outbox))
    if !signals.isEmpty { tell(.signals(signals)) }
  }

  package func close() {
    guard let former = stream else { return }
    stream = nil
    former.close()
    tell(.down)
  }

  private func hear(_ event: Stream.Event) {
    switch event {
    case .sawSCRAM:
      if hasSeenSCRAM { return }
      hasSeenSCRAM = true
      report(.learned("scram", "seen"))
    case .ready(let jid, let features):
      tell(.up(jid: jid, features: features.element))
      report(.up)
    case .stanza(let stanza): tell(.stanza(stanza))
    case .acknowledged(let entries): tell(.acknowledged(entries))
    case .registered, .drained: break
    case .down(let end): down(end.description, isFinal: end.isFatal)
    }
  }

  private func down(_ reason: String, isFinal: Bool) {
    stream = nil
    tell(.down)
    report(.down(reason: reason, isFinal: isFinal))
  }

  private func tell(_ event: ClientEvent) {
    let now = Store.wallClock()
    for effect in client.handle(event, at: now) {
      switch effect {
      case .store(let news): report(.news(news))
      case .send(let stanza, let payload): stream?.send(stanza, as: payload)
      case .status(let status): report(.status(status.words))
      case .learned(let name, let value): report(.learned(name, value))
      case .wake(let time):
        loop.schedule(&timer, at: loop.now + max(0, time - now)) { [weak self] in
          self?.tell(.tick)
        }
      case .hangUp(let reason):
        close()
        report(.down(reason: reason, isFinal: false))
      }
    }
  }
}

extension ServerPlace {
  /// As `/account add` and `/account set` say.
  init(_ settings: [String: String]) {
    let port = settings["port"].flatMap { UInt16($0) }
    self.init(
      host: settings["host"], port: port, isDirectTLS: port == 5223, authorities: settings["ca"],
      pin: settings["pin"]?.lowercased())
  }
}

extension ClientStatus {
  /// For the status line; empty where all is well.
  var words: String {
    switch self {
    case .connecting: "connecting"
    case .catchingUp(let messages): "catching up " + grouped(messages)
    case .entering(let rooms): rooms == 1 ? "entering a room" : "entering \(rooms) rooms"
    case .ready: ""
    }
  }
}

/// `1,204`.
private func grouped(_ number: Int) -> String {
  var digits = Array(String(number))
  for place in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: place) }
  return String(digits)
}
