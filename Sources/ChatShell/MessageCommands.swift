// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// `/edit`, `/cancel`, `/delete`, `/retry`, `/me`, and what edit mode does with a line.
extension Shell {
  /// The message that N or -N names; without a number my newest.
  private func target(_ argument: String, missing: RuleError) throws -> Message {
    let conversation = try requireConversation()
    if argument.isEmpty || argument.hasPrefix("-") {
      let back = argument.isEmpty ? 1 : Int(written: argument.dropFirst(), in: 1...Int.max)
      guard let back else { throw notANumber(argument) }
      guard let message = try store.newest(by: me.id, in: conversation.id, skipping: back - 1)
      else {
        throw missing
      }
      return message
    }
    guard let number = Int(written: argument, in: 1...Int.max) else {
      throw notANumber(argument)
    }
    guard let message = try store.message(number: number, in: conversation.id, for: me.id),
      !message.isRecalled
    else { throw RuleError.noSuchMessage(number) }
    return message
  }

  private func notANumber(_ argument: String) -> Refusal {
    Refusal(
      say(
        "%1 is no message number. Numbers stand in brackets before a message; -2 is your last but one.",
        SafeText(line: argument)))
  }

  // MARK: Edit mode (rule 3)

  func edit(_ argument: String) throws {
    _ = try requireMembership()
    let message = try target(argument, missing: .nothingToEdit)
    guard message.sender == me.id else { throw RuleError.notYours(message.number) }
    guard message.deletedAt == nil else { throw RuleError.deleted(message.number) }
    let wasEditing = editing != nil
    if !wasEditing { face?.storeDraft() }
    keepAbandoned()
    let shown = EditMode.shown(message.body)
    editing = EditMode(target: message.number, original: message.body)
    editedMessage = message
    typedOverMessage = nil
    let (offered, mentions) = (
      abandonedEdits.removeValue(forKey: message.id), spans(message, in: shown)
    )
    if wasEditing {
      face?.retargetEditing(shown, offering: offered, mentions: mentions)
    } else {
      face?.beginEditing(shown, offering: offered, mentions: mentions)
    }
    face?.refresh()
  }

  /// The mentions of a message in a text that ends with its body, as it is shown for editing.
  private func spans(_ message: Message, in text: String) -> [Span] {
    Span.shifted(
      Span.decoded(message.mentions, in: message.body),
      by: text.utf8.count - message.body.utf8.count)
  }

  /// Remembers what was typed over the message, for the next `/edit` of it.
  private func keepAbandoned() {
    guard let editing, let editedMessage else { return }
    let line = face?.draft.text ?? ""
    let present = editing.typedCommand(in: line)?.text ?? line
    // A typed /cancel or /edit N has taken the text's place.
    guard
      let typed = present.isEmpty || LineRules.isCommand(present) ? typedOverMessage : present
    else { return }
    if typed != EditMode.shown(editing.original) { abandonedEdits[editedMessage.id] = typed }
  }

  func takeInEditMode(_ text: String) throws {
    guard let editing, let message = editedMessage else { return }
    var outcome = editing.judge(text, rules: rules)
    if case .mayMeanCancel(let body) = outcome, text == doubtedEdit { outcome = .save(body) }
    doubtedEdit = nil
    switch outcome {
    case .mayMeanCancel:
      doubtedEdit = text
      throw Refusal(
        say(
          "This would save the text with /cancel at its end: Return again does, C-g leaves and keeps [%1] as it was.",
          SafeText(message.number)))
    case .save(let body):
      _ = try requireMembership()
      do {
        _ = try store.edit(
          message.id, to: body, by: me.id, typed: text, shell: shellID,
          mentions: Span.encoded(face?.mentions(in: body) ?? []))
      } catch let error as RuleError {
        // Deleted meanwhile: catching up ends edit mode and says so.
        catchUp()
        if self.editing != nil { throw error }
        return
      }
      abandonedEdits[message.id] = nil
      // A line of the history was saved instead.
      if let typedOverMessage, typedOverMessage != text,
        typedOverMessage != EditMode.shown(editing.original)
      {
        rememberUnsent(typedOverMessage)
      }
      face?.remember(text)
      leaveEditMode(offering: nil)
      catchUp()
    case .unchanged:
      leaveEditMode(offering: nil)
      face?.notice(say("Nothing was changed in [%1]", SafeText(message.number)))
    case .refusedBlank:
      throw Refusal(
        say(
          "A message cannot become empty. /cancel keeps it, /delete %1 removes it.",
          SafeText(message.number)))
    case .refusedOverLimit(let count, let limit): throw tooLong(count, limit)
    case .command(.cancel):
      keepAbandoned()
      leaveEditMode(offering: nil)
    case .command(.edit(let number)):
      try edit(number.map { String($0) } ?? "")
    case .refusedCommand:
      throw Refusal(
        say(
          "While editing only /cancel and /edit N are commands. A text that begins with / is written //."
        ))
    }
  }

  /// C-g, Esc, C-c or C-d on an empty text, `/cancel`: the message stays, the draft comes back.
  func cancelEditing() {
    guard let message = editedMessage else { return }
    keepAbandoned()
    leaveEditMode(offering: abandonedEdits[message.id])
    face?.notice(say("Message [%1] stays as it was", SafeText(message.number)))
  }

  func leaveEditMode(offering offered: String?) {
    editing = nil
    editedMessage = nil
    face?.endEditing(offering: offered)
    face?.refresh()
  }

  /// The message under the editor was changed or deleted by another shell (rule 3.5).
  func changedElsewhere(_ message: Message) {
    guard let editing, editedMessage?.id == message.id, message.body != editing.original else {
      return
    }
    if message.deletedAt != nil {
      let typed = face?.draft.text ?? ""
      leaveEditMode(offering: typed.isEmpty ? nil : typed)
      printer.endRun()
      face?.print([
        Self.error(
          say(
            "Message [%1] was deleted while you edited it. C-_ brings your text back.",
            SafeText(message.number)))
      ])
    } else {
      editedMessage = message
      self.editing = EditMode(target: editing.target, original: message.body)
      printer.endRun()
      face?.print([
        Self.error(
          say(
            "Message [%1] was changed elsewhere while you edit it; Return replaces that text, /cancel keeps it.",
            SafeText(message.number)))
      ])
    }
  }

  // MARK: Taking back, deleting, sending again

  /// `/cancel` outside edit mode (rule 3.7).
  func takeBack(_ argument: String) throws {
    guard argument.isEmpty else { throw usage("cancel") }
    if let line = waiting.takeBack() {
      face?.giveBack(line, because: say("The line that waited for the store was not sent."))
      return
    }
    let conversation = try requireConversation()
    guard let message = try store.newest(by: me.id, in: conversation.id) else {
      throw RuleError.nothingToCancel
    }
    let taken: Message
    do {
      taken = try store.takeBack(message.id, by: me.id)
    } catch let error as RuleError {
      // Whoever has the newest has all before it that were sent; what was not, nobody has.
      guard case .othersHaveIt = error,
        let unsent = try store.unsent(by: me.id, in: conversation.id).max(by: {
          $0.number < $1.number
        })
      else { throw error }
      taken = try store.takeBack(unsent.id, by: me.id)
    }
    catchUp()
    refreshNewestOwn()
    let isAction = taken.kind == .action
    let text = isAction ? "/me " + taken.body : EditMode.shown(taken.body)
    let files = taken.attachments.map {
      WaitingFiles.File(path: store.path(of: $0), name: $0.name, bytes: $0.bytes, type: $0.type)
    }
    face?.put(text, mentions: spans(taken, in: text), files: WaitingFiles(files))
  }

  func delete(_ argument: String) throws {
    _ = try requireMembership()
    let message = try target(argument, missing: .nothingToDelete)
    _ = try store.delete(message.id, by: me.id)
    catchUp()
  }

  func retry(_ argument: String) throws {
    if argument.isEmpty || argument == "all" {
      let place = argument.isEmpty ? try requireConversation().id : nil
      let failed = try store.unsent(by: me.id, in: place).filter { $0.state == .failed }
      guard !failed.isEmpty else {
        throw Refusal(
          argument.isEmpty
            ? say("No message of yours failed here; /retry all looks everywhere.")
            : say("No message of yours failed."))
      }
      for message in failed { _ = try store.retry(message.id, by: me.id) }
      tell(say("Sending %1 again.", SafeText(failed.count)))
    } else {
      let message = try target(argument, missing: .nothingToEdit)
      _ = try store.retry(message.id, by: me.id)
    }
    catchUp()
    refreshNewestOwn()
  }

  func act(_ text: String) throws {
    guard text.contains(where: { !$0.isWhitespace }) else { throw usage("me") }
    try send(text, kind: .action, typed: "/me " + text)
  }

  func usage(_ name: String) -> Refusal {
    let command = Command.named(name)
    return Refusal(
      say("Usage: %1 — %2", SafeText(line: command?.usage ?? name), command?.help ?? SafeText()))
  }
}
