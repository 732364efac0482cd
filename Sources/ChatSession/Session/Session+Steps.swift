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

  /// Runs `body` in one snapshot of the store, and reports its error.
  ///
  /// - Parameter tellsLock: whether to report that somebody else has locked the store.
  /// - Returns: false if the store can be read later.
  @discardableResult
  func readStore(tellsLock: Bool = true, _ body: (borrowing Snapshot) throws -> Void) -> Bool {
    let (isRead, error) = committer.read(tellsLock: tellsLock, at: now, body)
    if let error { report(error) }
    return isRead
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
        if committer.queue.hasOwnTransactions { commitReady() }
        let (committed, effects) = try committer.commit([], change, commitContext)
        act(on: committed)
        due += effects
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
    case .takeBackLine: effects += committer.takeBackOldestLine(at: now) ?? []
    case .sent(let line, let message, let key):
      tutorial?.note(.sent(namesSomeone: open.isSomeoneNamed(in: message)))
      act(on: composing.sent(line, key, committer.queue, scene))
      // Another conversation may have been entered while the line waited.
      if line.conversation == open.id {
        navigator.open.sent(message)
        act(on: [.stopTyping] + feed.resume(scene))
      }
    case .draftStored(let text, let conversation): composing.draft.known[conversation] = text
    case .takenBack(let messages): feed.takenBack.formUnion(messages)
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
    case .print, .show, .showCode, .page, .notice, .endNotice, .bell, .refused, .fillLine,
      .restore, .swapLine, .beginChoice, .edit, .endEdit, .addHistory, .setHistory,
      .whenLineBegins, .bind, .copy, .run, .launch, .notify, .connect, .quit:
      emit(effect)
    case .history, .open, .openKeepingDraft, .switchLine, .left, .attach, .detach, .save,
      .startChore, .preferences, .renamed, .nicknamesChanged, .attentionChanged, .accountsChanged,
      .startAccount, .arrived, .readArrivals, .settleIn, .shellAttached, .nicknameTaken,
      .reloadHistory, .send, .leave:
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
    case .readArrivals:
      act(on: feed.tellJoinsAndLeaves(scene, snapshot), snapshot)
      do {
        act(on: try feed.read(scene, snapshot), snapshot)
      } catch StoreError.locked {
        committer.scheduleRetry(at: now)
      }
    case .shellAttached:
      act(
        on: feed.shows(open.id, scene) + composing.reloadHistory(scene, snapshot), snapshot)
    case .settleIn:
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
    .init(me: me.id, knownDrafts: composing.draft.known, accounts: accounts, widths: widths)
  }

  /// Commits the waiting writes that nothing holds up, and what follows from them.
  func commitReady() {
    while let effects = committer.next(commitContext, at: now) { act(on: effects) }
  }

  /// Stores a line now or later.
  ///
  /// - Throws: why it can never be stored.
  private func store(_ line: PendingLine) throws {
    navigator.endUnreadRun()
    // Lines that are waiting already must be stored first.
    if committer.queue.isLocked { act(on: committer.retry(at: now, commitReady)) }
    if committer.queue.hasOwnTransactions { commitReady() }
    do {
      act(on: try committer.store(line, commitContext, at: now))
    } catch {
      if !isInteractive { composing.files.bringBack(line.files) }
      throw error
    }
    commitReady()
  }

  /// Leaves the program, but first stores what the person typed.
  ///
  /// - Parameter insists: whether a second attempt ends the program at once, without waiting.
  func leave(status: Int32, insists: Bool) {
    observe { try? commitSwitch($0) }
    var writes: [Write] = []
    if !committer.isLeaving {
      // Discard the typing signal: from now on this shell sends none.
      _ = navigator.open.stopTyping(at: now)
      writes =
        feed.screenState.markPrinted(sendsReceipts: settings.receipts)
        + composing.leaveProgram(scene)
    }
    act(
      on: committer.leave(
        status: status, insists: insists, after: writes, at: now, commitReady))
  }
}
