// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

extension Access {
  /// Shells that have a row or a lock file that nobody holds.
  fileprivate func staleShells() throws -> Set<ShellID> {
    let rows = try database.rows("SELECT id FROM shell") { ShellID(rawValue: $0.text()) }
    return Set(rows.filter { !files.isLocked($0) } + files.abandonedLocks())
      .filter { $0 != presence?.id }
  }

  fileprivate var hasLostItsLock: Bool { presence.map { StoreFiles.hasNoName($0.lock) } ?? false }

  fileprivate func hasStaleShells() throws -> Bool {
    try !staleShells().isEmpty || hasLostItsLock || hasDeadHolders()
  }
}

extension RunningShells {
  /// Removes shells that died, and what dead network processes reported. Call this at the start,
  /// and when the bell says `.processExited`. Recreates the lock file of this process if somebody
  /// removed it.
  ///
  /// - Returns: whether there were any.
  public func reapStale() throws -> Bool {
    if try !store.read({ try $0.hasStaleShells() }) { return false }
    return try store.write { transaction in
      let hadHolders = try transaction.forgetDeadHolders()
      if transaction.hasLostItsLock, var shell = store.connection.presence {
        Glibc.close(shell.lock)
        shell.lock = try makeLockFile(of: shell.id)
        store.connection.presence = shell
        try transaction.insert(shell)
      }
      let stale = try transaction.staleShells()
      for shell in stale {
        try transaction.remove(shell)
        store.files.removeLock(of: shell)
      }
      return !stale.isEmpty || hadHolders
    }
  }
}
