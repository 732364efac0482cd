// SPDX-License-Identifier: GPL-3.0-or-later

extension Schema {
  /// Events other than messages, who is away (rule 10), and the shapes of names (rule 12.3).
  static let events = """
    CREATE TABLE event(
      id INTEGER PRIMARY KEY,               -- drawn from meta.change
      conversation INTEGER NOT NULL REFERENCES conversation(id) ON DELETE CASCADE,
      participant INTEGER NOT NULL REFERENCES participant(id),  -- who did it
      other INTEGER REFERENCES participant(id),                 -- to whom
      kind INTEGER NOT NULL,                -- 0 a topic, 1 an invitation
      text TEXT NOT NULL,
      at INTEGER NOT NULL
    ) STRICT;

    -- The away message; '' if they gave none, NULL if they are not away.
    ALTER TABLE participant ADD COLUMN away TEXT;

    -- What the name looks like (`NameShape`); '' until hobnob has computed it.
    ALTER TABLE participant ADD COLUMN skeleton TEXT NOT NULL DEFAULT '';
    CREATE INDEX participant_skeleton ON participant(skeleton);
    """
}
