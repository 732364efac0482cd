// SPDX-License-Identifier: GPL-3.0-or-later
import CSQLite

/// A store's file that an attacker writes to, without constraints: any value in any column,
/// duplicate rows, and invented rows.
package struct HostileStore {
  private let path: String

  /// Values as SQL.
  package static let values = [
    "NULL", "-9223372036854775808", "9223372036854775807", "-1", "0", "2147483648", "4294967301",
    "-2147483649", "9007199254740993", "253402300800000", "1e300", "-1e300", "9e999", "''", "'x'",
    "'7'", "x''", "x'fffe0080'", "CAST(x'ff41fe' AS TEXT)", "CAST(x'6100620a' AS TEXT)",
    "replace(hex(zeroblob(50000)), '00', 'x')", "replace(hex(zeroblob(9000)), '00', char(769))",
    "'1-99999999999999999999 b' || char(10) || '0-9223372036854775807 c'",
    "'0-1 ben' || char(10) || '2-3 ben'",
  ]

  /// Removes the triggers that maintain the search index.
  package init(path: String) {
    self.path = path
    _ = run(
      texts("SELECT 'DROP TRIGGER ' || name FROM sqlite_schema WHERE type = 'trigger'"))
  }

  /// Except those of SQLite and of the search index.
  package var tables: [String] {
    texts(
      """
      SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'
        AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'message_text%' ORDER BY name
      """)
  }

  /// Adds rows to one table: some of its rows once more, or one with columns of other rows and
  /// hostile values.
  ///
  /// - Returns: a description of the change.
  package func addRows(_ random: inout some RandomNumberGenerator) -> String {
    let filled = tables.filter { texts("SELECT count(*) FROM \($0)") != ["0"] }
    guard let table = filled.randomElement(using: &random) else { return "nothing" }
    // Without keys, types and other constraints.
    if Int.random(in: 0..<3, using: &random) > 0 {
      _ = run([
        "PRAGMA foreign_keys=OFF", "PRAGMA legacy_alter_table=ON",
        "CREATE TABLE bare AS SELECT * FROM \(table)", "DROP TABLE \(table)",
        "ALTER TABLE bare RENAME TO \(table)",
      ])
    }
    let columns = texts("SELECT name FROM pragma_table_info('\(table)')")
    let isAll = Int.random(in: 0..<4, using: &random) == 0
    let values = columns.map { column in
      switch Int.random(in: 0..<8, using: &random) {
      case 0 where !isAll: Self.values.randomElement(using: &random) ?? column
      case 1 where !isAll: "(SELECT \"\(column)\" FROM \(table) ORDER BY 1 DESC)"
      default: "\"\(column)\""
      }
    }
    let place = Int.random(in: 0..<1000, using: &random)
    let some =
      isAll
      ? "" : " LIMIT 1 OFFSET \(place) % (SELECT count(*) FROM \(table))"
    let sql =
      "INSERT INTO \(table) SELECT \(values.joined(separator: ", ")) FROM \(table)\(some)"
    return (run([sql]) ? "" : "refused: ") + sql
  }

  /// - Returns: whether all of it went well.
  package func run(_ statements: [String]) -> Bool {
    var database: OpaquePointer?
    defer { sqlite3_close(database) }
    guard sqlite3_open(path, &database) == SQLITE_OK else { return false }
    return statements.allSatisfy { sqlite3_exec(database, $0, nil, nil, nil) == SQLITE_OK }
  }

  private func texts(_ sql: String) -> [String] {
    var (database, statement): (OpaquePointer?, OpaquePointer?)
    defer {
      sqlite3_finalize(statement)
      sqlite3_close(database)
    }
    guard sqlite3_open(path, &database) == SQLITE_OK,
      sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK
    else { return [] }
    var found: [String] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      if let text = sqlite3_column_text(statement, 0) { found.append(String(cString: text)) }
    }
    return found
  }
}
