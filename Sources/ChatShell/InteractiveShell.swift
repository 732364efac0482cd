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
  private let locked: LockedStore
  let completion: LiveCompletion
  /// What C-c took away beside the text: it comes back with it.
  var emptied: (text: String, files: WaitingFiles)?
  /// The text that the bar's highlights belong to.
  private var highlighted: (text: String, spans: [Span])?

  var notice: SafeText?
  /// What is said when the change that is under way has happened.
  var nextNotice: SafeText?
  private var typingTimer: TimerID?
  private var signalTimer: TimerID?
  private var resizeTimer: TimerID?
  private var aside: LineEditor.Aside?
  /// The mentions of what was put aside.
  private var keptSpans: [Span] = []
  private var historyIsStale = false
  private var waitingShown = 0
  private var isLeaving = false
  /// What the bar shows may no longer be so.
  var isStale = true
  private var exitStatus: Int32 = 0

  init(shell: Shell, editor: LineEditor, loop: EventLoop) {
    self.shell = shell
    self.editor = editor
    self.loop = loop
    drafts = DraftKeeper(shell: shell, editor: editor, loop: loop)
    locked = LockedStore(shell: shell, loop: loop)
    completion = LiveCompletion(shell: shell, editor: editor)
    drafts.spans = { [completion] in completion.spans }
    drafts.restored = { [completion] in completion.begin(with: $0) }
    completion.changed = { [weak self] in self?.refresh() }
    locked.giveBack = { [weak self] in self?.giveBack($0, because: $1) }
    locked.tried = { [weak self] isFree in
      guard let self else { return }
      if isFree, isLeaving { loop.stop() }
      refresh()
    }
    shell.face = self
    editor.delegate = self
    shell.printer.options.groupsRuns = editor.face == .tty
  }

  /// Serves the person until they leave. Returns the exit status.
  func run(
    opening conversation: Conversation, bindings: [String], greeting: [StyledLine]
  ) throws -> Int32 {
    defer { editor.stop() }
    shell.store.patience = 0
    shell.isStarting = true
    try shell.lookFromHere()
    if !greeting.isEmpty { editor.print(greeting) }
    try shell.enter(conversation)
    editor.start(prompt: shell.prompt)
    for complaint in editor.takeComplaints() + bindings.flatMap({ editor.bind($0) }) {
      editor.print([Shell.error(complaint)])
    }
    enteredConversation()
    // Before the prompt stands: whoever sees it may end the program, and the terminal has to be
    // given back.
    handleSignals()
    editor.draw()
    watchStore()
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
    shell.postpone("attach") { [weak self] in
      guard shell.shellID == nil else { return }
      shell.shellID = try shell.store.attach(shell.me.id)
      try shell.store.open(shell.conversation?.id)
      self?.loadHistory()
      _ = try shell.store.forgetTheDead()
    }
    shell.refreshNewestOwn()
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
  func holdOrCatchUp() {
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

  private func scheduleTypingExpiry() {
    loop.schedule(&typingTimer, at: shell.typing.nextExpiry) { [weak self] in
      guard let self else { return }
      shell.typing.expire(at: loop.now)
      refresh()
    }
  }

  // MARK: What could not be stored (rule 1.2)

  /// A line that could not be stored comes back into an empty line, otherwise into the history.
  func giveBack(_ line: WaitingLines.Line, because reason: SafeText) {
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

  func leave() {
    guard !isLeaving else { return }
    isLeaving = true
    locked.isLeaving = true
    if shell.editing == nil {
      drafts.note()
    } else {
      // What is in the editor is no draft (rule 3.6); the draft is what was put aside.
      if let text = aside?.text {
        shell.editing = nil
        drafts.note(Composer.Draft(text, caret: aside?.caret ?? 0))
      }
      shell.editing = nil
    }
    drafts.save()
    _ = shell.signals.sentOrCleared(at: loop.now)
    guard shell.waiting.isEmpty, shell.tryPostponed() else { return locked.tryAgainSoon() }
    loop.stop()
  }
}

// MARK: What the shell asks of its face

extension InteractiveShell: Face {
  var isInteractive: Bool { true }

  func print(_ lines: [StyledLine]) { editor.print(lines) }
  func show(_ lines: [StyledLine]) { editor.print(lines) }

  func refresh() { isStale = true }

  /// Brings the bar up to date: once before it is drawn, however much has changed.
  func updateBar() {
    isStale = false
    editor.widths = shell.printer.options.widths
    var bar = editor.bar
    bar.prompt = shell.prompt
    bar.maxInputRows = shell.settings.maxInputRows
    bar.pending = shell.waiting.lines.map { line in
      say("%1  (waiting for the store)", SafeText(body: line.typed).lines.joined(separator: " "))
    }
    bar.placeholder =
      shell.editing == nil && shell.isMember && editor.question == nil
        && shell.settings.looks.placeholder
      ? shell.conversation.map { say("Message %1", SafeText(name: $0.name)) } ?? "" : ""
    if editor.face == .tty { arrange(&bar) }
    editor.bar = bar
    if editor.face == .plain, bar.pending.count > waitingShown {
      editor.print([StyledLine(bar.pending[bar.pending.count - 1])])
    }
    waitingShown = bar.pending.count
    scheduleTypingExpiry()
  }

  /// The zones and the menu, as the settings want them (rule 9).
  private func arrange(_ bar: inout InputBar) {
    let settings = shell.settings
    let looks = settings.looks
    let columns = editor.columns
    shell.printer.options.columns = columns
    bar.hidesSideZones = shell.editing != nil
    bar.zones[.status] = shell.statusItems(notice: notice, columns: columns)
    bar.zones[.left] = looks.leftItems
    var right: [Item] = []
    if let files = shell.files.item { right.append(files) }
    let text = editor.text
    if let counter = Counter.item(
      text: text, limit: settings.messageLimit, style: settings.counter)
    {
      right.append(counter)
    }
    let canSend = shell.rules.allowsSending(text, hasAttachments: !shell.files.isEmpty)
    if let send = looks.sendItem(isEnabled: canSend, glyphs: shell.glyphs) { right.append(send) }
    bar.zones[.right] = right
    bar.spacing[.right] = 1
    bar.zones[.toolbar] = looks.toolbarItems
    let isFree = editor.isIdle && editor.question == nil
    bar.menu = isFree ? completion.rows(columns: columns - 1) : []
    if looks.menu == .compact, bar.menu.count > 1 {
      bar.menu = [bar.menu.dropFirst().reduce(bar.menu[0]) { $0 + StyledLine("   ") + $1 }]
    }
    if looks.separator {
      let rule = String(repeating: shell.glyphs.rule.string, count: max(0, columns - 1))
      bar.menu.insert(StyledLine(SafeText(line: rule), .dim), at: 0)
    }
    editor.menu = isFree ? completion.menu : .closed
  }

  /// Styles what is typed as it will be printed (rule 6.4), mentions too.
  func highlight() {
    let text = editor.text
    guard editor.face == .tty, !text.isEmpty || highlighted != nil else { return }
    completion.follow(text, caret: editor.caret)
    let spans = completion.spans
    guard text != highlighted?.text || spans != highlighted?.spans else { return }
    highlighted = (text, spans)
    var highlights: [InputBar.Highlight] = []
    if shell.settings.styling, !LineRules.isCommand(text) {
      let caret = editor.caret
      let runs =
        text.utf8.count <= MessageStyling.longText
        ? MessageStyling.standard.runs(in: text)
        : MessageStyling.standard.runs(
          in: text, visible: max(0, caret - 8192)..<min(text.utf8.count, caret + 8192))
      highlights = runs.map { .init($0.range, $0.style) }
    }
    highlights += spans.map { .init($0.range, .bold) }
    if highlights != editor.bar.highlights { editor.bar.highlights = highlights }
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
      completion.lineChanged(byHand: false)
      drafts.note()
    }
  }

  func storeDraft() {
    drafts.note()
    drafts.save()
  }

  func beginEditing(_ text: String, offering offered: String?, mentions: [Span]) {
    editor.whenLineBegins { [self] in
      if aside == nil {
        keptSpans = completion.spans
        aside = editor.setAside()
      }
      editor.setLine(offered ?? text)
      if offered != nil { editor.replaceLine(text) }
      completion.begin(with: mentions)
    }
  }

  func endEditing(offering offered: String?) {
    notice = nil
    editor.whenLineBegins { [self] in
      if let aside = aside.take() { editor.bringBack(aside) }
      if let offered { editor.offerOnUndo(offered) }
      completion.begin(with: keptSpans)
      keptSpans = []
      drafts.note()
    }
  }

  func retargetEditing(_ text: String, mentions: [Span]) {
    editor.whenLineBegins { [self] in
      editor.replaceLine(text)
      completion.begin(with: mentions)
    }
  }

  var draft: (text: String, caret: Int) { (editor.text, editor.caret) }

  func leaveConversation() {
    drafts.save()
    signal(shell.signals.sentOrCleared(at: loop.now))
  }

  func enteredConversation() {
    drafts.restore()
    refresh()
  }

  func remember(_ line: String) {
    drafts.sent()
    editor.whenLineBegins { [self] in editor.addHistory(line) }
  }

  func reloadHistory() {
    historyIsStale = true
    reloadStaleHistory()
  }

  /// Not while somebody walks through it or searches it.
  func reloadStaleHistory() {
    if historyIsStale, editor.isIdle, editor.isEmpty { loadHistory() }
  }

  func tryAgainSoon() { locked.tryAgainSoon() }
  func mentions(in body: String) -> [Span] {
    let text = editor.text
    guard text.hasSuffix(body) else { return [] }
    let start = text.utf8.count - body.utf8.count
    return completion.spans.compactMap { span in
      guard span.range.lowerBound >= start else { return nil }
      return Span(
        range: (span.range.lowerBound - start)..<(span.range.upperBound - start),
        identity: span.identity)
    }
  }

  func bind(_ line: String) -> [SafeText] { editor.bind(line) }
  var bindings: [(function: String, keys: String)] { editor.bindings }
  func clearScreen() { editor.clearDisplay() }
  func quit() { leave() }
}
