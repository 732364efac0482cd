// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// A b-tree of a store, for a table or an index, and the form of its records.
struct StoreTree {
  struct Column {
    var name: String
    /// INTEGER, TEXT or BLOB; empty for any.
    var type: String
    var mayBeNull: Bool
  }

  let name: String
  /// The table whose rows it contains or refers to.
  let table: String
  /// Whether it contains the rows themselves.
  let hasRows: Bool
  /// Whether it has an entry for every row.
  let isComplete: Bool
  /// Whether its pages are those of a rowid table.
  let isByRowid: Bool
  /// Its root page in an undamaged store.
  let root: Int
  /// In the order of the records.
  let columns: [Column]
  /// How many values a record has at least: a row that is older than its table's last columns lacks
  /// them.
  let least: Int
  /// The column that is the rowid.
  let alias: Int?

  /// The table in which every database file lists the others.
  static let schema = StoreTree(
    name: "sqlite_schema", table: "sqlite_schema", hasRows: true, isComplete: true,
    isByRowid: true, root: 1,
    columns: [
      Column(name: "type", type: "TEXT", mayBeNull: false),
      Column(name: "name", type: "TEXT", mayBeNull: false),
      Column(name: "tbl_name", type: "TEXT", mayBeNull: false),
      Column(name: "rootpage", type: "INTEGER", mayBeNull: true),
      Column(name: "sql", type: "TEXT", mayBeNull: true),
    ], least: 5, alias: nil)

  /// Whether it can contain a record of these kinds of values.
  func takes(_ kinds: [Int]) -> Bool {
    (least...columns.count).contains(kinds.count)
      && zip(kinds, columns).enumerated().allSatisfy { index, pair in
        let (kind, column) = pair
        if kind == 0 { return column.mayBeNull || index == alias }
        return switch column.type {
        case "INTEGER": kind < 7 || kind == 8 || kind == 9
        case "TEXT": kind >= 13 && kind & 1 == 1
        case "BLOB": kind >= 12 && kind & 1 == 0
        default: true
        }
      }
  }
}

extension StoreTree {
  /// A new store: its trees, with their root pages in an undamaged file, and the statements that
  /// make its tables and indexes.
  typealias Model = (trees: [StoreTree], sql: Set<String>)

  static let model = Result { try makeModel() }

  private static func makeModel() throws -> Model {
    let database = try Database(path: ":memory:", patience: 0)
    defer { database.close() }
    // Do this as `Store` does, so that the root pages of all trees are at the beginning of the
    // file.
    try database.execute("PRAGMA auto_vacuum=INCREMENTAL")
    var least: [String: Int] = [:]
    for count in Schema.steps.indices {
      try Schema.migrate(database, steps: Array(Schema.steps[...count]), shared: false)
      let tables = try database.rows(
        """
        SELECT name, (SELECT count(*) FROM pragma_table_info(s.name)) AS columns
        FROM sqlite_schema s WHERE type = 'table'
        """
      ) { ($0.text("name"), $0.int("columns")) }
      least.merge(tables) { first, _ in first }
    }
    let sql = try database.rows("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL") { $0.text() }
    return (try all(in: database, least), Set(sql))
  }

  /// - Parameter least: the columns of each table when it was new.
  private static func all(
    in database: Database, _ least: [String: Int]
  ) throws -> [StoreTree] {
    try database.rows(
      """
      SELECT s.name, s.tbl_name, s.type = 'table' AS has_rows, s.rootpage, t.wr,
        (SELECT partial FROM pragma_index_list(s.tbl_name) i WHERE i.name = s.name) AS partial,
        (SELECT name FROM pragma_index_list(s.tbl_name) i WHERE i.origin = 'pk') AS primary_key
      FROM sqlite_schema s JOIN pragma_table_list t ON t.schema = 'main' AND t.name = s.tbl_name
      WHERE s.rootpage > 0 ORDER BY s.rowid
      """
    ) { row in
      let (name, table, hasRows) = (row.text("name"), row.text("tbl_name"), row.bool("has_rows"))
      let isByRowid = hasRows && !row.bool("wr")
      let index = isByRowid ? nil : hasRows ? row.text("primary_key") : name
      return StoreTree(
        name: name, table: table, hasRows: hasRows, isComplete: !row.bool("partial"),
        isByRowid: isByRowid, root: row.int("rootpage"), least: hasRows ? least[table] : nil,
        try columns(of: table, index, in: database))
    }
  }

  private init(
    name: String, table: String, hasRows: Bool, isComplete: Bool, isByRowid: Bool, root: Int,
    least: Int?, _ found: [(column: Column, isKey: Bool)]
  ) {
    let keys = found.indices.filter { found[$0].isKey }
    let alias =
      isByRowid && keys.count == 1 && found[keys[0]].column.type == "INTEGER" ? keys[0] : nil
    self.init(
      name: name, table: table, hasRows: hasRows, isComplete: isComplete, isByRowid: isByRowid,
      root: root, columns: found.map(\.column), least: least ?? found.count, alias: alias)
  }

  /// - Parameter index: the index that orders the records; nil for the table itself.
  private static func columns(
    of table: String, _ index: String?, in database: Database
  ) throws -> [(column: Column, isKey: Bool)] {
    let from =
      index == nil
      ? "pragma_table_info(?1) t WHERE ?2 IS NULL ORDER BY t.cid"
      // The rowid, which ends each entry of an index, has no name.
      : """
      pragma_index_xinfo(?2) x LEFT JOIN pragma_table_info(?1) t ON t.cid = x.cid ORDER BY x.seqno
      """
    return try database.rows(
      """
      SELECT ifnull(t.name, 'rowid') AS name, ifnull(t.type, 'INTEGER') AS type,
        ifnull(t."notnull", 1) AS is_required, t.pk > 0 AS is_key FROM \(from)
      """, table, index
    ) {
      (
        Column(name: $0.text("name"), type: $0.text("type"), mayBeNull: !$0.bool("is_required")),
        $0.bool("is_key")
      )
    }
  }
}
