// SPDX-License-Identifier: GPL-3.0-or-later
import CReadline

/// Whether what stands in the line is what is being written, or something that was found.
extension LineEditor {
  /// There is no history, as for a line that is no message and no command.
  public var hidesHistory: Bool {
    get { creadline_history_is_hidden() }
    set { creadline_history_hide(newValue) }
  }
  /// The line is the live one, not one of the history that was walked to.
  public var isLive: Bool { creadline_history_is_live() }
  /// A search or a repeat count stands in the prompt's place; the text may be what a search has
  /// found and nobody has taken yet.
  public var isAsking: Bool { Readline.line.message != nil }
}
