// SPDX-License-Identifier: GPL-3.0-or-later
import Networks

@testable import IRC

/// A login, and a server whose lines the test writes.
struct LoginTalk {
  private var login: Login
  /// Lines that went out since the last `takeSent`.
  private var sent: [String] = []
  private(set) var failure: LoginFailure?
  private(set) var welcome: Login.Welcome?
  private(set) var sawSCRAM: [SCRAMHash] = []
  /// The values of `sts`.
  private(set) var policies: [String] = []

  static let password = "correct horse"

  init(
    _ method: Login.Method = .auto, password: String = Self.password, isSecure: Bool = true,
    strongest: SCRAMHash? = nil, network: String? = nil, server: String = "irc.example"
  ) {
    var settings = Login.Settings(
      IRCAddress("anna@" + server)!, ["realname": "Anna K"], password: password)
    (settings.method, settings.isSecure) = (method, isSecure)
    (settings.strongest, settings.bouncerNetwork) = (strongest, network)
    login = Login(settings)
    perform(login.begin())
  }

  private mutating func perform(_ outputs: [Login.Output]) {
    for output in outputs {
      // Whoever has failed does nothing more.
      if failure != nil { return }
      switch output {
      case .send(let line): sent.append(line.text)
      case .sawSCRAM(let hash): sawSCRAM.append(hash)
      case .strictTransport(let value): policies.append(value)
      case .welcome(let welcome): self.welcome = welcome
      case .failed(let failure): self.failure = failure
      }
    }
  }

  mutating func receive(_ lines: String...) {
    for line in lines.compactMap({ IRCLine($0) }) where failure == nil {
      perform(login.receive(line))
    }
  }

  mutating func takeSent() -> [String] {
    defer { sent = [] }
    return sent
  }

  /// Offers capabilities and agrees to those that the client asks for.
  mutating func agree(to capabilities: String) {
    receive(":srv CAP * LS :\(capabilities)")
    let request = "CAP REQ "
    let (requests, others) = (
      sent.filter { $0.hasPrefix(request) }, sent.filter { !$0.hasPrefix(request) }
    )
    // What followed the first lines.
    sent = Array(others.dropFirst(3))
    for line in requests { receive(":srv CAP anna ACK \(line.dropFirst(request.count))") }
  }
}
