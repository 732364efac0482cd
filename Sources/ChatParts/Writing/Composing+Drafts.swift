// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import ChatRendering
import Composer
import Conversations
import Platform
import StyledText

/// Stores and restores the line (rule 5), and keeps the lines typed before (rule 1.12). The
/// conversation `here` is the one that the line belongs to.
extension Composing {
  /// Whether the text of the line, or the one that a name replaces, is a draft to store.
  private var isStored: Bool { keepsDrafts && !mode.isEditing }

  /// When to call ``tick(_:)``.
  package var deadline: MonotonicTime? { [draft.deadline, aside.deadline].compactMap { $0 }.min() }

  package mutating func tick(_ scene: Scene) -> [Write] {
    guard let deadline, scene.now >= deadline else { return [] }
    return saveDraft(in: scene.present?.id)
  }

  /// Notes that the line may have changed. A line of the history that the person only looks at, or
  /// that a search shows, is not a draft. The draft is stored after one idle second.
  ///
  /// - Parameter byHand: whether somebody typed.
  package mutating func noteDraft(byHand: Bool = false, at now: MonotonicTime) {
    guard keepsDrafts, mode.isDraft, !line.isAsking, line.isLive || byHand else { return }
    if line.isLive {
      mode.waitingLine = nil
    } else if mode.waitingLine == nil {
      mode.waitingLine = WaitingLine(text: draft.text.text)
    }
    let present = line.draft
    if !LineRules.isCommand(present.text) { beforeCommand.note(present) }
    draft.note(present, at: now)
  }

  /// Notes that the person has changed the text of the line.
  package mutating func changed(
    _ scene: Scene, _ printer: MessagePrinter, _ snapshot: borrowing Snapshot
  ) -> [Effect] {
    noteDraft(byHand: true, at: scene.now)
    let text = line.text
    files.noteChange(of: text)
    if line.isLive, !text.isEmpty, !LineRules.isCommand(text) { mode.edited?.lastTyped = text }
    if mode.isEditing {
      reactionTarget.forget()
      return []
    }
    let notice = reactionTarget.noteChange(of: text, widths: printer.options.widths) {
      ReactionTarget.newestMessage(in: scene.open.id, for: scene.me.id, printer, snapshot)
    }
    return notice.map { [.notice($0)] } ?? []
  }

  // MARK: Storing

  /// Stores the draft now, unless this shell has stored it.
  package mutating func saveDraft(in here: ID<Conversation>?) -> [Write] {
    draft.isUnsaved(with: files.waiting) || aside.deadline != nil ? writeDraft(in: here) : []
  }

  /// Stores the draft before the person leaves the line. Stores it even if this shell has done so
  /// before: another shell of this person may have replaced it (rule 5.3).
  package mutating func leaveDraft(in here: ID<Conversation>?) -> [Write] {
    draft.text.isEmpty && files.waiting.isEmpty ? saveDraft(in: here) : writeDraft(in: here)
  }

  /// Notes the line, and stores it before the person leaves it.
  package mutating func leaveLine(_ scene: Scene) -> [Effect] {
    noteDraft(at: scene.now)
    return leaveDraft(in: scene.present?.id).map(Effect.write)
  }

  /// Stores the line before that of another conversation replaces it; an edit ends.
  package mutating func leaveConversation(_ scene: Scene) -> [Effect] {
    guard mode.isEditing else { return leaveLine(scene) }
    return cancelEdit() + leaveDraft(in: scene.present?.id).map(Effect.write)
  }

  /// Stores what is typed when the person leaves the program. The text being edited is not a draft
  /// (rule 3.6); the draft is the line that was set aside for it.
  package mutating func leaveProgram(_ scene: Scene) -> [Write] {
    if mode.isEditing { mode.edited = nil } else { noteDraft(at: scene.now) }
    return leaveDraft(in: scene.present?.id)
  }

  private mutating func writeDraft(in here: ID<Conversation>?) -> [Write] {
    guard isStored, let here else { return [] }
    let history = storeWaitingLine()
    aside.deadline = nil
    draft.noteWritten(with: files.waiting)
    return history + [.draft(here, wholeDraft(in: here))]
  }

  /// The lines that were set aside, and below them the current one; nil if all are empty.
  private func wholeDraft(in here: ID<Conversation>) -> Conversations.Draft? {
    Conversations.Draft.joined(aside.all(in: here) + (draft.draft.map { [$0] } ?? []))
  }

  // MARK: Set aside (rule 13.3)

  /// A hobnob key: sets the line aside, and stores it at once, since it leaves the screen (rule
  /// 5.1); brings back the last line that was set aside if the line is empty.
  package mutating func setAside(_ scene: Scene) -> Step {
    guard keepsDrafts, mode.isDraft, let here = scene.present?.id else { return .effect(.bell) }
    guard !line.isEmpty || !files.waiting.isEmpty else {
      return Step(bringBackLast(in: here) ?? [.bell])
    }
    var step = listWaitingLine()
    step.effects.append(.stopTyping)
    if !line.isLive, mode.waitingLine == nil, !draft.text.isEmpty {
      // The line at the end of the history waits below the one on the screen: set it aside as well.
      aside.add(Conversations.Draft(draft.text), in: here)
    }
    aside.add(Conversations.Draft(line.draft, files: files.waiting), in: here)
    beginLine()
    step.writes += writeDraft(in: here)
    step.effects += [
      .swapLine(Conversations.Draft(LineDraft())), .notice(Self.isSetAside),
    ]
    return step
  }

  private static let isSetAside = say("Line set aside; it comes back after you send the next one")

  /// Sets aside a draft that cannot come back because the line has text; it comes back after that
  /// text.
  package mutating func stash(
    _ draft: Conversations.Draft, in here: ID<Conversation>, at now: MonotonicTime
  ) {
    aside.add(draft, in: here)
    aside.deadline = now + DraftClock.idle
  }

  /// Brings back the line that was set aside last; nil if no line was set aside.
  package mutating func bringBackLast(in here: ID<Conversation>) -> [Effect]? {
    aside.takeLast(in: here).map { [.endNotice(Self.isSetAside), .swapLine($0)] }
  }

  // MARK: Another line

  /// Stores the draft before a command opens another conversation: the text that the line had
  /// before the command (rule 13.2).
  package mutating func leaveByCommand(_ scene: Scene) -> [Effect] {
    if keepsDrafts, let text = beforeCommand.text { draft.note(text, at: scene.now) }
    return leaveDraft(in: scene.present?.id).map(Effect.write) + [.stopTyping]
  }

  private mutating func beginLine() {
    draft.beginLine()
    mode.waitingLine = nil
    beforeCommand = TextBeforeCommand()
    files.clear()
  }

  /// Puts the draft of a conversation that was just entered into the line, if the line is empty
  /// (rule 5.2).
  ///
  /// - Parameter former: the conversation that a command left.
  package mutating func restoreDraft(
    leaving former: ID<Conversation>? = nil, _ queue: WriteQueue, _ scene: Scene,
    _ snapshot: borrowing Snapshot
  ) -> Step {
    guard keepsDrafts else { return Step() }
    // If nothing else was typed where a command left, the line that was set aside last only made room
    // for the command: it is the draft there.
    if let former, self.draft.isEmpty { _ = aside.takeLast(in: former) }
    var (draft, step) = takeDraft(queue, scene, snapshot)
    guard let here = scene.present?.id else { return step }
    // The line may have text; then the draft stays out of it.
    if aside.all(in: here).isEmpty { self.draft.known[here] = nil }
    if !draft.isEmpty { step.effects.append(.restore(draft)) }
    return step
  }

  /// Replaces the line with the one that was typed in the conversation that was switched to (rule
  /// 13.2).
  package mutating func swapLine(
    _ queue: WriteQueue, _ scene: Scene, _ snapshot: borrowing Snapshot
  ) -> Step {
    guard keepsDrafts else { return Step() }
    var (draft, step) = takeDraft(queue, scene, snapshot)
    step.effects.append(.swapLine(draft))
    return step
  }

  /// Returns the draft of the conversation that the line now belongs to, without the lines that
  /// were set aside there, and a step that adds the waiting line of the previous one to the
  /// history.
  private mutating func takeDraft(
    _ queue: WriteQueue, _ scene: Scene, _ snapshot: borrowing Snapshot
  ) -> (draft: Conversations.Draft, step: Step) {
    let step = listWaitingLine()
    beginLine()
    guard let here = scene.present?.id else { return (Conversations.Draft(LineDraft()), step) }
    let stored = queue.storedDraft(of: scene.me.id, in: here, snapshot)
    draft.known[here] = stored?.text
    guard let stored else { return (Conversations.Draft(LineDraft()), step) }
    return (aside.draft(in: here).flatMap { stored.below($0) } ?? stored, step)
  }

  /// Records that the draft is in the line, and attaches its files again. Stores the draft if it
  /// differs from the stored one: a line that was set aside may have come back from between others,
  /// or the line may be empty now.
  package mutating func restored(
    _ stored: Conversations.Draft, _ scene: Scene, _ snapshot: borrowing Snapshot
  ) -> [Effect] {
    guard let here = scene.present?.id else { return [] }
    if draft.known[here] == nil, !stored.isEmpty { draft.known[here] = stored.text }
    let present = LineDraft(stored.text, caret: stored.caret, spans: line.mentions)
    draft.restored(present)
    beforeCommand = TextBeforeCommand(present)
    let key = key(of: here, scene, snapshot)
    var effects: [Effect] = []
    for file in stored.files {
      do {
        try files.restore(file, in: key, limit: scene.attachmentLimit)
      } catch {
        effects.append(.complain([sentence(for: error)]))
      }
    }
    draft.restored(files.waiting)
    if aside.deadline == nil, let whole = wholeDraft(in: here), whole.text != draft.known[here] {
      effects += writeDraft(in: here).map(Effect.write)
    }
    return effects
  }

  /// Call this when the next line has begun. After a line that was sent or run here, the one that
  /// was set aside comes back.
  package mutating func lineBegan(_ scene: Scene) -> [Effect] {
    reactionTarget.forget()
    beforeCommand.beginLine()
    let former = aside.runIn.take()
    noteDraft(at: scene.now)
    guard let here = scene.present?.id, here == former, line.isEmpty, !mode.isEditing else {
      return [.stopTyping]
    }
    return [.stopTyping] + (bringBackLast(in: here) ?? [])
  }

  // MARK: History

  /// How many lines of the input history a shell loads; older ones stay in the store.
  private static let historyLines = 5000

  /// Reloads the history if another shell has added to it, but not while somebody walks through it
  /// or searches it.
  package mutating func reloadHistoryIfStale(
    _ scene: Scene, _ snapshot: borrowing Snapshot
  ) -> [Effect] {
    isHistoryStale && line.isIdle && line.isEmpty ? reloadHistory(scene, snapshot) : []
  }

  package mutating func reloadHistory(_ scene: Scene, _ snapshot: borrowing Snapshot) -> [Effect] {
    guard keepsDrafts, let shell = scene.shell,
      let lines = try? snapshot.inputHistory(
        of: scene.me.id, shell: shell, limit: Self.historyLines)
    else { return [] }
    isHistoryStale = false
    return [.setHistory(lines)]
  }

  /// Handles Return on a line of the history: the line that waits at its end enters the history,
  /// unless it is there already.
  package mutating func leaveWaitingLine() -> Step {
    guard keepsDrafts, mode.isDraft, !line.isLive else { return Step() }
    if mode.waitingLine == nil { mode.waitingLine = WaitingLine(text: draft.text.text) }
    return listWaitingLine()
  }

  /// Adds the line that waited at the end of the history to the history, so that Up finds it once
  /// the person has left it. (Until then it is the line itself.)
  private mutating func listWaitingLine() -> Step {
    guard let waiting = mode.waitingLine, waiting.isRemembered, !waiting.isListed else {
      return Step()
    }
    let writes = storeWaitingLine()
    mode.waitingLine?.isListed = true
    return Step(writes: writes, [.addHistory(waiting.text)])
  }

  private mutating func storeWaitingLine() -> [Write] {
    guard let waiting = mode.waitingLine, waiting.isRemembered, !waiting.isStored else { return [] }
    mode.waitingLine?.isStored = true
    return [.history(waiting.text)]
  }

  /// Adds a line to the input history without sending it.
  package static func remember(_ line: String) -> Step {
    Secrets.isIn(line) ? Step() : Step(writes: [.history(line)], [.addHistory(line)])
  }
}
