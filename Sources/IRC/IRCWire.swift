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
    didSet { for session in sessions { session.isReading = isReading } }
  }

  private let address: IRCAddress
  private let loop: EventLoop
  private let names: any NameSource
  /// What the store says, for all networks.
  private let start: IRCClient.Start
  private var main: IRCSession?
  /// The networks of a bouncer, by their ids there.
  private var networks: [String: (scope: String, session: IRCSession)] = [:]
  /// Whether the bouncer has named all of them.
  private var areNetworksListed = false
  /// Whether a login has succeeded.
  private var wasUp = false
  private var target: IRCSession.Target?
  private let transfers: Transfers
  private let attachments: AttachmentFolder
  private let progress: TransferProgress
  private var uploads: [OutboxEntry.ID: Transfers.ID] = [:]
  private var strongest: SCRAMHash?
  private var policy: StrictTransport?

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
    transfers = Transfers(loop: loop, names: self.names, certificates: settings["ca"])
    attachments = lease.attachmentFolder
    var changed: () -> Void = {}
    progress = TransferProgress(loop: loop) { changed() }
    start = try lease.read { snapshot in
      var start = IRCClient.Start()
      start.rooms = try snapshot.roomsJoined(of: account).keys.sorted()
      start.marks = try snapshot.catchUpMarks(of: account)
      start.proven = try snapshot.provenIdentities(of: account)
      start.contacts = try Dictionary(
        uniqueKeysWithValues: snapshot.contacts(of: account).map {
          ($0.participant.identity, $0.participant.name)
        })
      start.away = try snapshot.away(of: account.owner)
      start.settings = settings
      return start
    }
    main = makeSession(scope: "") { [weak self] in self?.handle($0, from: self?.main) }
    changed = { [weak self] in self?.showStatus() }
  }

  private var sessions: [IRCSession] { [main].compactMap(\.self) + networks.values.map(\.session) }

  /// The part of a conversation's address behind which a bouncer's network is named.
  private static func scope(of address: String) -> String {
    address.lastIndex(of: "/").map { String(address[$0...]) } ?? ""
  }

  private func makeSession(
    scope: String, report: @escaping (IRCSession.Report) -> Void
  ) -> IRCSession {
    var start = start
    start.scope = scope
    // A room's name may have a slash without a bouncer.
    if !scope.isEmpty {
      start.rooms = start.rooms.filter { $0.hasSuffix(scope) }
      start.marks = start.marks.filter { $0.key.hasSuffix(scope) }
      start.proven = start.proven.filter { $0.hasSuffix(scope) }
      start.contacts = start.contacts.filter { $0.key.hasSuffix(scope) }
    }
    let session = IRCSession(IRCClient(start), loop: loop, names: names, report: report)
    session.isReading = isReading
    return session
  }

  package var server: String? { main?.server }

  // MARK: The connection

  package func connect(secret: String, settings: [String: String], facts: [String: String]) {
    strongest = facts["scram"].map { SCRAMHash(rawValue: $0) ?? .sha1 }
    policy = StrictTransport(facts["sts"])
    if let end = policy?.end, end < Clock.wall() { policy = nil }
    let isSecure = settings["tls"] != "off" || policy != nil
    var login = Login.Settings(address, settings, password: secret)
    (login.strongest, login.isSecure) = (strongest, isSecure)
    // The owner's port is the one without TLS.
    let port =
      settings["tls"] == "off" && isSecure
      ? policy?.port : settings["port"].flatMap { UInt16($0) }
    connect(
      to: IRCSession.Target(
        domain: address.server,
        server: ServerSettings(
          host: settings["host"], port: port, isDirectTLS: isSecure,
          authorities: settings["ca"], pin: settings["pin"]?.lowercased(),
          identity: settings["cert"]),
        isSecure: isSecure, login: login, keys: Self.keys(facts["keys"])))
  }

  /// The passwords of rooms in a fact: `ROOM PASSWORD ROOM PASSWORD`. Neither can have a blank.
  private static func keys(_ fact: String?) -> [String: String] {
    let words = (fact ?? "").split(separator: " ").map(String.init)
    return Dictionary(
      stride(from: 1, to: words.count, by: 2).map { (words[$0 - 1], words[$0]) }
    ) { $1 }
  }

  private static func fact(_ keys: [String: String]) -> String {
    keys.filter { !($0.key + $0.value).contains(where: \.isWhitespace) }
      .sorted { $0.key < $1.key }.map { $0.key + " " + $0.value }.joined(separator: " ")
  }

  private func connect(to target: IRCSession.Target) {
    self.target = target
    main?.connect(to: target)
  }

  package func close() {
    closeNetworks()
    if main?.close() == true { renewPolicy() }
  }

  private func closeNetworks() {
    let former = networks
    networks = [:]
    areNetworksListed = false
    for (_, session) in former.values { session.close() }
  }

  /// Renews the server's promise of TLS at the end of a connection (IRCv3 STS, "duration").
  private func renewPolicy() {
    guard var renewed = policy else { return }
    renewed.end = Clock.wall() + renewed.duration
    if renewed == policy { return }
    policy = renewed
    report(.learned("sts", renewed.fact))
  }

  private func handle(_ event: IRCSession.Report, from session: IRCSession?) {
    switch event {
    case .wire(.status): showStatus()
    case .wire(let event):
      if case .up = event { wasUp = true }
      report(event)
    case .sawSCRAM(let hash):
      if let strongest, strongest >= hash { return }
      strongest = hash
      report(.learned("scram", hash.mechanism))
    case .strictTransport(let new):
      policy = new.duration > 0 ? new : nil
      report(.learned("sts", new.fact))
    case .keys(let keys):
      target?.keys = keys
      report(.learned("keys", Self.fact(keys)))
    case .network(let id, let facts): handleNetwork(id, facts)
    case .listedNetworks:
      areNetworksListed = true
      report(.wantsOutbox)
    case .upload(let file): beginUpload(file, for: session)
    case .cancelUpload(let id): stopUpload(id)
    case .down(.wantsTLS(let port)):
      // Somebody else may have sent that: only the port counts, and without a good certificate
      // there, the try has failed.
      guard var target, !target.isSecure else { return }
      closeNetworks()
      report(.status(.connecting))
      (target.isSecure, target.login.isSecure) = (true, true)
      (target.server.port, target.server.isDirectTLS) = (port, true)
      connect(to: target)
    case .down(let end):
      closeNetworks()
      renewPolicy()
      if case .login(.sasl(.wrongPassword)) = end {
        report(.passwordRefused(reason: end.description))
      } else {
        report(.down(reason: end.description, isFinal: end.isFatal && !(wasUp && end.lacksSASL)))
      }
    case .hungUp(let reason):
      closeNetworks()
      renewPolicy()
      report(.down(reason: reason, isFinal: false))
    }
  }

  // MARK: Networks of a bouncer

  private func handleNetwork(_ id: String, _ facts: [String: String]?) {
    guard let facts else {
      networks.removeValue(forKey: id)?.session.close()
      return
    }
    if let error = facts["error"], !error.isEmpty {
      report(
        .events([.notice(filled(("%1: %2", [facts["name"] ?? id, error])))]))
    }
    guard networks[id] == nil, networks.count < 50, var target else { return }
    let name = (facts["name"] ?? id).filter { $0.isLetter || $0.isNumber || "-_.".contains($0) }
    let scope = "/" + (name.isEmpty ? id : name.lowercased())
    guard !networks.values.contains(where: { $0.scope == scope }) else { return }
    target.login.bouncerNetwork = id
    let session = makeSession(scope: scope) { [weak self] in
      self?.handleNetworkReport($0, from: self?.networks[id]?.session)
    }
    networks[id] = (scope, session)
    session.connect(to: target)
  }

  private func handleNetworkReport(_ event: IRCSession.Report, from session: IRCSession?) {
    switch event {
    case .wire(.status): showStatus()
    // The outbox may have something for it.
    case .wire(.up): report(.wantsOutbox)
    case .wire(let event): report(event)
    case .upload(let file): beginUpload(file, for: session)
    case .cancelUpload(let id): stopUpload(id)
    // A bouncer knows the passwords of its owner's rooms.
    case .sawSCRAM, .strictTransport, .keys, .network, .listedNetworks: break
    case .down(let end): endBecauseOfNetwork(end.description)
    case .hungUp(let reason): endBecauseOfNetwork(reason)
    }
  }

  /// Connects all of them again, later: they are on the same bouncer.
  private func endBecauseOfNetwork(_ reason: String) {
    close()
    report(.down(reason: reason, isFinal: false))
  }

  private func showStatus() {
    guard let status = main?.status else { return }
    let others = networks.values.map(\.session.status)
    let all = [status] + others
    guard !all.contains(.connecting) else { return report(.status(.connecting)) }
    let activities = all.flatMap { status -> [AccountStatus.Activity] in
      if case .connected(let activities) = status { activities } else { [] }
    }
    report(.status(.connected(Array(activities.prefix(1))).adding(progress.activity)))
  }

  // MARK: Files

  package var isBusy: Bool { !uploads.isEmpty }

  private func beginUpload(_ file: FileUpload, for session: IRCSession?) {
    progress.begin { [name = file.file.name] in .uploading(name, percent: $0) }
    transfers.server = server
    // The server gave the address over TLS, and takes the same login there.
    let login = target?.login
    var headers = file.headers
    if let login, target?.isSecure == true, !login.password.text.isEmpty, login.method != .none {
      let pair = Array((login.account + ":" + login.password.text).utf8)
      headers.append("Authorization: Basic " + Base64.letters(for: pair))
    }
    uploads[file.entry] = transfers.post(
      file.file.hash, from: attachments, to: file.address, type: file.file.type, headers: headers,
      progress: { [progress] in progress.move($0, of: $1) },
      ended: { [weak self, weak session] result in
        self?.uploads[file.entry] = nil
        self?.progress.end()
        session?.tell(
          .uploaded(
            file.entry,
            result.mapError { UploadFailure($0.reason, isTemporary: $0.isTemporary) }))
      })
  }

  private func stopUpload(_ id: OutboxEntry.ID) {
    if let upload = uploads.removeValue(forKey: id) { transfers.cancel(upload) }
    progress.end()
  }

  // MARK: The store

  /// The session for an address; nil for one on a network that the bouncer does not have, or has not
  /// named yet.
  private func session(for address: String) -> IRCSession? {
    let scope = Self.scope(of: address)
    if let network = networks.values.first(where: { $0.scope == scope }) { return network.session }
    // A room's name may have a slash without a bouncer.
    return scope.isEmpty || main?.isBouncer != true ? main : nil
  }

  /// Refuses what is for networks that the bouncer does not have.
  private func refuseUnknown(_ outbox: [OutboxEntry], _ requests: [NetworkRequest]) {
    guard areNetworksListed else { return }
    func sentence(_ address: String) -> String? {
      if session(for: address) != nil { return nil }
      let name = String(Self.scope(of: address).dropFirst())
      return LoginFailure.unknownNetwork(name).description
    }
    let events =
      requests.compactMap { request in
        sentence(request.target).map { NetworkEvent.answered(request, $0) }
      }
      + outbox.compactMap { entry in
        sentence(Self.addressText(entry.conversation)).map { .refused(entry, reason: $0) }
      }
    if !events.isEmpty { report(.events(events)) }
  }

  private static func addressText(_ conversation: ConversationAddress) -> String {
    switch conversation {
    case .room(let address), .direct(let address): address
    }
  }

  package func admit(_ outbox: [OutboxEntry]) -> Set<OutboxEntry.ID>? {
    sessions.reduce(into: []) { ids, session in
      ids.formUnion(
        session.admit(
          outbox.filter { self.session(for: Self.addressText($0.conversation)) === session }))
    }
  }

  package func deliver(
    outbox: [OutboxEntry], requests: [NetworkRequest], signals: [NetworkSignal]
  ) {
    refuseUnknown(outbox, requests)
    for session in sessions {
      func isTheirs(_ address: String) -> Bool { self.session(for: address) === session }
      // Handle requests first: a message to a room that one of them enters has to wait for the
      // entry. Being away counts everywhere.
      session.tell(
        .requests(requests.filter { isTheirs($0.target) || $0.verb == .presence }))
      session.noteTried()
      let theirs = signals.filter {
        switch $0 {
        case .typing(let conversation, _), .receipt(let conversation, _, _, _):
          isTheirs(Self.addressText(conversation))
        }
      }
      if !theirs.isEmpty { session.tell(.signals(theirs)) }
    }
  }
}
