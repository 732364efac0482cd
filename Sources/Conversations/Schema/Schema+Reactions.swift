// SPDX-License-Identifier: GPL-3.0-or-later

extension Schema {
  /// Reactions and replies (rule 7.8), and how long a conversation keeps its messages.
  static let reactionsStep = """
    CREATE TABLE reaction(
      message INTEGER NOT NULL REFERENCES message(id) ON DELETE CASCADE,
      participant INTEGER NOT NULL REFERENCES participant(id),
      emoji TEXT NOT NULL,                  -- '' when it was removed: others have to notice that
      at INTEGER NOT NULL,
      change INTEGER NOT NULL,
      failure TEXT,                         -- why a network refused it
      PRIMARY KEY (message, participant)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX reaction_change ON reaction(change);
    CREATE TRIGGER message_gone AFTER UPDATE OF gone ON message WHEN new.gone > 0 BEGIN
      DELETE FROM reaction WHERE message = new.id;
    END;

    -- For operation 3 of the outbox: who reacted.
    ALTER TABLE outbox ADD COLUMN participant INTEGER REFERENCES participant(id);

    -- The number of the message it answers, in the same conversation; that may be deleted.
    ALTER TABLE message ADD COLUMN reply_to INTEGER;

    -- After how many milliseconds messages are deleted, NULL for never; the highest deleted number.
    ALTER TABLE conversation ADD COLUMN keep INTEGER;
    ALTER TABLE conversation ADD COLUMN forgotten INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX message_age ON message(conversation, created_at);
    """
}
