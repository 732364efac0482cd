// SPDX-License-Identifier: GPL-3.0-or-later

/// Removes old messages from conversations that are set to do so.
extension Access {
  /// When hobnob will begin to remove messages, if that is in the future.
  package func keepBegins(in conversation: ID<Conversation>) throws -> Milliseconds? {
    try database.first(
      "SELECT keep_from FROM conversation WHERE id = ? AND keep IS NOT NULL AND keep_from > ?",
      conversation, clock()
    ) { $0.time() }
  }

  /// How many messages of a conversation are older than a moment and removable, and how many files
  /// belong to no other message.
  package func aged(
    in conversation: ID<Conversation>, before limit: Milliseconds
  ) throws -> (messages: Int, files: Int) {
    let isOld = Message.isOld("m")
    let messages = try database.first(
      "SELECT count(*) FROM message m WHERE \(isOld) AND m.gone = 0", conversation, limit
    ) { $0.int() }
    let files = try database.first(
      """
      SELECT count(DISTINCT a.hash) FROM message m JOIN attachment a ON a.message = m.id
      WHERE \(isOld) AND NOT EXISTS (
        SELECT 1 FROM attachment b JOIN message n ON n.id = b.message WHERE b.hash = a.hash
          AND NOT (n.conversation = ?1 AND n.created_at < ?2 AND n.state NOT IN (0, 1)))
      """, conversation, limit
    ) { $0.int() }
    return (messages ?? 0, files ?? 0)
  }

  /// How long a conversation keeps its messages, in milliseconds; nil for ever.
  package func keep(of conversation: ID<Conversation>) throws -> Milliseconds? {
    try database.first("SELECT keep FROM conversation WHERE id = ?", conversation) {
      $0.optionalInt64()
    } ?? nil
  }
}

extension Access where Mode: MayWrite {
  /// Removes some of the messages that are older than their conversation keeps them, the oldest
  /// first, with their revisions, reactions and words in the search index. Never reuses their
  /// numbers. Messages that wait for a network, or failed, stay.
  ///
  /// One short transaction, without the bell: call it again, in a quiet moment, until it returns 0.
  ///
  /// - Parameter budget: the maximum number of messages to remove; fewer if they are long. 50 take
  ///   one or two milliseconds.
  /// - Returns: how many it removed.
  @discardableResult
  package func forgetOld(now: Milliseconds, budget: Int = 50) throws -> Int {
    let kept = try database.rows(
      "SELECT id, keep FROM conversation WHERE keep IS NOT NULL AND keep_from <= ?", now
    ) {
      (id: $0.id("id") as ID<Conversation>, keep: $0.int64("keep"))
    }
    var (rest, bytes, gone) = (budget, 128 * 1024, 0)
    for conversation in kept where rest > 0 && bytes > 0 {
      let (limit, isTooEarly) = now.subtractingReportingOverflow(conversation.keep)
      if isTooEarly || limit < Message.times.lowerBound { continue }
      let count = try forget(in: conversation.id, before: limit, rows: rest, bytes: &bytes)
      (rest, gone) = (rest - count, gone + count)
    }
    return gone
  }

  fileprivate func forget(
    in conversation: ID<Conversation>, before limit: Milliseconds, rows: Int, bytes: inout Int
  ) throws -> Int {
    // If there is nothing to do, this takes two index look-ups and no lock.
    var found: [(id: ID<Message>, number: Int, length: Int)] = []
    for (condition, first) in [(Message.precedes, "sort"), (Message.isDisplaced, "created_at")]
    where found.isEmpty {
      found = try database.rows(
        """
        SELECT id, number, length(body) AS length FROM message
        WHERE \(condition) AND created_at < ?2 AND state NOT IN (0, 1)
        ORDER BY \(first) LIMIT ?3
        """, conversation, limit, rows
      ) { (id: $0.id("id"), number: $0.int("number"), length: $0.int("length")) }
    }
    if found.isEmpty { return 0 }
    var count = 0
    for message in found where bytes > 0 {
      bytes -= message.length
      count += 1
    }
    // One statement for all: after each statement FTS5 writes its changes and merges.
    let ids = found.prefix(count).map { String($0.id.rawValue) }.joined(separator: ",")
    try database.run(
      "DELETE FROM message WHERE id IN (SELECT value FROM json_each(?))", "[\(ids)]")
    let numbers = found.prefix(count).map { String($0.number) }.joined(separator: ",")
    try database.run(
      """
      DELETE FROM single_receipt
      WHERE conversation = ? AND number IN (SELECT value FROM json_each(?))
      """, conversation, "[\(numbers)]")
    // Waiting changes also contain texts; delete those that are as old.
    try database.run(
      "DELETE FROM waiting_change WHERE conversation = ? AND at < ?", conversation, limit)
    try database.run(
      "UPDATE conversation SET forgotten = max(forgotten, ?) WHERE id = ?",
      found.prefix(count).map(\.number).max() ?? 0, conversation)
    return count
  }
}

extension DurableTransaction {
  /// Sets how long a conversation keeps its messages; only `forgetOld` removes any.
  ///
  /// - Parameters:
  ///   - age: milliseconds after which to remove a message; nil, or less than one, for never,
  ///     the default.
  ///   - person: who sets it; hobnob tells the others (rule 7.12).
  ///   - delay: milliseconds until it begins.
  package func setKeep(
    _ conversation: ID<Conversation>, _ age: Milliseconds?, by person: ID<Participant>? = nil,
    after delay: Milliseconds = 0
  ) throws {
    let age = age.flatMap { $0 < 1 ? nil : $0 }
    if try keep(of: conversation) == age { return }
    try database.run(
      "UPDATE conversation SET keep = ?, keep_from = ? WHERE id = ?", age,
      age == nil || delay == 0 ? 0 : clock() + delay, conversation)
    guard let person else { return }
    try record(.keep, in: conversation, by: person, text: age.map { String($0) } ?? "")
  }
}

extension Message {
  /// Messages of conversation `?1` that precede the time `?2`, in order.
  fileprivate static let precedes =
    "conversation = ?1 AND sort < ?2 * \(SortKey.perMillisecond)"

  /// Whether a message is one of the few whose position differs from their time.
  fileprivate static let isDisplaced =
    "conversation = ?1 AND sort >> \(SortKey.bits) <> created_at"

  /// Whether a message of conversation `?1` is older than `?2`, and removable.
  fileprivate static func isOld(_ row: String) -> String {
    """
    \(row).created_at < ?2 AND \(row).state NOT IN (0, 1) AND \(row).id IN (
      SELECT id FROM message WHERE \(precedes)
      UNION ALL SELECT id FROM message WHERE \(isDisplaced) AND created_at < ?2)
    """
  }
}
