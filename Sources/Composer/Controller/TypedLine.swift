// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// A line for programs without a line editor: an input bar with its text, undo and redo.
///
/// ```swift
/// let controller = BarController(TypedLine(prompt: "say> "))
/// controller.type(.text("hello"))
/// ```
@MainActor
public final class TypedLine: BarLine {
  /// Everything that is drawn; `layout(rows:columns:widths:)` of the controller sets its menu.
  public var bar: InputBar {
    didSet { if !bar.composed.text.hasSameBytes(as: oldValue.composed.text) { edition += 1 } }
  }
  public private(set) var edition = 0
  public private(set) var lastKeyWasUndo = false
  public private(set) var inputRows = 1
  private var undone: [ComposedText] = []
  private var done: [ComposedText] = []
  private var cache = LayoutCache()

  public init(prompt: SafeText = "") { bar = InputBar(prompt: prompt) }

  public var composed: ComposedText { bar.composed }
  public var zones: ZoneValues<[Item]> { bar.zones }

  public func replace(_ range: Range<Int>, with text: String, caret: Int) {
    done.append(bar.composed)
    undone = []
    lastKeyWasUndo = false
    bar.composed.replace(range, with: text, caret: caret)
  }

  public func setLine(_ text: String, caret: Int? = nil) {
    (done, undone, lastKeyWasUndo) = ([], [], false)
    bar.composed = ComposedText(text, caret: caret)
  }

  /// Undoes the last change. Returns false if there is nothing to undo.
  public func undo() -> Bool { step(from: &done, to: &undone) }

  /// Makes the change again that was undone last. Returns false if there is nothing to redo.
  public func redo() -> Bool { step(from: &undone, to: &done) }

  private func step(from: inout [ComposedText], to: inout [ComposedText]) -> Bool {
    guard let text = from.popLast() else { return false }
    to.append(bar.composed)
    bar.composed = text
    lastKeyWasUndo = true
    return true
  }

  /// A line that was put aside, with its undo.
  ///
  /// ```swift
  /// let aside = line.setAside()
  /// line.bringBack(aside)
  /// ```
  public struct StashedLine {
    fileprivate let composed: ComposedText
    fileprivate let done: [ComposedText]
  }

  public func setAside() -> StashedLine {
    defer { setLine("") }
    return StashedLine(composed: bar.composed, done: done)
  }

  public func bringBack(_ aside: consuming StashedLine) {
    setLine("")
    (bar.composed, done) = (aside.composed, aside.done)
  }

  fileprivate func layout(
    rows: Int, columns: Int, widths: Widths, menu: [StyledLine]
  ) -> BarLayout {
    bar.menu = menu
    let layout = bar.layout(size: rows, columns: columns, widths: widths, cache: &cache)
    inputRows = layout.inputRows
    return layout
  }
}

/// A key, for programs that read their keys themselves.
///
/// ```swift
/// if let key = BarKey("\u{1B}[D") { controller.type(key) }  // .left
/// ```
public enum BarKey: Hashable, Sendable {
  case text(String)
  case newline, backspace, delete
  case left, right, lineStart, lineEnd, up, down
  /// TAB, S-TAB, Return, C-g or Esc.
  case complete, completeBack, accept, cancel
  case undo, redo
}

extension BarController where Line == TypedLine {
  /// The bar: the prompt, the items and everything else around the text.
  public var bar: InputBar {
    get { line.bar }
    set { line.bar = newValue }
  }

  /// Handles a key: gives it to the menu if the person is in the menu, otherwise to the line.
  /// Return sends the text if it may be sent (1.1) and empties the line.
  public func type(_ key: BarKey) {
    if !press(key.menuKey) { edit(key) }
    lineChanged(byHand: true)
  }

  /// Handles a paste: offers it to the plugins, and inserts it if none takes it. `exists` tells
  /// whether a path is a file that could be attached.
  public func paste(_ text: String, exists: (String) -> Bool = { _ in false }) {
    if !offerToPlugins(PastedContent(paste: text, exists: exists), pasted: text) {
      type(.text(text))
    }
  }

  /// Lays the bar out with its menu, and tells listeners if the number of rows has changed.
  public func layout(rows: Int, columns: Int, widths: Widths) -> BarLayout {
    let menu = menuRows(columns: max(1, columns - 1), widths: widths)
    let layout = line.layout(rows: rows, columns: columns, widths: widths, menu: menu)
    barChanged()
    return layout
  }

  private func edit(_ key: BarKey) {
    let (text, caret) = (line.composed.text, line.composed.caret)
    switch key {
    case .text(let new): insert(new)
    case .newline: insert("\n")
    case .backspace:
      let start = Motion.previousGrapheme(in: text, before: caret)
      if start < caret { line.replace(start..<caret, with: "", caret: start) }
    case .delete:
      let end = Motion.nextGrapheme(in: text, after: caret)
      if caret < end { line.replace(caret..<end, with: "", caret: caret) }
    case .left: move(to: Motion.previousGrapheme(in: text, before: caret))
    case .right: move(to: Motion.nextGrapheme(in: text, after: caret))
    case .lineStart: move(to: Motion.lineStart(in: text, offset: caret))
    case .lineEnd: move(to: Motion.lineEnd(in: text, offset: caret))
    case .up:
      move(to: text.withUTF8Bytes { Motion.lineAbove(in: $0, from: caret, widths: Widths()) })
    case .down:
      move(to: text.withUTF8Bytes { Motion.lineBelow(in: $0, from: caret, widths: Widths()) })
    case .accept:
      guard allowsSending(text) else { return ring() }
      line.setLine("")
      sent(text)
    case .undo: if !line.undo() { ring() }
    case .redo: if !line.redo() { ring() }
    case .complete, .completeBack, .cancel: ring()
    }
  }

  private func insert(_ text: String) {
    let caret = line.composed.caret
    line.replace(caret..<caret, with: text, caret: caret + text.utf8.count)
  }

  private func move(to caret: Int?) {
    if let caret { line.bar.composed.caret = caret }
    line.bar.composed.region = nil
  }
}

extension BarKey {
  /// The key for the bytes that a terminal sends; nil if they mean nothing here.
  public init?(_ bytes: String) {
    switch bytes {
    case "\r": self = .accept
    case "\n": self = .newline
    case "\t": self = .complete
    case "\u{1B}[Z": self = .completeBack
    case "\u{7}", "\u{1B}": self = .cancel
    case "\u{8}", "\u{7F}": self = .backspace
    case "\u{4}", "\u{1B}[3~": self = .delete
    case "\u{2}", "\u{1B}[D", "\u{1B}OD": self = .left
    case "\u{6}", "\u{1B}[C", "\u{1B}OC": self = .right
    case "\u{10}", "\u{1B}[A", "\u{1B}OA": self = .up
    case "\u{E}", "\u{1B}[B", "\u{1B}OB": self = .down
    case "\u{1}": self = .lineStart
    case "\u{5}": self = .lineEnd
    case "\u{1F}": self = .undo
    case "\u{1B}/": self = .redo
    default:
      guard let first = bytes.utf8.first, first > 0x1F else { return nil }
      self = .text(bytes)
    }
  }

  fileprivate var menuKey: MenuKey {
    switch self {
    case .complete: .complete
    case .completeBack, .up: .previous
    case .down: .next
    case .accept: .accept
    case .cancel: .cancel
    default: .other
    }
  }
}
