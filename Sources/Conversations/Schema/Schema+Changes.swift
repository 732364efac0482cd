// SPDX-License-Identifier: GPL-3.0-or-later

extension Schema {
  /// Messages that moderators of a network's room removed, and known changes.
  static let changesStep = """
    -- The nickname of the moderator who removed it, '' if unknown; NULL for any other message.
    ALTER TABLE message ADD COLUMN removed_by TEXT;
    ALTER TABLE message ADD COLUMN removal_reason TEXT NOT NULL DEFAULT '';

    -- The corrections and reactions that were applied: a network may deliver them again.
    CREATE TABLE applied_change(
      message INTEGER NOT NULL REFERENCES message(id) ON DELETE CASCADE,
      participant INTEGER NOT NULL REFERENCES participant(id),
      archive_id TEXT,
      origin_id TEXT                        -- the author's own id; says nothing without the author
    ) STRICT;
    CREATE INDEX applied_change_message ON applied_change(message, participant);
    """

  /// Changes whose messages have not arrived yet, since an archive is read from its end; and a
  /// limit for the known changes.
  static let waitingChanges = """
    CREATE TABLE waiting_change(
      id INTEGER PRIMARY KEY,
      conversation INTEGER NOT NULL REFERENCES conversation(id) ON DELETE CASCADE,
      page INTEGER NOT NULL,                -- of the archive, the oldest first; 0: none
      kind INTEGER NOT NULL,                -- 0 correction, 1 retraction, 2 removal, 3 reaction
      archive_id TEXT,                      -- of the message
      origin_id TEXT,
      author TEXT,                          -- of the message, '' the owner; NULL where nobody tells
      speaker TEXT NOT NULL,                -- who changes it, as the network tells; '' the owner
      name TEXT NOT NULL,                   -- what they are called, or a moderator's nickname
      verified INTEGER NOT NULL,
      text TEXT NOT NULL,                   -- the new text, the emoji or the reason
      at INTEGER NOT NULL,
      change_archive TEXT,                  -- what the network knows the change by
      change_origin TEXT
    ) STRICT;
    CREATE INDEX waiting_change_message ON waiting_change(conversation, archive_id, origin_id);

    DROP INDEX applied_change_message;
    CREATE INDEX applied_change_known
      ON applied_change(message, participant, archive_id, origin_id);
    DELETE FROM applied_change WHERE rowid IN (
      SELECT number FROM (
        SELECT rowid AS number, row_number() OVER (
          PARTITION BY message, participant ORDER BY rowid DESC) AS place FROM applied_change)
      WHERE place > 250);
    """
}
