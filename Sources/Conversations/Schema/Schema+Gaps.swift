// SPDX-License-Identifier: GPL-3.0-or-later

extension Schema {
  /// Where messages of a network may be missing, since its connection was broken (rule 14.7).
  static let gaps = """
    CREATE TABLE gap(
      conversation INTEGER NOT NULL,
      sort INTEGER NOT NULL,              -- the sort key after which messages may be missing
      marked INTEGER NOT NULL DEFAULT 0,  -- whether the network did not send them when asked
      PRIMARY KEY (conversation, sort)
    ) STRICT, WITHOUT ROWID;
    """
}
