// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// A question that the next key answers (rule 13.4).
package struct Question {
  /// An answer, and its key: a lower-case letter, with or without Shift, a digit, or Return.
  package typealias Answer = (key: Character, label: SafeText, intent: Intent)

  /// The key Return.
  package static let enter: Character = "\r"

  package let text: SafeText
  package let answers: [Answer]
  /// What any other key does.
  private let other: (row: SafeText, intent: Intent)
  /// Whether Return means the same as `y`.
  private let enterIsYes: Bool

  package init(
    _ text: SafeText, _ answers: [Answer], otherwise row: SafeText, _ intent: Intent = .typing,
    enterIsYes: Bool = false
  ) {
    (self.text, self.answers, other) = (text, answers, (row, intent))
    self.enterIsYes = enterIsYes
  }

  /// What a key means. If other keys are typed, Return and `n` still mean no.
  ///
  /// - Parameter key: nil for a key that is not a letter, a digit or Return.
  package func intent(of key: Character?) -> Intent {
    let key = enterIsYes && key == Self.enter ? "y" : key
    if let answer = answers.first(where: { $0.key == key }) { return answer.intent }
    return other.intent == .typing && (key == Self.enter || key == "n") ? .nothing : other.intent
  }

  /// The question, its answers and what any other key does, each on a row of its own.
  private var rows: [SafeText] {
    let answers = answers.map {
      say("%1: %2", $0.key == Self.enter ? say("Return") : SafeText(line: String($0.key)), $0.label)
    }
    return [text] + answers + [other.row]
  }

  /// All of it as one line, with the answers at its end.
  package var line: SafeText {
    text + " " + rows.dropFirst(2).reduce(rows[1]) { say("%1, %2", $0, $1) }
  }

  /// The question with numbered answers, for people who listen (rule 11.5).
  package var numbered: [StyledLine] {
    rows.enumerated().map { index, row in
      StyledLine((answers.indices.contains(index - 1) ? SafeText(index) + " " : "") + row)
    }
  }
}
