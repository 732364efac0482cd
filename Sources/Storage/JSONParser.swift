// SPDX-License-Identifier: GPL-3.0-or-later
import CSQLite

/// Parses JSON outside a store.
package final class JSONParser {
  private let database: Database

  /// - Throws: `StoreError` if there is no memory.
  package init() throws {
    database = try Database(
      at: ":memory:", patience: 0, access: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    ) { _ in SQLITE_OK }
  }

  /// Nil if the text is not JSON, or nested more than 1000 deep.
  package func parse(_ text: String) -> JSON? { (try? JSON(text, database)).flatMap { $0 } }
}
