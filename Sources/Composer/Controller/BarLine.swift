// SPDX-License-Identifier: GPL-3.0-or-later

/// Keeps and edits the text of a bar: ``TypedLine``, or the buffer of a line editor. It is the only
/// owner of the text; a ``BarController`` reads the text from it.
///
/// ```swift
/// final class EditorLine: BarLine {
///   var composed: ComposedText { ComposedText(editor.text, caret: editor.caret) }
///   // … the rest forwarded to the line editor
/// }
/// ```
@MainActor
public protocol BarLine: AnyObject {
  /// A line that was put aside, with its caret and undo.
  associatedtype SavedLine
  /// The text, the caret and the region as they are now.
  var composed: ComposedText { get }
  /// Changes whenever the text changes.
  var edition: Int { get }
  /// Whether the text is the result of undo or redo.
  var lastKeyWasUndo: Bool { get }
  /// The items around the text.
  var zones: ZoneValues<[Item]> { get }
  /// The number of visible rows of text.
  var inputRows: Int { get }
  /// Replaces bytes of the text as one undo step. Offsets count UTF-8 bytes; the caret's is in the
  /// new text.
  func replace(_ range: Range<Int>, with text: String, caret: Int)
  /// Gives the line another text and forgets its undo.
  func setLine(_ text: String, caret: Int?)
  /// Puts the line aside with its undo, and leaves an empty one.
  func setAside() -> SavedLine
  /// Replaces the current line with one that was put aside, with its undo.
  func bringBack(_ aside: consuming SavedLine)
}

/// The keys of a menu (2.7).
///
/// ```swift
/// if controller.press(.complete) { return }  // TAB was the menu's
/// ```
public enum MenuKey: Hashable, Sendable {
  /// TAB: accepts what is certain, fills in what is common, opens the menu, enters it, moves in it.
  case complete
  /// Down, C-n, and TAB in an entered menu; Up, C-p and S-TAB.
  case next, previous
  /// Return in an entered menu.
  case accept
  /// C-g or a lone Esc.
  case cancel
  /// Any other key, which leaves the menu.
  case other
}

/// Whether a menu is shown below the line, and whether it gets the keys.
///
/// ```swift
/// if controller.menu == .entered { hint = "Return takes it" }
/// ```
public enum MenuState: Hashable, Sendable {
  case closed, open, entered
}
