// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// Messages on a network, and their files.
extension IncomingBatch {
  func applyMessage(_ message: NetworkMessage, in target: ConversationAddress) throws {
    let speaker = message.speaker
    if case .direct(let address) = target, !speaker.isOwner, speaker.identity != address { return }
    if try isShownAsChange(message, in: target) { return }
    if case .direct(let address) = target, try strangers.isBeyondList(speaker, address) {
      if message.isRepetition { return }
      return try strangers.noteText(of: message, from: address)
    }
    let conversation = try book.conversation(target)
    let sender =
      speaker.isOwner
      ? book.owner.id
      : try book.person(speaker, in: target, isCurrent: message.time == nil && !message.isPast).id
    let answered = try answeredMessage(by: message, in: conversation)
    var message = message
    if answered?.isShown != true, let whole = message.bodyWithQuote {
      // With a quote in front of it, `/me` no longer makes an action.
      message.body = whole
      if message.kind == .action { message.kind = .text }
    }
    let known =
      try message.isRepetition
      ? repetitions.named(message.name, by: sender, in: conversation)
      : repetitions.repeated(message, by: sender, in: conversation)
    if let known {
      if message.time != nil, !message.isPast, !message.isDelayed {
        try gaps.move(to: known.message.sort, in: conversation)
      }
      return try again(known, message)
    }
    if message.isRepetition { return }
    // If another message has the archive id, this one would be a second message with that id.
    if let archive = message.name.archive,
      try book.database.exists(
        "SELECT 1 FROM message WHERE conversation = ? AND archive_id = ?", conversation.id, archive)
    {
      return
    }
    if case .direct(let address) = target {
      try strangers.open(conversation, address, for: message)
    }
    var new = message.spoken(by: sender)
    new.body = message.bodyWithLinks
    new.answeredNumber = answered?.number
    let time = book.time(message.time)
    new.time = message.time == nil ? repetitions.arrivalTime(of: message) : time
    if message.isPast {
      let id = try book.store.idForOlder()
      if message.playback != nil { repetitions.playbacks[target]?.found.insert(id) }
      try newMessages.insert(
        new, as: id, sort: pages.sort(ofPast: time, in: conversation), .past, in: conversation)
      try book.store.noteApplied(MessageIDs(origin: message.otherOrigin), to: id, by: sender)
      pages.past[target, default: 0] += 1
      pages.unsettled[target, default: []].append(id)
      return
    }
    let id = ID<Message>(rawValue: try book.store.nextChange())
    let isArrival = try message.time == nil || message.isDelayed && gaps.exist(in: conversation)
    let missed =
      try isArrival || message.isDelayed ? nil : gaps.sort(ofMissed: time, in: conversation)
    let sort =
      try isArrival
      ? book.store.sortKey(ofArrivalAt: book.now, in: conversation.id)
      : missed
        ?? sort(ofLate: time, by: sender, isDelayed: message.isDelayed, in: conversation)
    try newMessages.insert(new, as: id, sort: sort, .arrived, in: conversation)
    try book.store.noteApplied(MessageIDs(origin: message.otherOrigin), to: id, by: sender)
    try book.store.endTyping(of: sender, in: conversation.id)
    if !message.links.isEmpty { try askForFiles(of: message, id, from: sender, in: conversation) }
  }

  /// Whether the text of a message stands for a change that the store shows, or that waits for its
  /// message on an older page.
  private func isShownAsChange(
    _ message: NetworkMessage, in target: ConversationAddress
  ) throws -> Bool {
    guard let changed = message.changedMessage else { return false }
    guard !message.isPast, let conversation = try book.known(target) else { return message.isPast }
    return try book.store.referencedMessage(changed, of: nil, in: conversation.id) != nil
  }

  /// The message that this one answers: its number, and whether a quote of it has a text.
  private func answeredMessage(
    by message: NetworkMessage, in conversation: BatchConversation
  ) throws -> (number: Int, isShown: Bool)? {
    guard let name = message.answers else { return nil }
    var author: ID<Participant>?
    if let speaker = message.answersSpeaker {
      // A person who never wrote here has no message to answer.
      guard let known = try book.speakerID(speaker, in: conversation) else { return nil }
      author = known
    }
    guard
      let found = try book.store.referencedMessage(name, of: author, in: conversation.id)?.message,
      !found.isRecalled
    else { return nil }
    return (found.number, found.deletedAt == nil && found.kind != .unreadable)
  }

  /// The sort key of a new message from an archive: by its time. Networks give whole seconds, by
  /// their own clock, so the message comes after its sender's earlier messages, and after other
  /// people's messages of the same second if it follows them in the archive.
  private func sort(
    ofLate time: Milliseconds, by sender: ID<Participant>, isDelayed: Bool,
    in conversation: BatchConversation
  ) throws -> Int64 {
    // A stream keeps the order of each sender, however long it was broken.
    let end = isDelayed ? Int64.max : SortKey.first(at: time + NetworkMessage.slowness)
    // An unsent message that the owner wrote here counts as the later one.
    let before = try book.database.first(
      """
      SELECT sort FROM message
      WHERE conversation = ?1 AND sort >= ?2 AND sort < ?3 AND brought < 2
        AND (sender = ?5 OR sort < ?4) AND (sender <> ?6 OR state >= ?7)
      ORDER BY sort DESC LIMIT 1
      """, conversation.id, SortKey.first(at: time), end,
      SortKey.first(at: time + 1000), sender, book.owner.id, DeliveryState.sent.rawValue
    ) { $0.int64() }
    return try conversation.keys.free(from: before ?? SortKey.first(at: time), in: book.database)
  }

  /// Handles a repeated message.
  private func again(_ known: KnownMessage, _ repetition: NetworkMessage) throws {
    let (message, name) = (known.message, repetition.name)
    if message.deletedAt != nil, name.origin == message.uid {
      try book.store.forgetDeletedText(of: message.id)
    }
    if let archive = name.archive, known.archive == nil {
      // Another message may have the id already, if the room contradicts itself.
      try book.database.run(
        "UPDATE OR IGNORE message SET archive_id = ? WHERE id = ?", archive, message.id)
    }
    if message.sender == book.owner.id {
      try book.store.noteArrived(message)
      // An earlier process may have sent it, and not have learnt that it arrived.
      try results.note(repetition.encryption, of: message.id)
    }
  }

  // MARK: Their files

  /// How many files may wait for hobnob to fetch them by itself. The owner must ask for the others.
  private static let mostUnasked = 50

  /// Requests the files of a new message from someone whom the owner trusts: a contact, or the
  /// owner on another device. Fetching would tell a stranger, or someone in a room, when and from
  /// where the owner is online; their files wait for `/save`.
  func askForFiles(
    of message: NetworkMessage, _ id: ID<Message>, from sender: ID<Participant>,
    in conversation: BatchConversation
  ) throws {
    guard fetchesFiles, !conversation.isRoom, try book.isTrusted(sender) else { return }
    var queued =
      try book.database.first(
        "SELECT count(*) FROM request WHERE account = ? AND verb = ? AND answer IS NULL",
        book.account.id, NetworkRequest.Verb.fetchUnasked.rawValue, read: { $0.int() }) ?? 0
    for link in message.links
    where (link.hasPrefix("https://") || SealedLink(link) != nil) && queued < Self.mostUnasked {
      try book.store.insert(
        .fetchUnasked, target: String(id.rawValue), text: link, of: book.account)
      queued += 1
    }
  }

  func applyFetched(_ request: NetworkRequest, _ file: Attachment) throws {
    guard let number = Int64(request.target),
      var found = try book.store.stored(ID(rawValue: number)), !found.isGone,
      try book.database.exists(
        "SELECT 1 FROM conversation WHERE id = ? AND network = ?", found.conversation, book.network),
      // There may have been two requests for the file.
      try !book.store.links(of: found).contains(request.text)
    else { return }
    try newMessages.index()
    let ordinal = found.attachments.count
    do {
      try book.store.append([file], to: &found)
    } catch is AttachmentError {
      // Somebody removed the file; the text still has its address.
      return
    }
    try book.database.run(
      "UPDATE attachment SET link = ? WHERE message = ? AND ordinal = ?", request.text, found.id,
      ordinal)
    // The owner's own text stays as typed.
    let isTyped = try book.database.exists(
      "SELECT 1 FROM message WHERE id = ? AND sender = ? AND remote_id = ?", found.id,
      book.owner.id, found.uid)
    try book.database.run(
      "UPDATE message SET body = ?, revised = ? WHERE id = ?",
      isTyped ? found.body : try book.store.withoutLinks(ofFilesOf: found, found.body),
      try book.store.nextChange(), found.id)
  }
}

extension NetworkMessage {
  /// The maximum usual delay of a live message: its time may be this much earlier than its arrival.
  static let slowness: Milliseconds = 10_000

  /// Its text, with the addresses of its files below, if they are not in it.
  var bodyWithLinks: String {
    links.reduce(body) { body, link in
      body.contains(link) ? body : body.isEmpty ? link : body + "\n" + link
    }
  }
}
