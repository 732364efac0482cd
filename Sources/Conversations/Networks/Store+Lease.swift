// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Glibc

/// That one process at a time serves an account: its name in the account's row, and a locked file of
/// that name, as a shell has one (`ShellPresence`). The kernel unlocks it when the process ends in
/// whatever way, and the others see that without a timer.
///
/// Such a process is no shell: it has no row among them, so nobody is here because of it.
struct Lease {
  let account: ID<Account>
  let holder: ShellID
  /// The lock file, open for writing.
  var lock: Int32
}

/// The process that serves an account.
package enum LeaseHolder: Hashable, Sendable {
  case none, alive, dead
}

extension Reading where Self: ~Copyable {
  /// Whether this process has the lease still: not if its lock file was removed, and another process
  /// took the lease before this one noticed. To be asked before anything is sent.
  package func holdsLease(of account: Account) throws -> Bool {
    guard let lease = leases.first(where: { $0.account == account.id }) else { return false }
    return try database.exists(
      "SELECT 1 FROM account WHERE id = ? AND holder = ?", account.id, lease.holder)
  }

  /// Whether a process serves an account now: one question to the store and a look at a file.
  package func holderIsAlive(of account: Account) throws -> Bool {
    try holder(of: account) == .alive
  }

  /// What is known of the process that serves an account. A dead one has crashed or was killed, and
  /// nobody has cleared away yet what it said.
  package func holder(of account: Account) throws -> LeaseHolder {
    let holder =
      try database.first("SELECT holder FROM account WHERE id = ?", account.id) {
        $0.optionalText()
      } ?? nil
    guard let holder else { return .none }
    return files.isLocked(ShellID(rawValue: holder)) ? .alive : .dead
  }

  /// Whether there is anything for `forgetDeadHolders` to do.
  func hasDeadHolders() throws -> Bool {
    try leases.contains { hasNoName($0.lock) } || !deadHolders().isEmpty
  }

  fileprivate func deadHolders() throws -> [(ID<Account>, String, ShellID)] {
    let held = try database.rows(
      "SELECT id, network, holder FROM account WHERE holder IS NOT NULL"
    ) {
      (
        $0.id("id") as ID<Account>, $0.text("network"), ShellID(rawValue: $0.text("holder"))
      )
    }
    return held.filter { entry in
      !leases.contains { $0.holder == entry.2 } && !files.isLocked(entry.2)
    }
  }

}

/// Whether somebody removed a lock file.
func hasNoName(_ lock: Int32) -> Bool {
  var found = Glibc.stat()
  return fstat(lock, &found) == 0 && found.st_nlink == 0
}

extension Writing where Self: ~Copyable {
  /// Processes that served an account and ended without a word: what they said of themselves and of
  /// others does not hold any more. If somebody removed the lock file of a lease of this process, it
  /// is made again.
  ///
  /// - Returns: whether there were any.
  func forgetDeadHolders() throws -> Bool {
    for index in leases.indices where hasNoName(leases[index].lock) {
      Glibc.close(leases[index].lock)
      connection.leases[index].lock = try connection.lockFile(of: leases[index].holder)
      // Unless another process has found it free meanwhile; then `holdsLease` says so.
      try database.run(
        "UPDATE account SET holder = ? WHERE id = ? AND holder IS NULL", leases[index].holder,
        leases[index].account)
    }
    let dead = try deadHolders()
    for (account, network, holder) in dead { try forget(holder, of: account, network) }
    return !dead.isEmpty
  }

  fileprivate func forget(
    _ holder: ShellID, of account: ID<Account>, _ network: String, status: String = ""
  ) throws {
    try database.run(
      "UPDATE account SET holder = NULL, status = ?, change = ? WHERE id = ? AND holder = ?",
      status, try nextChange(), account, holder)
    if database.changedRows > 0 { try forgetPresence(on: network) }
  }

  fileprivate func serve(_ account: Account, as holder: ShellID) throws {
    try database.run(
      "UPDATE account SET holder = ?, status = 'connecting', change = ? WHERE id = ?", holder,
      try nextChange(), account.id)
    try forgetPresence(on: account.network)
  }

  /// Nobody tells any more who is there.
  func forgetPresence(on network: String) throws {
    try database.run(
      "UPDATE participant SET online = 0, away = NULL WHERE network = ? AND online <> 0", network)
    if database.changedRows > 0 { try touchPeople() }
    try database.run("UPDATE conversation SET live = 0 WHERE network = ? AND live <> 0", network)
    try endTyping(signalledBy: ShellID(rawValue: network))
  }
}

extension Store {
  /// Makes this process the one that serves an account, unless another does.
  ///
  /// Whoever is said to be there, or to type, on its network was said so by a former process: that
  /// is forgotten. From here on an empty status says that it is connected.
  ///
  /// - Returns: whether it has the lease now.
  /// - Throws: `RuleError.noSuchAccount`, `StoreError`.
  package func takeLease(of account: Account) throws -> Bool {
    if connection.leases.contains(where: { $0.account == account.id }) { return true }
    try files.makeShells(shared: isShared)
    var random = SystemRandomNumberGenerator()
    let holder = ShellID(rawValue: String(random.next(), radix: 36))
    var lock: Int32 = -1
    do {
      // Two who want it come one after the other: the second finds the first one's file locked.
      let isTaken = try write { transaction in
        guard try transaction.account(network: account.network)?.id == account.id else {
          throw RuleError.noSuchAccount(account.address)
        }
        if try transaction.holderIsAlive(of: account) { return false }
        lock = try connection.lockFile(of: holder)
        try transaction.serve(account, as: holder)
        return true
      }
      if isTaken {
        connection.leases.append(Lease(account: account.id, holder: holder, lock: lock))
      }
      return isTaken
    } catch {
      if lock >= 0 {
        unlink(files.lockPath(of: holder))
        Glibc.close(lock)
      }
      throw error
    }
  }

  /// Gives the lease back; does nothing if this process does not hold it.
  ///
  /// - Parameter status: why the process ends. It is stored together with the release: an account
  ///   without a holder and without a status would be served by a new process at once.
  package func releaseLease(of account: Account, status: String = "") throws {
    guard let index = connection.leases.firstIndex(where: { $0.account == account.id })
    else { return }
    let lease = connection.leases.remove(at: index)
    // Even if the store is locked: then the closed file tells the others.
    defer { Glibc.close(lease.lock) }
    try write {
      try $0.forget(lease.holder, of: lease.account, account.network, status: status)
    }
    unlink(files.lockPath(of: lease.holder))
  }

  func releaseLeases() {
    for lease in connection.leases {
      try? write { transaction in
        let network = try transaction.database.first(
          "SELECT network FROM account WHERE id = ?", lease.account
        ) { $0.text() }
        try transaction.forget(lease.holder, of: lease.account, network ?? "")
      }
      unlink(files.lockPath(of: lease.holder))
      Glibc.close(lease.lock)
    }
    connection.leases = []
  }
}
