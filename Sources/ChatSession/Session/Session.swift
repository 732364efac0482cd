// SPDX-License-Identifier: GPL-3.0-or-later
import ChatCommands
import ChatParts
import ChatPreferences
import ChatRendering
import Composer
import Conversations
import Platform
import StyledText

/// A person in their conversations, without a terminal, a loop or a screen: it takes events and
/// returns effects.
///
/// The session handles an event in one snapshot of the store: it hands it to its parts, which are
/// values and know nothing of each other but a ``Scene``. They return a step: writes, committed in
/// one transaction, and effects. The session carries out the effects that concern its parts, and
/// returns the others for its shell.
@MainActor
package final class Session {
  package typealias OutputMode = ChatRendering.OutputMode

  let outputMode: OutputMode

  // MARK: State

  /// The person's current name and identity.
  package private(set) var me: Participant
  package private(set) var preferences: Preferences
  /// The person's mutes, ignores and notify settings, the same in all of their shells (rule 7.11).
  private(set) var attention = Attention()
  /// The time of the current event.
  private(set) var now: MonotonicTime
  /// The time of the last key.
  package internal(set) var lastKey: MonotonicTime = 0

  // MARK: Parts

  package internal(set) var navigator: Navigator
  package internal(set) var composing: Composing
  package internal(set) var feed: Feed
  var completion: Completion
  var accounts: Accounts
  var lastSearch: SearchContinuation?
  var tutorial: Tutorial?
  /// Why accounts cannot be added, as a sentence; nil if that depends on the store.
  package var accountObstacle: SafeText?

  // MARK: Steps

  package let committer: Committer
  var effects: [Effect] = []

  package init(
    store: Store, me: Participant, preferences: Preferences, outputMode: OutputMode,
    line: any InputLine,
    at now: MonotonicTime
  ) {
    committer = Committer(store, isInteractive: outputMode != .batch)
    self.me = me
    self.preferences = preferences
    self.outputMode = outputMode
    self.now = now
    navigator = Navigator(me: me.id)
    composing = Composing(
      line, files: AttachedFiles(environment: preferences.environment, storePath: store.path),
      keepsDrafts: outputMode != .batch)
    completion = Completion(me: me.id, glyphs: preferences.glyphs)
    feed = Feed(outputMode, preferences, me: me.id)
    accounts = Accounts(
      of: me.id, preferences, storePath: store.path, isInteractive: outputMode != .batch)
    apply(preferences)
  }

  package var store: Store { committer.store }

  /// This process among the running shells; nil until the store has it.
  var shellID: ShellID? { committer.shellID }

  var settings: Settings { preferences.settings }
  var widths: Widths { feed.renderer.printer.options.widths }

  package var scene: Scene {
    Scene(
      me: me, preferences: preferences, attention: attention, outputMode: outputMode, open: open,
      present: navigator.present, now: now, shell: shellID, isStarting: committer.isStarting)
  }

  var isInteractive: Bool { outputMode != .batch }

  package var line: any InputLine { composing.line }

  /// What the typed line is at present.
  package var mode: LineMode { composing.mode }

  /// The conversation that the line belongs to.
  package var lineConversation: Conversation? { navigator.present }

  package var open: OpenConversation { navigator.open }

  /// Entered lines that are not stored yet.
  package var waitingLines: [PendingLine] { committer.queue.lines }

  /// Whether any write waits for the store.
  package var isWaitingForStore: Bool { !committer.queue.isEmpty }

  /// When to send ``SessionEvent/tick``; nil if nothing waits for a
  /// time.
  package var deadline: MonotonicTime? {
    // What else is due needs the store.
    if committer.isUnreadable { return committer.deadline }
    return [
      committer.deadline, composing.deadline, navigator.deadline, feed.deadline,
      accounts.deadline,
    ]
    .compactMap { $0 }.min()
  }

  // MARK: Events

  /// Begins in a conversation; call this before any event.
  ///
  /// - Returns: effects to carry out, in order.
  package func begin(in conversation: Conversation) throws -> [Effect] {
    committer.begin()
    try store.read {
      _ = refreshAttention($0)
      feed.position = try $0.position
      try enter(conversation, $0)
    }
    return finish()
  }

  /// Handles an event.
  ///
  /// - Returns: effects to carry out, in order.
  package func handle(_ event: SessionEvent, at now: MonotonicTime) -> [Effect] {
    self.now = now
    committer.isPatient = event.mayWait
    switch event {
    case .entered(let text):
      if let choices = mode.choices { chooseName(text, among: choices) } else { enter(text) }
    case .enteredAsFile(let text, let path): enter(text, asFileAt: path)
    case .answered(let intent):
      composing.endQuestion()
      performStep { try step(for: intent, $0) }
    case .editLast where !mode.isChoosing: performStep { try editNewest($0) }
    case .pageHistory where !mode.isChoosing:
      performStep { try HistoryCommand(context: context).page($0) }
    case .cancel where mode.isDraft:
      effects += committer.takeBackOldestLine(at: now) ?? [.refused(SafeText())]
    case .ended where mode.isDraft: leave(status: 0, insists: true)
    case .interrupted where !mode.isDraft, .cancel, .ended:
      act(on: composing.cancel())
    case .undo: act(on: composing.undo(scene))
    case .up where settings.upEditsLast && mode.isDraft:
      let step = try? store.read { try editNewest($0) }
      if step.flatMap({ try? perform($0) }) == nil { emit(.refused(SafeText())) }
    case .up: emit(.refused(SafeText()))
    case .choreEnded(.keep(let files, _, _, let line), let outcome):
      act(on: committer.copied(files, ofLine: line, outcome, at: now, commitReady))
    case .promptShown:
      committer.isStarting = false
      // Once the store has the shell, it also learns which conversation the shell shows.
      committer.plan(.first([.checkLookAlikes, .attach, .reapStaleShells], then: [.settleIn]))
    case .tick:
      readStore(tellsLock: false) { tick($0) }
      commitReady()
      act(on: committer.retryIfDue(at: now, commitReady))
    case .leave(let status): leave(status: status, insists: false)
    case .turnEnded: write(feed.screenState.markPrinted(sendsReceipts: settings.receipts))
    case .bellRang:
      if !readStore(tellsLock: false, { try handleInSnapshot(event, $0) }) { holdOrCatchUp() }
    default: observe { try handleInSnapshot(event, $0) }
    }
    return finish()
  }

  /// Commits what the event left to commit, and returns the effects for the shell.
  private func finish() -> [Effect] {
    commitReady()
    if let done = tutorial, done.isDone {
      tutorial = nil
      performStep { try TutorialCommand(context: context).leave(done, $0) }
    }
    if let damage = committer.untoldDamage() {
      if isInteractive { complain([damage]) } else { emit(.refused(damage)) }
    }
    defer { effects = [] }
    return effects
  }

  /// Handles an event that only needs to read the store.
  private func handleInSnapshot(_ event: SessionEvent, _ snapshot: borrowing Snapshot) throws {
    switch event {
    case .lineReady: restoreDraft(snapshot)
    case .unknownRoom(let name, let subcommand):
      let question = try ConversationCommands(context: context).question(
        aboutRoom: name, subcommand: subcommand, snapshot)
      act(on: [.ask(question)], snapshot)
    case .ask(let question):
      guard isInteractive else { break }
      composing.beginQuestion(question)
      emit(.ask(question))
    case .carriedOut(let line) where !Secrets.isIn(preferences.unaliased(line)):
      act(on: Composing.remember(line), snapshot)
    case .lineBegan: lineHasBegun(snapshot)
    case .changed: lineChanged(snapshot)
    case .moved:
      lastKey = now
      composing.noteDraft(at: now)
    case .interrupted: act(on: composing.interrupted(scene), snapshot)
    case .emptied: act(on: composing.emptied(scene), snapshot)
    case .restored(let draft): act(on: composing.restored(draft, scene, snapshot), snapshot)
    case .stashConflict(let draft):
      if let here = lineConversation?.id { composing.stash(draft, in: here, at: now) }
    case .lineReturned(let back):
      act(
        on: committer.isLeaving
          ? Step(committer.giveBack(back.line, because: back.reason))
          : composing.putBack(back, committer.queue, scene, widths, snapshot), snapshot)
    case .filesReturned(let back): act(on: composing.bringBack(back, scene, snapshot), snapshot)
    case .bellRang(let reasons):
      if reasons.contains(.processExited) {
        write([.reapStaleShells])
        if !accounts.list.isEmpty { act(on: accounts.startWanted(at: now, snapshot), snapshot) }
      }
      holdOrCatchUp()
    case .outputBehind(let isBehind):
      feed.screenState.isBehind = isBehind
      holdOrCatchUp()
    case .focus(let isFocused): act(on: feed.window(isFocused: isFocused, scene), snapshot)
    case .resized(let rows, let columns): feed.renderer.setSize(rows: rows, columns: columns)
    case .screenLent(let isLent):
      if isLent { write(composing.saveDraft(in: lineConversation?.id)) }
      act(on: feed.lendScreen(isLent, scene), snapshot)
    case .suspended: write(composing.leaveDraft(in: lineConversation?.id))
    case .resumed:
      // Others have written on the screen since.
      feed.renderer.printer.endRun()
      committer.catchesUp = true
    case .editLast, .pageHistory: emit(.bell)
    case .move(let move): try handleMove(move, snapshot)
    case .chosen(let conversation): try enter(chosen: conversation, snapshot)
    case .setAside: act(on: composing.setAside(scene), snapshot)
    case .choreEnded(let chore, let outcome):
      act(on: chore.sentences(outcome).map(Effect.tell), snapshot)
      if let failure = outcome.failure { complain([failure]) }
    case .networkProcessEnded(let account, let status, let missing):
      act(
        on: accounts.processEnded(account, status: status, missing: missing, at: now, snapshot),
        snapshot)
    case .complain(let sentences): complain(sentences)
    case .carriedOut, .entered, .enteredAsFile, .answered, .promptShown, .tick, .turnEnded, .ended,
      .leave,
      .cancel, .undo, .up:
      break
    }
  }

  private func lineHasBegun(_ snapshot: borrowing Snapshot) {
    completion.emoji.mayHaveChanged()
    act(on: composing.lineBegan(scene), snapshot)
    holdOrCatchUp()
    act(on: composing.reloadHistoryIfStale(scene, snapshot), snapshot)
  }

  private func lineChanged(_ snapshot: borrowing Snapshot) {
    lastKey = now
    if mode.isChoosing { return }
    try? commitSwitch(snapshot)
    act(on: composing.changed(scene, feed.renderer.printer, snapshot), snapshot)
    write(
      navigator.open.typed(
        line.text, inEditMode: mode.isEditing, isOff: !settings.typing, at: now))
    if feed.screenState.isHolding, line.isEmpty { holdOrCatchUp() }
  }

  private func tick(_ snapshot: borrowing Snapshot) {
    write(composing.tick(scene))
    write(navigator.open.tick(at: now))
    commitSwitchIfDue(snapshot)
    act(on: feed.tick(scene, snapshot), snapshot)
    act(on: accounts.tick(at: now, snapshot), snapshot)
  }

  // MARK: Who

  /// Handles a change of the person's name, in this shell or another.
  func updateMe(_ me: Participant, _ snapshot: borrowing Snapshot) {
    self.me = me
    if !accounts.list.isEmpty, let nicknames = try? snapshot.roomNicknames(of: me.id) {
      self.me.nicknames = nicknames
    }
    feed.renderer.setMyNames(of: self.me, settings.highlights)
  }

  /// Reads the person's mutes, ignores and notify settings again.
  ///
  /// - Returns: whether they changed.
  func refreshAttention(_ snapshot: borrowing Snapshot) -> Bool {
    guard let now = try? snapshot.attention(of: me.id), now != attention else { return false }
    attention = now
    feed.renderer.printer.options.attention = now
    return true
  }

  func apply(_ preferences: Preferences) {
    self.preferences = preferences
    feed.renderer.apply(preferences)
    feed.renderer.setMyNames(of: me, settings.highlights)
    navigator.open.apply(preferences.settings)
  }

  // MARK: Saying

  func emit(_ effect: Effect) { effects.append(effect) }

  func complain(_ sentences: [SafeText]) {
    if !sentences.isEmpty { emit(feed.renderer.complain(sentences)) }
  }

  func reportingErrors(_ body: () throws -> Void) {
    do { try body() } catch { report(error) }
  }

  /// Reports an error; ends the session if the store cannot be used any more.
  func report(_ error: any Error) {
    if let error = error as? StoreError, error.isFinal {
      act(on: committer.end(because: error, unsent: line.text))
    } else {
      committer.noteTold(error)
      complain([sentence(for: error)])
    }
  }
}
