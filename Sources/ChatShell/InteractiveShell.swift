// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import Glibc
import LineEditing
import StyledText
import Terminal

/// A shell at a terminal: joins a ``Shell`` with a ``LineEditor`` and the loop that serves both.
@MainActor
final class InteractiveShell {
  let shell: Shell
  let editor: LineEditor
  let loop: EventLoop
  private let environment: [String: String]

  private var notice: SafeText?
  /// What is said when the change that is under way has happened.
  private var nextNotice: SafeText?
  /// The draft of this conversation as this shell last stored or restored it.
  private var knownDraft = ""
  private var draftClock = DraftClock()
  private var draftTimer: TimerID?
  private var typingTimer: TimerID?
  private var signalTimer: TimerID?
  private var retryTimer: TimerID?
  private var resizeTimer: TimerID?
  private var retryDelay = 2
  private var aside: LineEditor.Aside?
  private var historyIsStale = false
  private var waitingShown = 0
  private var isLeaving = false
  private var exitStatus: Int32 = 0

  init(shell: Shell, editor: LineEditor, loop: EventLoop, environment: [String: String]) {
    self.shell = shell
    self.editor = editor
    self.loop = loop
    self.environment = environment
    shell.face = self
    editor.delegate = self
    shell.printer.options.groupsRuns = editor.face == .tty
  }

  /// Serves the person until they leave. Returns the exit status.
  func run(opening conversation: Conversation, greeting: [StyledLine]) throws -> Int32 {
    shell.store.patience = 0
    shell.isStarting = true
    try shell.lookFromHere()
    if !greeting.isEmpty { editor.print(greeting) }
    try shell.enter(conversation)
    editor.start(prompt: shell.prompt)
    enteredConversation()
    editor.draw()
    handleSignals()
    watchStore()
    // What the first prompt does not have to wait for, but the first key does: Up finds history.
    settleIn()
    editor.draw()
    loop.run()
    editor.stop()
    return exitStatus
  }

  /// Presence, history and who is here, once the prompt stands.
  private func settleIn() {
    let shell = shell
    shell.isStarting = false
    _ = shell.tryPostponed()
    shell.postpone("attach") { [weak self] in
      guard shell.shellID == nil else { return }
      shell.shellID = try shell.store.attach(shell.me.id)
      try shell.store.open(shell.conversation?.id)
      self?.loadHistory()
      _ = try shell.store.forgetTheDead()
    }
    shell.lookAround()
    shell.catchUp()
    refresh()
  }

  private func watchStore() {
    guard let descriptor = try? shell.store.bellDescriptor else { return }
    loop.watch(descriptor) { [weak self] in self?.rung() }
  }

  private func rung() {
    let news = shell.store.drainBell()
    let shell = shell
    if news.contains(.somebodyDied) {
      shell.postpone("dead") { _ = try shell.store.forgetTheDead() }
    }
    holdOrCatchUp()
  }

  /// In plain mode messages may have to wait until the line is done (rule 11.5).
  private func holdOrCatchUp() {
    shell.isHolding =
      editor.face == .plain && shell.settings.holdWhileTyping && !editor.isEmpty
    shell.catchUp()
  }

  // MARK: Signals

  private func handleSignals() {
    loop.handleSignals([SIGWINCH, SIGTERM, SIGHUP, SIGINT, SIGTSTP, SIGCONT]) {
      [weak self] signal in
      guard let self else { return }
      switch signal {
      case SIGWINCH: resizeSoon()
      case SIGINT: editor.clearLine()
      case SIGTSTP: editor.suspend()
      case SIGCONT: editor.continued()
      default:
        exitStatus = 128 + signal
        leave()
      }
    }
  }

  /// Terminals that are dragged send a storm of sizes; drawing waits for it to settle.
  private func resizeSoon() {
    if let resizeTimer { loop.cancel(resizeTimer) }
    resizeTimer = loop.after(milliseconds: 50) { [weak self] in
      guard let self else { return }
      resizeTimer = nil
      editor.resized()
      refresh()
    }
  }

  // MARK: History (rule 1.12)

  /// How many lines of the input history a shell holds; older ones stay in the store.
  private static let historyLines = 5000

  private func loadHistory() {
    guard let shellID = shell.shellID,
      let lines = try? shell.store.history(
        of: shell.me.id, shell: shellID, limit: Self.historyLines)
    else { return }
    historyIsStale = false
    editor.setHistory(lines)
  }

  // MARK: Drafts (rule 5)

  private func noteDraft() {
    guard shell.editing == nil else { return }
    let text = editor.text
    // A command is no draft of a message.
    let draft =
      LineRules.isCommand(text) ? Composer.Draft() : Composer.Draft(text, caret: editor.caret)
    draftClock.changed(to: draft, at: loop.now)
    schedule(&draftTimer, at: draftClock.deadline) { [weak self] in self?.saveDraft() }
  }

  private func saveDraft() {
    guard let conversation = shell.conversation, shell.editing == nil,
      let draft = draftClock.unsaved
    else { return }
    let shell = shell
    let me = shell.me.id
    draftClock.stored(draft)
    // An emptied line takes away only the draft it came from: another shell of this person may
    // have stored its own (rule 5.3).
    let known = knownDraft
    knownDraft = draft.text
    shell.postpone("draft \(conversation.id.rawValue)") {
      let stored =
        draft.text.isEmpty
        ? nil : Conversations.Draft(text: draft.text, caret: draft.caret, spans: "")
      if stored == nil, let other = try shell.store.draft(of: me, in: conversation.id),
        other.text != known
      {
        return
      }
      try shell.store.setDraft(stored, of: me, in: conversation.id)
    }
  }

  private func schedule(
    _ timer: inout TimerID?, at deadline: Int64?, _ body: @escaping @MainActor () -> Void
  ) {
    if let timer { loop.cancel(timer) }
    timer = deadline.map { loop.after(milliseconds: Int(max(0, $0 - loop.now)), body) }
  }

  // MARK: Typing (rule 4)

  private func signal(_ signal: TypingSignals.Signal?) {
    if let signal, let conversation = shell.conversation, shell.shellID != nil {
      let store = shell.store
      shell.postpone("typing") { try store.setTyping(signal == .typing, in: conversation.id) }
    }
    schedule(&signalTimer, at: shell.signals.nextDeadline) { [weak self] in
      guard let self else { return }
      self.signal(shell.signals.tick(at: loop.now))
    }
  }

  private func scheduleTypingExpiry() {
    schedule(&typingTimer, at: shell.typing.nextExpiry) { [weak self] in
      guard let self else { return }
      shell.typing.expire(at: loop.now)
      refresh()
    }
  }

  // MARK: A locked store (rule 1.2)

  private func tryAgain() {
    retryTimer = nil
    commitWaiting()
    let done = shell.tryPostponed()
    if !isLeaving || shell.waiting.isEmpty { shell.catchUp() }
    if shell.waiting.isEmpty && done {
      retryDelay = 2
      if isLeaving { loop.stop() }
    } else {
      tryAgainSoon()
    }
    refresh()
  }

  private func commitWaiting() {
    while let line = shell.waiting.first {
      do {
        try shell.commit(line)
        shell.waiting.removeFirst()
      } catch StoreError.locked {
        if let back = shell.waiting.givenUp(at: loop.now) {
          giveBack(back, because: sentence(for: StoreError.locked(path: shell.store.path)))
        }
        return
      } catch {
        if let back = shell.waiting.takeBack() { giveBack(back, because: sentence(for: error)) }
      }
    }
  }

  /// A line that could not be stored comes back into an empty line, otherwise into the history.
  private func giveBack(_ line: WaitingLines.Line, because reason: SafeText) {
    shell.printer.endRun()
    if isLeaving {
      // The last resort: what cannot be stored at least stands on the screen.
      editor.print([
        Shell.error(say("Not sent: %1", SafeText(body: line.typed).lines.joined(separator: " ")))
      ])
    } else if editor.isEmpty, shell.editing == nil {
      editor.print([Shell.error(say("%1 Your line is back.", reason))])
      put(line.typed)
    } else {
      editor.print([Shell.error(say("%1 Your line is in the history: press Up.", reason))])
      remember(line.typed)
    }
  }

  // MARK: Leaving

  private func leave() {
    guard !isLeaving else { return }
    isLeaving = true
    if shell.editing == nil {
      noteDraft()
    } else {
      // What is in the editor is no draft (rule 3.6); the draft is what was put aside.
      if let text = aside?.text {
        draftClock.changed(to: Composer.Draft(text, caret: aside?.caret ?? 0), at: loop.now)
      }
      shell.editing = nil
    }
    saveDraft()
    _ = shell.signals.sentOrCleared(at: loop.now)
    guard shell.waiting.isEmpty, shell.tryPostponed() else { return tryAgainSoon() }
    loop.stop()
  }
}

// MARK: What the shell asks of its face

extension InteractiveShell: Face {
  var isInteractive: Bool { true }

  func print(_ lines: [StyledLine]) { editor.print(lines) }
  func show(_ lines: [StyledLine]) { editor.print(lines) }

  func refresh() {
    editor.widths = shell.printer.options.widths
    var bar = editor.bar
    bar.prompt = shell.prompt
    bar.maxInputRows = shell.settings.maxInputRows
    bar.pending = shell.waiting.lines.map { line in
      say("%1  (waiting for the store)", SafeText(body: line.typed).lines.joined(separator: " "))
    }
    bar.placeholder =
      shell.editing == nil && shell.isMember && editor.question == nil
      ? shell.conversation.map { say("Message %1", SafeText(name: $0.name)) } ?? "" : ""
    if editor.face == .tty {
      bar.zones[.status] = shell.statusItems(notice: notice, columns: editor.columns)
    }
    editor.bar = bar
    if editor.face == .plain, bar.pending.count > waitingShown {
      editor.print([StyledLine(bar.pending[bar.pending.count - 1])])
    }
    waitingShown = bar.pending.count
    scheduleTypingExpiry()
  }

  func notice(_ text: SafeText) {
    if editor.face == .plain {
      editor.print([StyledLine(text)])
    } else {
      notice = text
      refresh()
    }
  }

  func bell() { editor.bell() }

  func put(_ text: String) {
    editor.whenLineBegins { [self] in
      editor.insert(text)
      noteDraft()
    }
  }

  func storeDraft() {
    noteDraft()
    saveDraft()
  }

  func beginEditing(_ text: String, offering offered: String?) {
    editor.whenLineBegins { [self] in
      if aside == nil { aside = editor.setAside() }
      editor.setLine(offered ?? text)
      if offered != nil { editor.replaceLine(text) }
    }
  }

  func endEditing(offering offered: String?) {
    notice = nil
    editor.whenLineBegins { [self] in
      if let aside = aside.take() { editor.bringBack(aside) }
      if let offered { editor.offerOnUndo(offered) }
      noteDraft()
    }
  }

  func retargetEditing(_ text: String) {
    editor.whenLineBegins { [self] in editor.replaceLine(text) }
  }

  var draft: (text: String, caret: Int) { (editor.text, editor.caret) }

  func leaveConversation() {
    saveDraft()
    signal(shell.signals.sentOrCleared(at: loop.now))
  }

  func enteredConversation() {
    draftClock = DraftClock()
    knownDraft = ""
    guard let conversation = shell.conversation else { return }
    let stored = (try? shell.store.draft(of: shell.me.id, in: conversation.id)) ?? nil
    editor.whenLineBegins { [self] in
      guard let stored, editor.isEmpty else { return }
      editor.setLine(stored.text, caret: stored.caret)
      knownDraft = stored.text
      draftClock = DraftClock(stored: Composer.Draft(stored.text, caret: stored.caret))
    }
    refresh()
  }

  func remember(_ line: String) {
    draftClock.stored(Composer.Draft())
    editor.whenLineBegins { [self] in editor.addHistory(line) }
  }

  func reloadHistory() {
    historyIsStale = true
    reloadStaleHistory()
  }

  /// Not while somebody walks through it or searches it.
  private func reloadStaleHistory() {
    if historyIsStale, editor.isIdle, editor.isEmpty { loadHistory() }
  }

  func tryAgainSoon() {
    guard retryTimer == nil else { return }
    retryTimer = loop.after(milliseconds: retryDelay) { [weak self] in self?.tryAgain() }
    retryDelay = min(retryDelay * 2, 50)
  }

  func clearScreen() { editor.clearDisplay() }
  func quit() { leave() }
}

// MARK: What the line tells

extension InteractiveShell: LineEditorDelegate {
  func lineEditor(_ editor: LineEditor, accepts text: String) -> Bool {
    notice = nil
    do {
      try shell.take(text)
      editor.whenLineBegins { [self] in
        noteDraft()
        holdOrCatchUp()
        reloadStaleHistory()
        refresh()
      }
      return true
    } catch {
      let reason = sentence(for: error)
      if reason.isEmpty {
        editor.bell()
      } else {
        shell.printer.endRun()
        editor.print([Shell.error(reason)])
      }
      refresh()
      return false
    }
  }

  func lineEditorCancels(_ editor: LineEditor) -> Bool {
    if shell.editing != nil {
      shell.cancelEditing()
      return true
    }
    if let line = shell.waiting.takeBack() {
      giveBack(line, because: say("The line that waited for the store was not sent."))
      refresh()
      return true
    }
    return false
  }

  func lineEditorChanged(_ editor: LineEditor) {
    if notice != nil || nextNotice != nil {
      notice = nextNotice
      nextNotice = nil
      refresh()
    }
    noteDraft()
    let text = editor.text
    if shell.editing != nil, !text.isEmpty, !text.hasPrefix("/") || text.hasPrefix("//") {
      shell.typedOverMessage = text
    }
    signal(
      shell.signals.changedByHand(
        text: text, at: loop.now, inEditMode: shell.editing != nil, isOff: !shell.settings.typing))
    if shell.isHolding, text.isEmpty { holdOrCatchUp() }
  }

  func lineEditorMayClear(_ editor: LineEditor, isEmpty: Bool) -> Bool {
    if isEmpty {
      if shell.editing != nil {
        shell.cancelEditing()
      } else {
        notice(say("To leave: C-d on the empty line, or /quit"))
      }
      return false
    }
    guard shell.settings.confirmClear, editor.question == nil else {
      emptied()
      return true
    }
    editor.question = { [weak self] yes in
      guard let self else { return }
      notice = nil
      if yes {
        emptied()
        editor.empty()
      }
      refresh()
    }
    notice(say("Undo typing? y: empty the line, any other key: keep it"))
    return false
  }

  /// The line is about to be emptied: said once it is.
  private func emptied() {
    let text = say("Line emptied; C-_ brings it back")
    if editor.face == .plain { notice(text) } else { nextNotice = text }
  }

  func lineEditorEnded(_ editor: LineEditor) {
    if shell.editing != nil {
      shell.cancelEditing()
    } else {
      leave()
    }
  }

  func lineEditorLostTerminal(_ editor: LineEditor) { leave() }

  func lineEditorEditsLast(_ editor: LineEditor) {
    do {
      try shell.edit("")
    } catch {
      shell.printer.endRun()
      editor.print([Shell.error(sentence(for: error))])
    }
  }

  func lineEditorGoesUpFromEmptyLine(_ editor: LineEditor) -> Bool {
    guard shell.settings.upEditsLast, shell.editing == nil else { return false }
    return (try? shell.edit("")) != nil
  }

  func lineEditorSuspends(_ editor: LineEditor) { saveDraft() }
  func lineEditorResumed(_ editor: LineEditor) {
    shell.catchUp()
    refresh()
  }

  func lineEditor(_ editor: LineEditor, completionsIn text: String, caret: Int) -> Completions? {
    shell.completions(in: text, caret: caret)
  }
}
