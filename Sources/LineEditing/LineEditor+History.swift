// SPDX-License-Identifier: GPL-3.0-or-later
import CReadline

/// Whether the line holds what is being written, or an entry that was found in the history.
extension LineEditor {
  /// There is no history, as for a line that is no message and no command.
  public var hidesHistory: Bool {
    get { creadline_history_is_hidden() }
    set { creadline_history_hide(newValue) }
  }
  /// The line is the live one, not one of the history that was walked to.
  public var isLive: Bool { creadline_history_is_live() }
  /// A search or a repeat count replaces the prompt; the text may be what a search has found but the
  /// user has not accepted yet.
  public var isAsking: Bool { Readline.line.message != nil }
}
