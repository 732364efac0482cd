// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Sentences

/// Presence on a network, and what people do other than writing.
extension IncomingBatch {
  // MARK: The owner

  func joined(_ room: String, as nick: String) throws {
    let conversation = try batchConversation(.room(room))
    let isNick = try database.exists(
      "SELECT 1 FROM conversation WHERE id = ? AND nick = ?", conversation.id, nick)
    try database.run(
      "UPDATE conversation SET nick = ?, live = 1 WHERE id = ?", nick, conversation.id)
    if !isNick { try store.touchPeople() }
    conversation.isLive = true
    // Those who have a rank now follow in this batch.
    try database.run(
      "UPDATE membership SET rank = '' WHERE conversation = ? AND rank <> ''", conversation.id)
    // People who left while hobnob was offline are no longer members.
    if !hasOccupants {
      try endMemberships(besides: outline.namedPeople[room] ?? [], in: conversation)
    }
    try database.run(
      """
      UPDATE membership SET last = (SELECT last_number FROM conversation WHERE id = ?1)
      WHERE conversation = ?1 AND last IS NULL AND participant <> ?2 AND EXISTS (
        SELECT 1 FROM participant p
        WHERE p.id = membership.participant AND p.network <> '' AND ifnull(p.online, 0) = 0)
      """, conversation.id, owner.id)
    if database.changedRows > 0 { try store.touchPeople() }
    try forgetOldJoins(in: conversation)
    try store.enter(owner.id, conversation.id)
  }

  /// Ends memberships of people who are not in the room. On a network whose people are the same
  /// everywhere, those who are online may be in another room only.
  private func endMemberships(
    besides identities: Set<String>, in conversation: BatchConversation
  ) throws {
    let members = try store.members(of: conversation.id)
    for member in members where member.network != nil && !identities.contains(member.identity) {
      try endMembership(of: member.id, in: conversation)
    }
  }

  /// Removes old joins, leaves and ranks: a large room has more of them in a year than messages.
  private func forgetOldJoins(in conversation: BatchConversation) throws {
    let week: Milliseconds = 7 * 24 * 3_600_000
    try database.run(
      "DELETE FROM event WHERE conversation = ? AND at < ? AND kind IN (2, 3, 4, 10)",
      conversation.id, now - week)
  }

  func left(_ room: String, _ reason: Remark?) throws {
    guard let conversation = try known(.room(room)) else { return }
    let wasInside = try database.exists(
      "SELECT 1 FROM conversation WHERE id = ? AND nick IS NOT NULL", conversation.id)
    try database.run(
      "UPDATE conversation SET nick = NULL, live = 0 WHERE id = ?", conversation.id)
    conversation.isLive = false
    guard try store.isMember(owner.id, of: conversation.id) else { return }
    try endMembership(of: owner.id, in: conversation)
    if !wasInside {
      // They keep seeing the messages from their stay.
      try database.run(
        "DELETE FROM membership WHERE conversation = ? AND participant = ? AND last < first",
        conversation.id, owner.id)
      return
    }
    try store.record(.left, in: conversation.id, by: owner.id, text: reason ?? "")
    // Someone who left by themselves knows that they did.
    if let reason { try store.tell(reason, account) }
  }

  /// Records how far an archive was read.
  func caughtUp(_ archive: String, _ mark: String) throws {
    try database.run(
      "INSERT OR REPLACE INTO archive_mark(network, archive, mark) VALUES (?, ?, ?)", network,
      archive, mark)
    if let count = progress.past.removeValue(forKey: .room(archive)) {
      try tell(count, earlierIn: archive)
    }
  }

  func historySent(_ room: String) throws {
    guard let conversation = try known(.room(room)) else { return }
    let count = try database.first(
      "SELECT count(*) FROM message WHERE conversation = ? AND brought = 2", conversation.id
    ) { $0.int() }
    if let count, count > 0 { try tell(count, earlierIn: room) }
  }

  /// Tells the owner who has just joined a room that the store has earlier messages.
  private func tell(_ count: Int, earlierIn room: String) throws {
    guard let conversation = try known(.room(room)), try isOpen(conversation) else { return }
    let name = conversation.stored.name
    try store.tell(
      filled(
        translated(
          "%2 has one earlier message; /history shows it.",
          "%2 has %1 earlier messages; /history shows them.", count: count),
        [String(count), name]), account)
  }

  func lost(_ room: String, _ reason: Remark) throws {
    guard let conversation = try known(.room(room)) else { return }
    try database.run("UPDATE conversation SET live = 0 WHERE id = ?", conversation.id)
    conversation.isLive = false
    try store.tell(reason, account)
  }

  // MARK: Rooms

  func moved(_ room: String, to new: String, by speaker: NetworkUser?, _ words: Remark) throws {
    guard let conversation = try known(.room(room)), room != new else { return }
    guard try known(.room(new)) == nil else { return try leave(room, for: new, words) }
    let name = conversation.stored.name
    try setAddress(of: conversation, to: new)
    let who = try speaker.map { $0.isOwner ? owner.id : try person($0, in: .room(new)).id }
    try store.record(.roomRenamed, in: conversation.id, by: who ?? owner.id, text: name)
  }

  func forwarded(_ room: String, to new: String, _ reason: Remark?) throws {
    guard let conversation = try known(.room(room)), room != new else { return }
    let hasPast = try database.exists(
      "SELECT 1 FROM message WHERE conversation = ? AND sender <> ?", conversation.id, owner.id)
    if try hasPast || known(.room(new)) != nil { return try leave(room, for: new, reason) }
    // Nothing was ever in it, so it becomes the other room.
    try setAddress(of: conversation, to: new)
    if let reason { try store.tell(reason, account) }
  }

  private func setAddress(of conversation: BatchConversation, to new: String) throws {
    // What waits is found by the former address.
    try settle()
    try database.run(
      "UPDATE conversation SET address = ? WHERE id = ?", new, conversation.id)
    conversations[conversation.address] = nil
    try applyRoomName(new, new)
  }

  /// Takes the owner's shells from a room to another one.
  private func leave(_ room: String, for new: String, _ reason: Remark?) throws {
    guard let former = try known(.room(room)) else { return }
    let conversation = try batchConversation(.room(new))
    try database.run(
      "UPDATE shell SET conversation = ? WHERE participant = ? AND conversation = ?",
      conversation.id, owner.id, former.id)
    try left(room, reason)
    try store.enter(owner.id, conversation.id)
    try store.touchPeople()
  }

  func applyRoomName(_ room: String, _ name: String) throws {
    let conversation = try batchConversation(.room(room))
    let words = name.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let name = account.rules.shown(room: String(words.prefix(Naming.longestRoom)))
    // Compare the room's own name, since hobnob may show another.
    let former = try database.first(
      "SELECT name FROM conversation WHERE id = ?", conversation.id
    ) { $0.text("name") }
    if name == "#" || former?.utf8.elementsEqual(name.utf8) == true { return }
    // Where a room has an address beside its name, it keeps its first name: its owner must not
    // change what a bare name means (rule 11.2).
    if account.rules.namesServer, former != account.rules.shown(room: room) { return }
    try database.run(
      "UPDATE conversation SET name = '', folded = '' WHERE id = ?", conversation.id)
    let shown = try store.freeName(name, on: network)
    try database.run(
      "UPDATE conversation SET name = ?, folded = ? WHERE id = ?", shown, shown.lowercased(),
      conversation.id)
    conversation.stored.name = shown
    try store.touchPeople()
  }

  func topic(of room: String, _ text: String, by speaker: NetworkUser?) throws {
    let conversation = try batchConversation(.room(room))
    if conversation.stored.topic.utf8.elementsEqual(text.utf8) { return }
    try database.run("UPDATE conversation SET topic = ? WHERE id = ?", text, conversation.id)
    conversation.stored.topic = text
    // The topic at the owner's arrival is not a change.
    guard conversation.isLive, !outline.joining.contains(room), let speaker else {
      return try store.touchPeople()
    }
    let who = speaker.isOwner ? owner.id : try person(speaker, in: .room(room)).id
    try store.record(.topic, in: conversation.id, by: who, text: text)
  }

  // MARK: Occupants

  func present(
    _ speaker: NetworkUser, in room: String, away: String?, rank: String, arrival: Remark
  ) throws {
    if speaker.isOwner { return }
    let conversation = try batchConversation(.room(room))
    let person = try person(speaker, in: .room(room), isCurrent: true)
    try setOnline(true, person, speaker, in: .room(room))
    try setAway(away, person.id)
    let isNew = try beginMembership(of: person.id, in: conversation)
    if !rank.isEmpty { try setRank(of: person.id, in: conversation, rank) }
    guard isNew else { return }
    if conversation.isLive, !outline.joining.contains(room) {
      try store.record(.joined, in: conversation.id, by: person.id, text: arrival)
    }
  }

  func setRank(of speaker: NetworkUser, in room: String, _ rank: String) throws {
    guard let conversation = try known(.room(room)),
      let person = try speakerID(speaker, in: conversation)
    else { return }
    try setRank(of: person, in: conversation, rank)
  }

  func moderated(
    _ sentence: Remark, in room: String, by speaker: NetworkUser?, isAboutOwner: Bool
  ) throws {
    guard let conversation = try known(.room(room)), conversation.isLive else { return }
    let who = try speaker.map { try person($0, in: .room(room)).id } ?? owner.id
    try store.record(
      .moderated, in: conversation.id, by: who, other: isAboutOwner ? owner.id : nil,
      text: sentence)
  }

  private func setRank(
    of person: ID<Participant>, in conversation: BatchConversation, _ rank: String
  ) throws {
    try database.run(
      """
      UPDATE membership SET rank = ?3
      WHERE conversation = ?1 AND participant = ?2 AND last IS NULL AND rank <> ?3
      """, conversation.id, person, rank)
    if database.changedRows > 0 { try store.touchPeople() }
  }

  func absent(_ speaker: NetworkUser, in room: String, removal: Remark?) throws {
    guard !speaker.isOwner, let conversation = try known(.room(room)),
      let person = try person(speaker, knownIn: .room(room))
    else { return }
    let wasThere = try endMembership(of: person.id, in: conversation)
    if hasOccupants {
      try setOnline(false, person, speaker, in: .room(room))
    } else if try !isInARoom(person.id), try !isContact(person.id) {
      // They may be online in rooms where the owner is not.
      try setOnline(nil, person, speaker, in: .room(room))
    }
    guard wasThere else { return }
    try store.endTyping(of: person.id, in: conversation.id)
    if conversation.isLive, !outline.joining.contains(room) {
      try store.record(.left, in: conversation.id, by: person.id, text: removal ?? "")
    }
  }

  func renamed(_ speaker: NetworkUser, in room: String, from former: String) throws {
    let conversation = try batchConversation(.room(room))
    if speaker.isOwner {
      try database.run(
        "UPDATE conversation SET nick = ? WHERE id = ? AND nick IS NOT NULL", speaker.name,
        conversation.id)
      return try store.touchPeople()
    }
    if let known = try person(speaker, knownIn: .room(room)),
      try store.isMember(known.id, of: conversation.id)
    {
      if known.participant.name.utf8.elementsEqual(speaker.name.utf8) { return }
    } else {
      // The person is known only by a nickname, so this may be somebody else.
      let gone = NetworkUser(identity: former)
      if let known = try person(gone, knownIn: .room(room)) {
        try setOnline(false, known, gone, in: .room(room))
        _ = try endMembership(of: known.id, in: conversation)
      }
    }
    let person = try person(speaker, in: .room(room), isCurrent: true)
    try setOnline(true, person, speaker, in: .room(room))
    _ = try beginMembership(of: person.id, in: conversation)
    if conversation.isLive {
      try store.record(.renamed, in: conversation.id, by: person.id, text: former)
    }
  }

  /// Whether somebody is in a room where the owner is, too.
  func isInARoom(_ person: ID<Participant>) throws -> Bool {
    try !liveRooms(of: person).isEmpty
  }

  private func isContact(_ person: ID<Participant>) throws -> Bool {
    try database.exists("SELECT 1 FROM participant WHERE id = ? AND contact <> 0", person)
  }

  private func liveRooms(of person: ID<Participant>) throws -> [ConversationAddress] {
    try database.rows(
      """
      SELECT c.address FROM membership s JOIN conversation c ON c.id = s.conversation
      WHERE s.participant = ? AND s.last IS NULL AND c.kind = 0 AND c.live = 1 ORDER BY c.id
      """, person
    ) { .room($0.text()) }
  }

  /// The identity of somebody who is only known by a nick, where `other` is: behind a bouncer, an
  /// identity ends with the network.
  private func identity(ofNick nick: String, beside other: NetworkUser) -> String {
    let scope = other.identity.lastIndex(of: "/").map { other.identity[$0...] } ?? ""
    return account.rules.fold(nick) + scope
  }

  /// Handles a new name on a network whose people are the same everywhere.
  func renamed(_ speaker: NetworkUser, from former: String) throws {
    if speaker.isOwner { return }
    if speaker.name.utf8.elementsEqual(former.utf8) { return try identified(speaker) }
    let known = try person(known: account.rules.fold(former))
    let current = try person(known: speaker.identity)
    // Someone else may have the old name by now.
    guard let person = current?.participant.name == former ? current : known ?? current else {
      return
    }
    let rooms = try liveRooms(of: person.id).compactMap { try self.known($0) }
    // Behind a bouncer, `former` ends with the network.
    let name = person.participant.name
    if current == nil {
      try move(person, to: speaker)
    } else if let current, current.id != person.id {
      // Both names have messages. They stay separate, since nobody knows whether it was one person.
      let former = person.participant.identity
      try setOnline(false, person, NetworkUser(identity: former), in: .direct(former))
      for room in rooms { try endMembership(of: person.id, in: room) }
    }
    let there = try self.person(speaker, in: .direct(speaker.identity), isCurrent: true)
    try setOnline(true, there, speaker, in: .direct(speaker.identity))
    for room in rooms {
      _ = try beginMembership(of: there.id, in: room)
      try store.record(.renamed, in: room.id, by: there.id, text: name)
    }
  }

  /// Handles a new identity of somebody whose name stays, as when they log in to an account or out
  /// of it. Nobody joins or leaves, so nothing is recorded.
  private func identified(_ speaker: NetworkUser) throws {
    let nickname = identity(ofNick: speaker.name, beside: speaker)
    let there = try present(named: speaker.name, besides: speaker)
    guard let former = try there ?? person(known: nickname),
      former.participant.identity != speaker.identity
    else { return }
    let rooms = try liveRooms(of: former.id).compactMap { try self.known($0) }
    let identity = former.participant.identity
    if try identity == nickname && speaker.isVerified && person(known: speaker.identity) == nil {
      try move(former, to: speaker)
    } else {
      // Somebody else may use the name without the account, or the account under another name.
      try setOnline(false, former, NetworkUser(identity: identity), in: .direct(identity))
      for room in rooms { try endMembership(of: former.id, in: room) }
    }
    let person = try person(speaker, in: .direct(speaker.identity), isCurrent: true)
    try setOnline(true, person, speaker, in: .direct(speaker.identity))
    for room in rooms { _ = try beginMembership(of: person.id, in: room) }
  }

  /// Somebody else in a room that the owner is in now, by name.
  private func present(named name: String, besides speaker: NetworkUser) throws -> Person? {
    let identity = try database.first(
      """
      SELECT p.identity FROM participant p
      WHERE p.name = ? AND p.network = ? AND p.identity <> ? AND EXISTS (
        SELECT 1 FROM membership s JOIN conversation c ON c.id = s.conversation
        WHERE s.participant = p.id AND s.last IS NULL AND c.kind = 0 AND c.live = 1)
      """, name, network, speaker.identity
    ) { $0.text() }
    return try identity.flatMap { try person(known: $0) }
  }

  /// Gives everyone on a network a single stay in a room, from their first arrival: nobody keeps a
  /// history of how often they join and leave.
  ///
  /// - Returns: whether they were not in the room before.
  private func beginMembership(
    of person: ID<Participant>, in conversation: BatchConversation
  ) throws -> Bool {
    switch try store.stay(of: person, in: conversation.id) {
    case .now: return false
    case .before:
      // An import, or the owner's joining and leaving, may have created several.
      try database.run(
        """
        UPDATE membership SET last = NULL WHERE conversation = ?1 AND participant = ?2 AND first = (
          SELECT max(first) FROM membership WHERE conversation = ?1 AND participant = ?2)
        """, conversation.id, person)
    case .never:
      try database.run(
        "INSERT INTO membership(conversation, participant, first, joined) VALUES (?, ?, ?, ?)",
        conversation.id, person, conversation.stored.lastNumber + 1, now)
    }
    try store.touchPeople()
    return true
  }

  /// - Returns: whether they were in the room.
  @discardableResult
  private func endMembership(
    of person: ID<Participant>, in conversation: BatchConversation
  ) throws -> Bool {
    try database.run(
      "UPDATE membership SET last = ? WHERE conversation = ? AND participant = ? AND last IS NULL",
      conversation.stored.lastNumber, conversation.id, person)
    if database.changedRows == 0 { return false }
    try store.touchPeople()
    return true
  }

  // MARK: Anywhere

  func contact(_ speaker: NetworkUser, isOnline: Bool?, away: String?) throws {
    if speaker.isOwner || speaker.identity.isEmpty { return }
    let conversation = ConversationAddress.direct(speaker.identity)
    let person = try person(speaker, in: conversation, isCurrent: true)
    try setOnline(isOnline, person, speaker, in: conversation)
    try setAway(away, person.id)
    try database.run(
      "UPDATE participant SET contact = 1 WHERE id = ? AND contact = 0", person.id)
    if database.changedRows > 0 { try store.touchPeople() }
    try openChat(withFormerStranger: speaker.identity)
  }

  private func setAway(_ word: String?, _ person: ID<Participant>) throws {
    try database.run(
      "UPDATE participant SET away = ?2 WHERE id = ?1 AND away IS NOT ?2", person, word)
    if database.changedRows > 0 { try store.touchPeople() }
  }

  func applyContactRemoved(_ speaker: NetworkUser) throws {
    let conversation = ConversationAddress.direct(speaker.identity)
    guard let person = try person(speaker, knownIn: conversation) else { return }
    try setOnline(nil, person, speaker, in: conversation)
    try database.run(
      "UPDATE participant SET contact = 0, away = NULL WHERE id = ?", person.id)
    try store.touchPeople()
  }
}
