// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Platform
import Sentences

/// An account's connection to its XMPP server. It passes what arrives on the stream to the client,
/// and carries out the client's effects.
@MainActor
package final class XMPPWire: Wire {
  private typealias Stream = ClientStream<OutboxEntry.ID>

  package var report: (WireReport) -> Void = { _ in }
  package var isReading: Bool {
    get { pump.isReading }
    set {
      pump.isReading = newValue
      if !pump.isReading { stream?.pause() }
    }
  }

  private let address: Address
  private let loop: EventLoop
  private let names: any NameSource
  private let pump: Pump<Client>
  /// Nil if nothing is encrypted.
  private let keys: KeyKeeper?
  private var stream: Stream?
  /// Streams that are saying goodbye, by number.
  private var leaving: [Int: Stream] = [:]
  /// Counts the connections, to distinguish the current one from earlier ones.
  private var connections = 0

  /// - Parameters:
  ///   - settings: what the account's owner has set.
  ///   - keys: the file of keys; nil to encrypt nothing.
  package init(
    _ lease: AccountLease, _ settings: [String: String], loop: EventLoop,
    names: (any NameSource)? = nil, keys: KeyKeeper? = nil
  ) throws {
    let account = lease.account
    self.keys = keys
    (self.loop, self.names) = (loop, names ?? Resolver(loop: loop))
    address = Address(account.address) ?? Address(domain: account.address)
    let client = try lease.read { [address] snapshot in
      Client(
        account: address, settings: settings, marks: try snapshot.catchUpMarks(of: account),
        newest: try snapshot.newestArchived(of: account),
        writtenTo: try snapshot.writtenTo(by: account),
        rooms: try snapshot.roomsJoined(of: account).map {
          WantedRoom(address: $0.key, nick: $0.value)
        },
        away: try snapshot.away(of: account.owner), encryption: keys?.encryption)
    }
    pump = Pump(client, loop: loop)
    pump.report = { [weak self] in self?.report($0) }
    pump.act = { [weak self] in self?.perform($0) }
    // What has arrived counts as received only when it is stored.
    pump.settled = { [weak self] in self?.stream?.resume() }
  }

  package var server: String? { stream?.server }

  package var isBusy: Bool { pump.client.hasResends }

  package func connect(
    secret: String, settings account: [String: String], facts: [String: String]
  ) {
    var settings = Stream.Settings(
      login: Negotiation.Settings(
        address: address, password: Secret(secret), strongest: SCRAMHash(fact: facts["scram"])),
      server: ServerSettings(xmpp: account))
    if let seconds = account["keep-alive"].flatMap({ Int64($0) }), seconds > 0 {
      settings.quiet = min(seconds, 86_400) * 1_000
      settings.patience = min(settings.quiet, settings.patience)
    }
    pump.client.setNick(account["nick"])
    connections += 1
    // Nothing goes out that relies on keys which are not kept.
    if let reason = keysFailed({ try keys?.keepAgain() }) {
      loop.after(milliseconds: 0) { [weak self] in
        self?.report(.down(reason: reason, isFinal: false))
      }
      return
    }
    let stream = Stream(loop: loop, settings: settings, names: names) {
      [weak self, connections] event in
      // Events of a closed connection no longer matter.
      guard let self else { return }
      if case .down = event { leaving[connections] = nil }
      if self.connections == connections, self.stream != nil { handle(event) }
    }
    self.stream = stream
    if !isReading { stream.pause() }
    stream.connect()
  }

  package func deliver(
    outbox: [OutboxEntry], requests: [NetworkRequest], signals: [NetworkSignal],
    noteTried: (Set<OutboxEntry.ID>) throws -> Void
  ) throws {
    let chosen = pump.admit(outbox)
    try noteTried(chosen)
    pump.deliver(requests, tried: chosen, signals)
  }

  package func close() {
    guard let former = stream else { return }
    stream = nil
    leaving[connections] = former
    former.close()
    pump.end(with: .givenUp)
  }

  private func handle(_ event: Stream.Event) {
    switch event {
    case .sawSCRAM(let hash): report(.sawSCRAM(hash))
    case .ready(let jid, let features):
      pump.tell(.up(jid: jid, features: features.element))
      report(.up)
    case .stanzas(let stanzas): pump.tell(.stanzas(stanzas))
    case .part(let answer): pump.tell(.part(answer))
    case .skipped(let stanza, let bytes): pump.tell(.skipped(stanza, bytes: bytes))
    case .acknowledged(let entries): pump.tell(.acknowledged(entries))
    case .registered: break
    case .down(let end):
      stream = nil
      let isSilent = if case .noAnswer = end { true } else { false }
      pump.end(with: isSilent ? .givenUp : .down)
      if case .login(.sasl(.wrongPassword)) = end {
        report(.passwordRefused(reason: end.remark))
      } else {
        report(.down(reason: end.remark, isFinal: end.isFatal))
      }
    }
  }

  private func perform(_ act: WireAct) {
    switch act {
    case .send(let stanza, let payload): stream?.send(stanza, as: payload)
    case .keep(let update):
      guard let reason = keysFailed({ try keys?.keep(update) }) else { return }
      close()
      report(.down(reason: reason, isFinal: false))
    case .hangUp(let reason):
      close()
      report(.down(reason: reason, isFinal: false))
    }
  }
}

extension XMPPWire {
  /// Why keys could not be kept; nil if they are.
  private func keysFailed(_ keep: () throws -> Void) -> Remark? {
    do {
      try keep()
      return nil
    } catch {
      return filled(
        (
          "hobnob cannot keep the keys of encrypted chats: %1. It connects again once it can.",
          [Remark(of: error)]
        ))
    }
  }
}

extension ServerSettings {
  init(xmpp settings: [String: String]) {
    self.init(settings, isDirectTLS: false)
    isDirectTLS = port == 5223
  }
}
