// SPDX-License-Identifier: GPL-3.0-or-later
import ChatCommands
import ChatParts
import ChatPreferences
import ChatRendering
import Conversations
import StyledText

/// Commits steps: their writes in one transaction, and then their effects.
extension Session {
  /// Handles an event in one snapshot, and commits the step that follows.
  func observe(_ body: (borrowing Snapshot) throws -> Void) {
    do { try store.read { try body($0) } } catch { report(error) }
    commitReady()
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
    plan(step)
    var due = step.effects
    var failure: (any Error)?
    do {
      if let line = step.line {
        navigator.endUnreadRun()
        try store(line)
        commitReady()
      }
      if let change = step.change {
        due += try commit([], change)
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
        default: try store.read { try apply(effect, $0) }
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
    for effect in effects {
      do { try apply(effect, snapshot) } catch { report(error) }
    }
  }

  /// The same, without a snapshot at hand.
  func act(on effects: [Effect]) {
    if !effects.isEmpty { reportingErrors { try store.read { act(on: effects, $0) } } }
  }

  func act(on step: Step, _ snapshot: borrowing Snapshot) {
    plan(step)
    act(on: step.effects, snapshot)
  }

  private func apply(_ effect: Effect, _ snapshot: borrowing Snapshot) throws {
    switch effect {
    case .write(let one): write([one])
    case .answer(let lines, let indent): emit(feed.transcript.answer(lines, indent: indent))
    case .complain(let sentences): complain(sentences)
    case .list(let sections, let indent): emit(feed.transcript.list(sections, indent: indent))
    case .longAnswer(let lines):
      feed.transcript.printer.endRun()
      emit(feed.transcript.page(lines, atEnd: false))
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
    case .beginEdit(let message): act(on: composing.beginEdit(of: message, scene), snapshot)
    case .saved(let text): act(on: composing.saved(text), snapshot)
    case .giveBack(let line, let reason):
      act(on: committer.giveBack(line, because: reason), snapshot)
    case .stopTyping: write(navigator.open.stopTyping(at: now))
    case .attach(let path): act(on: try composing.attach(path, scene, snapshot), snapshot)
    case .detach(let number): act(on: composing.detach(number, scene, snapshot), snapshot)
    case .saveLater(let request, let save): feed.pendingSaves[request] = save
    case .save(let save):
      if let chore = try save.chore(for: me.id, snapshot) {
        try apply(.startChore(chore), snapshot)
      }
    case .startChore(let chore) where isInteractive: emit(.run(chore))
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
    case .away(let word): navigator.open.become(away: word)
    case .attentionChanged:
      _ = refreshAttention(snapshot)
      navigator.forgetCounts()
      act(on: navigator.countUnread(scene, snapshot), snapshot)
    case .searched(let continuation): lastSearch = continuation
    case .pause: act(on: feed.pause(scene), snapshot)
    case .resume: act(on: feed.resume(scene), snapshot)
    case .clearScreen:
      feed.transcript.printer.startOver()
      emit(effect)
    case .draftsCleared: composing.aside.forget(elsewhereThan: lineConversation?.id)
    case .holdDraft: composing.beforeCommand.hold()
    case .accountsChanged: act(on: accounts.refresh(snapshot), snapshot)
    case .awaitConnection(let account): accounts.awaitConnection(of: account)
    case .startAccount(let account): act(on: accounts.start(account, at: now, snapshot), snapshot)
    case .catchUp: catchesUp = true
    case .tutorial(let tutorial): self.tutorial = tutorial
    case .tutorialAction(let action): tutorial?.note(action)
    case .endChoice: if composing.endChoice() { emit(effect) }
    case .retryRead: committer.scheduleRetry(at: now)
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
    case .send, .takeBackLine, .leave: break
    case .ask(let question): emit(.whenLineBegins(.ask(question)))
    case .print, .show, .page, .notice, .endNotice, .bell, .refused, .fillLine, .restore,
      .swapLine, .beginChoice, .edit, .endEdit, .addHistory, .setHistory,
      .whenLineBegins, .bind, .copy, .run, .launch, .notify, .connect, .quit:
      emit(effect)
    }
  }

  // MARK: Committing

  func plan(_ step: Step) {
    write(step.writes)
    if !step.then.isEmpty { followUps.insert(step.then, at: 0) }
  }

  /// Queues writes. This event's step commits them or, if the store is locked or earlier writes
  /// wait, a later one. If a write fails for another reason, hobnob drops it, since the next of its
  /// kind would fail as well; a typed line returns to the person.
  func write(_ writes: [Write]) { for write in writes { committer.queue.add(write) } }

  private var commitContext: Committer.Context {
    .init(me: me.id, knownDrafts: composing.draft.known, accounts: accounts)
  }

  /// Commits the waiting writes that nothing holds up, and what follows from them.
  func commitReady() {
    repeat {
      while let committed = committer.commitNext(commitContext, at: now) {
        committed.forEach(note)
      }
      if !followUps.isEmpty {
        let next = followUps.removeFirst()
        reportingErrors { try store.read { act(on: next, $0) } }
      } else if catchesUp {
        catchesUp = false
        reportingErrors { try store.read { readArrivals($0) } }
      } else {
        return
      }
    } while true
  }

  /// Commits a command's change or another write, together with the waiting writes that nothing
  /// holds up.
  ///
  /// - Throws: why it failed; then nothing has changed.
  func commit(_ added: [Write] = [], _ change: Step.Change? = nil) throws -> [Effect] {
    // Writes with transactions of their own come first.
    if committer.queue.hasOwnTransactions { commitReady() }
    let (committed, effects) = try committer.commit(added, change, commitContext)
    committed.forEach(note)
    return effects
  }

  private func note(_ committed: Committer.Committed) {
    switch committed {
    case .line(let line, let message, let key): sent(line, as: message, key)
    case .draft(let conversation, let text): composing.draft.known[conversation] = text
    case .returned(let lines): act(on: committer.storedReturned(lines, widths))
    case .takenBack(let messages): feed.takenBack.formUnion(messages)
    case .nickname(let account, let settings):
      plan(.first([], then: [.nicknameTaken(account, settings)]))
    case .attached:
      // Where the shell is may have changed while this waited.
      plan(.first([], then: feed.shows(open.id, scene) + [.reloadHistory]))
    case .dropped(.line(let line), let reason):
      effects += committer.giveBack(line, because: reason)
    case .dropped(.returned(let lines, _), _):
      committer.noteUnsent()
      complain(lines.map(\.line.unsent))
    case .dropped: break
    }
  }

  /// Stores a line now or, if the store is locked or the line has to wait for its files, later.
  ///
  /// - Throws: any other reason why it cannot be stored.
  private func store(_ line: Line) throws {
    // Lines that are waiting already must be stored first.
    if committer.queue.isLocked { retry() }
    if !isInteractive || !committer.queue.mustWait(.line(line)) {
      do {
        _ = try commit([.line(line)])
        return
      } catch StoreError.locked where isInteractive {
        committer.queue.isLocked = true
      } catch {
        if !isInteractive { composing.files.bringBack(line.files) }
        throw error
      }
    }
    committer.queue.add(.line(line))
    if committer.queue.isLocked { committer.scheduleRetry(at: now) }
  }

  /// Call this when a line was stored.
  private func sent(_ line: Line, as message: Message, _ key: AttachedFiles.ConversationKey) {
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
    catchesUp = true
  }

  // MARK: Trying again

  /// Performs the waiting writes, as far as possible.
  func retry() {
    guard committer.retry(commitReady) else {
      effects += committer.giveBackOldLine(at: now)
      return
    }
    // Nothing is left to write: the next tick ends the program, in `retryIfDue()`.
    if committer.isLeaving, committer.queue.isEmpty { committer.scheduleRetry(at: now) }
  }

  func retryIfDue() {
    guard let deadline = committer.deadline, now >= deadline else { return }
    retry()
    if !committer.isLeaving || committer.queue.lines.isEmpty {
      catchesUp = true
      commitReady()
    }
    guard let leaving = committer.leaving else { return }
    if committer.queue.isEmpty || now >= leaving.by && !committer.queue.holdsTypedText { quit() }
  }

  // MARK: Leaving

  /// Leaves the program, but first stores what the person typed.
  ///
  /// - Parameter insists: whether a second attempt ends the program at once, without waiting. False
  ///   for a signal or a closed terminal.
  func leave(status: Int32, insists: Bool) {
    if committer.isLeaving, insists { return quit() }
    let isAgain = committer.isLeaving
    committer.leave(status: status, at: now)
    if isAgain { return }
    write(feed.readState.markPrinted(sendsReceipts: settings.receipts))
    write(composing.leaveProgram(scene))
    // Discard the typing signal: from now on this shell sends none.
    _ = navigator.open.stopTyping(at: now)
    retry()
    if committer.queue.isEmpty { return quit() }
    if let notice = committer.waitNotice { emit(.notice(notice)) }
    if committer.queue.isReady { committer.scheduleRetry(at: now) }
  }

  /// Ends the program, and prints what cannot be stored, as a last resort.
  private func quit(status least: Int32 = 0) {
    let status = max(least, committer.leaving?.status ?? 0)
    let unsent = committer.unsentLines
    for line in unsent { complain([line.unsent]) }
    emit(.quit(status: status == 0 && !unsent.isEmpty ? 1 : status))
  }

  /// Ends the program because the store cannot be used any more: anything typed from now on would be
  /// lost. The line stays on the screen.
  func end(because error: StoreError, unsent text: String) {
    if committer.hasEnded { return }
    committer.hasEnded = true
    complain(
      [sentence(for: error)] + (text.isEmpty ? [] : [say("Not sent: %1", SafeText(body: text))]))
    quit(status: 1)
  }
}
