// SPDX-License-Identifier: GPL-3.0-or-later
import Sentences

/// Accounts on networks: only an account's owner sees its conversations.
///
/// Everyone in the store sees a network without an account, as an import may bring one.
extension Access {
  /// The accounts of a participant, in the order in which they were added.
  public func accounts(of owner: ID<Participant>) throws -> [Account] {
    try database.rows(
      Account.select + "WHERE owner = ? AND removed = 0 ORDER BY id", owner,
      read: Account.init)
  }

  /// The account that a network belongs to; nil if nobody has it, or its owner removed it.
  public func account(network: String) throws -> Account? {
    try database.first(
      Account.select + "WHERE network = ? AND removed = 0", network, read: Account.init)
  }

  /// A person's names in the rooms of their accounts, or of one network.
  package func roomNicknames(
    of me: ID<Participant>, on network: String? = nil
  ) throws -> [ID<Conversation>: String] {
    let found = try database.rows(
      """
      SELECT c.id, c.nick FROM account a JOIN conversation c ON c.network = a.network
      WHERE a.owner = ?1 AND a.removed = 0 AND c.nick IS NOT NULL
        AND (?2 IS NULL OR a.network = ?2)
      """, me, network
    ) { ($0.id("id") as ID<Conversation>, $0.text("nick")) }
    return Dictionary(found) { $1 }
  }

  /// How often the file with the keys of an account had been written when that was last noted. A
  /// file that was written less often is an old copy.
  package func keyCount(of account: Account) throws -> Int64 {
    try database.first("SELECT keys FROM account WHERE id = ?", account.id) { $0.int64() } ?? 0
  }

  /// The addresses of the people and the rooms with whom an account has encrypted conversations.
  package func encryptedPartners(of account: Account) throws -> [String] {
    try database.rows(
      """
      SELECT ifnull(c.address, p.identity) FROM conversation c LEFT JOIN participant p
        ON p.id IN (c.one, c.other) AND p.network = c.network
      WHERE c.network = ? AND ifnull(c.address, p.identity) IS NOT NULL AND EXISTS (
        SELECT 1 FROM message m WHERE m.conversation = c.id AND m.encrypted > 0 AND m.encrypted < 4)
      """, account.network
    ) { $0.text() }
  }

  /// Whether anybody has an account in this store.
  package func hasAccounts() throws -> Bool {
    try database.exists("SELECT 1 FROM account WHERE removed = 0")
  }

  /// Who owns a network, or owned it until they removed the account; nil if nobody ever did.
  func owner(ofNetwork network: String) throws -> ID<Participant>? {
    try database.first("SELECT owner FROM account WHERE network = ?", network) { $0.id() }
  }

  /// Fails unless the account exists: a removed account would never carry anything.
  ///
  /// - Throws: `RuleError.noSuchAccount`.
  func requireAccount(of network: String) throws {
    let isRemoved = try database.exists(
      "SELECT 1 FROM account WHERE network = ? AND removed <> 0", network)
    if isRemoved {
      throw RuleError.noSuchAccount(network)
    }
  }

  /// Fails unless the account of the network that carries a message exists.
  func requireAccount(of message: ID<Message>) throws {
    let network = try database.first(
      """
      SELECT c.network FROM message m JOIN conversation c ON c.id = m.conversation WHERE m.id = ?
      """, message
    ) { $0.text() }
    if let network { try requireAccount(of: network) }
  }
}

extension Access where Mode: MayWrite {
  /// Tells the owner's other shells that the account's settings have changed in the owner's file.
  package func noteChange(of account: Account) throws {
    try database.run(
      "UPDATE account SET change = ? WHERE id = ?", try nextChange(), account.id)
  }
}

extension Access where Mode: MayWrite {
  /// Records the state of an account's connection. Does nothing if it is the same as before.
  package func setStatus(of account: Account, _ status: AccountStatus) throws {
    let isKnown = try database.exists(
      "SELECT 1 FROM account WHERE id = ? AND status IS ?", account.id, status.json)
    if isKnown { return }
    try database.run(
      "UPDATE account SET status = ?, change = ? WHERE id = ?", status.json, try nextChange(),
      account.id)
  }
}

extension Access where Mode: MayWrite {
  /// Notes how often the file with the keys of an account has been written. The number never
  /// becomes smaller; no shell needs to know it.
  package func noteKeyCount(_ count: Int64, of account: Account) throws {
    try database.run(
      "UPDATE account SET keys = max(keys, ?) WHERE id = ?", count, account.id)
  }
}

extension Access where Mode: MayWrite {
  /// Keeps how an account's network names people and rooms. Does nothing if they are the same.
  package func setRules(of account: Account, _ rules: AddressRules) throws {
    if rules == account.rules { return }
    try database.run(
      "UPDATE account SET rules = ?, change = ? WHERE id = ?", rules.json, try nextChange(),
      account.id)
  }
}

extension DurableTransaction {
  /// Gives a participant an account. If they had removed it before, they get its old conversations
  /// back. The network is its kind and the address, as in `xmpp:anna@example.org`.
  ///
  /// - Throws: `RuleError.accountExists`, `.accountTaken`; `.badName` if kind or address is
  ///   missing; `StoreError`.
  @discardableResult
  public func addAccount(owner: ID<Participant>, network: String) throws -> Account {
    try savepoint {
      var made = Account(id: ID(rawValue: 0), owner: owner, network: network)
      guard !made.kind.isEmpty, !made.address.isEmpty else { throw RuleError.badName(network) }
      let former = try database.first(
        "SELECT owner, removed FROM account WHERE network = ?", network
      ) { (owner: $0.id("owner") as ID<Participant>, isRemoved: $0.bool("removed")) }
      if let former, former.owner != owner { throw RuleError.accountTaken(made.address) }
      if let former, !former.isRemoved { throw RuleError.accountExists(made.address) }
      let id: ID<Account>? = try database.first(
        """
        INSERT INTO account(owner, network, change) VALUES (?, ?, ?)
        ON CONFLICT(network) DO UPDATE SET removed = 0, change = excluded.change
        RETURNING id
        """, owner, network, try nextChange()
      ) { $0.id() }
      // Before the network had an account here, everyone saw its imported conversations.
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
}

extension Store {
  /// Why no network process can serve an account of this store, as a sentence; nil if one can.
  ///
  /// SQLite removes and recreates its log files, so such a process needs access to the whole
  /// folder: nothing else may be in it.
  package var failureToHoldAccounts: Remark? {
    files.foreignName.map {
      filled(
        (
          "a store with accounts needs a folder of its own, but the folder %1 also contains %2; quit hobnob, move the store and its files to a new folder, and open it with --store",
          [files.folder, $0]
        ))
    }
  }
}

extension Account {
  fileprivate static let select = "SELECT id, owner, network, status, rules FROM account "

  fileprivate init(_ row: Row) {
    self.init(
      id: row.id("id"), owner: row.id("owner"), network: row.text("network"),
      status: AccountStatus(row.json("status")), rules: AddressRules(row.json("rules")))
  }

  /// An SQL query: the networks of the accounts that somebody has now.
  package static func networks(of owner: String) -> String {
    "SELECT network FROM account WHERE owner = \(owner) AND removed = 0"
  }

  /// An SQL expression: whether a viewer may see the network in a column.
  package static func isVisible(network: String, to viewer: String) -> String {
    """
    (\(network) = '' OR NOT EXISTS (SELECT 1 FROM account hidden
      WHERE hidden.network = \(network) AND hidden.owner <> \(viewer)))
    """
  }
}
