// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// Edit mode: the line holds a sent message (rule 3).
@MainActor
package struct Editing {
  private(set) var mode: EditMode?
  private var message: Message?
  /// The latest text in the editor that was not a command.
  private var typedOver: String?
  /// A text that may be a mistyped `/cancel`; a second Return saves it.
  private var doubted: String?
  /// Changes to messages that were not saved, by message (rule 3.4).
  private var abandoned: [ID<Message>: String] = [:]

  package var isOn: Bool { mode != nil }

  /// What Return does.
  enum Outcome {
    case save(Message, as: String)
    /// The message stays unchanged.
    case ended(SafeText?)
    /// Edit another message, by number.
    case another(String)
    case tooLong(Int, limit: Int)
  }

  /// Puts a message into the line.
  ///
  /// - Parameter text: the text of the line.
  mutating func begin(_ message: Message, over text: String) -> Effect {
    let wasOn = isOn
    keepAbandoned(text)
    let shown = EditMode.shown(message.body)
    mode = EditMode(target: message.number, original: message.body)
    self.message = message
    typedOver = nil
    return .edit(
      shown, offering: abandoned.removeValue(forKey: message.id),
      mentions: message.mentions(in: shown), isAnother: wasOn)
  }

  /// Handles a change of the line's text by hand.
  mutating func noteChange(of text: String, isLive: Bool) {
    if isOn, isLive, !text.isEmpty, !LineRules.isCommand(text) { typedOver = text }
  }

  /// Remembers unsaved changes to the message, for its next `/edit`.
  private mutating func keepAbandoned(_ text: String) {
    guard let mode, let message else { return }
    let present = mode.typedCommand(in: text)?.text ?? text
    // A typed /cancel or /edit N has replaced the text.
    guard let typed = present.isEmpty || LineRules.isCommand(present) ? typedOver : present
    else { return }
    if typed != EditMode.shown(mode.original) { abandoned[message.id] = typed }
  }

  /// Handles Return.
  ///
  /// - Parameter line: the whole line, which may be longer.
  mutating func enter(_ text: String, line: String, _ rules: LineRules) throws -> Outcome {
    guard let mode, let message else { return .ended(nil) }
    var outcome = mode.judge(text, rules: rules)
    if case .mayMeanCancel(let body) = outcome, text == doubted { outcome = .save(body) }
    doubted = nil
    let number = SafeText(message.number)
    switch outcome {
    case .mayMeanCancel:
      doubted = text
      throw Refusal(
        say(
          "This would save the text with /cancel at its end. Return again saves it, C-g leaves [%1] as it was.",
          number))
    case .save(let body): return .save(message, as: body)
    case .unchanged:
      drop()
      return .ended(say("Message [%1] is unchanged", number))
    case .refusedBlank:
      throw Refusal(
        say(
          "A message cannot be empty. /cancel keeps the old text, /delete %1 deletes the message.",
          number))
    case .refusedOverLimit(let count, let limit): return .tooLong(count, limit: limit)
    case .command(.cancel):
      keepAbandoned(line)
      drop()
      return .ended(nil)
    case .command(.edit(let number)): return .another(number.map { String($0) } ?? "")
    case .refusedCommand:
      throw Refusal(
        say(
          "While you edit, only /cancel and /edit N are commands. For a text that begins with /, type //."
        ))
    }
  }

  /// The text was saved.
  ///
  /// - Returns: unsaved changes, if the person saved a line of the history instead.
  mutating func saved(_ text: String) -> String? {
    guard let mode, let message else { return nil }
    abandoned[message.id] = nil
    drop()
    guard let typedOver, typedOver != text, typedOver != EditMode.shown(mode.original) else {
      return nil
    }
    return typedOver
  }

  /// C-g, Esc, C-c or C-d on an empty text: leaves the message unchanged and restores the draft.
  mutating func cancel(_ text: String) -> [Effect] {
    guard let message else { return [] }
    keepAbandoned(text)
    drop()
    return [
      .endEdit(offering: abandoned[message.id]),
      .notice(say("Message [%1] stays as it was", SafeText(message.number))),
    ]
  }

  /// The person quits; nothing comes back.
  mutating func drop() {
    mode = nil
    message = nil
  }

  /// Another shell changed or deleted the edited message (rule 3.5).
  ///
  /// - Returns: a message about it, and the end of edit mode if it was deleted.
  mutating func changedElsewhere(
    _ new: Message, _ text: String
  ) -> (sentence: SafeText, end: Effect?)? {
    guard let mode, message?.id == new.id, new.body != mode.original else { return nil }
    let number = SafeText(new.number)
    if new.deletedAt != nil {
      drop()
      return (
        say("Message [%1] was deleted while you edited it. C-_ brings your text back.", number),
        .endEdit(offering: text.isEmpty ? nil : text)
      )
    }
    message = new
    self.mode = EditMode(target: mode.target, original: new.body)
    return (
      say(
        "Message [%1] changed elsewhere while you edited it; Return replaces the new text, /cancel keeps it.",
        number), nil
    )
  }
}
