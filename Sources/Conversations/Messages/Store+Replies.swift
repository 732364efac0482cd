// SPDX-License-Identifier: GPL-3.0-or-later

/// What stands above an answer: whom and what it answers (rule 7.8).
public struct Quote: Hashable, Sendable {
  /// The number of the message, in the same conversation.
  public var number: Int
  /// The name its sender shows now; empty when the message is no longer stored.
  public var senderName: String
  /// The first line that is not blank, at most 80 graphemes, cut with `…`; the name of the first
  /// file where there is none; empty when it is gone.
  public var line: String
  /// Whether the message was deleted, taken back or forgotten.
  public var isDeleted: Bool

  public init(number: Int, senderName: String, line: String, isDeleted: Bool = false) {
    self.number = number
    self.senderName = senderName
    self.line = line
    self.isDeleted = isDeleted
  }

  /// The beginning of a message's text.
  ///
  /// - Parameter file: the name of the first file that came with it.
  static func line(of body: String, file: String) -> String {
    let line =
      body.split(whereSeparator: \.isNewline)
      .first { !$0.allSatisfy(\.isWhitespace) }.map(String.init) ?? file
    return line.count > 80 ? line.prefix(79) + "…" : line
  }
}

extension Store {
  /// 80 graphemes are hardly ever more; the rest of a long text stays on the disk.
  static let quoteColumns = """
    m.reply_to, q.gone, v.name, substr(q.body, 1, 2000),
    CASE WHEN q.attachments > 0 THEN
      (SELECT f.name FROM attachment f WHERE f.message = q.id ORDER BY f.ordinal LIMIT 1) END
    """
  static let quoteColumnCount: Int32 = 5
  static let quoteJoins = """

    LEFT JOIN message q ON q.conversation = m.conversation AND q.number = m.reply_to
    LEFT JOIN participant v ON v.id = q.sender
    """

  static func quote(_ row: Row, from first: Int32) -> Quote? {
    if row.isNull(first) { return nil }
    let isGone = row.isNull(first + 1) || row.int(first + 1) != 0
    return Quote(
      number: row.int(first), senderName: row.text(first + 2),
      line: isGone ? "" : Quote.line(of: row.text(first + 3), file: row.text(first + 4)),
      isDeleted: isGone)
  }

  /// The quote of a message that is going to be answered. Part of a transaction.
  func quote(of message: ID<Message>, in place: ID<Conversation>) throws -> Quote {
    guard let found = try stored(message), found.conversation == place, !found.isRecalled else {
      throw RuleError.noSuchMessage(try stored(message)?.number ?? Int(message.rawValue))
    }
    if found.deletedAt != nil { throw RuleError.deleted(found.number) }
    return Quote(
      number: found.number, senderName: found.senderName,
      line: Quote.line(of: found.body, file: found.attachments.first?.name ?? ""))
  }
}
