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
  /// Where the caret stands: so many bytes of the text in UTF-8 are before it. What is stored, and
  /// what is read, is never inside a character.
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

extension Draft {
  /// From the columns text, caret and spans.
  init(_ row: Row, from first: Int32) {
    self.init(text: row.text(first), caret: row.int(first + 1), spans: row.text(first + 2))
    placeCaret()
  }

  /// Puts a caret that is somewhere else where a character of the text begins, or behind the last.
  mutating func placeCaret() {
    let wanted = text.utf8.index(
      text.startIndex, offsetBy: max(0, caret), limitedBy: text.endIndex)
    guard let wanted, wanted < text.endIndex else {
      caret = text.utf8.count
      return
    }
    // The start of the character that holds the wanted byte.
    let place = text.index(before: text.index(after: wanted))
    caret = text.utf8.distance(from: text.startIndex, to: place)
  }
}

/// Whether someone is in a conversation.
public enum Membership: Hashable, Sendable {
  case never
  case left
  case member
}
