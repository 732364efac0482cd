// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// A playback: messages that a network sends again, in order and without ids.
struct Playback {
  /// From ``NewMessage/playback``.
  let number: Int
  /// The last change before it. The messages after it are not those that it repeats.
  let start: Int64
  /// Stored messages that one of its lines was, or became: none of them is another line's.
  var found: Set<ID<Message>> = []
  /// The stored messages that its next lines repeat, last one first.
  var run: [ID<Message>] = []
}

/// Which messages the store has already. Without proof, a message is a new one: one too many is
/// better than one lost (rule 14.2).
struct Repetitions {
  let book: AddressBook
  let outline: BatchOutline
  var playbacks: [ConversationAddress: Playback]

  /// How much later the same message may arrive again without an archive id, in milliseconds: as
  /// long as servers wait for a broken connection, and clients then send again.
  private static let resendTime: Milliseconds = 600_000
  /// How many lines at the beginning of a playback may belong to the run of known ones.
  private static let mostInRun = 200
  /// How far the clocks of a network and of this machine may differ in that run, in milliseconds.
  private static let clockError: Milliseconds = 60_000

  /// Finds the stored message that a message repeats.
  mutating func repeated(
    _ message: NetworkMessage, by sender: ID<Participant>, in conversation: BatchConversation
  ) throws -> KnownMessage? {
    if let archive = message.name.archive,
      let known = try book.store.knownMessage(
        MessageIDs(archive: archive), of: sender, in: conversation.id)
    {
      return known
    }
    let next = try nextOfRun(message, in: conversation)
    guard
      let found = try resent(message, by: sender, in: conversation) ?? next
        ?? sameAtItsTime(message, by: sender, in: conversation)
        ?? ownMessage(message, by: sender, in: conversation)
        ?? deletedMessage(message, by: sender, in: conversation)
    else { return nil }
    if message.playback != nil { playbacks[conversation.address]?.found.insert(found) }
    return try book.store.knownMessage(found)
  }

  /// Finds the stored message with one of these ids, whatever its text is.
  func named(
    _ name: MessageIDs, by sender: ID<Participant>, in conversation: BatchConversation
  ) throws -> KnownMessage? {
    if name.archive != nil,
      let known = try book.store.knownMessage(
        MessageIDs(archive: name.archive), of: sender, in: conversation.id)
    {
      return known
    }
    let found = try book.database.first(
      """
      SELECT id FROM message WHERE conversation = ? AND remote_id = ? AND sender = ?
      ORDER BY id DESC LIMIT 1
      """, conversation.id, name.origin, sender
    ) { $0.id() as ID<Message> }
    return try found.flatMap { try book.store.knownMessage($0) }
  }

  // MARK: The same id from its sender

  /// Finds the stored message with the id that the sender gave it. Some programs number their
  /// messages from 1 each time, so the id is proof only together with the text and the time; and
  /// not against an archive, which has given both messages ids of their own. Only what this store
  /// sent has an id that nothing else has.
  private func resent(
    _ message: NetworkMessage, by sender: ID<Participant>, in conversation: BatchConversation
  ) throws -> ID<Message>? {
    guard let origin = message.name.origin else { return nil }
    let found = try book.database.rows(
      """
      SELECT id FROM (
        SELECT id, uid, kind, created_at, archive_id FROM message
        WHERE conversation = ?1 AND remote_id = ?2 AND sender = ?3 ORDER BY id DESC LIMIT 20)
      WHERE ?3 = ?4 AND ?2 = lower(hex(uid))
        OR (archive_id IS NULL OR ?5 IS NULL) AND kind = ?6 AND abs(created_at - ?7) <= ?8
      """, conversation.id, origin, sender, book.owner.id, message.name.archive,
      message.kind.rawValue, book.time(message.time), Self.resendTime
    ) { $0.id() as ID<Message> }
    let text = message.bodyWithLinks
    return try found.first { id in
      guard let known = try book.store.knownMessage(id)?.message else { return false }
      return try known.uid == origin || isText(text, of: known)
    }
  }

  /// Whether a stored message had a text when it arrived, as far as the store knows.
  private func isText(_ text: String, of message: Message) throws -> Bool {
    if message.isGone || message.body.utf8.elementsEqual(text.utf8) { return true }
    return try book.store.withoutLinks(ofFilesOf: message, text).utf8.elementsEqual(
      message.body.utf8)
      || book.database.exists(
        "SELECT 1 FROM revision WHERE message = ? AND body = ?", message.id, text)
  }

  // MARK: Playbacks

  /// The stored message that a line of a playback repeats because of its place in the playback.
  private mutating func nextOfRun(
    _ message: NetworkMessage, in conversation: BatchConversation
  ) throws -> ID<Message>? {
    guard let number = message.playback else { return nil }
    let address = conversation.address
    if playbacks[address]?.number != number {
      var playback = Playback(number: number, start: try book.store.nextChange())
      playback.run = try run(beginning: playback, in: conversation).reversed()
      playbacks[address] = playback
    }
    return playbacks[address]?.run.popLast()
  }

  /// Finds the stored message with the same text by the same sender at the same time, as far as
  /// the coarser of the two clocks tells. Each stored message matches only one line.
  private func sameAtItsTime(
    _ message: NetworkMessage, by sender: ID<Participant>, in conversation: BatchConversation
  ) throws -> ID<Message>? {
    guard message.playback != nil, let reported = message.time,
      let playback = playbacks[conversation.address]
    else { return nil }
    let time = book.time(reported)
    // A playback may name only the nickname of a person who is known by more.
    return try book.database.rows(
      """
      SELECT id FROM message
      WHERE conversation = ?1 AND sort >= ?2 AND sort < ?3 AND kind = ?4 AND body = ?5
        AND (created_at = ?6
          OR created_at / 1000 = ?6 / 1000 AND (created_at % 1000 = 0 OR ?6 % 1000 = 0))
        AND (id <= ?7 OR brought = 2) AND (remote_id = ?11 OR remote_id IS NULL OR ?11 IS NULL)
        AND (sender = ?8 OR sender IN (SELECT id FROM participant WHERE name = ?9 AND network = ?10))
      ORDER BY abs(created_at - ?6), sort
      """, conversation.id, SortKey.first(at: time - 2 * NetworkMessage.slowness),
      SortKey.first(at: time + 2 * NetworkMessage.slowness), message.kind.rawValue,
      message.bodyWithLinks,
      time, playback.start, sender, sender == book.owner.id ? "" : message.speaker.name,
      book.network, message.name.origin
    ) { $0.id() }.first { !playback.found.contains($0) }
  }

  /// Finds the owner's own message: one from here, which has the time of this machine's clock; or
  /// one that the network may have had before a break, which this line confirms.
  private func ownMessage(
    _ message: NetworkMessage, by sender: ID<Participant>, in conversation: BatchConversation
  ) throws -> ID<Message>? {
    guard message.playback != nil, sender == book.owner.id,
      let playback = playbacks[conversation.address]
    else { return nil }
    let time = book.time(message.time)
    return try book.database.rows(
      """
      SELECT id FROM message
      WHERE conversation = ?1 AND sort >= ?2 AND sort < ?3 AND sender = ?4 AND kind = ?5
        AND body = ?6 AND (
          state >= ?7 AND remote_id = lower(hex(uid)) AND id <= ?9
            AND abs(created_at - ?10) <= ?11
          OR state = ?8 OR state < ?7 AND EXISTS (
            SELECT 1 FROM outbox x WHERE x.message = message.id AND x.tried > 0))
      ORDER BY abs(created_at - ?10), sort
      """, conversation.id, SortKey.first(at: time - Self.resendTime),
      SortKey.first(at: time + Self.clockError), sender, message.kind.rawValue,
      message.bodyWithLinks, DeliveryState.sent.rawValue, DeliveryState.failed.rawValue,
      playback.start, time, NetworkMessage.slowness
    ) { $0.id() }.first { !playback.found.contains($0) }
  }

  /// Finds the owner's message that was deleted on its way, by the hash of its text. Each hash
  /// proves one line. If another process sent it, nobody else knows that the network has it.
  private func deletedMessage(
    _ message: NetworkMessage, by sender: ID<Participant>, in conversation: BatchConversation
  ) throws -> ID<Message>? {
    guard message.playback != nil, sender == book.owner.id else { return nil }
    let time = book.time(message.time)
    let deleted = try book.database.rows(
      """
      SELECT id, lower(hex(uid)) AS uid FROM message
      WHERE conversation = ? AND sort >= ? AND sort < ? AND sender = ? AND kind = ?
        AND deleted_at IS NOT NULL
      ORDER BY sort
      """, conversation.id, SortKey.first(at: time - Self.resendTime),
      SortKey.first(at: time + Self.clockError), sender, message.kind.rawValue
    ) { (id: $0.id("id") as ID<Message>, uid: $0.text("uid")) }
    let text = message.bodyWithLinks
    for one in deleted
    where try book.store.takeDeletedText(text, of: one.id, uid: one.uid, by: sender) {
      // A later line of it must not come again, either.
      let name = MessageIDs(archive: message.name.archive)
      try book.store.noteApplied(name, to: one.id, by: sender)
      return one.id
    }
    return nil
  }

  /// The stored messages that the first lines of a playback repeat: those that are, in the same
  /// order and without a gap, the newest ones. A run of equal lines would prove nothing.
  private func run(
    beginning playback: Playback, in conversation: BatchConversation
  ) throws -> [ID<Message>] {
    let lines = (outline.playedBack[conversation.address] ?? [])
      .drop { $0.playback != playback.number }.prefix { $0.playback == playback.number }
      .prefix(Self.mostInRun)
    guard lines.count > 1 else { return [] }
    let senders = try lines.map { line in
      line.speaker.isOwner
        ? book.owner.id : try book.person(line.speaker, knownIn: conversation.address)?.id
    }
    let stored =
      try book.database.rows(
        """
        SELECT m.id, m.sender, p.name, m.kind, m.body, m.created_at, m.remote_id FROM message m
        JOIN participant p ON p.id = m.sender
        WHERE m.conversation = ? AND m.brought < 2 AND m.id <= ? AND (m.sender <> ? OR m.state >= ?)
        ORDER BY m.sort DESC LIMIT ?
        """, conversation.id, playback.start, book.owner.id, DeliveryState.sent.rawValue,
        lines.count
      ) { row in
        (
          id: row.id("id") as ID<Message>, sender: row.id("sender") as ID<Participant>,
          name: row.text("name"), kind: row.int("kind"), body: row.text("body"),
          time: row.time("created_at"), origin: row.optionalText("remote_id")
        )
      }.reversed() as [_]
    let all = Array(zip(lines, senders))
    for count in stride(from: stored.count, to: 1, by: -1) {
      let tail = stored.suffix(count)
      let isRun = zip(all, tail).allSatisfy { line, known in
        line.0.kind.rawValue == known.kind
          && line.0.bodyWithLinks.utf8.elementsEqual(known.body.utf8)
          && (line.1 == known.sender
            || known.sender != book.owner.id && line.0.speaker.name == known.name)
          && (line.0.name.origin ?? known.origin) == (known.origin ?? line.0.name.origin)
          && abs((line.0.time ?? known.time) - known.time) <= Self.clockError
      }
      let isUniform = tail.dropFirst().allSatisfy {
        $0.sender == tail.first?.sender && $0.body == tail.first?.body
      }
      if isRun { return isUniform ? [] : tail.map(\.id) }
    }
    return []
  }

  // MARK: The time of a message that will be played back

  /// The time of a message that arrived just now: the network's, by which a playback would repeat
  /// it, if the two clocks agree.
  func arrivalTime(of message: NetworkMessage) -> Milliseconds {
    guard let reported = message.sentAt, Message.times.contains(reported),
      abs(reported - book.now) <= NetworkMessage.slowness
    else { return book.now }
    return reported
  }
}
