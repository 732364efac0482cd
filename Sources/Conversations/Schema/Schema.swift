// SPDX-License-Identifier: GPL-3.0-or-later

/// The tables, and the migrations that lead to them: `application_id` identifies a store,
/// `user_version` counts its migrations.
///
/// Never change a step that was released: add a new one.
package enum Schema {
  /// "hobd"
  package static let applicationID: Int64 = 0x686f_6264
  /// "hobn", "hobs", "hobc": stores from before the first release, whose tables this program does
  /// not know.
  package static let formerIDs: [Int64] = [0x686f_626e, 0x686f_6273, 0x686f_6263]

  package static var steps: [String] {
    [conversations + searchTables + networks, singleReceipts, encryption, sealingDevices]
  }

  /// The number of the steps, which most starts need nothing else of.
  package static let version = 4

  static func storedVersion(of database: Database) throws -> Int {
    try migrations(version).storedVersion(of: database)
  }

  /// Whether a file is a store, and how many migrations it has had.
  static func state(of database: Database) throws -> (isOurs: Bool, version: Int) {
    try migrations(version).state(of: database)
  }

  package static func migrate(_ database: Database, steps: [String] = steps, shared: Bool) throws {
    try migrations(steps.count).run(steps, on: database) {
      try database.run("INSERT INTO meta(id, shared) VALUES (1, ?)", shared)
    }
  }

  private static func migrations(_ count: Int) -> Migrations {
    Migrations(applicationID: applicationID, formerIDs: formerIDs, count: count)
  }
}
