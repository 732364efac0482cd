// SPDX-License-Identifier: GPL-3.0-or-later

/// A place where messages are: a room `#name` or a direct chat `@name`.
public struct Conversation: Identifiable, Hashable, Sendable {
  /// Whether anyone may join, or two participants talk.
  public enum Kind: Int, Hashable, Sendable {
    case room = 0
    case direct = 1
  }

  public var id: Conversations.ID<Conversation>
  public var kind: Kind
  /// With its sign: `#lobby`, or `@ben`, the shown name of the other as the viewer sees it.
  public var name: String
  public var topic: String
  /// The network that carries it, or nil when this store is all of it.
  public var network: String?
  /// The number of its newest message, 0 while there is none. Counts messages that are gone, too.
  public var lastNumber: Int

  public init(
    id: Conversations.ID<Conversation>, kind: Kind, name: String, topic: String = "",
    network: String? = nil,
    lastNumber: Int = 0
  ) {
    self.id = id
    self.kind = kind
    self.name = name
    self.topic = topic
    self.network = network
    self.lastNumber = lastNumber
  }
}

/// One line of a participant's list of conversations.
public struct Listing: Hashable, Sendable {
  public var conversation: Conversation
  /// How many messages of others stand behind the read marker (rule 7.7).
  public var unread: Int
  /// When the newest message was made, or nil while there is none.
  public var lastAt: Milliseconds?
  public var isMember: Bool

  public init(
    conversation: Conversation, unread: Int, lastAt: Milliseconds? = nil, isMember: Bool = true
  ) {
    self.conversation = conversation
    self.unread = unread
    self.lastAt = lastAt
    self.isMember = isMember
  }
}

/// A text not yet sent, kept per participant and conversation (rule 5.1).
public struct Draft: Hashable, Sendable {
  public var text: String
  /// The caret's place, in the unit of whoever saved it (graphemes, in hobnob).
  public var caret: Int
  /// The spans in it (rule 2.10), in a form the store does not look into.
  public var spans: String
  /// The files that wait to be sent with it (rule 8.1).
  public var files: [DraftFile]

  public init(text: String, caret: Int, spans: String = "", files: [DraftFile] = []) {
    self.text = text
    self.caret = caret
    self.spans = spans
    self.files = files
  }
}

/// Whether someone is in a conversation.
public enum Membership: Hashable, Sendable {
  case never
  case left
  case member
}
