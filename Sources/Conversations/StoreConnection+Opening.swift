// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Sentences

extension StoreConnection {
  /// Opens the file, and creates or upgrades it if necessary.
  convenience init(
    path: String, options: StoreOptions, clock: @escaping () -> Milliseconds
  ) throws {
    let files = try StoreFiles(path: path, options: options)
    let database = try Database(path: files.path, patience: options.patience)
    do {
      let isShared = try Self.prepare(database, files, options)
      self.init(files: files, database: database, isShared: isShared, clock: clock)
    } catch {
      // What has the log's name now belongs to others.
      if case StoreError.logReplaced = error { database.leaveLog() }
      database.close()
      throw error
    }
  }

  /// - Returns: whether the store is shared.
  static func prepare(
    _ database: Database, _ files: StoreFiles, _ options: StoreOptions
  ) throws -> Bool {
    if database.isReadOnly { throw StoreError.readOnly(path: files.path) }
    let (isOurs, found) = try Schema.state(of: database)
    let isOlder = !isOurs || found < Schema.version
    if isOlder, !options.upgradeIfOlder {
      throw StoreError.cannotOpen(
        path: files.path, reason: "its version is older; open it once in a shell")
    }
    if !isOurs {
      if !options.shared, let refusal = files.refusalIfPrivate { throw refusal }
      // If somebody deleted the log of a running shell, its store can look new. Write nothing then:
      // the shell copies its log into the file when it ends, unless a new log has content.
      let mode = try database.first("PRAGMA journal_mode") { $0.text() }
      if mode == "wal" { _ = try checkOpenFiles(files) }
      // Allows giving space back in small steps; possible only before the first table exists.
      try database.execute("PRAGMA auto_vacuum=INCREMENTAL")
    }
    try writeAhead(database, patience: options.patience)
    _ = try database.first("SELECT count(*) FROM sqlite_schema") { $0.int() }
    database.companions = try checkOpenFiles(files)
    if isOlder {
      try Schema.migrate(database, shared: options.shared)
    }
    // After a large transaction, the log keeps its size until the last process closes the store.
    try database.execute("PRAGMA journal_size_limit=\(logLimit)")
    // SQLite overwrites deleted data instead of only unlinking it.
    try database.execute("PRAGMA secure_delete=ON")
    // Some builds of SQLite trust no schema by default; the triggers that keep the search index in
    // step then fail, since FTS5 counted as unsafe before 3.41. This is safe: no function with
    // effects is registered, and extensions stay off.
    try database.execute("PRAGMA trusted_schema=ON")
    let isShared = try database.first("SELECT shared FROM meta") { $0.bool() } ?? false
    if !isShared {
      if let refusal = files.refusalIfPrivate { throw refusal }
      if options.shared {
        throw StoreError.cannotOpen(
          path: files.path,
          reason: translated("this store is private; name another file, or leave out --shared"))
      }
      files.tighten()
    }
    return isShared
  }

  /// The size in bytes above which the log is cut when its contents are in the store's file: what
  /// SQLite lets it grow to in ordinary use (1,000 pages).
  static let logLimit = 4 << 20

  /// Call this after a read: then SQLite has the log and its index open, and nobody who closes the
  /// store removes them.
  ///
  /// - Throws: `StoreError.logReplaced` if the running shells have others.
  private static func checkOpenFiles(_ files: StoreFiles) throws -> WALFiles {
    guard let found = try files.checkedWALFiles(), found.areOpen else {
      throw StoreError.logReplaced(path: files.path, file: WALFiles.log(of: files.path))
    }
    return found
  }

  /// The write-ahead log is a property of the file. While several processes create the same store,
  /// SQLite refuses the change at once, without waiting.
  private static func writeAhead(_ database: Database, patience: Int32) throws {
    var waited: Int32 = 0
    while true {
      do {
        let mode = try database.first("PRAGMA journal_mode=WAL") { $0.text() }
        guard mode == "wal" else {
          throw StoreError.cannotOpen(
            path: database.path,
            reason: translated("its file system cannot share memory between processes"))
        }
        return
      } catch StoreError.locked where waited < patience {
        usleep(2_000)
        waited += 2
      }
    }
  }
}
