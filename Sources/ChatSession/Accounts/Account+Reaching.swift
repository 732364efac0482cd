// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

extension Account {
  /// The account that can reach an address: the only one on the same server, or the only one at
  /// all; nil if it is ambiguous.
  package static func reaching(
    _ address: String, among accounts: [Account], roomService: (Account) -> String? = { _ in nil }
  ) -> Account? {
    let address = address.lowercased()
    if let own = accounts.first(where: { $0.address == address }) { return own }
    let domain = address.split(separator: "@").last ?? ""
    let near = accounts.filter {
      [$0.domain, roomService($0) ?? ""].contains { $0 == domain }
        || domain.hasSuffix("." + $0.domain)
    }
    return near.count == 1 ? near[0] : accounts.count == 1 ? accounts[0] : nil
  }
}
