// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// Messages on a network, and later changes to them.
extension IncomingBatch {
  func applyMessage(_ message: NetworkMessage, in network: NetworkPlace) throws {
    let speaker = message.speaker
    if case .direct(let address) = network, !speaker.isOwner, speaker.identity != address { return }
    let place = try place(network)
    let sender =
      speaker.isOwner
      ? owner.id
      : try person(speaker, in: network, isNews: message.time == nil && !message.isPast).id
    if let known = try self.knownMessage(message.name, of: sender, in: place)
      ?? sentTwice(message, by: sender, in: place)
    {
      return try again(known, archive: message.name.archive)
    }
    // Another message under an archive id that is taken would be a second message with that id.
    if let archive = message.name.archive,
      try database.exists(
        "SELECT 1 FROM message WHERE conversation = ? AND archive_id = ?", place.id, archive)
    {
      return
    }
    if case .direct(let address) = network { try open(place, address, for: message) }
    var new = message.spoken(by: sender)
    (new.body, new.answeredNumber) = (Self.body(of: message), try answered(by: message, in: place))
    let time = time(message.time)
    new.time = time
    if message.isPast {
      let id = try store.idForOlder()
      try insert(new, as: id, sort: sort(ofPast: time, in: place), .past, in: place)
      past[network, default: 0] += 1
      unsettled[network, default: []].append(id)
      return
    }
    let id = ID<Message>(rawValue: try store.nextChange())
    let sort =
      try message.time == nil
      ? store.sort(ofArrivalAt: time, in: place.id) : sort(ofLate: time, by: sender, in: place)
    try insert(new, as: id, sort: sort, .arrived, in: place)
    try store.endTyping(of: sender, in: place.id)
    if !message.links.isEmpty { try askForFiles(of: message, id, from: sender, in: place) }
  }

  /// A message that reached the network a second time, under another archive id: its sender's
  /// program did not know about the first time.
  private func sentTwice(
    _ message: NetworkMessage, by sender: ID<Participant>, in place: Place
  ) throws -> Known? {
    guard message.name.archive != nil, let origin = message.name.origin,
      let known = try self.knownMessage(MessageIDs(origin: origin), of: sender, in: place),
      known.message.kind == message.kind,
      known.message.body.utf8.elementsEqual(Self.body(of: message).utf8)
    else { return nil }
    return known
  }

  /// Adds the addresses of files below the text, if they are not in it.
  private static func body(of message: NetworkMessage) -> String {
    message.links.reduce(message.body) { body, link in
      body.contains(link) ? body : body.isEmpty ? link : body + "\n" + link
    }
  }

  func page(of network: NetworkPlace, from: String, until: String) throws {
    // Finish the page before this one first: the changes on this one are older.
    try settle()
    guard let place = try known(network) else { return }
    unsettled[network] = []
    place.page = try pageBeforeThoseKept(in: place)
    place.pageEnd = try beginning(ofPage: until, in: place)
    // A repeated page must not undo later reading.
    try database.run(
      """
      UPDATE conversation SET archive_from = ?2
      WHERE id = ?1 AND (archive_from IS NULL OR archive_from = ?3)
      """, place.id, from, until)
  }

  /// The sort key after a page of the archive: that of the message where the page before it began,
  /// or else of the oldest past one.
  private func beginning(ofPage until: String, in place: Place) throws -> Int64? {
    let anchor = try database.first(
      "SELECT sort FROM message WHERE conversation = ? AND archive_id = ?", place.id,
      until
    ) { $0.int64() }
    return try anchor
      ?? database.first(
        "SELECT sort FROM message WHERE conversation = ? AND brought = 2 ORDER BY sort LIMIT 1",
        place.id
      ) { $0.int64() }
  }

  /// The sort key of a past message: by its time, equal times in the order of the archive. Networks
  /// give whole seconds; within one, and for times in the future, an older page sorts before the
  /// pages read earlier.
  private func sort(ofPast time: Milliseconds, in place: Place) throws -> Int64 {
    var key = SortKey.first(at: time)
    if let end = place.pageEnd, key >= (end >> SortKey.bits) << SortKey.bits {
      let milliseconds = end >> SortKey.bits
      if time - milliseconds < 1000 || time == now { key = SortKey.first(at: milliseconds - 1) }
    }
    return try place.keys.free(from: key, in: database)
  }

  /// The number of the message that this one answers.
  private func answered(by message: NetworkMessage, in place: Place) throws -> Int? {
    guard let name = message.answers else { return nil }
    var author: ID<Participant>?
    if let speaker = message.answersSpeaker {
      // Nobody can answer a person who never wrote here.
      guard let known = try speakerID(speaker, in: place) else { return nil }
      author = known
    }
    let found = try self.knownMessage(name, of: author, in: place)?.message
    return found.flatMap { $0.isRecalled ? nil : $0.number }
  }

  /// The usual delay of a live message, at most: its time may be this much older than its arrival.
  private static let slowness: Milliseconds = 10_000

  /// The sort key of a new message from an archive: by its time. Networks give whole seconds, by
  /// their own clock, so it sorts after its sender's earlier messages, and after other people's of
  /// the same second if it follows them.
  private func sort(
    ofLate time: Milliseconds, by sender: ID<Participant>, in place: Place
  ) throws -> Int64 {
    // An unsent message that the owner wrote here counts as the later one.
    let before = try database.first(
      """
      SELECT sort FROM message
      WHERE conversation = ?1 AND sort >= ?2 AND sort < ?3 AND brought < 2
        AND (sender = ?5 OR sort < ?4) AND (sender <> ?6 OR state >= ?7)
      ORDER BY sort DESC LIMIT 1
      """, place.id, SortKey.first(at: time), SortKey.first(at: time + Self.slowness),
      SortKey.first(at: time + 1000), sender, owner.id, DeliveryState.sent.rawValue
    ) { $0.int64() }
    return try place.keys.free(from: before ?? SortKey.first(at: time), in: database)
  }

  /// Handles a repeated message.
  private func again(_ known: Known, archive: String?) throws {
    let message = known.message
    if let archive, known.archive == nil {
      // Another message may have the id already, if the room contradicts itself.
      try database.run(
        "UPDATE OR IGNORE message SET archive_id = ? WHERE id = ?", archive, message.id)
    }
    if message.sender == owner.id { try cameBack(message) }
  }

  /// Records that the network has a message of the owner's, whatever the attempt to send it
  /// reported.
  func cameBack(_ message: Message) throws {
    guard message.state < .sent else { return }
    try store.noteSent(message, isEdited: try isEditedOnItsWay(message.id))
  }

  /// Whether the owner edited it after handing it over, to another text than the one received.
  private func isEditedOnItsWay(_ message: ID<Message>) throws -> Bool {
    try database.exists(
      """
      SELECT 1 FROM outbox x JOIN message m ON m.id = x.message
      WHERE x.message = ? AND x.operation = 0 AND x.tried > 0 AND m.revised > x.tried
      """, message)
  }

  // MARK: What becomes of it

  /// Changes a message.
  ///
  /// - Returns: false if the message is missing or is another's.
  func applyChange(_ news: NetworkEvent) throws -> Bool {
    switch news {
    case .edited(let name, let speaker, let place, let body, let time, let change):
      return try edited(name, by: speaker, in: place, body, at: time, change)
    case .retracted(let name, let speaker, let place, let time):
      return try retracted(name, by: speaker, in: place, at: time)
    case .removed(let archive, let room, let removal, let time):
      return try removed(archive, from: room, removal, at: time)
    case .reacted(let name, let author, let speaker, let place, let emoji, let time, let change):
      return try reacted(name, of: author, by: speaker, in: place, emoji, at: time, change)
    default:
      return true
    }
  }

  /// The message that its author wants to change; nil if it is missing or someone else's.
  private func target(
    _ name: MessageIDs, by speaker: NetworkUser, in network: NetworkPlace
  ) throws -> Message? {
    guard let place = try known(network), let author = try speakerID(speaker, in: place),
      let found = try knownMessage(name, of: author, in: place)?.message
    else { return nil }
    if isRemoved(found) { return found }
    if author == owner.id { try cameBack(found) }
    try index()
    return found
  }

  private func isRemoved(_ message: Message) -> Bool {
    message.deletedAt != nil || message.isRecalled
  }

  private func edited(
    _ name: MessageIDs, by speaker: NetworkUser, in network: NetworkPlace, _ body: String,
    at told: Milliseconds?, _ change: MessageIDs
  ) throws -> Bool {
    guard let found = try target(name, by: speaker, in: network) else { return false }
    guard !isRemoved(found), try isNew(change, of: found.id, by: found.sender, isLive: told == nil)
    else { return true }
    let body = try withoutLinks(ofFilesOf: found, body)
    let waits = "FROM outbox WHERE message = ? AND operation = 1"
    if found.body.utf8.elementsEqual(body.utf8) {
      // The owner's own change returns.
      if speaker.isOwner { try database.run("DELETE \(waits)", found.id) }
      return true
    }
    // The owner's own text from here is newer, and on its way.
    if speaker.isOwner, try database.exists("SELECT 1 \(waits)", found.id) { return true }
    let time = time(told)
    try database.run(
      """
      INSERT INTO revision(message, ordinal, body, at)
      SELECT ?1, ifnull(max(ordinal), 0) + 1, ?2, ?3 FROM revision WHERE message = ?1
      """, found.id, found.body, time)
    try database.run(
      """
      UPDATE message SET body = ?, mentions = '', edited_at = ?, revised = ?,
        unverified = max(unverified, ?)
      WHERE id = ?
      """, body, time, try store.nextChange(), !speaker.isVerified, found.id)
    return true
  }

  private func retracted(
    _ name: MessageIDs, by speaker: NetworkUser, in network: NetworkPlace, at told: Milliseconds?
  ) throws -> Bool {
    guard let found = try target(name, by: speaker, in: network) else { return false }
    if isRemoved(found) { return true }
    try store.wipe(found.id, gone: 1, at: time(told))
    if !speaker.isVerified {
      try database.run("UPDATE message SET unverified = 1 WHERE id = ?", found.id)
    }
    return true
  }

  /// A moderator's removal counts for anybody's message, the owner's own included.
  private func removed(
    _ archive: String, from room: String, _ removal: Removal, at told: Milliseconds?
  ) throws -> Bool {
    // Only by the room's own id: a sender can choose any other.
    guard let place = try known(.room(room)),
      let found = try knownMessage(MessageIDs(archive: archive), of: nil, in: place)?.message
    else { return false }
    if isRemoved(found) { return true }
    if found.sender == owner.id { try cameBack(found) }
    try index()
    try store.wipe(found.id, gone: 1, at: time(told))
    try database.run(
      "UPDATE message SET removed_by = ?, removal_reason = ? WHERE id = ?", removal.moderator,
      removal.reason, found.id)
    return true
  }

  /// Records someone's change to a message.
  ///
  /// - Parameter isLive: whether it arrives live. Then only its archive id can show that it is
  ///   known: some programs use one of their own ids twice.
  /// - Returns: false if it is known: archives and rooms repeat changes, and return the owner's
  ///   own.
  private func isNew(
    _ change: MessageIDs, of message: ID<Message>, by author: ID<Participant>, isLive: Bool
  ) throws -> Bool {
    let known = try database.exists(
      """
      SELECT 1 FROM applied_change WHERE message = ?1 AND participant = ?2
        AND (archive_id = ?3 OR origin_id = ?4 AND (archive_id IS NULL OR ?3 IS NULL))
      """, message, author, change.archive, isLive ? nil : change.origin)
    if known { return false }
    try store.noteApplied(change, to: message, by: author)
    return true
  }

  private func reacted(
    _ name: MessageIDs, of author: NetworkUser?, by speaker: NetworkUser, in network: NetworkPlace,
    _ emoji: NetworkReaction, at told: Milliseconds?, _ change: MessageIDs
  ) throws -> Bool {
    guard let place = try known(network) else { return false }
    var writer: ID<Participant>?
    if let author {
      guard let known = try speakerID(author, in: place) else { return false }
      writer = known
    }
    guard let found = try knownMessage(name, of: writer, in: place)?.message else { return false }
    guard !isRemoved(found), found.state >= .sent || found.sender != owner.id else { return true }
    let person: ID<Participant>
    if speaker.isOwner {
      person = owner.id
    } else {
      if case .direct(let address) = network, speaker.identity != address { return true }
      person = try self.person(speaker, in: network).id
    }
    let asOne = try store.knownAbilities(of: place.id).reactionLimit == .one
    let former = try store.emojiStored(of: person, on: found.id)
    guard let new = emoji.applied(to: former, asOne: asOne) else { return true }
    guard try isNew(change, of: found.id, by: person, isLive: told == nil) else { return true }
    // The owner's own changes that are on their way: all, or those to this reaction.
    let waits = """
      FROM outbox WHERE message = ?1 AND operation = 3 AND participant = ?2
        AND ifnull(emoji = ?3, 1)
      """
    let one: String? =
      switch emoji {
      case .all: nil
      case .given(let one), .removed(let one): one
      }
    if Set(former.map { Array($0.utf8) }) == Set(new.map { Array($0.utf8) }) {
      if speaker.isOwner { try database.run("DELETE \(waits)", found.id, person, one) }
      return true
    }
    if speaker.isOwner, try database.exists("SELECT 1 \(waits)", found.id, person, one) {
      return true
    }
    try store.setReactions(new, of: person, on: found.id, at: time(told), asOne: asOne)
    return true
  }

  // MARK: How far others are

  func applyReceipt(
    _ name: MessageIDs, by speaker: NetworkUser, in network: NetworkPlace, _ state: DeliveryState
  ) throws {
    guard state >= .delivered, !speaker.isOwner, let place = try known(network),
      !place.isRoom || state == .seen, let reader = try speakerID(speaker, in: place)
    else { return }
    // In a room people report how far they read, whoever wrote the message; a direct chat has
    // receipts, and only for messages sent there.
    guard
      let found = try knownMessage(name, of: place.isRoom ? nil : owner.id, in: place)?.message,
      !found.isPast, !found.isRecalled, found.sender != reader
    else { return }
    // The other side has it, whatever the server reported.
    if found.sender == owner.id { try cameBack(found) }
    guard try store.stored(found.id).map({ $0.state >= .sent }) == true else { return }
    try store.noteReached(
      by: reader, in: place.id, upTo: found.number, state, isFirst: place.isRoom)
  }

  func read(_ name: MessageIDs, in network: NetworkPlace) throws {
    guard let place = try known(network),
      let found = try knownMessage(name, of: nil, in: place)?.message, !found.isPast
    else { return }
    try store.noteSeen(by: owner.id, in: place.id, upTo: found.number, sendReceipt: false)
  }

  // MARK: What the outbox asked for

  func accepted(_ entry: OutboxEntry, _ archive: String?) throws {
    if let archive, entry.operation == .send {
      try database.run(
        """
        UPDATE OR IGNORE message SET archive_id = ? WHERE id = ? AND archive_id IS NULL
        """, archive, entry.message.id)
    }
    for (place, link) in entry.links.enumerated() {
      try database.run(
        "UPDATE attachment SET link = ? WHERE message = ? AND ordinal = ?", link,
        entry.message.id, place)
    }
    if entry.operation == .edit || entry.operation == .react {
      try store.noteApplied(
        MessageIDs(origin: entry.origin), to: entry.message.id, by: owner.id)
    }
    // A message that a former process handed over came back; this one knows only the newer text.
    let isFormers = entry.operation == .send && entry.wasTried
    try store.finish(
      entry, as: .sent, isEdited: isFormers && isEditedOnItsWay(entry.message.id))
  }

  func refused(_ entry: OutboxEntry, _ reason: String) throws {
    let isWaiting = try database.exists("SELECT 1 FROM outbox WHERE id = ?", entry.id)
    if entry.operation == .send, !isWaiting, let found = try store.stored(entry.message.id),
      found.state >= .sent
    {
      return try store.noteBounced(found, reason)
    }
    try store.finish(entry, as: .failed(reason))
  }

  func bounced(_ name: MessageIDs, in network: NetworkPlace, _ reason: String) throws {
    guard let place = try known(network),
      let found = try knownMessage(name, of: owner.id, in: place)?.message
    else { return }
    try store.noteBounced(found, reason)
  }
}
