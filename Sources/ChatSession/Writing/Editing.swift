// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// Edit mode: the line holds a sent message (rule 3).
@MainActor
package struct Editing {
  private(set) var mode: EditMode?
  private var message: Message?
  /// The latest typed text that was not a command.
  private var lastTyped: String?
  /// A text that may be a mistyped `/cancel`; a second Return saves it.
  private var doubtfulText: String?
  /// Unsaved changes, by message (rule 3.4).
  private var unsavedChanges: [ID<Message>: String] = [:]

  package var isOn: Bool { mode != nil }

  /// What Return does.
  enum Outcome {
    case save(Message, as: String)
    /// Edit mode has ended, and the message stays unchanged; the value is a sentence to show.
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
    keepUnsavedChanges(text)
    let shown = EditMode.escapingSlash(message.body)
    mode = EditMode(target: message.number, original: message.body)
    self.message = message
    lastTyped = nil
    return .edit(
      shown, offering: unsavedChanges.removeValue(forKey: message.id),
      mentions: message.mentions(in: shown), isAnother: wasOn)
  }

  /// Notes that the person has changed the text of the line.
  ///
  /// - Parameter isLive: whether the line is the newest, not one from the history.
  mutating func noteChange(of text: String, isLive: Bool) {
    if isOn, isLive, !text.isEmpty, !LineRules.isCommand(text) { lastTyped = text }
  }

  /// Remembers unsaved changes to the message, for its next `/edit`.
  private mutating func keepUnsavedChanges(_ text: String) {
    guard let mode, let message else { return }
    let present = mode.typedCommand(in: text)?.text ?? text
    // A typed /cancel or /edit N has replaced the text.
    guard let typed = present.isEmpty || LineRules.isCommand(present) ? lastTyped : present
    else { return }
    if typed != EditMode.escapingSlash(mode.original) { unsavedChanges[message.id] = typed }
  }

  /// Handles Return.
  ///
  /// - Parameters:
  ///   - text: the entered text.
  ///   - line: the whole line, which may be longer; unsaved changes are kept from it.
  mutating func enter(_ text: String, line: String, _ rules: LineRules) throws -> Outcome {
    guard let mode, let message else { return .ended(nil) }
    var outcome = mode.judge(text, rules: rules)
    if case .mayMeanCancel(let body) = outcome, text == doubtfulText { outcome = .save(body) }
    doubtfulText = nil
    let number = SafeText(message.number)
    switch outcome {
    case .mayMeanCancel:
      doubtfulText = text
      throw Refusal(
        say(
          "The text ends with /cancel, which would be saved, too. Press Return again to save it, or C-g to leave [%1] unchanged.",
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
      keepUnsavedChanges(line)
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

  /// Ends edit mode after the text was saved.
  ///
  /// - Returns: the unsaved changes, if the person saved a line from the history instead of them.
  mutating func saved(_ text: String) -> String? {
    guard let mode, let message else { return nil }
    unsavedChanges[message.id] = nil
    drop()
    guard let lastTyped, lastTyped != text, lastTyped != EditMode.escapingSlash(mode.original)
    else {
      return nil
    }
    return lastTyped
  }

  /// C-g or Esc, or C-c or C-d on an empty line: leaves the message unchanged and restores the
  /// draft.
  mutating func cancel(_ text: String) -> [Effect] {
    guard let message else { return [] }
    keepUnsavedChanges(text)
    drop()
    return [
      .endEdit(offering: unsavedChanges[message.id]),
      .notice(say("Message [%1] stays as it was", SafeText(message.number))),
    ]
  }

  /// Ends edit mode; the draft returns only with the effect ``Effect/endEdit(offering:)``.
  mutating func drop() {
    mode = nil
    message = nil
  }

  /// Handles a change or deletion by another shell, if it concerns the edited message (rule 3.5).
  ///
  /// - Returns: a sentence about it and, if the message was deleted, the effect that ends edit
  ///   mode; nil if `new` is another message or has the same text.
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
        "Message [%1] was edited elsewhere meanwhile. Return saves your text instead; /cancel keeps the other one.",
        number), nil
    )
  }
}
