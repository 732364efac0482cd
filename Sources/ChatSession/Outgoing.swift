// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// All that is to be written, in its order: done at once, or, while somebody else has the store
/// locked, tried again until it can be (rule 1.2).
@MainActor
package final class Outgoing: SessionPart {
  enum Write {
    /// A line that was sent.
    case line(Line)
    /// A line that could not be sent and becomes part of the draft of its conversation, and why.
    case returned(Line, SafeText)
    /// The draft of a conversation; nil: the line that it came from was emptied.
    case draft(ID<Conversation>, Conversations.Draft?)
    case history(String)
    /// Messages up to these numbers have come here; those of `seen` are on the screen.
    case delivered([ID<Conversation>: Int], seen: ID<Conversation>?)
    /// They are on the screen. `tells`: the others may know; `isSeen`: somebody looks at it.
    case shown(ID<Conversation>, upTo: Int, tells: Bool, isSeen: Bool)
    /// What this shell shows.
    case open(ID<Conversation>?, isPaused: Bool)
    case lastConversation(ID<Conversation>)
    case typing(Bool, in: ID<Conversation>)
    case attach, lookAtNames, forgetTheDead
  }

  unowned let session: Session
  private var queue: [Write] = []
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

  /// The lines that were sent and are not stored yet.
  package var lines: [Line] {
    queue.compactMap { if case .line(let line) = $0 { line } else { nil } }
  }

  /// Whether a draft that holds something waits.
  func hasDraft(of conversation: ID<Conversation>) -> Bool {
    queue.contains {
      if case .draft(conversation, .some) = $0 { true } else { false }
    }
  }

  /// Forgets the draft that waits. True: there was one.
  func dropDraft(of conversation: ID<Conversation>) -> Bool {
    let count = queue.count
    queue.removeAll { if case .draft(conversation, _) = $0 { true } else { false } }
    return queue.count < count
  }

  // MARK: Writing

  /// Does it now, or as soon as the store is free and what came before is done. What fails otherwise
  /// is dropped, unless it was typed: the next such write fails as well.
  func write(_ write: Write) {
    guard queue.isEmpty, !session.isStarting else { return wait(write) }
    do {
      try session.patiently { try perform(write) }
    } catch StoreError.locked {
      wait(write)
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
      if leaving?.status == 0 { leaving?.status = 1 }
      showUnsent(line)
    default: break
    }
  }

  /// Takes the place of what it makes pointless, or the last one.
  private func wait(_ write: Write) {
    if let index = queue.firstIndex(where: { write.replaces($0) }) {
      queue[index] = write.merged(with: queue[index])
    } else {
      queue.append(write)
    }
  }

  /// Says that messages have come here, before anything of them is shown: from then on nobody can
  /// take them back (rule 3.7).
  ///
  /// - Parameter seen: the conversation where they will be on the screen in this turn.
  /// - Returns: those that were taken back just before.
  func receive(
    _ delivered: [ID<Conversation>: Int], seen: ID<Conversation>? = nil
  ) -> Set<ID<Message>> {
    // A batch prints nothing of it.
    guard !delivered.isEmpty, settings.receipts, session.isInteractive else { return [] }
    guard queue.isEmpty, !session.isStarting else {
      wait(.delivered(delivered, seen: seen))
      return []
    }
    do {
      return try session.patiently {
        try store.noteDelivered(to: me.id, upTo: delivered, seen: seen)
      }
    } catch StoreError.locked {
      wait(.delivered(delivered, seen: seen))
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
    if queue.isEmpty || now >= leaving.by && !holdsTypedText { quit() }
  }

  /// Does what waits, as far as it goes.
  func flush() {
    deadline = nil
    while !queue.isEmpty {
      let write = queue.removeFirst()
      do {
        try perform(write)
      } catch StoreError.locked {
        queue.insert(write, at: 0)
        giveUpOldLine()
        return tryAgainSoon()
      } catch {
        failed(write, because: sentence(for: error))
      }
    }
    delay = 2
    // It is the timer that leaves.
    if leaving != nil { tryAgainSoon() }
  }

  private func perform(_ write: Write) throws {
    switch write {
    case .line(let line): try commit(line)
    case .returned(let line, let reason): try store(returned: line, reason)
    case .draft(let conversation, let draft): try drafts.store(draft, in: conversation)
    case .history(let line):
      try store.appendHistory(line, of: me.id, shell: session.shellID ?? "")
    case .delivered(let numbers, let seen):
      _ = try store.noteDelivered(to: me.id, upTo: numbers, seen: seen)
    case .shown(let conversation, let number, let tells, let isSeen):
      if tells, !isSeen { try store.noteDelivered(to: me.id, upTo: [conversation: number]) }
      try store.noteSeen(
        by: me.id, in: conversation, upTo: number, sendReceipt: tells && isSeen)
    case .open(let conversation, let isPaused):
      try store.open(conversation, paused: isPaused)
    case .lastConversation(let conversation):
      try store.setLastConversation(conversation, of: me.id)
    case .typing(let isTyping, let conversation):
      try store.setTyping(isTyping, in: conversation)
    case .attach: try session.attach()
    case .lookAtNames: try store.lookAtNames()
    case .forgetTheDead: _ = try store.forgetTheDead()
    }
  }
}

// MARK: Lines

extension Outgoing {
  /// Sends a text as a message of the open conversation, with the files that wait.
  ///
  /// - Parameter typed: the line as it was typed.
  func send(
    _ body: String, kind: Message.Kind = .text, typed: String, replyTo: ID<Message>? = nil
  ) throws {
    let conversation = try place.requiredAsMember()
    try checkLength(of: body)
    let line = Line(
      typed: typed, body: body, kind: kind, conversation: conversation.id,
      place: conversation.name, since: now, files: files.waiting,
      mentions: self.line.mentions(in: body), replyTo: replyTo,
      draft: drafts.leavesWithLine(in: conversation.id))
    files.areSent()
    // What waits already has to be stored before this.
    if !queue.isEmpty { flush() }
    if queue.isEmpty || !session.isInteractive {
      do {
        return try session.patiently { try commit(line) }
      } catch StoreError.locked where session.isInteractive {
      } catch {
        files.bringBack(line.files)
        throw error
      }
    }
    wait(.line(line))
    tryAgainSoon()
  }

  private func commit(_ line: Line) throws {
    let attachments = try line.files.files.map { file in
      try store.keep(
        fileAt: file.path, name: file.name, type: FileType.sniff(path:),
        limit: settings.attachmentLimit * 1_000_000)
    }
    place.sent(
      try store.send(
        line.body, kind: line.kind, in: line.conversation, by: me.id,
        typed: line.typed.isEmpty ? nil : line.typed, shell: session.shellID,
        attachments: attachments, replyTo: line.replyTo,
        mentions: Span.encoded(line.mentions), draft: line.draft))
    drafts.sent(line)
    place.stopTyping()
    emit(.addHistory(line.typed))
    screen.letGo()
    news.catchUp()
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
        "The message has %1 characters, %2 are allowed; shorten it and press Return again.",
        SafeText(count), SafeText(limit)))
  }

  // MARK: Lines that come back

  /// How long a line waits before it comes back, in milliseconds.
  private static let patience: Int64 = 10_000

  private func giveUpOldLine() {
    guard let line = lines.first, now - line.since >= Self.patience else { return }
    dropFirstLine()
    comesBack(line, because: sentence(for: StoreError.locked(path: store.path)))
  }

  private func dropFirstLine() {
    guard let index = queue.firstIndex(where: { if case .line = $0 { true } else { false } })
    else { return }
    queue.remove(at: index)
  }

  private func comesBack(_ line: Line, because reason: SafeText) {
    // Who leaves begins no other line.
    guard leaving == nil else { return giveBack(line, because: reason) }
    emit(.whenLineBegins(.gaveBack(line, reason)))
  }

  /// C-g and `/cancel`: the line that waits longest comes back. False: none waits.
  func takeBackLine() -> Bool {
    guard let line = lines.first else { return false }
    dropFirstLine()
    comesBack(line, because: say("The line that waited for the store was not sent."))
    return true
  }

  /// A line that could not be stored comes back where its conversation is open and the line is
  /// empty; elsewhere it becomes the draft of its conversation, or goes into the history.
  func giveBack(_ line: Line, because reason: SafeText) {
    let isHere = line.conversation == place.conversation?.id
    let name = SafeText(name: line.place)
    if leaving != nil {
      if leaving?.status == 0 { leaving?.status = 1 }
      write(.returned(line, reason))
    } else if isHere, self.line.isEmpty, self.line.isIdle, !editing.isOn {
      complain(say("%1 Your line is back.", reason))
      emit(.put(line.typed, mentions: line.spans(in: line.typed)))
      files.bringBack(line.files)
    } else if !isHere, canBecomeDraft(line) {
      complain(say("%1 Your line for %2 is the draft there.", reason, name), line)
      write(.returned(line, reason))
    } else if isHere {
      if line.files.isEmpty {
        complain(say("%1 Your line is in the history: press Up.", reason), line)
      } else if line.typed.isEmpty {
        complain(say("%1 Your files wait again.", reason))
      } else {
        complain(
          say("%1 Your line is in the history: press Up; its files wait again.", reason), line)
      }
      drafts.remember(line.typed)
      files.bringBack(line.files)
    } else if line.files.isEmpty {
      complain(say("%1 Your line for %2 is in the history: press Up.", reason, name), line)
      drafts.remember(line.typed)
    } else {
      // The history has no files, so that it goes above the draft that is there.
      complain(say("%1 Your line for %2 waits there, with its files.", reason, name), line)
      write(.returned(line, reason))
    }
  }

  /// Whether a line can be the draft of its conversation: there is none yet.
  private func canBecomeDraft(_ line: Line) -> Bool {
    guard line.asDraft != nil, !hasDraft(of: line.conversation) else { return false }
    let draft = (try? store.draft(of: me.id, in: line.conversation)) ?? nil
    return draft == nil || draft?.text == line.draft
  }

  /// The lines of a conversation that wait to become part of its draft, with the reasons.
  private func takeReturned(_ conversation: ID<Conversation>) -> [(Line, SafeText)] {
    var found: [(Line, SafeText)] = []
    queue.removeAll {
      guard case .returned(let line, let reason) = $0, line.conversation == conversation else {
        return false
      }
      found.append((line, reason))
      return true
    }
    return found
  }

  /// A conversation was entered before the store took what came back of it.
  func bringBackLines(of conversation: ID<Conversation>) {
    for (line, reason) in takeReturned(conversation) { comesBack(line, because: reason) }
  }

  /// Stores a line that came back, and all others of its conversation, above the draft there.
  private func store(returned line: Line, _ reason: SafeText) throws {
    let conversation = line.conversation
    // What was typed there since comes below.
    let waiting = queue.first { if case .draft(conversation, _) = $0 { true } else { false } }
    if let waiting { try perform(waiting) }
    _ = dropDraft(of: conversation)
    let others = queue.compactMap { write in
      if case .returned(let other, _) = write, other.conversation == conversation {
        other
      } else {
        nil
      }
    }
    try drafts.store([line] + others, aboveDraftOf: conversation)
    for (line, reason) in [(line, reason)] + takeReturned(conversation) where leaving != nil {
      let name = SafeText(name: line.place)
      complain(
        line.asDraft != nil
          ? say("%1 Your line for %2 is the draft there.", reason, name)
          : say("%1 Your line for %2 is in the history.", reason, name), line)
    }
  }

  /// - Parameter line: what the sentence is about, where it is nowhere to be seen: of several lines
  ///   each is named by how it begins.
  private func complain(_ sentence: SafeText, _ line: Line? = nil) {
    let text = SafeText(body: line?.typed ?? "").lines.first ?? ""
    let widths = transcript.printer.options.widths
    transcript.complain([
      text.isEmpty
        ? sentence : say("%1 It begins: %2", sentence, text.truncated(to: 40, widths: widths))
    ])
  }
}

// MARK: Leaving

extension Outgoing {
  /// Whether something that was typed still waits for the store.
  private var holdsTypedText: Bool {
    queue.contains {
      switch $0 {
      case .line, .returned, .draft, .history: true
      default: false
      }
    }
  }

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
    // What is in the editor is no draft (rule 3.6); the draft is what was set aside for it.
    if editing.isOn { editing.drop() } else { drafts.note() }
    drafts.leave()
    place.forgetTyping()
    flush()
    if queue.isEmpty { return quit() }
    if holdsTypedText {
      emit(
        .notice(say("What you typed is kept once the store is free; C-d again leaves without it")))
    }
    tryAgainSoon()
  }

  private func quit() {
    var status = leaving?.status ?? 0
    for write in queue {
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

extension Outgoing.Write {
  /// Whether a write that waits need not be done any more once this one is.
  func replaces(_ other: Self) -> Bool {
    switch (self, other) {
    case (.draft(let one, _), .draft(let two, _)): one == two
    case (.shown(let one, _, _, _), .shown(let two, _, _, _)): one == two
    // What is on the screen of another conversation is said by itself.
    case (.delivered(_, let one), .delivered(_, let two)): one == two
    case (.open, .open), (.lastConversation, .lastConversation),
      (.typing, .typing), (.attach, .attach), (.lookAtNames, .lookAtNames),
      (.forgetTheDead, .forgetTheDead):
      true
    default: false
    }
  }

  /// This one, with what of the other still has to be said.
  fileprivate func merged(with other: Self) -> Self {
    guard case .delivered(let new, let seen) = self, case .delivered(let old, _) = other
    else { return self }
    return .delivered(new.merging(old) { max($0, $1) }, seen: seen)
  }
}
