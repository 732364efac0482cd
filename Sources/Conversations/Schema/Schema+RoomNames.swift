// SPDX-License-Identifier: GPL-3.0-or-later

extension Schema {
  /// A room of this machine has no `@` in its name: an address always means a network's room
  /// (rule 11.2). Those that have one get another name, and a line in the room says so.
  static let roomNames = """
    CREATE TEMP TABLE renamed AS
      SELECT id, name AS former, replace(name, '@', '-') AS name,
        replace(folded, '@', '-') AS folded, row_number() OVER (ORDER BY id) AS place
      FROM conversation WHERE kind = 0 AND network = '' AND instr(name, '@') > 0;
    -- Where the new name is taken, the row's number makes it free.
    UPDATE temp.renamed SET name = name || '-' || id, folded = folded || '-' || id
    WHERE EXISTS (SELECT 1 FROM conversation c
        WHERE c.kind = 0 AND c.network = '' AND c.folded = renamed.folded)
      OR EXISTS (SELECT 1 FROM temp.renamed other
        WHERE other.folded = renamed.folded AND other.id < renamed.id);
    INSERT INTO event(id, conversation, participant, kind, text, at)
    SELECT m.change + r.place, c.id, ifnull(
        ifnull(c.maker, (SELECT s.participant FROM membership s WHERE s.conversation = c.id
          ORDER BY s.first, s.joined LIMIT 1)), (SELECT min(id) FROM participant)),
      \(Event.Kind.roomRenamed.rawValue), r.former, CAST(strftime('%s', 'now') AS INTEGER) * 1000
    FROM meta m JOIN temp.renamed r JOIN conversation c ON c.id = r.id
    WHERE EXISTS (SELECT 1 FROM participant);
    UPDATE meta SET change = change + (SELECT count(*) FROM temp.renamed);
    UPDATE OR IGNORE conversation SET name = r.name, folded = r.folded
    FROM temp.renamed r WHERE r.id = conversation.id;
    DROP TABLE temp.renamed;
    """
}
