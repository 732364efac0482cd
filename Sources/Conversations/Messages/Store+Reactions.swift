// SPDX-License-Identifier: GPL-3.0-or-later

extension Reading where Self: ~Copyable {
  /// The reactions to a message, in the order in which they were given.
  public func reactions(of message: ID<Message>) throws -> [Reaction] {
    try reactions(of: [message])[message] ?? []
  }

  /// The reactions to several messages at once; messages without any have no entry.
  public func reactions(of messages: [ID<Message>]) throws -> [ID<Message>: [Reaction]] {
    if messages.isEmpty { return [:] }
    let list = "[" + messages.map { String($0.rawValue) }.joined(separator: ",") + "]"
    let found = try database.rows(
      """
      SELECT r.message, \(Reaction.columnList(of: "r"))
      FROM json_each(?) wanted CROSS JOIN reaction r ON r.message = wanted.value
      JOIN participant p ON p.id = r.participant
      WHERE r.emoji <> '' ORDER BY r.at, r.change
      """, list
    ) {
      (
        $0.id("message") as ID<Message>,
        Reaction($0)
      )
    }
    return Dictionary(grouping: found, by: \.0).mapValues { $0.map(\.1) }
  }

  // MARK: Rows

  package func emojiStored(
    of person: ID<Participant>, on message: ID<Message>
  ) throws -> String? {
    try database.first(
      "SELECT emoji FROM reaction WHERE message = ? AND participant = ? AND emoji <> ''", message,
      person
    ) { $0.text() }
  }

  func reactions(
    since: Int64, for me: ID<Participant>, limit: Int
  ) throws -> [ChangedReaction] {
    try database.rows(
      """
      SELECT \(ChangedReaction.columns)
      FROM reaction x JOIN participant p ON p.id = x.participant
      JOIN message m ON m.id = x.message
      WHERE x.change > ?1 AND EXISTS (
        SELECT 1 FROM membership s WHERE s.conversation = m.conversation AND s.participant = ?2
          AND s.last IS NULL)
      ORDER BY x.change LIMIT ?3
      """, since, me, limit, read: ChangedReaction.init(_:))
  }

  func news(_ found: [ChangedReaction], for me: ID<Participant>) throws -> [ReactionNews] {
    try found.compactMap { entry in
      guard let message = try stored(entry.message) else { return nil }
      let emoji = entry.reaction.emoji
      return ReactionNews(
        message: try presented([message], to: me)[0], participant: entry.reaction.participant,
        emoji: emoji.isEmpty ? nil : emoji, at: entry.reaction.at, failure: entry.failure)
    }
  }
}

extension Writing where Self: ~Copyable {
  // MARK: Networks

  /// Removes a reaction that the network refused, since nobody else sees it. If I have changed it
  /// since, that is another attempt.
  func refuse(_ reaction: Reaction, on message: ID<Message>, _ reason: String) throws {
    let person = reaction.participant.id
    guard !reaction.emoji.isEmpty,
      try emojiStored(of: person, on: message)?.utf8.elementsEqual(reaction.emoji.utf8) == true
    else { return }
    try setReaction("", of: person, on: message, at: reaction.at, failure: reason)
  }

  /// Puts my reaction into the outbox, in place of an older one.
  fileprivate func postReaction(to message: ID<Message>, by me: ID<Participant>) throws {
    try requireAccount(of: message)
    try database.run(
      "DELETE FROM outbox WHERE message = ? AND operation = 3 AND participant = ?", message, me)
    try database.run(
      "INSERT INTO outbox(id, message, operation, participant) VALUES (?, ?, 3, ?)",
      try nextChange(), message, me)
  }

  package func setReaction(
    _ emoji: String, of person: ID<Participant>, on message: ID<Message>, at time: Milliseconds,
    failure: String? = nil
  ) throws {
    try database.run(
      """
      INSERT INTO reaction(message, participant, emoji, at, change, failure)
      VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET emoji = excluded.emoji, at = excluded.at,
        change = excluded.change, failure = excluded.failure
      """, message, person, emoji, time, try nextChange(), failure)
  }
}

extension DurableTransaction {
  /// Sets my reaction to a message, replaces it, or removes it if it is the same. It is on disk on
  /// return, and in the outbox if a network carries the conversation.
  ///
  /// - Throws: `RuleError.notSent` if the message is `sending` or `failed`, `.deleted`,
  ///   `.noSuchMessage`, `.notAMember`, `.notAnEmoji`, `.cannotReact`; `StoreError`.
  @discardableResult
  public func react(
    _ message: ID<Message>, by me: ID<Participant>, with emoji: String
  ) throws -> ReactionChange {
    guard Reaction.isEmoji(emoji) else { throw RuleError.notAnEmoji(emoji) }
    guard let found = try stored(message), !found.isRecalled,
      let place = try conversation(found.conversation, for: me)
    else { throw RuleError.noSuchMessage(try stored(message)?.number ?? Int(message.rawValue)) }
    guard try isInside(me, of: place.id) else { throw RuleError.notAMember(place.name) }
    let abilities = try knownAbilities(of: place.id)
    try abilities.checkReaction(in: place.name)
    guard found.deletedAt == nil else { throw RuleError.deleted(found.number) }
    guard found.state >= .sent else { throw RuleError.notSent(found.number) }

    let former = try emojiStored(of: me, on: message)
    let isSame = former.map { Reaction.same($0, emoji) } ?? false
    try setReaction(isSame ? "" : emoji, of: me, on: message, at: clock())
    if place.network != nil { try postReaction(to: message, by: me) }
    return isSame ? .removed : former == nil ? .set : .replaced
  }
}

extension Reaction {
  /// The columns that `init(_:)` reads of a row whose participant is `p`.
  package static func columnList(of row: String) -> String {
    "\(row).emoji, \(row).at, \(Participant.columns)"
  }

  package init(_ row: Row) {
    self.init(
      participant: Participant(row), emoji: row.text("emoji"), at: row.time("at"))
  }

  /// The columns that `init(outbox:)` reads of the reaction in outbox entry `x`.
  package static let outboxColumns =
    Participant.Columns.other.select(from: "y") + ", z.emoji, z.at AS reacted_at"

  package static let outboxJoins = """

    LEFT JOIN participant y ON y.id = x.participant
    LEFT JOIN reaction z ON z.message = x.message AND z.participant = x.participant
    """

  package init?(outbox row: Row) {
    if row.isNull("other") { return nil }
    self.init(
      participant: Participant(row, .other), emoji: row.text("emoji"),
      at: row.time("reacted_at"))
  }
}

/// The latest state of a reaction; an empty one was removed.
struct ChangedReaction {
  var number: Int64
  var message: ID<Message>
  var reaction: Reaction
  var failure: String?

  /// The columns that `init(_:)` reads of reaction `x` of participant `p`.
  package static let columns = "x.change, x.message, x.failure, \(Reaction.columnList(of: "x"))"

  package init(_ row: Row) {
    (number, message, failure) = (
      row.int64("change"), row.id("message"), row.optionalText("failure")
    )
    reaction = Reaction(row)
  }
}
