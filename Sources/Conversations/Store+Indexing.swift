// SPDX-License-Identifier: GPL-3.0-or-later

extension Store {
  /// Stores many new messages at once: their words come into the search index together, at the end.
  /// One by one it takes ten times as long, since FTS5 writes out what changed after each statement
  /// that may have to be undone by itself.
  ///
  /// - Parameters:
  ///   - ids: asked at the end for the ids of the new messages; by default those above the greatest
  ///     there was.
  ///   - body: stores new messages; it must neither change nor remove the text of any.
  func indexTogether<T>(ids: (() -> ClosedRange<Int64>)? = nil, _ body: () throws -> T) throws -> T
  {
    try write(durable: true) {
      let triggers = try database.rows(
        """
        SELECT name, sql FROM sqlite_schema
        WHERE type = 'trigger' AND name IN ('message_inserted', 'message_removed', 'message_changed')
        """
      ) { (name: $0.text(0), sql: $0.text(1)) }
      for trigger in triggers { try database.execute("DROP TRIGGER \(trigger.name)") }
      let last = try database.first("SELECT max(id) FROM message") { $0.optionalInt64(0) } ?? nil
      let result = try body()
      // In a store without any, those that were imported elsewhere may be below zero.
      let new = ids?() ?? (last.map { $0 + 1 } ?? .min)...Int64.max
      try database.run(
        """
        INSERT INTO message_text(rowid, body, facts)
        SELECT id, body, facts FROM message_words WHERE id BETWEEN ? AND ? ORDER BY id
        """, new.lowerBound, new.upperBound)
      for trigger in triggers { try database.execute(trigger.sql) }
      return result
    }
  }
}
