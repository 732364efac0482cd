// SPDX-License-Identifier: GPL-3.0-or-later

extension DurableTransaction {
  /// Stores many new messages at once: it indexes their words together, at the end. One by one
  /// takes ten times as long, since FTS5 writes its changes after each statement that may have to
  /// be undone by itself.
  ///
  /// - Parameters:
  ///   - list: a table that has the ids of the new messages at the end; by default the new messages
  ///     are those with an id above the previous maximum.
  ///   - body: stores new messages; it must not change or remove the text of any.
  package func indexTogether<T>(listedIn list: String? = nil, _ body: () throws -> T) throws -> T {
    let triggers = try database.rows(
      """
      SELECT name, sql FROM sqlite_schema
      WHERE type = 'trigger' AND name IN ('message_inserted', 'message_removed', 'message_changed')
      """
    ) { (name: $0.text("name"), sql: $0.text("sql")) }
    for trigger in triggers { try database.execute("DROP TRIGGER \(trigger.name)") }
    let last = try database.first("SELECT max(id) FROM message") { $0.optionalInt64() } ?? nil
    let result = try body()
    let least = list == nil ? last.map { $0 + 1 } ?? .min : .min
    // Ascending, so that FTS5 adds them in one go.
    try database.run(
      """
      INSERT INTO message_text(rowid, body, facts)
      SELECT w.id, w.body, w.facts FROM \(list ?? "message") n CROSS JOIN message_words w
      WHERE n.id >= ? AND w.id = n.id ORDER BY n.id
      """, least)
    for trigger in triggers { try database.execute(trigger.sql) }
    return result
  }
}
