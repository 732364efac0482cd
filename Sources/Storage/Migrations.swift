// SPDX-License-Identifier: GPL-3.0-or-later

/// The steps by which a new or older file gets its tables: a file is known by its `application_id`;
/// its `user_version` counts the steps it has been through.
package struct Migrations {
  private let applicationID: Int64
  private let steps: [String]

  package init(applicationID: Int64, steps: [String]) {
    (self.applicationID, self.steps) = (applicationID, steps)
  }

  package func version(of database: Database) throws -> Int {
    try database.first("PRAGMA user_version") { $0.int() } ?? 0
  }

  /// What a file is, and how many steps it has been through.
  ///
  /// - Throws: `StoreError.newer` when it has been through more steps than there are,
  ///   `.notAStore` when it is neither a store nor empty.
  package func state(of database: Database) throws -> (isOurs: Bool, version: Int) {
    // Of one moment: between two questions another process may make the store.
    if !database.isInTransaction {
      try database.run("BEGIN")
      defer { database.rollBack() }
      return try state(of: database)
    }
    let owner = try database.first("PRAGMA application_id") { $0.int64() } ?? 0
    let found = try version(of: database)
    if owner == applicationID {
      guard found <= steps.count else {
        throw StoreError.newer(path: database.path, found: found, supported: steps.count)
      }
      return (true, found)
    }
    guard owner == 0, found == 0, try !database.exists("SELECT 1 FROM sqlite_schema") else {
      throw StoreError.notAStore(path: database.path)
    }
    return (false, 0)
  }

  /// Takes the database through the steps it lacks, in one transaction: all or none.
  ///
  /// - Parameter whenNew: fills the tables of a new file.
  /// - Throws: as `state(of:)`.
  package func run(on database: Database, whenNew: () throws -> Void) throws {
    try database.begin(full: true, immediate: true)
    do {
      // Another process may have done it while this one waited for the lock.
      let found = try state(of: database).version
      for step in steps.dropFirst(found) { try database.execute(step) }
      if found == 0 { try whenNew() }
      try database.execute(
        "PRAGMA application_id=\(applicationID); PRAGMA user_version=\(steps.count)")
      try database.run("COMMIT")
    } catch {
      database.rollBack()
      throw error
    }
  }
}
