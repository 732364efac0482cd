// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// Commits steps: their writes in one transaction, and then their outcomes.
extension Session {
  /// Work that needs a snapshot of its own, after the earlier writes are committed.
  enum FollowUp {
    case settleIn, reloadHistory, catchUp, nicknames
    /// Show messages that arrived; `isSeen`: the store already has them as seen.
    case show(Changes, isSeen: Bool)
  }

  /// Handles an event in one snapshot, and commits the step that follows.
  func observe(_ body: (borrowing Snapshot) throws -> Void) {
    do { try store.read { try body($0) } } catch { report(error) }
    commitReady()
  }

  /// Performs the step that `body` makes from a snapshot; reports errors.
  func performStep(_ body: (borrowing Snapshot) throws -> Step) {
    reportingErrors { try perform(try store.read { try body($0) }) }
  }

  /// Commits a step's writes and change in one transaction, and then performs its outcomes. If an
  /// outcome fails, it still performs the others.
  ///
  /// - Throws: the reason why the step cannot be committed, or else why the first outcome failed;
  ///   it complains about outcomes that fail later.
  func perform(_ step: Step) throws {
    write(step.writes)
    var outcomes = step.outcomes
    var failure: (any Error)?
    do {
      if let change = step.change {
        outcomes += try commit([], change)
      } else if !step.writes.isEmpty {
        commitReady()
      }
    } catch { failure = error }
    for outcome in outcomes {
      do {
        switch outcome {
        // The outcome that failed may be the one that opens the conversation for this text.
        case .send where failure != nil: break
        case .send(let text): try send(text)
        case .takeBackLine: _ = takeBackOldestLine()
        case .quit: leave(status: 0, insists: true)
        default: try store.read { try apply(outcome, $0) }
        }
      } catch {
        if failure == nil { failure = error } else { report(error) }
      }
      commitReady()
    }
    if let failure { throw failure }
  }

  /// Performs outcomes that a part of the session returned. They need no transaction in between.
  func act(on outcomes: [Outcome], _ snapshot: borrowing Snapshot) {
    for outcome in outcomes {
      do { try apply(outcome, snapshot) } catch { report(error) }
    }
  }

  func act(on step: Step, _ snapshot: borrowing Snapshot) {
    write(step.writes)
    act(on: step.outcomes, snapshot)
  }

  private func apply(_ outcome: Outcome, _ snapshot: borrowing Snapshot) throws {
    switch outcome {
    case .effect(let effect): emit(effect)
    case .write(let one): write([one])
    case .answer(let lines, let indent): emit(transcript.answer(lines, indent: indent))
    case .complain(let sentences): complain(sentences)
    case .ask(let question): emit(.whenLineBegins(.ask(question)))
    case .list(let sections, let indent): emit(transcript.list(sections, indent: indent))
    case .page(let lines):
      transcript.printer.endRun()
      emit(transcript.page(lines, atEnd: false))
    case .history(let messages, let reactions, let atEnd, let inPager):
      print(messages, reactions, atEnd: atEnd, inPager: inPager, snapshot)
    case .open(let conversation, let isNew): try go(to: conversation, isNew: isNew, snapshot)
    case .openKeepingDraft(let conversation, let isNew):
      if line.isEmpty {
        try go(to: conversation, isNew: isNew, snapshot)
      } else {
        enter(chosen: conversation.id, snapshot)
      }
    case .left(let conversation): left(conversation, snapshot)
    case .edit(let message): edit(message)
    case .saved(let text): saved(text, snapshot)
    case .attach(let path): try attach(path, snapshot)
    case .detach(let number): detach(number, snapshot)
    case .saveLater(let request, let save): pendingSaves[request] = save
    case .startChore(let chore): try begin(chore)
    case .preferences(let preferences):
      apply(preferences)
      countUnread(snapshot)
    case .renamed(let me): updateMe(me, snapshot)
    case .nicknamesChanged: updateMe(me, snapshot)
    case .away(let word): open.become(away: word)
    case .attentionChanged:
      _ = refreshAttention(snapshot)
      elsewhere.forgetCounts()
      countUnread(snapshot)
    case .searched(let continuation): lastSearch = continuation
    case .pause: pause()
    case .resume: resume()
    case .clear:
      transcript.printer.startOver()
      emit(.clearScreen)
    case .draftsCleared: composing.aside.forget(elsewhereThan: lineConversation?.id)
    case .holdDraft: composing.beforeCommand.hold()
    case .accountsChanged: act(on: accounts.refresh(snapshot), snapshot)
    case .awaitConnection(let account): accounts.awaitConnection(of: account)
    case .connect(let account): act(on: accounts.start(account, at: now, snapshot), snapshot)
    case .catchUp: catchUpLater()
    case .tutorial(let tutorial): self.tutorial = tutorial
    case .tutorialAction(let action): tutorial?.note(action)
    case .retryRead: outgoing.scheduleRetry(at: now)
    case .send, .takeBackLine, .quit: break
    }
  }

  // MARK: Committing

  /// Queues writes. This event's step commits them or, if the store is locked or earlier writes
  /// wait, a later one. If a write fails for another reason, hobnob drops it, since the next of its
  /// kind would fail as well; a typed line returns to the person.
  func write(_ writes: [Write]) { for write in writes { queue.add(write) } }

  /// How long this session waits for somebody else's transaction, in milliseconds: no longer than a
  /// person notices. With every message, shells lock the store for a moment to record what they
  /// have shown; that is no reason to refuse a command, and nobody notices the wait.
  private static let patience: Int32 = 100

  /// Lets transactions in `body` wait for `patience`.
  func patiently<T>(_ body: () throws -> T) rethrows -> T {
    guard isInteractive, store.patience < Self.patience else { return try body() }
    let former = store.patience
    store.patience = Self.patience
    defer { store.patience = former }
    return try body()
  }

  /// Commits the waiting writes that nothing holds up, and performs their outcomes.
  func commitReady() {
    repeat {
      if !queue.isLocked, !isStarting { commitBatches() }
      guard !followUps.isEmpty else { return }
      let followUp = followUps.removeFirst()
      reportingErrors { try store.read { follow(followUp, $0) } }
    } while true
  }

  private func commitBatches() {
    while case let batch = queue.takeBatch(), !batch.isEmpty {
      do {
        _ = try isPatient ? patiently { try transact(batch) } : transact(batch)
      } catch StoreError.locked {
        return putBack(batch)
      } catch  where batch.count > 1 {
        // A write that fails must not stop the others.
        for (index, write) in batch.enumerated() {
          do { _ = try transact([write]) } catch StoreError.locked {
            return putBack(Array(batch[index...]))
          } catch { dropWrite(write, because: sentence(for: error)) }
        }
      } catch { dropWrite(batch[0], because: sentence(for: error)) }
    }
  }

  private func putBack(_ batch: [Write]) {
    queue.putBack(batch)
    queue.isLocked = true
    outgoing.scheduleRetry(at: now)
  }

  /// Commits a command's change or another write, together with the waiting writes that nothing
  /// holds up.
  ///
  /// - Throws: why it failed; then nothing has changed.
  func commit(_ added: [Write] = [], _ change: Step.Change? = nil) throws -> [Outcome] {
    // Writes with transactions of their own come first.
    if queue.hasOwnTransactions { commitReady() }
    let batch = queue.isLocked || isStarting ? [] : queue.takeBatch()
    do {
      return try patiently { try transact(batch + added, change) }
    } catch {
      queue.putBack(batch)
      throw error
    }
  }

  /// The result of a committed write, for the session.
  private enum Committed {
    case line(Line, Message, key: AttachedFiles.ConversationKey)
    case draft(ID<Conversation>, String?)
    case returned([ReturnedLine])
    case takenBack(Set<ID<Message>>)
    case nickname(Account, AccountSettings)
  }

  /// The only place that writes a step into the store.
  private func transact(_ writes: [Write], _ change: Step.Change? = nil) throws -> [Outcome] {
    if let write = writes.first, write.hasOwnTransaction {
      try performAlone(write)
      return []
    }
    let (me, shell, known, accounts) = (me.id, shellID, composing.draft.known, accounts)
    guard change != nil || writes.contains(where: \.isDurable) else {
      let takenBack = try store.writeIfNeeded { transaction in
        var takenBack: Set<ID<Message>> = []
        for write in writes { takenBack.formUnion(try transaction.perform(write, by: me, shell)) }
        return takenBack
      }
      arrivals.note(takenBack: takenBack)
      return []
    }
    let (committed, outcomes) = try store.writeDurablyIfNeeded { transaction in
      var committed: [Committed] = []
      for write in writes {
        switch write {
        case .line(let line):
          let message = try transaction.send(line, by: me, shell)
          let address = try? transaction.lastingAddress(of: line.conversation, for: me)
          committed.append(
            .line(line, message, key: .init(id: line.conversation, address: address ?? "")))
        case .draft(let conversation, let draft):
          if try transaction.store(draft, of: me, in: conversation, known: known[conversation]) {
            committed.append(.draft(conversation, draft?.text))
          }
        case .returned(let lines, let conversation):
          try transaction.store(
            lines.map(\.line), aboveDraftIn: conversation, of: me, shell)
          committed.append(.returned(lines))
        case .nickname(let account):
          if let settings = try accounts.takeNick(of: account, transaction) {
            committed.append(.nickname(account, settings))
          }
        default: committed.append(.takenBack(try transaction.perform(write, by: me, shell)))
        }
      }
      return (committed, try change?(transaction) ?? [])
    }
    for each in committed {
      switch each {
      case .line(let line, let message, let key): sent(line, as: message, key)
      case .draft(let conversation, let text): composing.draft.known[conversation] = text
      case .returned(let lines): tellReturned(lines)
      case .takenBack(let messages): arrivals.note(takenBack: messages)
      case .nickname(let account, let settings):
        reportingErrors { try accounts.noteTakenNick(settings, of: account) }
        followUps.append(.nicknames)
      }
    }
    return outcomes
  }

  private func performAlone(_ write: Write) throws {
    switch write {
    case .attach where shellID == nil:
      shellID = try store.shells.attach(me.id)
      try store.shells.show(open.id, paused: !readState.isLooking)
      followUps.insert(.reloadHistory, at: 0)
      _ = try store.shells.reapStale()
    case .open(let conversation, let isPaused):
      try store.shells.show(conversation, paused: isPaused)
    case .reapStaleShells: _ = try store.shells.reapStale()
    default: break
    }
  }

  /// Drops a write that cannot be stored, however long it waits.
  private func dropWrite(_ write: Write, because reason: SafeText) {
    switch write {
    case .line(let line): returnLine(line, because: reason)
    case .returned(let lines, _):
      outgoing.noteUnsent()
      for each in lines { showUnsent(each.line) }
    default: break
    }
  }

  // MARK: Trying again

  /// Performs the waiting writes, as far as possible.
  func retry() {
    outgoing.beginTry()
    queue.isLocked = false
    let former = isPatient
    isPatient = false
    commitReady()
    isPatient = former
    if queue.isLocked { return giveUpOldLine() }
    outgoing.succeeded()
    // Nothing is left to write: the next tick ends the program, in `retryIfDue()`.
    if outgoing.isLeaving, queue.isEmpty { outgoing.scheduleRetry(at: now) }
  }

  func retryIfDue() {
    guard let deadline = outgoing.deadline, now >= deadline else { return }
    retry()
    if !outgoing.isLeaving || queue.lines.isEmpty {
      catchUpLater()
      commitReady()
    }
    guard let leaving = outgoing.leaving else { return }
    if queue.isEmpty || now >= leaving.by && !queue.holdsTypedText { quit() }
  }

  private func follow(_ followUp: FollowUp, _ snapshot: borrowing Snapshot) {
    switch followUp {
    case .settleIn: settleIn(snapshot)
    case .reloadHistory: reloadHistory(snapshot)
    case .catchUp: readArrivals(snapshot)
    case .show(let changes, let isSeen): show(changes, isSeenNow: isSeen, snapshot)
    case .nicknames:
      act(on: accounts.readSettings(), snapshot)
      updateMe(me, snapshot)
    }
  }
}
