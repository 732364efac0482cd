// SPDX-License-Identifier: GPL-3.0-or-later

/// What shells and network processes ask about conversations on a network.
extension Access {
  /// Whether somebody of this machine has a shell.
  package func hasShell(_ person: ID<Participant>) throws -> Bool {
    try database.exists("SELECT 1 FROM shell WHERE participant = ?", person)
  }

  /// The archive id before which to look for older messages; empty if no id is known, nil if
  /// nothing is older.
  package func olderArchive(in conversation: ID<Conversation>) throws -> String? {
    let known: String? =
      try database.first(
        "SELECT archive_from FROM conversation WHERE id = ?", conversation
      ) { $0.optionalText() } ?? nil
    if let known { return known.isEmpty ? nil : known }
    return try database.first(
      """
      SELECT archive_id FROM message WHERE conversation = ? AND archive_id IS NOT NULL
      ORDER BY sort LIMIT 1
      """, conversation
    ) { $0.text() } ?? ""
  }
}

extension DurableTransaction {
  /// The direct chat of an account's owner with someone on its network, created if missing.
  ///
  /// - Throws: `RuleError.noSuchAccount`, `.badName`; `StoreError`.
  package func networkChat(with address: String, of account: Account) throws -> Conversation {
    guard let known = try self.account(network: account.network), known.id == account.id else {
      throw RuleError.noSuchAccount(account.network)
    }
    return try directChat(known.owner, with: networkPerson(address, of: known).id)
  }

  /// A person on an account's network, created if missing.
  ///
  /// - Throws: `RuleError.badName`, `StoreError`.
  package func networkPerson(_ address: String, of account: Account) throws -> Participant {
    if address.isEmpty { throw RuleError.badName(address) }
    return try networkPerson(at: address, network: account.network)
      ?? insert(
        identity: address, name: account.rules.shortName(of: address), network: account.network)
  }

  /// Replaces the owner's nickname `former` in an account's rooms, from the next connection on.
  /// Rooms with another nickname keep it.
  package func rename(_ former: String, to nick: String, inRoomsOf network: String) throws {
    try database.run(
      "UPDATE conversation SET nick = ? WHERE network = ? AND nick = ?", nick, network, former)
  }
}
