// SPDX-License-Identifier: GPL-3.0-or-later

extension Schema {
  /// Adds `past`, which is 1 for older messages from elsewhere: those of a log, and those of an
  /// export into an existing conversation. Their numbers follow the highest one, although messages
  /// with lower numbers are newer. `past` puts them before all others, ordered by their times, and
  /// read markers do not apply to them.
  ///
  /// A conversation that an import creates stays as it was exported: its numbers are its order, and
  /// its marks hold.
  static let past = """
    ALTER TABLE message ADD COLUMN past INTEGER NOT NULL DEFAULT 0;
    -- Of the messages before this column: those that are older than their number says.
    UPDATE message SET past = 1 FROM (
      SELECT conversation AS place, min(number) AS number FROM message WHERE id > 0
      GROUP BY conversation
    ) AS spoken
    WHERE message.id < 0 AND message.state = 2 AND message.conversation = spoken.place
      AND message.number > spoken.number;

    -- These contain `past`, so that SQLite can count without reading the table.
    -- For my newest message, and for the number of mine among those that count.
    DROP INDEX message_sender;
    CREATE INDEX message_sender ON message(sender, conversation, number, past) WHERE past = 0;
    CREATE INDEX message_live ON message(conversation, number, sender, gone, past) WHERE past = 0;
    CREATE INDEX message_past ON message(conversation, created_at, number) WHERE past = 1;
    """
}
