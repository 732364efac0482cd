// SPDX-License-Identifier: GPL-3.0-or-later

extension Access {
  fileprivate func marks(
    of person: ID<Participant>, in conversation: ID<Conversation>
  ) throws -> Marks {
    try database.first(
      "SELECT delivered, seen, read FROM reader WHERE conversation = ? AND participant = ?",
      conversation, person
    ) {
      Marks(delivered: $0.int("delivered"), seen: $0.int("seen"), read: $0.int("read"))
    } ?? Marks()
  }

  /// The number of the newest message that a person has read; those from before they joined count
  /// as read.
  public func readMarker(
    of me: ID<Participant>, in conversation: ID<Conversation>
  ) throws -> Int {
    let joined = try database.first(
      """
      SELECT first FROM membership WHERE conversation = ? AND participant = ? AND last IS NULL
      """, conversation, me
    ) { $0.int() }
    return max(try marks(of: me, in: conversation).read, (joined ?? 1) &- 1)
  }

}

extension Access where Mode: MayWrite {
  /// Moves marks forward, never back and never past the newest message, since nobody can have a
  /// message that does not exist. Writes only real changes.
  fileprivate func advance(
    _ person: ID<Participant>, in conversation: ID<Conversation>, to wanted: Marks
  ) throws {
    let last = try database.first(
      "SELECT last_number FROM conversation WHERE id = ?", conversation
    ) { $0.int() }
    let old = try marks(of: person, in: conversation)
    let new = Marks(
      delivered: max(old.delivered, min(wanted.delivered, last ?? 0)),
      seen: max(old.seen, min(wanted.seen, last ?? 0)),
      read: max(old.read, min(wanted.read, last ?? 0)))
    if new == old { return }
    try database.run(
      """
      INSERT INTO reader(conversation, participant, delivered, seen, read, change)
      VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET delivered = excluded.delivered, seen = excluded.seen,
        read = excluded.read, change = excluded.change
      """, conversation, person, new.delivered, new.seen, new.read, try nextChange())
    try database.run(
      """
      DELETE FROM single_receipt WHERE conversation = ?1 AND participant = ?2
        AND number <= iif(seen, ?3, ?4)
      """, conversation, person, new.seen, max(new.delivered, new.seen))
  }

  /// Records that the reader's program has these messages (rule 7.3). Call this before you print
  /// them: afterwards nobody can recall them. Messages of the conversation on the screen, `seen`,
  /// are also seen and read.
  ///
  /// - Returns: messages up to those numbers that their senders had recalled before, which you must
  ///   not print; the newest 500 per conversation, as many as `changes` returns at once.
  @discardableResult
  public func noteDelivered(
    to me: ID<Participant>, upTo: [ID<Conversation>: Int], seen: ID<Conversation>? = nil
  ) throws -> Set<ID<Message>> {
    try savepoint {
      func wanted(_ conversation: ID<Conversation>, _ number: Int) -> Marks {
        conversation == seen
          ? Marks(delivered: number, seen: number, read: number)
          : Marks(delivered: number)
      }
      let advanced = try upTo.filter {
        let (old, new) = (try marks(of: me, in: $0.key), wanted($0.key, $0.value))
        return old.delivered < new.delivered || old.seen < new.seen || old.read < new.read
      }
      for (conversation, number) in advanced {
        try advance(me, in: conversation, to: wanted(conversation, number))
      }
      // Nobody can recall a message that was delivered, so this is final, whichever shell recorded
      // it first.
      var recalled: Set<ID<Message>> = []
      for (conversation, number) in upTo {
        recalled.formUnion(
          try database.rows(
            """
            SELECT id FROM message WHERE conversation = ? AND number <= ? AND gone > 0 AND gone = 2
            ORDER BY number DESC LIMIT 500
            """, conversation, number
          ) { $0.id() })
      }
      return recalled
    }
  }

  /// Records that messages up to `number` are on the reader's screen (rules 7.3, 7.7).
  /// The others hear of it only with `sendReceipt` (`set receipts`); the read marker always moves.
  public func noteSeen(
    by me: ID<Participant>, in conversation: ID<Conversation>, upTo number: Int, sendReceipt: Bool
  ) throws {
    try savepoint {
      let reported = sendReceipt ? number : 0
      try advance(
        me, in: conversation, to: Marks(delivered: reported, seen: reported, read: number))
    }
  }

  /// Records how far someone on a network has read.
  ///
  /// - Parameter isFirst: whether to record where their receipts begin: hobnob does not wait for
  ///   people who never send any.
  package func noteReached(
    by person: ID<Participant>, in conversation: ID<Conversation>, upTo number: Int,
    _ state: DeliveryState, isFirst: Bool
  ) throws {
    try advance(
      person, in: conversation,
      to: Marks(delivered: number, seen: state == .seen ? number : 0))
    if isFirst { try noteFirstReceipt(of: person, in: conversation) }
  }

  private func noteFirstReceipt(
    of person: ID<Participant>, in conversation: ID<Conversation>
  ) throws {
    try database.run(
      """
      UPDATE reader SET began = (SELECT last_number + 1 FROM conversation WHERE id = ?1)
      WHERE conversation = ?1 AND participant = ?2 AND began IS NULL
      """, conversation, person)
  }

  /// Records that someone on a network has a message, which says nothing of the messages before it.
  /// The marks follow as soon as all of the owner's messages up to it are confirmed.
  ///
  /// - Parameters:
  ///   - message: of the account's owner.
  ///   - isFirst: as for ``noteReached(by:in:upTo:_:isFirst:)``.
  package func noteReceived(
    by person: ID<Participant>, _ message: Message, _ state: DeliveryState, isFirst: Bool
  ) throws {
    try savepoint {
      let known = try marks(of: person, in: message.conversation)
      if message.number <= (state == .seen ? known.seen : known.delivered) { return }
      try database.run(
        """
        INSERT INTO single_receipt(conversation, participant, number, seen) VALUES (?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET seen = max(seen, excluded.seen)
        """, message.conversation, person, message.number, state == .seen)
      try database.run(
        """
        INSERT INTO reader(conversation, participant, change) VALUES (?, ?, ?)
        ON CONFLICT DO UPDATE SET change = excluded.change
        """, message.conversation, person, try nextChange())
      try advance(
        person, in: message.conversation,
        to: Marks(
          delivered: confirmed(by: person, message, seenOnly: false),
          seen: confirmed(by: person, message, seenOnly: true)))
      if isFirst { try noteFirstReceipt(of: person, in: message.conversation) }
    }
  }

  /// The number before the first message of the owner's that is not confirmed.
  private func confirmed(
    by person: ID<Participant>, _ message: Message, seenOnly: Bool
  ) throws -> Int {
    let open = try database.first(
      """
      SELECT min(m.number) AS number FROM message m JOIN reader r
        ON r.conversation = m.conversation AND r.participant = ?2
      WHERE m.conversation = ?1 AND m.sender = ?3 AND m.brought = 0 AND m.gone = 0
        AND m.number > iif(?4, r.seen, max(r.seen, r.delivered)) AND NOT EXISTS (
          SELECT 1 FROM single_receipt x WHERE x.conversation = ?1 AND x.participant = ?2
            AND x.number = m.number AND x.seen >= ?4)
      """, message.conversation, person, message.sender, seenOnly
    ) { $0.optionalInt64("number") }
    if case .some(.some(let number)) = open { return Int(number) - 1 }
    return try database.first(
      """
      SELECT max(number) AS number FROM single_receipt
      WHERE conversation = ? AND participant = ? AND seen >= ?
      """, message.conversation, person, seenOnly
    ) { $0.int("number") } ?? 0
  }
}

/// The newest messages that a person received, saw and read in a conversation, as numbers.
struct Marks: Equatable {
  var delivered = 0
  var seen = 0
  var read = 0
}
