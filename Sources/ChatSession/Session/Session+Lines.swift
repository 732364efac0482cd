// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// Lines on their way to the store, and back.
extension Session {
  /// Sends a text as a message: in the open conversation, with the waiting files, or in another.
  func sendStep(_ text: OutgoingText, _ snapshot: borrowing Snapshot) throws -> Step {
    let target = text.target.flatMap { $0.id == open.id ? nil : $0 }
    let conversation = try target ?? open.requiredAsMember()
    let body = text.prefix + text.body
    try context.checkLength(of: body)
    // The draft and the files on the line belong to the open conversation.
    let waiting = target == nil ? composing.files.waiting : WaitingFiles()
    try snapshot.knownAbilities(of: conversation.id).check(
      text: body, isReply: text.replyTo != nil,
      files: waiting.files.map(\.bytes) + text.attachments.map(\.bytes), in: conversation.name)
    var line = Line(
      typed: text.typed, body: body, kind: text.kind, conversation: conversation.id,
      conversationName: conversation.name, since: now, files: waiting,
      attachments: text.attachments,
      mentions: Span.shifted(self.line.mentions(in: text.body), by: text.prefix.utf8.count),
      isForElsewhere: target != nil, replyTo: text.replyTo)
    // Nobody types in a script, so it can wait until the files are copied.
    if !isInteractive { line.attachments = try keep(line.files) + text.attachments }
    if target == nil {
      if committer.queue.removeDraft(of: conversation.id) { composing.draft.forgetText() }
      line.draft = composing.draft.known[conversation.id]
      line.rest = composing.aside.draft(in: conversation.id)
      composing.files.clear()
    }
    navigator.endUnreadRun()
    var step = Step()
    if isInteractive, !line.files.isEmpty {
      let copy = committer.nextCopy()
      line.copyNumber = copy
      let chore = FileChore.keep(
        line.files, limit: attachmentLimit, in: store.attachmentFolder, line: copy)
      step.effects = [.run(chore)]
    }
    step.line = line
    return step
  }

  /// Stores a line now or, if the store is locked or the line has to wait for its files, later.
  ///
  /// - Throws: any other reason why it cannot be stored.
  func store(_ line: Line) throws {
    // Lines that are waiting already must be stored first.
    if committer.queue.isLocked { retry() }
    if !isInteractive || !committer.queue.mustWait(.line(line)) {
      do {
        _ = try commit([.line(line)])
        return
      } catch StoreError.locked where isInteractive {
        committer.queue.isLocked = true
      } catch {
        if !isInteractive { composing.files.bringBack(line.files) }
        throw error
      }
    }
    committer.queue.add(.line(line))
    if committer.queue.isLocked { committer.scheduleRetry(at: now) }
  }

  /// Call this when a line was stored.
  func sent(_ line: Line, as message: Message, _ key: AttachedFiles.ConversationKey) {
    composing.draft.sent(
      line,
      isDone: line.conversation == lineConversation?.id && !mode.isEditing
        && committer.queue.draft(of: line.conversation) == nil)
    forget(line.files.files, in: key)
    if !line.isSecret { emit(.addHistory(line.typed)) }
    tutorial?.note(
      .sent(
        namesSomeone: open.here.contains {
          $0.participant.id != me.id && message.names($0.participant)
        }))
    // Another conversation may have been entered while the line waited.
    if line.conversation == open.id {
      navigator.open.sent(message)
      stopTyping()
      plan(.first([], then: feed.resume(scene)))
    } else if line.isForElsewhere, isInteractive {
      // Nothing else on the screen shows it.
      let text = say(
        "To %1: %2", SafeText(name: line.conversationName),
        SafeText(body: line.body).lines.joined(separator: " "))
      emit(feed.transcript.answer([StyledLine(text, .dim)], indent: 2))
    }
    catchUpLater()
  }

  /// The largest file to send with a line, in bytes.
  var attachmentLimit: Int { settings.attachmentLimit * 1_000_000 }

  /// Call this when the files of a line are in the store, or could not be stored.
  func copied(_ files: WaitingFiles, ofLine number: Int, _ outcome: FileChore.Outcome) {
    do {
      let kept = try outcome.attachments(of: files)
      // False if the line was taken back meanwhile.
      guard committer.queue.filesReady(kept, copy: number) else { return }
    } catch {
      guard let line = committer.queue.takeLine(copy: number) else { return }
      returnLine(line, because: error.sentence)
    }
    committer.queue.waitAnew(now: now)
    retry()
  }

  // MARK: Coming back

  /// How long a line waits before it comes back, in milliseconds.
  private static let linePatience: Int64 = 10_000

  func giveUpOldLine() {
    guard let line = committer.queue.takeReadyLine(since: now - Self.linePatience) else { return }
    returnLine(line, because: sentence(for: StoreError.locked(path: store.path)))
  }

  func returnLine(_ line: Line, because reason: SafeText) {
    // Someone who is leaving begins no other line.
    if committer.isLeaving {
      committer.noteUnsent()
      write([.returned([ReturnedLine(line: line, reason: reason)], to: line.conversation)])
    } else {
      emit(.whenLineBegins(.lineReturned(line, reason)))
    }
  }

  /// C-g and `/cancel`: takes back the line that has waited longest. Returns false if none waits.
  func takeBackOldestLine() -> Bool {
    guard let line = committer.queue.takeFirstLine() else { return false }
    returnLine(line, because: say("The line that waited for the store was not sent."))
    // Its files may have held up later lines, or the end of the program.
    if committer.queue.isReady || committer.isLeaving { committer.scheduleRetry(at: now) }
    return true
  }

  /// Puts back a line that was not stored: into the input line if its conversation is open and the
  /// input line is empty; otherwise it becomes the draft of its conversation, or enters the
  /// history.
  func putLineBack(_ line: Line, because reason: SafeText, _ snapshot: borrowing Snapshot) {
    if committer.isLeaving { return returnLine(line, because: reason) }
    let isHere = line.conversation == lineConversation?.id
    let name = SafeText(name: line.conversationName)
    let returned = Write.returned(
      [ReturnedLine(line: line, reason: reason)], to: line.conversation)
    if isHere, self.line.isEmpty, self.line.isIdle, mode.isDraft {
      complain(say("%1 Your line is back.", reason))
      emit(.fillLine(line.typed, mentions: line.spans(in: line.typed)))
      bringBack(line.files, snapshot)
    } else if !isHere, canBecomeDraft(line, snapshot) {
      complain(
        say("%1 Your line for %2 was saved as a draft there.", reason, name), line)
      write([returned])
    } else if isHere {
      if line.files.isEmpty {
        complain(say("%1 Your line is in the history: press Up.", reason), line)
      } else if line.typed.isEmpty {
        complain(say("%1 Your files are attached again.", reason))
      } else {
        complain(
          say("%1 Your line is in the history: press Up; its files are attached again.", reason),
          line)
      }
      if !line.isSecret { act(on: Composing.remember(line.typed), snapshot) }
      bringBack(line.files, snapshot)
    } else if line.files.isEmpty {
      complain(say("%1 Your line for %2 is in the history: press Up.", reason, name), line)
      if !line.isSecret { act(on: Composing.remember(line.typed), snapshot) }
    } else {
      // The history cannot keep files, so this line goes above the existing draft.
      complain(
        say(
          "%1 Your line for %2, with its files, was added to the draft there.",
          reason, name), line)
      write([returned])
    }
  }

  /// Whether a line can become the draft of its conversation, which must have none yet.
  private func canBecomeDraft(_ line: Line, _ snapshot: borrowing Snapshot) -> Bool {
    guard line.asDraft != nil else { return false }
    if case .draft(_, .some)? = committer.queue.draft(of: line.conversation) { return false }
    let draft = (try? snapshot.draft(of: me.id, in: line.conversation)) ?? nil
    return draft == nil || draft?.text == line.draft
  }

  /// Puts back the returned lines of a conversation that was entered before the store accepted
  /// them.
  func bringBackLines(of conversation: ID<Conversation>) {
    for each in committer.queue.takeReturned(to: conversation) {
      returnLine(each.line, because: each.reason)
    }
  }

  /// Reports returned lines that were stored above the draft of their conversation. Unless I am
  /// leaving, `putLineBack` has reported them already.
  func tellReturned(_ lines: [ReturnedLine]) {
    for each in lines where committer.isLeaving {
      let name = SafeText(name: each.line.conversationName)
      complain(
        each.line.asDraft != nil
          ? say("%1 Your line for %2 was saved as a draft there.", each.reason, name)
          : say("%1 Your line for %2 is in the history.", each.reason, name), each.line)
    }
  }

  /// - Parameter line: the line that the sentence is about, if that line is not visible; its first
  ///   words are added to the sentence.
  private func complain(_ sentence: SafeText, _ line: Line? = nil) {
    let text = SafeText(body: line?.typed ?? "").lines.first ?? ""
    let widths = feed.transcript.printer.options.widths
    complain([
      text.isEmpty
        ? sentence : say("%1 It begins: %2", sentence, text.truncated(to: 40, widths: widths))
    ])
  }

  // MARK: Leaving

  /// Leaves the program, but first stores what the person typed.
  ///
  /// - Parameter insists: whether a second attempt ends the program at once, without waiting. False
  ///   for a signal or a closed terminal.
  func leave(status: Int32, insists: Bool) {
    if committer.isLeaving {
      if insists { quit() } else { committer.leave(status: status, at: now) }
      return
    }
    committer.leave(status: status, at: now)
    write(feed.readState.markPrinted(sendsReceipts: settings.receipts))
    // The text being edited is not a draft (rule 3.6); the draft is the line that was set aside for
    // it.
    if mode.isEditing { composing.mode.edited = nil } else { noteDraft() }
    leaveDraft()
    // Discard the typing signal: from now on this shell sends none.
    _ = navigator.open.stopTyping(at: now)
    retry()
    if committer.queue.isEmpty { return quit() }
    if committer.queue.holdsTypedText {
      emit(
        .notice(
          committer.queue.isReady
            ? say("hobnob is waiting for the store to save your line; C-d again leaves without it")
            : say("hobnob is copying files to send your line; C-d again leaves without it")))
    }
    if committer.queue.isReady { committer.scheduleRetry(at: now) }
  }

  /// Ends the program because the store cannot be used any more: anything typed from now on would be
  /// lost. The line stays on the screen.
  func end(because error: StoreError, unsent text: String) {
    if committer.hasEnded { return }
    committer.hasEnded = true
    complain(
      [sentence(for: error)] + (text.isEmpty ? [] : [say("Not sent: %1", SafeText(body: text))]))
    quit(status: 1)
  }

  func quit(status least: Int32 = 0) {
    var status = max(least, committer.leaving?.status ?? 0)
    for write in committer.queue.writes {
      let unsent: [Line] =
        switch write {
        case .line(let line): [line]
        case .returned(let lines, _): lines.map(\.line)
        default: []
        }
      if !unsent.isEmpty, status == 0 { status = 1 }
      unsent.forEach(showUnsent)
    }
    emit(.quit(status: status))
  }

  /// Prints the whole of a line that cannot be stored, as a last resort.
  func showUnsent(_ line: Line) {
    complain([say("Not sent:") + " " + SafeText(body: line.typed).lines.joined(separator: " ")])
  }
}
