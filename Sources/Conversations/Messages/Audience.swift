// SPDX-License-Identifier: GPL-3.0-or-later

/// How many recipients of a message have it (rule 7.2).
public struct DeliveryCounts: Hashable, Sendable {
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

/// The recipients of a conversation's messages, and how far each of them has received and seen
/// them.
struct Audience {
  struct Interval {
    var participant: ID<Participant>
    var first: Int
    var last: Int
    var delivered: Int
    var seen: Int
    /// The times when the person was away for so long that messages are not for them.
    var absences: [Range<Milliseconds>] = []
    /// Messages before this number are for the person only if they have seen them.
    var began = 0
    /// The states of messages beyond those marks, by number.
    var single: [Int: DeliveryState] = [:]

    func state(of number: Int) -> DeliveryState {
      let marked: DeliveryState = seen >= number ? .seen : delivered >= number ? .delivered : .sent
      return max(marked, single[number] ?? .sent)
    }
  }

  /// The stays of all members, ordered by participant.
  var intervals: [Interval]

  /// The people who were members when the message got its number, and had been here within a week.
  /// People who come or go later change nothing, so a state cannot move backwards.
  func recipients(of message: Message) -> [Interval] {
    let number = message.number
    var last: ID<Participant>?
    return intervals.filter { interval in
      // A damaged store may contain two open stays of one person.
      guard
        interval.participant != message.sender && interval.first <= number
          && number <= interval.last
          && (interval.began <= number || interval.state(of: number) == .seen)
          && interval.participant != last
          && !interval.absences.contains(where: { $0.contains(message.createdAt) })
      else { return false }
      last = interval.participant
      return true
    }
  }

  func deliveryCounts(of message: Message) -> DeliveryCounts {
    var counts = DeliveryCounts()
    for interval in recipients(of: message) {
      let state = interval.state(of: message.number)
      counts.recipients += 1
      if state >= .delivered { counts.delivered += 1 }
      if state == .seen { counts.seen += 1 }
    }
    return counts
  }
}

extension Access {
  func audience(of conversation: ID<Conversation>) throws -> Audience {
    if let readers = try readers(ofNetworkRoom: conversation) {
      return Audience(intervals: readers)
    }
    let absences = try absences(from: conversation)
    let single = try singleReceipts(in: conversation)
    return Audience(
      intervals: try database.rows(
        """
        SELECT s.participant, s.first, s.last, r.delivered, r.seen
        FROM membership s LEFT JOIN reader r
          ON r.conversation = s.conversation AND r.participant = s.participant
        WHERE s.conversation = ? AND s.first <= ifnull(s.last, s.first)
        ORDER BY s.participant, s.first
        """, conversation
      ) {
        let person: ID<Participant> = $0.id("participant")
        return Audience.Interval(
          participant: person, first: $0.int("first"),
          last: $0.isNull("last") ? Int.max : $0.int("last"),
          // A NULL, if nothing is known yet, is read as 0.
          delivered: $0.int("delivered"), seen: $0.int("seen"),
          absences: absences[person, default: []], single: single[person] ?? [:])
      })
  }

  private func singleReceipts(
    in conversation: ID<Conversation>
  ) throws -> [ID<Participant>: [Int: DeliveryState]] {
    try database.rows(
      "SELECT participant, number, seen FROM single_receipt WHERE conversation = ?", conversation
    ) { (person: $0.id("participant") as ID<Participant>, $0.int("number"), $0.bool("seen")) }
    .reduce(into: [:]) { $0[$1.person, default: [:]][$1.1] = $1.2 ? .seen : .delivered }
  }

  /// The recipients in a network's room: the people whose programs report how far they have read. A
  /// message is for them if it is newer than their first report, or if they have seen it; so a
  /// state cannot move backwards there either.
  ///
  /// - Returns: nil for any other conversation.
  fileprivate func readers(ofNetworkRoom room: ID<Conversation>) throws -> [Audience.Interval]? {
    guard
      try database.exists(
        """
        SELECT 1 FROM conversation c JOIN account a ON a.network = c.network
        WHERE c.id = ? AND c.kind = 0
        """, room)
    else { return nil }
    let single = try singleReceipts(in: room)
    return try database.rows(
      """
      SELECT participant, seen, began FROM reader
      WHERE conversation = ? AND began IS NOT NULL ORDER BY participant
      """, room
    ) {
      let person: ID<Participant> = $0.id("participant")
      return Audience.Interval(
        participant: person, first: 1, last: Int.max, delivered: $0.int("seen"),
        seen: $0.int("seen"), began: $0.int("began"), single: single[person] ?? [:])
    }
  }

  /// When the members of a room were away for longer than ``ShellPresence/absentAfter``. Empty for
  /// a direct chat: its messages are for the other person even then.
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
      max(clock(), Message.times.lowerBound) - ShellPresence.absentAfter
    ) {
      (
        person: $0.id("id") as ID<Participant>, since: $0.time("since"),
        until: $0.optionalTime("until")
      )
    }
    return found.reduce(into: [:]) { result, one in
      // A person with a running shell is not away.
      if one.until == nil, running.contains(one.person) { return }
      result[one.person, default: []].append(one.since..<max(one.since, one.until ?? .max))
    }
  }

  /// The recipients of a message and its state with each of them (`/info`), by name.
  public func recipients(
    of message: ID<Message>
  ) throws -> [(participant: Participant, state: DeliveryState)] {
    guard let found = try stored(message), !found.isPast else { return [] }
    let intervals = try audience(of: found.conversation).recipients(of: found)
    return try intervals.map { interval in
      let state = found.state < .sent ? found.state : interval.state(of: found.number)
      return (try participant(interval.participant), state)
    }
    .sorted { ($0.0.name, $0.0.id.rawValue) < ($1.0.name, $1.0.id.rawValue) }
  }

  /// How many recipients of a message have it. A room may have many thousand members: hobnob counts
  /// them when presence or a membership changed, and not for each message.
  public func deliveryCounts(of message: Message) throws -> DeliveryCounts {
    if let readers = try readers(ofNetworkRoom: message.conversation) {
      return Audience(intervals: readers).deliveryCounts(of: message)
    }
    // A receipt for a message that arrived has a higher change number than the message.
    let marks = try database.first(
      """
      SELECT count(*) AS delivered,
        count(nullif(r.seen >= ?2 OR ifnull(x.seen, 0), 0)) AS seen
      FROM reader r LEFT JOIN single_receipt x
        ON x.conversation = ?1 AND x.participant = r.participant AND x.number = ?2
      WHERE r.change > ?5 AND +r.conversation = ?1
        AND (max(r.delivered, r.seen) >= ?2 OR x.number IS NOT NULL)
        AND r.participant IN (\(Audience.recipients) AND s.participant = r.participant)
      """, message.conversation, message.number, message.sender, message.createdAt,
      message.isImported ? .min : message.id.rawValue
    ) { (delivered: $0.int("delivered"), seen: $0.int("seen")) }
    return DeliveryCounts(
      recipients: try countRecipients(of: message), delivered: marks?.delivered ?? 0,
      seen: marks?.seen ?? 0)
  }

  fileprivate func countRecipients(of message: Message) throws -> Int {
    let people = try database.first("SELECT people FROM meta") { $0.int64() } ?? 0
    let now = clock()
    // Nobody has come or gone since, so the count is the same as for any other current message.
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
        "SELECT count(*) FROM (\(Audience.recipients) GROUP BY s.participant)",
        message.conversation, message.number, message.sender, message.createdAt
      ) { $0.int() } ?? 0
    connection.knownRecipients = KnownRecipients(key: known, count: count, countedAt: now)
    return count
  }

  /// Whether anyone other than the sender has the message, even if they send no receipts. A message
  /// from an archive or a log counts as received, since others received it there.
  package func othersHave(_ message: Message) throws -> Bool {
    if message.isPast { return true }
    return try database.exists(
      """
      SELECT 1 FROM reader WHERE conversation = ?1 AND participant <> ?2
        AND max(delivered, seen, read) >= ?3
      UNION ALL
      SELECT 1 FROM single_receipt WHERE conversation = ?1 AND participant <> ?2 AND number = ?3
      """, message.conversation, message.sender, message.number)
  }
}

extension Audience {
  /// The recipients of message `?2` in conversation `?1`, which `?3` sent at `?4`.
  static let recipients = """
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
}
