// SPDX-License-Identifier: GPL-3.0-or-later

extension Schema {
  /// The one order of messages (``SortKey``), and how each arrived.
  ///
  /// Walks a conversation's messages in their previous order: those of `past` by time, then the
  /// others by number, or by time if `by_time` was set. Each gets its time as key, or the next key
  /// after the previous message if that is greater.
  static let order = """
    ALTER TABLE message ADD COLUMN sort INTEGER;
    -- 0 it arrived; 1 an import brought it with its whole conversation; 2 it is older than that.
    ALTER TABLE message ADD COLUMN brought INTEGER NOT NULL DEFAULT 0;
    UPDATE message SET brought = iif(past <> 0, 2, 1) WHERE past <> 0 OR id < 0;
    \(sorting(
      of: "message m JOIN conversation c ON c.id = m.conversation",
      by: "m.past <> 0 DESC, iif(m.past <> 0 OR c.by_time <> 0, m.created_at, 0), m.number"))

    DROP INDEX message_sender;
    DROP INDEX message_live;
    DROP INDEX message_past;
    DROP INDEX message_age;
    ALTER TABLE message DROP COLUMN past;
    ALTER TABLE conversation DROP COLUMN by_time;
    CREATE UNIQUE INDEX message_order ON message(conversation, sort);
    -- Both contain `brought`, so that SQLite can count without reading the table.
    CREATE INDEX message_sender ON message(sender, conversation, number, brought)
      WHERE brought < 2;
    CREATE INDEX message_brought ON message(conversation, number, brought) WHERE brought = 2;
    -- The messages whose position differs from their time, since a clock was wrong.
    CREATE INDEX message_displaced ON message(conversation, created_at)
      WHERE sort >> \(SortKey.bits) <> created_at;
    """

  /// Gives messages their sort keys. The order within each conversation is given, and each key is
  /// as close to the message's time as that order allows.
  package static func sorting(of rows: String, by order: String) -> String {
    """
    UPDATE message SET sort = ranked.sort FROM (
      SELECT id, place + max(at - place) OVER (PARTITION BY conversation ORDER BY place) AS sort
      FROM (
        SELECT m.id, m.conversation, \(SortKey.expression(for: "m.created_at")) AS at,
          row_number() OVER (PARTITION BY m.conversation ORDER BY \(order)) AS place
        FROM \(rows))
    ) AS ranked WHERE message.id = ranked.id;
    """
  }
}
