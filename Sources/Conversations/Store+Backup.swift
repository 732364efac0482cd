// SPDX-License-Identifier: GPL-3.0-or-later
import CSQLite
import Glibc

extension Store {
  /// Writes a copy of the whole store, as it is at this moment, while others go on writing.
  ///
  /// - Parameter path: a file that does not exist yet; it gets the permissions of a store.
  /// - Throws: `StoreError`; then there is no file.
  public func backup(to path: String) throws {
    let copy = try NewFile(path: path, shared: isShared)
    try copy.kept {
      let target = try Database(path: copy.path, patience: 10_000)
      defer { target.close() }
      guard
        let backup = sqlite3_backup_init(target.connection, "main", database.connection, "main")
      else { throw target.error() }
      // All pages in one step: one state of the store, whoever writes meanwhile.
      let code = sqlite3_backup_step(backup, -1)
      let finished = sqlite3_backup_finish(backup)
      guard code == SQLITE_DONE, finished == SQLITE_OK else { throw target.error() }
    }
  }
}

/// A store's file that did not exist before, and does not afterwards unless it was finished.
struct NewFile {
  let path: String

  /// - Throws: `StoreError.cannotOpen` if there is one of that name.
  init(path given: String, shared: Bool) throws {
    guard facts(given) == nil else {
      throw StoreError.cannotOpen(path: given, reason: "it exists; name a new file")
    }
    let files = try StoreFiles(path: given, options: .init(shared: shared))
    guard files.isNew else {
      throw StoreError.cannotOpen(path: given, reason: "it exists; name a new file")
    }
    path = files.path
  }

  func kept<T>(_ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch {
      for name in [path, path + "-wal", path + "-shm", path + "-journal"] { unlink(name) }
      throw error
    }
  }
}
