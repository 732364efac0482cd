// SPDX-License-Identifier: GPL-3.0-or-later

/// A conversation in the network's own names. Addresses are folded by the account's rules.
package enum ConversationAddress: Hashable, Sendable {
  /// A room by its address; its conversation is created if it is missing.
  case room(String)
  /// The direct chat with the person at that address; created if it is missing.
  case direct(String)

  /// The room's or the person's.
  package var address: String {
    switch self {
    case .room(let address), .direct(let address): address
    }
  }
}

/// A person, in the network's own names.
package struct NetworkUser: Hashable, Sendable {
  /// Identifies this person on the network, for good: the address, folded by the account's rules;
  /// in a room the occupant's id if there is one, else the nickname. If a room's ids are valid only
  /// there (`AddressRules.IdentityScope.room`), the store prefixes them with the room's address, so
  /// that no room can name someone from elsewhere.
  package var identity: String
  /// What they call themselves; empty if unknown. The name in an older message counts only for
  /// people who had no name yet.
  package var name: String
  /// Whether it is the account's owner, from this or another device.
  package var isOwner: Bool
  /// Whether nobody else can take `identity`: false for a nickname in a room without occupant ids.
  package var isVerified: Bool

  package init(
    identity: String, name: String = "", isOwner: Bool = false, isVerified: Bool = true
  ) {
    self.identity = identity
    self.name = name
    self.isOwner = isOwner
    self.isVerified = isVerified
  }
}

/// The ids by which to find a message again.
package struct MessageIDs: Hashable, Sendable {
  /// The id that its sender gave it; meaningless without the sender.
  package var origin: String?
  /// The id in the archive of the room or of the account, which identifies the message.
  package var archive: String?

  package init(origin: String? = nil, archive: String? = nil) {
    self.origin = origin
    self.archive = archive
  }
}
