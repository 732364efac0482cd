// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// All that is to be written, in its order: done at once, or, while somebody else has the store
/// locked, tried again until it can be (rule 1.2).
@MainActor
package final class Outgoing: SessionPart {
  unowned let session: Session
  /// Only this type, in its files, writes into it.
  var queue = WriteQueue()
  /// How many lines had files to be copied.
  private var copies = 0
  /// When it is to be tried again, in monotonic milliseconds.
  private(set) var deadline: Int64?
  /// Milliseconds until the next try; a lock that lasts is asked for less often.
  private var delay: Int64 = 2
  private var leaving: Leaving?

  /// The person has gone, with this exit status; what they typed still waits.
  private struct Leaving {
    var status: Int32
    /// Until when it waits, in monotonic milliseconds; for a line as long as it takes.
    let by: Int64
  }

  init(_ session: Session) { self.session = session }

  package var isEmpty: Bool { queue.isEmpty }

  var isLeaving: Bool { leaving != nil }

  /// The lines that were sent and are not stored yet.
  package var lines: [Line] { queue.lines }

  /// The stored draft of a conversation is that of a line which waits.
  func holdsLine(ofDraft text: String, in conversation: ID<Conversation>) -> Bool {
    queue.lines.contains { $0.conversation == conversation && $0.draft == text }
  }

  func hasDraft(of conversation: ID<Conversation>) -> Bool {
    queue.draft(of: conversation) != nil
  }

  /// The draft of a conversation that waits to be stored, or is: nil where there is none.
  func draft(of conversation: ID<Conversation>) -> Conversations.Draft? {
    if case .draft(_, let waiting)? = queue.draft(of: conversation) { return waiting }
    return (try? store.read { try $0.draft(of: me.id, in: conversation) }) ?? nil
  }

  /// Forgets the draft that waits. True: there was one.
  func dropDraft(of conversation: ID<Conversation>) -> Bool {
    queue.removeDraft(of: conversation)
  }

  // MARK: Writing

  /// Does it now, or as soon as the store is free and what came before is done. What fails otherwise
  /// is dropped, unless it was typed: the next such write fails as well.
  func write(_ write: Write) {
    guard !queue.isReady, !session.isStarting, !queue.holds(write) else { return queue.add(write) }
    do {
      try session.withLockTimeout { try perform(write) }
    } catch StoreError.locked {
      queue.add(write)
      tryAgainSoon()
    } catch {
      failed(write, because: sentence(for: error))
    }
  }

  /// It cannot be stored, and waiting would not help.
  private func failed(_ write: Write, because reason: SafeText) {
    switch write {
    case .line(let line): comesBack(line, because: reason)
    case .returned(let line, _):
      leavesUnsent()
      showUnsent(line)
    default: break
    }
  }

  /// Says that messages have come here, before anything of them is shown: from then on nobody can
  /// take them back (rule 3.7).
  ///
  /// - Parameter seen: the conversation where they will be on the screen in this turn.
  /// - Returns: those that were taken back just before.
  func noteDelivered(
    _ delivered: [ID<Conversation>: Int], seen: ID<Conversation>? = nil
  ) -> Set<ID<Message>> {
    // A batch prints nothing of it.
    guard !delivered.isEmpty, settings.receipts, session.isInteractive else { return [] }
    guard !queue.isReady, !session.isStarting else {
      queue.add(.delivered(delivered, seen: seen))
      return []
    }
    do {
      return try session.withLockTimeout {
        try store.writeIfNeeded { try $0.noteDelivered(to: me.id, upTo: delivered, seen: seen) }
      }
    } catch StoreError.locked {
      queue.add(.delivered(delivered, seen: seen))
      tryAgainSoon()
    } catch {}
    return []
  }

  /// Something could not be read or written; it is looked again soon.
  func tryAgainSoon() {
    guard deadline == nil else { return }
    deadline = now + delay
    delay = min(delay * 2, 50)
  }

  func tick() {
    guard let deadline, now >= deadline else { return }
    flush()
    if leaving == nil || lines.isEmpty { news.catchUp() }
    guard let leaving else { return }
    if queue.isEmpty || now >= leaving.by && !queue.holdsTypedText { quit() }
  }

  /// Does what waits, as far as it goes.
  func flush() {
    deadline = nil
    while let write = queue.takeNext() {
      do {
        try perform(write)
      } catch StoreError.locked {
        queue.putBack(write)
        giveUpOldLine()
        return tryAgainSoon()
      } catch {
        failed(write, because: sentence(for: error))
      }
    }
    delay = 2
    // It is the timer that leaves.
    if leaving != nil, queue.isEmpty { tryAgainSoon() }
  }

  func perform(_ write: Write) throws {
    switch write {
    case .line(let line): try commit(line)
    case .returned(let line, let reason): try store(returned: line, reason)
    case .draft(let conversation, let draft): try drafts.store(draft, in: conversation)
    case .history(let line):
      try store.write { try $0.appendHistory(line, of: me.id, shell: session.shellID ?? "") }
    case .delivered(let numbers, let seen):
      _ = try store.writeIfNeeded { try $0.noteDelivered(to: me.id, upTo: numbers, seen: seen) }
    case .shown(let conversation, let number, let tells, let isSeen):
      if tells, !isSeen {
        try store.writeIfNeeded { try $0.noteDelivered(to: me.id, upTo: [conversation: number]) }
      }
      try store.writeIfNeeded {
        try $0.noteSeen(
          by: me.id, in: conversation, upTo: number, sendReceipt: tells && isSeen)
      }
    case .open(let conversation, let isPaused):
      try store.open(conversation, paused: isPaused)
    case .lastConversation(let conversation):
      try store.writeIfNeeded { try $0.setLastConversation(conversation, of: me.id) }
    case .typing(let isTyping, let conversation):
      try store.writeIfNeeded { try $0.setTyping(isTyping, in: conversation) }
    case .colours(let colours, let conversation):
      try store.writeIfNeeded { try $0.setColours(colours, in: conversation) }
    case .attach: try session.attach()
    case .lookAtNames: try store.writeIfNeeded { try $0.lookAtNames() }
    case .reapStaleShells: _ = try store.reapStaleShells()
    }
  }
}

// MARK: Lines

extension Outgoing {
  /// Sends a text as a message of the open conversation, with the files that wait.
  ///
  /// - Parameters:
  ///   - typed: the line as it was typed.
  ///   - attachments: files that are in the store already; they come behind those that wait.
  func send(
    _ body: String, kind: Message.Kind = .text, typed: String, replyTo: ID<Message>? = nil,
    attachments: [Attachment] = []
  ) throws {
    let conversation = try place.requiredAsMember()
    try checkLength(of: body)
    let (draft, rest) = drafts.leavesWithLine(in: conversation.id)
    var line = Line(
      typed: typed, body: body, kind: kind, conversation: conversation.id,
      place: conversation.name, since: now, files: files.waiting,
      attachments: attachments, mentions: self.line.mentions(in: body), replyTo: replyTo,
      draft: draft, rest: rest)
    files.areSent()
    switcher.endRun()
    // What waits already has to be stored before this.
    if queue.isReady { flush() }
    guard session.isInteractive else {
      // Nobody types meanwhile.
      do {
        line.attachments =
          try AttachmentImporter.keep(line.files, limit: fileLimit, in: store) + attachments
        return try session.withLockTimeout { try commit(line) }
      } catch {
        files.bringBack(line.files)
        throw error
      }
    }
    if !line.files.isEmpty {
      copies += 1
      line.copyNumber = copies
    }
    try commitOrQueue(line)
    if let copy = line.copyNumber { emit(.keep(line.files, limit: fileLimit, number: copy)) }
  }

  private func commitOrQueue(_ line: Line) throws {
    if !queue.isReady, !queue.holds(.line(line)) {
      do { return try session.withLockTimeout { try commit(line) } } catch StoreError.locked {}
    }
    queue.add(.line(line))
    if queue.isReady { tryAgainSoon() }
  }

  /// Sends a text as a file, behind those that wait (rule 1.9). It is small, so that it is copied at
  /// once.
  ///
  /// - Parameter path: where the text lies; it is not needed any more then.
  func send(_ text: String, asFileAt path: String) throws {
    let file = WaitingFiles.File(path: path, name: "text.txt", bytes: text.utf8.count)
    let kept = try AttachmentImporter.keep(WaitingFiles([file]), limit: fileLimit, in: store)
    try send("", typed: text, attachments: kept)
  }

  private func commit(_ line: Line) throws {
    let message = try store.writeDurably {
      try $0.send(
        line.body, kind: line.kind, in: line.conversation, by: me.id,
        typed: line.typed.isEmpty ? nil : line.typed, shell: session.shellID,
        attachments: line.attachments, replyTo: line.replyTo,
        mentions: Span.encoded(line.mentions), draft: line.draft, rest: line.rest)
    }
    drafts.sent(line)
    files.sent(line)
    emit(.addHistory(line.typed))
    // It may have waited while another conversation was entered.
    if line.conversation == place.conversation?.id {
      place.sent(message)
      place.stopTyping()
      screen.letGo()
    }
    news.catchUp()
  }

  /// Of a file that goes with a line, in bytes.
  private var fileLimit: Int { settings.attachmentLimit * 1_000_000 }

  /// The files of a line are in the store, or cannot come there.
  func filesKept(_ result: Result<[Attachment], Refusal>, number: Int) {
    switch result {
    case .success(let kept):
      // It was taken back meanwhile.
      guard queue.filesKept(kept, copy: number) else { return }
    case .failure(let refusal):
      guard let line = queue.takeLine(copy: number) else { return }
      comesBack(line, because: refusal.sentence)
    }
    queue.waitAnew(now: now)
    flush()
  }

  /// The limit, for what a command says (rule 1.7).
  func checkLength(of body: String) throws {
    let (count, limit) = (LineRules.characters(in: body), settings.messageLimit)
    if limit > 0, count > limit { throw tooLong(count, limit) }
  }

  func tooLong(_ count: Int, _ limit: Int) -> Refusal {
    emit(.bell)
    return Refusal(
      say(
        "The message has %1 characters; at most %2 are allowed. Shorten it and press Return again.",
        SafeText(count), SafeText(limit)))
  }
}

// MARK: Leaving

extension Outgoing {
  /// The person leaves: what was typed is stored before.
  ///
  /// - Parameter insists: whether a second time means at once, without. A signal, or the end of the
  ///   terminal, does not.
  func leave(status: Int32, insists: Bool) {
    if leaving != nil {
      if insists { quit() } else { leaving?.status = status }
      return
    }
    // Somebody sits there and waits, or nobody does.
    leaving = Leaving(status: status, by: now + (status == 0 ? 20_000 : 60_000))
    screen.markPrinted()
    // What is in the editor is not a draft (rule 3.6); the draft is what was set aside for it.
    if editing.isOn { editing.drop() } else { drafts.note() }
    drafts.leave()
    place.forgetTyping()
    flush()
    if queue.isEmpty { return quit() }
    if queue.holdsTypedText {
      emit(
        .notice(
          queue.isReady
            ? say("hobnob keeps your line once the store is free; C-d again leaves without it")
            : say("hobnob sends your line once its files are copied; C-d again leaves without it")))
    }
    if queue.isReady { tryAgainSoon() }
  }

  /// Something that was typed could not be stored.
  func leavesUnsent() {
    if leaving?.status == 0 { leaving?.status = 1 }
  }

  private func quit() {
    var status = leaving?.status ?? 0
    for write in queue.writes {
      switch write {
      case .line(let line), .returned(let line, _):
        if status == 0 { status = 1 }
        showUnsent(line)
      default: break
      }
    }
    emit(.quit(status: status))
  }

  /// The last resort: what cannot be stored at least stands on the screen, all of it.
  private func showUnsent(_ line: Line) {
    transcript.complain([
      say("Not sent:") + " " + SafeText(body: line.typed).lines.joined(separator: " ")
    ])
  }
}
