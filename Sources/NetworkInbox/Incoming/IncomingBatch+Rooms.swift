// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Sentences

/// Applies events about the owner's rooms: entering, leaving, names, and how far an archive is read.
extension IncomingBatch {
  // MARK: The owner

  func applyEntry(_ room: String, as nick: String) throws {
    let conversation = try book.conversation(.room(room))
    let isNick = try book.database.exists(
      "SELECT 1 FROM conversation WHERE id = ? AND nick = ?", conversation.id, nick)
    try book.database.run(
      "UPDATE conversation SET nick = ?, live = 1 WHERE id = ?", nick, conversation.id)
    if !isNick { try book.store.touchPeople() }
    conversation.isLive = true
    // Those who have a rank now follow in this batch.
    try book.database.run(
      "UPDATE membership SET rank = '' WHERE conversation = ? AND rank <> ''", conversation.id)
    // People who left while hobnob was offline are no longer members.
    if !book.hasOccupants {
      try endMemberships(besides: outline.namedPeople[room] ?? [], in: conversation)
    }
    try book.database.run(
      """
      UPDATE membership SET last = (SELECT last_number FROM conversation WHERE id = ?1)
      WHERE conversation = ?1 AND last IS NULL AND participant <> ?2 AND EXISTS (
        SELECT 1 FROM participant p
        WHERE p.id = membership.participant AND p.network <> '' AND ifnull(p.online, 0) = 0)
      """, conversation.id, book.owner.id)
    if book.database.changedRows > 0 { try book.store.touchPeople() }
    try forgetOldJoins(in: conversation)
    try book.store.enter(book.owner.id, conversation.id)
  }

  /// Ends memberships of people who are not in the room. On a network whose people are the same
  /// everywhere, those who are online may be in another room only.
  private func endMemberships(
    besides identities: Set<String>, in conversation: BatchConversation
  ) throws {
    let members = try book.store.members(of: conversation.id)
    for member in members where member.network != nil && !identities.contains(member.identity) {
      try attendance.endMembership(of: member.id, in: conversation)
    }
  }

  /// Removes old joins, leaves and ranks: a large room has more of them in a year than messages.
  private func forgetOldJoins(in conversation: BatchConversation) throws {
    let week: Milliseconds = 7 * 24 * 3_600_000
    try book.database.run(
      "DELETE FROM event WHERE conversation = ? AND at < ? AND kind IN (2, 3, 4, 10)",
      conversation.id, book.now - week)
  }

  func applyLeave(_ room: String, _ reason: Remark?) throws {
    guard let conversation = try book.known(.room(room)) else { return }
    let wasInside = try book.database.exists(
      "SELECT 1 FROM conversation WHERE id = ? AND nick IS NOT NULL", conversation.id)
    try book.database.run(
      "UPDATE conversation SET nick = NULL, live = 0 WHERE id = ?", conversation.id)
    conversation.isLive = false
    guard try book.store.isMember(book.owner.id, of: conversation.id) else { return }
    try attendance.endMembership(of: book.owner.id, in: conversation)
    if !wasInside {
      // They keep seeing the messages from their stay.
      try book.database.run(
        "DELETE FROM membership WHERE conversation = ? AND participant = ? AND last < first",
        conversation.id, book.owner.id)
      return
    }
    try book.store.record(.left, in: conversation.id, by: book.owner.id, text: reason ?? "")
    // Someone who left by themselves knows that they did.
    if let reason { try book.tell(reason) }
  }

  /// Records how far an archive was read.
  func applyCatchUp(_ archive: String, _ mark: String) throws {
    try book.database.run(
      "INSERT OR REPLACE INTO archive_mark(network, archive, mark) VALUES (?, ?, ?)", book.network,
      archive, mark)
    if let count = pages.past.removeValue(forKey: .room(archive)) {
      try tell(count, earlierIn: archive)
    }
  }

  func applyHistoryMark(_ room: String) throws {
    guard let conversation = try book.known(.room(room)) else { return }
    let count = try book.database.first(
      "SELECT count(*) FROM message WHERE conversation = ? AND brought = 2", conversation.id
    ) { $0.int() }
    if let count, count > 0 { try tell(count, earlierIn: room) }
  }

  /// Tells the owner who has just joined a room that the store has earlier messages.
  private func tell(_ count: Int, earlierIn room: String) throws {
    guard let conversation = try book.known(.room(room)), try book.isOpen(conversation) else {
      return
    }
    let name = conversation.stored.name
    try book.tell(
      filled(
        translated(
          "%2 has one earlier message; /history shows it.",
          "%2 has %1 earlier messages; /history shows them.", count: count),
        [String(count), name]))
  }

  func applyLoss(_ room: String, _ reason: Remark) throws {
    guard let conversation = try book.known(.room(room)) else { return }
    try book.database.run("UPDATE conversation SET live = 0 WHERE id = ?", conversation.id)
    conversation.isLive = false
    try book.tell(reason)
  }

  // MARK: Rooms

  func applyMove(_ room: String, to new: String, by speaker: NetworkUser?, _ words: Remark) throws {
    guard let conversation = try book.known(.room(room)), room != new else { return }
    guard try book.known(.room(new)) == nil else { return try leave(room, for: new, words) }
    let name = conversation.stored.name
    try setAddress(of: conversation, to: new)
    let who = try speaker.map {
      $0.isOwner ? book.owner.id : try book.person($0, in: .room(new)).id
    }
    try book.store.record(.roomRenamed, in: conversation.id, by: who ?? book.owner.id, text: name)
  }

  func applyForwarding(_ room: String, to new: String, _ reason: Remark?) throws {
    guard let conversation = try book.known(.room(room)), room != new else { return }
    let hasPast = try book.database.exists(
      "SELECT 1 FROM message WHERE conversation = ? AND sender <> ?", conversation.id, book.owner.id
    )
    if try hasPast || book.known(.room(new)) != nil { return try leave(room, for: new, reason) }
    // Nothing was ever in it, so it becomes the other room.
    try setAddress(of: conversation, to: new)
    if let reason { try book.tell(reason) }
  }

  private func setAddress(of conversation: BatchConversation, to new: String) throws {
    // What waits is found by the former address.
    try applyWaitingChanges()
    try book.database.run("UPDATE conversation SET address = ? WHERE id = ?", new, conversation.id)
    book.forget(conversation.address)
    try applyRoomName(new, new)
  }

  /// Takes the owner's shells from a room to another one.
  private func leave(_ room: String, for new: String, _ reason: Remark?) throws {
    guard let former = try book.known(.room(room)) else { return }
    let conversation = try book.conversation(.room(new))
    try book.database.run(
      "UPDATE shell SET conversation = ? WHERE participant = ? AND conversation = ?",
      conversation.id, book.owner.id, former.id)
    try applyLeave(room, reason)
    try book.store.enter(book.owner.id, conversation.id)
    try book.store.touchPeople()
  }

  func applyRoomName(_ room: String, _ name: String) throws {
    let conversation = try book.conversation(.room(room))
    let words = name.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let name = book.account.rules.shown(room: String(words.prefix(Naming.longestRoom)))
    // Compare the room's own name, since hobnob may show another.
    let former = try book.database.first(
      "SELECT name FROM conversation WHERE id = ?", conversation.id
    ) { $0.text("name") }
    if name == "#" || former?.utf8.elementsEqual(name.utf8) == true { return }
    // Where a room has an address beside its name, it keeps its first name: its owner must not
    // change what a bare name means (rule 11.2).
    if book.account.rules.namesServer, former != book.account.rules.shown(room: room) { return }
    try book.database.run(
      "UPDATE conversation SET name = '', folded = '' WHERE id = ?", conversation.id)
    let shown = try book.store.freeName(name, on: book.network)
    try book.database.run(
      "UPDATE conversation SET name = ?, folded = ? WHERE id = ?", shown, shown.lowercased(),
      conversation.id)
    conversation.stored.name = shown
    try book.store.touchPeople()
  }

  func applyTopic(
    of room: String, _ text: String, by speaker: NetworkUser?, at reported: Milliseconds?
  ) throws {
    let conversation = try book.conversation(.room(room))
    if conversation.stored.topic.utf8.elementsEqual(text.utf8) { return }
    try book.database.run("UPDATE conversation SET topic = ? WHERE id = ?", text, conversation.id)
    conversation.stored.topic = text
    // The topic at the owner's arrival is not a change.
    guard conversation.isLive, !outline.joining.contains(room), let speaker else {
      return try book.store.touchPeople()
    }
    let who = speaker.isOwner ? book.owner.id : try book.person(speaker, in: .room(room)).id
    try book.store.record(
      .topic, in: conversation.id, by: who, text: text, at: book.time(reported))
  }
}
