// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations

/// What the typed line is, which decides what Return, C-g and the other keys mean.
package indirect enum LineMode {
  /// A draft: Return sends it.
  case draft
  /// A line of the history that the person has changed or entered: it is the draft now, and the
  /// line that waits at the end of the history enters the history.
  case history(waiting: WaitingLine)
  /// The new text of a sent message: Return saves it (rule 3).
  case editing(EditedMessage)
  /// The name of a conversation to open, typed in place of another line, which comes back (rule
  /// 13.1).
  case choosing(SwitcherCandidates, over: LineMode)

  package var isDraft: Bool {
    switch self {
    case .draft, .history: true
    case .editing, .choosing: false
    }
  }

  /// The conversations to choose from; nil unless the line is a name.
  var choices: SwitcherCandidates? {
    if case .choosing(let choices, _) = self { choices } else { nil }
  }

  package var isChoosing: Bool { choices != nil }

  /// The mode without a name that is typed in place of the line.
  private var base: LineMode {
    get { if case .choosing(_, let below) = self { below } else { self } }
    set {
      if case .choosing(let choices, _) = self {
        self = .choosing(choices, over: newValue)
      } else {
        self = newValue
      }
    }
  }

  /// The message whose new text is the line, or waits while a name is typed.
  package internal(set) var edited: EditedMessage? {
    get { if case .editing(let edited) = base { edited } else { nil } }
    set {
      if let newValue { base = .editing(newValue) } else if isEditing { base = .draft }
    }
  }

  package var isEditing: Bool { edited != nil }

  /// The line that waits at the end of the history.
  var waitingLine: WaitingLine? {
    get { if case .history(let waiting) = base { waiting } else { nil } }
    set {
      if let newValue {
        base = .history(waiting: newValue)
      } else if waitingLine != nil {
        base = .draft
      }
    }
  }
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

/// A line that waits at the end of the history while another one is the draft.
package struct WaitingLine {
  let text: String
  /// Whether the history of the store, and of this shell, has it.
  var isStored = false
  var isListed = false

  init(text: String) { self.text = text }

  /// Whether it belongs into the history.
  var isRemembered: Bool { !text.isEmpty && !Secrets.isIn(text) }
}
