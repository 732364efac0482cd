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
  let drafts: DraftKeeper
  let locked: LockedStore
  let kept: KeptLines
  let completion: LiveCompletion
  /// What C-c took away beside the text: it comes back with it.
  var emptied: (text: String, files: WaitingFiles)?
  /// The text that the bar's highlights belong to.
  var highlighted: (text: String, spans: [Span])?

  /// Housekeeping while nobody types, and when the last key came.
  private var idleWork: IdleWork
  var lastKey: Int64 = 0

  var notice: SafeText? { didSet { noticeAt = loop.now } }
  private var noticeAt: Int64 = 0
  /// What is said when the change that is under way has happened.
  var nextNotice: SafeText?
  var typingTimer: TimerID?
  private var signalTimer: TimerID?
  private var resizeTimer: TimerID?
  var historyIsStale = false
  var waitingShown = 0
  var isLeaving = false
  /// Monotonic milliseconds: until when leaving waits for what was sent.
  var leavesBy: Int64 = 0
  /// What the bar shows may no longer be so.
  var isStale = true
  var exitStatus: Int32 = 0
  /// Whether the terminal is known to make links.
  let linksByDefault: Bool

  init(shell: Shell, editor: LineEditor, loop: EventLoop) {
    self.shell = shell
    self.editor = editor
    self.loop = loop
    idleWork = IdleWork(now: loop.now)
    linksByDefault = editor.links
    drafts = DraftKeeper(shell: shell, editor: editor, loop: loop)
    locked = LockedStore(shell: shell, loop: loop)
    kept = KeptLines(shell: shell)
    completion = LiveCompletion(shell: shell, editor: editor)
    drafts.spans = { [completion] in completion.spans }
    drafts.restored = { [completion] in completion.begin(with: $0) }
    completion.menuChanged = { [weak self] in self?.refresh() }
    completion.listen(self) { [weak self] in self?.hear($0) }
    completion.plugins = [{ [weak self] in self?.offerToAttach($0, pasted: $1) ?? false }]
    locked.giveBack = { [weak self] in self?.giveBack($0, because: $1) }
    wireKeptLines()
    shell.face = self
    editor.handler = { [weak self] in self?.handle($0) ?? false }
    editor.menu = { [completion, unowned editor] in
      editor.isIdle && editor.question == nil ? completion.menu : .closed
    }
    editor.completions = { [completion] in completion.completions(in: $0, caret: $1) }
    editor.nameWordStart = { [completion] in completion.nameWordStart(before: $0) }
    shell.programs.began = { [weak self, loop] in
      loop.handleSignals([SIGCHLD]) { _ in self?.shell.programs.reap() }
    }
    shell.printer.options.groupsRuns = editor.face == .tty
  }

  /// Serves the person until they leave. Returns the exit status.
  func run(
    opening conversation: Conversation, bindings: [String], greeting: [StyledLine],
    complaints: [SafeText]
  ) throws -> Int32 {
    defer { editor.stop() }
    shell.store.patience = 0
    shell.isStarting = true
    shell.isFocused = editor.isFocused
    try shell.store.read {
      try shell.lookFromHere()
      try shell.enter(conversation)
      editor.start(prompt: shell.prompt)
      if !greeting.isEmpty { shell.answer(greeting, indent: 0) }
      // Below what was said here, which would push it off the screen.
      shell.complain(
        complaints + editor.takeComplaints() + bindings.flatMap({ editor.bind($0) }))
      enteredConversation()
    }
    // Before the prompt stands: whoever sees it may end the program, and the terminal has to be
    // given back.
    handleSignals()
    editor.draw()
    markPrinted()
    watchStore()
    loop.endOfTurn { [weak self] in
      self?.markPrinted()
      self?.workWhileIdle()
    }
    // What the first prompt does not have to wait for, but the first key does: Up finds history.
    settleIn()
    editor.draw()
    loop.run()
    return exitStatus
  }

  /// Presence, history and who is here, once the prompt stands.
  private func settleIn() {
    let shell = shell
    shell.isStarting = false
    _ = shell.tryPostponed()
    shell.postpone("names") { try shell.store.lookAtNames() }
    shell.postpone("attach") { [weak self] in
      guard shell.shellID == nil else { return }
      shell.shellID = try shell.store.attach(shell.me.id)
      try shell.store.open(shell.conversation?.id, paused: !shell.isLooking)
      self?.loadHistory()
      _ = try shell.store.forgetTheDead()
    }
    shell.refreshNewestOwn()
    shell.lookAround()
    shell.catchUp()
    refresh()
  }

  private func watchStore() {
    do {
      loop.watch(try shell.store.bellDescriptor) { [weak self] in self?.rung() }
    } catch {
      complain(sentence(for: error))
      complain(say("Until hobnob is started again, it looks for new messages at every key."))
      loop.endOfTurn { [weak self] in
        guard let self else { return }
        holdOrCatchUp()
        editor.draw()
      }
    }
  }

  private func workWhileIdle() {
    guard shell.waiting.isEmpty, shell.postponed.isEmpty else { return }
    idleWork.turn(shell.store, lastKey: lastKey) { loop.now }
  }

  private func rung() {
    let news = shell.store.drainBell()
    let shell = shell
    if news.contains(.somebodyDied) {
      shell.postpone("dead") { _ = try shell.store.forgetTheDead() }
    }
    holdOrCatchUp()
  }

  /// What was printed counts once the terminal has taken it (rule 7.3).
  func markPrinted() {
    if !editor.isBehind { shell.markPrinted() }
  }

  /// While the terminal takes nothing, what comes waits in the store, as it does under `/pause` (rule
  /// 7.6); it would be drawn for nobody. In plain mode messages may have to wait until the line is
  /// done (rule 11.5).
  func holdOrCatchUp() {
    shell.isHolding =
      editor.isBehind
      || editor.face == .plain && shell.settings.holdWhileTyping && !editor.isEmpty
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

  func loadHistory() {
    guard let shellID = shell.shellID,
      let lines = try? shell.store.history(
        of: shell.me.id, shell: shellID, limit: Self.historyLines)
    else { return }
    historyIsStale = false
    editor.setHistory(lines)
  }

  // MARK: Typing (rule 4)

  func signal(_ signal: TypingSignals.Signal?) {
    if let signal, let conversation = shell.conversation, shell.shellID != nil {
      let store = shell.store
      shell.postpone("typing") { try store.setTyping(signal == .typing, in: conversation.id) }
    }
    loop.schedule(&signalTimer, at: shell.signals.nextDeadline) { [weak self] in
      guard let self else { return }
      self.signal(shell.signals.tick(at: loop.now))
    }
  }

  func scheduleTypingExpiry() {
    loop.schedule(&typingTimer, at: shell.typing.nextExpiry) { [weak self] in
      guard let self else { return }
      shell.typing.expire(at: loop.now)
      refresh()
    }
  }

  /// What is said in the status line makes room for who is typing after a while, for good. Their
  /// signals come every three seconds and have it looked at anew.
  func forgetOldNotice() {
    let isOld = loop.now - noticeAt >= 3000 && editor.question == nil
    if isOld, !shell.typing.isEmpty, shell.editing == nil { notice = nil }
  }
}
