// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// Which archive of messages (XEP-0313): the account's own, or a room's.
enum ArchiveKey: Hashable, Sendable {
  case account
  case room(Address)

  /// - Parameter text: the form in the store: a room's address, or an empty text for the account's
  ///   own.
  init?(_ text: String) {
    if text.isEmpty {
      self = .account
    } else {
      guard let address = Address(text) else { return nil }
      self = .room(address)
    }
  }

  /// The address to ask for it; nil for the owner's account.
  var address: Address? { if case .room(let address) = self { address } else { nil } }

  /// The room; nil for the account's archive, which has all direct chats.
  var conversation: ConversationAddress? { address.map { .room($0.description) } }

  func holds(_ conversation: ConversationAddress) -> Bool {
    switch conversation {
    case .room: self.conversation == conversation
    case .direct: self == .account
    }
  }

  /// The form in the store.
  var text: String { address?.description ?? "" }
}
