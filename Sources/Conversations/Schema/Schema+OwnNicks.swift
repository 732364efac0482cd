// SPDX-License-Identifier: GPL-3.0-or-later

extension Schema {
  /// What the people on a network call the account's owner, where a room gives no other name (rule
  /// 14.9).
  static let ownNicks = """
    CREATE TABLE own_nick(
      network TEXT NOT NULL,
      scope TEXT NOT NULL,                -- the end of addresses on a bouncer's network, else ''
      nick TEXT NOT NULL,
      PRIMARY KEY (network, scope)
    ) STRICT, WITHOUT ROWID;
    """
}
