// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Terminal

/// An event of the line. ``LineEditor/handler`` receives each, in order, and returns whether it has
/// handled it. Each case describes the default action; without one, the answer does not matter.
package enum LineEvent: Hashable, Sendable {
  /// Return. If handled, the line disappears with its undo; fill the next one by
  /// ``LineEditor/whenLineBegins(_:)``. If not handled, the line stays.
  case accepted(String)
  /// A key or a paste changed the text.
  case changed
  /// The caret moved, and nothing else.
  case moved
  /// The selection (``LineEditor/select(from:)``) has ended; `replacing`: the next typed or pasted
  /// text replaces this text.
  case selectionEnded(replacing: String?)
  /// The user typed a space after a space; the line has both.
  case secondSpace
  /// A paste. By default it is inserted.
  case pasted(String)
  /// A paste has begun, but for a while neither more of it nor its end has arrived.
  case pasteUnfinished
  /// The end of a paste never arrived, and C-c ended it: the line has what did arrive.
  case pasteHadNoEnd
  /// C-c. By default the line is emptied.
  case clearing(isEmpty: Bool)
  /// C-g or a lone Esc, with no search or argument to end. By default readline handles the key.
  case cancelled
  /// C-_ and the like. By default readline undoes.
  case undoing
  /// Up on an empty line. By default readline shows its history.
  case upOnEmptyLine
  /// TAB was pressed, and a menu is possible. By default readline completes.
  case completing
  /// A key while ``LineEditor/menu`` is entered. By default the line handles it.
  case menuKey(MenuKey)
  /// A key bound to one of hobnob's own readline functions, of this name.
  case command(String)
  /// C-d on an empty line.
  case endOfInput
  /// The terminal has closed.
  case lostTerminal
  /// The last moment to update ``LineEditor/bar``.
  case willDraw
  /// The terminal has another size, or had for a moment.
  case resized
  /// ``LineEditor/isBehind`` has changed.
  case fellBehindOrCaughtUp
  /// ``WindowFocus/isHere`` has changed.
  case focusChanged
  /// C-z: the shell is about to be suspended, or has come back.
  case suspending, resumed
  /// C-z was pressed, but no parent shell could resume hobnob.
  case cannotSuspend
}

/// The answer to ``LineEditor/question``.
package enum Answer: Hashable, Sendable {
  /// Return.
  case accept
  /// An ASCII letter, in lower case, or a digit.
  case letter(Character)
  /// C-c, C-g or Escape: do nothing.
  case leave
  /// Any other key.
  case other

  /// Return or y.
  package var isYes: Bool { self == .accept || self == .letter("y") }
}

extension Answer {
  init?(_ event: KeyEvent) {
    switch event {
    case .key([0x0D]): self = .accept
    case .key([0x03]), .key([0x07]), .escape: self = .leave
    case .key(let bytes) where bytes.count == 1:
      let key = Character(Unicode.Scalar(bytes[0]))
      let isOne = key.isASCII && (key.isLetter || key.isNumber)
      self = isOne ? .letter(Character(key.lowercased())) : .other
    case .key, .newline, .paste, .unfinishedPaste: self = .other
    case .focus, .reply: return nil
    }
  }
}

extension MenuKey {
  init(_ bytes: [UInt8]) {
    switch bytes {
    case [0x09]: self = .complete
    case [0x0E], Array("\u{1B}[B".utf8), Array("\u{1B}OB".utf8): self = .next
    case [0x10], Array("\u{1B}[Z".utf8), Array("\u{1B}[A".utf8), Array("\u{1B}OA".utf8):
      self = .previous
    case [0x0D]: self = .accept
    default: self = .other
    }
  }
}
