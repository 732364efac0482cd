// SPDX-License-Identifier: GPL-3.0-or-later
import CReadline

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
