// SPDX-License-Identifier: GPL-3.0-or-later
import Platform

extension Reading where Self: ~Copyable {
  /// A message of mine that is still there, as stored.
  fileprivate func own(_ id: ID<Message>, by me: ID<Participant>) throws -> Message {
    guard let found = try stored(id), try conversation(found.conversation, for: me) != nil,
      !found.isRecalled
    else { throw RuleError.noSuchMessage(try stored(id)?.number ?? Int(id.rawValue)) }
    guard found.sender == me else { throw RuleError.notYours(found.number) }
    guard found.deletedAt == nil else { throw RuleError.deleted(found.number) }
    return found
  }

  fileprivate func isLocal(_ message: Message) throws -> Bool {
    try database.exists(
      "SELECT 1 FROM conversation WHERE id = ? AND network = ''", message.conversation)
  }
}

extension Writing where Self: ~Copyable {
  fileprivate func insert(
    _ body: String, kind: Message.Kind, in place: Conversation, by sender: Participant,
    state: DeliveryState, at time: Milliseconds, attachments: [Attachment],
    replyTo: ID<Message>?, mentions: String
  ) throws -> Message {
    let quote = try replyTo.map { try self.quote(of: $0, in: place.id) }
    // What is said to someone who closed a direct chat opens it again for them.
    if place.kind == .direct { try reopen(place.id) }
    let id = ID<Message>(rawValue: try nextChange())
    let sort = try sort(ofArrivalAt: time, in: place.id)
    var new = NewMessage(speaker: sender.id, body: body, kind: kind, time: time)
    (new.state, new.answeredNumber, new.mentions) = (state, quote?.number, mentions)
    let (uid, number) = try store(new, as: id, sort: sort, .arrived, in: place)
    var message = Message(
      id: id, uid: hexadecimal(uid), conversation: place.id, number: number, sender: sender.id,
      senderName: sender.name, senderIdentity: sender.identity, body: body, kind: kind,
      createdAt: time, state: state, replyTo: quote, mentions: mentions)
    message.sort = sort
    try append(attachments, to: &message)
    return message
  }

  package func reopen(_ direct: ID<Conversation>) throws {
    let two = try database.first(
      "SELECT one, other FROM conversation WHERE id = ?", direct
    ) { (one: $0.id("one") as ID<Participant>, other: $0.id("other") as ID<Participant>) }
    guard let two else { return }
    try enter(two.one, direct)
    if two.other != two.one { try enter(two.other, direct) }
  }

  package func post(_ operation: OutboxEntry.Operation, _ message: ID<Message>) throws {
    try database.run(
      "INSERT INTO outbox(id, message, operation) VALUES (?, ?, ?)", try nextChange(), message,
      operation.rawValue)
  }

  package func wipe(_ message: ID<Message>, gone: Int, at time: Milliseconds?) throws {
    try database.run("DELETE FROM revision WHERE message = ?", message)
    try database.run("DELETE FROM outbox WHERE message = ?", message)
    try database.run("DELETE FROM attachment WHERE message = ?", message)
    try database.run(
      """
      UPDATE message SET body = '', failure = NULL, attachments = 0, gone = ?, deleted_at = ?,
        revised = ?
      WHERE id = ?
      """, gone, time, try nextChange(), message)
  }

  package func setState(_ state: DeliveryState, failure: String?, of message: ID<Message>) throws {
    try database.run(
      "UPDATE message SET state = ?, failure = ?, moved = ? WHERE id = ?", state.rawValue, failure,
      try nextChange(), message)
  }
}

extension DurableTransaction {
  /// Says something. One transaction, on the disk before it returns: the message, the draft it came
  /// from cleared, `typed` added to my input history, my typing signal ended; then the bell.
  ///
  /// - Parameters:
  ///   - body: the text as typed; the store keeps exactly this.
  ///   - typed: the line for the input history (rule 1.12), or nil for none.
  ///   - shell: whose history it is; the attached shell's by default.
  ///   - attachments: what `keep` gave, in order; the text may be empty when there are some.
  ///   - requireMembership: false lets `hobnob send` speak without being in the conversation, and
  ///     does not bring it in.
  ///   - replyTo: the message it answers, in the same conversation (rule 7.8).
  ///   - mentions: who is meant by what in the text, in a form of the caller's.
  ///   - draft: the text of the draft that is sent with it, as the sender last stored or found it;
  ///     nil where it came from none. A draft of another text is somebody's line in another shell,
  ///     and stays (rule 5.3).
  ///   - rest: what stays of that draft: lines that were set aside (rule 13.3).
  /// - Returns: the message, `sent` in a local conversation, `sending` where a network carries it.
  /// - Throws: `RuleError.notAMember`, `.noSuchRoom`; `.noSuchAccount` where the network's account was
  ///   removed; `.noSuchMessage`, `.deleted` for what it answers; `AttachmentError.gone`; `StoreError`.
  @discardableResult
  public func send(
    _ body: String, kind: Message.Kind = .text, in conversation: ID<Conversation>,
    by me: ID<Participant>, typed: String? = nil, shell: ShellID? = nil,
    requireMembership: Bool = true, attachments: [Attachment] = [], replyTo: ID<Message>? = nil,
    mentions: String = "", draft: String? = nil, rest: Draft? = nil
  ) throws -> Message {
    let place = try required(conversation, for: me)
    if requireMembership, try !isInside(me, of: conversation) {
      throw RuleError.notAMember(place.name)
    }
    if let network = place.network { try requireAccount(of: network) }
    let state: DeliveryState = place.network == nil ? .sent : .sending
    if presence == nil { try noteHere(me) }
    let message = try insert(
      body, kind: kind, in: place, by: try participant(me), state: state, at: clock(),
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
    try remember(typed, of: me, shell: shell)
    try endTyping(of: me, in: conversation)
    // Nobody has it yet.
    return message
  }

  /// Gives a message of mine another text: the same message in the same place, the former text kept
  /// as a revision (rule 3.3). One that no network has yet just changes. An unchanged text writes
  /// nothing.
  ///
  /// - Throws: `RuleError.noSuchMessage`, `.notYours`, `.deleted`; `StoreError`.
  @discardableResult
  public func edit(
    _ message: ID<Message>, to body: String, by me: ID<Participant>, typed: String? = nil,
    shell: ShellID? = nil, mentions: String = ""
  ) throws -> Message {
    var found = try own(message, by: me)
    // Other bytes are another text, even where Swift calls the strings equal.
    if found.body.utf8.elementsEqual(body.utf8) { return try presented([found], to: me)[0] }
    if found.state >= .sent {
      let now = clock()
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
      mentions, found.editedAt, try nextChange(), message)
    try remember(typed, of: me, shell: shell)
    return try presented([found], to: me)[0]
  }

  /// Retracts a message of mine: a tombstone stays, its body, revisions and attachments are
  /// wiped. One that no network has yet is taken back instead, since there is nothing to retract.
  ///
  /// - Throws: `RuleError.noSuchMessage`, `.notYours`, `.deleted`; `StoreError`.
  @discardableResult
  public func deleteMessage(_ message: ID<Message>, by me: ID<Participant>) throws -> Message {
    var found = try own(message, by: me)
    if found.state < .sent {
      found.isRecalled = true
      try wipe(message, gone: 2, at: nil)
    } else {
      found.deletedAt = clock()
      try wipe(message, gone: 1, at: found.deletedAt)
      if try !isLocal(found) {
        try requireAccount(of: message)
        try post(.delete, message)
      }
    }
    found.body = ""
    found.failure = nil
    found.attachments = []
    return try presented([found], to: me)[0]
  }

  /// Takes back a message of mine that nobody else has (rule 3.7): `sending`, `failed`, or `sent` in
  /// a local conversation. Afterwards it is not listed any more, and its body and attachments are wiped.
  ///
  /// Whether somebody has it is decided inside the transaction, so against a `noteDelivered` at the
  /// same moment exactly one of the two wins.
  ///
  /// - Returns: the message with its body, to be put on the line again, and its attachments: their
  ///   files stay for an hour, for a draft to name them by `path(of:)`.
  /// - Throws: `RuleError.othersHaveIt`, `.noSuchMessage`, `.notYours`, `.deleted`; `StoreError`.
  public func takeBack(_ message: ID<Message>, by me: ID<Participant>) throws -> Message {
    var found = try own(message, by: me)
    if found.state >= .sent, try !isLocal(found) || othersHave(found) {
      throw RuleError.othersHaveIt(found.number)
    }
    try wipe(message, gone: 2, at: nil)
    found.isRecalled = true
    return found
  }

  /// Tries a failed message of mine again, under the same uid, so that it cannot appear twice.
  ///
  /// - Throws: `RuleError.notFailed`, `.noSuchMessage`, `.notYours`, `.deleted`; `StoreError`.
  @discardableResult
  public func retry(_ message: ID<Message>, by me: ID<Participant>) throws -> Message {
    var found = try own(message, by: me)
    guard found.state == .failed else { throw RuleError.notFailed(found.number) }
    try requireAccount(of: message)
    try setState(.sending, failure: nil, of: message)
    try post(.send, message)
    found.state = .sending
    found.failure = nil
    return found
  }
}
