// SPDX-License-Identifier: GPL-3.0-or-later
import Platform
import Sentences

/// A message before it is stored: written here, received from a network, or imported. Its author is
/// a participant of the store or, until the store has looked them up, someone on a network.
package struct NewMessage<Author: Hashable & Sendable>: Hashable, Sendable {
  /// Its ids on a network. A message still to be sent uses its uid as origin id, for good.
  package var name: MessageIDs
  package var speaker: Author
  package var body: String
  /// The text with the quote that an answer brings for programs without answers; it becomes the
  /// text if the store cannot show what the message answers (rule 14.10). Nil for no quote.
  package var bodyWithQuote: String?
  package var kind: Message.Kind
  /// When its author wrote it, in milliseconds; nil for now.
  package var time: Milliseconds?
  package var state = DeliveryState.sent
  /// The message that it answers, in the network's ids.
  package var answers: MessageIDs?
  /// Who wrote the message that it answers, if known; needed to look for `answers.origin`.
  package var answersSpeaker: NetworkUser?
  /// The message that it changes, if its text is only for programs that do not show such changes:
  /// the text is stored if that message is missing (rule 14.10).
  package var changedMessage: MessageIDs?
  /// A second id that its sender gave it, by which corrections and the like may name it.
  package var otherOrigin: String?
  /// The number of the message that it answers.
  package var answeredNumber: Int?
  /// Whom its text means.
  package var mentions: [Mention] = []
  /// Addresses of files, shown as text until hobnob fetches the files.
  package var links: [String] = []
  package var encryption = Message.Encryption.none
  /// The device that encrypted it; nil if that is unknown, or if it is not encrypted.
  package var device: SealingDevice?
  /// Whether it can only repeat a message that the store has: nobody can read it a second time.
  package var isRepetition = false
  /// The files that came with it; they are in the store's folder.
  package var files: [Attachment] = []
  /// Whether it is from an archive or a log and older than the stored messages: it is ordered by
  /// its time, never counts as unread and causes no notice.
  package var isPast: Bool
  /// Whether the server kept it while there was no connection, so that it arrives live with an
  /// earlier `time`. An archive may still deliver older messages.
  package var isDelayed = false
  /// The number of the playback that it is from: the network sends again what it has sent before,
  /// without saying which messages are known, as a bouncer does. Nil if it is from none, or has an
  /// archive id. Each playback has a higher number than the ones before.
  package var playback: Int?
  /// The network's time of a message that arrived just now (`time` is nil); nil if it does not
  /// matter, since no playback will repeat the message without an id.
  package var sentAt: Milliseconds?

  // Only messages from an export have these.

  /// Nil for a new one.
  package var uid: [UInt8]?
  /// Its number in the export; nil for the next free one.
  package var number: Int64?
  /// Its sort key in the export; nil to derive it from its time.
  package var sort: Int64?
  /// The value in the table: 1 for deleted, 2 for recalled.
  package var gone = 0
  package var editedAt: Milliseconds?
  package var deletedAt: Milliseconds?
  package var removal: Removal?
  package var failure: Remark?
  package var isUnverified = false
  package var attachments = 0

  package init(
    name: MessageIDs = MessageIDs(), speaker: Author, body: String, kind: Message.Kind = .text,
    time: Milliseconds? = nil, answers: MessageIDs? = nil, answersSpeaker: NetworkUser? = nil,
    links: [String] = [], isPast: Bool = false
  ) {
    self.name = name
    self.speaker = speaker
    self.body = body
    self.kind = kind
    self.time = time
    self.answers = answers
    self.answersSpeaker = answersSpeaker
    self.links = links
    self.isPast = isPast
  }

  /// This message, with an author whom the store knows.
  package func spoken(by participant: ID<Participant>) -> NewMessage<ID<Participant>> {
    var message = NewMessage<ID<Participant>>(
      name: name, speaker: participant, body: body, kind: kind, time: time, links: links,
      isPast: isPast)
    message.state = state
    message.mentions = mentions
    message.encryption = encryption
    message.device = device
    message.files = files
    return message
  }
}

/// A message from a network.
package typealias NetworkMessage = NewMessage<NetworkUser>

/// The values that a message gets when it is stored.
package struct MessagePosition {
  package var id: ID<Message>
  package var number: Int64
  package var sort: Int64
  package var arrival: Message.Arrival

  package init(id: ID<Message>, number: Int64, sort: Int64, arrival: Message.Arrival) {
    (self.id, self.number, self.sort, self.arrival) = (id, number, sort, arrival)
  }
}

extension Access where Mode: MayWrite {
  /// Inserts a message. Nothing else inserts into the table.
  ///
  /// - Returns: its uid; nil if its uid, its number or its archive id is taken.
  package func insert(
    _ message: NewMessage<ID<Participant>>, at position: MessagePosition,
    in conversation: ID<Conversation>
  ) throws -> [UInt8]? {
    let uid = message.uid ?? Message.newUID()
    try database.run(
      """
      INSERT INTO message(id, uid, conversation, number, sort, brought, sender, kind, state, gone,
        created_at, edited_at, deleted_at, failure, remote_id, archive_id, unverified, reply_to, body,
        mentions, attachments, removed_by, removal_reason, encrypted, device,
        device_key)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO NOTHING
      """, position.id, uid, conversation, position.number, position.sort,
      position.arrival.rawValue,
      message.speaker, message.kind.rawValue, message.state.rawValue, message.gone,
      message.time ?? clock(), message.editedAt, message.deletedAt, message.failure,
      message.name.origin ?? (message.state == .sending ? hexadecimal(uid) : nil),
      message.name.archive, message.isUnverified, message.answeredNumber, message.body,
      message.mentions.json, message.attachments, message.removal?.moderator,
      message.removal?.reason ?? "", message.encryption.rawValue, message.device?.number,
      message.device?.key)
    return database.changedRows > 0 ? uid : nil
  }

  /// Stores a message in a conversation under its next number.
  package func store(
    _ message: NewMessage<ID<Participant>>, as id: ID<Message>, sort: Int64,
    _ arrival: Message.Arrival, in conversation: Conversation
  ) throws -> (uid: [UInt8], number: Int) {
    let number = conversation.lastNumber + 1
    // No reader would show a message with a larger number.
    guard Message.numbers.contains(Int64(number)) else {
      throw StoreError.corrupt(
        path: path,
        detail: filled(
          (
            "the last message number of %1 is %2, which is too high",
            [conversation.name, String(conversation.lastNumber)]
          )))
    }
    let uid = try insert(
      message,
      at: MessagePosition(id: id, number: Int64(number), sort: sort, arrival: arrival),
      in: conversation.id)
    guard let uid else {
      throw StoreError.corrupt(
        path: path,
        detail: filled(
          ("%1 already has a message with the number %2", [conversation.name, String(number)])))
    }
    try database.run(
      "UPDATE conversation SET last_number = ?, last_at = max(ifnull(last_at, ?2), ?2) WHERE id = ?",
      number, message.time ?? clock(), conversation.id)
    return (uid, number)
  }

  /// The id for an imported message that is older than others here. Such ids begin beyond all that
  /// arriving messages ever reach, so that ids of arriving messages grow with time.
  package func idForOlder() throws -> ID<Message> {
    let last = try database.first(
      "SELECT max(id) FROM message WHERE id < ?", Int64.max
    ) { $0.int64() }
    return ID(rawValue: max(try connection.successor(of: max(last ?? 0, 0)), Message.older))
  }
}

extension Message {
  /// Random, not a UUID that begins with the time: networks show it to others, whom it does not
  /// concern when a line was written that waited for the network. 96 bits, since each byte is in
  /// the table and in an index: among a billion messages, two are the same in one of 10^11 stores.
  static func newUID() -> [UInt8] {
    var random = SystemRandomNumberGenerator()
    return (0..<12).map { _ in UInt8.random(in: 0...255, using: &random) }
  }
}
