// SPDX-License-Identifier: GPL-3.0-or-later

/// One decoded thing from the keyboard, or from the terminal behind it.
public enum KeyEvent: Hashable, Sendable {
  /// One complete key as readline knows it: a UTF-8 character, a control byte, ESC and a key (meta),
  /// or a whole CSI or SS3 sequence, in the bytes of an old terminal.
  case key([UInt8])
  /// The Escape key by itself.
  case escape
  /// Shift-Return (rule 1.3).
  case newline
  /// The body of a bracketed paste (1.9): CRLF and CR are LF, else the bytes as they came.
  case paste([UInt8])
  /// The body of a paste that was ended by C-c, because its end did not come.
  case unfinishedPaste([UInt8])
  /// The terminal's window gained (true) or lost the focus.
  case focus(Bool)
  /// An answer of the terminal (cursor position, device attributes, modes, colours, mouse): never
  /// text.
  case reply([UInt8])
}
