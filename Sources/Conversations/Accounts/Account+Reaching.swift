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
