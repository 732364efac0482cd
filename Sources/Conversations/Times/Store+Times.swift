// SPDX-License-Identifier: GPL-3.0-or-later

extension Reading where Self: ~Copyable {
  /// The least and the greatest number among the messages of a conversation that were made in a span
  /// of time; nil if there are none. Between the two there may be others: what a network brings late
  /// has an older time than what was there before.
  ///
  /// Takes time in proportion to the messages in the span, not to the conversation.
  ///
  /// - Parameters:
  ///   - since: the first moment that counts.
  ///   - until: the first moment that does not count any more; nil for none.
  ///   - past: whether those count that are past.
  package func numbers(
    in conversation: ID<Conversation>, since: Milliseconds, until: Milliseconds?, past: Bool = true
  ) throws -> ClosedRange<Int>? {
    let found = try database.first(
      """
      SELECT min(number) AS least, max(number) AS greatest FROM message m
      WHERE conversation = ?1 AND created_at >= ?2 AND (?3 IS NULL OR created_at < ?3)
        AND (?4 OR +past = 0) AND \(Store.isSound)
      """, conversation, since, until, past
    ) { $0.isNull("least") ? nil : (least: $0.int("least"), greatest: $0.int("greatest")) }
    return (found ?? nil).map { $0.least...$0.greatest }
  }
}
