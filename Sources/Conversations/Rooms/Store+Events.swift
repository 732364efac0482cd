// SPDX-License-Identifier: GPL-3.0-or-later

extension Store {
  /// Gives a room of this machine another topic; an empty one takes it away. The same again is no
  /// news.
  ///
  /// - Throws: `RuleError.onlyInRooms` for a direct chat and for a room on a network, `.notAMember`,
  ///   `.noSuchRoom`; `StoreError`.
  public func setTopic(
    _ topic: String, of room: ID<Conversation>, by me: ID<Participant>
  ) throws {
    try write(durable: true) {
      let place = try ownRoom(room, of: me)
      if place.topic.utf8.elementsEqual(topic.utf8) { return }
      try database.run("UPDATE conversation SET topic = ? WHERE id = ?", topic, room)
      try record(.topic, in: room, by: me, other: nil, text: topic)
    }
  }

  /// Brings somebody of this machine into a room of it: it is in their list from then on, and what
  /// is said there is for them.
  ///
  /// - Returns: false if they are in it already.
  /// - Throws: as `setTopic`; `RuleError.noSuchParticipant` for somebody on a network.
  @discardableResult
  public func invite(
    _ other: ID<Participant>, to room: ID<Conversation>, by me: ID<Participant>
  ) throws -> Bool {
    try write(durable: true) {
      _ = try ownRoom(room, of: me)
      let person = try participant(other)
      guard person.network == nil else { throw RuleError.noSuchParticipant(person.name) }
      if try isMember(other, of: room) { return false }
      try enter(other, room)
      try record(.invitation, in: room, by: me, other: other, text: "")
      return true
    }
  }

  private func ownRoom(
    _ room: ID<Conversation>, of me: ID<Participant>
  ) throws -> Conversation {
    let place = try required(room, for: me)
    guard place.kind == .room, place.network == nil else {
      throw RuleError.onlyInRooms(place.name)
    }
    guard try isMember(me, of: room) else { throw RuleError.notAMember(place.name) }
    return place
  }

  /// Part of a transaction.
  private func record(
    _ kind: Event.Kind, in place: ID<Conversation>, by me: ID<Participant>,
    other: ID<Participant>?, text: String
  ) throws {
    try database.run(
      """
      INSERT INTO event(id, conversation, participant, other, kind, text, at)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """, try nextChange(), place, me, other, kind.rawValue, text, clock())
  }

  /// What happened in my conversations, and what concerns me, between two positions.
  func events(
    after start: Int64, upTo end: Int64, for me: ID<Participant>
  ) throws -> [Event] {
    try database.rows(
      """
      SELECT e.conversation, e.kind, e.text, e.at, \(Store.participantColumns),
        \(PersonColumns.other.select(from: "o"))
      FROM event e JOIN participant p ON p.id = e.participant
      LEFT JOIN participant o ON o.id = e.other
      WHERE e.id > ?1 AND e.id <= ?2 AND EXISTS (
        SELECT 1 FROM membership s WHERE s.conversation = e.conversation AND s.participant = ?3
          AND s.last IS NULL)
      ORDER BY e.id
      """, start, end, me
    ) {
      Event(
        conversation: $0.id("conversation"), participant: Store.participant($0),
        other: $0.isNull("other") ? nil : Store.participant($0, .other),
        kind: Event.Kind(rawValue: $0.int("kind")) ?? .topic, text: $0.text("text"),
        at: $0.time("at"))
    }
  }
}
