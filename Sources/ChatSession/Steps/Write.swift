// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations

/// Something to be written into the store.
enum Write {
  /// A line that was sent.
  case line(Line)
  /// Lines that could not be sent and become part of the draft of their conversation.
  case returned([ReturnedLine], to: ID<Conversation>)
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
  /// Which colours names have from now on.
  case colours([ID<Participant>: Int], in: ID<Conversation>)
  /// The nickname that was set last applies to an account that is about to connect.
  case nickname(Account)
  case attach, lookAtNames, reapStaleShells

  /// Whether a write that waits need not be done any more once this one is.
  func replaces(_ other: Write) -> Bool {
    switch (self, other) {
    case (.draft(let one, _), .draft(let two, _)): one == two
    case (.returned(_, let one), .returned(_, let two)): one == two
    case (.shown(let one, _, _, _), .shown(let two, _, _, _)): one == two
    // What is on the screen of another conversation is said by itself.
    case (.delivered(_, let one), .delivered(_, let two)): one == two
    case (.open, .open), (.lastConversation, .lastConversation), (.typing, .typing),
      (.attach, .attach), (.lookAtNames, .lookAtNames), (.reapStaleShells, .reapStaleShells):
      true
    default: false
    }
  }

  /// This one, with what of the other still has to be said.
  func merged(with other: Write) -> Write {
    switch (self, other) {
    case (.delivered(let new, let seen), .delivered(let old, _)):
      .delivered(new.merging(old) { max($0, $1) }, seen: seen)
    case (.returned(let new, let conversation), .returned(let old, _)):
      .returned(old + new, to: conversation)
    default: self
    }
  }

  var line: Line? { if case .line(let line) = self { line } else { nil } }

  func isDraft(of conversation: ID<Conversation>) -> Bool {
    if case .draft(conversation, _) = self { true } else { false }
  }

  /// Whether it is lost to somebody who typed it, should a power cut follow.
  var isDurable: Bool {
    switch self {
    case .line, .returned, .draft: true
    default: false
    }
  }

  /// Whether the store does it by itself: it makes or removes files as well.
  var hasOwnTransaction: Bool {
    switch self {
    case .attach, .open, .reapStaleShells, .nickname: true
    default: false
    }
  }
}

extension Writing where Self: ~Copyable {
  /// What need not be on the disk at once.
  ///
  /// - Returns: messages that were taken back before they had come here.
  func perform(_ write: Write, by me: ID<Participant>, _ shell: ShellID?) throws -> Set<ID<Message>>
  {
    switch write {
    case .history(let line): try appendHistory(line, of: me, shell: shell ?? "")
    case .delivered(let numbers, let seen):
      return try noteDelivered(to: me, upTo: numbers, seen: seen)
    case .shown(let conversation, let number, let tells, let isSeen):
      if tells, !isSeen { _ = try noteDelivered(to: me, upTo: [conversation: number]) }
      try noteSeen(by: me, in: conversation, upTo: number, sendReceipt: tells && isSeen)
    case .lastConversation(let conversation): try setLastConversation(conversation, of: me)
    case .typing(let isTyping, let conversation): try setTyping(isTyping, in: conversation)
    case .colours(let colours, let conversation): try setColours(colours, in: conversation)
    case .lookAtNames: try lookAtNames()
    case .line, .returned, .draft, .open, .attach, .reapStaleShells, .nickname: break
    }
    return []
  }
}

extension DurableTransaction {
  func send(_ line: Line, by me: ID<Participant>, _ shell: ShellID?) throws -> Message {
    try send(
      line.body, kind: line.kind, in: line.conversation, by: me,
      typed: line.typed.isEmpty ? nil : line.typed, shell: shell, attachments: line.attachments,
      replyTo: line.replyTo, mentions: Span.encoded(line.mentions), draft: line.draft,
      rest: line.rest)
  }

  /// Stores a draft; with nil takes away the one that the emptied line came from: another shell of
  /// this person may have stored its own.
  ///
  /// - Parameter known: the text of the draft that this shell knows.
  /// - Returns: whether it did.
  func store(
    _ draft: Conversations.Draft?, of me: ID<Participant>, in conversation: ID<Conversation>,
    known: String?
  ) throws -> Bool {
    if draft == nil {
      guard let other = try self.draft(of: me, in: conversation), other.text == known else {
        return false
      }
    }
    try setDraft(draft, of: me, in: conversation)
    return true
  }

  /// Stores lines that were not sent, in their order, above the draft that is there.
  func store(
    _ lines: [Line], aboveDraftIn conversation: ID<Conversation>, of me: ID<Participant>,
    _ shell: ShellID?
  ) throws {
    var draft = try draft(of: me, in: conversation)
    let own = lines.first { $0.draft != nil && $0.draft == draft?.text }
    if own != nil { draft = nil }
    for line in lines.reversed() {
      if let own = line.asDraft {
        draft = Conversations.Draft(own, files: line.files).followed(by: draft)
      } else {
        try appendHistory(line.typed, of: me, shell: shell ?? "")
        // What only a command says is not a draft, but its files wait as they did.
        if !line.files.isEmpty {
          draft = Conversations.Draft(LineDraft(), files: line.files).followed(by: draft)
        }
      }
    }
    if let rest = own?.rest { draft = rest.followed(by: draft) }
    try setDraft(draft, of: me, in: conversation)
  }
}
