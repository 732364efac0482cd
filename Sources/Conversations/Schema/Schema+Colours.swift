// SPDX-License-Identifier: GPL-3.0-or-later

extension Schema {
  /// Which colour the name of each who spoke in a conversation has there: every one once.
  static let coloursStep = """
    CREATE TABLE name_colour(
      conversation INTEGER NOT NULL REFERENCES conversation(id) ON DELETE CASCADE,
      participant INTEGER NOT NULL REFERENCES participant(id),
      colour INTEGER NOT NULL,
      PRIMARY KEY (conversation, participant),
      UNIQUE (conversation, colour)
    ) STRICT, WITHOUT ROWID;
    """
}
