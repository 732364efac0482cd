// SPDX-License-Identifier: GPL-3.0-or-later

/// Which archive of messages (XEP-0313): the account's own, or a room's.
enum ArchiveKey: Hashable, Sendable {
  case account
  case room(Address)

  /// - Parameter text: as the store has it: a room's address, or nothing for the account's own.
  init?(_ text: String) {
    if text.isEmpty {
      self = .account
    } else {
      guard let address = Address(text) else { return nil }
      self = .room(address)
    }
  }

  /// Whom to ask for it; nil for the owner's account.
  var address: Address? { if case .room(let address) = self { address } else { nil } }

  /// As the store has it.
  var text: String { address?.description ?? "" }
}
