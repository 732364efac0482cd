// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// Stores and restores the line being typed, with its files.
extension Session {
  func noteDraft(byHand: Bool = false) { composing.noteDraft(byHand: byHand, at: now) }

  func saveDraft() { write(composing.saveDraft(in: lineConversation?.id)) }

  func leaveDraft() { write(composing.leaveDraft(in: lineConversation?.id)) }

  /// Stores the current line.
  func noteAndLeaveDraft() {
    noteDraft()
    leaveDraft()
  }

  /// A hobnob key: sets the line aside or, if it is empty, brings back the last line that was set
  /// aside.
  func setAside(_ snapshot: borrowing Snapshot) {
    guard isInteractive, mode.isDraft, let here = lineConversation?.id else { return emit(.bell) }
    guard !line.isEmpty || !composing.files.waiting.isEmpty else {
      guard let effects = composing.bringBackLast(in: here) else { return emit(.bell) }
      return effects.forEach(emit)
    }
    stopTyping()
    act(on: composing.setAside(in: here), snapshot)
  }

  // MARK: Coming back

  /// Puts the draft of a conversation that was just entered into the line, if the line is empty
  /// (rule 5.2).
  ///
  /// - Parameter former: the conversation that a command left.
  func restoreDraft(
    leaving former: ID<Conversation>? = nil, _ snapshot: borrowing Snapshot
  ) {
    guard isInteractive else { return }
    if let former { composing.noteCommandLeft(former) }
    let draft = takeDraft(snapshot)
    guard let here = lineConversation?.id else { return }
    // The line may have text; then the draft stays out of it.
    if composing.aside.all(in: here).isEmpty { composing.draft.known[here] = nil }
    if !draft.isEmpty { emit(.restore(draft)) }
    bringBackLines(of: here)
  }

  /// Replaces the line with the one that was typed in the conversation that was switched to (rule
  /// 13.2).
  func bringDraft(_ snapshot: borrowing Snapshot) {
    if isInteractive { emit(.swapLine(takeDraft(snapshot))) }
  }

  private func takeDraft(_ snapshot: borrowing Snapshot) -> Conversations.Draft {
    let here = lineConversation?.id
    let (draft, step) = composing.takeDraft(
      here.flatMap { storedDraft(in: $0, snapshot) }, in: here)
    act(on: step, snapshot)
    return draft
  }

  /// The draft that the store has, or will have; nil if it has none, or if a waiting line was made
  /// from it.
  private func storedDraft(
    in conversation: ID<Conversation>, _ snapshot: borrowing Snapshot
  ) -> Conversations.Draft? {
    let stored: Conversations.Draft?
    if case .draft(_, let waiting)? = committer.queue.draft(of: conversation) {
      stored = waiting
    } else {
      stored = (try? snapshot.draft(of: me.id, in: conversation)) ?? nil
    }
    let isSent = committer.queue.lines.contains {
      $0.conversation == conversation && $0.draft != nil && $0.draft == stored?.text
    }
    return isSent ? nil : stored
  }

  /// Records that the draft is in the line.
  func restored(_ draft: Conversations.Draft, _ snapshot: borrowing Snapshot) {
    guard let here = lineConversation?.id else { return }
    composing.restored(draft, in: here)
    let key = key(of: here, snapshot)
    for file in draft.files {
      reportingErrors { try composing.files.restore(file, in: key, limit: attachmentLimit) }
    }
    write(composing.restoredFiles(in: here))
  }

  // MARK: History

  /// How many lines of the input history a shell loads; older ones stay in the store.
  private static let historyLines = 5000

  /// Reloads the history if another shell has added to it, but not while somebody walks through it
  /// or searches it.
  func reloadHistoryIfStale(_ snapshot: borrowing Snapshot) {
    if composing.isHistoryStale, line.isIdle, line.isEmpty { reloadHistory(snapshot) }
  }

  func reloadHistory(_ snapshot: borrowing Snapshot) {
    guard isInteractive, let shellID,
      let lines = try? snapshot.inputHistory(of: me.id, shell: shellID, limit: Self.historyLines)
    else { return }
    composing.isHistoryStale = false
    emit(.setHistory(lines))
  }

  // MARK: Typing (rule 4)

  /// Call this when the line was sent, emptied or set aside.
  func stopTyping() { tellTyping(navigator.open.stopTyping(at: now)) }

  func tellTyping(_ signal: Write?) {
    if let signal, shellID != nil { write([signal]) }
  }

  // MARK: Files

  private func key(
    of conversation: ID<Conversation>, _ snapshot: borrowing Snapshot
  ) -> AttachedFiles.ConversationKey {
    let address = try? snapshot.lastingAddress(of: conversation, for: me.id)
    return AttachedFiles.ConversationKey(id: conversation, address: address ?? "")
  }

  /// The name and size of a file.
  ///
  /// - Throws: `AttachmentError` if it cannot be sent.
  package func inspectAttachment(
    at path: String
  ) throws -> (name: String, bytes: Int, identity: String) {
    try AttachmentCopy.inspect(fileAt: path, limit: attachmentLimit)
  }

  /// Attaches a file to the next message.
  func attach(_ path: String, _ snapshot: borrowing Snapshot) throws {
    let place = try open.requiredAsMember()
    let (own, most) = (attachmentLimit, try snapshot.knownAbilities(of: place.id).largestFile)
    if most == 0 { throw RuleError.takesNoFiles(place.name) }
    let file = try composing.files.attach(
      fileAt: path, limit: most.map { own > 0 ? min(own, $0) : $0 } ?? own)
    remember([file], snapshot)
    noteAndLeaveDraft()
    emit(
      .notice(
        say(
          "%1 will be sent with your next message; /detach %2 removes it.",
          SafeText(name: file.name), SafeText(composing.files.waiting.count))))
  }

  func detach(_ number: Int?, _ snapshot: borrowing Snapshot) {
    guard let former = composing.files.detach(number) else { return }
    if let here = lineConversation?.id { forget(former, in: key(of: here, snapshot)) }
    noteAndLeaveDraft()
  }

  private func remember(_ new: [WaitingFiles.File], _ snapshot: borrowing Snapshot) {
    guard isInteractive, let here = lineConversation?.id else { return }
    composing.files.remember(new, in: key(of: here, snapshot))
  }

  /// Removes files of a conversation from the record, except those that are attached again or
  /// belong to a line that was set aside.
  func forget(_ former: [WaitingFiles.File], in key: AttachedFiles.ConversationKey) {
    guard isInteractive else { return }
    let here = key.id == lineConversation?.id ? composing.files.waiting.files.map(\.path) : []
    composing.files.forget(
      former, in: key,
      except: Set(here + composing.aside.all(in: key.id).flatMap(\.files).map(\.path)))
  }

  /// Attaches unsent files again.
  func bringBack(_ back: WaitingFiles, _ snapshot: borrowing Snapshot) {
    guard !back.isEmpty else { return }
    composing.files.bringBack(back)
    remember(back.files, snapshot)
    saveDraft()
  }

  /// Sets the files aside with the emptied line. Returns false if no file is attached, or if an
  /// edit was emptied: attached files belong to the draft.
  func setFilesAside(with text: String) -> Bool {
    guard mode.isDraft, composing.files.setAside(with: text) else { return false }
    if text.isEmpty {
      noteDraft()
      emit(.notice(say("The attached files are removed; C-_ restores them")))
    }
    return true
  }

  // MARK: Into the store and out of it

  /// Copies files into the store while keys wait.
  func keep(_ files: WaitingFiles) throws(Refusal) -> [Attachment] {
    let chore = FileChore.keep(files, limit: attachmentLimit, in: store.attachmentFolder)
    return try chore.runHere().attachments(of: files)
  }

  /// Saves the files of a message that have been fetched.
  func save(_ save: PendingSave, _ snapshot: borrowing Snapshot) throws {
    guard let message = try snapshot.message(save.message, for: me.id) else { return }
    let chore = FileChore.save(
      message.attachments, to: save.path, from: snapshot.attachmentFolder)
    try chore.check()
    try begin(chore)
  }

  func begin(_ chore: FileChore) throws {
    if isInteractive { return emit(.run(chore)) }
    // Nobody types meanwhile.
    let outcome = chore.runHere()
    tellDone(chore, outcome)
    if let failure = outcome.failure { throw Refusal(failure) }
  }

  /// Call this when a chore has ended, in this process or another.
  func ended(_ chore: FileChore, _ outcome: FileChore.Outcome) {
    tellDone(chore, outcome)
    if let failure = outcome.failure { complain([failure]) }
  }

  private func tellDone(_ chore: FileChore, _ outcome: FileChore.Outcome) {
    for sentence in chore.sentences(outcome) {
      emit(feed.transcript.answer([StyledLine(sentence, .dim)], indent: 2))
    }
  }
}
