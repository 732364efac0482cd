// SPDX-License-Identifier: GPL-3.0-or-later

/// One line of a participant's list of conversations.
public struct Listing: Hashable, Sendable {
  public var conversation: Conversation
  /// How many messages of others are after the read marker (rule 7.7).
  public var unread: Int
  /// When the newest message was made; nil if there is none.
  public var lastAt: Milliseconds?
}

/// Whether someone is in a conversation.
public enum Membership: Hashable, Sendable {
  case never
  /// They left it themselves.
  case left
  /// Others, or the network, removed them.
  case removed
  case member
}

/// Whether someone is in a conversation, whatever ended their stay.
package enum Stay: Hashable, Sendable {
  case never, before, now
}
