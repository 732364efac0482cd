// SPDX-License-Identifier: GPL-3.0-or-later
import ChatCommands
import ChatParts
import ChatPreferences
import ChatRendering
import Conversations
import StyledText

/// Has steps committed, and carries out their effects.
extension Session {
  /// Handles an event in one snapshot, and commits the step that follows.
  func observe(_ body: (borrowing Snapshot) throws -> Void) {
    readStore(body)
    commitReady()
  }

  /// Runs `body` in one snapshot of the store, and reports its error. If the store cannot be read at
  /// all, the session gives the reason once and waits for the next try, which also reads arrivals.
  ///
  /// - Parameter tellsLock: whether to report that somebody else has locked the store.
  /// - Returns: false if the store can be read later.
  @discardableResult
  func readStore(tellsLock: Bool = true, _ body: (borrowing Snapshot) throws -> Void) -> Bool {
    var hasBegun = false
    do {
      try store.read {
        hasBegun = true
        try body($0)
      }
    } catch {
      guard isInteractive, !hasBegun else {
        report(error)
        return true
      }
      committer.noteUnreadable(at: now)
      if case StoreError.locked = error, !tellsLock { return false }
      if readFailure != "\(error)" { report(error) }
      readFailure = "\(error)"
      return false
    }
    readFailure = nil
    committer.noteRead()
    return true
  }

  /// Performs the step that `body` makes from a snapshot; reports errors.
  func performStep(_ body: (borrowing Snapshot) throws -> Step) {
    reportingErrors { try perform(try store.read { try body($0) }) }
  }

  /// Commits a step's writes and change in one transaction, and then performs its effects. If an
  /// effect fails, it still carries out the others.
  ///
  /// - Throws: the reason why the step cannot be committed, or else why the first effect failed;
  ///   it complains about effects that fail later.
  func perform(_ step: Step) throws {
    committer.plan(step)
    var due = step.effects
    var failure: (any Error)?
    do {
      if let line = step.line { try store(line) }
      if let change = step.change {
        due += try commit(change)
      } else if !step.writes.isEmpty {
        commitReady()
      }
    } catch { failure = error }
    for effect in due {
      do {
        switch effect {
        // The effect that failed may be the one that opens the conversation for this text.
        case .send where failure != nil: break
        case .send(let text):
          let scene = scene
          try perform(
            try store.read { try composing.send(text, &committer.queue, scene, $0) })
        case .takeBackLine: effects += committer.takeBackOldestLine(at: now) ?? []
        case .leave: leave(status: 0, insists: true)
        default:
          if !applyWithoutStore(effect) { try store.read { try apply(effect, $0) } }
        }
      } catch {
        if failure == nil { failure = error } else { report(error) }
      }
      commitReady()
    }
    if let failure { throw failure }
  }

  /// Performs effects that a part of the session returned. They need no transaction in between.
  func act(on effects: [Effect], _ snapshot: borrowing Snapshot) {
    for effect in effects { reportingErrors { try apply(effect, snapshot) } }
  }

  /// The same, without a snapshot at hand. While the store cannot be read, the effects that need
  /// one wait, and those after them.
  func act(on effects: [Effect]) {
    let waiting = Array(effects.drop(while: applyWithoutStore))
    if waiting.isEmpty { return }
    if !readStore(tellsLock: false, { act(on: waiting, $0) }) { committer.postpone(waiting) }
  }

  func act(on step: Step, _ snapshot: borrowing Snapshot) {
    committer.plan(step)
    act(on: step.effects, snapshot)
  }

  /// Performs an effect that needs no snapshot of the store.
  ///
  /// - Returns: false if it needs one; then nothing has happened.
  private func applyWithoutStore(_ effect: Effect) -> Bool {
    switch effect {
    case .write(let one): write([one])
    case .answer(let lines, let indent): emit(feed.renderer.answer(lines, indent: indent))
    case .complain(let sentences): complain(sentences)
    case .list(let sections, let indent): emit(feed.renderer.list(sections, indent: indent))
    case .longAnswer(let lines):
      feed.renderer.printer.endRun()
      emit(feed.renderer.page(lines, atEnd: false))
    case .beginEdit(let message): act(on: composing.beginEdit(of: message, scene))
    case .saved(let text):
      let step = composing.saved(text)
      committer.plan(step)
      act(on: step.effects)
    case .giveBack(let line, let reason): act(on: committer.giveBack(line, because: reason))
    case .stopTyping: write(navigator.open.stopTyping(at: now))
    case .saveLater(let request, let save): feed.pendingSaves[request] = save
    case .startChore(let chore) where isInteractive: emit(.run(chore))
    case .away(let word): navigator.open.become(away: word)
    case .searched(let continuation): lastSearch = continuation
    case .pause: act(on: feed.pause(scene))
    case .resume: act(on: feed.resume(scene))
    case .clearScreen:
      feed.renderer.printer.startOver()
      emit(effect)
    case .draftsCleared: composing.aside.forget(elsewhereThan: lineConversation?.id)
    case .holdDraft: composing.beforeCommand.hold()
    case .awaitConnection(let account): accounts.awaitConnection(of: account)
    case .catchUp: committer.catchesUp = true
    case .tutorial(let tutorial): self.tutorial = tutorial
    case .tutorialAction(let action): tutorial?.note(action)
    case .endChoice: if composing.endChoice() { emit(effect) }
    case .retryRead: committer.scheduleRetry(at: now)
    case .ask(let question): emit(.whenLineBegins(.ask(question)))
    case .print, .show, .page, .notice, .endNotice, .bell, .refused, .fillLine, .restore,
      .swapLine, .beginChoice, .edit, .endEdit, .addHistory, .setHistory,
      .whenLineBegins, .bind, .copy, .run, .launch, .notify, .connect, .quit:
      emit(effect)
    case .history, .open, .openKeepingDraft, .switchLine, .left, .attach, .detach, .save,
      .startChore, .preferences, .renamed, .nicknamesChanged, .attentionChanged, .accountsChanged,
      .startAccount, .arrived, .settleIn, .nicknameTaken, .reloadHistory, .send, .takeBackLine,
      .leave:
      return false
    }
    return true
  }

  private func apply(_ effect: Effect, _ snapshot: borrowing Snapshot) throws {
    if applyWithoutStore(effect) { return }
    switch effect {
    case .history(let messages, let reactions, let atEnd, let inPager):
      act(
        on: feed.history(
          messages, reactions, atEnd: atEnd, inPager: inPager, scene, snapshot), snapshot)
    case .open(let conversation, let isNew): try go(to: conversation, isNew: isNew, snapshot)
    case .openKeepingDraft(let conversation, let isNew):
      if line.isEmpty {
        try go(to: conversation, isNew: isNew, snapshot)
      } else {
        try enter(chosen: conversation.id, snapshot)
      }
    case .switchLine(let conversation): switchLine(to: conversation, snapshot)
    case .left(let room):
      // The room is left even if the next one cannot be found.
      reportingErrors { act(on: try navigator.left(room, me.id, snapshot), snapshot) }
    case .attach(let path): act(on: try composing.attach(path, scene, snapshot), snapshot)
    case .detach(let number): act(on: composing.detach(number, scene, snapshot), snapshot)
    case .save(let save):
      if let chore = try save.chore(for: me.id, snapshot) {
        try apply(.startChore(chore), snapshot)
      }
    case .startChore(let chore):
      // Nobody types meanwhile.
      let outcome = chore.runHere()
      act(on: chore.sentences(outcome).map(Effect.tell), snapshot)
      if let failure = outcome.failure { throw Refusal(failure) }
    case .preferences(let preferences):
      apply(preferences)
      act(on: navigator.countUnread(scene, snapshot), snapshot)
    case .renamed(let me): updateMe(me, snapshot)
    case .nicknamesChanged: updateMe(me, snapshot)
    case .attentionChanged:
      _ = refreshAttention(snapshot)
      navigator.forgetCounts()
      act(on: navigator.countUnread(scene, snapshot), snapshot)
    case .accountsChanged: act(on: accounts.refresh(snapshot), snapshot)
    case .startAccount(let account): act(on: accounts.start(account, at: now, snapshot), snapshot)
    case .arrived(let changes, let isSeen): show(changes, isSeen: isSeen, snapshot)
    case .settleIn:
      navigator.readNewestOwn(me.id, snapshot)
      readPeopleAndUnread(snapshot)
      act(on: accounts.startWanted(again: true, at: now, snapshot) + [.catchUp], snapshot)
    case .nicknameTaken(let account, let settings):
      reportingErrors { try accounts.noteTakenNick(settings, of: account) }
      act(on: accounts.readSettings(), snapshot)
      updateMe(me, snapshot)
    case .reloadHistory: act(on: composing.reloadHistory(scene, snapshot), snapshot)
    // `perform(_:)` carries these out, and `applyWithoutStore(_:)` the others.
    default: break
    }
  }

  // MARK: Committing

  func write(_ writes: [Write]) { committer.plan(Step(writes: writes)) }

  private var commitContext: Committer.Context {
    .init(me: me.id, knownDrafts: composing.draft.known, accounts: accounts)
  }

  /// Commits the waiting writes that nothing holds up, and what follows from them.
  func commitReady() {
    while let due = committer.next(commitContext, at: now) {
      switch due {
      case .committed(let results): results.forEach(note)
      case .effects(let effects): act(on: effects)
      case .arrivals: readStore(tellsLock: false) { readArrivals($0) }
      }
    }
  }

  /// Commits a command's change, together with the waiting writes that nothing holds up.
  ///
  /// - Throws: why it failed; then nothing has changed.
  private func commit(_ change: @escaping Step.Change) throws -> [Effect] {
    commitOwnTransactions()
    let (committed, effects) = try committer.commit([], change, commitContext)
    committed.forEach(note)
    return effects
  }

  /// Stores a line now or later.
  ///
  /// - Throws: why it can never be stored.
  private func store(_ line: PendingLine) throws {
    navigator.endUnreadRun()
    // Lines that are waiting already must be stored first.
    if committer.queue.isLocked { retry() }
    commitOwnTransactions()
    do {
      try committer.store(line, commitContext, at: now).forEach(note)
    } catch {
      if !isInteractive { composing.files.bringBack(line.files) }
      throw error
    }
    commitReady()
  }

  /// Writes with transactions of their own come before a change or a line.
  private func commitOwnTransactions() {
    if committer.queue.hasOwnTransactions { commitReady() }
  }

  private func note(_ committed: Committer.Committed) {
    switch committed {
    case .line(let line, let message, let key): sent(line, as: message, key)
    case .draft(let conversation, let text): composing.draft.known[conversation] = text
    case .returned(let lines): act(on: committer.storedReturned(lines, widths))
    case .takenBack(let messages): feed.takenBack.formUnion(messages)
    case .nickname(let account, let settings):
      committer.plan(.first([], then: [.nicknameTaken(account, settings)]))
    case .attached:
      committer.plan(.first([], then: feed.shows(open.id, scene) + [.reloadHistory]))
    case .dropped(.line(let line), let reason):
      effects += committer.giveBack(line, because: reason)
    case .dropped(.returned(let lines, _), _):
      committer.noteUnsent()
      complain(lines.map(\.line.unsent))
    case .dropped: break
    }
  }

  /// Call this when a line was stored.
  private func sent(_ line: PendingLine, as message: Message, _ key: AttachedFiles.ConversationKey)
  {
    composing.sent(line, key, committer.queue, scene).forEach(emit)
    tutorial?.note(
      .sent(
        namesSomeone: open.here.contains {
          $0.participant.id != me.id && message.names($0.participant)
        }))
    // Another conversation may have been entered while the line waited.
    if line.conversation == open.id {
      navigator.open.sent(message)
      act(on: [.stopTyping] + feed.resume(scene))
    } else if line.isForElsewhere, isInteractive {
      // Nothing else on the screen shows it.
      act(on: [
        .tell(
          say(
            "To %1: %2", SafeText(name: line.conversationName),
            SafeText(body: line.body).lines.joined(separator: " ")))
      ])
    }
    committer.catchesUp = true
  }

  // MARK: Trying again, and leaving

  /// Performs what waits, as far as possible.
  func retry() { effects += committer.retry(at: now, commitReady) }

  func retryIfDue() {
    guard let deadline = committer.deadline, now >= deadline else { return }
    retry()
    if !committer.isLeaving || committer.queue.lines.isEmpty {
      committer.catchesUp = true
      commitReady()
    }
    if committer.isDone(at: now) { act(on: committer.quit()) }
  }

  /// Leaves the program, but first stores what the person typed.
  ///
  /// - Parameter insists: whether a second attempt ends the program at once, without waiting. False
  ///   for a signal or a closed terminal.
  func leave(status: Int32, insists: Bool) {
    if committer.isLeaving, insists { return act(on: committer.quit()) }
    let isAgain = committer.isLeaving
    committer.leave(status: status, at: now)
    if isAgain { return }
    write(feed.screenState.markPrinted(sendsReceipts: settings.receipts))
    write(composing.leaveProgram(scene))
    // Discard the typing signal: from now on this shell sends none.
    _ = navigator.open.stopTyping(at: now)
    retry()
    if committer.queue.isEmpty { return act(on: committer.quit()) }
    if let notice = committer.waitNotice { emit(.notice(notice)) }
    if committer.queue.isReady { committer.scheduleRetry(at: now) }
  }
}
