// SPDX-License-Identifier: GPL-3.0-or-later
import CReadline
import Composer
import StyledText
import Terminal

/// The two interactive modes (rule 11.5).
package enum DisplayMode: Sendable { case tty, plain }

/// The length of a text that is only partly visible.
package struct ScrolledText: Hashable, Sendable {
  package let lines: Int
  /// Rows on the screen; nil if each line is one row.
  package let rows: Int?
}

/// Draws the bar around readline's line, and settled lines above it, in one write per turn. On a
/// dumb terminal readline draws, and this type only makes room for printed lines.
@MainActor
package final class LineDisplay {
  let displayMode: DisplayMode
  let device: TerminalDevice
  /// The bar around the text; readline owns the text itself.
  var bar = InputBar() { didSet { if bar != oldValue { needsDrawing = true } } }
  /// How this terminal draws text.
  package var widths: Widths {
    didSet { if widths != oldValue { repaintAll() } }
  }
  var needsDrawing = true
  /// The number of visible rows of text, after the last drawing.
  private(set) var inputRows = 1
  /// The size of a text with hidden rows, after the last drawing; nil if it has none.
  package private(set) var scrolledText: ScrolledText?
  /// While hobnob asks the terminal for its size, it draws nothing.
  var isProbingSize = false
  /// Whether the program is ending: a dumb terminal then does not show the line again.
  var isEnding = false
  /// Called when the system reports another size than the current one.
  var sizeMayHaveChanged: () -> Void = {}
  /// The size that the system reported at the start, or when the size last settled.
  private var reportedSize: Size

  private var painter: Painter
  private var cache = LayoutCache()
  private var above: [StyledLine] = []
  /// Where the lines that answer a typed line begin.
  private var answerStarts: [Int] = []
  private var bytesOut: [UInt8] = []
  private var passedMaximum = false
  package private(set) var capabilities: Painter.TerminalCapabilities
  private var plainPrompt: String?

  init(
    displayMode: DisplayMode, device: TerminalDevice, widths: Widths,
    capabilities: Painter.TerminalCapabilities
  ) {
    self.displayMode = displayMode
    self.device = device
    self.widths = widths
    self.capabilities = capabilities
    background = capabilities.palette.isLight
    reportedSize = device.size
    painter = Painter(size: reportedSize, widths: widths, capabilities: capabilities)
  }

  /// The terminal's columns and rows that it draws for.
  package var columns: Int { painter.size.columns }
  package var rows: Int { painter.size.rows }

  /// Whether addresses in settled lines are links (OSC 8).
  package var links: Bool {
    get { capabilities.links }
    set {
      guard newValue != capabilities.links else { return }
      capabilities.links = newValue
      repaintAll()
    }
  }

  /// Whether the background is light, as the person set it; nil to use what the terminal reports,
  /// or else the environment. Lines that are already printed keep their colours.
  package var setBackground: Bool? { didSet { updateBackground() } }
  var reportedBackground: Bool? { didSet { updateBackground() } }
  private let background: Bool?

  private func updateBackground() {
    let isLight = setBackground ?? reportedBackground ?? background
    guard isLight != capabilities.palette.isLight else { return }
    capabilities.palette.isLight = isLight
    repaintAll()
  }

  /// The title of the window, one line; nil leaves it as it was found. It is not set in plain mode,
  /// nor on terminals that would not restore it.
  package var title: SafeText? { didSet { if title != oldValue { needsDrawing = true } } }

  /// Whether to break settled lines between words (rule 13.7); if not, the terminal wraps them.
  package var wrapsAtWords = true

  /// Whether the screen is up to date.
  var isSettled: Bool {
    displayMode == .tty && !isProbingSize && !needsDrawing && above.isEmpty && bytesOut.isEmpty
      && !device.isBehind && creadline_is_idle()
  }

  // MARK: The terminal

  /// Whether the terminal has not accepted the last output yet, or never will. Until it has, hobnob
  /// draws nothing.
  package var isBehind: Bool { device.isBehind || device.isDead }

  /// The size that it draws for.
  var size: Size { painter.size }
  /// Whether lines wait to be printed.
  var hasLines: Bool { !above.isEmpty }

  /// Whether the system reports another size than the current one.
  var sizeChanged: Bool { displayMode == .tty && !isProbingSize && device.size != reportedSize }

  /// Tells readline how large the terminal is.
  func updateSize() {
    let size = displayMode == .tty ? painter.size : device.size
    creadline_set_size(Int32(size.rows), Int32(size.columns))
  }

  /// Removes the block from the screen.
  ///
  /// - Parameter keepingLine: whether the rows down to the caret's stay.
  func leave(keepingLine: Bool) {
    if displayMode == .tty {
      device.write(painter.leave(keepingLine: keepingLine))
    } else {
      creadline_plain_hide()
    }
  }

  /// Call this after another program had the terminal and may have left it in any state.
  func comeBack() {
    updateSize()
    if displayMode == .plain { creadline_plain_show() }
    needsDrawing = true
  }

  /// Forgets what is on the screen, since another program may have changed it.
  func forget() {
    painter.forget()
    updateSize()
    needsDrawing = true
  }

  /// Handles a change of the terminal's size, even one that lasted only for a moment: rows below
  /// the cursor may be gone even if the size is the same as before.
  ///
  /// - Parameters:
  ///   - size: as the terminal reported it; nil to use the size that the system reports.
  ///   - cursor: where the terminal reported the cursor.
  func applySize(_ size: Size?, cursor: CursorPosition?) {
    isProbingSize = false
    reportedSize = device.size
    bytesOut += painter.resize(to: size ?? reportedSize, cursor: cursor)
    updateSize()
    needsDrawing = true
  }

  /// Asks the terminal where the block is, if that makes a difference.
  ///
  /// - Returns: whether the terminal has to answer.
  func askForPlace() -> Bool {
    let question = painter.questionForPlace()
    if !question.isEmpty { device.write(question) }
    return !question.isEmpty
  }

  func learnPlace(from cursor: CursorPosition) { painter.learnPlace(from: cursor) }

  private func repaintAll() {
    bytesOut += painter.leave(keepingLine: false)
    painter = Painter(size: painter.size, widths: widths, capabilities: capabilities)
    cache = LayoutCache()
    needsDrawing = true
  }

  // MARK: Output

  /// Prints settled lines above the line being typed, at the end of the turn.
  func print(_ lines: [StyledLine]) {
    above += lines
    needsDrawing = true
  }

  /// Marks the lines that `body` prints as the answer to a typed line, if it returns true.
  func markingAnswer(_ body: () -> Bool) -> Bool {
    answerStarts.append(above.count)
    let isAnswered = body()
    // The lines may have been drawn in the meantime, as when another program gets the terminal.
    if !isAnswered { _ = answerStarts.popLast() }
    return isAnswered
  }

  /// Removes and returns the answers among the waiting lines, as rows of the screen.
  private func takeAnswers() -> [Painter.MarkedLines] {
    let bounds = answerStarts + [above.count]
    answerStarts = []
    guard capabilities.ignoresStrings else { return [] }
    func row(_ index: Int) -> Int { rows(of: Array(above[..<index])).count }
    return zip(bounds, bounds.dropFirst()).filter { $0 < $1 }.map {
      Painter.MarkedLines(start: row($0), output: row($0 + 1), end: row($1))
    }
  }

  /// Settled lines as rows of the screen; the terminal wraps a row that is still too wide.
  func rows(of lines: [StyledLine]) -> [StyledLine] {
    guard displayMode == .tty, wrapsAtWords else { return lines }
    return lines.flatMap { $0.wrapped(at: columns, widths: widths) }
  }

  package func bell() {
    guard displayMode == .tty else { return }
    bytesOut.append(0x07)
  }

  /// Sends bytes to the terminal that change nothing on its screen.
  func send(_ bytes: [UInt8]) {
    guard displayMode == .tty else { return }
    bytesOut += bytes
  }

  package func clear() {
    guard displayMode == .tty else { return }
    bytesOut += painter.clearScreen()
    needsDrawing = true
  }

  /// Writes a plain letter typed at the end, before any layout. Returns false if it needs a full
  /// drawing.
  func echo(_ byte: UInt8) -> Bool {
    let echo = painter.echo(byte)
    if !echo.isEmpty { device.write(echo) }
    return !echo.isEmpty
  }

  /// Draws all changes since the last turn, in one write.
  func draw() {
    let dirty = creadline_take_dirty()
    guard needsDrawing || dirty || !bytesOut.isEmpty else { return }
    needsDrawing = true
    // If the terminal has not accepted the last output, wait, and then draw the newest state.
    if device.isBehind { return }
    // During a resize, draw nothing: the block's position is unknown until the size settles.
    if sizeChanged { sizeMayHaveChanged() }
    if isProbingSize { return }
    needsDrawing = false
    let answers = takeAnswers()
    let lines = above
    above = []
    guard displayMode == .tty else { return drawPlain(lines) }
    device.title = capabilities.restoresTitle ? title?.string : nil
    let layout = layOut()
    if layout.totalInputRows > layout.inputRows {
      if !passedMaximum { bytesOut.append(0x07) }
      passedMaximum = true
    } else {
      passedMaximum = false
    }
    inputRows = layout.inputRows
    scrolledText =
      layout.totalInputRows > layout.inputRows
      ? ScrolledText(
        lines: cache.lineCount, rows: cache.isWrapped ? layout.totalInputRows : nil) : nil
    bytesOut += painter.paint(layout.frame, above: rows(of: lines), answers: answers)
    if !bytesOut.isEmpty { device.write(bytesOut) }
    bytesOut.removeAll(keepingCapacity: true)
  }

  private func layOut() -> BarLayout {
    let line = Readline.line
    var drawn = bar
    if let message = line.message {
      drawn.prompt = StyledLine(SafeText(line: Self.visible(message)))
      drawn.placeholder = ""
    } else if let mode = line.mode, mode.pointee != 0 {
      drawn.prompt = StyledLine(SafeText(line: Self.visible(mode))) + bar.prompt
    }
    drawn.composed = ComposedText(
      Readline.text, caret: Int(line.caret),
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

  /// A prompt without readline's marks for text of no width (\001 … \002), and without that text.
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
    // The rest of the row is for the line. (Readline's display counts bytes here.)
    var prompt = bar.prompt.plain
    var most = max(8, columns / 2)
    while prompt.string.utf8.count > columns / 2, most > 0 {
      prompt = (bar.prompt.truncated(to: most, widths: widths) + StyledLine("> ")).plain
      most -= 1
    }
    if prompt.string != plainPrompt, creadline_is_idle() {
      plainPrompt = prompt.string
      creadline_plain_prompt(prompt.string)
    }
    if !lines.isEmpty {
      creadline_plain_hide()
      device.write(lines.flatMap { Array(withoutTabs($0).utf8) + [0x0A] })
    }
    if !isEnding { creadline_plain_show() }
  }

  /// The line with blanks for tabs, which a dumb terminal may not support (rule 11.5).
  private func withoutTabs(_ line: StyledLine) -> String {
    let text = line.plain.string
    return text.utf8.contains(0x09) ? CellRow(line, widths: widths).string : text
  }
}
