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
  /// The reason that was last given for a failed read; each reason is given only once.
  private var readFailure: String?
  /// Whether the person knows that the store is damaged.
  private var hasToldDamage = false
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
    let widths: Widths

    package init(
      me: ID<Participant>, knownDrafts: [ID<Conversation>: String], accounts: Accounts,
      widths: Widths
    ) {
      (self.me, self.knownDrafts) = (me, knownDrafts)
      (self.accounts, self.widths) = (accounts, widths)
    }
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

  /// Commits the next writes that nothing holds up.
  ///
  /// - Returns: what follows from them or, if there are none, from the earlier ones, in a snapshot of
  ///   its own; nil if nothing does.
  package func next(_ context: Context, at now: MonotonicTime) -> [Effect]? {
    if let effects = commitNext(context, at: now) { return effects }
    if isUnreadable { return nil }
    if !followUps.isEmpty { return followUps.removeFirst() }
    guard catchesUp else { return nil }
    catchesUp = false
    return [.readArrivals]
  }

  /// Keeps effects for the next try, since the store cannot be read at present.
  package func postpone(_ effects: [Effect]) { followUps.insert(effects, at: 0) }

  // MARK: Reading

  /// Runs `body` in one snapshot of the store. If a person at a prompt cannot read the store at all,
  /// everything that reads waits for the next try, which also reads arrivals.
  ///
  /// - Parameter tellsLock: whether to report that somebody else has locked the store.
  /// - Returns: whether the store was read, and the error to report, if any.
  package func read(
    tellsLock: Bool, at now: MonotonicTime, _ body: (borrowing Snapshot) throws -> Void
  ) -> (isRead: Bool, error: (any Error)?) {
    var hasBegun = false
    do {
      try store.read {
        hasBegun = true
        try body($0)
      }
    } catch {
      guard isInteractive, !hasBegun else { return (true, error) }
      noteUnreadable(at: now)
      if case StoreError.locked = error, !tellsLock { return (false, nil) }
      defer { readFailure = "\(error)" }
      return (false, readFailure == "\(error)" ? nil : error)
    }
    readFailure = nil
    if !queue.isLocked { delay = 2 }
    return (true, nil)
  }

  func noteUnreadable(at now: MonotonicTime) {
    isUnreadable = true
    scheduleRetry(at: now)
  }

  /// That the store is damaged, unless the person knows: what looks empty, such as who is here, may
  /// be unreadable.
  package func untoldDamage() -> SafeText? {
    guard !hasToldDamage, let damage = store.damage else { return nil }
    hasToldDamage = true
    return sentence(for: damage)
  }

  /// Notes that the person learns of an error: of the damage, perhaps, which need not be said again.
  package func noteTold(_ error: any Error) {
    if let damage = store.damage, error as? StoreError == damage { hasToldDamage = true }
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

  /// Claims messages for a notification: each of the person's shells learns of a message, but only
  /// the one that claims it notifies the person. They claim it at the same time, and so wait for
  /// each other.
  ///
  /// - Returns: the newest message that one of them has claimed before. While the store is locked,
  ///   two notifications are better than none.
  package func claimNotifications(
    of me: ID<Participant>, upTo message: ID<Message>
  ) -> ID<Message> {
    let claimed = try? patiently {
      try store.writeIfNeeded { try $0.claimNotifications(of: me, upTo: message) }
    }
    return claimed ?? ID(rawValue: 0)
  }

  private func commitNext(_ context: Context, at now: MonotonicTime) -> [Effect]? {
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
      if batch.count == 1 { return drop(batch[0], because: error) }
      // A write that fails must not stop the others.
      return commitEach(of: batch, context, at: now)
    }
  }

  private func commitEach(
    of batch: [Write], _ context: Context, at now: MonotonicTime
  ) -> [Effect] {
    var effects: [Effect] = []
    for (index, write) in batch.enumerated() {
      do {
        effects += try transact([write], nil, context).committed
      } catch StoreError.locked {
        putBack(Array(batch[index...]), at: now)
        break
      } catch {
        effects += drop(write, because: error)
      }
    }
    return effects
  }

  /// What becomes of a write that cannot be stored, however long it waits.
  private func drop(_ write: Write, because error: any Error) -> [Effect] {
    switch write {
    case .line(let line): return giveBack(line, because: sentence(for: error))
    case .returned(let lines, _):
      noteUnsent()
      return [.complain(lines.map(\.line.unsent))]
    default: return []
    }
  }

  private func putBack(_ batch: [Write], at now: MonotonicTime) {
    queue.putBack(batch)
    queue.isLocked = true
    scheduleRetry(at: now)
  }

  /// Commits a command's change or another write, together with the waiting writes that nothing
  /// holds up.
  ///
  /// - Returns: what follows from the writes, and the effects of the change.
  /// - Throws: why it failed; then nothing has changed.
  package func commit(
    _ added: [Write], _ change: Step.Change?, _ context: Context
  ) throws -> (committed: [Effect], effects: [Effect]) {
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
    -> [Effect]
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
  ) throws -> (committed: [Effect], effects: [Effect]) {
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
      var committed: [Effect] = []
      for write in writes { committed += try perform(write, context, transaction) }
      return (committed, try change?(transaction) ?? [])
    }
  }

  private func perform(
    _ write: Write, _ context: Context, _ transaction: borrowing DurableTransaction
  ) throws -> [Effect] {
    let (me, shell) = (context.me, shellID)
    switch write {
    case .line(let line):
      let message = try transaction.send(line, by: me, shell)
      let address = try? transaction.lastingAddress(of: line.conversation, for: me)
      return [.sent(line, message, .init(id: line.conversation, address: address ?? ""))]
    case .draft(let conversation, let draft):
      let known = context.knownDrafts[conversation]
      let isStored = try transaction.store(draft, of: me, in: conversation, known: known)
      return isStored ? [.draftStored(draft?.text, in: conversation)] : []
    case .returned(let lines, let conversation):
      try transaction.store(lines.map(\.line), aboveDraftIn: conversation, of: me, shell)
      return storedReturned(lines, context.widths)
    case .nickname(let account):
      let settings = try context.accounts.takeNick(of: account, transaction)
      return settings.map { [.nicknameTaken(account, $0)] } ?? []
    default: return [.takenBack(try transaction.perform(write, by: me, shell))]
    }
  }

  private func performAlone(_ write: Write, _ context: Context) throws -> [Effect] {
    switch write {
    case .attach where shellID == nil:
      shellID = try store.shells.attach(context.me)
      return [.shellAttached]
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

  /// Tries again if it is time, and then also reads arrivals.
  package func retryIfDue(at now: MonotonicTime, _ commit: () -> Void) -> [Effect] {
    guard let deadline, now >= deadline else { return [] }
    let effects = retry(at: now, commit)
    if !isLeaving || queue.lines.isEmpty {
      catchesUp = true
      commit()
    }
    return isDone(at: now) ? effects + quit() : effects
  }

  // MARK: Leaving

  package var isLeaving: Bool { leaving != nil }

  /// Leaves the program, once these writes, and everything typed before, are stored.
  ///
  /// - Parameter insists: whether a second attempt ends the program at once, without waiting. False
  ///   for a signal or a closed terminal.
  package func leave(
    status: Int32, insists: Bool, after writes: [Write], at now: MonotonicTime,
    _ commit: () -> Void
  ) -> [Effect] {
    if isLeaving, insists { return quit() }
    let isAgain = isLeaving
    // With status 0 a person may be waiting at the terminal; otherwise perhaps nobody is.
    leaving = Leaving(
      status: status, by: leaving?.by ?? now + (status == 0 ? 20_000 : 60_000))
    if isAgain { return [] }
    plan(Step(writes: writes))
    let effects = retry(at: now, commit)
    if queue.isEmpty { return effects + quit() }
    if queue.isReady { scheduleRetry(at: now) }
    return effects + (waitNotice.map { [.notice($0)] } ?? [])
  }

  /// Whether the person has left, and nothing else has to be stored.
  private func isDone(at now: MonotonicTime) -> Bool {
    guard let leaving else { return false }
    return queue.isEmpty || now >= leaving.by && !queue.holdsTypedText
  }

  /// Records that something typed could not be stored.
  func noteUnsent() { if leaving?.status == 0 { leaving?.status = 1 } }

  /// The end of the program, after the lines that cannot be stored, as a last resort.
  private func quit(status least: Int32 = 0) -> [Effect] {
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
