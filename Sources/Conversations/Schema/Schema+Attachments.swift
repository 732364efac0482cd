// SPDX-License-Identifier: GPL-3.0-or-later

extension Schema {
  /// Files of messages (rule 8), and files waiting in a draft.
  static let attachments = """
    -- The number of files, so that a message without files needs no second query.
    ALTER TABLE message ADD COLUMN attachments INTEGER NOT NULL DEFAULT 0;

    CREATE TABLE attachment(
      message INTEGER NOT NULL REFERENCES message(id) ON DELETE CASCADE,
      ordinal INTEGER NOT NULL,
      hash BLOB NOT NULL CHECK (length(hash) = 32),   -- SHA-256; the name of the file
      name TEXT NOT NULL,
      type TEXT NOT NULL,
      bytes INTEGER NOT NULL,
      PRIMARY KEY (message, ordinal)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX attachment_hash ON attachment(hash);

    CREATE TABLE draft_file(
      participant INTEGER NOT NULL,
      conversation INTEGER NOT NULL,
      ordinal INTEGER NOT NULL,
      path TEXT NOT NULL,                   -- copied only when it is sent
      name TEXT,                            -- NULL for that of the path
      PRIMARY KEY (participant, conversation, ordinal),
      FOREIGN KEY (participant, conversation) REFERENCES draft(participant, conversation)
        ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;
    """
}
