// SPDX-License-Identifier: GPL-3.0-or-later

/// One decoded event from the keyboard, or from the terminal itself.
package enum KeyEvent: Hashable, Sendable {
  /// One complete key as readline knows it: a UTF-8 character, a control byte, ESC and a key
  /// (meta), or a whole CSI or SS3 sequence, in the bytes of an old terminal.
  case key([UInt8])
  /// The Escape key by itself.
  case escape
  /// Shift-Return (rule 1.3).
  case newline
  /// The body of a bracketed paste (1.9): the bytes as received, but with LF for CRLF and CR.
  case paste([UInt8])
  /// The body of a paste whose end did not arrive, so that C-c ended it.
  case unfinishedPaste([UInt8])
  /// The terminal's window gained (true) or lost (false) the focus.
  case focus(Bool)
  /// An answer of the terminal (cursor position, device attributes, modes, colours, mouse), which
  /// is never text.
  case reply([UInt8])
}
