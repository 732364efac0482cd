// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Sentences

/// The people of rooms and the owner's contacts: who is there, under which name.
struct Attendance {
  let book: AddressBook
  let outline: BatchOutline

  // MARK: Occupants

  func applyArrival(
    _ speaker: NetworkUser, in room: String, away: String?, rank: String, arrival: Remark
  ) throws {
    if speaker.isOwner { return }
    let conversation = try book.conversation(.room(room))
    let person = try book.person(speaker, in: .room(room), isCurrent: true)
    try book.setOnline(true, person)
    try setAway(away, person.id)
    let isNew = try beginMembership(of: person.id, in: conversation)
    if !rank.isEmpty { try setRank(of: person.id, in: conversation, rank) }
    guard isNew else { return }
    if conversation.isLive, !outline.joining.contains(room) {
      try book.store.record(.joined, in: conversation.id, by: person.id, text: arrival)
    }
  }

  func setRank(of speaker: NetworkUser, in room: String, _ rank: String) throws {
    guard let conversation = try book.known(.room(room)),
      let person = try book.speakerID(speaker, in: conversation)
    else { return }
    try setRank(of: person, in: conversation, rank)
  }

  func applyModeration(
    _ sentence: Remark, in room: String, by speaker: NetworkUser?, isAboutOwner: Bool
  ) throws {
    guard let conversation = try book.known(.room(room)), conversation.isLive else { return }
    let who = try speaker.map { try book.person($0, in: .room(room)).id } ?? book.owner.id
    try book.store.record(
      .moderated, in: conversation.id, by: who, other: isAboutOwner ? book.owner.id : nil,
      text: sentence)
  }

  private func setRank(
    of person: ID<Participant>, in conversation: BatchConversation, _ rank: String
  ) throws {
    try book.database.run(
      """
      UPDATE membership SET rank = ?3
      WHERE conversation = ?1 AND participant = ?2 AND last IS NULL AND rank <> ?3
      """, conversation.id, person, rank)
    if book.database.changedRows > 0 { try book.store.touchPeople() }
  }

  func applyAbsence(_ speaker: NetworkUser, in room: String, removal: Remark?) throws {
    guard !speaker.isOwner, let conversation = try book.known(.room(room)),
      let person = try book.person(speaker, knownIn: .room(room))
    else { return }
    let wasThere = try endMembership(of: person.id, in: conversation)
    if book.hasOccupants {
      try book.setOnline(false, person)
    } else if try !book.isInARoom(person.id), try !book.isContact(person.id) {
      // They may be online in rooms where the owner is not.
      try book.setOnline(nil, person)
    }
    guard wasThere else { return }
    try book.store.endTyping(of: person.id, in: conversation.id)
    if conversation.isLive, !outline.joining.contains(room) {
      try book.store.record(.left, in: conversation.id, by: person.id, text: removal ?? "")
    }
  }

  func applyRename(_ speaker: NetworkUser, in room: String, from former: String) throws {
    let conversation = try book.conversation(.room(room))
    if speaker.isOwner {
      try book.database.run(
        "UPDATE conversation SET nick = ? WHERE id = ? AND nick IS NOT NULL", speaker.name,
        conversation.id)
      return try book.store.touchPeople()
    }
    if let known = try book.person(speaker, knownIn: .room(room)),
      try book.store.isMember(known.id, of: conversation.id)
    {
      if known.participant.name.utf8.elementsEqual(speaker.name.utf8) { return }
    } else {
      // The person is known only by a nickname, so this may be somebody else.
      let gone = NetworkUser(identity: former)
      if let known = try book.person(gone, knownIn: .room(room)) {
        try book.setOnline(false, known)
        _ = try endMembership(of: known.id, in: conversation)
      }
    }
    let person = try book.person(speaker, in: .room(room), isCurrent: true)
    try book.setOnline(true, person)
    _ = try beginMembership(of: person.id, in: conversation)
    if conversation.isLive {
      try book.store.record(.renamed, in: conversation.id, by: person.id, text: former)
    }
  }

  /// The identity of somebody who is only known by a nick, where `other` is: behind a bouncer, an
  /// identity ends with the network.
  private func identity(ofNick nick: String, beside other: NetworkUser) -> String {
    let scope = other.identity.lastIndex(of: "/").map { other.identity[$0...] } ?? ""
    return book.account.rules.fold(nick) + scope
  }

  /// Handles a new name on a network whose people are the same everywhere.
  func applyRename(_ speaker: NetworkUser, from former: String) throws {
    if speaker.isOwner { return }
    if speaker.name.utf8.elementsEqual(former.utf8) { return try identified(speaker) }
    let known = try book.person(known: book.account.rules.fold(former))
    let current = try book.person(known: speaker.identity)
    // Someone else may have the old name by now.
    guard let person = current?.participant.name == former ? current : known ?? current else {
      return
    }
    let rooms = try book.liveRooms(of: person.id).compactMap { try book.known($0) }
    // Behind a bouncer, `former` ends with the network.
    let name = person.participant.name
    if current == nil {
      try book.move(person, to: speaker)
    } else if let current, current.id != person.id {
      // Both names have messages. They stay separate, since nobody knows whether it was one person.
      try book.setOnline(false, person)
      for room in rooms { try endMembership(of: person.id, in: room) }
    }
    let there = try book.person(speaker, in: .direct(speaker.identity), isCurrent: true)
    try book.setOnline(true, there)
    for room in rooms {
      _ = try beginMembership(of: there.id, in: room)
      try book.store.record(.renamed, in: room.id, by: there.id, text: name)
    }
  }

  /// Handles a new identity of somebody whose name stays, as when they log in to an account or out
  /// of it. Nobody joins or leaves, so nothing is recorded.
  private func identified(_ speaker: NetworkUser) throws {
    let nickname = identity(ofNick: speaker.name, beside: speaker)
    let there = try someone(named: speaker.name, besides: speaker)
    guard let former = try there ?? book.person(known: nickname),
      former.participant.identity != speaker.identity
    else { return }
    let rooms = try book.liveRooms(of: former.id).compactMap { try book.known($0) }
    let identity = former.participant.identity
    if try identity == nickname && speaker.isVerified && book.person(known: speaker.identity) == nil
    {
      try book.move(former, to: speaker)
    } else {
      // Somebody else may use the name without the account, or the account under another name.
      try book.setOnline(false, former)
      for room in rooms { try endMembership(of: former.id, in: room) }
    }
    let person = try book.person(speaker, in: .direct(speaker.identity), isCurrent: true)
    try book.setOnline(true, person)
    for room in rooms { _ = try beginMembership(of: person.id, in: room) }
  }

  /// Somebody else in a room that the owner is in now, by name.
  private func someone(named name: String, besides speaker: NetworkUser) throws -> AddressBook
    .Person?
  {
    let identity = try book.database.first(
      """
      SELECT p.identity FROM participant p
      WHERE p.name = ? AND p.network = ? AND p.identity <> ? AND EXISTS (
        SELECT 1 FROM membership s JOIN conversation c ON c.id = s.conversation
        WHERE s.participant = p.id AND s.last IS NULL AND c.kind = 0 AND c.live = 1)
      """, name, book.network, speaker.identity
    ) { $0.text() }
    return try identity.flatMap { try book.person(known: $0) }
  }

  /// Gives everyone on a network a single stay in a room, from their first arrival: nobody keeps a
  /// history of how often they join and leave.
  ///
  /// - Returns: whether they were not in the room before.
  private func beginMembership(
    of person: ID<Participant>, in conversation: BatchConversation
  ) throws -> Bool {
    switch try book.store.stay(of: person, in: conversation.id) {
    case .now: return false
    case .before:
      // An import, or the owner's joining and leaving, may have created several.
      try book.database.run(
        """
        UPDATE membership SET last = NULL WHERE conversation = ?1 AND participant = ?2 AND first = (
          SELECT max(first) FROM membership WHERE conversation = ?1 AND participant = ?2)
        """, conversation.id, person)
    case .never:
      try book.database.run(
        "INSERT INTO membership(conversation, participant, first, joined) VALUES (?, ?, ?, ?)",
        conversation.id, person, conversation.stored.lastNumber + 1, book.now)
    }
    try book.store.touchPeople()
    return true
  }

  /// - Returns: whether they were in the room.
  @discardableResult
  func endMembership(
    of person: ID<Participant>, in conversation: BatchConversation
  ) throws -> Bool {
    try book.database.run(
      "UPDATE membership SET last = ? WHERE conversation = ? AND participant = ? AND last IS NULL",
      conversation.stored.lastNumber, conversation.id, person)
    if book.database.changedRows == 0 { return false }
    try book.store.touchPeople()
    return true
  }

  // MARK: Anywhere

  func applyContact(_ speaker: NetworkUser, isOnline: Bool?, away: String?) throws {
    if speaker.isOwner || speaker.identity.isEmpty { return }
    let conversation = ConversationAddress.direct(speaker.identity)
    let person = try book.person(speaker, in: conversation, isCurrent: true)
    try book.setOnline(isOnline, person)
    try setAway(away, person.id)
    try book.database.run(
      "UPDATE participant SET contact = 1 WHERE id = ? AND contact = 0", person.id)
    if book.database.changedRows > 0 { try book.store.touchPeople() }
    try Strangers(book: book).openChat(withFormerStranger: speaker.identity)
  }

  private func setAway(_ word: String?, _ person: ID<Participant>) throws {
    try book.database.run(
      "UPDATE participant SET away = ?2 WHERE id = ?1 AND away IS NOT ?2", person, word)
    if book.database.changedRows > 0 { try book.store.touchPeople() }
  }

  func applyContactRemoved(_ speaker: NetworkUser) throws {
    let conversation = ConversationAddress.direct(speaker.identity)
    guard let person = try book.person(speaker, knownIn: conversation) else { return }
    try book.setOnline(nil, person)
    try book.database.run("UPDATE participant SET contact = 0, away = NULL WHERE id = ?", person.id)
    try book.store.touchPeople()
  }
}
