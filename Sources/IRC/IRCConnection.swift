// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Platform
import Sentences

/// A connection to an IRC server from the first packet to the last: it logs in, and then passes
/// lines on.
///
/// It cannot be reused: after `down`, make a new one. `down` comes last, and exactly once.
@MainActor
final class IRCConnection {
  enum Event {
    case sawSCRAM(SCRAMHash)
    /// What the server promises about TLS, over TLS.
    case strictTransport(StrictTransport)
    case welcome(Login.Welcome)
    /// A sentence for the account's owner.
    case notice(String)
    /// Lines that arrived together, after the welcome.
    case lines([IRCLine])
    case down(End)
  }

  /// How a connection ended.
  enum End {
    case connection(ConnectionFailure)
    case login(LoginFailure)
    case closed
    /// The server wants TLS, on this port.
    case wantsTLS(port: UInt16)

    var description: String {
      switch self {
      case .connection(let failure): failure.description
      case .login(let failure): failure.description
      case .closed: translated("The server closed the connection.")
      case .wantsTLS: translated("The server wants an encrypted connection.")
      }
    }

    /// Whether the network's services, which know the passwords, may just be away.
    var lacksSASL: Bool { if case .login(.noSASL) = self { true } else { false } }

    var isFatal: Bool {
      switch self {
      case .connection(let failure): failure.isFatal
      case .login(let failure): failure.isFatal
      case .closed, .wantsTLS: false
      }
    }
  }

  /// Milliseconds to log in.
  private static let limit: Milliseconds = 60_000

  private let loop: EventLoop
  private let isSecure: Bool
  private let port: UInt16
  private let handler: (Event) -> Void
  private var connection: Connection?
  private var login: Login
  private var reader = LineReader()
  private var isWelcome = false
  private var isOver = false
  private var timer: TimerID?
  /// Lines that arrived and are not delivered, while nothing is read.
  private var inbox: [IRCLine] = []

  /// - Parameter isSecure: whether to use TLS from the first byte.
  init(
    to domain: String, _ server: ServerSettings, isSecure: Bool, _ settings: Login.Settings,
    loop: EventLoop, names: any NameSource, handler: @escaping (Event) -> Void
  ) {
    (self.loop, self.isSecure, self.handler) = (loop, isSecure, handler)
    let service = Service.irc(isSecure: isSecure)
    port = server.port ?? (isSecure ? service.directPort : service.port)
    login = Login(settings)
    connection = Connection(service, of: domain, server, loop: loop, names: names) {
      [weak self] in self?.handle($0)
    }
  }

  func connect() { connection?.connect() }

  var server: String? { connection?.server }

  /// Whether it reads; while it does not, the server has to wait.
  var isReading = true {
    didSet {
      connection?.isReading = isReading
      if isReading { deliver() }
    }
  }

  func send(_ lines: [IRCLine]) {
    if isOver { return }
    connection?.send(Array(lines.map { $0.text + "\r\n" }.joined().utf8))
  }

  /// Says goodbye; there are no more events.
  func close() {
    if isOver { return }
    if isWelcome { send([IRCLine("QUIT", [""])]) }
    isOver = true
    finish()
  }

  private func finish() {
    if let timer { loop.cancel(timer) }
    connection?.close()
    connection = nil
  }

  private func end(_ end: End) {
    if isOver { return }
    isOver = true
    finish()
    handler(.down(end))
  }

  private func handle(_ event: Connection.Event) {
    if isOver { return }
    switch event {
    case .connected, .secured:
      timer = loop.after(milliseconds: Int(Self.limit)) { [weak self] in
        self?.end(.login(.tooSlow(Self.limit)))
      }
      perform(login.begin())
    case .received(let bytes):
      let skipped = reader.skipped
      inbox += reader.read(bytes)
      if skipped == 0, reader.skipped > 0 {
        handler(
          .notice(
            translated(
              "The server sent a line that is too long to be read. Until it reconnects, hobnob will skip any more of these silently."
            )))
      }
      deliver()
    case .ended(let failure?): end(.connection(failure))
    case .ended(nil): end(.closed)
    }
  }

  private func deliver() {
    while isReading, !isOver, !inbox.isEmpty {
      if isWelcome {
        let lines = inbox
        inbox = []
        for line in lines { perform(login.receiveLater(line)) }
        if !isOver { handler(.lines(lines)) }
      } else {
        perform(login.receive(inbox.removeFirst()))
      }
    }
  }

  private func perform(_ outputs: [Login.Output]) {
    for output in outputs {
      if isOver { return }
      switch output {
      case .send(let line): send([line])
      case .sawSCRAM(let hash): handler(.sawSCRAM(hash))
      case .strictTransport(let value): noteStrictTransport(value)
      case .welcome(let welcome):
        isWelcome = true
        if let timer { loop.cancel(timer) }
        handler(.welcome(welcome))
      case .failed(let failure) where isWelcome: handler(.notice(failure.description))
      case .failed(let failure): end(.login(failure))
      }
    }
  }

  private func noteStrictTransport(_ value: String) {
    if isSecure {
      if let policy = StrictTransport(value, port: port, at: Clock.wall()) {
        handler(.strictTransport(policy))
      }
    } else if let port = StrictTransport.port(in: value) {
      end(.wantsTLS(port: port))
    }
  }
}

extension Service {
  /// RFC 7194 for the port with TLS.
  static func irc(isSecure: Bool) -> Service {
    Service(
      name: "IRC", records: nil, port: 6667, directPort: 6697, isDirectTLS: isSecure,
      protocolName: nil)
  }
}
