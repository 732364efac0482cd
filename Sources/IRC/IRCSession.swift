// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Platform
import Sentences

/// A client with its connection: the account's own, or one to a network behind a bouncer. It logs
/// in, passes lines to the client, and carries out the client's effects.
///
/// It outlives a connection: after a break, the client still knows what it knew before.
@MainActor
final class IRCSession {
  enum Report {
    case wire(WireReport)
    /// The bouncer has a network with this id and these facts; nil if it no longer has it.
    case network(String, [String: String]?)
    /// The bouncer has listed all its networks.
    case listedNetworks
    /// The connection has ended by itself.
    case down(LoginFailure)
  }

  /// Where and how to connect.
  struct Target {
    var server: ServerSettings
    var login: Login.Settings
    /// The options that the owner has set.
    var settings: [String: String]
    /// The fact `keys`; see `IRCClient.prepare`.
    var keys: String?
  }

  /// Milliseconds to log in.
  private static let limit: Milliseconds = 60_000

  private let domain: String
  private let loop: EventLoop
  private let names: any NameSource
  private let report: (Report) -> Void
  let pump: Pump<IRCClient>
  private var connection: Connection?
  private var port: UInt16 = 0
  private var login: Login?
  private var reader = LineReader()
  /// Lines that have arrived but are not delivered, because reading is paused.
  private var inbox: [IRCLine] = []
  private var loginTimer: TimerID?

  init(
    _ client: IRCClient, domain: String, loop: EventLoop, names: any NameSource,
    report: @escaping (Report) -> Void
  ) {
    (self.domain, self.loop, self.names, self.report) = (domain, loop, names, report)
    pump = Pump(client, loop: loop)
    pump.report = { [weak self] in self?.pass($0) }
    pump.act = { [weak self] in self?.perform($0) }
  }

  var server: String? { connection?.server }
  /// The state of the connection as last reported.
  private(set) var status = AccountStatus.connecting
  var offersNetworks: Bool { pump.client.offersNetworks }
  var isOpen: Bool { connection != nil }
  var isSending: Bool { pump.client.isSending }

  /// Whether it reads from the connection. While it does not, the server has to wait.
  var isReading: Bool {
    get { pump.isReading }
    set {
      pump.isReading = newValue
      connection?.isReading = pump.isReading
      deliver()
    }
  }

  // MARK: The connection

  func connect(to target: Target) {
    pump.client.prepare(target.settings, keys: target.keys)
    (login, reader, inbox, status) = (Login(target.login), LineReader(), [], .connecting)
    let service = Service.irc(isSecure: target.login.isSecure)
    port = target.server.port ?? service.directPort
    let connection = Connection(service, of: domain, target.server, loop: loop, names: names) {
      [weak self] in self?.handle($0)
    }
    self.connection = connection
    connection.isReading = isReading
    connection.connect()
  }

  /// Ends the connection, without a report.
  func close() {
    guard let former = connection else { return }
    if login?.isWelcome == true { send([IRCLine("QUIT", [""])]) }
    connection = nil
    loop.schedule(&loginTimer, at: nil) {}
    former.close()
    pump.end(with: .down)
  }

  private func end(_ reason: LoginFailure) {
    guard isOpen else { return }
    close()
    report(.down(reason))
  }

  private func send(_ lines: [IRCLine]) {
    connection?.send(Array(lines.map { $0.text + "\r\n" }.joined().utf8))
  }

  private func show(_ notice: Remark) { report(.wire(.events([.notice(notice)]))) }

  private func handle(_ event: Connection.Event) {
    switch event {
    case .connected, .secured:
      loop.schedule(&loginTimer, at: loop.now + Self.limit) { [weak self] in
        self?.end(.tooSlow(Self.limit))
      }
      perform(login?.begin() ?? [])
    case .received(let bytes):
      let skipped = reader.skipped
      inbox += reader.read(bytes)
      if skipped == 0, reader.skipped > 0 {
        show(
          translated(
            "hobnob skipped a line from the server that was too long. Until the next connection, it skips others without telling you."
          ))
      }
      deliver()
    case .ended(let failure): end(failure.map { .connection($0) } ?? .closed(""))
    }
  }

  private func deliver() {
    while isReading, isOpen, !inbox.isEmpty {
      guard login?.isWelcome == true else {
        perform(login?.receive(inbox.removeFirst()) ?? [])
        continue
      }
      let lines = inbox
      inbox = []
      for line in lines { perform(login?.receive(line) ?? []) }
      if isOpen { pump.tell(.lines(lines)) }
    }
  }

  private func perform(_ outputs: [Login.Output]) {
    for output in outputs where isOpen {
      switch output {
      case .send(let line): send([line])
      case .sawSCRAM(let hash): report(.wire(.sawSCRAM(hash)))
      case .strictTransport(let value):
        let policy = StrictTransport(value, port: port, at: Clock.wall())
        if let policy { report(.wire(.learned("sts", policy.fact))) }
      case .welcome(let welcome):
        loop.schedule(&loginTimer, at: nil) {}
        pump.tell(.up(welcome))
      case .failed(.wantsTLS(let port)): end(.wantsTLS(port: port))
      case .failed(let failure) where login?.isWelcome == true: show(failure.remark)
      case .failed(let failure): end(failure)
      }
    }
  }

  // MARK: The client

  private func pass(_ report: WireReport) {
    if case .status(let status) = report { self.status = status }
    self.report(.wire(report))
  }

  private func perform(_ act: SessionAct) {
    switch act {
    case .send(let lines): send(lines)
    case .ready: report(.wire(.up))
    case .network(let id, let facts): report(.network(id, facts))
    case .listedNetworks: report(.listedNetworks)
    case .hangUp(let reason): end(.hungUp(reason))
    }
  }
}

extension Service {
  /// RFC 7194 for the port with TLS.
  fileprivate static func irc(isSecure: Bool) -> Service {
    Service(
      name: "IRC", records: nil, port: 6667, directPort: 6697, isDirectTLS: isSecure,
      protocolName: nil)
  }
}
