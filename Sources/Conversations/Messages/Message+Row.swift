// SPDX-License-Identifier: GPL-3.0-or-later

extension Message {
  /// The columns that `init(_:)` reads: of message `m`, its sender `p` and the message it answers.
  package static let columns = """
    m.id, m.uid, m.conversation, m.number, m.sort, m.brought, m.sender,
      \(Participant.name(of: "p", in: "m.conversation")) AS sender_name,
      p.identity AS sender_identity, m.body, m.kind, m.created_at, m.state, m.failure, m.edited_at,
      m.deleted_at, m.gone, m.revised, m.moved, \(Attachment.listColumn), \(Quote.columns),
      m.mentions, m.unverified, m.removed_by, m.removal_reason, m.encrypted
    """

  package static let rows =
    "FROM message m JOIN participant p ON p.id = m.sender AND \(isSound)\(Quote.joins)\n"

  static let select = "SELECT \(columns) " + rows

  /// Whether message `m` has a number and a sort key in the range that this program assigns. hobnob
  /// leaves out other rows instead of correcting them: paging through the messages would return a
  /// corrected row again and again. The + keeps SQLite from searching by it.
  package static let isSound = """
    +m.number BETWEEN \(numbers.lowerBound) AND \(numbers.upperBound) AND \(SortKey.isSound)
    """

  /// Whether `?` does not ignore the sender of message `m`. The + keeps SQLite from searching by
  /// it.
  static let isNotIgnored = """
    +m.sender NOT IN (
      SELECT person FROM person_attention WHERE participant = ? AND ignored <> 0)
    """

  /// Reads a message with its stored state; its sender may have to be shown a later one.
  package init(_ row: Row) {
    self.init(
      id: row.id("id"), uid: row.hex("uid"), conversation: row.id("conversation"),
      number: row.int("number"), sender: row.id("sender"), senderName: row.text("sender_name"),
      senderIdentity: row.text("sender_identity"), body: row.text("body"),
      kind: .init(rawValue: row.int("kind")) ?? .text, createdAt: row.time("created_at"),
      state: DeliveryState(rawValue: row.int("state")) ?? .sent,
      failure: row.optionalRemark("failure"), editedAt: row.optionalTime("edited_at"),
      deletedAt: row.optionalTime("deleted_at"), isRecalled: row.int("gone") == 2,
      attachments: Attachment.listed(row.optionalText("attachment_list")), replyTo: Quote(row),
      mentions: [Mention](row.json("mentions")), isUnverified: row.bool("unverified"),
      removal: row.optionalText("removed_by").map {
        Removal(moderator: $0, reason: row.text("removal_reason"))
      })
    sort = row.int64("sort")
    arrival = Arrival(rawValue: row.int("brought")) ?? .arrived
    encryption = Encryption(rawValue: row.int("encrypted")) ?? .none
  }
}

extension Access {
  /// A message, even if it was recalled; nil if there is none, or if it is in a direct chat of
  /// others.
  public func message(_ id: ID<Message>, for me: ID<Participant>) throws -> Message? {
    guard let found = try stored(id), try conversation(found.conversation, for: me) != nil
    else { return nil }
    return try presented([found], to: me)[0]
  }

  package func stored(_ id: ID<Message>) throws -> Message? {
    try database.first(Message.select + "WHERE m.id = ?", id, read: Message.init(_:))
  }
}
