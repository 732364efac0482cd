// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import Platform

/// A network process between the store and the wire (decision 5): it takes from the outbox, stores
/// what it hears and rings the bell, for as long as it holds the account's lease.
@MainActor
package final class NetworkProcess {
  private let store: Store
  private let account: Account
  private let wire: any Wire
  private let loop: EventLoop
  private let secret: String
  /// Whether it stays when its owner has no shell.
  private let stays: Bool

  private let random: () -> Double

  private var isUp = false
  /// Also before the loop runs.
  private var hasToLeave = false
  private var backOff = BackOff()
  private var position: Int64
  /// What was heard and is not stored yet, since the store could not be written.
  private var unstored: [NetworkNews] = []
  /// The last connection failed in a way that another try would not change.
  private var failure: String?
  private var retry: TimerID?
  private var storing: TimerID?
  private var leaving: TimerID?
  private var shownStatus = ""

  /// Milliseconds that it stays after its owner's last shell.
  private let patience: Int64
  /// Milliseconds between two tries to write into a store that is locked, and that is full.
  private static let whileLocked: Int64 = 50
  private static let whileFull: Int64 = 5_000

  /// - Parameters:
  ///   - account: whose lease this process holds.
  ///   - secret: its password.
  ///   - patience: milliseconds that it stays after its owner's last shell.
  ///   - random: from 0 to 1, for the pauses between two tries.
  package init(
    _ account: Account, in store: Store, over wire: any Wire, loop: EventLoop, secret: String,
    stays: Bool, patience: Int64 = 60_000, random: @escaping () -> Double = { .random(in: 0...1) }
  ) throws {
    (self.patience, self.random) = (patience, random)
    (self.account, self.store, self.wire, self.loop) = (account, store, wire, loop)
    (self.secret, self.stays) = (secret, stays)
    position = try store.position
    store.patience = 0
  }

  /// Connects and serves until there is nobody to serve.
  ///
  /// - Returns: why the network refused the account for good; nil when nothing is wrong.
  /// - Throws: `StoreError`.
  package func run() throws -> String? {
    wire.report = { [weak self] in self?.hear($0) }
    loop.watch(try store.bellDescriptor) { [weak self] in
      guard let self else { return }
      _ = store.drainBell()
      look()
    }
    loop.handleSignals([SIGTERM, SIGINT, SIGHUP]) { [weak self] _ in self?.leave() }
    connect()
    look()
    if !hasToLeave { loop.run() }
    wire.close()
    return failure
  }

  // MARK: The wire

  private func connect() {
    retry = nil
    show("connecting")
    let settings = (try? store.account(network: account.network))?.settings ?? account.settings
    wire.connect(secret: secret, settings: settings)
  }

  private func hear(_ report: WireReport) {
    switch report {
    case .up:
      isUp = true
      backOff.reset()
      pump()
    case .status(let text): show(text)
    case .news(let news):
      unstored += news
      keep()
    case .learned(let name, let value): learn(name, value)
    case .down(let reason, let isFinal): down(reason, isFinal: isFinal)
    }
  }

  private func down(_ reason: String, isFinal: Bool) {
    isUp = false
    if isFinal {
      failure = reason
      return leave()
    }
    let pause = backOff.next(random: random())
    let words = reason.hasSuffix(".") ? String(reason.dropLast()) : reason
    show("offline, next try in \((pause + 999) / 1000) s: \(words)")
    loop.schedule(&retry, at: loop.now + pause) { [weak self] in self?.connect() }
  }

  // MARK: The store

  /// Stores what was heard. Nothing more is read from the wire until that is done.
  private func keep() {
    if let storing { loop.cancel(storing) }
    storing = nil
    do {
      if !unstored.isEmpty { try store.take(unstored, of: account) }
      unstored = []
      if !wire.isReading { wire.isReading = true }
    } catch {
      wire.isReading = false
      let isLocked = if case StoreError.locked = error { true } else { false }
      if !isLocked { show("cannot store what arrives; nothing is received until it can") }
      let pause = isLocked ? Self.whileLocked : Self.whileFull
      loop.schedule(&storing, at: loop.now + pause) { [weak self] in self?.keep() }
    }
  }

  /// Something was committed, or a shell ended.
  private func look() {
    do {
      _ = try store.forgetTheDead()
      guard let now = try store.account(network: account.network), now.isWanted,
        now.owner == account.owner
      else { return leave() }
      try stayOrLeave()
      try connectIfAsked()
      if isUp { try give() }
    } catch {
      again()
    }
  }

  /// The owner does not want to wait for the next try, or has changed the settings.
  private func connectIfAsked() throws {
    let asked = try store.requests(of: account).filter { $0.verb == .reconnect }
    if asked.isEmpty { return }
    try store.take(asked.map { .answered($0, "") }, of: account)
    wire.close()
    isUp = false
    if let retry { loop.cancel(retry) }
    connect()
  }

  private func pump() {
    do { try give() } catch { again() }
  }

  private func again() {
    guard storing == nil else { return }
    loop.schedule(&storing, at: loop.now + Self.whileLocked) { [weak self] in
      guard let self else { return }
      keep()
      look()
    }
  }

  private func give() throws {
    // Two that send would send twice: whoever has lost the lease goes.
    guard try store.holdsLease(of: account) else { return leave() }
    let outbox = try store.outbox(of: account.network)
    let isNew = outbox.contains { !$0.wasTried }
    let requests = try store.requests(of: account)
    let (signals, position) = try store.signals(of: account, since: position)
    self.position = position
    // If this process ends now, the next one knows that the network may have them.
    if isNew { try store.noteTried(outbox.filter { !$0.wasTried }) }
    wire.take(outbox: outbox, requests: requests.filter { $0.verb != .reconnect }, signals: signals)
  }

  /// Another try comes with the next connection, where it cannot be kept now.
  private func learn(_ name: String, _ value: String) {
    guard var settings = try? store.account(network: account.network)?.settings,
      settings[name] != value
    else { return }
    settings[name] = value
    try? store.set(account, settings: settings)
  }

  private func stayOrLeave() throws {
    if try stays || store.hasShell(account.owner) {
      if let leaving { loop.cancel(leaving) }
      leaving = nil
    } else if leaving == nil {
      loop.schedule(&leaving, at: loop.now + patience) { [weak self] in self?.leave() }
    }
  }

  private func leave() {
    hasToLeave = true
    loop.stop()
  }

  /// For the status line of the owner's shells.
  private func show(_ status: String) {
    guard status != shownStatus else { return }
    // Where it cannot be told, the next one is.
    if (try? store.setStatus(of: account, status)) != nil { shownStatus = status }
  }
}
