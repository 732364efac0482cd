// SPDX-License-Identifier: GPL-3.0-or-later

extension Schema {
  /// Joining and leaving (rule 13.5), members who are away too long to be recipients (rule 7.2),
  /// and the order of the list (rule 13.1).
  static let coming = """
    -- When the membership began; 0 if that was before this column.
    ALTER TABLE membership ADD COLUMN joined INTEGER NOT NULL DEFAULT 0;

    -- When a person of this machine last had a shell; NULL for people on a network.
    ALTER TABLE participant ADD COLUMN here INTEGER;
    UPDATE participant SET here = unixepoch() * 1000 WHERE network = '';

    -- When messages were not for a person: from a week after their last shell to the next one.
    CREATE TABLE absence(
      participant INTEGER NOT NULL REFERENCES participant(id),
      since INTEGER NOT NULL,
      until INTEGER NOT NULL,
      PRIMARY KEY (participant, since)
    ) STRICT, WITHOUT ROWID;

    -- Three more kinds of events: somebody 2 joined, 3 left, 4 changed their name, whose former one
    -- is in `text`.
    CREATE INDEX event_place ON event(conversation, at);
    """
}
