// SPDX-License-Identifier: GPL-3.0-or-later

extension Schema {
  /// What people want to notice (rule 7.11), when old messages are removed (rule 7.12), and who
  /// created a room (rule 13.10).
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

    -- When the deletion of messages older than `keep` begins.
    ALTER TABLE conversation ADD COLUMN keep_from INTEGER NOT NULL DEFAULT 0;

    -- Who created a room; NULL if unknown. Kind 2 of a conversation is a room of this machine that
    -- was removed: its name is free.
    ALTER TABLE conversation ADD COLUMN maker INTEGER REFERENCES participant(id);

    -- An underscore at the end of a name now counts: hobnob computes these shapes again.
    UPDATE participant SET skeleton = '' WHERE instr(name, '_') > 0;

    -- Three more kinds of events: 7 sets how long messages are kept, in milliseconds, '' for ever;
    -- 8 renames the room, whose former name is in `text`; 9 removes it.
    """
}
