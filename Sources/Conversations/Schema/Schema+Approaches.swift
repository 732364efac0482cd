// SPDX-License-Identifier: GPL-3.0-or-later

extension Schema {
  /// Requests of strangers (rule 14.5).
  static let approachesStep = """
    CREATE TABLE approach(
      account INTEGER NOT NULL REFERENCES account(id) ON DELETE CASCADE,
      kind INTEGER NOT NULL,                -- 0 an invitation, 1 wants to be a contact, 2 wrote
      address TEXT NOT NULL,                -- of the room, or of the person
      sender TEXT NOT NULL,                 -- who invites: an address, or a nickname in the room
      at INTEGER NOT NULL,
      told INTEGER,                         -- when it was reported; 0: with others; NULL: not yet
      PRIMARY KEY (account, kind, address)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX approach_told ON approach(account, told);
    """
}
