// SPDX-License-Identifier: GPL-3.0-or-later

/// A room `#name` or a direct chat `@name`.
public struct Conversation: Identifiable, Hashable, Sendable {
  /// Whether it is open to anyone, or between two participants.
  public enum Kind: Int, Hashable, Sendable {
    case room = 0
    case direct = 1
  }

  public var id: Conversations.ID<Conversation>
  public var kind: Kind
  /// With its sign: `#lobby`, or `@ben`, the other's name as the viewer sees it.
  public var name: String
  public var topic = ""
  /// The network that carries it; nil for a conversation of this store alone.
  public var network: String?
  /// The number of its newest message, 0 if there is none. Removed messages count.
  public var lastNumber = 0
  /// Whether its maker removed it: it has no members, but its messages stay (rule 13.10).
  public var isRemoved = false
}
