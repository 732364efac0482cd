// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Composer
import Conversations
import StyledText

/// Lines on their way to the store, and back.
extension Composing {
  /// Sends a text as a message: in the open conversation, with the waiting files, or in another.
  package mutating func send(
    _ text: OutgoingText, _ queue: inout WriteQueue, _ scene: Scene,
    _ snapshot: borrowing Snapshot
  ) throws -> Step {
    let target = text.target.flatMap { $0.id == scene.open.id ? nil : $0 }
    let conversation = try target ?? scene.open.requiredAsMember()
    let body = text.prefix + text.body
    try scene.checkLength(of: body)
    // The draft and the files on the line belong to the open conversation.
    let waiting = target == nil ? files.waiting : WaitingFiles()
    try snapshot.knownAbilities(of: conversation.id).check(
      text: body, isReply: text.replyTo != nil,
      files: waiting.files.map(\.bytes) + text.attachments.map(\.bytes), in: conversation.name)
    var line = PendingLine(
      typed: text.typed, body: body, kind: text.kind, conversation: conversation.id,
      conversationName: conversation.name, since: scene.now, files: waiting,
      attachments: text.attachments,
      mentions: Span.shifted(self.line.mentions(in: text.body), by: text.prefix.utf8.count),
      isForElsewhere: target != nil, replyTo: text.replyTo)
    // Nobody types in a script, so it can wait until the files are copied.
    if !scene.isInteractive {
      line.attachments = try Self.keep(line.files, scene, snapshot) + text.attachments
    }
    if target == nil {
      if queue.removeDraft(of: conversation.id) { draft.forgetText() }
      line.draft = draft.known[conversation.id]
      line.rest = aside.draft(in: conversation.id)
      files.clear()
    }
    var step = Step()
    if scene.isInteractive, !line.files.isEmpty {
      let copy = queue.nextCopy()
      line.copyNumber = copy
      let chore = FileChore.keep(
        line.files, limit: scene.attachmentLimit, in: snapshot.attachmentFolder, line: copy)
      step.effects = [.run(chore)]
    }
    step.line = line
    return step
  }

  /// Turns a text into a file, after the attached ones (rule 1.9). The text is small, so it is
  /// copied at once.
  package mutating func send(
    _ text: String, asFileAt path: String, _ queue: inout WriteQueue, _ scene: Scene,
    _ snapshot: borrowing Snapshot
  ) throws -> Step {
    let file = WaitingFiles.File(path: path, name: "text.txt", bytes: text.utf8.count)
    let kept = try Self.keep(WaitingFiles([file]), scene, snapshot)
    return try send(
      OutgoingText(body: "", typed: text, attachments: kept), &queue, scene, snapshot)
  }

  /// Copies files into the store while keys wait.
  private static func keep(
    _ files: WaitingFiles, _ scene: Scene, _ snapshot: borrowing Snapshot
  ) throws(Refusal) -> [Attachment] {
    let chore = FileChore.keep(files, limit: scene.attachmentLimit, in: snapshot.attachmentFolder)
    return try chore.runHere().attachments(of: files)
  }

  /// Call this when a line was stored.
  package mutating func sent(
    _ line: PendingLine, _ key: AttachedFiles.ConversationKey, _ queue: WriteQueue, _ scene: Scene
  ) -> [Effect] {
    draft.sent(
      line,
      isDone: line.conversation == scene.present?.id && !mode.isEditing
        && queue.draft(of: line.conversation) == nil)
    forget(line.files.files, in: key, scene)
    var effects: [Effect] = line.isSecret ? [] : [.addHistory(line.typed)]
    if line.isForElsewhere, scene.isInteractive, line.conversation != scene.open.id {
      // Nothing else on the screen shows it.
      effects.append(
        .tell(
          say(
            "To %1: %2", SafeText(name: line.conversationName),
            SafeText(body: line.body).lines.joined(separator: " "))))
    }
    return effects + [.catchUp]
  }

  // MARK: Coming back

  /// Puts back a line that was not stored: into the input line if its conversation is open and the
  /// input line is empty; otherwise it becomes the draft of its conversation, or enters the
  /// history.
  package mutating func putBack(
    _ back: ReturnedLine, _ queue: WriteQueue, _ scene: Scene, _ widths: Widths,
    _ snapshot: borrowing Snapshot
  ) -> Step {
    let (line, reason) = (back.line, back.reason)
    let isHere = line.conversation == scene.present?.id
    let name = SafeText(name: line.conversationName)
    let returned = Step(writes: [.returned([back], to: line.conversation)])
    var step = line.isSecret ? Step() : Self.remember(line.typed)
    let said: SafeText
    if isHere, self.line.isEmpty, self.line.isIdle, mode.isDraft {
      step = Step([.fillLine(line.typed, mentions: line.spans(in: line.typed))])
      said = say("%1 Your line is back.", reason)
    } else if !isHere, canBecomeDraft(line, queue, scene, snapshot) {
      step = returned
      said = line.named(
        in: say("%1 Your line for %2 was saved as a draft there.", reason, name), widths)
    } else if isHere {
      said =
        line.files.isEmpty
        ? line.named(in: say("%1 Your line is in the history: press Up.", reason), widths)
        : line.typed.isEmpty
          ? say("%1 Your files are attached again.", reason)
          : line.named(
            in: say(
              "%1 Your line is in the history: press Up; its files are attached again.", reason),
            widths)
    } else if line.files.isEmpty {
      said = line.named(
        in: say("%1 Your line for %2 is in the history: press Up.", reason, name), widths)
    } else {
      // The history cannot keep files, so this line goes above the existing draft.
      step = returned
      said = line.named(
        in: say(
          "%1 Your line for %2, with its files, was added to the draft there.", reason, name),
        widths)
    }
    step.effects.insert(.complain([said]), at: 0)
    if isHere { step.effects += bringBack(line.files, scene, snapshot) }
    return step
  }

  /// Whether a line can become the draft of its conversation, which must have none yet.
  private func canBecomeDraft(
    _ line: PendingLine, _ queue: WriteQueue, _ scene: Scene, _ snapshot: borrowing Snapshot
  ) -> Bool {
    guard line.asDraft != nil else { return false }
    if case .draft(_, .some)? = queue.draft(of: line.conversation) { return false }
    let draft = (try? snapshot.draft(of: scene.me.id, in: line.conversation)) ?? nil
    return draft == nil || draft?.text == line.draft
  }
}
