// SPDX-License-Identifier: GPL-3.0-or-later
import CReadline
import Composer
import StyledText
import Terminal

/// The text being typed, which readline owns; the program can read and change it.
extension LineEditor: BarLine {
  /// The text; decoded once for each ``edition``.
  package var text: String { Readline.text }
  /// Changes whenever the text changes.
  package var edition: Int { Int(creadline_edition()) }
  package var composed: ComposedText { ComposedText(text, caret: caret, region: region) }
  package var zones: ZoneValues<[Item]> { bar.zones }
  /// The number of visible rows of text, after the last drawing.
  package var inputRows: Int { display.inputRows }
  /// The caret, in bytes from the start of the text.
  package var caret: Int { Int(Readline.line.caret) }
  package var isEmpty: Bool { Readline.line.length == 0 }
  /// Whether no search, argument or incomplete command is under way, and the line is not one of the
  /// history.
  package var isIdle: Bool { creadline_is_idle() && creadline_history_is_live() }

  /// Whether the last key was undo or redo.
  package var lastKeyWasUndo: Bool { creadline_last_was_undo() }

  /// Runs `body` now, or, if a line is being accepted, when the next line has begun.
  package func whenLineBegins(_ body: @escaping @MainActor () -> Void) {
    if isAccepting { afterLine.append(body) } else { body() }
  }

  /// Replaces the line's text and forgets its undo.
  package func setLine(_ text: String, caret: Int? = nil) {
    creadline_drop_pending_key()
    isProgramChange = true
    creadline_set_line(text, Int32(clamping: caret ?? text.utf8.count))
  }

  /// Inserts at the caret as one undo step.
  package func insert(_ text: String) {
    creadline_drop_pending_key()
    isProgramChange = true
    creadline_insert(text)
  }

  /// Replaces the line's text as one undo step, with the caret at its end.
  package func replaceLine(_ text: String) {
    creadline_drop_pending_key()
    isProgramChange = true
    let line = Readline.line
    creadline_replace(0, line.length, text, Int32(text.utf8.count))
  }

  /// Replaces bytes of the line as one undo step.
  package func replace(_ range: Range<Int>, with text: String, caret: Int) {
    creadline_drop_pending_key()
    isProgramChange = true
    creadline_replace(Int32(range.lowerBound), Int32(range.upperBound), text, Int32(caret))
  }

  /// The region between mark and caret, in bytes; nil if none is active.
  package var region: Range<Int>? {
    let line = Readline.line
    return line.region_end > line.region_start
      ? Int(line.region_start)..<Int(line.region_end) : nil
  }

  /// The bytes for a command on the region: between caret and mark if the region is active, or if
  /// `set-mark` set the mark and nothing was typed since.
  package var markedRegion: Range<Int>? {
    let line = Readline.line
    guard line.mark >= 0, line.mark != line.caret else { return nil }
    return Int(min(line.mark, line.caret))..<Int(max(line.mark, line.caret))
  }

  /// Selects the text from an offset to its end, until the next key: a character or a paste then
  /// replaces it, and any other key leaves the line unchanged (rule 1.11).
  ///
  /// - Parameter start: bytes from the start of the text.
  package func select(from start: Int = 0) {
    // Report earlier typing first, or it would seem to be typed now.
    tellEarlierChanges()
    creadline_select(Int32(clamping: start))
    display.needsDrawing = true
  }

  /// Makes one C-_ bring `text` into the line.
  package func offerOnUndo(_ text: String) {
    isProgramChange = true
    creadline_offer_on_undo(text)
  }

  /// A line that was set aside with its caret and undo.
  package final class SavedLine {
    fileprivate var pointer: UnsafeMutableRawPointer?
    fileprivate init(_ pointer: UnsafeMutableRawPointer?) { self.pointer = pointer }
    deinit { if let pointer { creadline_forget_aside(pointer) } }
  }

  /// Sets the line aside, and leaves an empty one.
  package func setAside() -> SavedLine {
    creadline_drop_pending_key()
    isProgramChange = true
    return SavedLine(creadline_set_aside())
  }

  /// Replaces the current line with the one set aside.
  package func bringBack(_ aside: consuming SavedLine) {
    creadline_drop_pending_key()
    isProgramChange = true
    guard let pointer = aside.pointer.take() else { return }
    creadline_bring_back(pointer)
  }

  /// C-c: empties the line; C-_ brings it back (rule 1.6).
  package func clearLine() {
    if let question = question.take() {
      display.needsDrawing = true
      _ = question(.leave)
      return
    }
    let wasBusy = !creadline_is_idle()
    creadline_drop_pending_key()
    creadline_begin_inserting()
    let line = Readline.line
    if line.length == 0 {
      if !wasBusy { tell(.clearing(isEmpty: true)) }
      return
    }
    if !tell(.clearing(isEmpty: false)) { empty() }
  }

  /// Empties the line as one undo step.
  package func empty() {
    creadline_clear()
    tellChanged()
    isProgramChange = true
  }

  /// Asks the terminal to copy a text to the clipboard (OSC 52). Does nothing in plain mode.
  package func copyToClipboard(_ text: SafeText) { display.send(ClipboardSequence.bytes(text)) }

  /// The sequence for desktop notifications: the wanted one, or the best one that this terminal is
  /// known to support; nil in plain mode, and on a terminal that would print it.
  package func notification(_ wanted: DesktopNotification?) -> DesktopNotification? {
    guard displayMode == .tty, display.capabilities.ignoresStrings else { return nil }
    return wanted ?? (questions.knowsOSC99 ? .osc99 : display.capabilities.notifications)
  }

  /// Asks the terminal to show a notification.
  ///
  /// - Parameters:
  ///   - identifier: ASCII letters, digits and hyphens; the terminal replaces a notification that
  ///     has the same identifier.
  ///   - notification: from ``notification(_:)``.
  package func notify(
    title: SafeText, body: SafeText, identifier: String, by notification: DesktopNotification
  ) {
    display.send(
      notification.bytes(
        title: title, body: body, identifier: identifier, through: display.capabilities.wrapper))
  }

  /// Lines as bytes for a pager, in this terminal's columns and colours.
  package func printed(_ lines: [StyledLine]) -> [UInt8] {
    Painter.printed(display.rows(of: lines), capabilities: display.capabilities)
  }
}

/// Whether the line is being written, or is an entry of the history.
extension LineEditor {
  /// Whether to hide the history, as for a line that is neither a message nor a command.
  package var hidesHistory: Bool {
    get { creadline_history_is_hidden() }
    set { creadline_history_hide(newValue) }
  }
  /// Whether the line is the live one, not one of the history.
  package var isLive: Bool { creadline_history_is_live() }
  /// Whether a search or a repeat count replaces the prompt; the text may be an entry that a search
  /// has found but the user has not accepted yet.
  package var isAsking: Bool { Readline.line.message != nil }
}
