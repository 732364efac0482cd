// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
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
  /// A question, which the next key answers, about the line or in front of it.
  case asking(Question, over: LineMode)

  /// Whether Return sends the text of the line.
  package var isDraft: Bool {
    switch withoutQuestion {
    case .draft, .history: true
    case .editing, .choosing, .asking: false
    }
  }

  /// What the text of the line is, whatever is asked about it.
  package var withoutQuestion: LineMode {
    if case .asking(_, let below) = self { below } else { self }
  }

  package var question: Question? {
    if case .asking(let question, _) = self { question } else { nil }
  }

  /// The conversations to choose from; nil unless the line is a name.
  package var choices: SwitcherCandidates? {
    if case .choosing(let choices, _) = withoutQuestion { choices } else { nil }
  }

  package var isChoosing: Bool { choices != nil }

  /// The mode without a name or a question in place of the line.
  private var base: LineMode {
    get {
      switch self {
      case .choosing(_, let below), .asking(_, let below): below.base
      default: self
      }
    }
    set {
      switch self {
      case .choosing(let choices, var below):
        below.base = newValue
        self = .choosing(choices, over: below)
      case .asking(let question, var below):
        below.base = newValue
        self = .asking(question, over: below)
      default: self = newValue
      }
    }
  }

  /// The message whose new text is the line, or waits while a name is typed.
  package var edited: EditedMessage? {
    get { if case .editing(let edited) = base { edited } else { nil } }
    set {
      if let newValue { base = .editing(newValue) } else if isEditing { base = .draft }
    }
  }

  package var isEditing: Bool { edited != nil }

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
  package var message: Message
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
