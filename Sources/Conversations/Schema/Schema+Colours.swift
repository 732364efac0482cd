// SPDX-License-Identifier: GPL-3.0-or-later

extension Schema {
  /// The colour of each speaker's name in a conversation; each name has one.
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
