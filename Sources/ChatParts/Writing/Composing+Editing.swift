// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import ChatRendering
import Composer
import Conversations
import StyledText

/// Edit mode: the line holds the new text of a sent message (rule 3).
extension Composing {
  package mutating func beginEdit(of message: Message, _ scene: Scene) -> [Effect] {
    let isAnother = mode.isEditing
    // Editing does not count as typing (rule 3.2).
    var effects = isAnother ? [] : leaveLine(scene) + [.stopTyping]
    keepUnsavedChanges()
    let edited = EditedMessage(message)
    mode.edited = edited
    let shown = EditMode.escapingSlash(message.body)
    effects.append(
      .edit(
        shown, offering: unsavedChanges.removeValue(forKey: message.id),
        mentions: message.mentions(in: shown), isAnother: isAnother))
    // In plain mode no status line shows the mode.
    if scene.outputMode == .plain { effects.append(.notice(edited.mode.status)) }
    return effects
  }

  /// Remembers unsaved changes to the message, for its next `/edit`.
  private mutating func keepUnsavedChanges() {
    guard let edited = mode.edited else { return }
    let text = line.text
    let present = edited.mode.typedCommand(in: text)?.text ?? text
    // A typed /cancel or /edit N has replaced the text.
    guard let typed = present.isEmpty || LineRules.isCommand(present) ? edited.lastTyped : present
    else { return }
    if typed != EditMode.escapingSlash(edited.message.body) {
      unsavedChanges[edited.message.id] = typed
    }
  }

  /// What Return on a text means. A text that ends with `/cancel` is saved at the second Return.
  package mutating func judgeEdit(_ text: String, _ rules: LineRules) -> EditMode.Outcome {
    guard let edited = mode.edited else { return .unchanged }
    let outcome = edited.mode.judge(text, rules: rules)
    guard case .mayMeanCancel(let body) = outcome else {
      mode.edited?.doubtfulText = nil
      return outcome
    }
    let isSure = text == edited.doubtfulText
    mode.edited?.doubtfulText = isSure ? nil : text
    return isSure ? .save(body) : outcome
  }

  package mutating func saved(_ text: String) -> Step {
    var step = Step()
    if let edited = mode.edited {
      unsavedChanges[edited.message.id] = nil
      mode.edited = nil
      if let lastTyped = edited.lastTyped, lastTyped != text,
        lastTyped != EditMode.escapingSlash(edited.message.body)
      {
        // The person saved a line from the history instead.
        step = Self.remember(lastTyped)
      }
    }
    step.effects += [.tutorialAction(.corrected), .addHistory(text), .endEdit(offering: nil)]
    return step
  }

  /// Leaves the message unchanged; its next `/edit` offers the unsaved changes.
  package mutating func leaveEdit() {
    keepUnsavedChanges()
    mode.edited = nil
  }

  /// Leaves edit mode if nobody can change the message any more, and returns the new text as a line
  /// of its own.
  ///
  /// - Throws: any other reason why the text was not saved.
  package mutating func leaveEdit(
    keeping text: String, because error: RuleError, _ rules: LineRules, _ scene: Scene
  ) throws -> [Effect] {
    guard keepsDrafts, let number = mode.edited?.message.number,
      let here = scene.open.conversation,
      case .message(let body) = rules.judge(text)
    else { throw error }
    let reason: SafeText
    switch error {
    // `/edit` allowed it, so the message still waited for its network.
    case .cannotEdit:
      reason = say(
        "Message [%1] was sent while you edited it. %2", SafeText(number), sentence(for: error))
    case .editsAreOver, .unreadable: reason = sentence(for: error)
    default: throw error
    }
    mode.edited = nil
    let line = PendingLine(
      typed: text, body: body, kind: .text, conversation: here.id, conversationName: here.name,
      since: scene.now, mentions: line.mentions(in: body))
    return [.endEdit(offering: nil), .giveBack(line, because: reason)]
  }

  /// Leaves the message unchanged by a key, and restores the draft.
  package mutating func cancelEdit() -> [Effect] {
    guard let message = mode.edited?.message else { return [] }
    leaveEdit()
    return [
      .endEdit(offering: unsavedChanges[message.id]),
      .notice(say("Message [%1] stays as it was", SafeText(message.number))),
    ]
  }

  /// Handles a change or deletion by another shell, if it concerns the edited message (rule 3.5).
  ///
  /// - Returns: a sentence about it and, if the message was deleted, the end of edit mode; nothing
  ///   if `new` is another message or has the same text.
  package mutating func changedElsewhere(_ new: Message) -> [Effect] {
    guard let former = mode.edited?.message, former.id == new.id, new.body != former.body else {
      return []
    }
    let number = SafeText(new.number)
    if new.deletedAt != nil {
      mode.edited = nil
      return [
        .endEdit(offering: line.isEmpty ? nil : line.text),
        Self.warning(
          say("Message [%1] was deleted while you edited it. C-_ brings your text back.", number)),
      ]
    }
    mode.edited?.message = new
    return [
      Self.warning(
        say(
          "Message [%1] was edited elsewhere meanwhile. Return saves your text instead; /cancel keeps the other one.",
          number))
    ]
  }

  private static func warning(_ sentence: SafeText) -> Effect {
    .answer([Renderer.error(sentence)], indent: 0)
  }
}
