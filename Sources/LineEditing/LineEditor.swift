// SPDX-License-Identifier: GPL-3.0-or-later
import CReadline
import Composer
import Glibc
import StyledText
import Terminal

/// A line with readline's editing, drawn by hobnob on a terminal or by readline on a dumb one,
/// with settled lines printed above it. Single-threaded: everything happens in `loop`.
@MainActor
public final class LineEditor {
  /// The two interactive faces (rule 11.5).
  public enum Face: Sendable { case tty, plain }

  public let loop: EventLoop
  public weak var delegate: (any LineEditorDelegate)?
  /// Waits for the next key as an answer: y or Return is yes.
  public var question: ((Bool) -> Void)?

  /// Whether the keys are for a menu; the program shows it by ``InputBar/menu``.
  public var menu = MenuState.closed

  let device: TerminalDevice
  let display: LineDisplay
  private var decoder = KeyDecoder()
  private var escapeTimer: TimerID?
  /// The keys being handled made the program change the line; that is not typing.
  private var isProgramChange = false
  private var lastCaret: Int32 = 0
  /// Runs while keys were echoed that are not yet laid out, and changes not yet told.
  private var settlingTimer: TimerID?
  /// Milliseconds; too short for anyone to notice that a draft or a signal waits for it.
  private static let settlingDelay = 20
  /// However fast the keys come, this is the longest that what hangs on them waits.
  private static let longestSettling = 200
  private var settlesBy: Int64 = 0
  /// The last key was a letter that went into the text, and nothing else.
  private var isInsertion = false
  /// A change was made that is not yet told, and no letter.
  private var needsSettling = false
  var isAccepting = false
  var afterLine: [() -> Void] = []

  /// - Parameters:
  ///   - face: how to draw.
  ///   - looks: what the terminal can show.
  public init(
    face: Face, loop: EventLoop, device: TerminalDevice, widths: Widths, looks: Painter.Looks
  ) {
    self.loop = loop
    self.device = device
    display = LineDisplay(face: face, device: device, widths: widths, looks: looks)
  }

  public var face: Face { display.face }
  /// What stands around the text; the text itself is readline's.
  public var bar: InputBar {
    get { display.bar }
    set { display.bar = newValue }
  }
  /// How this terminal draws text.
  public var widths: Widths {
    get { display.widths }
    set { display.widths = newValue }
  }

  // MARK: Life

  /// Takes the terminal, unless it has it, and shows the prompt at the end of the turn.
  public func start(prompt: StyledLine) {
    bar.prompt = prompt
    guard !isStarted else { return }
    isStarted = true
    device.restoreOnCrash()
    device.enter(plain: face == .plain)
    Readline.start(for: self, plain: face == .plain, prompt: prompt.plain.string)
    display.takeSize()
    loop.watch(device.input) { [weak self] in self?.readKeys() }
    loop.endOfTurn { [weak self] in self?.draw() }
  }

  private var isStarted = false

  /// Gives the terminal back as it was found; the cursor stands on a fresh row.
  public func stop() {
    guard isStarted else { return }
    isStarted = false
    draw()
    loop.unwatch(device.input)
    display.leave(keepingLine: false)
    creadline_stop()
    device.leave()
  }

  /// Runs `body` with the terminal given back, for a child that takes it over.
  ///
  /// - Parameter keepingLine: the line stays on the screen, above what the child writes.
  public func withTerminalReleased(keepingLine: Bool = true, _ body: () -> Void) {
    draw()
    display.leave(keepingLine: keepingLine)
    device.leave()
    body()
    device.enter(plain: face == .plain)
    display.comeBack()
  }

  /// C-z: the terminal is given back until the shell is continued.
  public func suspend() {
    delegate?.lineEditorSuspends(self)
    withTerminalReleased {
      loop.unblockSignals()
      signal(SIGTSTP, SIG_DFL)
      kill(0, SIGTSTP)
      loop.blockSignals()
    }
    delegate?.lineEditorResumed(self)
  }

  /// After a stop that came from outside (SIGCONT): the terminal may be in any mode.
  public func continued() {
    device.takeAgain()
    display.forget()
  }

  /// SIGWINCH, after it has settled.
  public func resized() { display.resized() }

  // MARK: Keys

  private func readKeys() {
    guard let bytes = device.readAvailable() else {
      loop.unwatch(device.input)
      delegate?.lineEditorLostTerminal(self)
      return
    }
    handle(decoder.decode(bytes))
    waitForEscape()
  }

  private func waitForEscape() {
    if let escapeTimer { loop.cancel(escapeTimer) }
    escapeTimer = nil
    guard decoder.isWaiting else { return }
    let delay = creadline_variable("keyseq-timeout").flatMap { Int(String(cString: $0)) } ?? 100
    escapeTimer = loop.after(milliseconds: max(delay, 1)) { [weak self] in
      guard let self else { return }
      escapeTimer = nil
      handle(decoder.timeOut())
    }
  }

  private func handle(_ events: [KeyEvent]) {
    isProgramChange = false
    isInsertion = false
    for event in events { handle(event) }
    let isByHand = !isProgramChange
    isProgramChange = false
    guard creadline_take_changed(), isByHand else {
      let line = Readline.line
      if line.caret != lastCaret || line.region_start != line.region_end {
        lastCaret = line.caret
        delegate?.lineEditorMoved(self)
      }
      return
    }
    lastCaret = Readline.line.caret
    // The key is on the screen before drafts and typing signals take their time, and fast typing
    // asks for them only now and then.
    draw()
    guard isInsertion else {
      needsSettling = true
      return settle()
    }
    if settlingTimer == nil { settlesBy = loop.now + Int64(Self.longestSettling) }
    let soonest = loop.now + Int64(Self.settlingDelay)
    loop.schedule(&settlingTimer, at: min(soonest, settlesBy)) { [weak self] in self?.settle() }
  }

  /// Tells of what was changed by the keys so far, before another kind of event.
  private func settleChanges() {
    if creadline_take_changed(), !isProgramChange { needsSettling = true }
    settle()
  }

  /// Lays out what was only echoed, and tells of the change.
  private func settle() {
    guard settlingTimer != nil || needsSettling else { return }
    if let timer = settlingTimer { loop.cancel(timer) }
    settlingTimer = nil
    needsSettling = false
    display.needsDrawing = true
    delegate?.lineEditorChanged(self)
  }

  private func handle(_ event: KeyEvent) {
    if let answer = question {
      guard let yes = Self.answer(event) else { return }
      question = nil
      display.needsDrawing = true
      return answer(yes)
    }
    switch event {
    case .key(let bytes): key(bytes)
    case .escape:
      settleChanges()
      // In vi mode Esc is vi's own; in emacs mode it is the meta prefix unless it ends something.
      let line = Readline.line
      if !line.vi || menu != .closed, creadline_is_idle(),
        delegate?.lineEditorCancels(self) == true
      {
        break
      }
      Readline.feed([0x1B])
    case .newline:
      if creadline_is_idle() { insertByHand("\n") } else { creadline_ding() }
    case .paste(let bytes): paste(bytes)
    case .focus, .reply: break
    }
  }

  private static func answer(_ event: KeyEvent) -> Bool? {
    switch event {
    case .key(let bytes): return bytes == [0x0D] || bytes == [0x79] || bytes == [0x59]
    case .escape, .newline, .paste: return false
    case .focus, .reply: return nil
    }
  }

  private func key(_ bytes: [UInt8]) {
    // A key that is no letter may ask for what hangs on those before it, and changes that are no
    // letters are told one by one. A text that is sent need not be told any more.
    let isReturn = bytes == [0x0D]
    if !isReturn, bytes[0] < 0x20 || bytes[0] == 0x7F {
      settleChanges()
    } else if !isReturn, !isInsertion, creadline_take_changed(), !isProgramChange {
      needsSettling = true
      settle()
    }
    if menu == .entered, creadline_is_idle(),
      delegate?.lineEditor(self, takes: Self.menuKey(bytes)) == true
    {
      return
    }
    if !creadline_quotes_next() {
      if bytes == [0x03] { return clearLine() }
      if bytes == [0x1A], !creadline_in_sequence() { return suspend() }
      // readline would take an unknown sequence for its letters and insert the rest of it.
      if bytes.count > 2, bytes[0] == 0x1B, bytes[1] == 0x5B || bytes[1] == 0x4F,
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
    // A character typed behind the others goes out without anything being laid out; the drawing
    // that follows a moment later, or with whatever happens next, finds nothing to change.
    if wasSettled, length > 0, caret == length, display.echo(bytes[0]) {
      _ = creadline_take_dirty()
    }
    if bytes[0] == 0x20, caret > 0, after.text[Int(caret) - 1] == 0x20 {
      delegate?.lineEditorTypedSecondSpace(self)
    }
  }

  private static func menuKey(_ bytes: [UInt8]) -> MenuKey {
    switch bytes {
    case [0x09], [0x0E], Array("\u{1B}[B".utf8), Array("\u{1B}OB".utf8): .next
    case [0x10], Array("\u{1B}[Z".utf8), Array("\u{1B}[A".utf8), Array("\u{1B}OA".utf8): .previous
    case [0x0D]: .accept
    default: .other
    }
  }

  private func paste(_ bytes: [UInt8]) {
    // A C string ends at NUL; the rest stays as pasted, shown by marks.
    let text = String(decoding: bytes.lazy.filter { $0 != 0 }, as: UTF8.self)
    settleChanges()
    creadline_settle()
    if delegate?.lineEditor(self, pastes: text) == true { return }
    insertByHand(text)
  }

  private func insertByHand(_ text: String) {
    creadline_insert(text)
    delegate?.lineEditorChanged(self)
  }

  // MARK: The line

  public var text: String { Readline.text }
  /// The terminal's width in columns.
  public var columns: Int { display.columns }
  /// The caret, in bytes from the start of the text.
  public var caret: Int { Int(Readline.line.caret) }
  public var isEmpty: Bool { Readline.line.length == 0 }
  /// No search, argument or half a command is under way, and the line is not one of the history.
  public var isIdle: Bool { creadline_is_idle() && creadline_history_is_live() }

  /// Runs `body` now, or, while a line is being accepted, when the next one has begun.
  public func whenLineBegins(_ body: @escaping @MainActor () -> Void) {
    if isAccepting { afterLine.append(body) } else { body() }
  }

  /// Gives the line another text, forgetting its undo.
  public func setLine(_ text: String, caret: Int? = nil) {
    creadline_settle()
    isProgramChange = true
    creadline_set_line(text, Int32(caret ?? text.utf8.count))
  }

  /// Inserts at the caret as one undo step.
  public func insert(_ text: String) {
    creadline_settle()
    isProgramChange = true
    creadline_insert(text)
  }

  /// Gives the line another text as one undo step, caret at its end.
  public func replaceLine(_ text: String) {
    creadline_settle()
    isProgramChange = true
    let line = Readline.line
    creadline_replace(0, line.length, text, Int32(text.utf8.count))
  }

  /// Replaces bytes of the line as one undo step.
  public func replace(_ range: Range<Int>, with text: String, caret: Int) {
    creadline_settle()
    isProgramChange = true
    creadline_replace(Int32(range.lowerBound), Int32(range.upperBound), text, Int32(caret))
  }

  /// The region between mark and caret, in bytes; nil when none is active.
  public var region: Range<Int>? {
    let line = Readline.line
    return line.region_end > line.region_start
      ? Int(line.region_start)..<Int(line.region_end) : nil
  }

  /// Lets one C-_ bring `text` into the line.
  public func offerOnUndo(_ text: String) {
    isProgramChange = true
    creadline_offer_on_undo(text)
  }

  /// A line that was taken away with caret and undo.
  public struct Aside: ~Copyable {
    fileprivate var pointer: UnsafeMutableRawPointer?
    public let text: String
    public let caret: Int

    deinit { if let pointer { creadline_forget_aside(pointer) } }
  }

  /// Takes the line away, leaving an empty one.
  public func setAside() -> Aside {
    creadline_settle()
    isProgramChange = true
    let pointer = creadline_set_aside()
    var caret: Int32 = 0
    let text = pointer.flatMap { creadline_aside_text($0, &caret) }.map { String(cString: $0) }
    return Aside(pointer: pointer, text: text ?? "", caret: Int(caret))
  }

  /// Puts back what was taken away, in place of what stands there now.
  public func bringBack(_ aside: consuming Aside) {
    creadline_settle()
    isProgramChange = true
    guard let pointer = aside.pointer else { return }
    aside.pointer = nil
    creadline_bring_back(pointer)
  }

  /// C-c: empties the line, which C-_ gives back (rule 1.6).
  public func clearLine() {
    let wasBusy = !creadline_is_idle()
    creadline_settle()
    creadline_begin_inserting()
    let line = Readline.line
    if line.length == 0 {
      if !wasBusy { _ = delegate?.lineEditorMayClear(self, isEmpty: true) }
      return
    }
    guard delegate?.lineEditorMayClear(self, isEmpty: false) ?? true else { return }
    empty()
  }

  /// Empties the line as one undo step.
  public func empty() {
    creadline_clear()
    delegate?.lineEditorChanged(self)
    isProgramChange = true
  }

  public func bell() { display.bell() }

  // MARK: History

  /// The lines that Up and C-r find, newest last.
  public func setHistory(_ lines: [String]) {
    creadline_history_clear()
    for line in lines { creadline_history_add(line) }
  }

  public func addHistory(_ line: String) { creadline_history_add(line) }
  public func dropNewestHistory(_ count: Int) { creadline_history_drop(Int32(count)) }

  /// One line of an inputrc, for `/bind`. Returns what readline has against it.
  public func bind(_ line: String) -> [SafeText] {
    // Trap: readline takes a line without a colon for the key of its first letter, and a function
    // it does not know for none at all; either way a letter would be gone.
    let isSetting = line.hasPrefix("set ") || line.hasPrefix("$")
    if !isSetting {
      guard let colon = line.lastIndex(of: ":") else {
        return [say("a key, a colon and a function are needed: \"\\C-xn\": newline")]
      }
      let function = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      guard
        function.hasPrefix("\"") || function.hasPrefix("'") || line.hasSuffix("\"")
          || creadline_knows_function(String(function))
      else {
        return [
          say(
            "readline has no function %1; /keys lists those in use",
            SafeText(line: String(function)))
        ]
      }
    }
    let understood = creadline_bind(line) == 0
    let complaints = takeComplaints()
    return understood || !complaints.isEmpty
      ? complaints : [say("readline does not understand %1", SafeText(line: line))]
  }

  /// What readline said against the inputrc.
  public func takeComplaints() -> [SafeText] {
    String(cString: creadline_take_complaints()).split(separator: "\n").map {
      SafeText(line: String($0))
    }
  }

  /// Every function that keys are bound to, with those keys in readline's notation.
  public var bindings: [(function: String, keys: String)] {
    final class Found { var all: [(function: String, keys: String)] = [] }
    let found = Found()
    creadline_each_binding(
      { context, name, keys in
        guard let context, let name, let keys else { return }
        Unmanaged<Found>.fromOpaque(context).takeUnretainedValue()
          .all.append((String(cString: name), String(cString: keys)))
      }, Unmanaged.passUnretained(found).toOpaque())
    return found.all
  }

  // MARK: Drawing

  /// Prints settled lines above the line being typed, at the end of the turn.
  public func print(_ lines: [StyledLine]) { display.print(lines) }

  public func clearDisplay() { display.clear() }

  /// Draws what has changed since the last turn, in one write.
  public func draw() {
    delegate?.lineEditorWillDraw(self)
    display.draw()
  }
}
