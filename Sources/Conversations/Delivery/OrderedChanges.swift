// SPDX-License-Identifier: GPL-3.0-or-later

/// One change in a conversation. No two changes have the same position, and each position is larger
/// than those before it, so whoever keeps the last one can go on there, without a gap or a
/// repetition, even in the middle of a transaction.
package struct OrderedChange: Hashable, Sendable {
  package enum What: Hashable, Sendable {
    case new(ID<Message>)
    case edited(ID<Message>)
    case deleted(ID<Message>)
    /// The state of one of the viewer's messages.
    case state(ID<Message>)
    case reaction(to: ID<Message>, emoji: String, isRemoved: Bool)
    /// The event whose number is the position.
    case event
    /// How far another person has got: the newest of the viewer's messages that they received, and
    /// that they saw, as numbers; 0 for none.
    case reached(delivered: Int, seen: Int)
  }

  package var position: Int64
  package var conversation: ID<Conversation>
  /// Who wrote the message, reacted, caused the event, or read.
  package var person: ID<Participant>
  package var what: What
}

extension OrderedChange {
  /// The message that changed; nil if it is no change of a message.
  package var message: ID<Message>? {
    switch what {
    case .new(let id), .edited(let id), .deleted(let id), .state(let id): id
    case .reaction(let id, _, _): id
    case .event, .reached: nil
    }
  }

  /// That a message arrived.
  package init(new message: Message) {
    self.init(
      position: message.id.rawValue, conversation: message.conversation, person: message.sender,
      what: .new(message.id))
  }
}

/// A part of the changes after a position.
package struct OrderedChanges: Sendable {
  package var changes: [OrderedChange]
  /// Where to continue.
  package var position: Int64
  package var hasMore: Bool
}

extension Access {
  /// The changes after a position, in order. Each row of the store has the number of its last
  /// change only: of a message that was edited twice since, there is one edit, with its newest text.
  ///
  /// - Parameters:
  ///   - start: an earlier `position`.
  ///   - me: the viewer.
  ///   - conversations: which ones; the viewer need not be in them. Nil for the viewer's own.
  ///   - limit: how many changes at most.
  package func orderedChanges(
    after start: Int64, for me: ID<Participant>, in conversations: Set<ID<Conversation>>? = nil,
    limit: Int
  ) throws -> OrderedChanges {
    let now = try position
    if now <= start { return OrderedChanges(changes: [], position: now, hasMore: false) }
    let wanted = conversations.map { list in
      "[" + list.map { String($0.rawValue) }.sorted().joined(separator: ",") + "]"
    }
    let changes = try database.rows(
      OrderedChange.select, start, me, limit, wanted, read: OrderedChange.init(_:))
    let hasMore = changes.count == limit
    return OrderedChanges(
      changes: changes, position: hasMore ? changes.last?.position ?? now : now, hasMore: hasMore)
  }
}

extension OrderedChange {
  private enum Kind: Int { case new, revised, moved, reaction, event, reached }

  fileprivate init(_ row: Row) {
    let message: ID<Message> = row.id("message")
    let flag = row.int("flag")
    what =
      switch Kind(rawValue: row.int("kind")) {
      case .new: .new(message)
      case .revised: flag > 0 ? .deleted(message) : .edited(message)
      case .moved: .state(message)
      case .reaction: .reaction(to: message, emoji: row.text("emoji"), isRemoved: flag > 0)
      case .event, nil: .event
      case .reached: .reached(delivered: row.int("message"), seen: flag)
      }
    (position, conversation, person) = (
      row.int64("position"), row.id("place"), row.id("person")
    )
  }

  fileprivate static let select: String = {
    /// Whether a column has a wanted conversation: one of the list `?4` or, without a list, one of
    /// the viewer's.
    func place(_ column: String, or stay: String, alsoIf other: String = "0") -> String {
      """
      CASE WHEN ?4 IS NULL THEN \(other) OR EXISTS (SELECT 1 FROM membership s
          WHERE s.conversation = \(column) AND s.participant = ?2 AND \(stay))
        ELSE \(column) IN (SELECT value FROM json_each(?4)) END
      """
    }
    let isMember = "s.last IS NULL"
    // The + keeps SQLite from searching by other columns; see `changes(since:for:limit:)`.
    let lists = [
      """
      m.id AS position, 0 AS kind, m.conversation AS place, m.sender AS person, m.id AS message,
        0 AS flag, '' AS emoji FROM message m
      WHERE m.id > ?1 AND m.id < \(Message.older) AND m.brought = 0 AND m.gone < 2
        AND \(place("m.conversation", or: """
          s.first <= m.number AND (s.last IS NULL OR s.last >= m.number)
          """)) ORDER BY m.id
      """,
      """
      m.revised, 1, m.conversation, m.sender, m.id, m.gone, '' FROM message m
      WHERE m.revised > ?1 AND \(place("m.conversation", or: isMember)) ORDER BY m.revised
      """,
      """
      m.moved, 2, m.conversation, m.sender, m.id, 0, '' FROM message m
      WHERE m.moved > ?1 AND +m.sender = ?2 AND m.gone < 2
        AND \(place("m.conversation", or: "1")) ORDER BY m.moved
      """,
      """
      x.change, 3, m.conversation, x.participant, x.message, x.removed, x.emoji
      FROM reaction x JOIN message m ON m.id = x.message
      WHERE x.change > ?1 AND \(place("m.conversation", or: isMember)) ORDER BY x.change
      """,
      """
      e.id, 4, e.conversation, e.participant, 0, 0, '' FROM event e
      WHERE e.id > ?1 AND \(place(
        "e.conversation", or: """
          (s.last IS NULL OR e.kind = \(Event.Kind.roomRemoved.rawValue) AND s.last > (
            SELECT c.last_number FROM conversation c WHERE c.id = e.conversation))
          """, alsoIf: "?2 IN (e.participant, e.other)")) ORDER BY e.id
      """,
      """
      r.change, 5, r.conversation, r.participant, \(newestOwn("r.delivered")),
        \(newestOwn("r.seen")), '' FROM reader r
      WHERE r.change > ?1 AND r.participant <> ?2
        AND \(place("r.conversation", or: isMember)) ORDER BY r.change
      """,
    ]
    return lists.map { "SELECT * FROM (SELECT \($0) LIMIT ?3)" }
      .joined(separator: "\nUNION ALL\n") + "\nORDER BY position LIMIT ?3"
  }()

  /// The number of the viewer's newest message up to a number in the conversation of reader `r`.
  private static func newestOwn(_ number: String) -> String {
    """
    ifnull((SELECT max(o.number) FROM message o WHERE o.sender = ?2
      AND o.conversation = r.conversation AND o.number <= \(number) AND o.brought < 2), 0)
    """
  }
}
