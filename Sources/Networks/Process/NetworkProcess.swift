// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import NetworkInbox
import Platform
import Sentences

/// A network process between the store and the wire (decision 5): it takes from the outbox, stores
/// what it hears and rings the bell, for as long as it holds the account's lease.
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
  /// The `ca` file. For another one a new process has to start: this one cannot open other files.
  private let authorities: String?
  /// nil until it is known.
  private var secret: String?
  /// Counts the questions for the password: an answer to an earlier one is too late.
  private var asked = 0
  private let downloads: Downloads
  /// Whether it continues when its owner has no shell.
  private let stays: Bool

  private let random: () -> Double

  private var isUp = false
  /// May become true before the loop runs.
  private var hasToLeave = false
  private var isHelperGone = false
  private var backOff = BackOff()
  private var position: Int64
  /// Events that are not stored yet, because the store could not be written.
  private var unstored: [NetworkEvent] = []
  /// Facts about the server that are not stored yet.
  private var learned: [String: String] = [:]
  /// Why the last connection failed, if another try would fail, too.
  private var failure: String?
  private var retry: TimerID?
  private var storing: TimerID?
  private var leaving: TimerID?
  /// The state of the connection, without the downloads.
  private var status = AccountStatus.connecting
  /// The account's row has another status, or none of this process.
  private var hasToShowStatus = true
  /// A shell was killed, and what it left is still to be cleared away.
  private var aShellEnded = true
  /// The store could not be read, so its contents still have to be looked at.
  private var mustReadStore = false

  /// Milliseconds that it stays after its owner's last shell.
  private let patience: Int64

  /// - Parameters:
  ///   - lease: of the account that this process serves.
  ///   - source: gives the settings, a password that was not typed, and addresses.
  ///   - files: where the facts about its server are kept.
  ///   - typed: the password, if the owner has typed it.
  ///   - patience: milliseconds that it stays after its owner's last shell.
  ///   - random: from 0 to 1, for the pauses between two tries.
  package init(
    _ lease: AccountLease, _ settings: AccountSettings, over wire: any Wire,
    loop: EventLoop, source: any AccountSource & NameSource, files: AccountFiles, typed: String?,
    stays: Bool, patience: Int64 = 60_000, random: @escaping () -> Double = { .random(in: 0...1) }
  ) throws {
    (self.patience, self.random) = (patience, random)
    (self.lease, self.wire, self.loop) = (lease, wire, loop)
    (self.source, self.files, self.settings) = (source, files, settings)
    (secret, authorities, self.stays) = (typed, settings["ca"], stays)
    position = try lease.read { try $0.position }
    lease.patience = 0
    var changed: () -> Void = {}
    downloads = Downloads(
      with: settings, into: lease.attachmentFolder, loop: loop, names: source
    ) { changed() }
    changed = { [weak self] in self?.showStatus() }
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
      if lease.drainBell().contains(.processExited) { aShellEnded = true }
      readStore()
    }
    loop.handleSignals([SIGTERM, SIGINT, SIGHUP]) { [weak self] _ in self?.leave() }
    connect()
    readStore()
    if !hasToLeave { loop.run() }
    // This waits for shells that end at the same time, since nobody tries again.
    lease.patience = 10_000
    isUp = false
    wire.close()
    try? applyUnstored()
    if isHelperGone { throw HelperIsGone() }
    return failure
  }

  // MARK: The wire

  private func connect() {
    retry = nil
    tell(.connecting)
    guard let secret else { return askForPassword() }
    do throws(AccountFileError) {
      let facts = try files.facts(of: account, inStoreAt: lease.path).merging(learned) { $1 }
      wire.connect(secret: secret, settings: settings.values, facts: facts)
    } catch {
      failure = error.description
      leave()
    }
  }

  private func askForPassword() {
    asked += 1
    source.password { [weak self, number = asked] answer in
      // The owner may have asked for another try in between.
      guard let self, number == asked else { return }
      switch answer {
      case .success(let found):
        secret = found
        connect()
      case .failure(let reason):
        failure = reason.sentence
        leave()
      }
    }
  }

  private func handleReport(_ report: WireReport) {
    switch report {
    case .up:
      isUp = true
      backOff.loggedIn(at: loop.now)
      downloads.server = wire.server
      pump()
    case .status(let status): tell(status)
    case .events(let events):
      unstored += events
      storeEvents()
    case .learned(let name, let value):
      learned[name] = value
      storeEvents()
    case .down(let reason, let isFinal): handleDown(reason, isFinal: isFinal)
    }
  }

  private func handleDown(_ reason: String, isFinal: Bool) {
    isUp = false
    if isFinal {
      failure = reason
      return leave()
    }
    let pause = backOff.next(at: loop.now, random: random())
    let words = reason.hasSuffix(".") ? String(reason.dropLast()) : reason
    tell(.offline(reason: words, nextTry: Clock.wall() + pause))
    loop.schedule(&retry, at: loop.now + pause) { [weak self] in self?.connect() }
  }

  // MARK: The store

  /// Stores the events. Until that is done, nothing more is read from the wire.
  private func storeEvents() {
    if let storing { loop.cancel(storing) }
    storing = nil
    do {
      try storeWhatIsLearned()
      try applyUnstored()
      if hasToShowStatus { showStatus() }
      if !wire.isReading { wire.isReading = true }
      if mustReadStore { readStore() }
    } catch {
      if access(lease.path, F_OK) != 0 { return leave() }
      wire.isReading = false
      let policy = Self.storingPolicy(after: error)
      if policy == .fullStore {
        show(.storeIsFull)
        hasToShowStatus = true
      }
      loop.schedule(&storing, at: loop.now + policy.pause) { [weak self] in self?.storeEvents() }
    }
  }

  private func applyUnstored() throws {
    if unstored.isEmpty { return }
    do {
      try lease.apply(unstored, fetchesFiles: settings.fetchLimit > 0)
    } catch StoreError.contradiction {
      // One of the events contradicts the store. Leave it out, or no event could be stored ever
      // again.
      while let item = unstored.first {
        do {
          try lease.apply([item], fetchesFiles: settings.fetchLimit > 0)
        } catch StoreError.contradiction {}
        unstored.removeFirst()
      }
    }
    unstored = []
  }

  /// Reacts to a commit, or to a shell that ended.
  private func readStore() {
    mustReadStore = false
    do {
      if aShellEnded {
        try lease.reapStaleShells()
        aShellEnded = false
      }
      guard let now = try lease.read({ try $0.account(network: account.network) }),
        now.owner == account.owner
      else { return leave() }
      try stayOrLeave()
      try readSettingsIfAsked()
      if isUp { try deliverToWire() }
    } catch {
      tryAgain(after: error)
    }
  }

  /// The owner has changed the settings, or does not want to wait for the next try.
  private func readSettingsIfAsked() throws {
    let asked = try lease.read { try $0.requests(of: account) }.filter {
      [.reconnect, .readSettings].contains($0.verb)
    }
    if asked.isEmpty { return }
    try lease.apply(asked.map { .answered($0, "") })
    let reconnects = asked.contains { $0.verb == .reconnect }
    if reconnects {
      isUp = false
      wire.close()
      if let retry { loop.cancel(retry) }
      retry = nil
    }
    source.settings { [weak self] in self?.apply($0, reconnects: reconnects) }
  }

  private func apply(
    _ answer: Result<AccountSettings?, PasswordFailure>, reconnects: Bool
  ) {
    switch answer {
    case .success(let now?) where now.isWanted:
      settings = now
      downloads.limit = now.fetchLimit
      guard reconnects else { return }
      guard now["ca"] == authorities else {
        failure = translated("run /connect to use the new certificates (ca)")
        return leave()
      }
      // It may print another one now.
      if now["password-command"] != nil { secret = nil }
      connect()
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
    // Nothing comes back after the store's files are gone.
    if access(lease.path, F_OK) != 0 { return leave() }
    mustReadStore = true
    guard storing == nil else { return }
    loop.schedule(&storing, at: loop.now + Self.storingPolicy(after: error).pause) { [weak self] in
      self?.storeEvents()
    }
  }

  private static func storingPolicy(after error: any Error) -> Retry {
    if case StoreError.locked = error { .lockedStore } else { .fullStore }
  }

  private func deliverToWire() throws {
    // Two processes would send everything twice, so the one that has lost the lease ends.
    guard try lease.isHeld else { return leave() }
    let outbox = try lease.read { try $0.outbox(of: account.network) }
    let isNew = outbox.contains { !$0.wasTried }
    let requests = downloads.take(from: try lease.read { try $0.requests(of: account) })
    let (signals, position) = try lease.read {
      try $0.signals(of: account, since: self.position)
    }
    // If this process ends now, the next one knows that the network may have them.
    if isNew { try lease.noteTried(outbox.filter { !$0.wasTried }) }
    wire.deliver(
      outbox: outbox, requests: requests.filter { ![.reconnect, .readSettings].contains($0.verb) },
      signals: signals)
    self.position = position
  }

  private func storeWhatIsLearned() throws {
    if learned.isEmpty { return }
    try files.learn(learned, of: account, inStoreAt: lease.path)
    learned = [:]
  }

  private func stayOrLeave() throws {
    if try stays || lease.read({ try $0.hasShell(account.owner) }) {
      if let leaving { loop.cancel(leaving) }
      leaving = nil
    } else if leaving == nil {
      loop.schedule(&leaving, at: loop.now + patience) { [weak self] in self?.leaveWhenDone() }
    }
  }

  /// Waits for work of the wire that would have to begin anew, or be lost.
  private func leaveWhenDone() {
    guard wire.isBusy || !downloads.isEmpty else { return leave() }
    loop.schedule(&leaving, at: loop.now + max(1_000, patience)) { [weak self] in
      self?.leaveWhenDone()
    }
  }

  private func leave() {
    hasToLeave = true
    loop.stop()
  }

  private func tell(_ status: AccountStatus) {
    self.status = status
    hasToShowStatus = true
    showStatus()
  }

  /// Shows the owner's shells the state of the connection, and of the downloads during it. While
  /// events wait for the store, so does this.
  private func showStatus() {
    guard unstored.isEmpty || wire.isReading else {
      hasToShowStatus = true
      return
    }
    show(status.adding(downloads.activity))
  }

  private func show(_ status: AccountStatus) {
    do {
      try lease.setStatus(status)
      hasToShowStatus = false
    } catch {
      hasToShowStatus = true
      // The next try shows the status of that moment.
      tryAgain(after: error)
    }
  }
}

/// The process outside the sandbox has ended. This process cannot start another one, and alone it
/// can neither look up names nor read settings. It ends as after a crash, so that a shell starts
/// both again.
package struct HelperIsGone: Error, CustomStringConvertible {
  package var description: String {
    translated("the helper process has ended")
  }
}
