// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatPreferences
import ChatScripts
import ChatSession
import Composer
import Conversations
import Glibc
import LineEditing
import Platform
import StyledText

/// A shell at a terminal: reports events to a ``Session`` and carries out the effects it returns.
@MainActor
final class InteractiveShell {
  let session: Session
  let editor: LineEditor
  let line: EditorLine
  let loop: EventLoop
  let completion: LiveCompletion
  let programs = DetachedPrograms()
  /// Housekeeping while nobody types.
  private lazy var idleWork = IdleWork(now: loop.now)
  private(set) lazy var notifier = Notifier(session, editor, programs) { [weak self] in
    self?.complain($0)
  }
  /// The text that the bar's highlights belong to.
  var highlighted: (text: String, spans: [Span])?

  var notice: SafeText? { didSet { noticeAt = loop.now } }
  private var noticeAt: MonotonicTime = 0
  /// How the person has agreed to send a long text.
  var confirmedForm: LongTextForm?
  /// Whether the session has heard of the current change as typing.
  var isTyped = false
  /// The notice to show after the current change.
  var nextNotice: SafeText?
  private var timer: TimerID?
  private var resizeTimer: TimerID?
  var waitingShown = 0
  /// Whether the bar may be out of date.
  var isStale = true
  /// ``LineEditor/scrolledText``, as the bar shows it.
  var shownLength: ScrolledText?
  private var exitStatus: Int32 = 0
  /// Whether the terminal is known to support links.
  let linksByDefault: Bool

  /// - Parameter line: the line of the session.
  init(session: Session, editor: LineEditor, line: EditorLine, loop: EventLoop) {
    self.session = session
    self.editor = editor
    self.line = line
    self.loop = loop
    linksByDefault = editor.display.links
    completion = LiveCompletion(session: session, editor: editor)
    completion.listen(self) { [weak self] in self?.handleBarEvent($0) }
    completion.plugins = [{ [weak self] in self?.offerToAttach($0, pasted: $1) ?? false }]
    line.completion = completion
    editor.handler = { [weak self] in self?.handle($0) ?? false }
    editor.menu = { [completion, session, unowned editor] in
      // In plain mode, hobnob shows no menu.
      guard editor.displayMode == .tty, editor.isIdle, session.mode.question == nil else {
        return .closed
      }
      let menu = completion.menu
      return menu == .open && completion.completion.arrowsEnter ? .entered : menu
    }
    editor.completions = { [completion] in completion.completions(in: $0, caret: $1) }
    editor.nameWordStart = { [completion] in completion.nameWordStart(before: $0) }
    programs.onFirstStart = { [weak self, loop] in
      loop.handleSignals([SIGCHLD]) { _ in self?.programs.reap() }
    }
  }

  var settings: Settings { session.preferences.settings }

  /// Serves the person until they leave. Returns the exit status.
  ///
  /// - Parameter first: a question to ask at the first prompt.
  func run(
    opening conversation: Conversation, bindings: [KeyBinding], greeting: [StyledLine],
    complaints: [SafeText], first: SessionEvent? = nil
  ) throws -> Int32 {
    defer { editor.stop() }
    try session.store.read { _ in
      tellSize()
      tell(.focus(editor.focus.isHere))
      perform(try session.begin(in: conversation))
      editor.start(prompt: StatusLine(session: session).prompt)
      if !greeting.isEmpty { editor.print(greeting) }
      // Printing it here would push it off the screen.
      let inputrc = editor.takeComplaints()
      let rc = KeyBinding.complaints(of: bindings, among: complaints) { editor.bind($0) }
      tell(.complain(rc + inputrc))
      tell(.lineReady)
    }
    // Do this before the prompt appears: anyone who sees it may end the program, which must then
    // restore the terminal.
    handleSignals()
    editor.draw()
    watchStore()
    loop.endOfTurn { [weak self] in self?.endTurn() }
    // Do this after the first prompt and before the first key: Up needs the history.
    tell(.promptShown)
    if let first { tell(first) }
    editor.draw()
    // Most of what the start read is not needed again. The delay lets the start's writes end first.
    loop.after(milliseconds: 100) { [session] in session.store.upkeep.releaseMemory() }
    loop.run()
    return exitStatus
  }

  private func endTurn() {
    if session.feed.screenState.hasToMark { tell(.turnEnded) }
    guard !session.isWaitingForStore else { return }
    idleWork.turn(session.store, lastKey: session.lastKey) { loop.now }
  }

  // MARK: Events

  /// Sends an event to the session, and carries out its effects; false if it refused.
  @discardableResult
  func tell(_ event: SessionEvent) -> Bool {
    let isDone = perform(handle(event))
    refresh()
    loop.schedule(&timer, at: session.deadline) { [weak self] in self?.tell(.tick) }
    return isDone
  }

  func refresh() { isStale = true }

  func complain(_ sentence: SafeText) { tell(.complain([sentence])) }

  private func watchStore() {
    do {
      loop.watch(try session.store.bellDescriptor) { [weak self] in
        guard let self else { return }
        tell(.bellRang(session.store.drainBell()))
      }
    } catch {
      complain(sentence(for: error))
      complain(
        say(
          "From now until you restart it, hobnob looks for new messages only when you press a key.")
      )
      loop.endOfTurn { [weak self] in
        guard let self else { return }
        tell(.bellRang([]))
        editor.draw()
      }
    }
  }

  func tellSize() { tell(.resized(rows: editor.display.rows, columns: editor.display.columns)) }

  func tellFocus() { tell(.focus(editor.focus.isKnown ? editor.focus.isHere : nil)) }

  func quit(status: Int32) {
    exitStatus = status
    loop.stop()
  }

  // MARK: Signals

  private func handleSignals() {
    loop.handleSignals([SIGWINCH, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGCONT]) {
      [weak self] signal in
      guard let self else { return }
      switch signal {
      case SIGWINCH: resizeSoon()
      case SIGINT: editor.clearLine()
      // C-\ was meant for a program that has the terminal, or is about to get it.
      case SIGQUIT: break
      case SIGTSTP: editor.suspend()
      case SIGCONT: editor.continued()
      default:
        editor.handleLastKeys()
        leave(status: 128 + signal)
      }
    }
  }

  func leave(status: Int32) {
    // The loop may stop before the end of this turn.
    editor.draw()
    tell(.leave(status: status))
  }

  /// Draws again soon after a size change: dragging a window causes many, and drawing waits for the
  /// last.
  private func resizeSoon() {
    if let resizeTimer { loop.cancel(resizeTimer) }
    resizeTimer = loop.after(milliseconds: 50) { [weak self] in
      guard let self else { return }
      resizeTimer = nil
      editor.resizeProbe.windowResized()
    }
  }

  /// Removes a notice from the status line after three seconds, to make room for the typing
  /// indicator. Typing signals arrive every three seconds, so this needs no timer of its own.
  func forgetOldNotice() {
    let isOld = loop.now - noticeAt >= 3000 && session.mode.question == nil
    if isOld, !session.open.typing.isEmpty, !session.mode.isEditing { notice = nil }
  }
}
