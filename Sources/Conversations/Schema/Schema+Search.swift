// SPDX-License-Identifier: GPL-3.0-or-later

extension Schema {
  /// The search index, with a tokenizer of our own and words for the filters.
  ///
  /// In addition to a message's words, it contains the message's `facts` as words: `c7` the
  /// conversation, `s3` the sender, `m202611` the month when it was made (UTC). So "hello in
  /// #tea" is an intersection of two sorted lists, which skips from one common entry to the next;
  /// without them SQLite would read every hello of ten years in other rooms. Removed messages have
  /// no facts.
  ///
  /// `columnsize=0` leaves out data that only ranking needs; hits are shown newest first. The
  /// prefix index of two letters is for `wa*`, with which a thousand words may begin; other
  /// prefixes are quick without one, and each would add a sixth to the file. Facts are not in it:
  /// see ``Tokenizer/factMark``.
  static var searchTables: String {
    """
    CREATE VIEW message_words AS SELECT m.id, m.body, \(facts(of: "m")) AS facts FROM message m;
    CREATE VIRTUAL TABLE message_text USING fts5(
      body, facts, content='message_words', content_rowid='id', columnsize=0, prefix='2',
      tokenize='hobnob');

    CREATE TABLE indexing(
      -- While it has a row, the trigger does not add new messages to the search index, since FTS5
      -- would write its changes to the file after each. The transaction that adds the row indexes
      -- the messages at its end and removes the row.
      later INTEGER PRIMARY KEY
    ) STRICT;
    CREATE TRIGGER message_inserted AFTER INSERT ON message
    WHEN NOT EXISTS (SELECT 1 FROM indexing) BEGIN
      INSERT INTO message_text(rowid, body, facts) VALUES (new.id, new.body, \(facts(of: "new")));
    END;
    CREATE TRIGGER message_removed AFTER DELETE ON message BEGIN
      INSERT INTO message_text(message_text, rowid, body, facts)
      VALUES ('delete', old.id, old.body, \(facts(of: "old")));
    END;
    CREATE TRIGGER message_changed
    AFTER UPDATE OF body, gone, conversation, sender, created_at ON message
    WHEN (old.body, old.gone, old.conversation, old.sender, old.created_at)
      IS NOT (new.body, new.gone, new.conversation, new.sender, new.created_at)
    BEGIN
      INSERT INTO message_text(message_text, rowid, body, facts)
      VALUES ('delete', old.id, old.body, \(facts(of: "old")));
      INSERT INTO message_text(rowid, body, facts) VALUES (new.id, new.body, \(facts(of: "new")));
    END;

    """
  }

  /// `SearchMonths` makes the same words for a time span.
  private static func facts(of row: String) -> String {
    let mark = "char(\(Tokenizer.factMark.value))"
    return """
      CASE \(row).gone WHEN 0 THEN \(mark) || 'c' || \(row).conversation \
      || \(mark) || 's' || \(row).sender \
      || \(mark) || strftime('m%Y%m', min(max(\(row).created_at / 1000, 0), 253402300799), 'unixepoch') \
      ELSE '' END
      """
  }
}
