// SPDX-License-Identifier: GPL-3.0-or-later

extension Access {
  /// The quote of a message to answer.
  func quote(of message: ID<Message>, in conversation: ID<Conversation>) throws -> Quote {
    guard let found = try stored(message), found.conversation == conversation, !found.isRecalled
    else {
      throw RuleError.noSuchMessage(try stored(message)?.number ?? Int(message.rawValue))
    }
    if found.deletedAt != nil { throw RuleError.deleted(found.number) }
    return Quote(
      number: found.number, senderName: found.senderName,
      line: Quote.line(of: found.shownBody, file: found.attachments.first?.name ?? ""))
  }
}

extension Quote {
  /// The columns that `init(_:)` reads of the message that `m` answers. 80 graphemes hardly ever
  /// take more; the rest of a long text stays on disk.
  package static let columns = """
    m.reply_to, q.gone AS quoted_gone, q.kind AS quoted_kind,
    q.encrypted AS quoted_encrypted,
    \(Participant.name(of: "v", in: "m.conversation")) AS quoted_name,
    substr(q.body, 1, 2000) AS quoted_body,
    CASE WHEN q.attachments > 0 THEN
      (SELECT f.name FROM attachment f WHERE f.message = q.id ORDER BY f.ordinal LIMIT 1) END
      AS quoted_file
    """

  package static let joins = """

    LEFT JOIN message q ON q.conversation = m.conversation AND q.number = m.reply_to
    LEFT JOIN participant v ON v.id = q.sender
    """

  package init?(_ row: Row) {
    if row.isNull("reply_to") { return nil }
    let isGone = row.isNull("quoted_gone") || row.int("quoted_gone") != 0
    let body =
      !isGone && row.int("quoted_kind") == Message.Kind.unreadable.rawValue
      ? Message.unreadable(Message.Encryption(rawValue: row.int("quoted_encrypted")) ?? .none)
      : row.text("quoted_body")
    self.init(
      number: row.int("reply_to"), senderName: row.text("quoted_name"),
      line: isGone ? "" : Quote.line(of: body, file: row.text("quoted_file")),
      isDeleted: isGone)
  }
}
