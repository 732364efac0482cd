// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Platform

/// An account's connection to its IRC server. It passes lines to the client, and carries out the
/// client's effects.
@MainActor
package final class IRCWire: Wire {
  package var report: (WireReport) -> Void = { _ in }
  package var isReading = true {
    didSet {
      if isReading == oldValue { return }
      if isReading { client.skip(to: Clock.wall()) }
      connection?.isReading = isReading
      if isReading { tell(.tick) }
    }
  }

  private let address: IRCAddress
  private let loop: EventLoop
  private let names: any NameSource
  private var client: IRCClient
  private var connection: IRCConnection?
  private var strongest: SCRAMHash?
  private var policy: StrictTransport?
  private var timer: TimerID?
  /// Events for the client, in order: all effects of one event are carried out before the next.
  private var told: [IRCClientEvent] = []
  private var isTelling = false

  /// - Parameter settings: what the account's owner has set.
  package init(
    _ lease: AccountLease, _ settings: [String: String], loop: EventLoop,
    names: (any NameSource)? = nil
  ) throws {
    let account = lease.account
    (self.loop, self.names) = (loop, names ?? Resolver(loop: loop))
    guard let address = IRCAddress(account.address) else {
      throw RuleError.badName(account.address)
    }
    self.address = address
    client = try lease.read { snapshot in
      var start = IRCClient.Start()
      start.rooms = try snapshot.roomsJoined(of: account).keys.sorted()
      start.marks = try snapshot.catchUpMarks(of: account)
      start.proven = try snapshot.provenIdentities(of: account)
      start.contacts = try snapshot.contacts(of: account).map(\.participant.identity)
      start.away = try snapshot.away(of: account.owner)
      start.settings = settings
      return IRCClient(start)
    }
  }

  package var server: String? { connection?.server }

  package func connect(secret: String, settings: [String: String], facts: [String: String]) {
    strongest = facts["scram"].map { SCRAMHash(rawValue: $0) ?? .sha1 }
    policy = StrictTransport(facts["sts"])
    if let end = policy?.end, end < Clock.wall() { policy = nil }
    let isSecure = settings["tls"] != "off" || policy != nil
    connect(secret, settings, isSecure: isSecure, port: nil)
  }

  private func connect(
    _ secret: String, _ settings: [String: String], isSecure: Bool, port: UInt16?
  ) {
    var login = Login.Settings(address, settings, password: secret)
    (login.strongest, login.isSecure) = (strongest, isSecure)
    let isPlainWanted = settings["tls"] == "off"
    // The owner's port is the one without TLS.
    let ownPort = isPlainWanted && isSecure ? policy?.port : settings["port"].flatMap { UInt16($0) }
    let server = ServerSettings(
      host: settings["host"], port: port ?? ownPort, isDirectTLS: isSecure,
      authorities: settings["ca"], pin: settings["pin"]?.lowercased())
    var current: IRCConnection?
    let connection = IRCConnection(
      to: address.server, server, isSecure: isSecure, login, loop: loop, names: names
    ) { [weak self] event in
      guard let self, let current, self.connection === current else { return }
      if case .down(.wantsTLS(let port)) = event {
        // The policy comes from a connection that anybody may have changed: only the port counts,
        // and without a good certificate there the try has failed.
        return connect(secret, settings, isSecure: true, port: port)
      }
      handle(event)
    }
    current = connection
    self.connection = connection
    if !isReading { connection.isReading = false }
    connection.connect()
  }

  package func admit(_ outbox: [OutboxEntry]) -> Set<OutboxEntry.ID>? {
    client.admit(outbox, at: Clock.wall())
  }

  package func deliver(
    outbox: [OutboxEntry], requests: [NetworkRequest], signals: [NetworkSignal]
  ) {
    // Handle requests first: a message to a room that one of them enters has to wait for the entry.
    tell(.requests(requests))
    tell(.outbox(outbox))
    if !signals.isEmpty { tell(.signals(signals)) }
  }

  package func close() {
    guard let former = connection else { return }
    connection = nil
    former.close()
    renewPolicy()
    tell(.down)
  }

  /// The time for which the server can be reached with TLS begins anew at the end of a connection.
  private func renewPolicy() {
    guard var renewed = policy else { return }
    renewed.end = Clock.wall() + renewed.duration
    if renewed == policy { return }
    policy = renewed
    report(.learned("sts", renewed.fact))
  }

  private func handle(_ event: IRCConnection.Event) {
    switch event {
    case .sawSCRAM(let hash):
      if let strongest, strongest >= hash { return }
      strongest = hash
      report(.learned("scram", hash.mechanism))
    case .strictTransport(let new):
      policy = new
      report(.learned("sts", new.fact))
    case .welcome(let welcome): tell(.up(welcome))
    case .lines(let lines): tell(.lines(lines))
    case .down(let end):
      connection = nil
      renewPolicy()
      tell(.down)
      if case .login(.sasl(.wrongPassword)) = end {
        report(.passwordRefused(reason: end.description))
      } else {
        report(.down(reason: end.description, isFinal: end.isFatal))
      }
    }
  }

  private func tell(_ event: IRCClientEvent) {
    told.append(event)
    if isTelling { return }
    isTelling = true
    while !told.isEmpty {
      let now = Clock.wall()
      for effect in client.handle(told.removeFirst(), at: now) { perform(effect, at: now) }
    }
    isTelling = false
  }

  private func perform(_ effect: IRCClientEffect, at now: Milliseconds) {
    switch effect {
    case .store(let events): report(.events(events))
    case .send(let lines): connection?.send(lines)
    case .ready: report(.up)
    case .wantsOutbox: report(.wantsOutbox)
    case .status(let status): if connection != nil { report(.status(status)) }
    case .wake(let time):
      loop.schedule(&timer, at: loop.now + max(0, time - now)) { [weak self] in
        if self?.isReading == true { self?.tell(.tick) }
      }
    case .hangUp(let reason):
      guard connection != nil else { return }
      close()
      report(.down(reason: reason, isFinal: false))
    }
  }
}
