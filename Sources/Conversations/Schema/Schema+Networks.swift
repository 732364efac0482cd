// SPDX-License-Identifier: GPL-3.0-or-later

extension Schema {
  /// Accounts on networks, and the state that hobnob needs to talk to a network.
  static let networks = """
    -- The owner of a network: nobody else sees its conversations and people. The row of a removed
    -- account stays, since its conversations do.
    CREATE TABLE account(
      id INTEGER PRIMARY KEY,
      owner INTEGER NOT NULL REFERENCES participant(id),
      network TEXT NOT NULL UNIQUE,         -- as in xmpp:anna@example.org
      settings TEXT NOT NULL DEFAULT '{}',  -- JSON: texts by name
      wanted INTEGER NOT NULL DEFAULT 1,
      removed INTEGER NOT NULL DEFAULT 0,
      holder TEXT,                          -- the lock file of the process that serves it
      status TEXT NOT NULL DEFAULT '',      -- what that says of itself
      change INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX account_owner ON account(owner);

    -- From here on `remote_id` is the sender's own id for a message. It identifies a message only
    -- together with the sender, and some senders use one twice.
    DROP INDEX message_remote;
    ALTER TABLE message ADD COLUMN archive_id TEXT;
    CREATE INDEX message_origin ON message(conversation, remote_id, sender)
      WHERE remote_id IS NOT NULL;
    CREATE UNIQUE INDEX message_archive ON message(conversation, archive_id)
      WHERE archive_id IS NOT NULL;
    UPDATE message SET remote_id = lower(hex(uid)) WHERE state < 2 AND remote_id IS NULL;
    -- 1 if someone known only by a nickname edited or deleted it.
    ALTER TABLE message ADD COLUMN unverified INTEGER NOT NULL DEFAULT 0;

    -- The address of a room; whether some of its messages arrived after newer ones; the nickname to
    -- enter it with; whether the owner is in it now, so that its people are known.
    ALTER TABLE conversation ADD COLUMN address TEXT;
    ALTER TABLE conversation ADD COLUMN by_time INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE conversation ADD COLUMN nick TEXT;
    ALTER TABLE conversation ADD COLUMN live INTEGER NOT NULL DEFAULT 0;
    UPDATE conversation SET address = substr(name, 2) WHERE kind = 0 AND network <> '';
    CREATE UNIQUE INDEX conversation_address ON conversation(network, address)
      WHERE address IS NOT NULL;

    -- The network's id for a person in a room, if `identity` has the room before it.
    ALTER TABLE participant ADD COLUMN given TEXT;
    -- NULL if unknown.
    ALTER TABLE participant ADD COLUMN online INTEGER;
    ALTER TABLE participant ADD COLUMN contact INTEGER NOT NULL DEFAULT 0;

    -- The first message for which this person's client sends read receipts.
    ALTER TABLE reader ADD COLUMN began INTEGER;

    -- The value of meta.change when it was last handed to the network; 0 for never.
    ALTER TABLE outbox ADD COLUMN tried INTEGER NOT NULL DEFAULT 0;

    -- The last id of each archive in the store: '' is the account's, others are rooms by address.
    CREATE TABLE archive_mark(
      network TEXT NOT NULL,
      archive TEXT NOT NULL,
      mark TEXT NOT NULL,
      PRIMARY KEY (network, archive)
    ) STRICT, WITHOUT ROWID;

    -- While it has a row, the trigger does not add new messages to the search index, since FTS5
    -- would write its changes to the file after each. The transaction that adds the row indexes the
    -- messages at its end and removes the row.
    CREATE TABLE indexing(later INTEGER PRIMARY KEY) STRICT;
    DROP TRIGGER message_inserted;
    CREATE TRIGGER message_inserted AFTER INSERT ON message
    WHEN NOT EXISTS (SELECT 1 FROM indexing) BEGIN
      INSERT INTO message_text(rowid, body, facts) VALUES (new.id, new.body, \(facts(of: "new")));
    END;

    CREATE TABLE request(
      id INTEGER PRIMARY KEY,               -- drawn from meta.change
      account INTEGER NOT NULL REFERENCES account(id) ON DELETE CASCADE,
      verb TEXT NOT NULL,
      target TEXT NOT NULL,
      text TEXT NOT NULL,
      at INTEGER NOT NULL,
      answer TEXT,                          -- NULL while there is none
      change INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX request_change ON request(change);
    """

  /// The password of a room to enter, until the network answers.
  static let secrets = "ALTER TABLE request ADD COLUMN secret TEXT NOT NULL DEFAULT ''"

  /// The lock file of the process that has handed the request to the network.
  static let triedRequests = "ALTER TABLE request ADD COLUMN tried TEXT"
}
