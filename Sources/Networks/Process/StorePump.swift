// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import NetworkInbox
import Platform
import Sentences

/// The store's side of a network process: it stores what the network sends, and hands over what
/// waits for the network. While the store cannot be written, nothing more is read from the network.
@MainActor
final class StorePump {
  /// Called when the process has to end, since it no longer serves the account.
  var leave: () -> Void = {}
  /// Called at each change of the store, with the requests that are for the process itself.
  var changed: (_ requests: [NetworkRequest], _ hasShell: Bool) throws -> Void = { _, _ in }
  /// Takes the requests for files, and returns the others.
  var takeFiles: ([NetworkRequest]) -> [NetworkRequest] = { $0 }
  /// The files that are on their way, for the status.
  var activities: () -> [AccountStatus.Activity?] = { [] }
  /// Whether to ask for small files that contacts send.
  var fetchesFiles = false
  /// Whether the wire is logged in.
  var isUp = false
  /// Whether to remove the traces of shells that were killed; at the start there may be some.
  var mustReapShells = true
  /// Facts about the server that are not stored yet.
  private(set) var learned: [String: String] = [:]
  /// Called when what the network's program asked to keep cannot be written, once with the reason.
  var keepingFailed: (Remark) -> Void = { _ in }

  private let lease: AccountLease
  private let wire: any Wire
  private let loop: EventLoop
  private let files: AccountFiles
  private var position: Int64
  /// Events that are not stored yet, because the store could not be written.
  private var unstored: [NetworkEvent] = []
  /// Whether the owner knows that events of this connection were skipped.
  private var hasToldSkipped = false
  /// The sentence that says so, until it is stored.
  private var skipNotice: Remark?
  private var timer: TimerID?
  /// The state of the connection, without uploads and downloads.
  private var status = AccountStatus.connecting
  /// Whether the status in the store is out of date.
  private var mustPublishStatus = true
  /// Whether the store could not be read and has to be read again.
  private var mustRead = false
  /// Why what the network's program asked to keep is not written yet; nil if all of it is.
  private var keepingFailure: Remark?

  init(_ lease: AccountLease, over wire: any Wire, loop: EventLoop, files: AccountFiles) throws {
    (self.lease, self.wire, self.loop, self.files) = (lease, wire, loop, files)
    position = try lease.read { try $0.position }
  }

  // MARK: From the network

  /// Call this after a login.
  func begin() { (isUp, hasToldSkipped) = (true, false) }

  func add(_ events: [NetworkEvent]) {
    unstored += events
    store()
  }

  func learn(_ name: String, _ value: String) {
    learned[name] = value
    store()
  }

  private func store() {
    if let timer { loop.cancel(timer) }
    timer = nil
    do {
      try applyUnstored()
      // Before the wire goes on, which may tell the network's program that all of it is stored.
      try storeLearned()
      if mustPublishStatus { publishStatus() }
      if !wire.isReading { wire.isReading = true }
      if mustRead { read() }
    } catch {
      if hasGone(error) { return leave() }
      wire.isReading = false
      let retry = Self.retry(after: error)
      if retry == .fullStore {
        write(.storeIsFull)
        mustPublishStatus = true
      }
      loop.schedule(&timer, at: loop.now + retry.pause) { [weak self] in self?.store() }
    }
  }

  /// Another try follows if the file cannot be written; messages do not wait for it.
  private func storeLearned() throws {
    do {
      try writeLearned()
    } catch {
      if hasGone(error) { throw error }
      loop.schedule(&timer, at: loop.now + Retry.fullStore.pause) { [weak self] in self?.store() }
      guard keepingFailure == nil, learned.keys.contains(where: { $0.hasPrefix("kept.") }) else {
        return
      }
      let reason: Remark = filled(
        (
          "hobnob cannot keep what the program asked it to keep: %1. Free some space or let hobnob write there; then the program starts again.",
          [Remark(of: error)]
        ))
      keepingFailure = reason
      keepingFailed(reason)
    }
  }

  /// Writes the facts.
  func writeLearned() throws {
    if learned.isEmpty { return }
    try files.learn(learned, of: lease.account, inStoreAt: lease.path)
    (learned, keepingFailure) = ([:], nil)
  }

  /// Tries once more to write what the network's program asked to keep, if that failed before.
  ///
  /// - Returns: why it fails; nil if all of it is written.
  func keepAgain() -> Remark? {
    if keepingFailure != nil { store() }
    return keepingFailure
  }

  func applyUnstored() throws {
    // Note the reason at once: the events after it may have to be stored later.
    try lease.apply(&unstored, fetchesFiles: fetchesFiles) { [self] in noteSkipped(because: $0) }
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
        [Remark(of: reason)]
      ))
  }

  private func tryAgain(after error: any Error) {
    if hasGone(error) { return leave() }
    mustRead = true
    guard timer == nil else { return }
    loop.schedule(&timer, at: loop.now + Self.retry(after: error).pause) { [weak self] in
      self?.store()
    }
  }

  /// Whether no retry can succeed: the store is gone, or belongs to a program of another version.
  private func hasGone(_ error: any Error) -> Bool {
    (error as? StoreError)?.isFinal == true || access(lease.path, F_OK) != 0
  }

  private static func retry(after error: any Error) -> Retry {
    if case StoreError.locked = error { .lockedStore } else { .fullStore }
  }

  // MARK: To the network

  /// Reacts to a commit, or to a shell that ended.
  func read() {
    mustRead = false
    do {
      if mustReapShells {
        try lease.reapStaleShells()
        mustReapShells = false
      }
      guard let waiting = try lease.waiting(since: isUp ? position : nil) else { return leave() }
      try changed(waiting.requests.filter(\.isForProcess), waiting.hasShell)
      try handOver(waiting)
    } catch {
      tryAgain(after: error)
    }
  }

  /// Hands over what waits for the network.
  func handOver() {
    do {
      guard let waiting = try lease.waiting(since: position) else { return leave() }
      try handOver(waiting)
    } catch {
      tryAgain(after: error)
    }
  }

  private func handOver(_ waiting: AccountLease.Waiting) throws {
    guard isUp, let position = waiting.position else { return }
    // The wire would hold it back, and a break would take it for sent.
    guard wire.isReading else {
      mustRead = true
      return
    }
    let requests = takeFiles(waiting.requests.filter { !$0.isForProcess })
    let speaking = requests.filter { $0.verb.speaks && !$0.wasTried }
    try wire.deliver(outbox: waiting.outbox, requests: requests, signals: waiting.signals) {
      chosen in
      // If this process dies after this, the next one knows what the network may have.
      let new = waiting.outbox.filter { !$0.wasTried && chosen.contains($0.id) }
      if !new.isEmpty || !speaking.isEmpty { try lease.noteTried(new, speaking) }
    }
    // What the wire reported meanwhile may have made it read further.
    self.position = max(self.position, position)
  }

  // MARK: The status

  func setStatus(_ status: AccountStatus) {
    // Entering rooms and catching up needs memory that nothing needs afterwards.
    if status.isSettled, !self.status.isSettled {
      loop.after(milliseconds: 0) { [weak self] in self?.lease.releaseMemory() }
    }
    self.status = status
    publishStatus()
  }

  /// Publishes the connection's state, with uploads and downloads, to the owner's shells. While the
  /// store cannot be written, waiting events go first.
  func publishStatus() {
    mustPublishStatus = true
    if unstored.isEmpty || wire.isReading { write(activities().reduce(status) { $0.adding($1) }) }
  }

  private func write(_ status: AccountStatus) {
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

extension NetworkRequest {
  /// Whether the process itself answers it, and not the network.
  fileprivate var isForProcess: Bool { verb == .reconnect || verb == .readSettings }
}
