// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// Edit mode: a message that was sent is in the line (rule 3).
@MainActor
package struct Editing {
  private(set) var mode: EditMode?
  private var message: Message?
  /// What the editor held last that was not a command.
  private var typedOver: String?
  /// A text that may have been meant as `/cancel`; it is saved when Return comes again.
  private var doubted: String?
  /// What was typed over a message and not saved, by message (rule 3.4).
  private var abandoned: [ID<Message>: String] = [:]

  package var isOn: Bool { mode != nil }

  /// What Return leads to.
  enum Outcome {
    case save(Message, as: String)
    /// The message stays as it was.
    case ended(SafeText?)
    /// Another message is to be edited, by number.
    case another(String)
    case tooLong(Int, limit: Int)
  }

  /// A message comes into the line.
  ///
  /// - Parameter text: what is in the line.
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

  /// The text of the line was changed by hand.
  mutating func noteChange(of text: String, isLive: Bool) {
    if isOn, isLive, !text.isEmpty, !LineRules.isCommand(text) { typedOver = text }
  }

  /// Remembers what was typed over the message, for the next `/edit` of it.
  private mutating func keepAbandoned(_ text: String) {
    guard let mode, let message else { return }
    let present = mode.typedCommand(in: text)?.text ?? text
    // A typed /cancel or /edit N has taken the text's place.
    guard let typed = present.isEmpty || LineRules.isCommand(present) ? typedOver : present
    else { return }
    if typed != EditMode.shown(mode.original) { abandoned[message.id] = typed }
  }

  /// Return.
  ///
  /// - Parameter line: what is in the line, which may be more.
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
      return .ended(say("Nothing was changed in [%1]", number))
    case .refusedBlank:
      throw Refusal(
        say("A message cannot become empty. /cancel keeps it, /delete %1 deletes it.", number))
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
  /// - Returns: what was typed over the message before a line of the history was saved instead.
  mutating func saved(_ text: String) -> String? {
    guard let mode, let message else { return nil }
    abandoned[message.id] = nil
    drop()
    guard let typedOver, typedOver != text, typedOver != EditMode.shown(mode.original) else {
      return nil
    }
    return typedOver
  }

  /// C-g, Esc, C-c or C-d on an empty text: the message stays, the draft comes back.
  mutating func cancel(_ text: String) -> [Effect] {
    guard let message else { return [] }
    keepAbandoned(text)
    drop()
    return [
      .endEdit(offering: abandoned[message.id]),
      .notice(say("Message [%1] stays as it was", SafeText(message.number))),
    ]
  }

  /// The person leaves altogether; nothing comes back.
  mutating func drop() {
    mode = nil
    message = nil
  }

  /// The message that is edited was changed or deleted by another shell (rule 3.5).
  ///
  /// - Returns: what to say of it, and the end of edit mode if it was deleted.
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
        "Message [%1] was changed elsewhere while you edit it; Return replaces that text, /cancel keeps it.",
        number), nil
    )
  }
}
