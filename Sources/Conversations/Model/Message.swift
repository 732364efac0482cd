// SPDX-License-Identifier: GPL-3.0-or-later

/// What someone said in a conversation.
public struct Message: Identifiable, Hashable, Sendable {
  /// Whether it is said or done.
  public enum Kind: Int, Hashable, Sendable {
    case text = 0
    /// `/me`
    case action = 1
  }

  /// No conversation will see more messages; numbers beyond are refused, since they must go on
  /// growing.
  package static let numbers: ClosedRange<Int64> = 1...1_000_000_000

  /// The first and last millisecond that four digits of a year can name.
  package static let times = namedTimes

  /// The ids from here on are those of messages that were brought in behind newer ones.
  package static let older: Int64 = 1 << 40

  /// How a message came into the store.
  package enum Arrival: Int, Hashable, Sendable {
    /// It was said here, or a network told it as news.
    case arrived = 0
    /// An import brought its whole conversation: the marks of that one say who has read it.
    case withConversation = 1
    /// From an archive or a log, or an import into a conversation that was there.
    case past = 2
  }

  // `ID` alone is `Identifiable`'s here.
  public var id: Conversations.ID<Message>
  /// 128 random bits in hexadecimal: the same message in every store and export.
  public var uid: String
  public var conversation: Conversations.ID<Conversation>
  /// What people call it by. Given per conversation when it is stored, never changed, never used
  /// again (rule 7.5); says nothing of the order.
  public var number: Int
  /// Its place in the conversation: smaller than those of the messages behind it (rule 7.1).
  public var sort: Int64
  public var sender: Conversations.ID<Participant>
  /// The name the sender shows now.
  public var senderName: String
  /// See `Participant.identity`.
  public var senderIdentity: String
  /// As typed or received, of any length; empty when it was deleted or taken back.
  public var body: String
  public var kind: Kind
  /// When it was said.
  public var createdAt: Milliseconds
  /// For the viewer's own message the least state among its recipients; for another's, `sent`.
  public var state: DeliveryState
  /// Why the network refused it, in the network's words.
  public var failure: String?
  /// When it got the text it has now; nil for its first one.
  public var editedAt: Milliseconds?
  /// Set when it was deleted: a tombstone stays.
  public var deletedAt: Milliseconds?
  /// Who else deleted it, if not its author: a moderator of the room.
  public var removal: Removal?
  /// Taken back before anybody else had it (rule 3.7): not to be shown at all.
  public var isRecalled: Bool
  /// The files that came with it, in order; none when it was deleted.
  public var attachments: [Attachment]
  /// What it answers (`/reply`).
  public var replyTo: Quote?
  /// Who is meant by the mentions in it (rule 2.10), in the sender's own form.
  public var mentions: String
  package var arrival: Arrival
  /// Whether it was edited or deleted on a network by someone known by a nickname alone, who need
  /// not be the one who said it.
  public var isUnverified: Bool

  public init(
    id: Conversations.ID<Message>, uid: String, conversation: Conversations.ID<Conversation>,
    number: Int,
    sender: Conversations.ID<Participant>, senderName: String, senderIdentity: String, body: String,
    kind: Kind = .text, createdAt: Milliseconds, state: DeliveryState = .sent,
    failure: String? = nil, editedAt: Milliseconds? = nil, deletedAt: Milliseconds? = nil,
    isRecalled: Bool = false, attachments: [Attachment] = [], replyTo: Quote? = nil,
    mentions: String = "", isUnverified: Bool = false, removal: Removal? = nil
  ) {
    self.id = id
    self.uid = uid
    self.conversation = conversation
    self.number = number
    self.sender = sender
    self.senderName = senderName
    self.senderIdentity = senderIdentity
    self.body = body
    self.kind = kind
    self.createdAt = createdAt
    self.state = state
    self.failure = failure
    self.editedAt = editedAt
    self.deletedAt = deletedAt
    self.isRecalled = isRecalled
    self.attachments = attachments
    self.replyTo = replyTo
    self.mentions = mentions
    self.sort = SortKey.first(at: createdAt)
    self.arrival = .arrived
    self.isUnverified = isUnverified
    self.removal = removal
  }
}

extension Message {
  /// Whether it was brought in by an import, or from the archive of a network as past: it did not
  /// arrive, and nobody is told of it.
  public var isImported: Bool { arrival != .arrived }

  /// Whether it was said elsewhere, before: it is never unread, and nobody's marks say anything of it.
  public var isPast: Bool { arrival == .past }
}

/// How a moderator of a network's room deleted another's message.
public struct Removal: Hashable, Sendable {
  /// The moderator's nickname at that time; empty where the room names nobody.
  public var moderator: String
  /// In the moderator's words; empty where they gave none.
  public var reason: String

  public init(moderator: String, reason: String) {
    self.moderator = moderator
    self.reason = reason
  }
}

/// A former text of an edited message (rule 3.3).
public struct Revision: Hashable, Sendable {
  public var body: String
  /// When it was replaced.
  public var at: Milliseconds

  public init(body: String, at: Milliseconds) {
    self.body = body
    self.at = at
  }
}
