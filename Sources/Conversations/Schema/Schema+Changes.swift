// SPDX-License-Identifier: GPL-3.0-or-later

extension Schema {
  /// Messages that moderators of a network's room removed, and the changes that are known.
  static let changes = """
    -- The moderator's nickname, '' for one without; NULL for a message that nobody else deleted.
    ALTER TABLE message ADD COLUMN removed_by TEXT;
    ALTER TABLE message ADD COLUMN removal_reason TEXT NOT NULL DEFAULT '';

    -- Corrections and reactions that were applied: a network that tells them again tells nothing new.
    CREATE TABLE applied_change(
      message INTEGER NOT NULL REFERENCES message(id) ON DELETE CASCADE,
      participant INTEGER NOT NULL REFERENCES participant(id),
      archive_id TEXT,
      origin_id TEXT                        -- the author's own id; says nothing without the author
    ) STRICT;
    CREATE INDEX applied_change_message ON applied_change(message, participant);
    """
}
