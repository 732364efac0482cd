// SPDX-License-Identifier: GPL-3.0-or-later

extension Access {
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
      JOIN message m ON m.id = r.message
      JOIN participant p ON p.id = r.participant
      WHERE r.removed = 0 ORDER BY r.at, r.change
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

  /// Someone's reactions to a message, in the order in which they gave them.
  package func storedEmoji(
    of person: ID<Participant>, on message: ID<Message>
  ) throws -> [String] {
    try database.rows(
      """
      SELECT emoji FROM reaction WHERE message = ? AND participant = ? AND removed = 0
      ORDER BY at, change
      """, message, person
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

  func reactionUpdates(
    _ found: [ChangedReaction], for me: ID<Participant>
  ) throws -> [ReactionUpdate] {
    try found.compactMap { entry in
      guard let message = try stored(entry.message) else { return nil }
      let emoji = entry.reaction.emoji
      return ReactionUpdate(
        message: try presented([message], to: me)[0], participant: entry.reaction.participant,
        emoji: entry.isRemoved ? nil : emoji, removed: entry.isRemoved ? emoji : nil,
        at: entry.reaction.at, failure: entry.failure)
    }
  }
}

extension Access where Mode: MayWrite {
  // MARK: Networks

  /// Removes a reaction that the network refused, since nobody else sees it, unless the person has
  /// removed it since.
  func refuse(_ reaction: OutgoingReaction, on message: ID<Message>, _ reason: Remark) throws {
    if reaction.isRemoved { return }
    try remove(
      reaction.emoji, of: reaction.participant, on: message, at: clock(), failure: reason)
  }

  /// Puts a change to a person's reactions into the outbox. It replaces an older change to the same
  /// reaction or, with `asOne`, to any of their reactions.
  fileprivate func postReaction(
    _ emoji: String, to message: ID<Message>, by me: ID<Participant>, asOne: Bool
  ) throws {
    try requireAccount(of: message)
    let operation = OutboxEntry.Operation.react.rawValue
    try database.run(
      """
      DELETE FROM outbox WHERE message = ? AND operation = \(operation) AND participant = ?
        AND (?4 OR emoji = ?3)
      """, message, me, emoji, asOne)
    try database.run(
      "INSERT INTO outbox(id, message, operation, participant, emoji) VALUES (?, ?, ?, ?, ?)",
      try nextChange(), message, operation, me, emoji)
  }

  /// Makes these someone's reactions to a message.
  ///
  /// - Parameter asOne: whether a person has at most one reaction here. If so, others learn of the
  ///   new reaction, and not that the old one is gone.
  package func setReactions(
    _ new: [String], of person: ID<Participant>, on message: ID<Message>, at time: Milliseconds,
    asOne: Bool
  ) throws {
    let former = try storedEmoji(of: person, on: message)
    // Compare bytes, as the table does.
    func contains(_ list: [String], _ emoji: String) -> Bool {
      list.contains { $0.utf8.elementsEqual(emoji.utf8) }
    }
    for emoji in former where !contains(new, emoji) {
      if asOne, !new.isEmpty {
        try database.run(
          "DELETE FROM reaction WHERE message = ? AND participant = ? AND emoji = ?", message,
          person, emoji)
      } else {
        try remove(emoji, of: person, on: message, at: time)
      }
    }
    for emoji in new where !contains(former, emoji) {
      try database.run(
        """
        INSERT INTO reaction(message, participant, emoji, at, change) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET removed = 0, at = excluded.at, change = excluded.change,
          failure = NULL
        """, message, person, emoji, time, try nextChange())
    }
  }

  /// Removes a reaction; its row stays for others to notice, until there are too many such rows.
  private func remove(
    _ emoji: String, of person: ID<Participant>, on message: ID<Message>, at time: Milliseconds,
    failure: Remark? = nil
  ) throws {
    try database.run(
      """
      UPDATE reaction SET removed = 1, at = ?, change = ?, failure = ?
      WHERE message = ? AND participant = ? AND emoji = ? AND removed = 0
      """, time, try nextChange(), failure, message, person, emoji)
    try database.run(
      """
      DELETE FROM reaction WHERE message = ?1 AND participant = ?2 AND removed = 1 AND change <= (
        SELECT change FROM reaction WHERE message = ?1 AND participant = ?2 AND removed = 1
        ORDER BY change DESC LIMIT 1 OFFSET ?3)
      """, message, person, Reaction.most)
  }
}

extension DurableTransaction {
  /// Gives a message a reaction of `me`, or removes it if it is there already. It takes the place
  /// of another one unless several are allowed there (``Abilities``). It is on disk on return, and
  /// in the outbox if a network carries the conversation.
  ///
  /// - Throws: `RuleError.notSent` if the message is `sending` or `failed`, `.deleted`,
  ///   `.noSuchMessage`, `.notAMember`, `.notAnEmoji`, `.cannotReact`,
  ///   `.tooManyReactions`; `StoreError`.
  @discardableResult
  public func react(
    _ message: ID<Message>, by me: ID<Participant>, with emoji: String
  ) throws -> ReactionChange {
    try savepoint {
      guard Reaction.isEmoji(emoji) else { throw RuleError.notAnEmoji(emoji) }
      guard let found = try stored(message), !found.isRecalled,
        let conversation = try conversation(found.conversation, for: me)
      else { throw RuleError.noSuchMessage(try stored(message)?.number ?? Int(message.rawValue)) }
      guard try isMember(me, of: conversation.id) else {
        throw RuleError.notAMember(conversation.name)
      }
      let abilities = try knownAbilities(of: conversation.id)
      try abilities.checkReaction(in: conversation.name)
      guard found.deletedAt == nil else { throw RuleError.deleted(found.number) }
      guard found.state >= .sent else { throw RuleError.notSent(found.number) }

      let former = try storedEmoji(of: me, on: message)
      let same = former.first { Reaction.same($0, emoji) }
      let asOne = abilities.reactionLimit == .one
      var new = former.filter { $0 != same }
      if same == nil { new = (asOne ? [] : former) + [emoji] }
      if new.count > Reaction.most {
        throw RuleError.tooManyReactions(found.number, most: Reaction.most)
      }
      try setReactions(new, of: me, on: message, at: clock(), asOne: asOne)
      if conversation.network != nil {
        try postReaction(same ?? emoji, to: message, by: me, asOne: asOne)
      }
      return same != nil ? .removed : asOne && !former.isEmpty ? .replaced : .set
    }
  }
}

extension Reaction {
  /// The columns that `init(_:)` reads of a row whose participant is `p` and whose message is `m`.
  package static func columnList(of row: String) -> String {
    "\(row).emoji, \(row).at, \(Participant.columns(in: "m.conversation"))"
  }

  package init(_ row: Row) {
    self.init(
      participant: Participant(row), emoji: row.text("emoji"), at: row.time("at"))
  }
}

extension OutgoingReaction {
  /// The columns that `init(_:)` reads of the reaction in outbox entry `x`.
  package static let columns = """
    x.participant AS reacted_by, x.emoji AS reacted, ifnull(z.removed, 1) AS is_removed,
    CASE WHEN x.operation = \(OutboxEntry.Operation.react.rawValue) THEN (
      SELECT group_concat(emoji, char(10)) FROM (SELECT emoji FROM reaction u
        WHERE u.message = x.message AND u.participant = x.participant AND u.removed = 0
        ORDER BY u.at, u.change)) END AS all_reactions
    """

  package static let joins = """

    LEFT JOIN reaction z ON z.message = x.message AND z.participant = x.participant
      AND z.emoji = x.emoji
    """

  package init?(_ row: Row) {
    if row.isNull("reacted_by") { return nil }
    self.init(
      participant: row.id("reacted_by"), emoji: row.optionalText("reacted") ?? "",
      isRemoved: row.bool("is_removed"),
      all: row.optionalText("all_reactions")?.split(separator: "\n").map(String.init) ?? [])
  }
}

/// The latest state of a reaction.
struct ChangedReaction {
  /// The number of its latest change, from the counter of all changes.
  var number: Int64
  var message: ID<Message>
  var reaction: Reaction
  var isRemoved: Bool
  var failure: Remark?

  /// The columns that `init(_:)` reads of reaction `x` of participant `p` to message `m`.
  package static let columns =
    "x.change, x.message, x.removed, x.failure, \(Reaction.columnList(of: "x"))"

  package init(_ row: Row) {
    (number, message, failure) = (
      row.int64("change"), row.id("message"), row.optionalRemark("failure")
    )
    reaction = Reaction(row)
    isRemoved = row.bool("removed")
  }
}
