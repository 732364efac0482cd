// SPDX-License-Identifier: GPL-3.0-or-later

/// Accounts on networks: whose they are decides who sees what is said there.
///
/// A network without an account, as an import may bring one, is seen by everyone in the store.
extension Store {
  /// Whether the network in a column is one that a viewer may see, as an expression of SQLite.
  package static func isSeen(network: String, by viewer: String) -> String {
    """
    NOT EXISTS (SELECT 1 FROM account hidden
      WHERE hidden.network = \(network) AND hidden.owner <> \(viewer))
    """
  }

  private static let accountSelect =
    "SELECT id, owner, network, settings, wanted, status FROM account "

  private func account(_ row: Row) throws -> Account {
    Account(
      id: row.id("id"), owner: row.id("owner"), network: row.text("network"),
      settings: try settings(row.text("settings")), isWanted: row.bool("wanted"),
      status: row.text("status"))
  }

  private func settings(_ json: String) throws -> [String: String] {
    // Anyone may have written anything into a shared store.
    let pairs = try database.rows(
      """
      SELECT key, value FROM json_each(CASE WHEN json_valid(?1) THEN ?1 ELSE '{}' END)
      WHERE type = 'text'
      """, json
    ) { ($0.text("key"), $0.text("value")) }
    return Dictionary(pairs) { $1 }
  }

  private func json(_ settings: [String: String]) throws -> String {
    var json = "{}"
    for (name, value) in settings.sorted(by: { $0.key < $1.key }) {
      json =
        try database.first(
          "SELECT json_patch(?, json_object(?, ?))", json, name, value, read: { $0.text() }) ?? json
    }
    return json
  }

  /// The accounts of a participant, in the order in which they were added.
  public func accounts(of owner: ID<Participant>) throws -> [Account] {
    try database.rows(
      Store.accountSelect + "WHERE owner = ? AND removed = 0 ORDER BY id", owner, read: account)
  }

  /// The account that is a network; nil if nobody has it, or it was removed.
  public func account(network: String) throws -> Account? {
    try database.first(
      Store.accountSelect + "WHERE network = ? AND removed = 0", network, read: account)
  }

  /// Gives a participant an account. What was said on it before, if it was removed once, belongs to
  /// it again.
  ///
  /// - Parameter network: the kind and the address, as in `xmpp:anna@example.org`.
  /// - Throws: `RuleError.accountExists`, `.accountTaken`; `.badName` if kind or address is missing;
  ///   `StoreError`.
  @discardableResult
  public func addAccount(
    owner: ID<Participant>, network: String, settings: [String: String] = [:]
  ) throws -> Account {
    var made = Account(id: ID(rawValue: 0), owner: owner, network: network, settings: settings)
    guard !made.kind.isEmpty, !made.address.isEmpty else { throw RuleError.badName(network) }
    return try write(durable: true) {
      let former = try database.first(
        "SELECT owner, removed FROM account WHERE network = ?", network
      ) { (owner: $0.id("owner") as ID<Participant>, isRemoved: $0.bool("removed")) }
      if let former, former.owner != owner { throw RuleError.accountTaken(made.address) }
      if let former, !former.isRemoved { throw RuleError.accountExists(made.address) }
      let id: ID<Account>? = try database.first(
        """
        INSERT INTO account(owner, network, settings, change) VALUES (?, ?, ?, ?)
        ON CONFLICT(network) DO UPDATE SET settings = excluded.settings, wanted = 1, removed = 0,
          change = excluded.change
        RETURNING id
        """, owner, network, try json(settings), try nextChange()
      ) { $0.id() }
      // Conversations that an import brought were everyone's until now.
      try database.run(
        """
        DELETE FROM membership WHERE participant <> ?1
          AND participant IN (SELECT id FROM participant WHERE network = '')
          AND conversation IN (SELECT id FROM conversation WHERE network = ?2)
        """, owner, network)
      try touchPeople()
      made.id = id ?? made.id
      return made
    }
  }

  /// Replaces the settings of an account; its process is told by the bell.
  ///
  /// - Throws: `RuleError.noSuchAccount`, `StoreError`.
  public func set(_ account: Account, settings: [String: String]) throws {
    try write(durable: true) {
      try database.run(
        "UPDATE account SET settings = ?, change = ? WHERE id = ? AND removed = 0",
        try json(settings), try nextChange(), account.id)
      if database.changedRows == 0 { throw RuleError.noSuchAccount(account.address) }
    }
  }

  /// Says whether an account is to be connected when its owner has a shell.
  ///
  /// - Throws: `RuleError.noSuchAccount`, `StoreError`.
  public func setWanted(_ isWanted: Bool, _ account: Account) throws {
    try write(durable: true) {
      try database.run(
        "UPDATE account SET wanted = ?, change = ? WHERE id = ? AND removed = 0", isWanted,
        try nextChange(), account.id)
      if database.changedRows == 0 { throw RuleError.noSuchAccount(account.address) }
    }
  }

  /// Takes an account away. Its conversations stay for its owner to read; what waited for the
  /// network has failed, with a sentence that says why. Its process sees it at the next bell.
  ///
  /// - Throws: `RuleError.noSuchAccount`, `StoreError`.
  public func removeAccount(_ account: Account) throws {
    try write(durable: true) {
      guard try self.account(network: account.network) != nil else {
        throw RuleError.noSuchAccount(account.address)
      }
      // The account's row is there as long as it takes to say what fails.
      for entry in try outbox(of: account.network) {
        try finish(entry, as: .failed("the account \(account.address) was removed"))
      }
      try database.run("DELETE FROM request WHERE account = ?", account.id)
      try database.run("DELETE FROM archive_mark WHERE network = ?", account.network)
      try forgetPresence(on: account.network)
      try database.run(
        """
        UPDATE account SET removed = 1, wanted = 0, settings = '{}', status = '', change = ?
        WHERE id = ?
        """, try nextChange(), account.id)
      try touchPeople()
    }
  }

  /// Whose a network is, or was before the account was removed; nil where nobody ever had it.
  func owner(ofNetwork network: String) throws -> ID<Participant>? {
    try database.first("SELECT owner FROM account WHERE network = ?", network) { $0.id() }
  }

  /// What is to be carried by an account that was removed never would be. Part of a transaction.
  ///
  /// - Throws: `RuleError.noSuchAccount`.
  func requireAccount(of network: String) throws {
    let isRemoved = try database.exists(
      "SELECT 1 FROM account WHERE network = ? AND removed <> 0", network)
    if isRemoved {
      throw RuleError.noSuchAccount(
        Account(id: ID(rawValue: 0), owner: ID(rawValue: 0), network: network).address)
    }
  }

  /// The same of the network that carries a message.
  func requireAccount(of message: ID<Message>) throws {
    let network = try database.first(
      """
      SELECT c.network FROM message m JOIN conversation c ON c.id = m.conversation WHERE m.id = ?
      """, message
    ) { $0.text() }
    if let network { try requireAccount(of: network) }
  }

  // MARK: Status

  /// Says in what state the process is that serves an account: for the status line, in a few words;
  /// empty for none. The same again is no news.
  package func setStatus(of account: Account, _ text: String) throws {
    let isKnown = try database.exists(
      "SELECT 1 FROM account WHERE id = ? AND status = ?", account.id, text)
    if isKnown { return }
    try write {
      try database.run(
        "UPDATE account SET status = ?, change = ? WHERE id = ?", text, try nextChange(),
        account.id)
    }
  }
}
