// SPDX-License-Identifier: GPL-3.0-or-later

extension Schema {
  static let ownerNotices = """
    -- What an account's network tells its owner although nobody asked.
    CREATE TABLE account_notice(
      id INTEGER PRIMARY KEY,               -- drawn from meta.change
      owner INTEGER NOT NULL REFERENCES participant(id),
      kind TEXT NOT NULL,
      text TEXT NOT NULL,
      at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX account_notice_owner ON account_notice(owner, id);
    """
}
