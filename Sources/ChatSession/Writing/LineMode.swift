// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations

/// What the typed line is, which decides what Return, C-g and the other keys mean.
package indirect enum LineMode {
  /// A draft: Return sends it.
  case draft
  /// The new text of a sent message: Return saves it (rule 3).
  case editing(EditedMessage)
  /// The name of a conversation to open, typed in place of another line, which comes back (rule
  /// 13.1).
  case choosing(SwitcherCandidates, over: LineMode)

  package var isDraft: Bool { if case .draft = self { true } else { false } }

  /// The conversations to choose from; nil unless the line is a name.
  var choices: SwitcherCandidates? {
    if case .choosing(let choices, _) = self { choices } else { nil }
  }

  package var isChoosing: Bool { choices != nil }

  /// The message whose new text is the line, or waits while a name is typed.
  package internal(set) var edited: EditedMessage? {
    get {
      switch self {
      case .draft: nil
      case .editing(let edited): edited
      case .choosing(_, let below): below.edited
      }
    }
    set {
      switch (self, newValue) {
      case (.choosing(let choices, var below), _):
        below.edited = newValue
        self = .choosing(choices, over: below)
      case (_, let edited?): self = .editing(edited)
      case (.editing, nil): self = .draft
      case (.draft, nil): break
      }
    }
  }

  package var isEditing: Bool { edited != nil }
}

/// A sent message while its new text is typed.
package struct EditedMessage {
  var message: Message
  /// The latest typed text that was not a command.
  var lastTyped: String?
  /// A text that may be a mistyped `/cancel`; a second Return saves it.
  var doubtfulText: String?

  init(_ message: Message) { self.message = message }

  package var mode: EditMode { EditMode(target: message.number, original: message.body) }
}
