// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Terminal

/// What happens at the line. ``LineEditor/handler`` gets each, in order, and returns whether it has
/// dealt with it. Each case says what happens otherwise; if it says nothing, the answer does not
/// matter.
public enum LineEvent: Hashable, Sendable {
  /// Return was pressed. Handled: the text was taken, and the line goes with its undo; fill the
  /// next line by ``LineEditor/whenLineBegins(_:)``. Otherwise the line stays.
  case accepted(String)
  /// The text was changed by a key or a paste.
  case changed
  /// The caret moved, and nothing else.
  case moved
  /// The line is not selected any more (``LineEditor/selectAll()``); `replacing`: what is typed or
  /// pasted now takes the place of this text.
  case selectionEnded(replacing: String?)
  /// A space was typed behind a space; the line has both.
  case secondSpace
  /// A paste. Otherwise it is inserted.
  case pasted(String)
  /// A paste has begun, and for a while nothing came: neither more of it nor its end.
  case pasteIsOpen
  /// The end of a paste never came, and C-c ended it: what there was is in the line.
  case pasteHadNoEnd
  /// C-c. Otherwise the line is emptied.
  case clearing(isEmpty: Bool)
  /// C-g or a lone Esc, when no search or argument was there to end. Otherwise the key is readline's.
  case cancelled
  /// C-_ and the like. Otherwise readline undoes.
  case undoing
  /// Up on an empty line. Otherwise it is readline's history.
  case upOnEmptyLine
  /// TAB, where a menu can be shown. Otherwise readline completes.
  case completing
  /// A key while ``LineEditor/menu`` is entered. Otherwise it is the line's.
  case menuKey(MenuKey)
  /// A key that readline knows by a name of hobnob's own.
  case command(LineCommand)
  /// C-d on an empty line.
  case endOfInput
  /// The terminal has closed.
  case lostTerminal
  /// The last moment to bring ``LineEditor/bar`` up to date.
  case willDraw
  /// The terminal has another size, or had for a moment.
  case resized
  /// ``LineEditor/isBehind`` is another.
  case fellBehindOrCaughtUp
  /// ``LineEditor/isFocused`` is another.
  case focusChanged
  /// C-z: the shell is about to be suspended, or has come back.
  case suspending, resumed
  /// C-z, but no parent shell could resume hobnob.
  case cannotSuspend
}

/// What hobnob's own readline functions do.
public enum LineCommand: Hashable, Sendable {
  case editLast
  case editInEditor
  /// Wrap the region or the word in this symbol.
  case format(String)
  /// Put the line away until the next one was sent.
  case setAside
  /// Go to another conversation; the readline function's name says to which.
  case move(String)
}

/// The answer to ``LineEditor/question``.
public enum Answer: Hashable, Sendable {
  /// Return.
  case accept
  /// A letter of ASCII, in lower case.
  case letter(Character)
  /// C-c, C-g or Escape: nothing is to happen.
  case leave
  /// Any other key.
  case other

  /// Return or y.
  public var isYes: Bool { self == .accept || self == .letter("y") }
}

extension Answer {
  init?(_ event: KeyEvent) {
    switch event {
    case .key([0x0D]): self = .accept
    case .key([0x03]), .key([0x07]), .escape: self = .leave
    case .key(let bytes):
      let letter = bytes.count == 1 ? bytes[0] | 0x20 : 0
      self =
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter) && bytes[0] >= 0x41
        ? .letter(Character(Unicode.Scalar(letter))) : .other
    case .newline, .paste, .unfinishedPaste: self = .other
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
