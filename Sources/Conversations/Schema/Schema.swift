// SPDX-License-Identifier: GPL-3.0-or-later

/// The tables and the migrations to them.
///
/// `application_id` identifies a store; `user_version` counts its migrations. Never change a
/// migration that was released: add a new one.
///
/// `meta.change` is a counter that only grows. Every change that others must notice has a number
/// from it: the `id` of a message that arrived is its number on arrival, `revised` and `moved` are
/// the numbers of its last edit and last change of state, and so on. "What happened since 1234" is
/// then a search in an index.
package enum Schema {
  /// "hobn"
  package static let applicationID: Int64 = 0x686f_626e

  package static let steps: [String] = [
    first, attachments, searchStep, reactionsStep, mentions, peopleStep, events, past,
    shapes, coming, coloursStep, networks, secrets, links, attentionStep,
    changesStep, archives, approachesStep, waitingChanges, entering, order,
    addressRules, accountStatus, abilities, ownerNotices, severalReactions, notices,
    notified, ranks, triedRequests, roomNames, gaps,
    doubtful, ownNicks,
  ]

  package static var version: Int { steps.count }

  static func version(of database: Database) throws -> Int {
    try migrations(steps).version(of: database)
  }

  /// Whether a file is a store, and how many migrations it has had.
  static func state(of database: Database) throws -> (isOurs: Bool, version: Int) {
    try migrations(steps).state(of: database)
  }

  package static func migrate(_ database: Database, steps: [String] = steps, shared: Bool) throws {
    try migrations(steps).run(on: database) {
      try database.run("INSERT INTO meta(id, shared) VALUES (1, ?)", shared)
    }
  }

  private static func migrations(_ steps: [String]) -> Migrations {
    Migrations(applicationID: applicationID, steps: steps)
  }

  /// The people whom a message mentions (rule 2.10), in a form that the store does not read.
  static let mentions = "ALTER TABLE message ADD COLUMN mentions TEXT NOT NULL DEFAULT ''"

  /// A new table defines the shapes of names: `checkLookAlikes` computes them again.
  static let shapes = "UPDATE participant SET skeleton = ''"

  /// The day when anyone last entered a room, joined or not (rule 13.10).
  static let entering = "ALTER TABLE conversation ADD COLUMN entered_at INTEGER"

  /// The newest message that a shell of this person has claimed for a notification.
  static let notified = "ALTER TABLE participant ADD COLUMN notified INTEGER NOT NULL DEFAULT 0"

  /// Whether a message of mine failed although others may have it (rule 14.2).
  static let doubtful = "ALTER TABLE message ADD COLUMN doubtful INTEGER NOT NULL DEFAULT 0"

  static let first = """
    CREATE TABLE meta(
      id INTEGER PRIMARY KEY CHECK (id = 1),
      change INTEGER NOT NULL DEFAULT 0,    -- the last number drawn
      people INTEGER NOT NULL DEFAULT 0,    -- when presence, a name or a membership last changed
      shared INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE participant(
      id INTEGER PRIMARY KEY,
      network TEXT NOT NULL,                -- '' for one of this machine
      identity TEXT NOT NULL,
      name TEXT NOT NULL,
      last_conversation INTEGER REFERENCES conversation(id) ON DELETE SET NULL,
      UNIQUE (network, identity)
    ) STRICT;
    CREATE INDEX participant_name ON participant(name);

    CREATE TABLE conversation(
      id INTEGER PRIMARY KEY,
      kind INTEGER NOT NULL,                -- 0 a room, 1 direct
      network TEXT NOT NULL,                -- '' when this store is all of it
      name TEXT NOT NULL,                   -- of a room, with its #
      folded TEXT NOT NULL,                 -- the name in lower case
      one INTEGER REFERENCES participant(id),   -- of a direct chat: the two, smaller id first
      other INTEGER REFERENCES participant(id),
      topic TEXT NOT NULL DEFAULT '',
      last_number INTEGER NOT NULL DEFAULT 0,
      last_at INTEGER
    ) STRICT;
    CREATE UNIQUE INDEX conversation_room ON conversation(folded, network) WHERE kind = 0;
    CREATE UNIQUE INDEX conversation_pair ON conversation(one, other) WHERE kind = 1;

    -- The first and last message of each membership: a message is for the people whose interval
    -- contains its number, even if others join or leave later.
    CREATE TABLE membership(
      conversation INTEGER NOT NULL REFERENCES conversation(id) ON DELETE CASCADE,
      participant INTEGER NOT NULL REFERENCES participant(id),
      first INTEGER NOT NULL,
      last INTEGER,                         -- NULL while a member
      PRIMARY KEY (conversation, participant, first)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX membership_participant ON membership(participant, conversation);

    CREATE TABLE message(
      id INTEGER PRIMARY KEY,               -- drawn from meta.change: the order of arrival
      uid BLOB NOT NULL UNIQUE,
      conversation INTEGER NOT NULL REFERENCES conversation(id),
      number INTEGER NOT NULL,
      sender INTEGER NOT NULL REFERENCES participant(id),
      kind INTEGER NOT NULL,                -- 0 text, 1 action
      state INTEGER NOT NULL,               -- 0 failed, 1 sending, 2 sent
      gone INTEGER NOT NULL DEFAULT 0,      -- 1 deleted, 2 taken back
      created_at INTEGER NOT NULL,
      edited_at INTEGER,
      deleted_at INTEGER,
      revised INTEGER,
      moved INTEGER,
      failure TEXT,
      remote_id TEXT,                       -- the network's own name for it
      body TEXT NOT NULL,
      UNIQUE (conversation, number)
    ) STRICT;
    CREATE INDEX message_sender ON message(sender, conversation, number);
    CREATE INDEX message_revised ON message(revised) WHERE revised IS NOT NULL;
    CREATE INDEX message_moved ON message(moved) WHERE moved IS NOT NULL;
    CREATE INDEX message_unsent ON message(sender, conversation) WHERE state < 2;
    CREATE INDEX message_gone ON message(conversation, number, sender) WHERE gone > 0;
    CREATE UNIQUE INDEX message_remote ON message(conversation, remote_id)
      WHERE remote_id IS NOT NULL;

    CREATE TABLE revision(
      message INTEGER NOT NULL REFERENCES message(id) ON DELETE CASCADE,
      ordinal INTEGER NOT NULL,
      body TEXT NOT NULL,
      at INTEGER NOT NULL,
      PRIMARY KEY (message, ordinal)
    ) STRICT, WITHOUT ROWID;

    CREATE VIRTUAL TABLE message_text USING fts5(
      body, content='message', content_rowid='id', tokenize='unicode61 remove_diacritics 2');
    CREATE TRIGGER message_inserted AFTER INSERT ON message BEGIN
      INSERT INTO message_text(rowid, body) VALUES (new.id, new.body);
    END;
    CREATE TRIGGER message_removed AFTER DELETE ON message BEGIN
      INSERT INTO message_text(message_text, rowid, body) VALUES ('delete', old.id, old.body);
    END;
    CREATE TRIGGER message_changed AFTER UPDATE OF body ON message
    WHEN old.body IS NOT new.body BEGIN
      INSERT INTO message_text(message_text, rowid, body) VALUES ('delete', old.id, old.body);
      INSERT INTO message_text(rowid, body) VALUES (new.id, new.body);
    END;

    -- How far a person is in a conversation: message numbers that only grow.
    CREATE TABLE reader(
      conversation INTEGER NOT NULL REFERENCES conversation(id) ON DELETE CASCADE,
      participant INTEGER NOT NULL REFERENCES participant(id),
      delivered INTEGER NOT NULL DEFAULT 0,
      seen INTEGER NOT NULL DEFAULT 0,      -- what the others are told
      read INTEGER NOT NULL DEFAULT 0,      -- the read marker
      change INTEGER NOT NULL,
      PRIMARY KEY (conversation, participant)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX reader_change ON reader(change);

    CREATE TABLE draft(
      participant INTEGER NOT NULL REFERENCES participant(id),
      conversation INTEGER NOT NULL REFERENCES conversation(id) ON DELETE CASCADE,
      text TEXT NOT NULL,
      caret INTEGER NOT NULL,
      spans TEXT NOT NULL,
      PRIMARY KEY (participant, conversation)
    ) STRICT;

    CREATE TABLE history(
      id INTEGER PRIMARY KEY,
      participant INTEGER NOT NULL REFERENCES participant(id),
      shell TEXT NOT NULL,
      change INTEGER NOT NULL,
      line TEXT NOT NULL
    ) STRICT;
    CREATE INDEX history_change ON history(participant, change);
    CREATE INDEX history_shell ON history(participant, shell, change);

    -- The running shells; each holds a lock on a file named after it beside the store.
    CREATE TABLE shell(
      id TEXT PRIMARY KEY,
      participant INTEGER NOT NULL REFERENCES participant(id),
      conversation INTEGER REFERENCES conversation(id) ON DELETE SET NULL,
      paused INTEGER NOT NULL DEFAULT 0
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE typing(
      participant INTEGER NOT NULL REFERENCES participant(id),
      conversation INTEGER NOT NULL REFERENCES conversation(id) ON DELETE CASCADE,
      shell TEXT NOT NULL,                  -- the shell that signalled last
      active INTEGER NOT NULL,
      began_at INTEGER NOT NULL,
      at INTEGER NOT NULL,
      change INTEGER NOT NULL,
      PRIMARY KEY (participant, conversation)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE outbox(
      id INTEGER PRIMARY KEY,               -- drawn from meta.change, so never used again
      message INTEGER NOT NULL REFERENCES message(id) ON DELETE CASCADE,
      operation INTEGER NOT NULL            -- 0 send, 1 edit, 2 delete
    ) STRICT;
    CREATE INDEX outbox_message ON outbox(message);
    """
}
