// SPDX-License-Identifier: GPL-3.0-or-later

extension Access {
  // MARK: Rooms of this machine (rule 13.10)

  /// Who made a room of this machine; if nobody recorded it, its first member.
  package func maker(of room: ID<Conversation>) throws -> ID<Participant>? {
    try database.first(
      """
      SELECT ifnull(c.maker, (SELECT s.participant FROM membership s WHERE s.conversation = c.id
        ORDER BY s.first, s.joined LIMIT 1)) FROM conversation c WHERE c.id = ?
      """, room
    ) { $0.optionalInt64().map { ID(rawValue: $0) } } ?? nil
  }

  /// A room's name after a renaming. Events store the old name, so the new one is in the next such
  /// event or, if there is none, it is the room's current name.
  ///
  /// - Returns: nil for any other event.
  package func newName(after event: Event) throws -> String? {
    guard event.kind == .roomRenamed else { return nil }
    return try database.first(
      """
      SELECT coalesce(
        (SELECT text FROM event WHERE conversation = ?1 AND at > ?2
          AND kind IN (\(Event.Kind.roomRenamed.rawValue), \(Event.Kind.roomRemoved.rawValue))
          ORDER BY at, id LIMIT 1),
        (SELECT name FROM conversation WHERE id = ?1)) AS name
      """, event.conversation, event.at
    ) { $0.text("name") }
  }

  /// Checks that a person made a room, as only its maker may rename or remove it.
  ///
  /// - Throws: as `remove`.
  package func requireMaker(of room: ID<Conversation>, _ me: ID<Participant>) throws {
    _ = try roomThatIMade(room, me)
  }

  fileprivate func roomThatIMade(
    _ room: ID<Conversation>, _ me: ID<Participant>
  ) throws -> Conversation {
    let conversation = try ownRoom(room, of: me)
    guard let maker = try maker(of: room), maker == me else {
      let name = try maker(of: room).map { try participant($0).name }
      throw RuleError.notTheMaker(conversation.name, maker: name ?? "")
    }
    return conversation
  }

  fileprivate func ownRoom(
    _ room: ID<Conversation>, of me: ID<Participant>
  ) throws -> Conversation {
    let conversation = try conversation(existing: room, for: me)
    guard conversation.kind == .room, conversation.network == nil, !conversation.isRemoved else {
      throw RuleError.onlyInRooms(conversation.name)
    }
    guard try isMember(me, of: room) else { throw RuleError.notAMember(conversation.name) }
    return conversation
  }

  /// The events of a conversation after one change of the store and up to another, in that order.
  package func events(
    in conversation: ID<Conversation>, after start: Int64, upTo end: Int64
  ) throws -> [NumberedEvent] {
    try database.rows(
      Event.select + "WHERE e.id > ? AND e.id <= ? AND +e.conversation = ? ORDER BY e.id",
      start, end, conversation, read: { NumberedEvent($0) }
    ).compactMap { $0 }
  }

  /// The events of a conversation, by time, from a moment on or after one of them.
  ///
  /// - Parameter end: exclusive.
  package func events(
    in conversation: ID<Conversation>, from start: Milliseconds, behind last: NumberedEvent?,
    until end: Milliseconds, limit: Int
  ) throws -> [NumberedEvent] {
    let from = last.map { ($0.event.at, $0.id) } ?? (start, .min)
    return try database.rows(
      Event.select
        + """
        WHERE e.conversation = ? AND (e.at, e.id) > (?, ?) AND e.at < ?
          AND e.kind IN (\(Event.kinds))
          AND +e.at BETWEEN \(Message.times.lowerBound) AND \(Message.times.upperBound)
        ORDER BY e.at, e.id LIMIT ?
        """, conversation, from.0, from.1, end, limit, read: { NumberedEvent($0) }
    ).compactMap { $0 }
  }

  /// When someone last wrote in a conversation; nil if they never did.
  package func lastSpoke(
    _ person: ID<Participant>, in conversation: ID<Conversation>
  ) throws -> Milliseconds? {
    try database.first(
      """
      SELECT created_at FROM message WHERE sender = ? AND conversation = ? AND brought < 2
      ORDER BY number DESC LIMIT 1
      """, person, conversation
    ) { $0.time("created_at") }
  }

  /// Whether a conversation has more than `count` members.
  package func hasMoreMembers(than count: Int, in conversation: ID<Conversation>) throws -> Bool {
    try database.exists(
      "SELECT 1 FROM membership WHERE conversation = ? AND last IS NULL LIMIT 1 OFFSET ?",
      conversation,
      count)
  }
}

extension Access where Mode: MayWrite {
  /// - Parameter time: when it happened; nil for now.
  package func record(
    _ kind: Event.Kind, in conversation: ID<Conversation>, by me: ID<Participant>,
    other: ID<Participant>? = nil, text: any Bindable = "", at time: Milliseconds? = nil
  ) throws {
    try database.run(
      """
      INSERT INTO event(id, conversation, participant, other, kind, text, at)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """, try nextChange(), conversation, me, other, kind.rawValue, text, time ?? clock())
  }
}

extension DurableTransaction {
  /// Changes the shown name, and tells those in their conversations (rule 13.5); the identity stays
  /// (rule 11.1).
  ///
  /// - Throws: `RuleError.badName`, or `.nameTaken` if it is another's name or identity.
  public func rename(_ me: ID<Participant>, to name: String) throws -> Participant {
    try savepoint {
      _ = try Naming.checked(name)
      var participant = try participant(me)
      // Compare byte by byte: another spelling of the same characters is a change.
      if participant.name.utf8.elementsEqual(name.utf8) { return participant }
      let isTaken = try participants(named: name, visibleTo: nil).contains {
        $0.id != me && (Naming.same($0.name, name) || Naming.same($0.identity, name))
      }
      if isTaken { throw RuleError.nameTaken(name) }
      // On a network they have another name.
      for conversation in try joined(by: me)
      where try conversationAddress(of: conversation) == nil {
        try record(.renamed, in: conversation, by: me, text: participant.name)
      }
      try setName(of: me, to: name)
      participant.name = name
      return participant
    }
  }

  /// Gives a room of this machine another topic; an empty one removes it. The same topic again
  /// changes nothing.
  ///
  /// - Throws: `RuleError.onlyInRooms` for a direct chat and for a room on a network,
  ///   `.notAMember`, `.noSuchRoom`; `StoreError`.
  public func setTopic(
    _ topic: String, of room: ID<Conversation>, by me: ID<Participant>
  ) throws {
    try savepoint {
      let conversation = try ownRoom(room, of: me)
      if conversation.topic.utf8.elementsEqual(topic.utf8) { return }
      try database.run("UPDATE conversation SET topic = ? WHERE id = ?", topic, room)
      try record(.topic, in: room, by: me, other: nil, text: topic)
    }
  }

  /// Adds somebody of this machine to a room of this machine: the room appears in their list, and
  /// they receive later messages.
  ///
  /// - Returns: false if they are in it already.
  /// - Throws: as `setTopic`; `RuleError.noSuchParticipant` for somebody on a network.
  @discardableResult
  public func inviteToRoom(
    _ other: ID<Participant>, to room: ID<Conversation>, by me: ID<Participant>
  ) throws -> Bool {
    try savepoint {
      _ = try ownRoom(room, of: me)
      let person = try participant(other)
      guard person.network == nil else { throw RuleError.noSuchParticipant(person.name) }
      if try isMember(other, of: room) { return false }
      try enter(other, room)
      try record(.invitation, in: room, by: me, other: other, text: "")
      return true
    }
  }

  /// Renames a room of this machine.
  ///
  /// - Throws: as `setTopic`; `RuleError.notTheMaker`, `.badName`, `.addressOfARoom`, `.nameTaken`.
  public func rename(
    _ room: ID<Conversation>, to name: String, by me: ID<Participant>
  ) throws {
    try savepoint {
      let bare = try Naming.checkedRoomHere(Naming.bare(name))
      let conversation = try roomThatIMade(room, me)
      let new = "#" + bare
      if conversation.name.utf8.elementsEqual(new.utf8) { return }
      let isTaken = try rooms(includingUnlisted: true).contains {
        $0.id != room && $0.network == nil && Naming.same($0.name, new)
      }
      if try isTaken || belongsToARemovedRoom(bare) { throw RuleError.nameTaken(new) }
      try database.run(
        "UPDATE conversation SET name = ?, folded = ? WHERE id = ?", new, new.lowercased(), room)
      try touchPeople()
      try record(.roomRenamed, in: room, by: me, text: conversation.name)
    }
  }

  /// Removes a room of this machine: everybody leaves it, and its name is free. Its messages stay,
  /// under `#tea.removed`.
  ///
  /// - Throws: as `setTopic`; `RuleError.notTheMaker`.
  public func remove(_ room: ID<Conversation>, by me: ID<Participant>) throws {
    try savepoint {
      let conversation = try roomThatIMade(room, me)
      try record(.roomRemoved, in: room, by: me, text: conversation.name)
      // A number beyond the newest message distinguishes them from people who left earlier.
      try database.run(
        """
        UPDATE membership SET last = (SELECT last_number + 1 FROM conversation WHERE id = ?1)
        WHERE conversation = ?1 AND last IS NULL
        """, room)
      var (name, next) = (conversation.name + Conversation.removedSuffix, 2)
      while try database.exists(
        "SELECT 1 FROM conversation WHERE kind <> 1 AND folded = ? AND network = ''",
        name.lowercased())
      {
        name = "\(conversation.name)\(Conversation.removedSuffix)-\(next)"
        next += 1
      }
      try database.run(
        "UPDATE conversation SET kind = \(Conversation.removed), name = ?, folded = ? WHERE id = ?",
        name,
        name.lowercased(), room)
      try touchPeople()
    }
  }
}

extension Event {
  fileprivate static let kinds = Kind.allCases.map { String($0.rawValue) }
    .joined(separator: ", ")

  static let select = """
    SELECT e.id, e.conversation, e.kind, e.text, e.at, \(Participant.columns(in: "e.conversation")),
      \(Participant.Columns.other.select(from: "o", name: Participant.name(of: "o", in: "e.conversation")))
    FROM event e JOIN participant p ON p.id = e.participant
    LEFT JOIN participant o ON o.id = e.other

    """

  /// Nil for an event that only a later version knows.
  init?(_ row: Row) {
    guard let kind = Kind(rawValue: row.int("kind")) else { return nil }
    self.init(
      conversation: row.id("conversation"), participant: Participant(row),
      other: row.isNull("other") ? nil : Participant(row, .other), kind: kind,
      text: kind.hasRemark ? "" : row.text("text"), at: row.time("at"),
      remark: kind.hasRemark ? row.remark("text") : "")
  }
}

/// An event and its number in the store: from the counter of all changes, and negative for imported
/// ones.
package struct NumberedEvent {
  package var id: Int64
  package var event: Event

  fileprivate init?(_ row: Row) {
    guard let event = Event(row) else { return nil }
    (id, self.event) = (row.int64("id"), event)
  }
}
