// SPDX-License-Identifier: GPL-3.0-or-later

extension Schema {
  /// What people want to notice (rule 7.11), when old messages are removed (rule 7.12), and who
  /// made a room (rule 13.10).
  static let attentionStep = """
    CREATE TABLE room_attention(
      participant INTEGER NOT NULL REFERENCES participant(id),
      conversation INTEGER NOT NULL REFERENCES conversation(id) ON DELETE CASCADE,
      muted INTEGER NOT NULL DEFAULT 0,
      ignored INTEGER NOT NULL DEFAULT 0,
      notify INTEGER,                       -- 0 of all, 1 of mentions, 2 of none; NULL as usual
      PRIMARY KEY (participant, conversation)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE person_attention(
      participant INTEGER NOT NULL REFERENCES participant(id),
      person INTEGER NOT NULL REFERENCES participant(id),
      muted INTEGER NOT NULL DEFAULT 0,
      ignored INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (participant, person)
    ) STRICT, WITHOUT ROWID;

    -- From when on messages go that are older than `keep`.
    ALTER TABLE conversation ADD COLUMN keep_from INTEGER NOT NULL DEFAULT 0;

    -- Who made a room; NULL where nobody noted it. A third kind of conversation, 2, is a room of
    -- this machine that was removed: its name is free.
    ALTER TABLE conversation ADD COLUMN maker INTEGER REFERENCES participant(id);

    -- A name with a low line at its end looks otherwise than without: `lookAtNames` looks again.
    UPDATE participant SET skeleton = '' WHERE instr(name, '_') > 0;

    -- Events have three more kinds: 7 how long messages are kept, in milliseconds, or '' for ever;
    -- 8 the room was renamed, `text` is its former name; 9 it was removed.
    """
}
