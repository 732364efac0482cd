// SPDX-License-Identifier: GPL-3.0-or-later
import CSQLite
import Conversations
import Glibc
import Platform
import Sentences

/// Fills a new store with the readable rows of a damaged one.
package struct Recovery {
  private let database: Database
  private let salvage: PageScanner

  /// Copies the readable parts of a damaged store into a new one beside it.
  ///
  /// It only reads the damaged file. Messages whose conversation or sender is unreadable go into a
  /// room `#lost-N`, under a participant `lost-N`. It does not copy presence and typing. It takes
  /// time in proportion to the store.
  ///
  /// - Parameters:
  ///   - path: the damaged file; its write-ahead log is read as well. This process must not have a
  ///     store open on it, since closing the file ends all of this process's locks on it.
  ///   - newPath: a file that does not exist yet; it becomes the new store.
  ///   - shared: whether it is for the group of its folder; nil if the damaged file and the folder
  ///     are, and the file does not say otherwise.
  /// - Throws: `StoreError`; `.corrupt` or `.notAStore` if nothing is readable. Then there is no
  ///   new file.
  package static func run(
    from path: String, to newPath: String, shared: Bool? = nil
  ) throws -> RecoveryReport {
    // Keep others from adding pages to the file during the recovery, if SQLite can still open it.
    let lock = try? Database(path: path, patience: 10_000, access: SQLITE_OPEN_READONLY)
    defer { lock?.close() }
    try? lock?.execute("BEGIN; SELECT 1 FROM sqlite_schema")
    let source = try DatabasePages(path: path)
    // Keep it alive: closing its descriptors would end the lock.
    defer { withExtendedLifetime(source) {} }
    var salvage = try PageScanner(store: source, path)
    if source.size != DatabasePages.usualSize, salvage.count(of: "message").rows == 0 {
      // The version number may also be damaged.
      salvage = try PageScanner(
        store: DatabasePages(path: path, size: DatabasePages.usualSize), path)
    }
    // The file's own value may be damaged, and nobody else must be able to read private data.
    let isForGroup =
      StoreFiles.isForSharing(folderOf: newPath)
      && fileStatus(path).map { $0.st_mode & 0o060 == 0o060 } ?? false
    let shared = shared ?? (isForGroup && salvage.meta?.isShared ?? true)
    return try NewFile.store(newPath, shared: shared) { temporary in
      let store = try Store(path: temporary, options: .init(shared: shared))
      defer { store.close() }
      let tables = try fill(store, from: salvage)
      let report = RecoveryReport(path: newPath, tables: tables, isMeagre: salvage.isMeagre)
      if report.got == 0 {
        throw report.lost > 0
          ? StoreError.corrupt(path: path, detail: translated("none of its rows can be read"))
          : StoreError.notAStore(path: path)
      }
      return report
    }
  }

  /// Fills the tables in an order in which referenced rows come first.
  private static func fill(_ store: Store, from salvage: PageScanner) throws -> [RecoveryReport
    .Table]
  {
    // Skip presence, which is only of running shells, and `meta`, which has one row; triggers fill
    // the search index.
    let tables = try store.read {
      try $0.database.rows(
        """
        SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
          AND name NOT LIKE 'sqlite%' AND name NOT IN ('meta', 'shell', 'typing')
        ORDER BY (SELECT rowid FROM sqlite_schema s WHERE s.name = pragma_table_list.name)
        """
      ) { $0.text() }
    }
    // A row may refer to a later row, or to one that is lost.
    try store.setChecksReferences(false)
    var report: [RecoveryReport.Table] = []
    try store.writeDurably { transaction in
      let recovery = Recovery(database: transaction.database, salvage: salvage)
      try transaction.indexTogether {
        for name in tables { report.append(try recovery.fill(name)) }
      }
      try recovery.repairReferences(tables)
      try recovery.repairOrder()
      try recovery.repairCounters()
    }
    try store.setChecksReferences(true)
    return report
  }

  private func fill(_ table: String) throws -> RecoveryReport.Table {
    var displaced: [[RecordValue]] = []
    try salvage.rows(of: table) { values in
      let isNew = try insert(values, into: table)
      if !isNew, table == "message" { displaced.append(values) }
    }
    for values in displaced { try insertAsNewest(values) }
    let got = try database.first("SELECT count(*) FROM \(table)") { $0.int() } ?? 0
    let all = salvage.count(of: table)
    let lost = max(all.rows - got, all.isExact ? 0 : 1)
    return .init(name: table, got: got, lost: lost, isExact: all.isExact)
  }

  /// - Returns: false if another row has its id.
  private func insert(_ values: [RecordValue], into table: String) throws -> Bool {
    let names = salvage.columns(of: table).prefix(values.count).joined(separator: ", ")
    let placeholders = String(repeating: ", ?", count: values.count - 1)
    do {
      try database.run(
        "INSERT OR IGNORE INTO \(table)(\(names)) VALUES (?\(placeholders))",
        all: values)
      return database.changedRows > 0
    } catch StoreError.contradiction {
      // The row's values make no sense; count it as lost.
      return true
    }
  }

  /// A damaged id of one message can equal that of another: keep both texts. (A row stored already
  /// has the same `uid`.)
  private func insertAsNewest(_ values: [RecordValue]) throws {
    let columns = salvage.columns(of: "message")
    guard let id = columns.firstIndex(of: "id"), let number = columns.firstIndex(of: "number"),
      let sort = columns.firstIndex(of: "sort"),
      let conversation = columns.firstIndex(of: "conversation")
    else { return }
    // Larger numbers may be unusable.
    let newest =
      try database.first(
        "SELECT max(number) FROM message WHERE conversation = ? AND number < 1 << 40",
        values[conversation]
      ) { $0.int() } ?? 0
    var values = values
    values[id] = .null
    values[number] = .integer(Int64(newest + 1))
    // Its own may be taken; `repairOrder` replaces this one.
    values[sort] = .integer(.min + Int64(newest))
    _ = try insert(values, into: "message")
  }

  /// Creates replacements for lost conversations and people, so that no message is lost with them;
  /// removes other rows with missing references.
  private func repairReferences(_ tables: [String]) throws {
    try database.execute(
      """
      INSERT OR IGNORE INTO participant(id, network, identity, name)
      SELECT id, '', 'lost-' || id, 'lost-' || id FROM (
        SELECT sender AS id FROM message UNION SELECT participant FROM membership
      ) WHERE id NOT IN (SELECT id FROM participant);

      -- With at most two people it is more likely a direct chat than a room, so keep it private.
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
    // Do this twice, since other rows may refer to the removed ones.
    for _ in 1...2 {
      for table in tables {
        let references = try database.rows(
          "SELECT \"from\", \"table\", \"to\", on_delete FROM pragma_foreign_key_list(?)", table
        ) {
          (
            column: $0.text("from"), parent: $0.text("table"), to: $0.text("to"),
            action: $0.text("on_delete")
          )
        }
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

  /// Gives messages without a valid sort key one according to their times: the other messages of
  /// the conversation keep their order, and each key is as close to the message's time as that
  /// order allows.
  private func repairOrder() throws {
    let index = try database.first("SELECT sql FROM sqlite_schema WHERE name = 'message_order'") {
      $0.text()
    }
    let byTime = SortKey.expression(for: "m.created_at")
    try database.execute(
      """
      -- A key may be that of another message until all of them are set.
      DROP INDEX message_order;
      UPDATE message SET sort = ranked.sort FROM (
        SELECT id, place + max(at - place) OVER (PARTITION BY conversation ORDER BY place) AS sort
        FROM (
          SELECT m.id, m.conversation, \(byTime) AS at, row_number() OVER (
            PARTITION BY m.conversation
            ORDER BY iif(\(SortKey.isSound), m.sort, \(byTime)), m.number) AS place
          FROM message m WHERE m.conversation IN (
            SELECT m.conversation FROM message m WHERE NOT (\(SortKey.isSound))))
      ) AS ranked WHERE message.id = ranked.id;
      \(index ?? "");
      """)
  }

  /// Sets the counters so that no number is assigned twice.
  private func repairCounters() throws {
    // A damaged number can be so large that none can follow it.
    try database.run(
      """
      UPDATE meta SET people = ?2, change = min(1 << 62, max(?1,
        (SELECT ifnull(max(id), 0) FROM message WHERE id < \(Message.older)),
        (SELECT ifnull(max(max(ifnull(revised, 0)), max(ifnull(moved, 0))), 0) FROM message),
        (SELECT ifnull(max(change), 0) FROM reader), (SELECT ifnull(max(change), 0) FROM history),
        (SELECT ifnull(max(change), 0) FROM reaction), (SELECT ifnull(max(id), 0) FROM outbox),
        (SELECT ifnull(max(id), 0) FROM event), (SELECT ifnull(max(change), 0) FROM account),
        (SELECT ifnull(max(id), 0) FROM account_notice),
        (SELECT ifnull(max(max(id), max(change)), 0) FROM request)))
      """, salvage.meta?.change ?? 0, salvage.meta?.people ?? 0)
    try database.execute(
      """
      UPDATE conversation SET
        last_number = max(last_number, ifnull(
          (SELECT max(number) FROM message m WHERE m.conversation = conversation.id), 0)),
        last_at = (SELECT coalesce(
            max(max(created_at), conversation.last_at), max(created_at), conversation.last_at)
          FROM message m WHERE m.conversation = conversation.id);
      UPDATE participant SET notified = 0
      """)
  }
}

extension PageScanner {
  /// The row of `meta`, which describes the store.
  struct Meta {
    var change: Int64
    var people: Int64
    var isShared: Bool
  }

  /// - Throws: `StoreError` `.newer`, `.former`, `.notAStore`.
  convenience init(store pages: DatabasePages, _ path: String) throws {
    let header = pages[1] ?? []
    let version = header.number(at: 60, bytes: 4) ?? 0
    let application = header.number(at: 68, bytes: 4).map(Int64.init)
    // If they are readable, the listed tables are better evidence than a number.
    let listed = Set(PageScanner(pages, trees: []).schema.map(\.sql)).subtracting([""])
    let model = try StoreTree.model.get()
    let known = model.sql.intersection(listed)
    if let application, Schema.formerIDs.contains(application) {
      throw StoreError.former(path: path)
    }
    // Indexes, and the tables of FTS5, are the same in other files.
    if !known.contains(where: { $0.contains("STRICT") }), application != Schema.applicationID,
      !listed.isEmpty
    {
      throw StoreError.notAStore(path: path)
    }
    if application == Schema.applicationID, version > Schema.version, known.count < listed.count {
      throw StoreError.newer(path: path, found: version, supported: Schema.version)
    }
    self.init(pages, trees: model.trees)
  }

  var meta: Meta? {
    var result: Meta?
    rows(of: "meta") { values in
      guard values.count == 4, case .integer(let change) = values[1],
        case .integer(let people) = values[2], case .integer(let shared) = values[3]
      else { return }
      result = Meta(change: change, people: people, isShared: shared != 0)
    }
    return result
  }
}
