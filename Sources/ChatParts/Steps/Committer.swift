// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Conversations
import StyledText

/// Commits writes to the store, of which only this has the handle: in order, in one transaction for
/// as many as possible, and later while somebody else has locked the store (rule 1.2).
@MainActor
package final class Committer {
  package let store: Store
  private let isInteractive: Bool
  /// This process among the running shells; nil until the store has it.
  package private(set) var shellID: ShellID?
  /// Writes waiting to be committed.
  package var queue = WriteQueue()
  /// Whether the first prompt is not on the screen yet: writes that it does not need wait.
  package var isStarting = false
  /// Whether the writes of this event wait for somebody else's transaction; they are tried again
  /// otherwise.
  package var isPatient = true
  /// When to try again, in monotonic milliseconds.
  package private(set) var deadline: Int64?
  /// Milliseconds until the next try; they grow while a lock lasts.
  private var delay: Int64 = 2
  package private(set) var leaving: Leaving?
  /// Whether the session has ended because the store cannot be used any more.
  package var hasEnded = false

  /// The person has left, with this exit status; what they typed still waits.
  package struct Leaving {
    package var status: Int32
    /// When to stop waiting, in monotonic milliseconds; typed text waits as long as it takes.
    package let by: Int64
  }

  /// What a commit has to know of the session.
  package struct Context {
    let me: ID<Participant>
    /// The texts of the drafts that this shell last stored or restored.
    let knownDrafts: [ID<Conversation>: String]
    let accounts: Accounts

    package init(
      me: ID<Participant>, knownDrafts: [ID<Conversation>: String], accounts: Accounts
    ) {
      (self.me, self.knownDrafts, self.accounts) = (me, knownDrafts, accounts)
    }
  }

  /// The result of a write, for the session.
  package enum Committed {
    case line(Line, Message, key: AttachedFiles.ConversationKey)
    case draft(ID<Conversation>, String?)
    case returned([ReturnedLine])
    case takenBack(Set<ID<Message>>)
    case nickname(Account, AccountSettings)
    /// The store has this shell.
    case attached
    /// The write cannot be stored, however long it waits.
    case dropped(Write, because: SafeText)
  }

  package init(_ store: Store, isInteractive: Bool) {
    (self.store, self.isInteractive) = (store, isInteractive)
  }

  /// Call this before any other use.
  package func begin() {
    isStarting = isInteractive
    if isInteractive { store.patience = 0 }
  }

  // MARK: Committing

  /// How long this session waits for somebody else's transaction, in milliseconds: no longer than a
  /// person notices. With every message, shells lock the store for a moment to record what they
  /// have shown; that is no reason to refuse a command, and nobody notices the wait.
  private static let patience: Int32 = 100

  /// Lets transactions in `body` wait for `patience`.
  package func patiently<T>(_ body: () throws -> T) rethrows -> T {
    guard isInteractive, store.patience < Self.patience else { return try body() }
    let former = store.patience
    store.patience = Self.patience
    defer { store.patience = former }
    return try body()
  }

  /// Commits the next writes that nothing holds up; nil if there are none.
  package func commitNext(_ context: Context, at now: Int64) -> [Committed]? {
    guard !queue.isLocked, !isStarting else { return nil }
    let batch = queue.takeBatch()
    guard !batch.isEmpty else { return nil }
    do {
      return try isPatient
        ? patiently { try transact(batch, nil, context) }.committed
        : transact(batch, nil, context).committed
    } catch StoreError.locked {
      putBack(batch, at: now)
      return []
    } catch {
      if batch.count == 1 { return [.dropped(batch[0], because: sentence(for: error))] }
      // A write that fails must not stop the others.
      return commitEach(of: batch, context, at: now)
    }
  }

  private func commitEach(
    of batch: [Write], _ context: Context, at now: Int64
  ) -> [Committed] {
    var committed: [Committed] = []
    for (index, write) in batch.enumerated() {
      do {
        committed += try transact([write], nil, context).committed
      } catch StoreError.locked {
        putBack(Array(batch[index...]), at: now)
        break
      } catch {
        committed.append(.dropped(write, because: sentence(for: error)))
      }
    }
    return committed
  }

  private func putBack(_ batch: [Write], at now: Int64) {
    queue.putBack(batch)
    queue.isLocked = true
    scheduleRetry(at: now)
  }

  /// Commits a command's change or another write, together with the waiting writes that nothing
  /// holds up.
  ///
  /// - Throws: why it failed; then nothing has changed.
  package func commit(
    _ added: [Write], _ change: Step.Change?, _ context: Context
  ) throws -> (committed: [Committed], effects: [Effect]) {
    let batch = queue.isLocked || isStarting ? [] : queue.takeBatch()
    do {
      return try patiently { try transact(batch + added, change, context) }
    } catch {
      queue.putBack(batch)
      throw error
    }
  }

  /// The only place that writes a step into the store.
  private func transact(
    _ writes: [Write], _ change: Step.Change?, _ context: Context
  ) throws -> (committed: [Committed], effects: [Effect]) {
    if let write = writes.first, write.hasOwnTransaction {
      return (try performAlone(write, context), [])
    }
    let (me, shell) = (context.me, shellID)
    guard change != nil || writes.contains(where: \.isDurable) else {
      let takenBack = try store.writeIfNeeded { transaction in
        var takenBack: Set<ID<Message>> = []
        for write in writes { takenBack.formUnion(try transaction.perform(write, by: me, shell)) }
        return takenBack
      }
      return ([.takenBack(takenBack)], [])
    }
    return try store.writeDurablyIfNeeded { transaction in
      var committed: [Committed] = []
      for write in writes {
        if let each = try Self.perform(write, context, shell, transaction) {
          committed.append(each)
        }
      }
      return (committed, try change?(transaction) ?? [])
    }
  }

  private static func perform(
    _ write: Write, _ context: Context, _ shell: ShellID?,
    _ transaction: borrowing DurableTransaction
  ) throws -> Committed? {
    let me = context.me
    switch write {
    case .line(let line):
      let message = try transaction.send(line, by: me, shell)
      let address = try? transaction.lastingAddress(of: line.conversation, for: me)
      return .line(line, message, key: .init(id: line.conversation, address: address ?? ""))
    case .draft(let conversation, let draft):
      let known = context.knownDrafts[conversation]
      let isStored = try transaction.store(draft, of: me, in: conversation, known: known)
      return isStored ? .draft(conversation, draft?.text) : nil
    case .returned(let lines, let conversation):
      try transaction.store(lines.map(\.line), aboveDraftIn: conversation, of: me, shell)
      return .returned(lines)
    case .nickname(let account):
      let settings = try context.accounts.takeNick(of: account, transaction)
      return settings.map { .nickname(account, $0) }
    default: return .takenBack(try transaction.perform(write, by: me, shell))
    }
  }

  private func performAlone(_ write: Write, _ context: Context) throws -> [Committed] {
    switch write {
    case .attach where shellID == nil:
      shellID = try store.shells.attach(context.me)
      return [.attached]
    case .open(let conversation, let isPaused):
      try store.shells.show(conversation, paused: isPaused)
    case .reapStaleShells: _ = try store.shells.reapStale()
    default: break
    }
    return []
  }

  // MARK: Trying again

  /// Schedules another try soon, after a read or write failed.
  package func scheduleRetry(at now: Int64) {
    guard deadline == nil else { return }
    deadline = now + delay
    delay = min(delay * 2, 50)
  }

  /// Tries the waiting writes with `commit`, which does not wait for somebody else's transaction.
  ///
  /// - Returns: whether the store was not locked.
  package func retry(_ commit: () -> Void) -> Bool {
    deadline = nil
    queue.isLocked = false
    let former = isPatient
    isPatient = false
    commit()
    isPatient = former
    if !queue.isLocked { delay = 2 }
    return !queue.isLocked
  }

  // MARK: Leaving

  package var isLeaving: Bool { leaving != nil }

  package func leave(status: Int32, at now: Int64) {
    // With status 0 a person may be waiting at the terminal; otherwise perhaps nobody is.
    leaving = Leaving(
      status: status, by: leaving?.by ?? now + (status == 0 ? 20_000 : 60_000))
  }

  /// Records that something typed could not be stored.
  package func noteUnsent() { if leaving?.status == 0 { leaving?.status = 1 } }
}
