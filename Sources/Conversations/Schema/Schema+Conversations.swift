// SPDX-License-Identifier: GPL-3.0-or-later

/// The SQL of the tables. SQLite keeps the comments inside a statement, so `.schema` shows them.
///
/// All tables share some conventions:
///
/// - A column named after a table has the id of a row there.
/// - Times are milliseconds since 1970, in UTC.
/// - `meta.change` is a counter that only grows. Every change that others must notice has a number
///   from it: the `id` of a message that arrived, `revised` and `moved` for its last edit and its
///   last change of state, and so on. "What happened since 1234" is then a search in an index.
/// - A network is named after its account, as in `xmpp:anna@example.org`; '' is this machine.
extension Schema {
  /// People, conversations, messages, drafts and shells.
  static var conversations: String {
    """
    CREATE TABLE meta(                      -- one row
      id INTEGER PRIMARY KEY CHECK (id = 1),
      change INTEGER NOT NULL DEFAULT 0,    -- the last number drawn
      people INTEGER NOT NULL DEFAULT 0,    -- the change of the last presence, name or membership
      shared INTEGER NOT NULL               -- 1: the store is for the group of its folder
    ) STRICT;

    CREATE TABLE participant(
      id INTEGER PRIMARY KEY,
      network TEXT NOT NULL,                -- '' for a person of this machine
      identity TEXT NOT NULL,               -- login name, or address (of a room's person: in it)
      name TEXT NOT NULL,                   -- as shown
      given TEXT,                           -- the room's own id for its person; NULL for others
      -- Keys that find people by name (Naming.key); '' if the name itself must be compared.
      identity_key TEXT NOT NULL DEFAULT '',
      name_key TEXT NOT NULL DEFAULT '',
      skeleton TEXT NOT NULL DEFAULT '',    -- what the name looks like; '' until it is computed
      away TEXT,                            -- the away message, maybe ''; NULL if not away
      here INTEGER,                         -- when they last had a shell; NULL on a network
      online INTEGER,                       -- 1 or 0 as a network says; NULL if it does not
      contact INTEGER NOT NULL DEFAULT 0,   -- 1: on the contact list of the network's account
      proven INTEGER NOT NULL DEFAULT 0,    -- 1: has acted under an identity nobody else can take
      notified INTEGER NOT NULL DEFAULT 0,  -- the newest message that one of their shells notified
      last_conversation INTEGER REFERENCES conversation(id) ON DELETE SET NULL,
      UNIQUE (network, identity)
    ) STRICT;
    CREATE INDEX participant_name ON participant(name);
    CREATE INDEX participant_identity_key ON participant(identity_key);
    CREATE INDEX participant_name_key ON participant(name_key);
    CREATE INDEX participant_skeleton ON participant(skeleton);

    CREATE TABLE conversation(
      id INTEGER PRIMARY KEY,
      kind INTEGER NOT NULL,                -- 0 a room, 1 a direct chat, 2 a removed room
      network TEXT NOT NULL,                -- '' for a conversation of this machine
      name TEXT NOT NULL,                   -- of a room, with its #; '' for a direct chat
      folded TEXT NOT NULL,                 -- the name in lower case
      address TEXT,                         -- of a room on a network
      -- The people of a direct chat, the smaller id first.
      one INTEGER REFERENCES participant(id),
      other INTEGER REFERENCES participant(id),
      topic TEXT NOT NULL DEFAULT '',
      last_number INTEGER NOT NULL DEFAULT 0,
      last_at INTEGER,
      keep INTEGER,                         -- delete messages after these milliseconds; NULL: never
      keep_from INTEGER NOT NULL DEFAULT 0, -- when that begins
      forgotten INTEGER NOT NULL DEFAULT 0, -- the highest number deleted that way
      maker INTEGER REFERENCES participant(id),  -- who created the room; NULL if unknown
      entered_at INTEGER,                   -- the day when anyone last entered the room
      nick TEXT,                            -- the owner's nickname in a network's room
      live INTEGER NOT NULL DEFAULT 0,      -- 1: the owner is in the room, so its people are known
      archive_from TEXT,                    -- oldest archive id read; '': all of it, NULL: nothing
      abilities TEXT                        -- JSON, as account.abilities has for all
    ) STRICT;
    CREATE UNIQUE INDEX conversation_room ON conversation(folded, network) WHERE kind = 0;
    CREATE UNIQUE INDEX conversation_pair ON conversation(one, other) WHERE kind = 1;
    CREATE UNIQUE INDEX conversation_address ON conversation(network, address)
      WHERE address IS NOT NULL;

    CREATE TABLE membership(
      conversation INTEGER NOT NULL REFERENCES conversation(id) ON DELETE CASCADE,
      participant INTEGER NOT NULL REFERENCES participant(id),
      -- A message is for the people whose interval contains its number, even if others join or
      -- leave later.
      first INTEGER NOT NULL,
      last INTEGER,                         -- NULL while they are members
      joined INTEGER NOT NULL DEFAULT 0,    -- when; 0 if unknown
      rank TEXT NOT NULL DEFAULT '',        -- words, as in 'operator, bot'; '' the usual
      PRIMARY KEY (conversation, participant, first)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX membership_participant ON membership(participant, conversation);

    CREATE TABLE message(
      id INTEGER PRIMARY KEY,               -- from meta.change; from 1 << 40 for older messages
      uid BLOB NOT NULL UNIQUE,             -- random bits, 96 or 128, the same in every store
      conversation INTEGER NOT NULL REFERENCES conversation(id),
      number INTEGER NOT NULL,              -- which people type; says nothing about the order
      sort INTEGER NOT NULL,                -- the order: created_at << 10, or more to come later
      brought INTEGER NOT NULL DEFAULT 0,   -- 0 live, 1 imported with its conversation, 2 older
      sender INTEGER NOT NULL REFERENCES participant(id),
      kind INTEGER NOT NULL,                -- 0 text, 1 action, 2 notice, 3 encrypted: unreadable
      state INTEGER NOT NULL,               -- 0 failed, 1 sending, 2 sent; then see reader
      failure TEXT,                         -- why it failed, as JSON (Remark)
      doubtful INTEGER NOT NULL DEFAULT 0,  -- 1: it failed, although others may have it
      gone INTEGER NOT NULL DEFAULT 0,      -- 1 deleted, 2 recalled before anybody had it
      created_at INTEGER NOT NULL,
      edited_at INTEGER,
      deleted_at INTEGER,
      revised INTEGER,                      -- the change in which its text changed last
      moved INTEGER,                        -- the change in which its state changed last
      body TEXT NOT NULL,                   -- '' if it is gone
      -- JSON: a list of whom parts of the body mean, as {"start":0,"end":4,"identity":"ben"}, in
      -- bytes; NULL for nobody.
      mentions TEXT,
      reply_to INTEGER,                     -- the number of the message that it answers
      attachments INTEGER NOT NULL DEFAULT 0,    -- the number of its files
      remote_id TEXT,                       -- the sender's id for it; unique only with the sender
      archive_id TEXT,                      -- the network's id for it
      unverified INTEGER NOT NULL DEFAULT 0,     -- 1: changed by somebody known only by nickname
      removed_by TEXT,                      -- the moderator's nickname, '' if unknown; else NULL
      removal_reason TEXT NOT NULL DEFAULT '',
      UNIQUE (conversation, number)
    ) STRICT;
    CREATE UNIQUE INDEX message_order ON message(conversation, sort);
    -- Messages whose position differs from their time, since a clock was wrong.
    CREATE INDEX message_displaced ON message(conversation, created_at)
      WHERE sort >> \(SortKey.bits) <> created_at;
    -- These two contain `brought`, so that SQLite can count without reading the table.
    CREATE INDEX message_sender ON message(sender, conversation, number, brought)
      WHERE brought < 2;
    CREATE INDEX message_brought ON message(conversation, number, brought) WHERE brought = 2;
    CREATE INDEX message_revised ON message(revised) WHERE revised IS NOT NULL;
    CREATE INDEX message_moved ON message(moved) WHERE moved IS NOT NULL;
    CREATE INDEX message_unsent ON message(sender, conversation) WHERE state < 2;
    CREATE INDEX message_gone ON message(conversation, number, sender) WHERE gone > 0;
    CREATE INDEX message_notice ON message(conversation, number, sender) WHERE kind = 2;
    CREATE INDEX message_origin ON message(conversation, remote_id, sender)
      WHERE remote_id IS NOT NULL;
    CREATE UNIQUE INDEX message_archive ON message(conversation, archive_id)
      WHERE archive_id IS NOT NULL;

    CREATE TABLE revision(                  -- earlier texts of edited messages
      message INTEGER NOT NULL REFERENCES message(id) ON DELETE CASCADE,
      ordinal INTEGER NOT NULL,
      body TEXT NOT NULL,
      at INTEGER NOT NULL,
      PRIMARY KEY (message, ordinal)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE reaction(
      message INTEGER NOT NULL REFERENCES message(id) ON DELETE CASCADE,
      participant INTEGER NOT NULL REFERENCES participant(id),
      emoji TEXT NOT NULL,
      removed INTEGER NOT NULL DEFAULT 0,   -- 1: taken away; the row stays for others to notice
      at INTEGER NOT NULL,
      change INTEGER NOT NULL,
      failure TEXT,                         -- why a network refused it, as JSON (Remark)
      PRIMARY KEY (message, participant, emoji)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX reaction_change ON reaction(change);
    CREATE TRIGGER message_gone AFTER UPDATE OF gone ON message WHEN new.gone > 0 BEGIN
      DELETE FROM reaction WHERE message = new.id;
    END;

    CREATE TABLE attachment(
      message INTEGER NOT NULL REFERENCES message(id) ON DELETE CASCADE,
      ordinal INTEGER NOT NULL,
      hash BLOB NOT NULL CHECK (length(hash) = 32),  -- SHA-256; names the file beside the store
      name TEXT NOT NULL,
      type TEXT NOT NULL,
      bytes INTEGER NOT NULL,
      link TEXT,                            -- its address on a network; NULL if it was never there
      PRIMARY KEY (message, ordinal)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX attachment_hash ON attachment(hash);

    CREATE TABLE event(                     -- what happened in a conversation besides messages
      id INTEGER PRIMARY KEY,               -- drawn from meta.change
      conversation INTEGER NOT NULL REFERENCES conversation(id) ON DELETE CASCADE,
      participant INTEGER NOT NULL REFERENCES participant(id),  -- who did it
      other INTEGER REFERENCES participant(id),                 -- to whom
      -- 0 gave the topic `text`, 1 invited `other`, 2 joined (`text` says why, if not by their own
      -- will), 3 left (`text` says how others removed them), 4 was called `text` before, 7 set
      -- `keep` to `text` milliseconds ('' for ever), 8 renamed the room from `text`, 9 removed the
      -- room `text`, 10 changed what people may do: `text`. For 2, 3 and 10 it is JSON (Remark)
      kind INTEGER NOT NULL,
      text TEXT NOT NULL,
      at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX event_place ON event(conversation, at);

    CREATE TABLE reader(                    -- how far a person is, as message numbers that grow
      conversation INTEGER NOT NULL REFERENCES conversation(id) ON DELETE CASCADE,
      participant INTEGER NOT NULL REFERENCES participant(id),
      delivered INTEGER NOT NULL DEFAULT 0,
      seen INTEGER NOT NULL DEFAULT 0,      -- as others learn it
      read INTEGER NOT NULL DEFAULT 0,      -- the read marker
      began INTEGER,                        -- on a network: where their read receipts begin
      change INTEGER NOT NULL,
      PRIMARY KEY (conversation, participant)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX reader_change ON reader(change);

    CREATE TABLE room_attention(            -- what a participant wants to notice of it
      participant INTEGER NOT NULL REFERENCES participant(id),
      conversation INTEGER NOT NULL REFERENCES conversation(id) ON DELETE CASCADE,
      muted INTEGER NOT NULL DEFAULT 0,
      ignored INTEGER NOT NULL DEFAULT 0,
      notify INTEGER,                       -- of 0 everything, 1 mentions, 2 nothing; NULL: default
      PRIMARY KEY (participant, conversation)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE person_attention(          -- whom a participant muted or ignored
      participant INTEGER NOT NULL REFERENCES participant(id),
      person INTEGER NOT NULL REFERENCES participant(id),
      muted INTEGER NOT NULL DEFAULT 0,
      ignored INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (participant, person)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE name_colour(               -- of each speaker; everyone has another
      conversation INTEGER NOT NULL REFERENCES conversation(id) ON DELETE CASCADE,
      participant INTEGER NOT NULL REFERENCES participant(id),
      colour INTEGER NOT NULL,
      PRIMARY KEY (conversation, participant),
      UNIQUE (conversation, colour)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE draft(
      participant INTEGER NOT NULL REFERENCES participant(id),
      conversation INTEGER NOT NULL REFERENCES conversation(id) ON DELETE CASCADE,
      text TEXT NOT NULL,
      caret INTEGER NOT NULL,               -- in characters
      spans TEXT,                           -- as message.mentions
      PRIMARY KEY (participant, conversation)
    ) STRICT;

    CREATE TABLE draft_file(
      participant INTEGER NOT NULL,
      conversation INTEGER NOT NULL,
      ordinal INTEGER NOT NULL,
      path TEXT NOT NULL,                   -- hobnob copies the file when the message is sent
      name TEXT,                            -- NULL for that of the path
      PRIMARY KEY (participant, conversation, ordinal),
      FOREIGN KEY (participant, conversation) REFERENCES draft(participant, conversation)
        ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE history(                   -- the input history
      id INTEGER PRIMARY KEY,
      participant INTEGER NOT NULL REFERENCES participant(id),
      shell TEXT NOT NULL,                  -- in which the line was typed
      change INTEGER NOT NULL,
      line TEXT NOT NULL
    ) STRICT;
    CREATE INDEX history_change ON history(participant, change);
    CREATE INDEX history_shell ON history(participant, shell, change);

    CREATE TABLE shell(                     -- the running shells
      id TEXT PRIMARY KEY,                  -- the name of the lock file that the shell holds
      participant INTEGER NOT NULL REFERENCES participant(id),
      conversation INTEGER REFERENCES conversation(id) ON DELETE SET NULL,
      paused INTEGER NOT NULL DEFAULT 0     -- 1: its output is paused
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE absence(                   -- when messages were not for somebody of this machine:
      participant INTEGER NOT NULL REFERENCES participant(id),
      since INTEGER NOT NULL,               -- from a week after their last shell
      until INTEGER NOT NULL,               -- to their next one
      PRIMARY KEY (participant, since)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE typing(
      participant INTEGER NOT NULL REFERENCES participant(id),
      conversation INTEGER NOT NULL REFERENCES conversation(id) ON DELETE CASCADE,
      shell TEXT NOT NULL,                  -- the shell that signalled last, or the network
      active INTEGER NOT NULL,              -- 0: they have stopped
      began_at INTEGER NOT NULL,
      at INTEGER NOT NULL,                  -- when it was signalled last
      change INTEGER NOT NULL,
      PRIMARY KEY (participant, conversation)
    ) STRICT, WITHOUT ROWID;

    """
  }
}
