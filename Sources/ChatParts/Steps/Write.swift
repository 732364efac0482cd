// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Composer
import Conversations

/// Something to write into the store.
package enum Write {
  /// An entered line.
  case line(PendingLine)
  /// Lines that could not be sent, which become part of the draft of their conversation.
  case returned([ReturnedLine], to: ID<Conversation>)
  /// The draft of a conversation; nil if the person emptied the line that showed the draft.
  case draft(ID<Conversation>, Conversations.Draft?)
  case history(String)
  /// This shell has received messages up to these numbers; those of the conversation `seen` are on
  /// the screen.
  case delivered([ID<Conversation>: Int], seen: ID<Conversation>?)
  /// Messages up to this number are on the screen. `isSeen`: whether somebody looks at the screen.
  case shown(ID<Conversation>, upTo: Int, sendsReceipts: Bool, isSeen: Bool)
  /// The conversation that this shell shows.
  case open(ID<Conversation>?, isPaused: Bool)
  case lastConversation(ID<Conversation>)
  case typing(Bool, in: ID<Conversation>)
  /// New colours of names.
  case colours([ID<Participant>: Int], in: ID<Conversation>)
  /// Gives the latest nickname to an account that is about to connect.
  case nickname(Account)
  case attach, checkLookAlikes, reapStaleShells

  /// Whether this write makes an earlier waiting one unnecessary.
  func replaces(_ other: Write) -> Bool {
    switch (self, other) {
    case (.draft(let one, _), .draft(let two, _)): one == two
    case (.returned(_, let one), .returned(_, let two)): one == two
    case (.shown(let one, _, _, _), .shown(let two, _, _, _)): one == two
    // A write that shows another conversation, or none, stays separate.
    case (.delivered(_, let one), .delivered(_, let two)): one == two
    case (.open, .open), (.lastConversation, .lastConversation), (.typing, .typing),
      (.attach, .attach), (.checkLookAlikes, .checkLookAlikes),
      (.reapStaleShells, .reapStaleShells):
      true
    default: false
    }
  }

  /// This write, with those parts of the replaced one that are still necessary.
  func merged(with other: Write) -> Write {
    switch (self, other) {
    case (.delivered(let new, let seen), .delivered(let old, _)):
      .delivered(new.merging(old) { max($0, $1) }, seen: seen)
    case (.returned(let new, let conversation), .returned(let old, _)):
      .returned(old + new, to: conversation)
    default: self
    }
  }

  package var line: PendingLine? { if case .line(let line) = self { line } else { nil } }

  func isDraft(of conversation: ID<Conversation>) -> Bool {
    if case .draft(conversation, _) = self { true } else { false }
  }

  /// Whether losing this write in a power cut would lose something typed.
  var isDurable: Bool {
    switch self {
    case .line, .returned, .draft, .nickname: true
    default: false
    }
  }

  /// Whether the store performs this write in its own transaction, since it also creates or removes
  /// files.
  var hasOwnTransaction: Bool {
    switch self {
    case .attach, .open, .reapStaleShells: true
    default: false
    }
  }
}

extension Access where Mode: MayWrite {
  /// Performs a write that need not be on disk at once.
  ///
  /// - Returns: messages that were recalled before this shell had them.
  package func perform(_ write: Write, by me: ID<Participant>, _ shell: ShellID?) throws -> Set<
    ID<Message>
  > {
    switch write {
    case .history(let line): try appendHistory(line, of: me, shell: shell ?? "")
    case .delivered(let numbers, let seen):
      return try noteDelivered(to: me, upTo: numbers, seen: seen)
    case .shown(let conversation, let number, let sendsReceipts, let isSeen):
      if sendsReceipts, !isSeen { _ = try noteDelivered(to: me, upTo: [conversation: number]) }
      try noteSeen(by: me, in: conversation, upTo: number, sendReceipt: sendsReceipts && isSeen)
    case .lastConversation(let conversation): try setLastConversation(conversation, of: me)
    // Only a running shell has somebody who types.
    case .typing where shell == nil: break
    case .typing(let isTyping, let conversation): try setTyping(isTyping, in: conversation)
    case .colours(let colours, let conversation): try setColours(colours, in: conversation)
    case .checkLookAlikes: try checkLookAlikes()
    case .line, .returned, .draft, .open, .attach, .reapStaleShells, .nickname: break
    }
    return []
  }
}

extension DurableTransaction {
  package func send(_ line: PendingLine, by me: ID<Participant>, _ shell: ShellID?) throws
    -> Message
  {
    try send(
      line.body, kind: line.kind, in: line.conversation, by: me,
      typed: line.typed.isEmpty || line.isSecret ? nil : line.typed, shell: shell,
      attachments: line.attachments,
      replyTo: line.replyTo, mentions: line.mentions.map(Mention.init), draft: line.draft,
      rest: line.rest)
  }

  /// Stores a draft. nil removes the stored draft if this shell knows it, but not a draft that
  /// another shell of this person has stored since.
  ///
  /// - Parameter known: the text of the draft that this shell knows.
  /// - Returns: whether it stored or removed one.
  func store(
    _ draft: Conversations.Draft?, of me: ID<Participant>, in conversation: ID<Conversation>,
    known: String?
  ) throws -> Bool {
    if draft == nil {
      guard let stored = try self.draft(of: me, in: conversation), stored.text == known else {
        return false
      }
    }
    try setDraft(draft, of: me, in: conversation)
    return true
  }

  /// Stores unsent lines, in order, above the existing draft.
  func store(
    _ lines: [PendingLine], aboveDraftIn conversation: ID<Conversation>, of me: ID<Participant>,
    _ shell: ShellID?
  ) throws {
    var draft = try draft(of: me, in: conversation)
    let lineOfDraft = lines.first { $0.draft != nil && $0.draft == draft?.text }
    if lineOfDraft != nil { draft = nil }
    for line in lines.reversed() {
      if let text = line.asDraft {
        draft = Conversations.Draft(text, files: line.files).followed(by: draft)
      } else {
        if !line.isSecret { try appendHistory(line.typed, of: me, shell: shell ?? "") }
        // A line that only a command could send cannot be a draft, but its files can.
        if !line.files.isEmpty {
          draft = Conversations.Draft(LineDraft(), files: line.files).followed(by: draft)
        }
      }
    }
    if let rest = lineOfDraft?.rest { draft = rest.followed(by: draft) }
    try setDraft(draft, of: me, in: conversation)
  }
}
