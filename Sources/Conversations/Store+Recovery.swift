// SPDX-License-Identifier: GPL-3.0-or-later
import CSQLite
import Glibc

extension Store {
  /// Reads what can be read of a damaged store, and writes it into a new one beside it.
  ///
  /// The damaged file is only read. Messages whose conversation or sender cannot be read any more
  /// come into a room `#lost-N`, under a participant `lost-N`. Who is present or typing is not taken
  /// over. Takes time in proportion to the store.
  ///
  /// - Parameters:
  ///   - path: the damaged file; its write-ahead log is read as well.
  ///   - newPath: a file that does not exist yet; a whole store afterwards.
  /// - Throws: `StoreError`; `.corrupt` or `.notAStore` if nothing of it can be read.
  ///   Then there is no new file.
  public static func recover(
    from path: String, to newPath: String
  ) throws -> RecoveryReport {
    let source = try damaged(path)
    defer { source.close() }
    let isShared = try? source.first("SELECT shared FROM meta") { $0.bool(0) }
    let copy = try NewFile(path: newPath, shared: isShared ?? false)
    return try copy.kept {
      let store = try Store(path: copy.path, options: .init(shared: isShared ?? false))
      defer { store.close() }
      let report = RecoveryReport(path: store.path, tables: try store.salvage(source))
      if report.got == 0, report.lost > 0 {
        throw StoreError.corrupt(path: path, detail: "none of its rows can be read")
      }
      return report
    }
  }

  private static func damaged(_ path: String) throws -> Database {
    let source = try Database(path: path, patience: 10_000, access: SQLITE_OPEN_READONLY)
    // Damage is noticed before it is followed, and a damaged entry in the list of tables does not
    // hide the others. First of all: of a file that was cut off, nothing could be asked otherwise.
    csqlite_look_past_damage(source.connection)
    try source.execute("PRAGMA cell_size_check=ON")
    guard try Schema.applicationID(of: source) == Schema.applicationID else {
      throw StoreError.notAStore(path: path)
    }
    let found = try Schema.version(of: source)
    if found > Schema.version {
      throw StoreError.newer(path: path, found: found, supported: Schema.version)
    }
    _ = try source.exists("SELECT 1 FROM sqlite_schema")
    return source
  }

  /// Tables in an order in which what is referred to comes first.
  private func salvage(_ source: Database) throws -> [RecoveryReport.Table] {
    // Presence is of running shells; `meta` is one row; the search index is made by the triggers.
    let tables = try database.rows(
      """
      SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
        AND name NOT LIKE 'sqlite%' AND name NOT IN ('meta', 'shell', 'typing')
      ORDER BY (SELECT rowid FROM sqlite_schema s WHERE s.name = pragma_table_list.name)
      """
    ) { $0.text(0) }
    let counter = try? source.first("SELECT change, people FROM meta") {
      (change: $0.int64(0), people: $0.int64(1))
    }
    let greatest = counter?.change ?? 1 << 24
    let imported = Salvage.importedIDs(in: source)
    let keyedByMessage = ["message", "revision", "reaction", "attachment"]
    // A row may refer to one that comes later, or never.
    try database.execute("PRAGMA foreign_keys=OFF")
    var report: [RecoveryReport.Table] = []
    try write(durable: true) {
      try indexTogether {
        for name in tables {
          var salvage = try Salvage(
            name, from: source, to: database, greatest: greatest,
            imported: keyedByMessage.contains(name) ? imported : [])
          try salvage.run()
          let got = try database.first("SELECT count(*) FROM \(name)") { $0.int(0) } ?? 0
          // Whatever index is smallest answers this, and may be whole.
          let all = try? source.first("SELECT count(*) FROM \(name)") { $0.int(0) }
          let isExact = all != nil || !salvage.isDamaged
          let least = (salvage.isDamaged ? 1 : 0) + salvage.refused
          report.append(
            .init(
              name: name, got: got, lost: all.map { max(0, $0 - got) } ?? least, isExact: isExact))
        }
      }
      try mendReferences(tables)
      try mendCounters(counter)
    }
    try database.execute("PRAGMA foreign_keys=ON")
    return report
  }

  /// Stands in for lost conversations and people, so that no message goes with them; removes other
  /// rows that belong to nothing.
  private func mendReferences(_ tables: [String]) throws {
    try database.execute(
      """
      INSERT OR IGNORE INTO participant(id, network, identity, name)
      SELECT id, '', 'lost-' || id, 'lost-' || id FROM (
        SELECT sender AS id FROM message UNION SELECT participant FROM membership
      ) WHERE id NOT IN (SELECT id FROM participant);

      -- Two people at most: more likely a direct chat than a room, and not for everybody's eyes.
      INSERT OR IGNORE INTO conversation(id, kind, network, name, folded, one, other)
      SELECT conversation, 1, '', '', '', min(person), max(person) FROM (
        SELECT conversation, sender AS person FROM message
        UNION SELECT conversation, participant FROM membership
      ) WHERE conversation NOT IN (SELECT id FROM conversation)
      GROUP BY conversation HAVING count(DISTINCT person) <= 2;
      INSERT INTO conversation(id, kind, network, name, folded)
      SELECT DISTINCT conversation, 0, '', '#lost-' || conversation, '#lost-' || conversation
      FROM message WHERE conversation NOT IN (SELECT id FROM conversation);
      """)
    // Twice, since what is removed may have been referred to itself.
    for _ in 1...2 {
      for table in tables {
        let references = try database.rows(
          "SELECT \"from\", \"table\", \"to\", on_delete FROM pragma_foreign_key_list(?)", table
        ) { (column: $0.text(0), parent: $0.text(1), to: $0.text(2), action: $0.text(3)) }
        for reference in references {
          let (column, to) = (reference.column, reference.to.isEmpty ? "id" : reference.to)
          let dangles =
            "\(column) IS NOT NULL AND \(column) NOT IN (SELECT \(to) FROM \(reference.parent))"
          try database.execute(
            reference.action == "SET NULL"
              ? "UPDATE \(table) SET \(column) = NULL WHERE \(dangles)"
              : "DELETE FROM \(table) WHERE \(dangles)")
        }
      }
    }
  }

  /// No number is drawn twice.
  private func mendCounters(_ counter: (change: Int64, people: Int64)?) throws {
    try database.run(
      """
      UPDATE meta SET people = ?2, change = max(?1,
        (SELECT ifnull(max(max(id), ifnull(max(revised), 0), ifnull(max(moved), 0)), 0) FROM message),
        (SELECT ifnull(max(change), 0) FROM reader), (SELECT ifnull(max(change), 0) FROM history),
        (SELECT ifnull(max(change), 0) FROM reaction), (SELECT ifnull(max(id), 0) FROM outbox),
        (SELECT ifnull(max(id), 0) FROM event))
      """, counter?.change ?? 0, counter?.people ?? 0)
    try database.execute(
      """
      UPDATE conversation SET
        last_number = max(last_number, ifnull(
          (SELECT max(number) FROM message m WHERE m.conversation = conversation.id), 0)),
        last_at = (SELECT coalesce(
            max(max(created_at), conversation.last_at), max(created_at), conversation.last_at)
          FROM message m WHERE m.conversation = conversation.id)
      """)
  }
}
