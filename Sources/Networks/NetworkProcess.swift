// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import NetworkInbox
import Platform

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
  /// As its owner has set them when they were last read.
  private var settings: AccountSettings
  /// The `ca` file. A new one takes a new process: this one cannot open other files.
  private let authorities: String?
  /// nil until it is known.
  private var secret: String?
  /// How often the password was asked for: an answer to an earlier question is too late.
  private var asked = 0
  private let downloads: Downloads
  /// Whether it stays when its owner has no shell.
  private let stays: Bool

  private let random: () -> Double

  private var isUp = false
  /// Also before the loop runs.
  private var hasToLeave = false
  private var isHelperGone = false
  private var backOff = BackOff()
  private var position: Int64
  /// What was heard and is not stored yet, since the store could not be written.
  private var unstored: [NetworkEvent] = []
  /// What the network told about itself, and is not stored yet.
  private var learned: [String: String] = [:]
  /// The last connection failed in a way that another try would not change.
  private var failure: String?
  private var retry: TimerID?
  private var storing: TimerID?
  private var leaving: TimerID?
  /// What the wire, and what the downloads say of themselves.
  private var statuses = ("", "")
  private var shownStatus = ""
  /// What the wire says of itself, which holds again once the store can be written.
  private var status = ""
  /// What a shell that was killed has left is still to be cleared away.
  private var aShellEnded = true
  /// What is in the store was not looked at, since it could not be.
  private var hasToLook = false

  /// Milliseconds that it stays after its owner's last shell.
  private let patience: Int64

  /// - Parameters:
  ///   - lease: of the account that this process serves.
  ///   - source: where its settings come from, the password that nobody typed, and addresses.
  ///   - files: where the facts about its server are kept.
  ///   - typed: the password that its owner has typed.
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
    var show: (String) -> Void = { _ in }
    downloads = Downloads(
      with: settings, into: lease.attachmentFolder, loop: loop, names: source
    ) { show($0) }
    show = { [weak self] in self?.show(downloads: $0) }
  }

  /// Connects and serves until there is nobody to serve.
  ///
  /// - Returns: why the network refused the account for good; nil when nothing is wrong.
  /// - Throws: `StoreError`, ``HelperIsGone``.
  package func run() throws -> String? {
    wire.report = { [weak self] in self?.hear($0) }
    downloads.report = { [weak self] in self?.hear(.news($0)) }
    source.ended = { [weak self] in
      self?.isHelperGone = true
      self?.leave()
    }
    loop.watch(try lease.bellDescriptor) { [weak self] in
      guard let self else { return }
      if lease.drainBell().contains(.processExited) { aShellEnded = true }
      look()
    }
    loop.handleSignals([SIGTERM, SIGINT, SIGHUP]) { [weak self] _ in self?.leave() }
    connect()
    look()
    if !hasToLeave { loop.run() }
    // Shells that end at the same time are waited for: nobody tries again.
    lease.patience = 10_000
    isUp = false
    wire.close()
    try? storeNews()
    if isHelperGone { throw HelperIsGone() }
    return failure
  }

  // MARK: The wire

  private func connect() {
    retry = nil
    tell("connecting")
    guard let secret else { return askForPassword() }
    do throws(AccountFileError) {
      let facts = try files.facts(of: account, inStoreAt: lease.path).merging(learned) { $1 }
      wire.connect(secret: secret, settings: facts.merging(settings.values) { $1 })
    } catch {
      failure = error.description
      leave()
    }
  }

  private func askForPassword() {
    asked += 1
    source.password { [weak self, number = asked] answer in
      // The owner may have asked for another try meanwhile.
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

  private func hear(_ report: WireReport) {
    switch report {
    case .up:
      isUp = true
      backOff.loggedIn(at: loop.now)
      downloads.server = wire.server
      pump()
    case .status(let text): tell(text)
    case .news(let news):
      unstored += news
      keep()
    case .learned(let name, let value):
      learned[name] = value
      keep()
    case .down(let reason, let isFinal): down(reason, isFinal: isFinal)
    }
  }

  private func down(_ reason: String, isFinal: Bool) {
    isUp = false
    if isFinal {
      failure = reason
      return leave()
    }
    let pause = backOff.next(at: loop.now, random: random())
    let words = reason.hasSuffix(".") ? String(reason.dropLast()) : reason
    tell("offline, next try \(BackOff.words(for: pause, at: Store.wallClock())): \(words)")
    loop.schedule(&retry, at: loop.now + pause) { [weak self] in self?.connect() }
  }

  // MARK: The store

  /// Stores what was heard. Nothing more is read from the wire until that is done.
  private func keep() {
    if let storing { loop.cancel(storing) }
    storing = nil
    do {
      try storeWhatIsLearned()
      try storeNews()
      show(status)
      if !wire.isReading { wire.isReading = true }
      if hasToLook { look() }
    } catch {
      wire.isReading = false
      let policy = Self.storingPolicy(after: error)
      if policy == .fullStore {
        show("cannot write to the store; receiving is paused until it can")
      }
      loop.schedule(&storing, at: loop.now + policy.pause) { [weak self] in self?.keep() }
    }
  }

  private func storeNews() throws {
    if unstored.isEmpty { return }
    do {
      try lease.apply(unstored, fetchesFiles: settings.fetchLimit > 0)
    } catch StoreError.contradiction {
      // Something in it does not fit what is known: without that, or nothing would come any more.
      while let item = unstored.first {
        do {
          try lease.apply([item], fetchesFiles: settings.fetchLimit > 0)
        } catch StoreError.contradiction {}
        unstored.removeFirst()
      }
    }
    unstored = []
  }

  /// Something was committed, or a shell ended.
  private func look() {
    hasToLook = false
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
      if isUp { try give() }
    } catch {
      again(behind: error)
    }
  }

  /// The owner has changed the settings, or does not want to wait for the next try.
  private func readSettingsIfAsked() throws {
    let asked = try lease.read { try $0.requests(of: account) }.filter {
      [.reconnect, .settings].contains($0.verb)
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
        failure = "run /connect to use the new certificates (ca)"
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
    do { try give() } catch { again(behind: error) }
  }

  private func again(behind error: any Error) {
    hasToLook = true
    guard storing == nil else { return }
    loop.schedule(&storing, at: loop.now + Self.storingPolicy(after: error).pause) { [weak self] in
      self?.keep()
    }
  }

  private static func storingPolicy(after error: any Error) -> Retry {
    if case StoreError.locked = error { .lockedStore } else { .fullStore }
  }

  private func give() throws {
    // Two that send would send twice: whoever has lost the lease goes.
    guard try lease.isHeld else { return leave() }
    let outbox = try lease.read { try $0.outbox(of: account.network) }
    let isNew = outbox.contains { !$0.wasTried }
    let requests = downloads.take(from: try lease.read { try $0.requests(of: account) })
    let (signals, position) = try lease.read {
      try $0.signals(of: account, since: self.position)
    }
    // If this process ends now, the next one knows that the network may have them.
    if isNew { try lease.noteTried(outbox.filter { !$0.wasTried }) }
    wire.take(
      outbox: outbox, requests: requests.filter { ![.reconnect, .settings].contains($0.verb) },
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

  /// What the wire is at would have to begin anew, or be lost.
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

  private func tell(_ status: String) {
    self.status = status
    if unstored.isEmpty || wire.isReading { show(status) }
  }

  /// For the status line of the owner's shells.
  private func show(_ status: String) {
    statuses.0 = status
    showStatus()
  }

  private func show(downloads status: String) {
    statuses.1 = status
    showStatus()
  }

  private func showStatus() {
    let status = [statuses.0, statuses.1].filter { !$0.isEmpty }.joined(separator: ", ")
    guard status != shownStatus else { return }
    do {
      try lease.setStatus(status)
      shownStatus = status
    } catch {
      // The status that holds then is told.
      again(behind: error)
    }
  }
}

/// The process outside the sandbox has ended. This process cannot start another one, and alone it
/// can neither look up names nor read settings. It ends as after a crash, so that a shell starts
/// both again.
package struct HelperIsGone: Error, CustomStringConvertible {
  package let description = "the process that reads the settings and looks names up has ended"
}
