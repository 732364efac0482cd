// SPDX-License-Identifier: GPL-3.0-or-later

extension Schema {
  /// Each person may give a message several reactions.
  static let severalReactions = """
    CREATE TABLE former_reaction AS SELECT * FROM reaction WHERE emoji <> '';
    DROP TABLE reaction;
    CREATE TABLE reaction(
      message INTEGER NOT NULL REFERENCES message(id) ON DELETE CASCADE,
      participant INTEGER NOT NULL REFERENCES participant(id),
      emoji TEXT NOT NULL,
      removed INTEGER NOT NULL DEFAULT 0,   -- 1 when it was removed: others have to notice that
      at INTEGER NOT NULL,
      change INTEGER NOT NULL,
      failure TEXT,                         -- why a network refused it
      PRIMARY KEY (message, participant, emoji)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO reaction(message, participant, emoji, at, change)
      SELECT message, participant, emoji, at, change FROM former_reaction;
    DROP TABLE former_reaction;
    CREATE INDEX reaction_change ON reaction(change);

    -- Operation 3 of the outbox: which reaction was given or removed; '' for any that was removed.
    ALTER TABLE outbox ADD COLUMN emoji TEXT;
    UPDATE outbox SET emoji = ifnull((SELECT r.emoji FROM reaction r
      WHERE r.message = outbox.message AND r.participant = outbox.participant), '')
    WHERE operation = 3;
    """
}
