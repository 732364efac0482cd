// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

extension Reading where Self: ~Copyable {
  /// Shells that have a row or a file, but whose lock nobody holds.
  fileprivate func staleShells() throws -> [ShellID] {
    var known = Set(try database.rows("SELECT id FROM shell") { ShellID(rawValue: $0.text()) })
    known.formUnion(files.lockFiles())
    if let id = presence?.id { known.remove(id) }
    return known.filter { !files.isLocked($0) }
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
        removeLockFile(of: shell)
      }
      return !stale.isEmpty || hadHolders
    }
  }
}
