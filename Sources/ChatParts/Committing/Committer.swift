// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Conversations
import Platform
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
  /// Whether a write of this event waits a moment while somebody else has locked the store;
  /// otherwise only the next try writes it.
  package var isPatient = true
  /// Effects for snapshots of their own, once the earlier writes are committed.
  private var followUps: [[Effect]] = []
  /// Whether everything that reads waits for the next try, since the store could not be read.
  package private(set) var isUnreadable = false
  /// Whether to read new changes from the store after them.
  package var catchesUp = false
  /// When to try again.
  package private(set) var deadline: MonotonicTime?
  /// Milliseconds until the next try; they grow while a lock lasts.
  private var delay: Int64 = 2
  private var leaving: Leaving?
  /// Whether the session has ended because the store cannot be used any more.
  private var hasEnded = false

  /// The person has left, with this exit status; what they typed still waits.
  private struct Leaving {
    var status: Int32
    /// When to stop waiting; typed text waits as long as it takes.
    let by: MonotonicTime
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
    case line(PendingLine, Message, key: AttachedFiles.ConversationKey)
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

  // MARK: Steps

  /// Queues a step's writes, and the effects that follow them. They are committed with this event
  /// or, if the store is locked or earlier writes wait, later. If a write fails for another reason,
  /// hobnob drops it, since the next of its kind would fail as well; a typed line returns to the
  /// person.
  package func plan(_ step: Step) {
    for write in step.writes { queue.add(write) }
    if !step.then.isEmpty { followUps.insert(step.then, at: 0) }
  }

  /// What the session does next.
  package enum Due {
    case committed([Committed])
    /// Effects in a snapshot of their own.
    case effects([Effect])
    /// Reading the changes in the store.
    case arrivals
  }

  /// Commits the next writes that nothing holds up or, if there are none, returns what follows from
  /// the earlier ones; nil if nothing does.
  package func next(_ context: Context, at now: MonotonicTime) -> Due? {
    if let committed = commitNext(context, at: now) { return .committed(committed) }
    if isUnreadable { return nil }
    if !followUps.isEmpty { return .effects(followUps.removeFirst()) }
    guard catchesUp else { return nil }
    catchesUp = false
    return .arrivals
  }

  /// Keeps effects for the next try, since the store cannot be read at present.
  package func postpone(_ effects: [Effect]) { followUps.insert(effects, at: 0) }

  /// Call this when the store could not be read.
  package func noteUnreadable(at now: MonotonicTime) {
    isUnreadable = true
    scheduleRetry(at: now)
  }

  /// Call this when the store has been read.
  package func noteRead() { if !queue.isLocked { delay = 2 } }

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

  private func commitNext(_ context: Context, at now: MonotonicTime) -> [Committed]? {
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
    of batch: [Write], _ context: Context, at now: MonotonicTime
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

  private func putBack(_ batch: [Write], at now: MonotonicTime) {
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

  /// Stores a line now or, if the store is locked or the line has to wait for its files, later.
  ///
  /// - Throws: any other reason why it cannot be stored.
  package func store(_ line: PendingLine, _ context: Context, at now: MonotonicTime) throws
    -> [Committed]
  {
    if !isInteractive || !queue.mustWait(.line(line)) {
      do {
        return try commit([.line(line)], nil, context).committed
      } catch StoreError.locked where isInteractive {
        queue.isLocked = true
      }
    }
    queue.add(.line(line))
    if queue.isLocked { scheduleRetry(at: now) }
    return []
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
  package func scheduleRetry(at now: MonotonicTime) {
    guard deadline == nil else { return }
    deadline = now + delay
    delay = min(delay * 2, 50)
  }

  /// Tries what waits with `commit`, which does not wait for somebody else's transaction.
  package func retry(at now: MonotonicTime, _ commit: () -> Void) -> [Effect] {
    deadline = nil
    let wasUnreadable = isUnreadable
    (queue.isLocked, isUnreadable) = (false, false)
    let former = isPatient
    isPatient = false
    commit()
    isPatient = former
    if queue.isLocked { return giveBackOldLine(at: now) }
    if !wasUnreadable, !isUnreadable { delay = 2 }
    // Nothing is left to write: the next try ends the program.
    if isLeaving, queue.isEmpty { scheduleRetry(at: now) }
    return []
  }

  // MARK: Leaving

  package var isLeaving: Bool { leaving != nil }

  package func leave(status: Int32, at now: MonotonicTime) {
    // With status 0 a person may be waiting at the terminal; otherwise perhaps nobody is.
    leaving = Leaving(
      status: status, by: leaving?.by ?? now + (status == 0 ? 20_000 : 60_000))
  }

  /// Whether the person has left, and nothing else has to be stored.
  package func isDone(at now: MonotonicTime) -> Bool {
    guard let leaving else { return false }
    return queue.isEmpty || now >= leaving.by && !queue.holdsTypedText
  }

  /// Records that something typed could not be stored.
  package func noteUnsent() { if leaving?.status == 0 { leaving?.status = 1 } }

  /// The end of the program, after the lines that cannot be stored, as a last resort.
  package func quit(status least: Int32 = 0) -> [Effect] {
    let status = max(least, leaving?.status ?? 0)
    let unsent = unsentLines.map { Effect.complain([$0.unsent]) }
    return unsent + [.quit(status: status == 0 && !unsent.isEmpty ? 1 : status)]
  }

  /// The end of the program because the store cannot be used any more: anything typed from now on
  /// would be lost. The line stays on the screen.
  package func end(because error: StoreError, unsent text: String) -> [Effect] {
    if hasEnded { return [] }
    hasEnded = true
    let lines = text.isEmpty ? [] : [say("Not sent: %1", SafeText(body: text))]
    return [.complain([sentence(for: error)] + lines)] + quit(status: 1)
  }
}
