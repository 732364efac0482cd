// SPDX-License-Identifier: GPL-3.0-or-later

/// Where on a network something happened, in the network's own names.
package enum NetworkPlace: Hashable, Sendable {
  /// A room under its address; its conversation is made if missing.
  case room(String)
  /// The direct chat with the owner of that address; made if missing.
  case direct(String)
}

/// Who on a network did something.
package struct NetworkUser: Hashable, Sendable {
  /// What tells this person from others on the network, for good: the address, in a room the
  /// occupant's id where there is one, else the nickname. Of a room it says nothing elsewhere: the
  /// store keeps it with the room's address before it, so that no room can name someone of another
  /// place.
  package var identity: String
  /// What they call themselves; empty if not known here. With a message that is not new it is only
  /// taken for someone who was not known.
  package var name: String
  /// Whether it is the account's owner, from here or from another device.
  package var isOwner: Bool
  /// Whether `identity` cannot be taken by someone else: not so for a nickname in a room that gives
  /// no occupant ids.
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

/// By what a message is found again.
package struct MessageIDs: Hashable, Sendable {
  /// The id that its sender gave it; says nothing without the sender.
  package var origin: String?
  /// The id in the archive of the room or of the account: one message for sure.
  package var archive: String?

  package init(origin: String? = nil, archive: String? = nil) {
    self.origin = origin
    self.archive = archive
  }
}
