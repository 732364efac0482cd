// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import NetworkInbox
import Platform
import Sentences

/// Connects an account to its network, and serves it as long as it holds the account's lease: it
/// reads the settings, finds the password, and tries again after a break. ``StorePump`` does what
/// concerns the store. Each account has its own process.
@MainActor
package final class NetworkProcess {
  private let lease: AccountLease
  private var account: Account { lease.account }
  private let wire: any Wire
  private let loop: EventLoop
  private let store: StorePump
  private let source: any AccountSource
  private let files: AccountFiles
  /// The owner's settings, as last read.
  private var settings: AccountSettings {
    didSet { noteFetchLimit() }
  }
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
  /// Milliseconds to stay after the owner's last shell has ended.
  private let stayAfterLastShell: Int64
  private let random: () -> Double

  /// Whether the process has to end; may become true before the loop runs.
  private var hasToLeave = false
  private var isHelperGone = false
  private var backOff = BackOff()
  /// Why this account cannot be connected; `run()` then returns it.
  private var failure: Remark?
  /// Whether the reason in `failure` is that the server does not accept the password.
  package private(set) var isPasswordRefused = false
  /// Called once, when the first try to connect has ended, unless this process ends with it.
  package var firstTryEnded: ((_ isConnected: Bool) -> Void)?
  /// Puts what the network asks to the owner, if somebody is at a terminal.
  var questions: OwnerQuestions?
  private var connectTimer: TimerID?
  private var leaveTimer: TimerID?

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
    store = try StorePump(lease, over: wire, loop: loop, files: files)
    lease.patience = 0
    // `self` is not available before both are set.
    var changed: () -> Void = {}
    let folder = lease.attachmentFolder
    downloads = Downloads(with: settings, into: folder, loop: loop, names: source) { changed() }
    uploader = Uploader(
      from: folder, certificates: settings["ca"], loop: loop, names: source
    ) { changed() }
    changed = { [weak self] in self?.store.publishStatus() }
    noteFetchLimit()
  }

  private func noteFetchLimit() {
    downloads.limit = settings.fetchLimit
    store.fetchesFiles = settings.fetchLimit > 0
  }

  /// Connects, and serves the owner's shells until there are none.
  ///
  /// - Returns: why the network refused the account for good; nil when nothing is wrong.
  package func run() throws -> Remark? {
    wire.report = { [weak self] in self?.handle($0) }
    downloads.report = { [weak self] in self?.store.add($0) }
    store.leave = { [weak self] in self?.leave() }
    store.keepingFailed = { [weak self] in
      // Before the wire tells the program that all of it is stored.
      self?.wire.close()
      self?.handleDown($0, isFinal: false)
    }
    store.takeFiles = { [downloads] in downloads.take(from: $0) }
    store.activities = { [downloads, uploader] in [uploader.activity, downloads.activity] }
    store.changed = { [weak self] in
      self?.stayOrLeave(hasShell: $1)
      try self?.readSettings(for: $0)
    }
    source.ended = { [weak self] in
      self?.isHelperGone = true
      self?.leave()
    }
    loop.watch(try lease.bellDescriptor) { [weak self] in
      guard let self else { return }
      if lease.drainBell().contains(.processExited) { store.mustReapShells = true }
      store.read()
    }
    loop.handleSignals([SIGTERM, SIGINT, SIGHUP]) { [weak self] _ in self?.leave() }
    connect()
    store.read()
    if !hasToLeave { loop.run() }
    // No retry follows the last write, so it waits up to 10 seconds for shells that end at the same
    // time and hold the lock.
    lease.patience = 10_000
    store.isUp = false
    wire.close()
    try? store.applyUnstored()
    try? store.writeLearned()
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
    // The program would get the value, and take it for kept.
    if let reason = store.keepAgain() { return handleDown(reason, isFinal: false) }
    store.setStatus(.connecting)
    do throws(AccountFileError) {
      facts = try files.facts(of: account, inStoreAt: lease.path).merging(store.learned) { $1 }
      if renews { password.renew(settings, facts) }
      password.find(settings, facts) { [weak self] in self?.connect(with: $0) }
    } catch {
      failure = filled(error.sentence)
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
    store.learn(PasswordNeed.fact.name, value)
  }

  private func handle(_ report: WireReport) {
    switch report {
    case .up:
      store.begin()
      endFirstTry(isConnected: true)
      backOff.loggedIn(at: loop.now)
      downloads.server = wire.server
      store.handOver()
    case .status(let status): store.setStatus(status)
    case .events(let events): store.add(events)
    case .wantsOutbox: if store.isUp { store.handOver() }
    case .upload(let file, let ended): uploader.begin(file, server: wire.server, ended: ended)
    case .cancelUpload(let id): uploader.cancel(id)
    case .learned(let name, let value): store.learn(name, value)
    case .sawSCRAM(let hash):
      if let known = SCRAMHash(fact: facts["scram"]), known >= hash { return }
      facts["scram"] = hash.mechanism
      handle(.learned("scram", hash.mechanism))
    case .down(let reason, let isFinal): handleDown(reason, isFinal: isFinal)
    case .asks(let question, let answer):
      if questions?.ask(question, answer) != true {
        handleDown(
          filled(("asks you a question; hobnob connect %1 shows it", [account.network])),
          isFinal: true)
      }
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

  private func handleDown(_ reason: Remark, isFinal: Bool) {
    store.isUp = false
    if isFinal {
      failure = reason
      return leave()
    }
    endFirstTry(isConnected: false)
    let pause = backOff.pauseAfterFailure(at: loop.now, random: random())
    store.setStatus(.offline(reason: reason, nextTry: Clock.wall() + pause))
    loop.schedule(&connectTimer, at: loop.now + pause) { [weak self] in self?.connect() }
  }

  // MARK: The settings and the end

  /// Reads the settings again if the owner has changed them, or does not want to wait for the next
  /// try.
  private func readSettings(for requests: [NetworkRequest]) throws {
    if requests.isEmpty { return }
    try lease.apply(requests.map { .answered($0, "") })
    let reconnects = requests.contains { $0.verb == .reconnect }
    if reconnects {
      store.isUp = false
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
      // The password command may print a new password now.
      if reconnects { connect(renews: true) }
    case .success: leave()
    case .failure(let reason):
      failure = reason.sentence
      leave()
    }
  }

  private func stayOrLeave(hasShell: Bool) {
    if stays || hasShell {
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
}
