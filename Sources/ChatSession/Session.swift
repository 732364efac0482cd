// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// A person in their conversations, without a terminal, a loop or a screen: what happens goes in as
/// events, what is to be done comes out as effects. It performs nothing but the store's
/// transactions.
@MainActor
package final class Session {
  /// Where it is typed into and shown (rule 11.5).
  package enum Face { case tty, plain, batch }

  package let store: Store
  private(set) var me: Participant
  let face: Face
  package let line: any SessionLine
  package let preferences: Preferences
  /// This process among the shells that run; nil until the others are told of it.
  private(set) var shellID: ShellID?
  /// What I want to hear of, in all of my shells (rule 7.11).
  private(set) var attention = Attention()
  /// Monotonic milliseconds: when the event that is handled happened.
  private(set) var now: Int64 = 0
  /// The first prompt is not on the screen yet; nobody waits for what is not on it.
  private(set) var isStarting = false
  private var effects: [Effect] = []

  package private(set) lazy var transcript = Transcript(self)
  package private(set) lazy var place = Place(self)
  package private(set) lazy var switcher = ConversationSwitcher(self)
  package private(set) lazy var screen = Screen(self)
  package private(set) lazy var editing = Editing(self)
  package private(set) lazy var files = AttachedFiles(self)
  private(set) lazy var drafts = Drafts(self)
  package private(set) lazy var outgoing = Outgoing(self)
  private(set) lazy var news = News(self)
  private(set) lazy var people = People(self)
  private(set) lazy var joinsAndLeaves = JoinLeaveDigest(self)
  private(set) lazy var reactions = Reactions(self)
  private(set) lazy var emoji = EmojiUse(self)
  private(set) lazy var search = Search(self)
  private(set) lazy var accounts = Accounts(self)
  /// When the last key came, in monotonic milliseconds.
  package private(set) var lastKey: Int64 = 0

  package init(
    store: Store, me: Participant, preferences: Preferences, face: Face, line: any SessionLine,
    at now: Int64
  ) {
    self.store = store
    self.me = me
    self.preferences = preferences
    self.face = face
    self.line = line
    self.now = now
    applyPreferences()
  }

  /// Messages scroll by while one types, and a line can wait for the store.
  var isInteractive: Bool { face != .batch }

  /// Begins in a conversation; to be called before any event.
  ///
  /// - Returns: what is to be done, in this order.
  /// - Throws: `StoreError`.
  package func begin(in conversation: Conversation) throws -> [Effect] {
    isStarting = isInteractive
    if isInteractive { store.patience = 0 }
    defer { effects = [] }
    refreshAttention()
    try news.lookFromHere()
    try screen.enter(conversation)
    return effects
  }

  /// Takes note of what happened.
  ///
  /// - Parameter now: monotonic milliseconds.
  /// - Returns: what is to be done, in this order.
  package func handle(_ event: SessionEvent, at now: Int64) -> [Effect] {
    self.now = now
    switch event {
    case .lineReady: drafts.restore()
    case .promptShown: settleIn()
    case .entered(let name) where switcher.isChoosing: choose(name)
    case .entered(let text): enter(text) { try Dispatcher(session: self).carryOut(text) }
    case .enteredAsFile(let text, let path):
      enter(text) { try outgoing.send(text, asFileAt: path) }
    case .meant(let intent):
      reportingErrors { try ConversationCommands(session: self).carryOut(intent) }
    case .unknownRoom(let name, let subcommand):
      reportingErrors {
        try ConversationCommands(session: self).ask(aboutRoom: name, subcommand: subcommand)
      }
    case .carriedOut(let line): drafts.remember(line)
    case .lineBegan: lineBegan()
    case .changed: changed()
    case .moved:
      lastKey = now
      drafts.note()
    case .interrupted: interrupt()
    case .emptied:
      files.setAside(with: line.text)
      drafts.forgetTyped()
    case .ended: end()
    case .restored(let draft): drafts.restored(draft)
    case .putBy(let draft): drafts.putBy(draft)
    case .gaveBack(let line, let reason): outgoing.giveBack(line, because: reason)
    case .filesBack(let back): files.bringBack(back)
    case .rang(let news): self.news.rang(news)
    case .tick: tick()
    case .turnEnded: screen.markPrinted()
    case .behind(let isBehind): screen.terminal(isBehind: isBehind)
    case .focus(let isFocused): screen.window(isFocused: isFocused)
    case .resized(let rows, let columns): transcript.resized(rows: rows, columns: columns)
    case .screenLent(let isLent): screen.lent(isLent)
    case .suspended: drafts.leave()
    case .resumed: news.catchUp()
    case .editLast:
      if switcher.isChoosing { emit(.bell) } else { reportingErrors { try editLast() } }
    case .move(let move): switcher.go(move)
    case .chosen(let conversation): switcher.enter(conversation)
    case .setAside: drafts.setAside()
    case .attach(let path):
      reportingErrors {
        try switcher.settle()
        try files.attach(fileAt: path)
      }
    case .filesKept(let result, let number): outgoing.filesKept(result, number: number)
    case .wrote(let chore, let outcome): FileCommands(session: self).ended(chore, outcome)
    case .networkProcessEnded(let account, let status):
      accounts.processEnded(account, status: status)
    case .complain(let sentences): transcript.complain(sentences)
    case .leave(let status):
      try? switcher.settle()
      outgoing.leave(status: status, insists: false)
    }
    defer { effects = [] }
    return effects
  }

  /// A key that means something only now and then. Nil: nothing now.
  package func offer(_ key: SessionKey, at now: Int64) -> [Effect]? {
    self.now = now
    switch key {
    case .cancel:
      if switcher.isChoosing {
        switcher.endChoice()
      } else if editing.isOn {
        editing.cancel()
      } else if !outgoing.takeBackLine() {
        return nil
      }
    case .undo: guard files.undo() else { return nil }
    case .up:
      guard preferences.settings.upEditsLast, !editing.isOn, !switcher.isChoosing,
        (try? editLast()) != nil
      else { return nil }
    }
    defer { effects = [] }
    return effects
  }

  /// When ``SessionEvent/tick`` is to come, in monotonic milliseconds; nil: nothing waits for a time.
  package var deadline: Int64? {
    [
      outgoing.deadline, drafts.deadline, place.deadline, switcher.deadline,
      joinsAndLeaves.deadline,
      accounts.deadline,
    ]
    .compactMap { $0 }.min()
  }

  func emit(_ effect: Effect) { effects.append(effect) }

  // MARK: Events

  /// Presence, history and who is here.
  private func settleIn() {
    isStarting = false
    outgoing.flush()
    outgoing.write(.lookAtNames)
    outgoing.write(.attach)
    place.refreshNewestOwn()
    place.refreshPeopleAndUnread()
    accounts.startWanted(again: true)
    accounts.showStoredSettings()
    news.catchUp()
  }

  private func enter(_ text: String, _ body: () throws -> Void) {
    lastKey = now
    do {
      try switcher.settle()
      let isLeft = drafts.leaveLiveLine()
      let (conversation, isEdit) = (place.conversation?.id, editing.isOn)
      try body()
      if !isEdit { drafts.lineWasRun(in: conversation) }
      guard isLeft, !effects.contains(where: \.isNotice) else { return }
      emit(.notice(say("The line you had begun is in the history: press Up twice")))
    } catch let error as StoreError where error.isLoss {
      // What is written from now on would be lost. The text stays on the screen.
      transcript.complain([
        sentence(for: error), say("Not sent: %1", SafeText(body: text)),
      ])
      emit(.quit(status: 1))
    } catch {
      emit(.refused(sentence(for: error)))
    }
  }

  private func choose(_ name: String) {
    lastKey = now
    do { try switcher.choose(name) } catch { emit(.refused(sentence(for: error))) }
  }

  private func lineBegan() {
    place.stopTyping()
    emoji.mayHaveChanged()
    drafts.beginLine()
    screen.holdOrCatchUp()
    drafts.reloadHistoryIfStale()
  }

  private func changed() {
    lastKey = now
    if switcher.isChoosing { return }
    try? switcher.settle()
    drafts.note(byHand: true)
    let text = line.text
    files.noteChange(of: text)
    editing.noteChange(of: text)
    reactions.noteChange(of: text)
    place.typed(text)
    if screen.isHolding, text.isEmpty { screen.holdOrCatchUp() }
  }

  /// C-d on an empty line.
  private func end() {
    if switcher.isChoosing { return switcher.endChoice() }
    if editing.isOn { return editing.cancel() }
    try? switcher.settle()
    outgoing.leave(status: 0, insists: true)
  }

  private func editLast() throws {
    try switcher.settle()
    try editing.begin("")
  }

  private func interrupt() {
    if switcher.isChoosing {
      switcher.endChoice()
    } else if editing.isOn {
      editing.cancel()
    } else if !files.setAside(with: "") {
      emit(.notice(say("To leave: C-d on the empty line, or /quit")))
    }
  }

  private func tick() {
    drafts.saveIfDue()
    place.tick()
    switcher.tick()
    joinsAndLeaves.tick()
    outgoing.tick()
    accounts.tick()
  }

  func reportingErrors(_ body: () throws -> Void) {
    do { try body() } catch { transcript.complain([sentence(for: error)]) }
  }

  // MARK: Who

  /// Tells the others that this shell runs.
  func attach() throws {
    guard shellID == nil else { return }
    shellID = try store.attach(me.id)
    try store.open(place.conversation?.id, paused: !screen.isLooking)
    drafts.reloadHistory()
    _ = try store.reapStaleShells()
  }

  /// I am called otherwise now, here or in another shell.
  func becomes(_ me: Participant) {
    self.me = me
    if !accounts.list.isEmpty, let nicknames = try? store.read({ try $0.nicknames(of: me.id) }) {
      self.me.nicknames = nicknames
    }
    transcript.name(self.me)
  }

  /// What I want to hear of may have changed.
  ///
  /// - Returns: whether it has.
  @discardableResult
  func refreshAttention() -> Bool {
    guard let now = try? store.read({ try $0.attention(of: me.id) }), now != attention else {
      return false
    }
    attention = now
    transcript.hides(now)
    return true
  }

  /// Brings what depends on settings in line with them.
  func applyPreferences() {
    transcript.apply(preferences)
    transcript.name(me)
    place.apply(preferences.settings)
  }

  /// Refuses what takes longer than a person feels no longer than that: shells that note what they
  /// have shown hold the store for a moment with every message, which is not a reason to refuse
  /// anything, and nobody feels the keyboard wait for it.
  func withLockTimeout<T>(_ body: () throws -> T) rethrows -> T {
    guard isInteractive, store.patience < Self.patience else { return try body() }
    let former = store.patience
    store.patience = Self.patience
    defer { store.patience = former }
    return try body()
  }

  /// Milliseconds.
  private static let patience: Int32 = 100
}
