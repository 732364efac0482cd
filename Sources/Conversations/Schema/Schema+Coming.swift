// SPDX-License-Identifier: GPL-3.0-or-later

extension Schema {
  /// Joining and leaving (rule 13.5), members who are away too long to be recipients (rule 7.2),
  /// and the order of the list (rule 13.1).
  static let coming = """
    -- When the stay began; 0: before this was noted.
    ALTER TABLE membership ADD COLUMN joined INTEGER NOT NULL DEFAULT 0;

    -- When someone of this machine was here last; NULL for those on a network.
    ALTER TABLE participant ADD COLUMN here INTEGER;
    UPDATE participant SET here = unixepoch() * 1000 WHERE network = '';

    -- From when, a week after they were here last, to when messages are not for someone.
    CREATE TABLE absence(
      participant INTEGER NOT NULL REFERENCES participant(id),
      since INTEGER NOT NULL,
      until INTEGER NOT NULL,
      PRIMARY KEY (participant, since)
    ) STRICT, WITHOUT ROWID;

    -- Events have three more kinds: 2 someone joined, 3 left, 4 changed their name; `text` is the
    -- former one.
    CREATE INDEX event_place ON event(conversation, at);
    """
}
