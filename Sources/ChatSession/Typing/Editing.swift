// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// Edit mode: a message that was sent is in the line (rule 3).
@MainActor
package final class Editing: SessionPart {
  unowned let session: Session
  private(set) var mode: EditMode?
  private var message: Message?
  /// What the editor held last that was not a command.
  private var typedOver: String?
  /// A text that may have been meant as `/cancel`; it is saved when Return comes again.
  private var doubted: String?
  /// What was typed over a message and not saved, by message (rule 3.4).
  private var abandoned: [ID<Message>: String] = [:]

  init(_ session: Session) { self.session = session }

  package var isOn: Bool { mode != nil }

  /// `/edit [N]`
  func begin(_ argument: String) throws {
    _ = try place.requiredAsMember()
    let message = try MessageCommands(session: session).own(argument, missing: .nothingToEdit)
    guard message.sender == me.id else { throw RuleError.notYours(message.number) }
    guard message.deletedAt == nil else { throw RuleError.deleted(message.number) }
    let wasOn = isOn
    if !wasOn { drafts.noteAndLeave() }
    keepAbandoned()
    let shown = EditMode.shown(message.body)
    mode = EditMode(target: message.number, original: message.body)
    self.message = message
    typedOver = nil
    // Whoever edits does not appear as typing (rule 3.2).
    if !wasOn { place.stopTyping() }
    emit(
      .edit(
        shown, offering: abandoned.removeValue(forKey: message.id),
        mentions: message.mentions(in: shown), isAnother: wasOn))
    // There is no status line that says it.
    if session.face == .plain, let mode { emit(.notice(mode.status)) }
  }

  /// The text of the line was changed by hand.
  func noteChange(of text: String) {
    if isOn, line.isLive, !text.isEmpty, !LineRules.isCommand(text) { typedOver = text }
  }

  /// Remembers what was typed over the message, for the next `/edit` of it.
  private func keepAbandoned() {
    guard let mode, let message else { return }
    let text = line.text
    let present = mode.typedCommand(in: text)?.text ?? text
    // A typed /cancel or /edit N has taken the text's place.
    guard let typed = present.isEmpty || LineRules.isCommand(present) ? typedOver : present
    else { return }
    if typed != EditMode.shown(mode.original) { abandoned[message.id] = typed }
  }

  /// Return.
  func carryOut(_ text: String) throws {
    guard let mode, let message else { return }
    var outcome = mode.judge(text, rules: session.preferences.rules)
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
    case .save(let body): try save(body, typed: text, over: message, mode)
    case .unchanged:
      leave(offering: nil)
      emit(.notice(say("Nothing was changed in [%1]", number)))
    case .refusedBlank:
      throw Refusal(
        say("A message cannot become empty. /cancel keeps it, /delete %1 deletes it.", number))
    case .refusedOverLimit(let count, let limit): throw outgoing.tooLong(count, limit)
    case .command(.cancel):
      keepAbandoned()
      leave(offering: nil)
    case .command(.edit(let number)): try begin(number.map { String($0) } ?? "")
    case .refusedCommand:
      throw Refusal(
        say(
          "While you edit, only /cancel and /edit N are commands. For a text that begins with /, type //."
        ))
    }
  }

  private func save(
    _ body: String, typed text: String, over message: Message, _ mode: EditMode
  ) throws {
    _ = try place.requiredAsMember()
    do {
      _ = try store.writeDurably {
        try $0.edit(
          message.id, to: body, by: me.id, typed: text, shell: session.shellID,
          mentions: Span.encoded(line.mentions(in: body)))
      }
    } catch let error as RuleError {
      // Deleted meanwhile: catching up ends edit mode and says so.
      news.catchUp()
      if isOn { throw error }
      return
    }
    abandoned[message.id] = nil
    // A line of the history was saved instead.
    if let typedOver, typedOver != text, typedOver != EditMode.shown(mode.original) {
      drafts.remember(typedOver)
    }
    emit(.addHistory(text))
    leave(offering: nil)
    news.catchUp()
  }

  /// C-g, Esc, C-c or C-d on an empty text: the message stays, the draft comes back.
  func cancel() {
    guard let message else { return }
    keepAbandoned()
    leave(offering: abandoned[message.id])
    emit(.notice(say("Message [%1] stays as it was", SafeText(message.number))))
  }

  private func leave(offering offered: String?) {
    drop()
    emit(.endEdit(offering: offered))
  }

  /// The person leaves altogether; nothing comes back.
  func drop() {
    mode = nil
    message = nil
  }

  /// The message that is edited was changed or deleted by another shell (rule 3.5).
  func changedElsewhere(_ new: Message) {
    guard let mode, message?.id == new.id, new.body != mode.original else { return }
    let number = SafeText(new.number)
    let sentence: SafeText
    if new.deletedAt != nil {
      let typed = line.text
      leave(offering: typed.isEmpty ? nil : typed)
      sentence = say(
        "Message [%1] was deleted while you edited it. C-_ brings your text back.", number)
    } else {
      message = new
      self.mode = EditMode(target: mode.target, original: new.body)
      sentence = say(
        "Message [%1] was changed elsewhere while you edit it; Return replaces that text, /cancel keeps it.",
        number)
    }
    transcript.endRun()
    emit(.print([Transcript.error(sentence)]))
  }
}

extension Message {
  /// Its mentions in a text that ends with its body, as it is shown for editing.
  func mentions(in text: String) -> [Span] {
    Span.shifted(Span.decoded(mentions, in: body), by: text.utf8.count - body.utf8.count)
  }
}
