// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import NetworkInbox
import Platform
import Sentences

/// The work of a network process between the store and the wire: it sends the outbox, stores
/// incoming events and rings the bell, as long as it holds the account's lease. Each account has
/// its own process.
@MainActor
package final class NetworkProcess {
  private let lease: AccountLease
  private var account: Account { lease.account }
  private let wire: any Wire
  private let loop: EventLoop
  private let source: any AccountSource
  private let files: AccountFiles
  /// The owner's settings, as last read.
  private var settings: AccountSettings
  /// The files of certificates (`ca`, `cert`) that the process started with. The sandbox lets it
  /// open no others, so new ones need a new process.
  private let certificates: [String?]
  private let password: AccountPassword
  /// The facts about the server with which the process last tried to connect.
  private var facts: [String: String] = [:]
  private let downloads: Downloads
  private let uploader: Uploader
  /// Whether the process continues when its owner has no shell.
  private let stays: Bool

  private let random: () -> Double

  private var isUp = false
  /// Whether the process has to end; may become true before the loop runs.
  private var hasToLeave = false
  private var isHelperGone = false
  private var backOff = BackOff()
  private var position: Int64
  /// Events that are not stored yet, because the store could not be written.
  private var unstored: [NetworkEvent] = []
  /// Whether the owner knows that events of this connection were skipped.
  private var hasToldSkipped = false
  /// The sentence that says so, until it is stored.
  private var skipNotice: String?
  /// Facts about the server that are not stored yet.
  private var learned: [String: String] = [:]
  /// Why this account cannot be connected; `run()` then returns it.
  private var failure: String?
  /// Whether the reason in `failure` is that the server does not accept the password.
  package private(set) var isPasswordRefused = false
  /// Called once, when the first try to connect has ended, unless this process ends with it.
  package var firstTryEnded: ((_ isConnected: Bool) -> Void)?
  private var connectTimer: TimerID?
  private var storeTimer: TimerID?
  private var leaveTimer: TimerID?
  /// The state of the connection, without uploads and downloads.
  private var status = AccountStatus.connecting
  /// Whether the status in the store is out of date.
  private var mustPublishStatus = true
  /// Whether to remove the traces of shells that were killed; at the start there may be some.
  private var mustReapShells = true
  /// Whether the store could not be read and has to be read again.
  private var mustReadStore = false

  /// Milliseconds to stay after the owner's last shell has ended.
  private let stayAfterLastShell: Int64

  /// - Parameters:
  ///   - lease: the lease of the account that this process serves.
  ///   - source: reads the settings, runs the password command and resolves host names.
  ///   - files: where the facts about the account's server are kept.
  ///   - typed: the password, if the owner has typed it.
  ///   - passwordNeed: whether the account has a password.
  ///   - stays: whether it continues when its owner has no shell.
  ///   - stayAfterLastShell: milliseconds to stay after the owner's last shell has ended.
  ///   - random: returns a number from 0 to 1, for the pauses between two tries.
  package init(
    _ lease: AccountLease, _ settings: AccountSettings, over wire: any Wire,
    loop: EventLoop, source: any AccountSource & NameSource, files: AccountFiles, typed: String?,
    passwordNeed: @escaping PasswordNeed.Rule = { _, _ in .needed }, stays: Bool,
    stayAfterLastShell: Int64 = 60_000,
    random: @escaping () -> Double = { .random(in: 0...1) }
  ) throws {
    (self.stayAfterLastShell, self.random) = (stayAfterLastShell, random)
    (self.lease, self.wire, self.loop) = (lease, wire, loop)
    (self.source, self.files, self.settings) = (source, files, settings)
    (certificates, self.stays) = (settings.certificates, stays)
    password = AccountPassword(typed: typed, from: source, passwordNeed)
    position = try lease.read { try $0.position }
    lease.patience = 0
    // `self` is not available before both are set.
    var changed: () -> Void = {}
    let folder = lease.attachmentFolder
    downloads = Downloads(with: settings, into: folder, loop: loop, names: source) { changed() }
    uploader = Uploader(
      from: folder, certificates: settings["ca"], loop: loop, names: source
    ) { changed() }
    changed = { [weak self] in self?.publishStatus() }
  }

  /// Connects, and serves the owner's shells until there are none.
  ///
  /// - Returns: why the network refused the account for good; nil when nothing is wrong.
  package func run() throws -> String? {
    wire.report = { [weak self] in self?.handleReport($0) }
    downloads.report = { [weak self] in self?.handleReport(.events($0)) }
    source.ended = { [weak self] in
      self?.isHelperGone = true
      self?.leave()
    }
    loop.watch(try lease.bellDescriptor) { [weak self] in
      guard let self else { return }
      if lease.drainBell().contains(.processExited) { mustReapShells = true }
      readStore()
    }
    loop.handleSignals([SIGTERM, SIGINT, SIGHUP]) { [weak self] _ in self?.leave() }
    connect()
    readStore()
    if !hasToLeave { loop.run() }
    // No retry follows the last write, so it waits up to 10 seconds for shells that end at the same
    // time and hold the lock.
    lease.patience = 10_000
    isUp = false
    wire.close()
    try? applyUnstored()
    if isHelperGone { throw HelperIsGone() }
    return failure
  }

  // MARK: The wire

  /// - Parameter renews: whether the password may be another one now.
  private func connect(renews: Bool = false) {
    connectTimer = nil
    guard settings.certificates == certificates else {
      failure = translated("run /connect to use the new certificates")
      return leave()
    }
    setStatus(.connecting)
    do throws(AccountFileError) {
      facts = try files.facts(of: account, inStoreAt: lease.path).merging(learned) { $1 }
      if renews { password.renew(settings, facts) }
      password.find(settings, facts) { [weak self] in self?.connect(with: $0) }
    } catch {
      failure = error.description
      leave()
    }
  }

  private func connect(with secret: Result<String, PasswordFailure>) {
    switch secret {
    case .success(let secret):
      if let fact = password.fact(settings, facts) { learnPassword(fact) }
      wire.connect(secret: secret, settings: settings.values, facts: facts)
    case .failure(let reason):
      failure = reason.sentence
      leave()
    }
  }

  /// - Parameter value: of ``PasswordNeed/fact``; empty to forget it.
  private func learnPassword(_ value: String) {
    learned[PasswordNeed.fact.name] = value
    storeEvents()
  }

  private func handleReport(_ report: WireReport) {
    switch report {
    case .up:
      (isUp, hasToldSkipped) = (true, false)
      endFirstTry(isConnected: true)
      backOff.loggedIn(at: loop.now)
      downloads.server = wire.server
      pump()
    case .status(let status): setStatus(status)
    case .events(let events):
      unstored += events
      storeEvents()
    case .wantsOutbox: pump()
    case .upload(let file, let ended): uploader.begin(file, server: wire.server, ended: ended)
    case .cancelUpload(let id): uploader.cancel(id)
    case .learned(let name, let value):
      learned[name] = value
      storeEvents()
    case .sawSCRAM(let hash):
      if let known = SCRAMHash(fact: facts["scram"]), known >= hash { return }
      facts["scram"] = hash.mechanism
      handleReport(.learned("scram", hash.mechanism))
    case .down(let reason, let isFinal): handleDown(reason, isFinal: isFinal)
    case .passwordRefused(let reason):
      isPasswordRefused = true
      learnPassword("")
      handleDown(password.refusal(settings) ?? reason, isFinal: true)
    }
  }

  private func endFirstTry(isConnected: Bool) {
    firstTryEnded?(isConnected)
    firstTryEnded = nil
  }

  private func handleDown(_ reason: String, isFinal: Bool) {
    isUp = false
    if isFinal {
      failure = reason
      return leave()
    }
    endFirstTry(isConnected: false)
    let pause = backOff.pauseAfterFailure(at: loop.now, random: random())
    let words = reason.hasSuffix(".") ? String(reason.dropLast()) : reason
    setStatus(.offline(reason: words, nextTry: Clock.wall() + pause))
    loop.schedule(&connectTimer, at: loop.now + pause) { [weak self] in self?.connect() }
  }

  // MARK: The store

  /// Stores the events. Until that is done, nothing more is read from the wire.
  private func storeEvents() {
    if let storeTimer { loop.cancel(storeTimer) }
    storeTimer = nil
    do {
      try storeLearnedFacts()
      try applyUnstored()
      if mustPublishStatus { publishStatus() }
      if !wire.isReading { wire.isReading = true }
      if mustReadStore { readStore() }
    } catch {
      if isFinal(error) { return leave() }
      wire.isReading = false
      let policy = Self.storingPolicy(after: error)
      if policy == .fullStore {
        writeStatus(.storeIsFull)
        mustPublishStatus = true
      }
      loop.schedule(&storeTimer, at: loop.now + policy.pause) { [weak self] in self?.storeEvents() }
    }
  }

  private func applyUnstored() throws {
    // Note the reason at once: the events after it may have to be stored later.
    try lease.apply(&unstored, fetchesFiles: settings.fetchLimit > 0) { [self] in
      noteSkipped(because: $0)
    }
    guard let notice = skipNotice else { return }
    try lease.apply([.notice(notice)])
    skipNotice = nil
  }

  private func noteSkipped(because reason: any Error) {
    if hasToldSkipped { return }
    hasToldSkipped = true
    skipNotice = filled(
      (
        "hobnob skipped something that the network sent, because it cannot be stored: %1. Until it reconnects, hobnob will skip any more of these silently.",
        [String(describing: reason)]
      ))
  }

  /// Reacts to a commit, or to a shell that ended.
  private func readStore() {
    mustReadStore = false
    do {
      if mustReapShells {
        try lease.reapStaleShells()
        mustReapShells = false
      }
      guard let current = try lease.read({ try $0.account(network: account.network) }),
        current.owner == account.owner
      else { return leave() }
      try stayOrLeave()
      try readSettingsIfAsked()
      if isUp { try deliverToWire() }
    } catch {
      tryAgain(after: error)
    }
  }

  /// Reads the settings again if the owner has changed them, or does not want to wait for the next
  /// try.
  private func readSettingsIfAsked() throws {
    let requests = try lease.read { try $0.requests(of: account) }.filter {
      [.reconnect, .readSettings].contains($0.verb)
    }
    if requests.isEmpty { return }
    try lease.apply(requests.map { .answered($0, "") })
    let reconnects = requests.contains { $0.verb == .reconnect }
    if reconnects {
      isUp = false
      wire.close()
      if let connectTimer { loop.cancel(connectTimer) }
      connectTimer = nil
    }
    source.settings { [weak self] in self?.apply($0, reconnects: reconnects) }
  }

  private func apply(
    _ answer: Result<AccountSettings?, PasswordFailure>, reconnects: Bool
  ) {
    switch answer {
    case .success(let newSettings?) where newSettings.isWanted:
      settings = newSettings
      downloads.limit = newSettings.fetchLimit
      // The password command may print a new password now.
      if reconnects { connect(renews: true) }
    case .success: leave()
    case .failure(let reason):
      failure = reason.sentence
      leave()
    }
  }

  private func pump() {
    do { try deliverToWire() } catch { tryAgain(after: error) }
  }

  private func tryAgain(after error: any Error) {
    if isFinal(error) { return leave() }
    mustReadStore = true
    guard storeTimer == nil else { return }
    loop.schedule(&storeTimer, at: loop.now + Self.storingPolicy(after: error).pause) {
      [weak self] in
      self?.storeEvents()
    }
  }

  /// Whether no retry can succeed: the store is gone, or belongs to a program of another version.
  private func isFinal(_ error: any Error) -> Bool {
    (error as? StoreError)?.isFinal == true || access(lease.path, F_OK) != 0
  }

  private static func storingPolicy(after error: any Error) -> Retry {
    if case StoreError.locked = error { .lockedStore } else { .fullStore }
  }

  private func deliverToWire() throws {
    // Two processes would send everything twice, so the one that has lost the lease ends.
    guard try lease.isHeld else { return leave() }
    let outbox = try lease.read { try $0.outbox(of: account.network) }
    let admitted = wire.admit(outbox)
    let new = outbox.filter { !$0.wasTried && admitted?.contains($0.id) ?? true }
    var requests = downloads.take(from: try lease.read { try $0.requests(of: account) })
    requests.removeAll { [.reconnect, .readSettings].contains($0.verb) }
    let speaking = requests.filter { $0.verb.speaks && !$0.wasTried }
    let (signals, position) = try lease.read {
      try $0.signals(of: account, since: self.position)
    }
    // Note the try first: if this process dies now, the next one knows what the network may have.
    if !new.isEmpty || !speaking.isEmpty { try lease.noteTried(new, speaking) }
    wire.deliver(outbox: outbox, requests: requests, signals: signals)
    self.position = position
  }

  private func storeLearnedFacts() throws {
    if learned.isEmpty { return }
    try files.learn(learned, of: account, inStoreAt: lease.path)
    learned = [:]
  }

  private func stayOrLeave() throws {
    if try stays || lease.read({ try $0.hasShell(account.owner) }) {
      if let leaveTimer { loop.cancel(leaveTimer) }
      leaveTimer = nil
    } else if leaveTimer == nil {
      loop.schedule(&leaveTimer, at: loop.now + stayAfterLastShell) { [weak self] in
        self?.leaveWhenDone()
      }
    }
  }

  /// Leaves once the wire, the uploads and the downloads are idle, so that nothing is lost and no transfer has
  /// to start again.
  private func leaveWhenDone() {
    guard wire.isBusy || uploader.isBusy || !downloads.isEmpty else { return leave() }
    loop.schedule(&leaveTimer, at: loop.now + max(1_000, stayAfterLastShell)) { [weak self] in
      self?.leaveWhenDone()
    }
  }

  private func leave() {
    hasToLeave = true
    loop.stop()
  }

  private func setStatus(_ status: AccountStatus) {
    // Entering rooms and catching up needs memory that nothing needs afterwards.
    if status.isSettled, !self.status.isSettled {
      loop.after(milliseconds: 0) { [weak self] in self?.lease.releaseMemory() }
    }
    self.status = status
    mustPublishStatus = true
    publishStatus()
  }

  /// Publishes the connection's state, with uploads and downloads, to the owner's shells. While the
  /// store cannot be written, waiting events go first.
  private func publishStatus() {
    guard unstored.isEmpty || wire.isReading else {
      mustPublishStatus = true
      return
    }
    writeStatus(status.adding(uploader.activity).adding(downloads.activity))
  }

  private func writeStatus(_ status: AccountStatus) {
    do {
      try lease.setStatus(status)
      mustPublishStatus = false
    } catch {
      mustPublishStatus = true
      // The retry publishes the status that is current at that time.
      tryAgain(after: error)
    }
  }
}
