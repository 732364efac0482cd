// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// Presence on a network, and what people do beside writing.
extension IncomingBatch {
  // MARK: The owner

  func joined(_ room: String, as nick: String) throws {
    let place = try place(.room(room))
    let isNick = try database.exists(
      "SELECT 1 FROM conversation WHERE id = ? AND nick = ?", place.id, nick)
    try database.run("UPDATE conversation SET nick = ?, live = 1 WHERE id = ?", nick, place.id)
    if !isNick { try store.touchPeople() }
    place.isLive = true
    // People who left while hobnob was offline are no longer members.
    if !hasOccupants { try endStays(besides: namedPeople[room] ?? [], in: place) }
    try database.run(
      """
      UPDATE membership SET last = (SELECT last_number FROM conversation WHERE id = ?1)
      WHERE conversation = ?1 AND last IS NULL AND participant <> ?2 AND participant IN (
        SELECT id FROM participant WHERE network <> '' AND ifnull(online, 0) = 0)
      """, place.id, owner.id)
    if database.changedRows > 0 { try store.touchPeople() }
    try forgetOldComings(in: place)
    try store.enter(owner.id, place.id)
  }

  /// Where people are the same everywhere, those who are online may be in another room only.
  private func endStays(besides identities: Set<String>, in place: Place) throws {
    let members = try store.members(of: place.id)
    for member in members where member.network != nil && !identities.contains(member.identity) {
      try endStay(of: member.id, in: place)
    }
  }

  /// A large room has more joins and leaves in a year than messages.
  private func forgetOldComings(in place: Place) throws {
    let week: Milliseconds = 7 * 24 * 3_600_000
    try database.run(
      "DELETE FROM event WHERE conversation = ? AND at < ? AND kind IN (2, 3, 4)", place.id,
      now - week)
  }

  func left(_ room: String, _ reason: String?) throws {
    guard let place = try known(.room(room)) else { return }
    let wasInside = try database.exists(
      "SELECT 1 FROM conversation WHERE id = ? AND nick IS NOT NULL", place.id)
    try database.run(
      "UPDATE conversation SET nick = NULL, live = 0 WHERE id = ?", place.id)
    place.isLive = false
    guard try store.isInside(owner.id, of: place.id) else { return }
    try endStay(of: owner.id, in: place)
    if !wasInside {
      // They keep seeing the messages from their stay.
      try database.run(
        "DELETE FROM membership WHERE conversation = ? AND participant = ? AND last < first",
        place.id, owner.id)
      return
    }
    try store.record(.left, in: place.id, by: owner.id, text: reason ?? "")
    // Someone who left by themselves knows it.
    if let reason { try store.tell(reason, account) }
  }

  /// Records how far an archive was read.
  func caughtUp(_ archive: String, _ mark: String) throws {
    try database.run(
      "INSERT OR REPLACE INTO archive_mark(network, archive, mark) VALUES (?, ?, ?)", network,
      archive, mark)
    if let count = past.removeValue(forKey: .room(archive)) {
      try tell(count, earlierIn: archive)
    }
  }

  func toldHistory(_ room: String) throws {
    guard let place = try known(.room(room)) else { return }
    let count = try database.first(
      "SELECT count(*) FROM message WHERE conversation = ? AND brought = 2", place.id
    ) { $0.int() }
    if let count, count > 0 { try tell(count, earlierIn: room) }
  }

  /// Tells the owner who has just joined a room that the store has earlier messages.
  private func tell(_ count: Int, earlierIn room: String) throws {
    guard let place = try known(.room(room)),
      try database.exists(
        "SELECT 1 FROM shell WHERE participant = ? AND conversation = ?", owner.id, place.id)
    else { return }
    let name = place.conversation.name
    try store.tell(
      count == 1
        ? "\(name) has one earlier message; /history shows it."
        : "\(name) has \(count) earlier messages; /history shows them.", account)
  }

  func lost(_ room: String, _ reason: String) throws {
    guard let place = try known(.room(room)) else { return }
    try database.run("UPDATE conversation SET live = 0 WHERE id = ?", place.id)
    place.isLive = false
    try store.tell(reason, account)
  }

  // MARK: Rooms

  func applyRoomName(_ room: String, _ name: String) throws {
    let place = try place(.room(room))
    let words = name.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let name = account.rules.shown(room: String(words.prefix(Naming.longestRoom)))
    // Compares bytes, and the room's own name: hobnob may show another.
    let isCalledSo = try database.exists(
      "SELECT 1 FROM conversation WHERE id = ? AND name = ?", place.id, name)
    if name == "#" || isCalledSo { return }
    try database.run(
      "UPDATE conversation SET name = '', folded = '' WHERE id = ?", place.id)
    let shown = try free(name: name)
    try database.run(
      "UPDATE conversation SET name = ?, folded = ? WHERE id = ?", shown, shown.lowercased(),
      place.id)
    place.conversation.name = shown
    try store.touchPeople()
  }

  func topic(of room: String, _ text: String, by speaker: NetworkUser?) throws {
    let place = try place(.room(room))
    if place.conversation.topic.utf8.elementsEqual(text.utf8) { return }
    try database.run("UPDATE conversation SET topic = ? WHERE id = ?", text, place.id)
    place.conversation.topic = text
    // The topic at the owner's arrival is not a change.
    guard place.isLive, !joining.contains(room), let speaker else { return try store.touchPeople() }
    let who = speaker.isOwner ? owner.id : try person(speaker, in: .room(room)).id
    try store.record(.topic, in: place.id, by: who, text: text)
  }

  // MARK: Occupants

  func present(_ speaker: NetworkUser, in room: String, away: String?) throws {
    if speaker.isOwner { return }
    let place = try place(.room(room))
    let person = try person(speaker, in: .room(room), isNews: true)
    try setOnline(true, person, speaker, in: .room(room))
    try setAway(away, person.id)
    guard try beginStay(of: person.id, in: place) else { return }
    if place.isLive, !joining.contains(room) {
      try store.record(.joined, in: place.id, by: person.id)
    }
  }

  func absent(_ speaker: NetworkUser, in room: String, removal: String?) throws {
    guard !speaker.isOwner, let place = try known(.room(room)),
      let person = try person(speaker, knownIn: .room(room))
    else { return }
    let wasThere = try endStay(of: person.id, in: place)
    if try hasOccupants || !isInARoom(person.id) {
      try setOnline(false, person, speaker, in: .room(room))
    }
    guard wasThere else { return }
    try store.endTyping(of: person.id, in: place.id)
    if place.isLive, !joining.contains(room) {
      try store.record(.left, in: place.id, by: person.id, text: removal ?? "")
    }
  }

  func renamed(_ speaker: NetworkUser, in room: String, from former: String) throws {
    let place = try place(.room(room))
    if speaker.isOwner {
      try database.run(
        "UPDATE conversation SET nick = ? WHERE id = ? AND nick IS NOT NULL", speaker.name, place.id
      )
      return
    }
    if let known = try person(speaker, knownIn: .room(room)),
      try store.isInside(known.id, of: place.id)
    {
      if known.participant.name.utf8.elementsEqual(speaker.name.utf8) { return }
    } else {
      // Known only by a nickname: may be a different person.
      let gone = NetworkUser(identity: former)
      if let known = try person(gone, knownIn: .room(room)) {
        try setOnline(false, known, gone, in: .room(room))
        _ = try endStay(of: known.id, in: place)
      }
    }
    let person = try person(speaker, in: .room(room), isNews: true)
    try setOnline(true, person, speaker, in: .room(room))
    _ = try beginStay(of: person.id, in: place)
    if place.isLive { try store.record(.renamed, in: place.id, by: person.id, text: former) }
  }

  /// Whether somebody is in a room that the owner is in now.
  private func isInARoom(_ person: ID<Participant>) throws -> Bool {
    try !liveRooms(of: person).isEmpty
  }

  private func liveRooms(of person: ID<Participant>) throws -> [NetworkPlace] {
    try database.rows(
      """
      SELECT c.address FROM membership s JOIN conversation c ON c.id = s.conversation
      WHERE s.participant = ? AND s.last IS NULL AND c.kind = 0 AND c.live = 1 ORDER BY c.id
      """, person
    ) { .room($0.text()) }
  }

  /// Handles a new name on a network whose people are the same everywhere.
  func renamed(_ speaker: NetworkUser, from former: String) throws {
    if speaker.isOwner {
      try database.run(
        "UPDATE conversation SET nick = ? WHERE network = ? AND nick IS NOT NULL", speaker.name,
        network)
      return try store.touchPeople()
    }
    let known = try person(known: account.rules.fold(former))
    let current = try person(known: speaker.identity)
    // Someone else may have the former name by now.
    guard let person = current?.participant.name == former ? current : known ?? current else {
      return
    }
    let rooms = try liveRooms(of: person.id).compactMap { try self.known($0) }
    if current == nil {
      try move(person, to: speaker)
    } else if let current, current.id != person.id {
      // Both names have messages. They stay apart, as nobody knows whether it was one person.
      let former = person.participant.identity
      try setOnline(false, person, NetworkUser(identity: former), in: .direct(former))
      for room in rooms { try endStay(of: person.id, in: room) }
    }
    let there = try self.person(speaker, in: .direct(speaker.identity), isNews: true)
    try setOnline(true, there, speaker, in: .direct(speaker.identity))
    for room in rooms {
      _ = try beginStay(of: there.id, in: room)
      try store.record(.renamed, in: room.id, by: there.id, text: former)
    }
  }

  /// Gives everyone on a network a single stay in a room, from their first arrival: nobody keeps a
  /// history of how often they join and leave.
  ///
  /// - Returns: whether they were not in it.
  private func beginStay(of person: ID<Participant>, in place: Place) throws -> Bool {
    switch try store.membership(of: person, in: place.id) {
    case .member: return false
    case .left, .removed:
      // An import, or the owner's joining and leaving, may have created several.
      try database.run(
        """
        UPDATE membership SET last = NULL WHERE conversation = ?1 AND participant = ?2 AND first = (
          SELECT max(first) FROM membership WHERE conversation = ?1 AND participant = ?2)
        """, place.id, person)
    case .never:
      try database.run(
        "INSERT INTO membership(conversation, participant, first, joined) VALUES (?, ?, ?, ?)",
        place.id, person, place.conversation.lastNumber + 1, now)
    }
    try store.touchPeople()
    return true
  }

  /// - Returns: whether they were in it.
  @discardableResult
  private func endStay(of person: ID<Participant>, in place: Place) throws -> Bool {
    try database.run(
      "UPDATE membership SET last = ? WHERE conversation = ? AND participant = ? AND last IS NULL",
      place.conversation.lastNumber, place.id, person)
    if database.changedRows == 0 { return false }
    try store.touchPeople()
    return true
  }

  // MARK: Anywhere

  func applyTyping(_ speaker: NetworkUser, in network: NetworkPlace, _ isTyping: Bool) throws {
    guard !speaker.isOwner, let place = try known(network),
      let person = try speakerID(speaker, in: place)
    else { return }
    if !isTyping { return try store.endTyping(of: person, in: place.id) }
    try store.beginTyping(of: person, in: place.id, by: ShellID(rawValue: self.network))
  }

  func contact(_ speaker: NetworkUser, isOnline: Bool?, away: String?) throws {
    if speaker.isOwner || speaker.identity.isEmpty { return }
    let place = NetworkPlace.direct(speaker.identity)
    let person = try person(speaker, in: place, isNews: true)
    try setOnline(isOnline, person, speaker, in: place)
    try setAway(away, person.id)
    try database.run(
      "UPDATE participant SET contact = 1 WHERE id = ? AND contact = 0", person.id)
    if database.changedRows > 0 { try store.touchPeople() }
    try isNoStranger(speaker)
  }

  private func setAway(_ word: String?, _ person: ID<Participant>) throws {
    try database.run(
      "UPDATE participant SET away = ?2 WHERE id = ?1 AND away IS NOT ?2", person, word)
    if database.changedRows > 0 { try store.touchPeople() }
  }

  func applyContactRemoved(_ speaker: NetworkUser) throws {
    let place = NetworkPlace.direct(speaker.identity)
    guard let person = try person(speaker, knownIn: place) else { return }
    try setOnline(nil, person, speaker, in: place)
    try database.run(
      "UPDATE participant SET contact = 0, away = NULL WHERE id = ?", person.id)
    try store.touchPeople()
  }
}
