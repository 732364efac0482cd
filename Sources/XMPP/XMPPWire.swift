// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Platform

/// An account's connection to its XMPP server. It passes what arrives on the stream to the client,
/// and carries out the client's effects.
@MainActor
package final class XMPPWire: Wire {
  private typealias Stream = ClientStream<OutboxEntry.ID>

  package var report: (WireReport) -> Void = { _ in }
  package var isReading = true {
    didSet {
      if isReading == oldValue { return }
      if isReading {
        client.skip(to: Clock.wall())
        stopped = nil
        tell(.tick)
      } else {
        stopped = Clock.wall()
        stream?.pause()
      }
    }
  }

  private let account: Account
  private let address: Address
  private let loop: EventLoop
  private let names: any NameSource
  private var client: Client
  private let uploader: Uploader
  private var stream: Stream?
  /// Streams that are saying goodbye, by number.
  private var leaving: [Int: Stream] = [:]
  private var timer: TimerID?
  /// When it stopped reading; nil while it reads. Answers that are not read are not late.
  private var stopped: Milliseconds?
  /// Events for the client, in order: all effects of one event are carried out before the next
  /// event.
  private var told: [ClientEvent] = []
  private var isTelling = false
  /// The entries of the outbox that `admit` chose last.
  private var admitted: Set<OutboxEntry.ID> = []
  /// Counts the connections, to distinguish the current one from earlier ones.
  private var connections = 0

  /// - Parameter settings: what the account's owner has set.
  package init(
    _ lease: AccountLease, _ settings: [String: String], loop: EventLoop,
    names: (any NameSource)? = nil
  ) throws {
    let names = names ?? Resolver(loop: loop)
    let account = lease.account
    (self.account, self.loop, self.names) = (account, loop, names)
    address = Address(account.address) ?? Address(domain: account.address)
    var changed: () -> Void = {}
    uploader = Uploader(lease, certificates: settings["ca"], loop: loop, names: names) { changed() }
    client = try lease.read { [address] snapshot in
      Client(
        account: address, settings: settings, marks: try snapshot.catchUpMarks(of: account),
        newest: try snapshot.newestArchived(of: account),
        writtenTo: try snapshot.writtenTo(by: account),
        rooms: try snapshot.roomsJoined(of: account).map {
          WantedRoom(address: $0.key, nick: $0.value)
        },
        away: try snapshot.away(of: account.owner))
    }
    changed = { [weak self] in if let self { show(client.status) } }
  }

  package var server: String? { stream?.server }

  package var isBusy: Bool { uploader.isBusy || client.hasResends }

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
    client.setNick(account["nick"])
    connections += 1
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

  package func admit(_ outbox: [OutboxEntry]) -> Set<OutboxEntry.ID>? {
    admitted = client.admit(outbox, at: stopped ?? Clock.wall())
    return admitted
  }

  package func deliver(
    outbox: [OutboxEntry], requests: [NetworkRequest], signals: [NetworkSignal]
  ) {
    // Handle requests first: a message to a room that one of them enters has to wait for the entry.
    tell(.requests(requests))
    // The client knows the outbox from `admit`. This one may be older by the time it is handled.
    tell(.tried(admitted))
    if !signals.isEmpty { tell(.signals(signals)) }
  }

  package func close() {
    guard let former = stream else { return }
    stream = nil
    leaving[connections] = former
    former.close()
    tell(.givenUp)
  }

  private func handle(_ event: Stream.Event) {
    switch event {
    case .sawSCRAM(let hash): report(.sawSCRAM(hash))
    case .ready(let jid, let features):
      tell(.up(jid: jid, features: features.element))
      report(.up)
    case .stanza(let stanza): tell(.stanza(stanza))
    case .part(let answer): tell(.part(answer))
    case .skipped(let stanza, let bytes): tell(.skipped(stanza, bytes: bytes))
    case .acknowledged(let entries): tell(.acknowledged(entries))
    case .registered: break
    case .down(let end):
      stream = nil
      let isSilent = if case .noAnswer = end { true } else { false }
      tell(isSilent ? .givenUp : .down)
      if case .login(.sasl(.wrongPassword)) = end {
        report(.passwordRefused(reason: end.description))
      } else {
        report(.down(reason: end.description, isFinal: end.isFatal))
      }
    }
  }

  private func tell(_ event: ClientEvent) {
    told.append(event)
    if isTelling { return }
    isTelling = true
    while !told.isEmpty {
      let (now, turn) = (stopped ?? Clock.wall(), connections)
      for effect in client.handle(told.removeFirst(), at: now) {
        // The status of a replaced connection no longer matters.
        if case .status = effect, turn != connections { continue }
        perform(effect, at: now)
      }
    }
    isTelling = false
    // What arrived before reading stopped counts as received only now that it is stored.
    if isReading { stream?.resume() }
  }

  private func perform(_ effect: ClientEffect, at now: Milliseconds) {
    switch effect {
    case .store(let events): report(.events(events))
    case .send(let stanza, let payload): stream?.send(stanza, as: payload)
    case .wantsOutbox: report(.wantsOutbox)
    case .upload(let file):
      uploader.begin(file, server: server) { [weak self] in
        let failure: UploadFailure? = if case .failure(let why) = $0 { why } else { nil }
        self?.tell(.uploaded(file.entry, failure))
      }
    case .cancelUpload(let id): uploader.cancel(id)
    case .status(let status): show(status)
    case .wake(let time):
      loop.schedule(&timer, at: loop.now + max(0, time - now)) { [weak self] in
        if self?.isReading == true { self?.tell(.tick) }
      }
    case .hangUp(let reason):
      close()
      report(.down(reason: reason, isFinal: false))
    }
  }

  private func show(_ status: AccountStatus) {
    // Without a connection, the process shows its own status.
    guard stream != nil else { return }
    report(.status(status.adding(uploader.activity)))
  }
}

extension ServerSettings {
  init(xmpp settings: [String: String]) {
    self.init(settings, isDirectTLS: false)
    isDirectTLS = port == 5223
  }
}
