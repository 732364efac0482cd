// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Platform
import Sentences

/// An account's connection to its IRC server, or its connections to all networks of a bouncer.
@MainActor
package final class IRCWire: Wire {
  package var report: (WireReport) -> Void = { _ in }
  package var isReading = true {
    didSet { for session in sessions.values { session.isReading = isReading } }
  }

  /// The most networks of a bouncer to which hobnob connects.
  private static let most = 50

  private let address: IRCAddress
  private let loop: EventLoop
  private let names: any NameSource
  private let lease: AccountLease
  /// By scope: the part of a conversation's address that names the bouncer's network. The account's
  /// own session has an empty scope.
  private var sessions: [String: IRCSession] = [:]
  /// The scopes, by the ids of the networks on the bouncer.
  private var scopes: [String: String] = [:]
  /// The ids of networks without a session, and the names of those not yet reported to the owner.
  private var leftOut: Set<String> = []
  private var untold: [String] = []
  /// The ids of networks to which the bouncer has said that it is not connected.
  private var disconnected: Set<String> = []
  /// Whether the bouncer has named all of its networks.
  private var areNetworksListed = false
  /// The ids of networks that the bouncer listed but did not know.
  private var refused: Set<String> = []
  /// Whether the server has let the owner log in with SASL, now or in an earlier process.
  private var hasSASL = false
  private var target: IRCSession.Target?
  /// What the server has promised about TLS on this connection.
  private var policy: StrictTransport?

  /// - Parameter settings: what the account's owner has set.
  package init(
    _ lease: AccountLease, _ settings: [String: String], loop: EventLoop,
    names: (any NameSource)? = nil
  ) throws {
    let account = lease.account
    (self.lease, self.loop, self.names) = (lease, loop, names ?? Resolver(loop: loop))
    guard let address = IRCAddress(account.address) else {
      throw RuleError.badName(account.address)
    }
    self.address = address
    try addSession("")
  }

  private var main: IRCSession? { sessions[""] }

  /// The scope of a conversation's address: the `/` and the name of the bouncer's network.
  private static func scope(of address: String) -> String {
    address.lastIndex(of: "/").map { String(address[$0...]) } ?? ""
  }

  @discardableResult
  private func addSession(_ scope: String) throws -> IRCSession {
    let account = lease.account
    let start = try lease.read { snapshot in
      var start = IRCClient.Start()
      start.scope = scope
      // A room's name may have a slash without a bouncer: the account's own session has everything.
      start.rooms = try snapshot.roomsJoined(of: account).keys.filter { $0.hasSuffix(scope) }
      start.rooms.sort()
      start.marks = try snapshot.catchUpMarks(of: account).filter { $0.key.hasSuffix(scope) }
      start.unread = Set(try snapshot.unreadChats(of: account).filter { $0.hasSuffix(scope) })
      start.sent = try snapshot.sentLately(by: account)
      start.proven = try snapshot.provenNames(of: account).filter { $0.key.hasSuffix(scope) }
      for contact in try snapshot.contacts(of: account).map(\.participant)
      where contact.identity.hasSuffix(scope) {
        start.contacts[contact.identity] = contact.name
      }
      start.away = try snapshot.away(of: account.owner)
      return start
    }
    let session = IRCSession(
      IRCClient(start), domain: address.server, loop: loop, names: names
    ) { [weak self] in self?.handle($0, from: scope) }
    session.isReading = isReading
    sessions[scope] = session
    return session
  }

  package var server: String? { main?.server }

  // MARK: The connection

  package func connect(secret: String, settings: [String: String], facts: [String: String]) {
    hasSASL = facts["sasl"] != nil
    var login = Login.Settings(address, settings, password: secret)
    let promise = StrictTransport(facts["sts"]).flatMap {
      $0.end < Clock.wall() || !login.heedsStrictTransport ? nil : $0
    }
    login.strongest = SCRAMHash(fact: facts["scram"])
    login.isSecure = settings["tls"] != "off" || promise != nil
    var server = ServerSettings(settings, isDirectTLS: login.isSecure)
    // The port that the owner has set is the one without TLS.
    if settings["tls"] == "off", let promise { server.port = promise.port }
    connect(
      to: IRCSession.Target(
        server: server, login: login, settings: settings, keys: facts["keys"]))
  }

  private func connect(to target: IRCSession.Target) {
    (self.target, policy) = (target, nil)
    main?.connect(to: target)
  }

  package func close() {
    areNetworksListed = false
    for session in sessions.values { session.close() }
    // A promise of TLS lasts for its time after the end of a connection (IRCv3 STS, "duration").
    guard var renewed = policy else { return }
    policy = nil
    renewed.end = Clock.wall() + renewed.duration
    report(.learned("sts", renewed.fact))
  }

  /// - Parameter scope: the session's part of an address; empty for the account's own.
  private func handle(_ event: IRCSession.Report, from scope: String) {
    let isMain = scope.isEmpty
    switch event {
    case .wire(.status): showStatus()
    // The outbox may have messages for this network.
    case .wire(.up) where !isMain: report(.wantsOutbox)
    case .wire(.upload(let file, let ended)): report(.upload(withLogin(file), ended: ended))
    case .wire(let event):
      if case .up = event, target?.login.wantsSASL == true, !hasSASL {
        hasSASL = true
        report(.learned("sasl", "yes"))
      }
      if case .sawSCRAM(let hash) = event { target?.login.strongest = hash }
      if case .learned("sts", let fact) = event { policy = StrictTransport(fact) }
      report(event)
    case .network(let id, let facts): if isMain { handleNetwork(id, facts) }
    case .listedNetworks: if isMain { noteListed() }
    case .down(.wantsTLS(let port)) where isMain:
      // Somebody else may have sent this without TLS, so trust only the port: unless the server has
      // a valid certificate there, the try fails.
      guard var target else { return }
      close()
      report(.status(.connecting))
      target.login.isSecure = true
      (target.server.port, target.server.isDirectTLS) = (port, true)
      connect(to: target)
    case .down(.unknownNetwork(let id)) where !isMain:
      // The bouncer may know it when it lists it again.
      (scopes[id], sessions[scope]) = (nil, nil)
      leftOut.insert(id)
      if refused.insert(id).inserted {
        let name = String(scope.dropFirst())
        report(.events([.notice(LoginFailure.unknownNetwork(name).remark)]))
      }
      report(.wantsOutbox)
    case .down(let reason):
      // If one network's connection is gone, all have to reconnect later: they share a bouncer.
      close()
      if isMain, reason == .sasl(.wrongPassword) {
        report(.passwordRefused(reason: reason.remark))
      } else {
        let isFinal = isMain && reason.isFatal && !(hasSASL && reason == .noSASL)
        report(.down(reason: reason.remark, isFinal: isFinal))
      }
    }
  }

  // MARK: Networks of a bouncer

  private func handleNetwork(_ id: String, _ facts: [String: String]?) {
    guard let facts else {
      leftOut.remove(id)
      refused.remove(id)
      disconnected.remove(id)
      if let scope = scopes.removeValue(forKey: id) {
        sessions.removeValue(forKey: scope)?.close()
      }
      // What waits for this network fails now.
      return report(.wantsOutbox)
    }
    if scopes[id] != nil { tellState(of: id, facts) }
    // A network that was left out gets a connection when the bouncer lists it again, if possible.
    guard var target, !leftOut.contains(id) || facts["name"] != nil else { return }
    target.login.bouncerNetwork = id
    if let known = scopes[id].flatMap({ sessions[$0] }) {
      if !known.isOpen { known.connect(to: target) }
      return
    }
    let name = facts["name"] ?? id
    let plain = name.filter { $0.isLetter || $0.isNumber || "-_.".contains($0) }
    let scope = "/" + (plain.isEmpty ? id : plain.lowercased())
    guard sessions[scope] == nil, scopes.count < Self.most else {
      if leftOut.insert(id).inserted { untold.append(name) }
      return tellLeftOut()
    }
    leftOut.remove(id)
    scopes[id] = scope
    tellState(of: id, facts)
    do {
      try addSession(scope).connect(to: target)
    } catch {
      // Without what the store knows, nothing can be served there.
      handle(.down(.hungUp(Remark(of: error))), from: scope)
    }
  }

  /// Tells the owner when the bouncer loses its connection to a network, and when it has it again.
  private func tellState(of id: String, _ facts: [String: String]) {
    let name = facts["name"] ?? scopes[id].map { String($0.dropFirst()) } ?? id
    let error = facts["error"] ?? ""
    let sentence: Sentence
    switch facts["state"] {
    case "disconnected" where disconnected.insert(id).inserted:
      sentence =
        error.isEmpty
        ? ("The bouncer is not connected to %1.", [name])
        : ("The bouncer is not connected to %1 (%2).", [name, error])
    case "connected" where disconnected.remove(id) != nil:
      sentence = ("The bouncer is connected to %1 again.", [name])
    default:
      // It tries again and again.
      if error.isEmpty || disconnected.contains(id) { return }
      sentence = ("%1: %2", [name, error])
    }
    report(.events([.notice(filled(sentence))]))
  }

  /// The bouncer has named all of its networks.
  private func noteListed() {
    areNetworksListed = true
    // It may have lost some of them during a break.
    for (id, scope) in scopes where sessions[scope]?.isOpen != true { handleNetwork(id, nil) }
    tellLeftOut()
    report(.wantsOutbox)
  }

  private func tellLeftOut() {
    guard areNetworksListed, !untold.isEmpty else { return }
    let sentence: Remark = filled(
      (
        "hobnob does not connect to these networks of the bouncer: %1. It connects to at most %2 networks, and to only one of those with the same name.",
        [untold.map { Remark($0) }.joinedAsList(), String(Self.most)]
      ))
    untold = []
    report(.events([.notice(sentence)]))
  }

  private func showStatus() {
    let open = sessions.filter(\.value.isOpen)
    guard open[""] != nil else { return }
    let all = open.sorted { $0.key < $1.key }.map(\.value.status)
    guard !all.contains(.connecting) else { return report(.status(.connecting)) }
    let activities = all.flatMap { status -> [AccountStatus.Activity] in
      if case .connected(let activities) = status { activities } else { [] }
    }
    report(.status(.connected(Array(activities.prefix(1)))))
  }

  package var isBusy: Bool { sessions.values.contains(where: \.isSending) }

  /// Adds the login to an upload: the server gave the address over TLS, and accepts it there.
  private func withLogin(_ file: FileUpload) -> FileUpload {
    var file = file
    if let login = target?.login, login.isSecure, !login.password.text.isEmpty,
      [.plain, .pass].contains(login.method) || login.method == .auto && login.strongest == nil
    {
      let pair = Array((login.account + ":" + login.password.text).utf8)
      file.headers.append("Authorization: Basic " + Base64.letters(for: pair))
    }
    return file
  }

  // MARK: The store

  /// The session for an address; nil if its network is not on the bouncer, or if the bouncer has
  /// not listed it yet.
  private func session(for address: String) -> IRCSession? {
    // A room's name may have a slash without a bouncer.
    sessions[Self.scope(of: address)] ?? (main?.offersNetworks == true ? nil : main)
  }

  /// Refuses entries and requests for networks that are not on the bouncer.
  private func refuseUnknown(_ outbox: [OutboxEntry], _ requests: [NetworkRequest]) {
    guard areNetworksListed else { return }
    func sentence(_ address: String) -> Remark? {
      if session(for: address) != nil { return nil }
      let name = String(Self.scope(of: address).dropFirst())
      return LoginFailure.unknownNetwork(name).remark
    }
    let events =
      requests.compactMap { request in
        sentence(request.target).map { NetworkEvent.answered(request, $0) }
      }
      + outbox.compactMap { entry in
        sentence(entry.conversation.address).map {
          .refused(
            entry, reason: entry.wasTried ? IRCOutbox.doubt : $0,
            mayHaveArrived: entry.wasTried && entry.operation == .send)
        }
      }
    if !events.isEmpty { report(.events(events)) }
  }

  package func deliver(
    outbox: [OutboxEntry], requests: [NetworkRequest], signals: [NetworkSignal],
    noteTried: (Set<OutboxEntry.ID>) throws -> Void
  ) throws {
    // All choose before any is told: what one of them reports may bring a newer outbox.
    let chosen = sessions.values.map { session in
      let theirs = outbox.filter { self.session(for: $0.conversation.address) === session }
      return (session: session, ids: session.pump.admit(theirs))
    }
    try noteTried(chosen.reduce(into: []) { $0.formUnion($1.ids) })
    refuseUnknown(outbox, requests)
    for (session, ids) in chosen {
      func isTheirs(_ address: String) -> Bool { self.session(for: address) === session }
      let theirs = signals.filter {
        switch $0 {
        case .typing(let conversation, _), .receipt(let conversation, _, _, _):
          isTheirs(conversation.address)
        case .open: true
        }
      }
      // An away message goes to every network.
      session.pump.deliver(
        requests.filter { isTheirs($0.target) || $0.verb == .presence }, tried: ids, theirs)
    }
  }
}
