// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc

/// An account of a store, for a process that is about to serve it.
package struct StoredAccount {
  package let account: Account
  private let store: Store

  /// Opens the store.
  ///
  /// - Parameter network: the kind of network and the address there.
  /// - Returns: nil if the store has no such account.
  /// - Throws: `StoreError`.
  package init?(network: String, inStoreAt path: String) throws {
    store = try Store(path: path, options: .init(createIfMissing: false, patience: 10_000))
    guard let found = try store.read({ try $0.account(network: network) }) else { return nil }
    account = found
  }

  /// The store's file.
  package var path: String { store.path }

  /// Makes this process the one that serves the account.
  ///
  /// - Returns: nil if another process serves it.
  /// - Throws: `RuleError.noSuchAccount`, `StoreError`.
  package func lease() throws -> AccountLease? { try AccountLease.acquire(account, in: store) }
}

/// The right to serve an account, which one process at a time has, and everything that this process
/// may do in the store. A network process has no other access to the store.
///
/// The holder's name is in the account's row, and a locked file has that name, as for a shell. The
/// kernel unlocks the file however the process ends, and the others notice without a timer. Such a
/// process is not a shell: it has no row among the shells, so it makes nobody present.
///
/// Every function throws `StoreError` when the store cannot be read or written.
package final class AccountLease {
  package let account: Account
  private let store: Store
  private let inbox: Inbox
  let holder: ShellID
  /// The lock file, open for writing; -1 once the lease is released.
  private(set) var lock: Int32

  private init(_ account: Account, in store: Store, holder: ShellID, lock: Int32) {
    (self.account, self.store, self.holder, self.lock) = (account, store, holder, lock)
    inbox = store.inbox
  }

  /// Makes this process the one that serves an account.
  ///
  /// Removes the presence and typing that an earlier process reported, which are out of date.
  ///
  /// - Returns: nil if another process serves the account.
  /// - Throws: `RuleError.noSuchAccount`, `StoreError`.
  static func acquire(_ account: Account, in store: Store) throws -> AccountLease? {
    let holder = ShellID.random()
    var lock: Int32 = -1
    do {
      // If two processes want the lease, one waits here for the other, and then finds its file
      // locked.
      let isTaken = try store.write { transaction in
        guard try transaction.account(network: account.network)?.id == account.id else {
          throw RuleError.noSuchAccount(account.network)
        }
        if try transaction.hasProcess(of: account) { return false }
        lock = try store.shells.makeLockFile(of: holder)
        try transaction.setHolder(holder, of: account)
        return true
      }
      return isTaken ? AccountLease(account, in: store, holder: holder, lock: lock) : nil
    } catch {
      if lock >= 0 { store.shells.removeLockFile(of: holder, lock) }
      throw error
    }
  }

  deinit { try? release() }

  /// Gives the lease back; does nothing the second time.
  ///
  /// - Parameters:
  ///   - status: ``AccountStatus/ended(reason:)`` if another process would fail as well. It is
  ///     stored together with the release, since a shell starts a new process at once for an
  ///     account that has neither a holder nor such a reason.
  ///   - notice: a sentence for the account's owner.
  package func release(status: AccountStatus = .notRunning, notice: Remark? = nil) throws {
    if lock < 0 { return }
    store.shells.rescueLog(beforeUnlocking: lock)
    defer { lock = -1 }
    do {
      try store.write {
        try $0.removeHolder(holder, of: account, status: status)
        if let notice { try $0.tell(notice, account) }
      }
    } catch {
      // The closed file tells the others.
      close(lock)
      throw error
    }
    store.shells.removeLockFile(of: holder, lock)
  }

  // MARK: Reading

  package func read<T>(_ body: (borrowing Snapshot) throws -> T) throws -> T {
    try store.read(body)
  }

  /// What waits in the store for this process.
  package struct Waiting {
    /// All requests without an answer.
    package var requests: [NetworkRequest]
    /// Whether the owner has a shell.
    package var hasShell: Bool
    package var outbox: [OutboxEntry] = []
    package var signals: [NetworkSignal] = []
    /// Up to where the signals were read; nil if the network's part was not read.
    package var position: Int64?
  }

  /// Reads what waits for this process, in one state of the store.
  ///
  /// - Parameter position: the position that an earlier call returned; signals before it were read.
  ///   Nil while the account is not connected: the result then has nothing for the network.
  /// - Returns: nil if this process no longer serves the account: it was removed, or somebody
  ///   removed the lock file and another process then took the lease.
  package func waiting(since position: Int64?) throws -> Waiting? {
    guard lock >= 0 else { return nil }
    return try store.read { snapshot in
      guard try snapshot.account(network: account.network)?.owner == account.owner,
        try position == nil || snapshot.holderID(of: account) == holder
      else { return nil }
      var waiting = Waiting(
        requests: try snapshot.requests(of: account),
        hasShell: try snapshot.hasShell(account.owner))
      guard let position else { return waiting }
      waiting.outbox = try snapshot.outbox(of: account.network)
      let (signals, end) = try snapshot.signals(of: account, since: position)
      (waiting.signals, waiting.position) = (signals, end)
      return waiting
    }
  }

  /// Returns memory to the system that a large batch has left unused.
  package func releaseMemory() { store.upkeep.releaseMemory() }

  /// The store's file.
  package var path: String { store.path }
  package var attachmentFolder: AttachmentFolder { store.attachmentFolder }
  /// Milliseconds for which SQLite waits for a lock.
  package var patience: Int32 {
    get { store.patience }
    set { store.patience = newValue }
  }
  package var bellDescriptor: Int32 { get throws { try store.bellDescriptor } }
  package func drainBell() -> BellReasons { store.drainBell() }

  // MARK: Writing

  /// Stores events from the network in order, in transactions of at most about 50 ms, and rings the
  /// bell after each. If any event must survive a power cut, all are on disk on return, so that
  /// you may acknowledge them.
  ///
  /// - Parameters:
  ///   - events: on return, or when an error is thrown, those that are not stored yet.
  ///   - fetchesFiles: whether to ask for small files that contacts send.
  ///   - skipped: called with the reason for each event that cannot be stored and was left out.
  /// - Throws: `RuleError.noSuchAccount` if the account was removed meanwhile; `StoreError`.
  package func apply(
    _ events: inout [NetworkEvent], fetchesFiles: Bool, skipped: (any Error) -> Void
  ) throws {
    try inbox.apply(&events, of: account, fetchesFiles: fetchesFiles, skipped: skipped)
  }

  /// Stores events that this process makes itself, and throws the reason if one cannot be stored.
  package func apply(_ events: [NetworkEvent]) throws { try inbox.apply(events, of: account) }

  /// The longest time for which `apply` has kept others from writing, in milliseconds.
  package var longestLock: Int64 { inbox.longestLock }

  /// Records that entries of the outbox, and requests, are about to be handed to the network. The
  /// mark is on disk on return: if a power cut could remove it, the next process would send what
  /// the network has once more (rule 14.2).
  package func noteTried(_ entries: [OutboxEntry], _ requests: [NetworkRequest]) throws {
    try store.writeDurablyIfNeeded {
      try $0.noteTried(entries)
      try $0.noteTried(requests, by: holder)
    }
  }

  /// Notes how often the file with the account's keys has been written.
  package func noteKeyCount(_ count: Int64) throws {
    try store.writeIfNeeded { try $0.noteKeyCount(count, of: account) }
  }

  /// Shows the owner's shells the state of the connection. Does nothing if it has not changed.
  package func setStatus(_ status: AccountStatus) throws {
    try store.writeIfNeeded { try $0.setStatus(of: account, status) }
  }

  /// Removes what dead shells and network processes left behind. Recreates this process's lock file
  /// if somebody removed it.
  package func reapStaleShells() throws {
    if StoreFiles.hasNoName(lock) {
      try store.write {
        let new = try store.shells.makeLockFile(of: holder)
        close(lock)
        lock = new
        // This does nothing if another process has taken the account in the meantime; then nothing
        // waits for this one.
        try $0.restoreHolder(holder, of: account)
      }
    }
    _ = try store.shells.reapStale()
  }

  /// Keeps SQLite's temporary files in memory: for a process that may write only beside the store.
  package func keepTemporaryFilesInMemory() throws {
    try store.keepTemporaryFilesInMemory()
  }

  /// The reason, as a sentence, why network processes cannot serve accounts of this store; nil if
  /// they can.
  package var failureToHoldAccounts: Remark? { store.failureToHoldAccounts }
}
