// SPDX-License-Identifier: GPL-3.0-or-later
/// What a program has to answer to be typed into.
@MainActor
public protocol LineEditorDelegate: AnyObject {
  /// Return was pressed. True: the text was taken, the line and its undo go. What is to stand in
  /// the next line is put there by ``LineEditor/whenLineBegins(_:)``.
  func lineEditor(_ editor: LineEditor, accepts text: String) -> Bool
  /// C-g or a lone Esc, when no search or argument was there to end. True: it meant something.
  func lineEditorCancels(_ editor: LineEditor) -> Bool
  /// The last moment to bring ``LineEditor/bar`` up to date.
  func lineEditorWillDraw(_ editor: LineEditor)
  /// The text was changed by a key or a paste.
  func lineEditorChanged(_ editor: LineEditor)
  /// C-c on a text: may it be emptied? On an empty line: say how to leave.
  func lineEditorMayClear(_ editor: LineEditor, isEmpty: Bool) -> Bool
  /// C-d on an empty line.
  func lineEditorEnded(_ editor: LineEditor)
  /// The end of input: the terminal is gone.
  func lineEditorLostTerminal(_ editor: LineEditor)
  /// C-_ and the like. True: what was taken away last was no text, and is back.
  func lineEditorUndoes(_ editor: LineEditor) -> Bool
  /// The terminal has another size, or had for a moment.
  func lineEditorResized(_ editor: LineEditor)
  /// ``LineEditor/isBehind`` is another.
  func lineEditorFellBehindOrCaughtUp(_ editor: LineEditor)
  /// ``LineEditor/isFocused`` is another.
  func lineEditorFocusChanged(_ editor: LineEditor)
  /// Something to say about what comes in.
  func lineEditor(_ editor: LineEditor, notes state: PasteState)
  /// A key that readline knows by a name of hobnob's own.
  func lineEditor(_ editor: LineEditor, runs command: LineCommand)
  /// TAB, while the menu is the program's to show. False: readline completes.
  func lineEditorCompletes(_ editor: LineEditor) -> Bool
  /// A key while ``LineEditor/menu`` is entered. False: the key is the line's.
  func lineEditor(_ editor: LineEditor, takes key: MenuKey) -> Bool
  /// The start of the last word of a name of several words that ends at or holds `caret` (bytes),
  /// for M-Backspace; nil where there is none.
  func lineEditor(_ editor: LineEditor, mentionWordBefore caret: Int) -> Int?
  /// The caret moved, and nothing else.
  func lineEditorMoved(_ editor: LineEditor)
  /// A space was typed behind a space; both stand in the line.
  func lineEditorTypedSecondSpace(_ editor: LineEditor)
  /// A paste. True: it was taken, nothing is inserted.
  func lineEditor(_ editor: LineEditor, pastes text: String) -> Bool
  /// Up on an empty line. True: it meant something else than the history.
  func lineEditorGoesUpFromEmptyLine(_ editor: LineEditor) -> Bool
  /// The shell is about to be suspended (C-z), or came back.
  func lineEditorSuspends(_ editor: LineEditor)
  func lineEditorResumed(_ editor: LineEditor)
  /// The candidates for the word at `caret` (bytes), asked by readline's completion functions.
  func lineEditor(_ editor: LineEditor, completionsIn text: String, caret: Int) -> Completions?
}

/// What hobnob's own readline functions do.
public enum LineCommand: Hashable, Sendable {
  case editLast
  case editInEditor
  /// Wrap the region or the word in this symbol.
  case format(String)
}

/// What is wrong with a paste.
public enum PasteState: Hashable, Sendable {
  /// It has begun, and for a while nothing came: neither more of it nor its end.
  case isOpen
  /// Its end never came, and C-c ended it: what there was is in the line.
  case hadNoEnd
}

/// The answer to ``LineEditor/question``.
public enum Answer: Hashable, Sendable {
  case yes
  /// Any other key.
  case no
  /// C-c, C-g or Escape: nothing is to happen.
  case leave
}

/// The keys of an entered menu.
public enum MenuKey: Hashable, Sendable {
  case next, previous, accept
  /// Any other: it leaves the menu.
  case other
}

/// Whether a menu hangs below the line, and who the keys are for.
public enum MenuState: Hashable, Sendable {
  case closed, open, entered
}
