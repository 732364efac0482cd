// SPDX-License-Identifier: GPL-3.0-or-later
import CReadline
import Composer
import Glibc
import StyledText
import Terminal

/// What a program has to answer to be typed into.
@MainActor
public protocol LineEditorDelegate: AnyObject {
  /// Return was pressed. True: the text was taken, the line and its undo go. What is to stand in
  /// the next line is put there by ``LineEditor/whenLineBegins(_:)``.
  func lineEditor(_ editor: LineEditor, accepts text: String) -> Bool
  /// C-g or a lone Esc, when no search or argument was there to end. True: it meant something.
  func lineEditorCancels(_ editor: LineEditor) -> Bool
  /// The text was changed by a key or a paste.
  func lineEditorChanged(_ editor: LineEditor)
  /// C-c on a text: may it be emptied? On an empty line: say how to leave.
  func lineEditorMayClear(_ editor: LineEditor, isEmpty: Bool) -> Bool
  /// C-d on an empty line.
  func lineEditorEnded(_ editor: LineEditor)
  /// The end of input: the terminal is gone.
  func lineEditorLostTerminal(_ editor: LineEditor)
  /// The key of `edit-last` (M-e).
  func lineEditorEditsLast(_ editor: LineEditor)
  /// Up on an empty line. True: it meant something else than the history.
  func lineEditorGoesUpFromEmptyLine(_ editor: LineEditor) -> Bool
  /// The shell is about to be suspended (C-z), or came back.
  func lineEditorSuspends(_ editor: LineEditor)
  func lineEditorResumed(_ editor: LineEditor)
  /// The candidates for the word at `caret` (bytes), asked by readline's completion functions.
  func lineEditor(_ editor: LineEditor, completionsIn text: String, caret: Int) -> Completions?
}

/// A line with readline's editing, drawn by hobnob on a terminal or by readline on a dumb one,
/// with settled lines printed above it. Single-threaded: everything happens in `loop`.
@MainActor
public final class LineEditor {
  /// The two interactive faces (rule 11.5).
  public enum Face: Sendable { case tty, plain }

  public let face: Face
  public let loop: EventLoop
  public weak var delegate: (any LineEditorDelegate)?
  /// What stands around the text; the text itself is readline's.
  public var bar = InputBar() { didSet { if bar != oldValue { needsDrawing = true } } }
  /// How this terminal draws text.
  public var widths: Widths {
    didSet { if widths != oldValue { repaintAll() } }
  }
  /// Waits for the next key as an answer: y or Return is yes.
  public var question: ((Bool) -> Void)?

  let device: TerminalDevice
  var painter: Painter
  private var decoder = KeyDecoder()
  private var cache = LayoutCache()
  private var above: [StyledLine] = []
  private var escapeTimer: TimerID?
  /// The keys being handled made the program change the line; that is not typing.
  private var isProgramChange = false
  /// Runs while keys were echoed that are not yet laid out, and changes not yet told.
  private var settlingTimer: TimerID?
  /// Milliseconds; too short for anyone to notice that a draft or a signal waits for it.
  private static let settlingDelay = 20
  private var needsDrawing = true
  private var bytesOut: [UInt8] = []
  private var isAccepting = false
  private var afterLine: [() -> Void] = []
  private var passedMaximum = false
  private var isHeld = false
  private var looks: Painter.Looks

  /// - Parameters:
  ///   - face: how to draw.
  ///   - looks: what the terminal can show.
  public init(
    face: Face, loop: EventLoop, device: TerminalDevice, widths: Widths, looks: Painter.Looks
  ) {
    self.face = face
    self.loop = loop
    self.device = device
    self.widths = widths
    self.looks = looks
    painter = Painter(size: device.size, widths: widths, looks: looks)
  }

  // MARK: Life

  /// Takes the terminal and shows the prompt at the end of the turn.
  public func start(prompt: StyledLine) {
    bar.prompt = prompt
    device.restoreOnCrash()
    device.enter(plain: face == .plain)
    Readline.start(for: self, plain: face == .plain, prompt: prompt.plain.string)
    let size = device.size
    creadline_set_size(Int32(size.rows), Int32(size.columns))
    loop.watch(device.input) { [weak self] in self?.readKeys() }
    loop.endOfTurn { [weak self] in self?.draw() }
  }

  /// Gives the terminal back as it was found; the cursor stands on a fresh row.
  public func stop() {
    draw()
    loop.unwatch(device.input)
    if face == .tty {
      device.write(painter.leave(keepingLine: false))
    } else {
      creadline_plain_hide()
    }
    creadline_stop()
    device.leave()
  }

  /// Runs `body` with the terminal given back, for a child that takes it over.
  public func withTerminalReleased(_ body: () -> Void) {
    draw()
    if face == .tty {
      device.write(painter.leave(keepingLine: true))
    } else {
      creadline_plain_hide()
    }
    device.leave()
    body()
    device.enter(plain: face == .plain)
    takeSize()
    if face == .plain { creadline_plain_show() }
    needsDrawing = true
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
    painter.forget()
    takeSize()
    needsDrawing = true
  }

  /// SIGWINCH, after it has settled.
  public func resized() {
    guard face == .tty else { return takeSize() }
    let size = device.size
    guard size != painter.size else { return }
    bytesOut += painter.resize(to: size)
    takeSize()
    needsDrawing = true
  }

  private func takeSize() {
    let size = device.size
    creadline_set_size(Int32(size.rows), Int32(size.columns))
  }

  private func repaintAll() {
    bytesOut += painter.leave(keepingLine: false)
    painter = Painter(size: device.size, widths: widths, looks: looks)
    cache = LayoutCache()
    needsDrawing = true
  }

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
    for event in events { handle(event) }
    let isByHand = !isProgramChange
    isProgramChange = false
    guard creadline_take_changed(), isByHand else { return }
    // The key is on the screen before drafts and typing signals take their time, and fast typing
    // asks for them only now and then.
    draw()
    guard settlingTimer == nil else { return }
    settlingTimer = loop.after(milliseconds: Self.settlingDelay) { [weak self] in
      guard let self else { return }
      settlingTimer = nil
      needsDrawing = true
      delegate?.lineEditorChanged(self)
    }
  }

  private func handle(_ event: KeyEvent) {
    if let answer = question {
      guard let yes = Self.answer(event) else { return }
      question = nil
      needsDrawing = true
      return answer(yes)
    }
    switch event {
    case .key(let bytes): key(bytes)
    case .escape:
      // In vi mode Esc is vi's own; in emacs mode it is the meta prefix unless it ends something.
      let line = Readline.line
      if !line.vi, creadline_is_idle(), delegate?.lineEditorCancels(self) == true { break }
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
    if !creadline_quotes_next() {
      if bytes == [0x03] { return clearLine() }
      if bytes == [0x1A] { return suspend() }
      // readline would take an unknown sequence for its letters and insert the rest of it.
      if bytes.count > 2, bytes[0] == 0x1B, bytes[1] == 0x5B || bytes[1] == 0x4F,
        !creadline_is_bound(bytes, bytes.count)
      {
        return
      }
    }
    guard bytes.count == 1, isSettled else { return Readline.feed(bytes) }
    let before = Readline.line
    let (length, caret) = (before.length, before.caret)
    Readline.feed(bytes)
    let after = Readline.line
    // A character typed behind the others goes out without anything being laid out; the drawing
    // that follows a moment later, or with whatever happens next, finds nothing to change.
    if length > 0, caret == length, after.length == length + 1, after.caret == after.length,
      after.text[Int(length)] == CChar(bitPattern: bytes[0]), creadline_is_idle()
    {
      let echo = painter.echo(bytes[0])
      if !echo.isEmpty {
        device.write(echo)
        _ = creadline_take_dirty()
      }
    }
  }

  /// What is on the screen is what there is to be drawn.
  private var isSettled: Bool {
    face == .tty && !needsDrawing && above.isEmpty && bytesOut.isEmpty && creadline_is_idle()
  }

  private func paste(_ bytes: [UInt8]) {
    // A C string ends at NUL; the rest stays as pasted, shown by marks.
    let text = String(decoding: bytes.lazy.filter { $0 != 0 }, as: UTF8.self)
    creadline_settle()
    insertByHand(text)
  }

  private func insertByHand(_ text: String) {
    creadline_insert(text)
    delegate?.lineEditorChanged(self)
  }

  // MARK: The line

  public var text: String { Readline.text }
  /// The terminal's width in columns.
  public var columns: Int { painter.size.columns }
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

  public func bell() {
    guard face == .tty else { return }
    bytesOut.append(0x07)
  }

  // MARK: History

  /// The lines that Up and C-r find, newest last.
  public func setHistory(_ lines: [String]) {
    creadline_history_clear()
    for line in lines { creadline_history_add(line) }
  }

  public func addHistory(_ line: String) { creadline_history_add(line) }
  public func dropNewestHistory(_ count: Int) { creadline_history_drop(Int32(count)) }

  /// One line of an inputrc, for `/bind`. False: readline does not understand it.
  public func bind(_ line: String) -> Bool { creadline_bind(line) == 0 }

  // MARK: Drawing

  /// Prints settled lines above the line being typed, at the end of the turn.
  public func print(_ lines: [StyledLine]) {
    above += lines
    needsDrawing = true
  }

  public func clearDisplay() {
    guard face == .tty else { return }
    bytesOut += painter.clearScreen()
    needsDrawing = true
  }

  /// Draws what has changed since the last turn, in one write.
  public func draw() {
    let dirty = creadline_take_dirty()
    guard needsDrawing || dirty || !bytesOut.isEmpty else { return }
    needsDrawing = false
    let lines = above
    above = []
    guard face == .tty else { return drawPlain(lines) }
    // Lines that come while a resize settles go above a block that stands where it does now.
    if !lines.isEmpty { resized() }
    let layout = layOut()
    if layout.totalInputRows > layout.inputRows {
      if !passedMaximum { bytesOut.append(0x07) }
      passedMaximum = true
    } else {
      passedMaximum = false
    }
    bytesOut += painter.paint(layout.frame, above: lines)
    if !bytesOut.isEmpty { device.write(bytesOut) }
    bytesOut.removeAll(keepingCapacity: true)
  }

  private func layOut() -> BarLayout {
    let line = Readline.line
    var drawn = bar
    if let message = line.message {
      drawn.prompt = StyledLine(SafeText(line: Self.visible(message)))
    } else if let mode = line.mode, mode.pointee != 0 {
      drawn.prompt = StyledLine(SafeText(line: Self.visible(mode))) + bar.prompt
    }
    drawn.composed = ComposedText(
      text, caret: Int(line.caret),
      region: line.region_end > line.region_start
        ? Int(line.region_start)..<Int(line.region_end) : nil)
    let size = painter.size
    let layout = drawn.layout(
      size: size.rows, columns: size.columns, widths: widths, cache: &cache)
    if bar.scroll != drawn.scroll {
      bar.scroll = drawn.scroll
      needsDrawing = false
    }
    return layout
  }

  /// readline's marks around what has no width (\001 … \002), and what stands between them, go.
  private static func visible(_ prompt: UnsafePointer<CChar>) -> String {
    var bytes: [UInt8] = []
    var hidden = false
    for byte in String(cString: prompt).utf8 {
      switch byte {
      case 0x01: hidden = true
      case 0x02: hidden = false
      default: if !hidden { bytes.append(byte) }
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func drawPlain(_ lines: [StyledLine]) {
    let prompt = bar.prompt.plain.string
    if prompt != plainPrompt, creadline_is_idle() {
      plainPrompt = prompt
      creadline_plain_prompt(prompt)
    }
    if !lines.isEmpty {
      creadline_plain_hide()
      device.write(lines.flatMap { Array($0.plain.string.utf8) + [0x0A] })
    }
    creadline_plain_show()
  }
  private var plainPrompt: String?
}

// MARK: What readline asks

extension LineEditor: ReadlineClient {
  func accept(_ text: String) -> Bool {
    isAccepting = true
    let taken = delegate?.lineEditor(self, accepts: text) ?? true
    if !taken { isAccepting = false }
    return taken
  }

  func ended(_ text: String?) {
    guard let text else {
      isAccepting = true
      delegate?.lineEditorEnded(self)
      return
    }
    // A line that a readline function ended on its own way goes through the same door.
    if !accept(text) {
      isAccepting = true
      afterLine.append { [weak self] in self?.setLine(text) }
    }
  }

  func lineBegan() {
    isAccepting = false
    let bodies = afterLine
    afterLine = []
    for body in bodies { body() }
  }

  func cancel() -> Bool { delegate?.lineEditorCancels(self) ?? false }
  func upOnEmptyLine() -> Bool { delegate?.lineEditorGoesUpFromEmptyLine(self) ?? false }
  func clearScreen() { clearDisplay() }
  func editLast() { delegate?.lineEditorEditsLast(self) }

  func completions(text: String, caret: Int) -> Completions? {
    delegate?.lineEditor(self, completionsIn: text, caret: caret)
  }

  func list(_ labels: [SafeText]) {
    print(Self.columns(labels, across: painter.size.columns, widths: widths))
  }

  func print(_ text: String) { print(SafeText(body: text).lines.map { StyledLine($0) }) }

  /// Labels side by side, as many as fit, filled downwards.
  static func columns(_ labels: [SafeText], across columns: Int, widths: Widths) -> [StyledLine] {
    guard !labels.isEmpty else { return [] }
    let measured = labels.map { widths.columns(of: $0.string) }
    let cell = (measured.max() ?? 0) + 2
    let across = max(1, (columns - 1) / cell)
    let rows = (labels.count + across - 1) / across
    return (0..<rows).map { row in
      var line = StyledLine()
      for index in stride(from: row, to: labels.count, by: rows) {
        let blanks = index + rows < labels.count ? cell - measured[index] : 0
        line.append(labels[index] + SafeText(line: String(repeating: " ", count: blanks)))
      }
      return line
    }
  }
}
