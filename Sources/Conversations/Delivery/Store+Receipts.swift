// SPDX-License-Identifier: GPL-3.0-or-later

/// How many of a message's recipients have it (rule 7.2).
public struct Reach: Hashable, Sendable {
  public var recipients = 0
  public var delivered = 0
  public var seen = 0

  public init(recipients: Int = 0, delivered: Int = 0, seen: Int = 0) {
    (self.recipients, self.delivered, self.seen) = (recipients, delivered, seen)
  }

  /// The least advanced state among them; `sent` if there are none.
  public var state: DeliveryState {
    if recipients == 0 { return .sent }
    return seen == recipients ? .seen : delivered == recipients ? .delivered : .sent
  }
}

/// The recipients of a conversation's messages, and how far each has read.
struct Audience {
  struct Stay {
    var participant: ID<Participant>
    var first: Int
    var last: Int
    var delivered: Int
    var seen: Int
    /// The times when they were away for long: messages from these are not for them.
    var absences: [Range<Milliseconds>] = []
    /// Below this number, only messages that they have seen are for them.
    var began = 0

    func state(of number: Int) -> DeliveryState {
      seen >= number ? .seen : delivered >= number ? .delivered : .sent
    }
  }

  /// By participant.
  var stays: [Stay]

  /// The members at the moment when the message got its number who had been active within the week
  /// before. Later joins and leaves change nothing, so a state cannot move backwards.
  func recipients(of message: Message) -> [Stay] {
    let number = message.number
    var last: ID<Participant>?
    return stays.filter { stay in
      // A damaged store may hold two open stays of one person.
      guard
        stay.participant != message.sender && stay.first <= number && number <= stay.last
          && (stay.began <= number || stay.seen >= number) && stay.participant != last
          && !stay.absences.contains(where: { $0.contains(message.createdAt) })
      else { return false }
      last = stay.participant
      return true
    }
  }

  func reach(of message: Message) -> Reach {
    var reach = Reach()
    for stay in recipients(of: message) {
      let state = stay.state(of: message.number)
      reach.recipients += 1
      if state >= .delivered { reach.delivered += 1 }
      if state == .seen { reach.seen += 1 }
    }
    return reach
  }
}

extension Reading where Self: ~Copyable {
  func audience(of conversation: ID<Conversation>) throws -> Audience {
    if let readers = try readers(ofNetworkRoom: conversation) { return Audience(stays: readers) }
    let absences = try absences(from: conversation)
    return Audience(
      stays: try database.rows(
        """
        SELECT s.participant, s.first, s.last, r.delivered, r.seen
        FROM membership s LEFT JOIN reader r
          ON r.conversation = s.conversation AND r.participant = s.participant
        WHERE s.conversation = ? AND s.first <= ifnull(s.last, s.first)
        ORDER BY s.participant, s.first
        """, conversation
      ) {
        let person: ID<Participant> = $0.id("participant")
        return Audience.Stay(
          participant: person, first: $0.int("first"),
          last: $0.isNull("last") ? Int.max : $0.int("last"),
          // NULL, for nothing known yet, reads as 0.
          delivered: $0.int("delivered"), seen: $0.int("seen"),
          absences: absences[person, default: []])
      })
  }

  /// In a network's room only people whose programs send read receipts count: for messages since
  /// their first receipt, and for those they have seen. So a state cannot move backwards there
  /// either. Nil for any other conversation.
  fileprivate func readers(ofNetworkRoom room: ID<Conversation>) throws -> [Audience.Stay]? {
    guard
      try database.exists(
        """
        SELECT 1 FROM conversation c JOIN account a ON a.network = c.network
        WHERE c.id = ? AND c.kind = 0
        """, room)
    else { return nil }
    return try database.rows(
      """
      SELECT participant, seen, began FROM reader
      WHERE conversation = ? AND began IS NOT NULL ORDER BY participant
      """, room
    ) {
      Audience.Stay(
        participant: $0.id("participant"), first: 1, last: Int.max, delivered: $0.int("seen"),
        seen: $0.int("seen"), began: $0.int("began"))
    }
  }

  /// When the conversation's people were away for longer than ``ShellPresence/absentAfter``; never
  /// in a direct chat, whose messages are for nobody else.
  fileprivate func absences(
    from conversation: ID<Conversation>
  ) throws -> [ID<Participant>: [Range<Milliseconds>]] {
    guard
      try database.exists("SELECT 1 FROM conversation WHERE id = ? AND kind = 0", conversation)
    else { return [:] }
    let running = Set(
      try database.rows("SELECT participant FROM shell") { $0.id() as ID<Participant> })
    let found = try database.rows(
      """
      SELECT p.id, p.here + ?2 AS since, NULL AS until
      FROM membership s JOIN participant p ON p.id = s.participant
      WHERE s.conversation = ?1 AND p.here < ?3
      UNION ALL
      SELECT a.participant, a.since, a.until
      FROM membership s JOIN absence a ON a.participant = s.participant
      WHERE s.conversation = ?1
      """, conversation, ShellPresence.absentAfter,
      max(clock(), JSONShape.times.lowerBound) - ShellPresence.absentAfter
    ) {
      (
        person: $0.id("id") as ID<Participant>, since: $0.time("since"),
        until: $0.optionalTime("until")
      )
    }
    return found.reduce(into: [:]) { result, one in
      // Anyone who has a shell is present.
      if one.until == nil, running.contains(one.person) { return }
      result[one.person, default: []].append(one.since..<max(one.since, one.until ?? .max))
    }
  }

  /// The recipients of a message and how far each is (`/info`), by name.
  public func recipients(
    of message: ID<Message>
  ) throws -> [(participant: Participant, state: DeliveryState)] {
    guard let found = try stored(message), !found.isPast else { return [] }
    let stays = try audience(of: found.conversation).recipients(of: found)
    return try stays.map { stay in
      let state = found.state < .sent ? found.state : stay.state(of: found.number)
      return (try participant(stay.participant), state)
    }
    .sorted { ($0.0.name, $0.0.id.rawValue) < ($1.0.name, $1.0.id.rawValue) }
  }

  /// How many of a message's recipients have it. A room may have thousands of members: this counts
  /// them after presence or a membership changes, and not for each message.
  public func reach(of message: Message) throws -> Reach {
    if let readers = try readers(ofNetworkRoom: message.conversation) {
      return Audience(stays: readers).reach(of: message)
    }
    // A receipt for a message that arrived has a higher change number than the message.
    let marks = try database.first(
      """
      SELECT count(*) AS delivered, count(nullif(r.seen >= ?2, 0)) AS seen FROM reader r
      WHERE r.change > ?5 AND +r.conversation = ?1 AND max(r.delivered, r.seen) >= ?2
        AND r.participant IN (\(Store.recipients) AND s.participant = r.participant)
      """, message.conversation, message.number, message.sender, message.createdAt,
      message.isImported ? .min : message.id.rawValue
    ) { (delivered: $0.int("delivered"), seen: $0.int("seen")) }
    return Reach(
      recipients: try countRecipients(of: message), delivered: marks?.delivered ?? 0,
      seen: marks?.seen ?? 0)
  }

  fileprivate func countRecipients(of message: Message) throws -> Int {
    let people = try database.first("SELECT people FROM meta") { $0.int64() } ?? 0
    let now = clock()
    // Nobody joined or left since, so the count is the same as for any other current message.
    let isNew =
      !message.isImported && message.id.rawValue > people
      && (0..<KnownRecipients.lifetime).contains(now &- message.createdAt)
    let known = KnownRecipients.Key(
      conversation: message.conversation, sender: message.sender,
      asOf: isNew ? people : message.id.rawValue, isNew: isNew)
    if let found = connection.knownRecipients, found.key == known,
      (0..<KnownRecipients.lifetime).contains(now &- found.countedAt)
    {
      return found.count
    }
    let count =
      try database.first(
        "SELECT count(*) FROM (\(Store.recipients) GROUP BY s.participant)",
        message.conversation, message.number, message.sender, message.createdAt
      ) { $0.int() } ?? 0
    connection.knownRecipients = KnownRecipients(key: known, count: count, countedAt: now)
    return count
  }

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

  /// The number of the newest message that I have read; messages from before I joined count as
  /// read.
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

  /// Whether anyone but the sender has the message, even without a receipt. People elsewhere always
  /// have messages from elsewhere.
  package func othersHave(_ message: Message) throws -> Bool {
    if message.isPast { return true }
    return try database.exists(
      """
      SELECT 1 FROM reader WHERE conversation = ?1 AND participant <> ?2
        AND max(delivered, seen, read) >= ?3
      """, message.conversation, message.sender, message.number)
  }
}

extension Writing where Self: ~Copyable {
  /// Moves marks forward, never back and never past the newest message, since nobody can have a
  /// message that does not exist. Writes only real changes.
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

  /// Records that my program has these messages (rule 7.3). Call this before you print them:
  /// afterwards nobody can recall them.
  ///
  /// - Parameter seen: the conversation on the screen: its messages are also seen and read.
  /// - Returns: messages up to those numbers that their senders had recalled before, which you must
  ///   not print; the newest 500 per conversation, as many as `changes` returns at once.
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
    // Nobody can recall a message that I have, so this is final, whichever of my shells recorded it
    // first.
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

  /// Records that messages up to `number` are on the screen in my conversation (rules 7.3, 7.7).
  ///
  /// - Parameter sendReceipt: whether to tell the others (`set receipts`); the read marker always
  ///   moves.
  public func noteSeen(
    by me: ID<Participant>, in conversation: ID<Conversation>, upTo number: Int, sendReceipt: Bool
  ) throws {
    let told = sendReceipt ? number : 0
    try advance(me, in: conversation, to: Store.Marks(delivered: told, seen: told, read: number))
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
  /// The recipients of message `?2` of conversation `?1`, sent by `?3` at `?4`; see ``Audience``.
  fileprivate static let recipients = """
    SELECT s.participant FROM membership s WHERE s.conversation = ?1 AND s.participant <> ?3
      AND s.first <= ?2 AND ifnull(s.last, \(Int.max)) >= ?2
      AND (NOT EXISTS (SELECT 1 FROM conversation WHERE id = ?1 AND kind = 0)
        OR NOT EXISTS (
          SELECT 1 FROM participant p WHERE p.id = s.participant
            AND p.here <= ?4 - \(ShellPresence.absentAfter)
            AND NOT EXISTS (SELECT 1 FROM shell h WHERE h.participant = p.id))
        AND NOT EXISTS (
          SELECT 1 FROM absence a
          WHERE a.participant = s.participant AND a.since <= ?4 AND a.until > ?4))
    """

  // MARK: Marks

  struct Marks: Equatable {
    var delivered = 0
    var seen = 0
    var read = 0
  }
}
