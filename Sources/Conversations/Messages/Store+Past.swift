// SPDX-License-Identifier: GPL-3.0-or-later

/// What goes by time in a conversation, for those who go through all of it: what is past
/// (`Message.isPast`), and the other messages where a network told some of them late
/// (``isByTime(_:)``).
extension Reading where Self: ~Copyable {
  /// Where the newest so many past messages begin that were made before a moment; nil if there are
  /// not so many.
  ///
  /// - Parameters:
  ///   - until: the first moment that does not count any more; nil for none.
  ///   - isPast: false for those that are not past.
  package func start(
    ofNewestPast count: Int, in conversation: ID<Conversation>, until: Milliseconds?,
    isPast: Bool = true
  ) throws -> Store.PastPlace? {
    try database.first(
      """
      SELECT created_at, number FROM message m
      WHERE conversation = ? AND past = \(isPast ? 1 : 0) AND created_at < ? AND gone < 2 AND \(Store.isSound)
        AND \(Store.hasSoundTime)
      ORDER BY created_at DESC, number DESC LIMIT 1 OFFSET ?
      """, conversation, until ?? .max, max(1, count) - 1
    ) { Store.PastPlace(time: $0.time("created_at"), number: $0.int("number")) }
  }

  /// How many messages that are not past were made in a span of time, up to so many.
  package func count(
    in conversation: ID<Conversation>, since: Milliseconds, until: Milliseconds?, upTo limit: Int
  ) throws -> Int {
    try database.first(
      """
      SELECT count(*) FROM (SELECT 1 FROM message m
        WHERE conversation = ? AND past = 0 AND created_at >= ? AND created_at < ? AND gone < 2
          AND \(Store.isSound) AND \(Store.hasSoundTime) LIMIT ?)
      """, conversation, since, until ?? .max, limit
    ) { $0.int() } ?? 0
  }

  /// Past messages from a place on, the first of them; without those that were taken back.
  ///
  /// - Parameters: as above.
  package func past(
    in conversation: ID<Conversation>, from place: Store.PastPlace, until: Milliseconds?,
    limit: Int,
    for me: ID<Participant>, isPast: Bool = true
  ) throws -> [Message] {
    guard try self.conversation(conversation, for: me) != nil else { return [] }
    let found = try database.rows(
      Store.messageSelect
        + """
        WHERE m.conversation = ? AND m.past = \(isPast ? 1 : 0)
          AND (m.created_at, m.number) >= (?, ?) AND m.created_at < ? AND m.gone < 2 AND \(Store.hasSoundTime)
        ORDER BY m.created_at, m.number LIMIT ?
        """, conversation, place.time, place.number, until ?? .max, max(0, limit),
      read: Store.message)
    return try presented(found, to: me)
  }
}

extension Store {
  /// The place of a message in the order of time.
  package struct PastPlace: Hashable, Sendable {
    package var time: Milliseconds
    /// Of the message; tells those of one millisecond apart.
    package var number: Int

    package init(time: Milliseconds, number: Int) {
      (self.time, self.number) = (time, number)
    }
  }
}
