// SPDX-License-Identifier: GPL-3.0-or-later

/// A later change to a known message.
package enum MessageUpdate: Hashable, Sendable {
  /// It was edited, deleted or recalled; the message is the current version.
  case revised(Message)
  case reacted(ReactionUpdate)

  package var message: Message {
    switch self {
    case .revised(let message): message
    case .reacted(let update): update.message
    }
  }
}

extension Access {
  /// The messages that arrived in a conversation between two positions, in order of arrival, for
  /// any reader; without imported ones.
  ///
  /// - Returns: each with its position.
  package func arrivals(
    in conversation: ID<Conversation>, since: Int64, upTo end: Int64, limit: Int,
    for me: ID<Participant>
  ) throws -> [(position: Int64, message: Message)] {
    guard try self.conversation(conversation, for: me) != nil else { return [] }
    // The + keeps SQLite from searching by that column: few rows are new, and the conversation may
    // have many.
    let found = try database.rows(
      Message.select
        + """
        WHERE m.id > ? AND m.id <= ? AND +m.conversation = ? AND m.brought = 0 AND m.gone < 2
        ORDER BY m.id LIMIT ?
        """, since, min(end, Message.older - 1), conversation, limit, read: Message.init(_:))
    return try presented(found, to: me).map { ($0.id.rawValue, $0) }
  }

  /// The changes to a conversation's messages between two positions, in order, for a reader who
  /// need not be in it.
  ///
  /// - Parameters:
  ///   - since: an earlier `position`.
  ///   - end: a later one.
  ///   - number: leaves out messages with a larger number.
  package func messageUpdates(
    in conversation: ID<Conversation>, since: Int64, upTo end: Int64, ofMessagesUpTo number: Int,
    for me: ID<Participant>
  ) throws -> [MessageUpdate] {
    if end <= since { return [] }
    guard try self.conversation(conversation, for: me) != nil else { return [] }
    // The + keeps SQLite from searching by that column: few rows are new, and the conversation may
    // have many.
    let revised = try database.rows(
      Message.select
        + """
        WHERE m.revised > ? AND m.revised <= ? AND +m.conversation = ? AND +m.number <= ?
        ORDER BY m.revised
        """, since, end, conversation, number
    ) { (at: $0.int64("revised"), message: Message($0)) }
    var found = try zip(revised, presented(revised.map(\.message), to: me)).map {
      (at: $0.at, update: MessageUpdate.revised($1))
    }
    let reacted = try database.rows(
      """
      SELECT \(ChangedReaction.columns)
      FROM reaction x JOIN participant p ON p.id = x.participant
      JOIN message m ON m.id = x.message
      WHERE x.change > ? AND x.change <= ? AND +m.conversation = ? AND +m.number <= ?
      ORDER BY x.change
      """, since, end, conversation, number, read: ChangedReaction.init(_:))
    for entry in reacted {
      found += try reactionUpdates([entry], for: me).map { (entry.number, .reacted($0)) }
    }
    return found.sorted { $0.at < $1.at }.map(\.update)
  }
}
