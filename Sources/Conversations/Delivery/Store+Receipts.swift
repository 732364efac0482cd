// SPDX-License-Identifier: GPL-3.0-or-later

extension Reading where Self: ~Copyable {
  fileprivate func marks(
    of person: ID<Participant>, in conversation: ID<Conversation>
  ) throws -> Store.Marks {
    try database.first(
      "SELECT delivered, seen, read FROM reader WHERE conversation = ? AND participant = ?",
      conversation, person
    ) {
      Store.Marks(delivered: $0.int("delivered"), seen: $0.int("seen"), read: $0.int("read"))
    } ?? Store.Marks()
  }

  /// The number of the newest message that is read; what is older than my joining counts as read.
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

extension Writing where Self: ~Copyable {
  /// Moves marks forward, never back and never past the newest message: nobody can have got what
  /// has not been said. Writes only what is news.
  fileprivate func advance(
    _ person: ID<Participant>, in conversation: ID<Conversation>, to wanted: Store.Marks
  ) throws {
    let last = try database.first(
      "SELECT last_number FROM conversation WHERE id = ?", conversation
    ) { $0.int() }
    let old = try marks(of: person, in: conversation)
    let new = Store.Marks(
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
  }

  /// My program has these messages (rule 7.3). To be called before they are printed: from then on
  /// they cannot be taken back.
  ///
  /// - Parameter seen: the conversation in which they are printed at once and looked at: there they
  ///   are also seen and read.
  /// - Returns: messages up to those numbers that had been taken back before, and must not be
  ///   printed; of each conversation the newest 500, as many as `changes` gives at once.
  @discardableResult
  public func noteDelivered(
    to me: ID<Participant>, upTo: [ID<Conversation>: Int], seen: ID<Conversation>? = nil
  ) throws -> Set<ID<Message>> {
    func wanted(_ conversation: ID<Conversation>, _ number: Int) -> Store.Marks {
      conversation == seen
        ? Store.Marks(delivered: number, seen: number, read: number)
        : Store.Marks(delivered: number)
    }
    let news = try upTo.filter {
      let (old, new) = (try marks(of: me, in: $0.key), wanted($0.key, $0.value))
      return old.delivered < new.delivered || old.seen < new.seen || old.read < new.read
    }
    for (conversation, number) in news {
      try advance(me, in: conversation, to: wanted(conversation, number))
    }
    // What I have cannot be taken back any more, so this is the last word, whether this shell or
    // another of mine was the first to say that I have it.
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

  /// Messages up to `number` were printed in my open conversation (rules 7.3 and 7.7).
  ///
  /// - Parameter sendReceipt: whether the others are told (`set receipts`); the read marker moves in
  ///   any case.
  public func noteSeen(
    by me: ID<Participant>, in conversation: ID<Conversation>, upTo number: Int, sendReceipt: Bool
  ) throws {
    let told = sendReceipt ? number : 0
    try advance(me, in: conversation, to: Store.Marks(delivered: told, seen: told, read: number))
  }

  /// Someone on a network is so far.
  ///
  /// - Parameter isFirst: whether it is noted from which message on they are asked about: those who
  ///   never told how far they read are not waited for.
  package func noteReached(
    by person: ID<Participant>, in conversation: ID<Conversation>, upTo number: Int,
    _ state: DeliveryState, isFirst: Bool
  ) throws {
    try advance(
      person, in: conversation,
      to: Store.Marks(delivered: number, seen: state == .seen ? number : 0))
    if isFirst {
      try database.run(
        """
        UPDATE reader SET began = (SELECT last_number + 1 FROM conversation WHERE id = ?1)
        WHERE conversation = ?1 AND participant = ?2 AND began IS NULL
        """, conversation, person)
    }
  }
}

extension Store {

  // MARK: Marks

  struct Marks: Equatable {
    var delivered = 0
    var seen = 0
    var read = 0
  }
}
