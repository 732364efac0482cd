// SPDX-License-Identifier: GPL-3.0-or-later

extension Schema {
  /// Accounts on networks, and the state that hobnob needs to talk to a network.
  static var networks: String {
    """
    CREATE TABLE account(
      -- Nobody but the owner sees the network's conversations and people. The row of a removed
      -- account stays, since its conversations do.
      id INTEGER PRIMARY KEY,
      owner INTEGER NOT NULL REFERENCES participant(id),
      network TEXT NOT NULL UNIQUE,         -- kind and address, as in xmpp:anna@example.org
      removed INTEGER NOT NULL DEFAULT 0,
      holder TEXT,                          -- the lock file of the process that serves it
      status TEXT,                          -- JSON: of its connection; NULL if no process runs
      rules TEXT,                           -- JSON: how it names people and rooms
      abilities TEXT,                       -- JSON: what people can do there
      change INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX account_owner ON account(owner);

    CREATE TABLE own_nick(                  -- the owner's name where a room gives no other
      network TEXT NOT NULL,
      scope TEXT NOT NULL,                  -- the end of addresses on a bouncer's network, else ''
      nick TEXT NOT NULL,
      PRIMARY KEY (network, scope)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE outbox(                    -- what a network does not have yet
      id INTEGER PRIMARY KEY,               -- drawn from meta.change, so never used again
      message INTEGER NOT NULL REFERENCES message(id) ON DELETE CASCADE,
      operation INTEGER NOT NULL,           -- 0 send, 1 edit, 2 delete, 3 react
      -- Of a reaction: who reacts, and with what; '' for the removal of any.
      participant INTEGER REFERENCES participant(id),
      emoji TEXT,
      tried INTEGER NOT NULL DEFAULT 0      -- meta.change when the network last got it; 0: never
    ) STRICT;
    CREATE INDEX outbox_message ON outbox(message);

    CREATE TABLE request(                   -- what a shell asks a network for
      id INTEGER PRIMARY KEY,               -- drawn from meta.change
      account INTEGER NOT NULL REFERENCES account(id) ON DELETE CASCADE,
      verb TEXT NOT NULL,                   -- NetworkRequest.Verb explains the next four
      target TEXT NOT NULL,
      person TEXT NOT NULL,
      text TEXT NOT NULL,
      count INTEGER NOT NULL,
      secret TEXT NOT NULL DEFAULT '',      -- a room's password, until the network answers
      at INTEGER NOT NULL,
      tried TEXT,                           -- the lock file of the process that handed it over
      answer TEXT,                          -- JSON (Remark), '' for done; NULL: not answered yet
      change INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX request_change ON request(change);

    CREATE TABLE account_notice(            -- what a network tells the owner unasked
      id INTEGER PRIMARY KEY,               -- drawn from meta.change
      owner INTEGER NOT NULL REFERENCES participant(id),
      kind TEXT NOT NULL,                   -- AccountNotice.Kind
      text TEXT NOT NULL,                   -- JSON (Remark)
      at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX account_notice_owner ON account_notice(owner, id);

    CREATE TABLE approach(                  -- what a stranger asks of the owner
      account INTEGER NOT NULL REFERENCES account(id) ON DELETE CASCADE,
      kind INTEGER NOT NULL,                -- 0 invites, 1 wants to be a contact, 2 wrote
      address TEXT NOT NULL,                -- of the room, or of the person
      -- Who invites: an address, or a nickname in the room. Of somebody who wrote and has no chat:
      -- their last text.
      sender TEXT NOT NULL,
      at INTEGER NOT NULL,
      told INTEGER,                         -- when hobnob reported it; 0: counted; NULL: not yet
      PRIMARY KEY (account, kind, address)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX approach_told ON approach(account, told);

    CREATE TABLE archive_mark(              -- the newest message that was read of each archive
      network TEXT NOT NULL,
      archive TEXT NOT NULL,                -- a room's address; '' for the account's own
      mark TEXT NOT NULL,                   -- the network's id
      PRIMARY KEY (network, archive)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE gap(                       -- where messages of a broken connection may be missing
      conversation INTEGER NOT NULL,
      sort INTEGER NOT NULL,                -- after the message with this sort key
      marked INTEGER NOT NULL DEFAULT 0,    -- 1: the network did not send them when asked
      PRIMARY KEY (conversation, sort)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE applied_change(            -- known changes, which a network may deliver again
      message INTEGER NOT NULL REFERENCES message(id) ON DELETE CASCADE,
      participant INTEGER NOT NULL REFERENCES participant(id),  -- who made it
      archive_id TEXT,
      origin_id TEXT                        -- their own id for it; unique only together with them
    ) STRICT;
    CREATE INDEX applied_change_known
      ON applied_change(message, participant, archive_id, origin_id);

    CREATE TABLE waiting_change(            -- changes whose message an archive will deliver later
      id INTEGER PRIMARY KEY,
      conversation INTEGER NOT NULL REFERENCES conversation(id) ON DELETE CASCADE,
      page INTEGER NOT NULL,                -- of the archive, the oldest first; 0: live
      kind INTEGER NOT NULL,                -- 0 correction, 1 retraction, 2 removal, 3 reaction
      -- The ids of the message.
      archive_id TEXT,
      origin_id TEXT,
      author TEXT,                          -- of the message; '' the owner, NULL if not said
      speaker TEXT NOT NULL,                -- who makes the change; '' the owner
      name TEXT NOT NULL,                   -- what they are called, or a moderator's nickname
      verified INTEGER NOT NULL,
      text TEXT NOT NULL,                   -- the new text or the reason; else ''
      -- JSON, of a reaction: {"all":["👍"]}, {"given":"👍"} or {"removed":"👍"}; else NULL.
      reaction TEXT,
      at INTEGER NOT NULL,
      -- The ids of the change itself.
      change_archive TEXT,
      change_origin TEXT
    ) STRICT;
    CREATE INDEX waiting_change_message ON waiting_change(conversation, archive_id, origin_id);
    """
  }

  /// Receipts of networks that confirm each message by itself.
  static var singleReceipts: String {
    """
    CREATE TABLE single_receipt(            -- of a message beyond the marks of its reader
      conversation INTEGER NOT NULL REFERENCES conversation(id) ON DELETE CASCADE,
      participant INTEGER NOT NULL REFERENCES participant(id),
      number INTEGER NOT NULL,              -- of the message
      seen INTEGER NOT NULL,                -- 0: it was only delivered
      PRIMARY KEY (conversation, participant, number)
    ) STRICT, WITHOUT ROWID;

    """
  }

  /// Encryption from end to end. SQLite keeps a comment of a new column only in this form.
  static var encryption: String {
    """
    ALTER TABLE message ADD COLUMN
      encrypted INTEGER NOT NULL DEFAULT 0  /* 1 from end to end, 2 between verified devices */;
    CREATE INDEX message_encrypted ON message(conversation, sort) WHERE encrypted > 0;
    ALTER TABLE account ADD COLUMN
      keys INTEGER NOT NULL DEFAULT 0       /* how often the file of its keys had been written */;
    """
  }

  /// The devices that encrypted messages.
  static var sealingDevices: String {
    """
    ALTER TABLE message ADD COLUMN
      device INTEGER                        /* that encrypted it; NULL if unknown */;
    ALTER TABLE message ADD COLUMN
      device_key BLOB                       /* its public identity key */;
    """
  }
}
