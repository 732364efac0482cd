// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Platform
import Sentences

/// A client with its connection: the account's own, or one to a network behind a bouncer. It passes
/// lines to the client, and carries out the client's effects.
@MainActor
final class IRCSession {
  enum Report {
    case wire(WireReport)
    case strictTransport(StrictTransport)
    case sawSCRAM(SCRAMHash)
    case network(String, [String: String]?)
    case listedNetworks
    case keys([String: String])
    case upload(FileUpload)
    case cancelUpload(OutboxEntry.ID)
    case down(IRCConnection.End)
    case hungUp(String)
  }

  /// How to connect.
  struct Target {
    var domain: String
    var server: ServerSettings
    var isSecure: Bool
    var login: Login.Settings
    /// The passwords of rooms, by address.
    var keys: [String: String] = [:]
  }

  private let loop: EventLoop
  private let names: any NameSource
  private let report: (Report) -> Void
  private var client: IRCClient
  private var connection: IRCConnection?
  private var timer: TimerID?
  /// Events for the client, in order: all effects of one event are carried out before the next.
  private var told: [IRCClientEvent] = []
  private var isTelling = false
  private var admitted: Set<OutboxEntry.ID> = []

  init(
    _ client: IRCClient, loop: EventLoop, names: any NameSource,
    report: @escaping (Report) -> Void
  ) {
    (self.client, self.loop, self.names, self.report) = (client, loop, names, report)
  }

  var server: String? { connection?.server }
  var status: AccountStatus { client.status }
  var isBouncer: Bool { client.isBouncer }

  var isReading = true {
    didSet {
      if isReading == oldValue { return }
      if isReading { client.skip(to: Clock.wall()) }
      connection?.isReading = isReading
      if isReading { tell(.tick) }
    }
  }

  func connect(to target: Target) {
    client.note(keys: target.keys)
    var current: IRCConnection?
    let connection = IRCConnection(
      to: target.domain, target.server, isSecure: target.isSecure, target.login, loop: loop,
      names: names
    ) { [weak self] event in
      guard let self, let current, self.connection === current else { return }
      handle(event)
    }
    current = connection
    self.connection = connection
    if !isReading { connection.isReading = false }
    connection.connect()
  }

  func admit(_ outbox: [OutboxEntry]) -> Set<OutboxEntry.ID> {
    admitted = client.admit(outbox, at: Clock.wall())
    return admitted
  }

  /// Call this when the store has recorded the entries that were chosen last as tried.
  func noteTried() { tell(.tried(admitted)) }

  /// Ends the connection, without a report.
  ///
  /// - Returns: whether there was one.
  @discardableResult
  func close() -> Bool {
    guard let former = connection else { return false }
    connection = nil
    former.close()
    tell(.down)
    return true
  }

  private func handle(_ event: IRCConnection.Event) {
    switch event {
    case .sawSCRAM(let hash): report(.sawSCRAM(hash))
    case .strictTransport(let policy): report(.strictTransport(policy))
    case .welcome(let welcome): tell(.up(welcome))
    case .lines(let lines): tell(.lines(lines))
    case .notice(let sentence): report(.wire(.events([.notice(sentence)])))
    case .down(let end):
      connection = nil
      tell(.down)
      report(.down(end))
    }
  }

  func tell(_ event: IRCClientEvent) {
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
    case .store(let events): report(.wire(.events(events)))
    case .send(let lines): connection?.send(lines)
    case .ready: report(.wire(.up))
    case .wantsOutbox: report(.wire(.wantsOutbox))
    case .status(let status): if connection != nil { report(.wire(.status(status))) }
    case .network(let id, let facts): report(.network(id, facts))
    case .listedNetworks: report(.listedNetworks)
    case .keys(let keys): report(.keys(keys))
    case .upload(let file): report(.upload(file))
    case .cancelUpload(let id): report(.cancelUpload(id))
    case .wake(let time):
      loop.schedule(&timer, at: loop.now + max(0, time - now)) { [weak self] in
        if self?.isReading == true { self?.tell(.tick) }
      }
    case .hangUp(let reason): if close() { report(.hungUp(reason)) }
    }
  }
}
