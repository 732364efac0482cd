// SPDX-License-Identifier: GPL-3.0-or-later
import Sentences

/// A message in a conversation, as one participant sees it.
public struct Message: Identifiable, Hashable, Sendable {
  /// Whether it is speech, an action or a notice.
  public enum Kind: Int, Hashable, Sendable {
    case text = 0
    /// `/me`
    case action = 1
    /// A message that a program, such as a network's service, sends by itself: it never rings,
    /// never counts as unread, and mentions nobody.
    case notice = 2
    /// Speech that is encrypted end to end, which hobnob cannot read: it has no text (rule 14.10).
    case unreadable = 3

    /// Whether it is speech, so that its sender's name precedes it as a label.
    package var isSpeech: Bool { self == .text || self == .unreadable }
  }

  /// The message numbers of a conversation; there can be no larger one, since numbers must grow.
  package static let numbers: ClosedRange<Int64> = 1...1_000_000_000

  /// The first and last millisecond that four digits of a year can name.
  package static let times = namedTimes

  /// Ids from this one on belong to messages that were stored after newer messages.
  package static let older: Int64 = 1 << 40

  /// How a message came into the store.
  package enum Arrival: Int, Hashable, Sendable {
    /// Someone wrote it here, or a network delivered it live.
    case arrived = 0
    /// An import brought its whole conversation, whose marks say who has read it.
    case withConversation = 1
    /// From an archive or a log, or an import into an existing conversation.
    case past = 2
  }

  /// How the content of a message was removed; the column `gone`, which is 0 while the content is
  /// there.
  package enum Wiping: Int, Hashable, Sendable {
    /// A tombstone stays.
    case deleted = 1
    /// It was recalled before anybody else had it; no list contains it any more.
    case recalled = 2
  }

  /// How a network protected it on the way; the column `encrypted`.
  public enum Encryption: Int, Hashable, Sendable {
    case none = 0
    /// From end to end.
    case encrypted = 1
    /// From end to end, between devices whose keys somebody has verified.
    case verified = 2
    /// From end to end, but from a device that the owner has not verified, although they have
    /// verified others of its owner.
    case unverified = 3
    /// It cannot be read: this device was added after it was sent.
    case tooEarly = 4
    /// It cannot be read: the keys do not fit.
    case broken = 5
    /// It cannot be read: the sender's program has not encrypted it for this device.
    case notForUs = 6
  }

  // `ID` alone would mean that of `Identifiable`.
  public var id: Conversations.ID<Message>
  /// Random bits in hexadecimal digits: the same message in every store and export.
  public var uid: String
  public var conversation: Conversations.ID<Conversation>
  /// The number that people use for it, per conversation; never changes and is never reused (rule
  /// 7.5). It says nothing about the order.
  public var number: Int
  /// Its position in the conversation: later messages have larger keys (rule 7.1).
  public var sort: Int64
  public var sender: Conversations.ID<Participant>
  /// The sender's current name.
  public var senderName: String
  /// See `Participant.identity`.
  public var senderIdentity: String
  /// The text as typed or received, of any length; empty if the message was deleted or recalled.
  public var body: String
  public var kind: Kind
  /// When its sender wrote it.
  public var createdAt: Milliseconds
  /// For the viewer's own message, the least advanced state among its recipients; otherwise `sent`.
  public var state: DeliveryState
  /// Why the network refused it.
  public var failure: Remark?
  /// When it got its current text; nil for the first one.
  public var editedAt: Milliseconds?
  /// When it was deleted; a tombstone stays.
  public var deletedAt: Milliseconds?
  /// Set if a moderator of the room, not its author, deleted it.
  public var removal: Removal?
  /// Whether it was recalled before anybody else had it (rule 3.7); if so, never show it.
  public var isRecalled: Bool
  /// Its files, in order; none if it was deleted.
  public var attachments: [Attachment]
  /// The message that it answers (`/reply`).
  public var replyTo: Quote?
  /// Whom its text means.
  public var mentions: [Mention]
  package var arrival: Arrival
  /// Whether someone known by a nickname alone, maybe not its author, edited or deleted it on a
  /// network.
  public var isUnverified: Bool
  public var encryption = Encryption.none
  /// Whether somebody else sent it without encryption after the first encrypted message of a
  /// conversation whose messages are encrypted (rule 14.15).
  package var lacksEncryption = false

  public init(
    id: Conversations.ID<Message>, uid: String, conversation: Conversations.ID<Conversation>,
    number: Int,
    sender: Conversations.ID<Participant>, senderName: String, senderIdentity: String, body: String,
    kind: Kind = .text, createdAt: Milliseconds, state: DeliveryState = .sent,
    failure: Remark? = nil, editedAt: Milliseconds? = nil, deletedAt: Milliseconds? = nil,
    isRecalled: Bool = false, attachments: [Attachment] = [], replyTo: Quote? = nil,
    mentions: [Mention] = [], isUnverified: Bool = false, removal: Removal? = nil
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

extension Message.Encryption {
  /// Why this device cannot read the message, in words after a colon; nil if it can, or if the
  /// reason is unknown.
  package var obstacle: String? {
    switch self {
    // Translators: this and the next two follow “… that this device cannot read: ”.
    case .tooEarly: translated("sent before it was added")
    case .broken: translated("the keys do not fit")
    case .notForUs: translated("not encrypted for it")
    case .none, .encrypted, .verified, .unverified: nil
    }
  }
}

extension Message {
  /// The text to show: that of the message, or a sentence in its place, in the language of whoever
  /// shows it. A link to an encrypted file is shown without its key.
  package var shownBody: String {
    kind == .unreadable ? Self.unreadable(encryption) : SealedLink.hidingKeys(in: body)
  }

  /// What is shown in place of a text that hobnob cannot read.
  static func unreadable(_ encryption: Encryption = .none) -> String {
    encryption.obstacle.map { filled(("(unreadable on this device: %1)", [$0])) }
      ?? translated("(encrypted end to end; hobnob cannot read it)")
  }

  /// Whether it is from an import or a network's archive: it did not arrive, so nobody gets a
  /// notice.
  public var isImported: Bool { arrival != .arrived }

  /// Whether it is an older message from elsewhere: it never counts as unread, and read markers do
  /// not apply to it.
  public var isPast: Bool { arrival == .past }
}

/// How a moderator of a network's room deleted another's message.
public struct Removal: Hashable, Sendable {
  /// The moderator's nickname at that time; empty if the room names nobody.
  public var moderator: String
  /// The reason in the moderator's words; may be empty.
  public var reason: String

  public init(moderator: String, reason: String) {
    self.moderator = moderator
    self.reason = reason
  }
}

/// An earlier text of an edited message (rule 3.3).
public struct Revision: Hashable, Sendable {
  public var body: String
  /// When it was replaced.
  public var at: Milliseconds

  public init(body: String, at: Milliseconds) {
    self.body = body
    self.at = at
  }
}
