// SPDX-License-Identifier: GPL-3.0-or-later
import CSQLite
import Glibc
import Platform

extension Store {
  /// Writes a copy of the whole store in its current state, while others go on writing.
  ///
  /// - Parameters:
  ///   - path: a file that does not exist yet; it gets the permissions of a store.
  ///   - shared: whether the copy is for the group of its folder; nil if this store is shared and
  ///     that folder hands on its group. Otherwise it is private.
  /// - Throws: `StoreError`; then there is no copy.
  package func backup(to path: String, shared: Bool? = nil) throws {
    let shared = shared ?? (isShared && StoreFiles.isForSharing(folderOf: path))
    try NewFile.store(path, shared: shared) { temporary in
      let target = try Database(path: temporary, patience: 10_000)
      defer { target.close() }
      guard
        let backup = sqlite3_backup_init(target.connection, "main", database.connection, "main")
      else { throw target.error() }
      // All pages in one step: one state of the store, whoever writes meanwhile.
      let code = sqlite3_backup_step(backup, -1)
      let finished = sqlite3_backup_finish(backup)
      guard code == SQLITE_DONE, finished == SQLITE_OK else { throw target.error() }
      if shared != isShared { try target.run("UPDATE meta SET shared = ?", shared) }
    }
  }
}
