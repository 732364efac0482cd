// SPDX-License-Identifier: GPL-3.0-or-later
import CReadline
import Composer
import Glibc
import Platform
import StyledText
import Terminal

/// The line being typed, which readline edits. hobnob draws it on a terminal, readline on a dumb
/// one. Settled lines, which no longer change, are printed above it. Single-threaded: everything
/// happens in `loop`.
@MainActor
package final class LineEditor {
  package let loop: EventLoop
  /// Receives each event of the line; returns whether it has handled the event.
  package var handler: ((LineEvent) -> Bool)?
  /// Returns the candidates for the word at the caret, a byte offset in `text`; readline's own
  /// completion functions call it.
  package var completions: ((_ text: String, _ caret: Int) -> Completions?)?
  /// For M-Backspace in a name of several words: returns the byte offset at which the last word of
  /// the name begins; nil if the caret, a byte offset, is neither in such a name nor at its end.
  package var nameWordStart: ((_ caret: Int) -> Int?)?
  /// Receives the next key as an answer. If it returns false, the key is not an answer; a character
  /// then goes into the line.
  package var question: ((Answer) -> Bool)?

  /// Returns whether a menu is open, and whether keys go to it; ``InputBar/menu`` shows it.
  package var menu: () -> MenuState = { .closed }

  let device: TerminalDevice
  package let display: LineDisplay
  let keys: KeyReader
  package let focus: WindowFocus
  package let resizeProbe: ResizeProbe
  var questions = TerminalQuestions()
  private let unreportedChanges: ChangeCoalescer
  /// Whether the program changed the line while handling keys; such a change is not typing.
  var isProgramChange = false
  private var lastCaret: Int32 = 0
  /// Whether the last key only inserted a letter.
  private var isInsertion = false
  var isAccepting = false
  var afterLine: [() -> Void] = []
  var candidateList = CandidateList()

  /// - Parameters:
  ///   - displayMode: how to draw.
  ///   - capabilities: what the terminal can show.
  package init(
    displayMode: DisplayMode, loop: EventLoop, device: TerminalDevice, widths: Widths,
    capabilities: Painter.TerminalCapabilities
  ) {
    self.loop = loop
    self.device = device
    display = LineDisplay(
      displayMode: displayMode, device: device, widths: widths, capabilities: capabilities)
    keys = KeyReader(of: device, in: loop)
    resizeProbe = ResizeProbe(of: device, on: display, in: loop)
    focus = WindowFocus(isHere: displayMode == .plain, loop: loop)
    unreportedChanges = ChangeCoalescer(loop: loop)
    keys.onTimeout = { [weak self] in self?.handle($0) }
    keys.onUnfinishedPaste = { [weak self] in self?.tell(.pasteUnfinished) }
    focus.changed = { [weak self] in self?.tell(.focusChanged) }
    resizeProbe.settled = { [weak self] in self?.tell(.resized) }
    unreportedChanges.isDue = { [weak self] in self?.tellChanges() }
  }

  /// - Returns: whether there is a handler and it has handled the event.
  @discardableResult
  func tell(_ event: LineEvent) -> Bool { handler?(event) ?? false }

  package var displayMode: DisplayMode { display.displayMode }
  /// The bar around the text; readline owns the text itself.
  package var bar: InputBar {
    get { display.bar }
    set { display.bar = newValue }
  }
  // MARK: Life

  /// Takes over the terminal, and shows the prompt at the end of the loop's turn. If it already has
  /// the terminal, it only changes the prompt.
  package func start(prompt: StyledLine) {
    bar.prompt = prompt
    guard !isStarted else { return }
    isStarted = true
    device.restoreOnCrash()
    loop.endIfStuck(on: [SIGTERM, SIGHUP], first: TerminalDevice.restoreNow)
    device.fellBehind = { [weak self] in self?.fellBehind() }
    device.reportsFocus = displayMode == .tty
    device.enter(plain: displayMode == .plain)
    if displayMode == .tty {
      device.write(questions.ask(of: display.capabilities, at: loop.now))
    }
    // Until now the terminal turned Return into a newline.
    readAhead { $0 == .key([0x0A]) ? .key([0x0D]) : $0 }
    Readline.start(
      for: self, plain: displayMode == .plain, echoes: device.echoes,
      pages: !display.capabilities.scrollsBack, prompt: prompt.plain.string)
    display.updateSize()
    loop.watch(device.input) { [weak self] in self?.readKeys() }
    // An output pipe becomes readable only when its reader has gone away.
    if device.drawsIntoPipe { loop.watch(device.output) { [weak self] in self?.stopListening() } }
    loop.endOfTurn { [weak self] in self?.endTurn() }
    if displayMode == .tty { focus.wait() }
  }

  private(set) var isStarted = false
  private var isFirstTurn = true

  private func endTurn() {
    if isFirstTurn {
      isFirstTurn = false
      // Most terminals have answered by now, so that the first screen has the right colours.
      if questions.askedAt != nil { readAhead { $0 } }
    }
    draw()
    if isStarted { resizeProbe.askForPlace() }
  }

  /// Restores the terminal's modes, and leaves the cursor on an empty row.
  package func stop() {
    guard isStarted else { return }
    isStarted = false
    finishQuestions()
    resizeProbe.finish(availableKeys, keep: keepAhead)
    device.catchUp(within: TerminalDevice.patience, atMost: TerminalDevice.patience)
    display.isEnding = true
    draw()
    loop.unwatch(device.input)
    loop.unwatch(device.output)
    loop.unwatch(device.writer, for: .writing)
    display.leave(keepingLine: false)
    creadline_stop()
    device.leave(atMost: TerminalDevice.patience)
  }

  // MARK: Keys

  /// The input that has arrived; nil if the terminal has closed.
  func availableKeys() -> [KeyEvent]? {
    keys.available(
      awaitsAnswer: resizeProbe.isAwaiting || questions.mayBeAnswered(at: loop.now))
  }

  private func readKeys() {
    guard let events = availableKeys() else { return stopListening() }
    takeTypedAhead()
    var typed = events.filter { !takeReport($0) }
    // In plain mode each line is one (rule 1.9).
    if displayMode == .tty { typed = keys.withoutPastes(typed) }
    // A report of focus or size is not a key, and must not end or answer anything.
    if !typed.isEmpty || events.isEmpty { handle(typed) }
    keys.startTimers()
  }

  /// Handles a report that the terminal sent by itself. Returns false if the user typed the event.
  func takeReport(_ event: KeyEvent) -> Bool {
    if case .focus(let isFocused) = event {
      focus.noteReport(isFocused)
      return true
    }
    return takeAnswer(event) || resizeProbe.takeSize(event)
  }

  /// Handles the answer to a question of hobnob's, even a late one. Returns false for any other event.
  func takeAnswer(_ event: KeyEvent) -> Bool {
    questions.take(event, display) || resizeProbe.takePlace(event)
  }

  private func stopListening() {
    loop.unwatch(device.input)
    loop.unwatch(device.output)
    handleLastKeys()
    tell(.lostTerminal)
  }

  /// Handles the keys that still wait for more, since no more will come. Call this before the
  /// program ends because of a signal. A typed line is then sent; a paste is in the line, so that
  /// it becomes the draft (rules 1.2 and 1.9).
  package func handleLastKeys() {
    takeTypedAhead()
    let last = keys.lastKeys()
    if !last.isEmpty { handle(last) }
  }

  func handle(_ events: [KeyEvent]) {
    isProgramChange = false
    isInsertion = false
    for event in events { handle(event) }
    let isByHand = !isProgramChange
    isProgramChange = false
    guard creadline_take_changed(), isByHand else {
      let line = Readline.line
      if line.caret != lastCaret || line.region_start != line.region_end {
        lastCaret = line.caret
        tell(.moved)
      }
      return
    }
    lastCaret = Readline.line.caret
    // Draw the key first: drafts and typing signals take time, so during fast typing they are
    // updated only from time to time.
    draw()
    // A menu updates after each letter.
    if isInsertion, menu() == .closed { return unreportedChanges.addLetter() }
    unreportedChanges.add()
    tellChanges()
  }

  /// Reports the changes of earlier keys before an event of another kind.
  func tellEarlierChanges() {
    if creadline_take_changed(), !isProgramChange { unreportedChanges.add() }
    tellChanges()
  }

  /// Lays out keys that were only echoed, and reports the change.
  private func tellChanges() {
    guard unreportedChanges.take() else { return }
    display.needsDrawing = true
    tellChanged()
  }

  /// Reports a change of the text; the new place of the caret needs no report of its own.
  func tellChanged() {
    lastCaret = Readline.line.caret
    tell(.changed)
  }

  /// Drops unreported changes of the old line, since a new one has begun.
  func forgetChanges() {
    _ = unreportedChanges.take()
    _ = creadline_take_changed()
    display.needsDrawing = true
  }

  private func handle(_ event: KeyEvent) {
    if let takesAnswer = question {
      guard let answer = Answer(event) else { return }
      question = nil
      display.needsDrawing = true
      let isAnswer = takesAnswer(answer)
      // A paste is not an answer: insert it after the text that the question was about.
      switch event {
      case .paste, .unfinishedPaste: break
      case .key(let bytes) where !isAnswer && bytes[0] >= 0x20 && bytes[0] != 0x7F: break
      default: return
      }
    }
    endSelection(before: event)
    switch event {
    case .key(let bytes): key(bytes)
    case .escape:
      tellEarlierChanges()
      // In vi mode, Esc is a command of vi. In emacs mode it cancels something or does nothing, and
      // does not modify the next key (3.4).
      let isOurs = !Readline.line.vi || menu() != .closed
      if isOurs, creadline_is_idle() { tell(.cancelled) } else { Readline.feed([0x1B]) }
    case .newline:
      if creadline_is_idle() { insertByHand("\n") } else { creadline_ding() }
    case .paste(let bytes): paste(bytes, isWhole: true)
    case .unfinishedPaste(let bytes):
      paste(bytes, isWhole: false)
      tell(.pasteHadNoEnd)
    case .focus, .reply: break
    }
  }

  private func endSelection(before event: KeyEvent) {
    let inserts: Bool
    switch event {
    case .focus, .reply: return
    case .key(let bytes): inserts = creadline_inserts(bytes, bytes.count)
    case .paste, .unfinishedPaste: inserts = true
    case .escape, .newline: inserts = false
    }
    let start = creadline_end_selection()
    guard start >= 0 else { return }
    display.needsDrawing = true
    let selected = String(decoding: text.utf8.dropFirst(Int(start)), as: UTF8.self)
    if inserts {
      creadline_replace(start, Readline.line.length, "", start)
      tellChanged()
    }
    tell(.selectionEnded(replacing: inserts ? selected : nil))
  }

  /// Accepts the line as Return does, after an answer to ``question``. Do not call it while
  /// readline handles a key.
  package func pressReturn() { key([0x0D]) }

  private func key(_ bytes: [UInt8]) {
    // The effect of a key other than a letter may depend on the letters before it, so report those
    // first, and report other changes one by one. Return reports the text itself.
    let isReturn = bytes == [0x0D]
    if !isReturn, bytes[0] < 0x20 || bytes[0] == 0x7F {
      tellEarlierChanges()
    } else if !isReturn, !isInsertion, creadline_take_changed(), !isProgramChange {
      unreportedChanges.add()
      tellChanges()
    }
    if menu() == .entered, creadline_is_idle(), tell(.menuKey(MenuKey(bytes))) { return }
    if !creadline_quotes_next() {
      if bytes == [0x03] { return clearLine() }
      if bytes == [0x1A], !creadline_in_sequence() { return suspend() }
      // readline would read an unknown sequence as its letters and insert the rest of it.
      if bytes.count > 2, bytes[0] == 0x1B,
        bytes[1] == 0x5B || bytes[1] == 0x4F || bytes[1] >= 0x80,
        !creadline_is_bound(bytes, bytes.count)
      {
        return
      }
    }
    guard bytes.count == 1 else {
      isInsertion = false
      return Readline.feed(bytes)
    }
    let wasSettled = display.isSettled
    let before = Readline.line
    let (length, caret) = (before.length, before.caret)
    Readline.feed(bytes)
    let after = Readline.line
    guard after.length == length + 1, after.caret == caret + 1, creadline_is_idle(),
      after.text[Int(caret)] == CChar(bitPattern: bytes[0])
    else {
      isInsertion = false
      return
    }
    isInsertion = true
    // Writes a character typed at the end without any layout; the next drawing then finds nothing
    // to change.
    if wasSettled, length > 0, caret == length, display.echo(bytes[0]) {
      _ = creadline_take_dirty()
    } else {
      display.needsDrawing = true
    }
    if bytes[0] == 0x20, caret > 0, after.text[Int(caret) - 1] == 0x20 {
      tell(.secondSpace)
    }
  }

  private func paste(_ bytes: [UInt8], isWhole: Bool) {
    // A C string ends at NUL, so remove each NUL. Other unsafe characters stay in the line, which
    // shows marks for them.
    let text = String(decoding: bytes.lazy.filter { $0 != 0 }, as: UTF8.self)
    tellEarlierChanges()
    if creadline_is_searching() { return creadline_search_for(LineRules.onOneLine(text)) }
    creadline_drop_pending_key()
    if isWhole, tell(.pasted(text)) { return }
    insertByHand(text)
  }

  private func insertByHand(_ text: String) {
    creadline_insert(text)
    tellChanged()
  }
}
