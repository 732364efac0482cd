// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Sentences

extension Import {
  /// What the store has under the uid of an imported message.
  struct ExistingMessage {
    var id: ID<Message>
    var number: Int64
    var state: Int
    var gone: Int
    var editedAt: Milliseconds?
  }

  enum Arrival {
    case new(ID<Message>)
    case known(ExistingMessage)
    /// The message is older than its conversation keeps messages, so hobnob would remove it again
    /// at once.
    case tooOld
  }

  /// Stores a message in order, unless the store has it. Replaces a taken number with the next free
  /// one. A network's id identifies a message just as its uid does. Leaves out messages that the
  /// conversation would remove at once, except those that wait for a network.
  func add(
    _ message: NewMessage<ID<Participant>>, in conversation: ImportedConversation
  ) throws -> Arrival {
    let known = try existing(message, in: conversation)
    let time = message.time ?? transaction.clock()
    if known == nil, time < conversation.oldest, message.state == .sent {
      report.tooOld += 1
      return .tooOld
    }
    let id = try known?.id ?? insert(message, at: time, in: conversation)
    if known == nil {
      try database.run("INSERT INTO import_message VALUES (?)", id)
      report.messages += 1
      conversation.hasNew = true
      conversation.lastAt = max(conversation.lastAt ?? time, time)
    } else {
      report.known += 1
    }
    if !conversation.isNew, let old = message.number {
      try database.run(
        """
        INSERT OR IGNORE INTO import_number(place, old, new)
        SELECT ?, ?, number FROM message WHERE id = ?
        """, conversation.id, old, id)
      if known == nil, let reply = message.answeredNumber {
        try database.run(
          "INSERT INTO import_reply(message, place, old) VALUES (?, ?, ?)", id, conversation.id,
          reply)
      }
    }
    return known.map { .known($0) } ?? .new(id)
  }

  private func insert(
    _ message: NewMessage<ID<Participant>>, at time: Milliseconds,
    in conversation: ImportedConversation
  ) throws -> ID<Message> {
    // An older message by others moves nobody's marker and never counts as unread. A message that
    // still waits to be sent is not past.
    let isPast = (message.isPast || !conversation.isNew) && message.state == .sent
    let sort = try conversation.keys.free(
      from: message.sort ?? SortKey.first(at: time), in: database)
    let isNewest = newest.map { sort >= $0 } ?? true
    let id = try isNewest ? ID(rawValue: transaction.nextChange()) : transaction.idForOlder()
    if isNewest { newest = sort }
    var stored = message
    if !conversation.isNew { stored.answeredNumber = nil }
    for number in [message.number, conversation.lastNumber + 1].compactMap({ $0 }) {
      guard number <= Message.numbers.upperBound else {
        throw LineFault("the conversation holds too many messages")
      }
      let isIn = try transaction.insert(
        stored,
        at: MessagePosition(
          id: id, number: number, sort: sort, arrival: isPast ? .past : .withConversation),
        in: conversation.id)
      if isIn != nil {
        conversation.lastNumber = max(conversation.lastNumber, number)
        return id
      }
    }
    throw StoreError.corrupt(
      path: transaction.path,
      detail: filled(("message %1 appears twice", [String(conversation.lastNumber + 1)])))
  }

  private func existing(
    _ message: NewMessage<ID<Participant>>, in conversation: ImportedConversation
  ) throws -> ExistingMessage? {
    // Read its state after the earlier lines of this import.
    let columns = """
      SELECT m.id, m.number, m.state, ifnull(c.gone, m.gone) AS gone,
        CASE WHEN c.message IS NULL THEN m.edited_at ELSE c.edited_at END AS edited_at,
        m.conversation
      FROM message m LEFT JOIN import_change c ON c.message = m.id
      """
    func existing(_ row: Row) -> ExistingMessage {
      ExistingMessage(
        id: row.id("id"), number: Int64(row.int("number")), state: row.int("state"),
        gone: row.int("gone"), editedAt: row.optionalTime("edited_at"))
    }
    let same = try database.first(columns + " WHERE m.uid = ?", message.uid) {
      (existing($0), $0.id("conversation") == conversation.id)
    }
    if let (known, isHere) = same {
      // A message that was sent to some people must not get into a conversation that others read.
      guard isHere else {
        throw LineFault("the message's uid already belongs to a message in another conversation")
      }
      return known
    }
    if let archiveID = message.name.archive {
      let known = try database.first(
        columns + " WHERE m.conversation = ? AND m.archive_id = ?", conversation.id, archiveID,
        read: existing)
      if let known { return known }
    }
    guard let remoteID = message.name.origin else { return nil }
    return try database.first(
      columns + """
         WHERE m.conversation = ?1 AND m.remote_id = ?2 AND m.sender = ?3
          AND (m.archive_id IS NULL OR ?4 IS NULL)
        """, conversation.id, remoteID, message.speaker, message.name.archive, read: existing)
  }

  // MARK: Messages that the store has

  /// Updates a stored message to the imported state, if that is newer: deleted is newer than
  /// existing, a later edit than an earlier one, sent than unsent.
  func update(
    _ known: ExistingMessage, to message: NewMessage<ID<Participant>>, _ revisions: [Revision]
  )
    throws
  {
    var hasChanged = false
    if message.state == .sent, known.state < DeliveryState.sent.rawValue {
      hasChanged = true
      try database.run(
        "UPDATE message SET state = ?, failure = NULL WHERE id = ?", message.state.rawValue,
        known.id)
      try database.run("DELETE FROM outbox WHERE message = ? AND operation = 0", known.id)
    }
    let isEdited = known.gone == 0 && (message.editedAt ?? .min) > (known.editedAt ?? .min)
    if known.gone == 0, message.gone > 0 || isEdited {
      hasChanged = true
      try database.run("DELETE FROM revision WHERE message = ?", known.id)
      try add(revisions, to: known.id)
      // All new messages must be in the search index first.
      try database.run(
        "INSERT OR REPLACE INTO import_change VALUES (?, ?, ?, ?, ?, ?, ?, ?)", known.id,
        message.body, message.mentions.json, message.editedAt, message.deletedAt, message.gone,
        message.removal?.moderator, message.removal?.reason ?? "")
    }
    if hasChanged {
      report.changed += 1
      report.known -= 1
    }
  }

  /// Call this after new messages are in the search index.
  func applyChanges() throws {
    try database.run(
      """
      DELETE FROM attachment WHERE message IN (SELECT message FROM import_change WHERE gone > 0)
      """)
    try database.run(
      """
      UPDATE message SET body = c.body, mentions = c.mentions, edited_at = c.edited_at,
        deleted_at = c.deleted_at, gone = c.gone, removed_by = c.removed_by,
        removal_reason = c.removal_reason,
        attachments = CASE WHEN c.gone > 0 THEN 0 ELSE attachments END
      FROM import_change c WHERE c.message = message.id
      """)
  }

  func add(_ revisions: [Revision], to message: ID<Message>) throws {
    for (index, revision) in revisions.enumerated() {
      try database.run(
        "INSERT INTO revision(message, ordinal, body, at) VALUES (?, ?, ?, ?)", message, index + 1,
        revision.body, revision.at)
    }
  }
}
