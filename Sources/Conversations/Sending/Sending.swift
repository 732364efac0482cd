// SPDX-License-Identifier: GPL-3.0-or-later
import Platform

extension Access {
  /// A person's own message that is not deleted or recalled, as stored.
  fileprivate func own(_ id: ID<Message>, by me: ID<Participant>) throws -> Message {
    guard let found = try stored(id), try conversation(found.conversation, for: me) != nil,
      !found.isRecalled
    else { throw RuleError.noSuchMessage(try stored(id)?.number ?? Int(id.rawValue)) }
    guard found.sender == me else { throw RuleError.notYours(found.number) }
    guard found.deletedAt == nil else { throw RuleError.deleted(found.number) }
    return found
  }

  /// Whether a network may have a message: it was handed over, or is about to be; or an attempt
  /// failed without a clear refusal.
  package func isHandedOver(_ message: Message) throws -> Bool {
    try message.state >= .sent
      || database.exists(
        """
        SELECT 1 FROM message WHERE id = ?1 AND doubtful > 0
        UNION ALL SELECT 1 FROM outbox WHERE message = ?1 AND operation = ?2 AND tried > 0
        """, message.id, OutboxEntry.Operation.send.rawValue)
  }

  /// - Throws: `RuleError.cannotDelete` if a network may have a message and cannot delete it.
  fileprivate func checkDeletion(of message: Message, by me: ID<Participant>) throws {
    guard try isHandedOver(message) else { return }
    try knownAbilities(of: message.conversation).checkDeletion(
      in: conversation(existing: message.conversation, for: me).name)
  }

  fileprivate func isLocal(_ message: Message) throws -> Bool {
    try database.exists(
      "SELECT 1 FROM conversation WHERE id = ? AND network = ''", message.conversation)
  }
}

extension Access where Mode: MayWrite {
  fileprivate func insert(
    _ body: String, kind: Message.Kind, in conversation: Conversation, by sender: Participant,
    state: DeliveryState, at time: Milliseconds, attachments: [Attachment],
    replyTo: ID<Message>?, mentions: [Mention]
  ) throws -> Message {
    let quote = try replyTo.map { try self.quote(of: $0, in: conversation.id) }
    // Writing to someone who closed a direct chat reopens it for them.
    if conversation.kind == .direct { try reopen(conversation.id) }
    let id = ID<Message>(rawValue: try nextChange())
    let sort = try sortKey(ofArrivalAt: time, in: conversation.id)
    var new = NewMessage(speaker: sender.id, body: body, kind: kind, time: time)
    (new.state, new.answeredNumber, new.mentions) = (state, quote?.number, mentions)
    let (uid, number) = try store(new, as: id, sort: sort, .arrived, in: conversation)
    var message = Message(
      id: id, uid: hexadecimal(uid), conversation: conversation.id, number: number,
      sender: sender.id,
      senderName: try name(of: sender.id, in: conversation.id), senderIdentity: sender.identity,
      body: body, kind: kind,
      createdAt: time, state: state, replyTo: quote, mentions: mentions)
    message.sort = sort
    try append(attachments, to: &message)
    return message
  }

  /// Makes both people members of their direct chat again.
  package func reopen(_ direct: ID<Conversation>) throws {
    let two = try database.first(
      "SELECT one, other FROM conversation WHERE id = ?", direct
    ) { (one: $0.id("one") as ID<Participant>, other: $0.id("other") as ID<Participant>) }
    guard let two else { return }
    try enter(two.one, direct)
    if two.other != two.one { try enter(two.other, direct) }
  }

  /// Puts an entry into the outbox.
  package func post(_ operation: OutboxEntry.Operation, _ message: ID<Message>) throws {
    try database.run(
      "INSERT INTO outbox(id, message, operation) VALUES (?, ?, ?)", try nextChange(), message,
      operation.rawValue)
  }

  /// Removes the content of a message: text, earlier texts, attachments, and its outbox entries.
  ///
  /// - Parameter time: when it was deleted; nil if it was recalled.
  package func wipe(
    _ message: ID<Message>, as wiping: Message.Wiping, at time: Milliseconds?
  ) throws {
    try database.run("DELETE FROM revision WHERE message = ?", message)
    try database.run("DELETE FROM outbox WHERE message = ?", message)
    try database.run("DELETE FROM attachment WHERE message = ?", message)
    try forgetDeletedText(of: message)
    try database.run(
      """
      UPDATE message SET body = '', mentions = NULL, failure = NULL, attachments = 0, gone = ?,
        deleted_at = ?, revised = ?
      WHERE id = ?
      """, wiping.rawValue, time, try nextChange(), message)
  }

  package func setState(_ state: DeliveryState, failure: Remark?, of message: ID<Message>) throws {
    try database.run(
      "UPDATE message SET state = ?, failure = ?, moved = ? WHERE id = ?", state.rawValue, failure,
      try nextChange(), message)
  }
}

extension DurableTransaction {
  /// Sends a message. Stores it, clears its draft, adds `typed` to the input history and ends the
  /// sender's typing signal.
  ///
  /// - Parameters:
  ///   - body: the text as typed; the store keeps exactly this.
  ///   - kind: speech, an action (`/me`) or a notice.
  ///   - conversation: where to send it.
  ///   - me: its sender.
  ///   - typed: the line for the input history (rule 1.12), nil for none.
  ///   - shell: whose history it is; the attached shell's by default.
  ///   - attachments: from `keep`, in order; the text may be empty if there are any.
  ///   - requireMembership: false lets `hobnob send` speak without joining the
  ///     conversation.
  ///   - replyTo: the message it answers, in the same conversation (rule 7.8).
  ///   - mentions: whom the text means.
  ///   - draft: the text of the draft that it sends, as the sender last stored or read it; nil if
  ///     there was none. A draft with another text belongs to a line in another shell, and stays
  ///     (rule 5.3).
  ///   - rest: the lines of the draft to keep, which were set aside (rule 13.3).
  /// - Returns: the message, `sent` in a local conversation, `sending` if a network carries it.
  /// - Throws: `RuleError.notAMember`, `.noSuchRoom`; `.noSuchAccount` if the network's account was
  ///   removed; `.noSuchMessage`, `.deleted` for `replyTo`; what ``Abilities`` forbid;
  ///   `AttachmentError.gone`; `StoreError`.
  @discardableResult
  public func send(
    _ body: String, kind: Message.Kind = .text, in conversation: ID<Conversation>,
    by me: ID<Participant>, typed: String? = nil, shell: ShellID? = nil,
    requireMembership: Bool = true, attachments: [Attachment] = [], replyTo: ID<Message>? = nil,
    mentions: [Mention] = [], draft: String? = nil, rest: Draft? = nil
  ) throws -> Message {
    try savepoint {
      let target = try self.conversation(existing: conversation, for: me)
      if requireMembership, try !isMember(me, of: conversation) {
        throw RuleError.notAMember(target.name)
      }
      if let network = target.network { try requireAccount(of: network) }
      try knownAbilities(of: conversation).check(
        text: body, isReply: replyTo != nil, files: attachments.map(\.bytes), in: target.name)
      let state: DeliveryState = target.network == nil ? .sent : .sending
      if presence == nil { try noteHere(me) }
      let message = try insert(
        body, kind: kind, in: target, by: try participant(me), state: state, at: clock(),
        attachments: attachments, replyTo: replyTo, mentions: mentions)
      if state == .sending { try post(.send, message.id) }
      if let rest {
        let stored = try self.draft(of: me, in: conversation)?.text
        if stored.map({ $0.utf8.elementsEqual((draft ?? "").utf8) }) ?? true {
          try setDraft(rest, of: me, in: conversation)
        }
      } else if let draft {
        try database.run(
          "DELETE FROM draft WHERE participant = ? AND conversation = ? AND text = ?", me,
          conversation, draft)
      }
      try appendHistory(typed, of: me, shell: shell)
      try endTyping(of: me, in: conversation)
      return message
    }
  }

  /// Changes the text of an own message; keeps the old text as a revision (rule 3.3). A message
  /// that no network has yet just changes. An unchanged text writes nothing.
  ///
  /// - Throws: `RuleError.noSuchMessage`, `.notYours`, `.deleted`, `.cannotEdit`, `.editsAreOver`,
  ///   `.unreadable`, `.tooManyBytes`; `StoreError`.
  @discardableResult
  public func edit(
    _ message: ID<Message>, to body: String, by me: ID<Participant>, typed: String? = nil,
    shell: ShellID? = nil, mentions: [Mention] = []
  ) throws -> Message {
    try savepoint {
      var found = try own(message, by: me)
      // Compare bytes: a text with other bytes is another text, even if Swift considers the strings
      // equal.
      if found.body.utf8.elementsEqual(body.utf8) { return try presented([found], to: me)[0] }
      let name = try conversation(existing: found.conversation, for: me).name
      let abilities = try knownAbilities(of: found.conversation)
      try abilities.check(text: body, in: name)
      let now = clock()
      if try isHandedOver(found) { try abilities.checkEdit(of: found, at: now, in: name) }
      if found.state >= .sent {
        try database.run(
          """
          INSERT INTO revision(message, ordinal, body, at)
          SELECT ?1, ifnull(max(ordinal), 0) + 1, ?2, ?3 FROM revision WHERE message = ?1
          """, message, found.body, now)
        found.editedAt = now
        if try !isLocal(found) {
          try requireAccount(of: message)
          try post(.edit, message)
        }
      }
      found.body = body
      found.mentions = mentions
      try database.run(
        "UPDATE message SET body = ?, mentions = ?, edited_at = ?, revised = ? WHERE id = ?", body,
        mentions.json, found.editedAt, try nextChange(), message)
      try appendHistory(typed, of: me, shell: shell)
      return try presented([found], to: me)[0]
    }
  }

  /// Deletes an own message: wipes its body, revisions and attachments, and leaves a tombstone.
  /// Recalls a message that no network has yet instead; others are told of the deletion as soon as
  /// the network has the message.
  ///
  /// - Throws: `RuleError.noSuchMessage`, `.notYours`, `.deleted`, `.cannotDelete`; `StoreError`.
  @discardableResult
  public func deleteMessage(_ message: ID<Message>, by me: ID<Participant>) throws -> Message {
    try savepoint {
      var found = try own(message, by: me)
      try checkDeletion(of: found, by: me)
      if try !isHandedOver(found) {
        found.isRecalled = true
        try wipe(message, as: .recalled, at: nil)
      } else {
        found.deletedAt = clock()
        try wipe(message, as: .deleted, at: found.deletedAt)
        // While it is on its way, the network has no id for it yet: `noteSent` posts the deletion.
        if found.state < .sent { try noteDeletedText(of: found) }
        if try found.state >= .sent && !isLocal(found) {
          try requireAccount(of: message)
          try post(.delete, message)
        }
      }
      found.body = ""
      found.failure = nil
      found.attachments = []
      return try presented([found], to: me)[0]
    }
  }

  /// Recalls an own message that nobody else has (rule 3.7): `failed` or `sending`, unless its
  /// network may have it; or `sent` in a local conversation. Afterwards no list has it, and its
  /// body and attachments are wiped.
  ///
  /// The transaction decides whether somebody has it, so if a `noteDelivered` or a `noteTried`
  /// happens at the same moment, exactly one of the two wins.
  ///
  /// - Returns: the message with its body, to edit again, and its attachments: their files stay for
  ///   an hour, for a draft to name them by `path(of:)`.
  /// - Throws: `RuleError.othersHaveIt`, `.othersMayHaveIt`, `.cannotDelete`, `.noSuchMessage`,
  ///   `.notYours`, `.deleted`; `StoreError`.
  public func takeBack(_ message: ID<Message>, by me: ID<Participant>) throws -> Message {
    try savepoint {
      var found = try own(message, by: me)
      if found.state >= .sent {
        if try !isLocal(found) || othersHave(found) { throw RuleError.othersHaveIt(found.number) }
      } else if try isHandedOver(found) {
        try checkDeletion(of: found, by: me)
        throw RuleError.othersMayHaveIt(found.number)
      }
      try wipe(message, as: .recalled, at: nil)
      found.isRecalled = true
      return found
    }
  }

  /// Tries an own failed message again, under the same uid, so it cannot appear twice.
  ///
  /// - Throws: `RuleError.notFailed`, `.noSuchMessage`, `.notYours`, `.deleted`; what ``Abilities``
  ///   forbid, which may be more than when it was written; `StoreError`.
  @discardableResult
  public func retry(_ message: ID<Message>, by me: ID<Participant>) throws -> Message {
    try savepoint {
      var found = try own(message, by: me)
      guard found.state == .failed else { throw RuleError.notFailed(found.number) }
      try knownAbilities(of: found.conversation).check(
        text: found.body, isReply: found.replyTo != nil, files: found.attachments.map(\.bytes),
        in: conversation(existing: found.conversation, for: me).name)
      try requireAccount(of: message)
      try setState(.sending, failure: nil, of: message)
      try post(.send, message)
      found.state = .sending
      found.failure = nil
      return found
    }
  }
}
