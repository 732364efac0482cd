// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// The lines of an export that are not messages. In each query, `?1` is NULL or a JSON array of the
/// wanted conversations; `?2` is the person who asks, or NULL to see everything (rule 11.6).
extension JSONShape {
  /// The first line; `?1` is the time.
  static let header = """
    SELECT \(object(
      JSONTable.header,
      [.hobnob: "'export'", .version: "\(version)", .exported: time("?1")]))
    """

  /// The last line. An export without it may have been cut off.
  static let end = JSONTable.end.line([:])

  /// Whether a conversation is wanted and visible.
  static func isWanted(_ id: String) -> String {
    """
    (?1 IS NULL OR \(id) IN (SELECT value FROM json_each(?1)))
      AND \(isVisible(id))
    """
  }

  /// Whether `?2` may see a conversation: a room, unless it belongs to another person's account, or
  /// their own direct chat.
  private static func isVisible(_ id: String) -> String {
    """
    \(id) NOT IN (SELECT k.id FROM conversation k
      WHERE k.kind = 1 AND ?2 NOT IN (k.one, k.other)
        OR NOT \(Account.isVisible(network: "k.network", to: "?2")))
    """
  }

  /// People: all of them, or those who take part in the conversations.
  static let participants = """
    SELECT \(line(JSONTable.participant, [
      .identity: "p.identity", .network: "nullif(p.network, '')", .name: "p.name",
      .lastConversation: """
        (SELECT \(conversationObject("k")) FROM conversation k
          WHERE k.id = p.last_conversation AND ?1 IS NULL AND \(isVisible("k.id")))
        """,
      .away: "CASE WHEN ?1 IS NULL THEN p.away END",
      .here: "CASE WHEN ?1 IS NULL THEN \(time("p.here")) END",
      .absences: """
        CASE WHEN ?1 IS NULL THEN \(list(
          object(JSONTable.absence, [.since: time("a.since"), .until: time("a.until")]),
          from: "absence a WHERE a.participant = p.id ORDER BY a.since")) END
        """,
    ]))
    FROM participant p
    WHERE \(Account.isVisible(network: "p.network", to: "?2")) AND (?1 IS NULL OR p.id IN (
      SELECT s.participant FROM membership s WHERE \(isWanted("s.conversation"))
      UNION SELECT m.sender FROM message m WHERE \(isWanted("m.conversation"))
      UNION SELECT r.participant FROM message m JOIN reaction r ON r.message = m.id
        WHERE \(isWanted("m.conversation"))
      UNION SELECT d.participant FROM reader d WHERE \(isWanted("d.conversation"))
      UNION SELECT e.participant FROM event e WHERE \(isWanted("e.conversation"))
      UNION SELECT e.other FROM event e WHERE \(isWanted("e.conversation"))
      UNION SELECT c.one FROM conversation c WHERE \(isWanted("c.id"))
      UNION SELECT c.other FROM conversation c WHERE \(isWanted("c.id"))
      UNION SELECT c.maker FROM conversation c WHERE \(isWanted("c.id"))))
    ORDER BY p.id
    """

  private static let conversation = """
    SELECT \(line(JSONTable.conversation, [
      .conversation: conversationObject("c"), .address: "nullif(c.address, substr(c.name, 2))",
      .topic: "nullif(c.topic, '')", .lastNumber: boundedNumber("c.last_number"),
      .lastTime: time("c.last_at"), .forgotten: "nullif(\(boundedNumber("c.forgotten")), 0)",
      .keep: "CASE WHEN c.keep > 0 THEN CAST(c.keep AS INTEGER) END",
      .maker: personObject(id: "c.maker"),
      .removed: "iif(c.kind = \(Conversation.removed), json('true'), NULL)",
    ]))
    FROM conversation c

    """
  static let conversations = conversation + "WHERE \(isWanted("c.id")) ORDER BY c.id"
  /// The conversation with the row `?1`.
  static let oneConversation = conversation + "WHERE c.id = ?1"

  /// The conversation with the row `?1`, whose name for the reader is `?2`, has `?3` unread messages;
  /// `?4` of them mention the reader.
  fileprivate static let oneUnread = """
    SELECT \(line(JSONTable.unread, [
      .conversation: conversationObject("c"), .name: "?2", .unread: "?3", .unreadMentions: "?4",
    ]))
    FROM conversation c WHERE c.id = ?1
    """

  static let members = """
    SELECT \(line(JSONTable.member, [
      .conversation: conversationObject("c"), .participant: personObject("p"),
      .first: boundedNumber("s.first", from: 1), .last: boundedNumber("s.last"),
      .joined: time("nullif(s.joined, 0)"),
    ]))
    FROM membership s JOIN conversation c ON c.id = s.conversation
    JOIN participant p ON p.id = s.participant
    WHERE \(isWanted("c.id")) ORDER BY s.conversation, s.participant, s.first
    """

  static let readers = """
    SELECT \(line(JSONTable.reader, [
      .conversation: conversationObject("c"), .participant: personObject("p"),
      .delivered: boundedNumber("r.delivered"), .seen: boundedNumber("r.seen"),
      .read: boundedNumber("r.read"),
    ]))
    FROM reader r JOIN conversation c ON c.id = r.conversation
    JOIN participant p ON p.id = r.participant
    WHERE \(isWanted("c.id")) ORDER BY r.conversation, r.participant
    """

  /// The messages in the order of this store, so that an import gets the same order, and ids that
  /// grow with it. The query sorts only numbers, not whole lines. Without the LIMIT, SQLite would
  /// drop the order, which a join need not keep.
  static let messages = """
    SELECT \(message) FROM (
      SELECT id AS row FROM message m WHERE \(isWanted("m.conversation")) AND \(Message.isSound)
      ORDER BY m.sort, m.id LIMIT -1
    ) o CROSS JOIN \(messageTables) WHERE m.id = o.row
    """

  private static let event = """
    SELECT \(line(JSONTable.event, [
      .conversation: conversationObject("c"), .time: time("e.at"), .participant: personObject("p"),
      .kind: word("e.kind", JSONTable.eventKinds), .other: personObject(id: "e.other"),
      .text: """
        json(CASE WHEN e.kind IN (2, 3, 10) THEN \(value("e.text"))
          WHEN e.text <> '' THEN json_quote(e.text) END)
        """,
    ]))
    FROM event e JOIN conversation c ON c.id = e.conversation
    JOIN participant p ON p.id = e.participant

    """
  static let events = event + "WHERE \(isWanted("e.conversation")) ORDER BY e.at, e.id"
  /// The event with the number `?1`.
  static let oneEvent = event + "WHERE e.id = ?1"

  /// Drafts are left out if only some conversations are exported: unsent messages are private.
  static let drafts = """
    SELECT \(line(JSONTable.draft, [
      .conversation: conversationObject("c"), .participant: personObject("p"), .text: "d.text",
      .caret: "min(max(d.caret, 0), length(CAST(d.text AS BLOB)))",
      .spans: "json(\(value("d.spans")))",
      .files: list(
        object(JSONTable.draftFile, [.path: "f.path", .name: "f.name"]),
        from: """
          draft_file f WHERE f.participant = d.participant AND f.conversation = d.conversation
          ORDER BY f.ordinal
          """),
    ]))
    FROM draft d JOIN conversation c ON c.id = d.conversation
    JOIN participant p ON p.id = d.participant
    WHERE ?1 IS NULL AND (?2 IS NULL OR d.participant = ?2)
    ORDER BY d.participant, d.conversation
    """

  static let inputHistory = """
    SELECT \(line(JSONTable.history, [
      .participant: personObject("p"), .line: "h.line",
    ]))
    FROM history h JOIN participant p ON p.id = h.participant
    WHERE ?1 IS NULL AND (?2 IS NULL OR h.participant = ?2)
    ORDER BY h.change, h.id
    """

  /// The hash of each file that messages use, and one of its names.
  static let files = """
    SELECT lower(hex(a.hash)) AS hash, min(a.name) AS name FROM attachment a
    JOIN message m ON m.id = a.message WHERE \(isWanted("m.conversation"))
    GROUP BY a.hash ORDER BY a.hash
    """
}

extension Access {
  /// An event as one line of JSON, like ``jsonLine(of:)`` for a message.
  package func jsonLine(ofEvent id: Int64) throws -> String? {
    try database.first(JSONShape.oneEvent, id, read: JSONShape.line)
  }

  /// A conversation as one line of JSON.
  package func jsonLine(ofConversation id: ID<Conversation>) throws -> String? {
    try database.first(JSONShape.oneConversation, id, read: JSONShape.line)
  }

  /// How much is unread in a conversation, as one line of JSON.
  package func jsonLine(of unread: Unread) throws -> String? {
    try database.first(
      JSONShape.oneUnread, unread.conversation.id, unread.conversation.name, unread.count,
      unread.mentions, read: JSONShape.line)
  }
}
