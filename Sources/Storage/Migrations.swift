// SPDX-License-Identifier: GPL-3.0-or-later

/// The migrations that give a new or older file its tables: `application_id` identifies a file,
/// `user_version` counts its migrations.
package struct Migrations {
  private let applicationID: Int64
  private let formerIDs: [Int64]
  private let count: Int

  /// - Parameters:
  ///   - formerIDs: the `application_id` of files that no step leads from.
  ///   - count: how many steps there are.
  package init(applicationID: Int64, formerIDs: [Int64], count: Int) {
    (self.applicationID, self.formerIDs, self.count) = (applicationID, formerIDs, count)
  }

  package func storedVersion(of database: Database) throws -> Int {
    try database.first("PRAGMA user_version") { $0.int() } ?? 0
  }

  /// Whether a file is a store, and how many migrations it has had.
  ///
  /// - Throws: `StoreError.newer` for more migrations than this program knows, `.former` for a
  ///   store from before the first of them, `.corrupt` for a store that has none, `.notAStore` for a
  ///   file that is neither a store nor empty.
  package func state(of database: Database) throws -> (isOurs: Bool, version: Int) {
    // Query both in one read transaction: otherwise another process could create the store in
    // between.
    if !database.isInTransaction {
      try database.run("BEGIN")
      defer { database.rollBack() }
      return try state(of: database)
    }
    let owner = try database.first("PRAGMA application_id") { $0.int64() } ?? 0
    let found = try storedVersion(of: database)
    if owner == applicationID {
      guard found <= count else {
        throw StoreError.newer(path: database.path, found: found, supported: count)
      }
      // It is written together with the tables.
      guard found > 0 else {
        throw StoreError.corrupt(path: database.path, detail: "user_version \(found)")
      }
      return (true, found)
    }
    if formerIDs.contains(owner) { throw StoreError.former(path: database.path) }
    guard owner == 0, found == 0, try !database.exists("SELECT 1 FROM sqlite_schema") else {
      throw StoreError.notAStore(path: database.path)
    }
    return (false, 0)
  }

  /// Runs the missing migrations, in one transaction: all or none.
  ///
  /// - Parameters:
  ///   - steps: all of them.
  ///   - whenNew: fills the tables of a new file.
  /// - Throws: as `state(of:)`.
  package func run(
    _ steps: [String], on database: Database, whenNew: () throws -> Void
  ) throws {
    try database.begin(full: true, immediate: true)
    do {
      // Another process may have run the migrations while this one waited for the lock.
      let found = try state(of: database).version
      for step in steps.dropFirst(found) { try database.execute(step) }
      if found == 0 { try whenNew() }
      try database.execute(
        "PRAGMA application_id=\(applicationID); PRAGMA user_version=\(count)")
      try database.run("COMMIT")
    } catch {
      database.rollBack()
      throw error
    }
  }
}
