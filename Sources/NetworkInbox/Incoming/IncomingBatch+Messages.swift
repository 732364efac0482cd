// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// Messages on a network, and later changes to them.
extension IncomingBatch {
  func applyMessage(_ message: NetworkMessage, in target: ConversationAddress) throws {
    let speaker = message.speaker
    if case .direct(let address) = target, !speaker.isOwner, speaker.identity != address { return }
    if try isShownAsChange(message, in: target) { return }
    if case .direct(let address) = target, try isBeyondList(speaker, address) {
      return try noteText(of: message, from: address)
    }
    let conversation = try batchConversation(target)
    let sender =
      speaker.isOwner
      ? owner.id
      : try person(speaker, in: target, isCurrent: message.time == nil && !message.isPast).id
    let answered = try answeredMessage(by: message, in: conversation)
    var message = message
    if answered?.isShown != true, let whole = message.bodyWithQuote {
      // With a quote in front of it, `/me` no longer makes an action.
      message.body = whole
      if message.kind == .action { message.kind = .text }
    }
    if let known = try repeated(message, by: sender, in: conversation) {
      if message.time != nil, !message.isPast, !message.isDelayed {
        try moveGaps(to: known.message.sort, in: conversation)
      }
      return try again(known, message.name)
    }
    // If another message has the archive id, this one would be a second message with that id.
    if let archive = message.name.archive,
      try database.exists(
        "SELECT 1 FROM message WHERE conversation = ? AND archive_id = ?", conversation.id, archive)
    {
      return
    }
    if case .direct(let address) = target { try open(conversation, address, for: message) }
    var new = message.spoken(by: sender)
    new.body = Self.body(of: message)
    new.answeredNumber = answered?.number
    let time = time(message.time)
    new.time = message.time == nil ? arrivalTime(of: message) : time
    if message.isPast {
      let id = try store.idForOlder()
      if message.playback != nil { progress.playbacks[target]?.found.insert(id) }
      try insertMessage(
        new, as: id, sort: sort(ofPast: time, in: conversation), .past, in: conversation)
      try store.noteApplied(MessageIDs(origin: message.otherOrigin), to: id, by: sender)
      progress.past[target, default: 0] += 1
      progress.unsettled[target, default: []].append(id)
      return
    }
    let id = ID<Message>(rawValue: try store.nextChange())
    let isArrival = try message.time == nil || message.isDelayed && hasGap(conversation)
    let missed = try isArrival || message.isDelayed ? nil : sort(ofMissed: time, in: conversation)
    let sort =
      try isArrival
      ? store.sortKey(ofArrivalAt: now, in: conversation.id)
      : missed
        ?? sort(ofLate: time, by: sender, isDelayed: message.isDelayed, in: conversation)
    try insertMessage(new, as: id, sort: sort, .arrived, in: conversation)
    try store.noteApplied(MessageIDs(origin: message.otherOrigin), to: id, by: sender)
    try store.endTyping(of: sender, in: conversation.id)
    if !message.links.isEmpty { try askForFiles(of: message, id, from: sender, in: conversation) }
  }

  /// Whether the text of a message stands for a change that the store shows, or that waits for its
  /// message on an older page.
  private func isShownAsChange(
    _ message: NetworkMessage, in target: ConversationAddress
  ) throws -> Bool {
    guard let changed = message.changedMessage else { return false }
    guard !message.isPast, let conversation = try known(target) else { return message.isPast }
    return try referencedMessage(changed, of: nil, in: conversation) != nil
  }

  /// Adds the addresses of files below the text, if they are not in it.
  static func body(of message: NetworkMessage) -> String {
    message.links.reduce(message.body) { body, link in
      body.contains(link) ? body : body.isEmpty ? link : body + "\n" + link
    }
  }

  func page(of address: ConversationAddress, from: String, until: String) throws {
    // Finish the page before this one first: the changes on this one are older.
    try applyWaitingChanges()
    guard let conversation = try known(address) else { return }
    progress.unsettled[address] = []
    progress.pages[address] = Page(
      number: try nextPageNumber(in: conversation),
      end: try start(ofPage: until, in: conversation))
    // A repeated page must not undo what was read later.
    try database.run(
      """
      UPDATE conversation SET archive_from = ?2
      WHERE id = ?1 AND (archive_from IS NULL OR archive_from = ?3)
      """, conversation.id, from, until)
  }

  /// The sort key after a page of the archive: that of the message where the previously read page
  /// began, or else of the oldest past message.
  private func start(ofPage until: String, in conversation: BatchConversation) throws -> Int64? {
    let anchor = try database.first(
      "SELECT sort FROM message WHERE conversation = ? AND archive_id = ?", conversation.id,
      until
    ) { $0.int64() }
    if let anchor { return anchor }
    // The second query finds the oldest past message near the beginning, if there is one; otherwise
    // it would read the whole conversation.
    guard
      try database.exists(
        "SELECT 1 FROM message WHERE conversation = ? AND brought = 2", conversation.id)
    else { return nil }
    return try database.first(
      "SELECT sort FROM message WHERE conversation = ? AND brought = 2 ORDER BY sort LIMIT 1",
      conversation.id
    ) { $0.int64() }
  }

  /// The sort key of a past message: by its time, and for equal times in the order of the archive.
  /// Networks give whole seconds; within a second, and for times in the future, messages of an
  /// older page come before those of pages that were read earlier.
  private func sort(ofPast time: Milliseconds, in conversation: BatchConversation) throws -> Int64 {
    var key = SortKey.first(at: time)
    if let end = progress.pages[conversation.address]?.end,
      key >= (end >> SortKey.bits) << SortKey.bits
    {
      let milliseconds = end >> SortKey.bits
      if time - milliseconds < 1000 || time == now { key = SortKey.first(at: milliseconds - 1) }
    }
    return try conversation.keys.free(from: key, in: database)
  }

  /// The message that this one answers: its number, and whether a quote of it has a text.
  private func answeredMessage(
    by message: NetworkMessage, in conversation: BatchConversation
  ) throws -> (number: Int, isShown: Bool)? {
    guard let name = message.answers else { return nil }
    var author: ID<Participant>?
    if let speaker = message.answersSpeaker {
      // A person who never wrote here has no message to answer.
      guard let known = try speakerID(speaker, in: conversation) else { return nil }
      author = known
    }
    guard let found = try referencedMessage(name, of: author, in: conversation)?.message,
      !found.isRecalled
    else { return nil }
    return (found.number, found.deletedAt == nil && found.kind != .unreadable)
  }

  /// The maximum usual delay of a live message: its time may be this much earlier than its arrival.
  static let slowness: Milliseconds = 10_000

  /// The sort key of a new message from an archive: by its time. Networks give whole seconds, by
  /// their own clock, so the message comes after its sender's earlier messages, and after other
  /// people's messages of the same second if it follows them in the archive.
  private func sort(
    ofLate time: Milliseconds, by sender: ID<Participant>, isDelayed: Bool,
    in conversation: BatchConversation
  ) throws -> Int64 {
    // A stream keeps the order of each sender, however long it was broken.
    let end = isDelayed ? Int64.max : SortKey.first(at: time + Self.slowness)
    // An unsent message that the owner wrote here counts as the later one.
    let before = try database.first(
      """
      SELECT sort FROM message
      WHERE conversation = ?1 AND sort >= ?2 AND sort < ?3 AND brought < 2
        AND (sender = ?5 OR sort < ?4) AND (sender <> ?6 OR state >= ?7)
      ORDER BY sort DESC LIMIT 1
      """, conversation.id, SortKey.first(at: time), end,
      SortKey.first(at: time + 1000), sender, owner.id, DeliveryState.sent.rawValue
    ) { $0.int64() }
    return try conversation.keys.free(from: before ?? SortKey.first(at: time), in: database)
  }

  /// Handles a repeated message.
  private func again(_ known: KnownMessage, _ name: MessageIDs) throws {
    let message = known.message
    if message.deletedAt != nil, name.origin == message.uid {
      try store.forgetDeletedText(of: message.id)
    }
    if let archive = name.archive, known.archive == nil {
      // Another message may have the id already, if the room contradicts itself.
      try database.run(
        "UPDATE OR IGNORE message SET archive_id = ? WHERE id = ?", archive, message.id)
    }
    if message.sender == owner.id { try noteArrived(message) }
  }

  // MARK: How far others are

  func applyReceipt(
    _ name: MessageIDs, by speaker: NetworkUser, in address: ConversationAddress,
    _ state: DeliveryState, isAlone: Bool
  ) throws {
    guard state >= .delivered, !speaker.isOwner, let conversation = try known(address),
      !conversation.isRoom || state == .seen, let reader = try speakerID(speaker, in: conversation)
    else { return }
    // In a room people report how far they have read, whoever wrote the message. In a direct chat
    // there are only receipts for messages that were sent there.
    guard
      let found = try referencedMessage(
        name, of: conversation.isRoom ? nil : owner.id, in: conversation)?.message,
      !found.isPast, !found.isRecalled, found.sender != reader
    else { return }
    // The other side has the message, whatever the server reported.
    if found.sender == owner.id { try noteArrived(found) }
    guard try store.stored(found.id).map({ $0.state >= .sent }) == true else { return }
    if isAlone {
      return try store.noteReceived(by: reader, found, state, isFirst: conversation.isRoom)
    }
    try store.noteReached(
      by: reader, in: conversation.id, upTo: found.number, state, isFirst: conversation.isRoom)
  }

  func read(_ name: MessageIDs, in address: ConversationAddress) throws {
    guard let conversation = try known(address),
      let found = try referencedMessage(name, of: nil, in: conversation)?.message, !found.isPast
    else { return }
    try store.noteSeen(by: owner.id, in: conversation.id, upTo: found.number, sendReceipt: false)
  }

  func read(until time: Milliseconds, in address: ConversationAddress) throws {
    guard let conversation = try known(address) else { return }
    // Among the unread messages only, the newest first: of those that arrived late, some may be
    // older than ones with lower numbers.
    let number = try database.first(
      """
      SELECT number FROM message
      WHERE conversation = ? AND number > ? AND brought < 2 AND sort < ? AND created_at <= ?
      ORDER BY number DESC LIMIT 1
      """, conversation.id, try store.readMarker(of: owner.id, in: conversation.id),
      SortKey.first(at: time + 1), time
    ) { $0.int() }
    if let number {
      try store.noteSeen(by: owner.id, in: conversation.id, upTo: number, sendReceipt: false)
    }
  }

  // MARK: Results of the outbox

  func applyAcceptance(_ entry: OutboxEntry, _ archive: String?) throws {
    if let archive, entry.operation == .send {
      try database.run(
        """
        UPDATE OR IGNORE message SET archive_id = ? WHERE id = ? AND archive_id IS NULL
        """, archive, entry.message.id)
    }
    for (index, link) in entry.links.enumerated() {
      try database.run(
        "UPDATE attachment SET link = ? WHERE message = ? AND ordinal = ?", link,
        entry.message.id, index)
    }
    if entry.operation == .edit || entry.operation == .react {
      try store.noteApplied(
        MessageIDs(origin: entry.origin), to: entry.message.id, by: owner.id)
    }
    // A message that an earlier process handed over came back; this process knows only the newer
    // text.
    let isFormers = entry.operation == .send && entry.wasTried
    try store.finish(
      entry, as: .sent, isEdited: isFormers && isEditedOnItsWay(entry.message.id))
  }

  func applyRefusal(_ entry: OutboxEntry, _ reason: Remark, _ mayHaveArrived: Bool) throws {
    let isWaiting = try database.exists("SELECT 1 FROM outbox WHERE id = ?", entry.id)
    if entry.operation == .send, !isWaiting, let found = try store.stored(entry.message.id),
      found.state >= .sent
    {
      return try store.noteBounced(found, reason)
    }
    try store.finish(entry, as: .failed(reason, mayHaveArrived: mayHaveArrived))
    try tellRefusedChange(entry, reason)
  }

  /// A shell shows a change at once, so the owner hears that others do not have it.
  private func tellRefusedChange(_ entry: OutboxEntry, _ reason: Remark) throws {
    guard entry.operation == .edit || entry.operation == .delete,
      let conversation = try store.conversation(entry.message.conversation, for: owner.id)
    else { return }
    let (number, name) = (Remark(String(entry.message.number)), Remark(conversation.name))
    try store.tell(
      entry.operation == .edit
        ? filled(
          (
            "The network did not take the new text of message %1 in %2: %3", [number, name, reason]
          ))
        : filled(("The network did not delete message %1 in %2: %3", [number, name, reason])),
      account)
  }

  /// Recalls a message that the owner deleted when it was about to be sent.
  func applyNeverSent(_ entry: OutboxEntry) throws {
    guard let found = try store.stored(entry.message.id), found.deletedAt != nil else { return }
    try store.fail(.send, of: found, nil, "")
  }

  func applyBounce(_ name: MessageIDs, in address: ConversationAddress, _ reason: Remark) throws {
    guard let conversation = try known(address),
      let found = try knownMessage(name, of: owner.id, in: conversation)?.message
    else { return }
    try store.noteBounced(found, reason)
  }

  func applyTyping(
    _ speaker: NetworkUser, in address: ConversationAddress, _ isTyping: Bool
  ) throws {
    guard !speaker.isOwner, let conversation = try known(address),
      let person = try speakerID(speaker, in: conversation)
    else { return }
    if !isTyping { return try store.endTyping(of: person, in: conversation.id) }
    try store.beginTyping(of: person, in: conversation.id, by: ShellID(rawValue: self.network))
  }
}
