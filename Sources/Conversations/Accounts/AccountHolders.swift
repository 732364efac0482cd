// SPDX-License-Identifier: GPL-3.0-or-later

extension Access {
  /// Whether a process serves an account now. This takes one query and a look at a file.
  package func hasProcess(of account: Account) throws -> Bool {
    try holderID(of: account).map(files.isLocked) ?? false
  }

  /// The process that serves an account, or one that ended without removing its name.
  package func holderID(of account: Account) throws -> ShellID? {
    try database.first("SELECT holder FROM account WHERE id = ?", account.id) {
      $0.optionalText().map(ShellID.init(rawValue:))
    } ?? nil
  }

  /// Whether there is anything for `forgetDeadHolders` to do.
  func hasDeadHolders() throws -> Bool { try !deadHolders().isEmpty }

  fileprivate func deadHolders() throws -> [(ID<Account>, network: String, holder: ShellID)] {
    try database.rows("SELECT id, network, holder FROM account WHERE holder IS NOT NULL") {
      (
        $0.id("id") as ID<Account>, network: $0.text("network"),
        holder: ShellID(rawValue: $0.text("holder"))
      )
    }.filter { !files.isLocked($0.holder) }
  }
}

extension Access where Mode: MayWrite {
  /// Clears the status and the presence that network processes reported which have died.
  ///
  /// - Returns: whether there were any.
  func forgetDeadHolders() throws -> Bool {
    let dead = try deadHolders()
    for (account, network, holder) in dead {
      try removeHolder(holder, of: account, network, status: .notRunning)
    }
    return !dead.isEmpty
  }

  /// Records that a process serves an account.
  package func setHolder(_ holder: ShellID, of account: Account) throws {
    try database.run(
      "UPDATE account SET holder = ?, status = ?, change = ? WHERE id = ?", holder,
      AccountStatus.connecting.json, try nextChange(), account.id)
    try forgetPresence(on: account.network)
  }

  /// Records the holder again after its lock file was missing, unless another has replaced it.
  package func restoreHolder(_ holder: ShellID, of account: Account) throws {
    try database.run(
      "UPDATE account SET holder = ? WHERE id = ? AND holder IS NULL", holder, account.id)
  }

  /// Records that a process no longer serves an account.
  package func removeHolder(
    _ holder: ShellID, of account: Account, status: AccountStatus
  ) throws {
    try removeHolder(holder, of: account.id, account.network, status: status)
  }

  fileprivate func removeHolder(
    _ holder: ShellID, of account: ID<Account>, _ network: String, status: AccountStatus
  ) throws {
    try database.run(
      "UPDATE account SET holder = NULL, status = ?, change = ? WHERE id = ? AND holder = ?",
      status.json, try nextChange(), account, holder)
    if database.changedRows > 0 { try forgetPresence(on: network) }
  }

  /// Removes the presence of everyone on a network, since nobody reports it any more.
  ///
  /// - Parameter scope: the end of the addresses of these people and their rooms; empty for all.
  package func forgetPresence(on network: String, scope: String = "") throws {
    func isThere(_ address: String) -> String {
      "network = ?1 AND (?2 = '' OR substr(\(address), -length(?2)) = ?2)"
    }
    try database.run(
      "UPDATE participant SET online = 0, away = NULL WHERE \(isThere("identity")) AND online <> 0",
      network, scope)
    if database.changedRows > 0 { try touchPeople() }
    try database.run(
      "UPDATE conversation SET live = 0 WHERE \(isThere("address")) AND live <> 0", network, scope)
    try database.run(
      """
      UPDATE typing SET active = 0, at = ?3, change = ?4 WHERE shell = ?1 AND active = 1
        AND participant IN (SELECT id FROM participant WHERE \(isThere("identity")))
      """, network, scope, clock(), try nextChange())
  }
}
