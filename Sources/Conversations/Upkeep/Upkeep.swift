// SPDX-License-Identifier: GPL-3.0-or-later
import CSQLite
import Glibc
import Platform
import Sentences

extension Store {
  /// What keeps the store in order.
  package var upkeep: Upkeep { Upkeep(store: self) }
}

/// Settings of its connection, which SQLite takes only outside transactions.
extension Store {
  /// Keeps SQLite's temporary files in memory: for a process that may write only beside the store.
  package func keepTemporaryFilesInMemory() throws {
    try database.execute("PRAGMA temp_store=MEMORY")
  }

  /// Whether a row may refer only to an existing one.
  package func setChecksReferences(_ checks: Bool) throws {
    try database.execute("PRAGMA foreign_keys=\(checks ? "ON" : "OFF")")
  }

  /// Runs a body with a cache of 64 megabytes. With the default of two, a large import reads and
  /// writes the indexes again and again.
  package func withLargeCache<T>(_ body: () throws -> T) throws -> T {
    let pages = try database.first("PRAGMA cache_size") { $0.int64() } ?? -2000
    try database.execute("PRAGMA cache_size=-65536")
    defer { try? database.execute("PRAGMA cache_size=\(pages)") }
    return try body()
  }
}

/// Maintains a store: checks it, copies it, and removes files that no message uses.
package struct Upkeep {
  let store: Store

  /// Milliseconds between a change of `keep` and the first deletion.
  package static let keepDelay: Milliseconds = 86_400_000

  /// Checks the whole store: SQLite's own check, the tables, the search index, the permissions, the
  /// files of attachments. Takes time in proportion to the store; changes nothing.
  ///
  /// - Parameter deep: whether to read attachments and compare them with their hashes.
  /// - Returns: at least one finding for each existing part; `hobnob check` fails if any is not
  ///   `.fine`.
  package func check(deep: Bool = false) throws -> [Finding] {
    let check = StoreCheck(store: store)
    return try check.integrity() + check.schema() + check.searchIndex()
      + check.fileSystem(store.files.networkFileSystem) + check.permissions()
      + check.attachmentFiles(deep: deep)
  }

  /// What to tell someone who opens a store for the first time: that it is on a network file
  /// system; usually nil.
  package var warning: Sentence? {
    StoreCheck(store: store).fileSystem(store.files.networkFileSystem).first?.sentence
  }

  /// Copies the whole store, as it is now, into an empty database. Others can write meanwhile.
  func copy(into target: Database) throws {
    guard
      let backup = sqlite3_backup_init(
        target.connection, "main", store.database.connection, "main")
    else { throw target.error() }
    // Copies all pages in one step, so that the copy is one state of the store even while others
    // write.
    let code = sqlite3_backup_step(backup, -1)
    let finished = sqlite3_backup_finish(backup)
    guard code == SQLITE_DONE, finished == SQLITE_OK else { throw target.error() }
  }

  /// Copies the write-ahead log into the store's file and empties the log, unless others read from
  /// it for longer than a second.
  package func emptyLog() {
    let patience = store.patience
    store.patience = min(patience, 1_000)
    defer { store.patience = patience }
    _ = try? store.database.first("PRAGMA wal_checkpoint(TRUNCATE)") { $0.int() }
  }

  /// Writes a copy of the whole store in its current state, while others continue to write.
  ///
  /// - Parameters:
  ///   - path: a file that does not exist yet; it gets the permissions of a store.
  ///   - shared: whether the copy is for the group of its folder; nil if this store is shared and
  ///     that folder hands on its group. Otherwise it is private.
  /// - Throws: `StoreError`; then there is no copy.
  package func backup(to path: String, shared: Bool? = nil) throws {
    let shared = shared ?? (store.isShared && StoreFiles.isForSharing(folderOf: path))
    try NewFile.store(path, shared: shared) { temporary in
      let target = try Database(path: temporary, patience: 10_000)
      defer { target.close() }
      try copy(into: target)
      if shared != store.isShared { try target.run("UPDATE meta SET shared = ?", shared) }
    }
  }

  /// Returns memory that no later work needs. Call this when a shell may now wait for a long time.
  package func releaseMemory() { store.database.releaseMemory() }

  /// Removes files that no message and no draft uses, and those that a killed process left half
  /// copied, an hour after they last changed. Leaves other files alone.
  ///
  /// The store is locked only while some of them are removed, so others can continue to work.
  ///
  /// - Parameter now: the current time, to compare with the time when a file was last written.
  /// - Returns: how many it removed, and how many bytes that freed.
  /// - Throws: `StoreError`, also if it removed only some of them; `AttachmentError.unwritable` if
  ///   it cannot read the folder.
  package func pruneAttachments(now: Milliseconds) throws -> (files: Int, bytes: Int) {
    var sweep = AttachmentSweep()
    while try !sweep.step(64, in: store, now: now) {}
    return (sweep.files, sweep.bytes)
  }

  /// Returns some of the file's unused space to the disk. Takes time in proportion to `pages`.
  ///
  /// A file created without `auto_vacuum` returns nothing before the next `compact()`.
  ///
  /// - Parameter pages: the maximum number of pages to return, of 4 KiB each.
  /// - Returns: how many pages it returned; 0 if nothing is left to do.
  @discardableResult
  package func compactStep(pages: Int) throws -> Int {
    func unused() throws -> Int {
      try store.database.first("PRAGMA freelist_count") { $0.int() } ?? 0
    }
    if try unused() == 0 || pages < 1 { return 0 }
    return try store.write { _ in
      let before = try unused()
      try store.database.execute("PRAGMA incremental_vacuum(\(pages))")
      return max(0, before - (try unused()))
    }
  }

  /// Writes the whole file anew: no unused space, and no trace of deleted messages in the search
  /// index or the write-ahead log. Takes time and disk space in proportion to the store (`hobnob
  /// check --compact`).
  ///
  /// - Returns: how many bytes the file and its log became smaller.
  @discardableResult
  package func compact() throws -> Int {
    let before = size
    try store.writeDurably {
      try $0.database.run("INSERT INTO message_text(message_text) VALUES ('optimize')")
    }
    // For a file created without it, this takes effect with VACUUM.
    try store.database.execute("PRAGMA auto_vacuum=INCREMENTAL; VACUUM")
    emptyLog()
    return before - size
  }

  private var size: Int {
    [store.path, store.path + "-wal"].compactMap { fileStatus($0).map { Int($0.st_size) } }.reduce(
      0, +)
  }
}
