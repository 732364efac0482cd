// SPDX-License-Identifier: GPL-3.0-or-later

extension Account {
  /// Whether a word names a person or a room and, after an `@`, a server.
  package static func isAddress(_ word: String) -> Bool {
    word.contains("@") && AddressRules(domain: "").address(ofPerson: word) != nil
  }

  /// The account that can reach an address: the only one on the same server, or the only one at
  /// all; nil if it is ambiguous.
  package static func reaching(_ address: String, among accounts: [Account]) -> Account? {
    let address = address.lowercased()
    if let own = accounts.first(where: { $0.address == address }) { return own }
    let domain = address.split(separator: "@").last ?? ""
    let near = accounts.filter {
      [$0.server, $0.rules.roomDomain ?? ""].contains { $0 == domain }
        || domain.hasSuffix("." + $0.server)
    }
    return near.count == 1 ? near[0] : accounts.count == 1 ? accounts[0] : nil
  }
}

extension Access {
  /// The account that a word with the kind of its network means, such as `xmpp:gateway.example.org`;
  /// nil for any other word. If several of the accounts fit: the one on the same server, else the
  /// one on `network`, else the only one that has a conversation or a person with this address.
  ///
  /// - Parameter network: that of the conversation where the word was typed.
  /// - Throws: `RuleError.ambiguous`, with words that name the account, too.
  package func account(
    namedIn word: String, among accounts: [Account], from network: String? = nil
  ) throws -> Account? {
    let fitting = accounts.filter { $0.withoutKind(word) != nil }
    guard let first = fitting.first, let address = first.withoutKind(word) else { return nil }
    if let found = Account.reaching(address, among: fitting)
      ?? fitting.first(where: { $0.network == network })
    {
      return found
    }
    let talking = try fitting.filter { try hasConversation(at: address, on: $0) }
    if talking.count == 1 { return talking[0] }
    let knowing = try fitting.filter {
      try networkPerson(at: $0.rules.fold(address), network: $0.network) != nil
    }
    if talking.isEmpty, knowing.count == 1 { return knowing[0] }
    throw RuleError.ambiguous(
      word, candidates: fitting.map { Account.word(for: address, on: $0.network) })
  }

  private func hasConversation(at address: String, on account: Account) throws -> Bool {
    try database.exists(
      """
      SELECT 1 FROM conversation WHERE network = ?1 AND address = ?2
      UNION ALL SELECT 1 FROM conversation c JOIN participant p ON p.id IN (c.one, c.other)
        WHERE p.network = ?1 AND p.identity = ?2 AND c.kind = 1
      """, account.network, account.rules.fold(address))
  }
}
