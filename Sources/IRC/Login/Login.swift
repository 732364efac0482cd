// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Networks
import Platform

/// The login as a value, from the first line to the server's welcome: capabilities, SASL, nick.
///
/// ```swift
/// var login = Login(settings)
/// for output in login.begin() { … }
/// for output in login.receive(line) { … }
/// ```
struct Login: Sendable {
  /// How to log in to an account of the network.
  enum Method: String, Hashable, Sendable, CaseIterable {
    /// The strongest method with a password that the server offers.
    case auto
    case none
    case plain
    case scram = "scram-sha-256"
    /// With the client's certificate.
    case external
    /// The password is the server's or the bouncer's (PASS).
    case pass
  }

  struct Settings: Sendable {
    var nick: String
    var user: String
    var realName: String
    /// The account's name for SASL.
    var account: String
    /// Empty for none.
    var password: Secret
    var method = Method.auto
    /// The strongest SCRAM that the server has ever offered.
    var strongest: SCRAMHash?
    var isSecure = true
    /// Whether a promise of TLS counts (IRCv3 STS).
    var heedsStrictTransport = true
    /// The bouncer's network to attach this connection to.
    var bouncerNetwork: String?

    var wantsSASL: Bool {
      switch method {
      case .none, .pass: false
      case .external: true
      case .auto, .plain, .scram: !password.text.isEmpty
      }
    }
  }

  /// What the login has settled when the server lets us in.
  struct Welcome: Hashable, Sendable {
    var nick: String
    var capabilities: Capabilities
    /// The wanted nick, if somebody else has it.
    var wantedNick: String?
    /// The account that we are logged in to.
    var account: String?
  }

  enum Output: Sendable {
    case send(IRCLine)
    case sawSCRAM(SCRAMHash)
    /// The value of `sts` over TLS.
    case strictTransport(String)
    case welcome(Welcome)
    case failed(LoginFailure)
  }

  /// Whether the server has let us in.
  private(set) var isWelcome = false
  private var settings: Settings
  private var capabilities = Capabilities()
  private var nick: String
  private var takenNicks = 0
  /// How many requests for capabilities the server has not answered.
  private var openRequests = 0
  private var isNegotiating = true
  /// Whether the list of what the server offers is complete.
  private var isListed = false
  private var hasAccount = false
  /// The name of that account, if the server has named it.
  private var account: String?
  private var exchange: SASLExchange
  private var isAuthenticating = false
  /// The initial response, until the server asks for it.
  private var response: [UInt8]?
  /// The parts so far of a challenge in several lines (400 bytes each).
  private var challenge = ""

  init(_ settings: Settings) {
    self.settings = settings
    nick = settings.nick
    exchange = Self.newExchange(settings)
  }

  private static func newExchange(_ settings: Settings) -> SASLExchange {
    SASLExchange(
      name: settings.account, password: settings.password,
      strongest: settings.method == .plain ? nil : settings.strongest)
  }

  private var wantsSASL: Bool { settings.wantsSASL }

  /// Whether the account is on a bouncer. There a later login would go to the network behind the
  /// bouncer, with the wrong password.
  private var isOnBouncer: Bool {
    settings.bouncerNetwork != nil || capabilities.has(Capabilities.networks)
  }

  /// The first lines.
  mutating func begin() -> [Output] {
    if !settings.password.text.isEmpty, settings.method != .none, !settings.isSecure {
      return [.failed(.notEncrypted)]
    }
    var lines = [IRCLine("CAP", ["LS", "302"])]
    if settings.method == .pass, !settings.password.text.isEmpty {
      lines.append(IRCLine("PASS", [settings.password.text]))
    }
    lines.append(IRCLine("NICK", [nick]))
    lines.append(IRCLine("USER", [settings.user, "0", "*", settings.realName]))
    return lines.map { .send($0) }
  }

  /// Reacts to a line of the server.
  mutating func receive(_ line: IRCLine) -> [Output] {
    isWelcome ? receiveLater(line) : receiveEarly(line)
  }

  private mutating func receiveEarly(_ line: IRCLine) -> [Output] {
    switch line.command {
    case "CAP": return receiveCapabilities(line)
    case "AUTHENTICATE": return receiveChallenge(line[0])
    case "PING": return [.send(IRCLine("PONG", line.parameters))]
    case "ERROR": return [.failed(.closed(line.parameters.last ?? ""))]
    case "FAIL" where line[0] == "BOUNCER":
      return [.failed(.unknownNetwork(settings.bouncerNetwork ?? ""))]
    case "001":
      // A server without capabilities skips SASL; one that has begun a login must finish it.
      if wantsSASL, !hasAccount { return [.failed(isAuthenticating ? .sasl(.broken) : .noSASL)] }
      isWelcome = true
      return [
        .welcome(
          Welcome(
            nick: line[0].isEmpty ? nick : line[0], capabilities: capabilities,
            wantedNick: takenNicks > 0 ? settings.nick : nil,
            account: hasAccount && !isOnBouncer ? account ?? settings.account : nil))
      ]
    case "432": return [.failed(.badNick(nick))]
    case "433", "436", "437": return tryAnotherNick()
    case "464": return [.failed(.sasl(.wrongPassword))]
    case "465": return [.failed(.banned(line.parameters.last ?? ""))]
    // While SASL runs, only its end counts: with SCRAM the server must still prove itself.
    case "900":
      account = line[2].isEmpty ? nil : line[2]
      hasAccount = hasAccount || !wantsSASL
    case "903", "907": return finishSASL()
    // This also says that the mechanism is not offered.
    case "904" where settings.method != .external: return [.failed(.sasl(.wrongPassword))]
    case "902", "904", "905", "906": return [.failed(.sasl(.refused(line.parameters.last ?? "")))]
    case "908":
      return [.failed(.sasl(.noMechanism(line[1].split(separator: ",").map(String.init))))]
    default: break
    }
    return []
  }

  /// Reacts to a line after the welcome: logs in again when the network's services have come back.
  /// If that fails, the connection stays.
  private mutating func receiveLater(_ line: IRCLine) -> [Output] {
    let list = line.parameters.last ?? ""
    switch (line.command, line[1].uppercased()) {
    // While a login runs, only its end counts.
    case ("900", _): hasAccount = hasAccount || !isAuthenticating
    case ("901", _): hasAccount = false
    case ("CAP", "NEW"):
      let isBack = Capabilities.names(list).contains(Capabilities.sasl)
      return receiveEarly(line)
        + (isBack && wantsSASL && !hasAccount && !isOnBouncer
          ? [.send(IRCLine("CAP", ["REQ", Capabilities.sasl]))] : [])
    case ("CAP", "ACK") where Capabilities.names(list).contains(Capabilities.sasl):
      capabilities.enable(list)
      exchange = Self.newExchange(settings)
      return hasAccount ? [] : continueAfterCapabilities()
    case ("AUTHENTICATE", _) where isAuthenticating: return receiveChallenge(line[0])
    case ("902", _), ("903", _), ("904", _), ("905", _), ("906", _), ("907", _), ("908", _):
      guard isAuthenticating else { return [] }
      defer { isAuthenticating = false }
      return receiveEarly(line)
    default: break
    }
    return []
  }

  // MARK: Capabilities

  private mutating func receiveCapabilities(_ line: IRCLine) -> [Output] {
    switch line[1].uppercased() {
    case "LS":
      if isListed { return [] }
      capabilities.offer(line.parameters.last ?? "")
      if line[2] == "*", line.parameters.count > 3 { return [] }
      isListed = true
      let requests = capabilities.requestLines(withSASL: wantsSASL)
      openRequests = requests.count
      return strictTransport() + requests.map { .send($0) }
        + (requests.isEmpty ? continueAfterCapabilities() : [])
    case "ACK":
      capabilities.enable(line.parameters.last ?? "")
      return noteAnswer()
    case "NAK": return requestOneByOne(line.parameters.last ?? "") + noteAnswer()
    case "NEW":
      let list = line.parameters.last ?? ""
      capabilities.offer(list)
      return Capabilities.names(list).contains(Capabilities.sts) ? strictTransport() : []
    case "DEL": capabilities.withdraw(line.parameters.last ?? "")
    default: break
    }
    return []
  }

  /// Over TLS, records the server's promise of TLS; without TLS, reconnects with it.
  private func strictTransport() -> [Output] {
    guard settings.heedsStrictTransport, let policy = capabilities.offered[Capabilities.sts] else {
      return []
    }
    if settings.isSecure { return [.strictTransport(policy)] }
    return StrictTransport.port(in: policy).map { [.failed(.wantsTLS(port: $0))] } ?? []
  }

  /// A server refuses a whole list because of one name, so this requests each name by itself.
  private mutating func requestOneByOne(_ refused: String) -> [Output] {
    let names = refused.split(separator: " ").map(String.init)
    guard names.count > 1, openRequests > 0 else { return [] }
    openRequests += names.count
    return names.map { .send(IRCLine("CAP", ["REQ", $0])) }
  }

  private mutating func noteAnswer() -> [Output] {
    guard openRequests > 0 else { return [] }
    openRequests -= 1
    return openRequests == 0 ? continueAfterCapabilities() : []
  }

  private mutating func continueAfterCapabilities() -> [Output] {
    guard wantsSASL else { return endNegotiation() }
    guard capabilities.has(Capabilities.sasl) else { return [.failed(.noSASL)] }
    let value = capabilities.offered[Capabilities.sasl] ?? ""
    var mechanisms = value.split(separator: ",").map { $0.uppercased() }
    let strongest = SASLExchange.strongestSCRAM(in: mechanisms)
    let scram = strongest.map { [Output.sawSCRAM($0)] } ?? []
    settings.strongest = [settings.strongest, strongest].compactMap(\.self).max()
    if mechanisms.isEmpty {
      // With version 3.1 of capability negotiation, servers do not list the mechanisms.
      let usual = settings.method == .scram ? SCRAMHash.sha256.mechanism : "PLAIN"
      mechanisms = [settings.strongest?.mechanism ?? usual]
    }
    switch settings.method {
    case .plain: mechanisms = mechanisms.filter { $0 == "PLAIN" }
    case .scram: mechanisms = mechanisms.filter { $0.hasPrefix("SCRAM-") }
    case .auto, .none, .external, .pass: break
    }
    do throws(SASLFailure) {
      let begun =
        try settings.method == .external
        ? exchange.beginExternal() : exchange.begin(mechanisms)
      (isAuthenticating, response) = (true, begun.response)
      return scram + [.send(IRCLine("AUTHENTICATE", [begun.mechanism]))]
    } catch {
      return [.failed(.sasl(error))]
    }
  }

  private mutating func endNegotiation() -> [Output] {
    guard isNegotiating else { return [] }
    isNegotiating = false
    var outputs: [Output] = []
    if let network = settings.bouncerNetwork {
      outputs.append(.send(IRCLine("BOUNCER", ["BIND", network])))
    }
    return outputs + [.send(IRCLine("CAP", ["END"]))]
  }

  // MARK: SASL

  /// The most bytes in one part of a response (IRCv3 SASL).
  private static let part = 400

  private mutating func receiveChallenge(_ text: String) -> [Output] {
    challenge += text == "+" ? "" : text
    // No mechanism has longer challenges.
    guard challenge.utf8.count < 20_000 else { return [.failed(.sasl(.broken))] }
    if text.utf8.count == Self.part { return [] }
    defer { challenge = "" }
    guard let bytes = Base64.decoded(challenge) else { return [.failed(.sasl(.broken))] }
    if let first = response {
      response = nil
      return Self.parts(of: first)
    }
    do throws(SASLFailure) {
      return Self.parts(of: try exchange.answer(bytes))
    } catch {
      return [.send(IRCLine("AUTHENTICATE", ["*"])), .failed(.sasl(error))]
    }
  }

  private static func parts(of response: [UInt8]) -> [Output] {
    let letters = Array(Base64.letters(for: response).utf8)
    var parts = stride(from: 0, to: letters.count, by: part).map {
      String(decoding: letters[$0..<min($0 + part, letters.count)], as: UTF8.self)
    }
    if letters.count.isMultiple(of: part) { parts.append("+") }
    return parts.map { .send(IRCLine("AUTHENTICATE", [$0])) }
  }

  private mutating func finishSASL() -> [Output] {
    guard isAuthenticating else { return [] }
    // With SCRAM, the server must have proved itself by now.
    do throws(SASLFailure) {
      try exchange.succeed([])
    } catch {
      return [.failed(.sasl(error == .broken ? .unproven : error))]
    }
    (isAuthenticating, hasAccount) = (false, true)
    return endNegotiation()
  }

  // MARK: The nick

  private mutating func tryAnotherNick() -> [Output] {
    takenNicks += 1
    guard Retry.nickname.allowsAnotherTry(after: takenNicks) else {
      return [.failed(.nickInUse(settings.nick))]
    }
    nick += "_"
    return [.send(IRCLine("NICK", [nick]))]
  }
}
