// SPDX-License-Identifier: GPL-3.0-or-later

extension Access {
  /// What people can do in a conversation; everything, as long as its network has not said what.
  public func knownAbilities(of conversation: ID<Conversation>) throws -> Abilities {
    let found = try database.first(
      """
      SELECT c.kind, c.network, c.abilities AS own, a.abilities AS of_account
      FROM conversation c LEFT JOIN account a ON a.network = c.network WHERE c.id = ?
      """, conversation
    ) { row -> Abilities in
      if row.text("network").isEmpty { return .ofThisMachine }
      if !row.isNull("own") { return Abilities(row.json("own")) }
      let known = NetworkAbilities(row.json("of_account"))
      return row.int("kind") == Conversation.Kind.room.rawValue ? known.rooms : known.direct
    }
    return found ?? Abilities()
  }

  /// What people can do in the conversations of an account; everything, as long as its process has
  /// not said what.
  package func knownAbilities(of account: Account) throws -> NetworkAbilities {
    let found = try database.first(
      "SELECT abilities FROM account WHERE id = ?", account.id
    ) { NetworkAbilities($0.json()) }
    return found ?? NetworkAbilities()
  }

  /// Whether the process of the network's account has reported what people can do there.
  package func knowsAbilities(ofNetwork network: String) throws -> Bool {
    try database.exists(
      "SELECT 1 FROM account WHERE network = ? AND abilities IS NOT NULL", network)
  }
}

extension Access where Mode: MayWrite {
  /// Keeps what people can do in the conversations of an account.
  package func setAbilities(of account: Account, _ abilities: NetworkAbilities) throws {
    let isKnown = try database.exists(
      "SELECT 1 FROM account WHERE id = ? AND abilities = ?", account.id, abilities.json)
    if isKnown { return }
    try database.run(
      "UPDATE account SET abilities = ?, change = ? WHERE id = ?", abilities.json, try nextChange(),
      account.id)
  }

  /// Keeps what people can do in one conversation; nil if the abilities of the account apply.
  package func setAbilities(
    of conversation: ID<Conversation>, _ abilities: Abilities?
  ) throws {
    try database.run(
      "UPDATE conversation SET abilities = ? WHERE id = ?", abilities?.json, conversation)
    try database.run(
      """
      UPDATE account SET change = ?
      WHERE network = (SELECT network FROM conversation WHERE id = ?)
      """, try nextChange(), conversation)
  }
}
