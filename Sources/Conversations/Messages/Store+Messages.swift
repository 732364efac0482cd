// SPDX-License-Identifier: GPL-3.0-or-later

extension Reading where Self: ~Copyable {
  /// The messages before the one with a number, or the newest, in the order in which they are shown:
  /// what is past by time, then the others by number, or by time where a network told some of them
  /// late. Those taken back are left out, the deleted ones are there without a body.
  ///
  /// - Parameters:
  ///   - receipts: without them an own message that others have is `sent`; finding out takes time.
  ///   - past: false: without messages that are past.
  ///   - andIgnored: false: without messages of people whom I ignore (rule 7.11).
  public func messages(
    in conversation: ID<Conversation>, before number: Int? = nil, limit: Int,
    for me: ID<Participant>, receipts: Bool = true, past isPastWanted: Bool = true,
    andIgnored: Bool = true
  ) throws -> [Message] {
    guard try self.conversation(conversation, for: me) != nil else { return [] }
    let limit = max(0, limit)
    let ignoring = andIgnored ? Store.nobody : me
    let past =
      isPastWanted ? try number.flatMap { try pastTime(ofNumber: $0, in: conversation) } : nil
    var found: [Message] = []
    if past == nil, try isByTime(conversation) {
      let before = try number.flatMap { try time(ofNumber: $0, in: conversation) }
      found = try database.rows(
        Store.messageSelect
          + """
          WHERE m.conversation = ? AND (m.created_at, m.number) < (?, ?) AND m.past = 0
            AND m.gone < 2 AND \(Store.isNotIgnored)
          ORDER BY m.created_at DESC, m.number DESC LIMIT ?
          """, conversation, before ?? .max, before == nil ? Int.max : number ?? .max, ignoring,
        limit, read: Store.message)
    } else if past == nil {
      found = try database.rows(
        Store.messageSelect
          + """
          WHERE m.conversation = ? AND m.number < ? AND m.past = 0 AND m.gone < 2
            AND \(Store.isNotIgnored)
          ORDER BY m.number DESC LIMIT ?
          """, conversation, number ?? Int.max, ignoring, limit, read: Store.message)
    }
    // The small question costs a twentieth of what the answer does where there is nothing.
    if isPastWanted, found.count < limit,
      try database.exists(
        "SELECT 1 FROM message WHERE conversation = ? AND past = 1", conversation)
    {
      found += try database.rows(
        Store.messageSelect
          + """
          WHERE m.conversation = ? AND m.past = 1 AND (m.created_at, m.number) < (?, ?)
            AND m.gone < 2 AND \(Store.isNotIgnored)
          ORDER BY m.created_at DESC, m.number DESC LIMIT ?
          """, conversation, past ?? .max, past == nil ? Int.max : number ?? .max, ignoring,
        limit - found.count, read: Store.message)
    }
    return try presented(found.reversed(), to: me, receipts: receipts)
  }

  /// Whether numbers are no order of time in a conversation: a network told some messages late.
  package func isByTime(_ conversation: ID<Conversation>) throws -> Bool {
    try database.exists("SELECT 1 FROM conversation WHERE id = ? AND by_time <> 0", conversation)
  }

  fileprivate func time(ofNumber number: Int, in conversation: ID<Conversation>) throws
    -> Milliseconds?
  {
    try database.first(
      "SELECT created_at FROM message WHERE conversation = ? AND number = ?", conversation, number
    ) { $0.int64() }
  }

  /// When a message was made that is past; nil for one that is not, or that is not there.
  fileprivate func pastTime(
    ofNumber number: Int, in conversation: ID<Conversation>
  ) throws -> Milliseconds? {
    try database.first(
      "SELECT created_at FROM message WHERE conversation = ? AND number = ? AND past <> 0",
      conversation, number
    ) { $0.int64() }
  }

  /// The messages behind a number, the first of them, without what is past; ascending, as above.
  public func messages(
    in conversation: ID<Conversation>, after number: Int, limit: Int, for me: ID<Participant>,
    receipts: Bool = true
  ) throws -> [Message] {
    guard try self.conversation(conversation, for: me) != nil else { return [] }
    let found = try database.rows(
      Store.messageSelect
        + """
        WHERE m.conversation = ? AND m.number > ? AND m.past = 0 AND m.gone < 2
        ORDER BY m.number LIMIT ?
        """,
      conversation, number, max(0, limit), read: Store.message)
    return try presented(found, to: me, receipts: receipts)
  }

  /// The messages with these numbers, ascending, as above.
  public func messages(
    in conversation: ID<Conversation>, numbers: ClosedRange<Int>, for me: ID<Participant>
  ) throws -> [Message] {
    guard try self.conversation(conversation, for: me) != nil else { return [] }
    let found = try database.rows(
      Store.messageSelect
        + """
        WHERE m.conversation = ? AND m.number BETWEEN ? AND ? AND m.gone < 2 ORDER BY m.number
        """, conversation, numbers.lowerBound, numbers.upperBound, read: Store.message)
    return try presented(found, to: me)
  }

  /// The message with that number, or nil if there is none or it was taken back.
  public func message(
    number: Int, in conversation: ID<Conversation>, for me: ID<Participant>
  ) throws -> Message? {
    try messages(in: conversation, numbers: number...number, for: me).first
  }

  /// A message, taken back or not; nil if there is none, or it is in a direct chat of others.
  public func message(_ id: ID<Message>, for me: ID<Participant>) throws -> Message? {
    guard let found = try stored(id), try conversation(found.conversation, for: me) != nil
    else { return nil }
    return try presented([found], to: me)[0]
  }

  package func stored(_ id: ID<Message>) throws -> Message? {
    try database.first(Store.messageSelect + "WHERE m.id = ?", id, read: Store.message)
  }

  /// My newest message that is neither deleted nor taken back, nor past, whatever its state.
  ///
  /// - Parameter skipping: how many newer ones of mine to pass over; 1 is the last but one.
  public func newest(
    by me: ID<Participant>, in conversation: ID<Conversation>, skipping: Int = 0
  ) throws -> Message? {
    let found = try database.rows(
      Store.messageSelect
        + """
        WHERE m.sender = ? AND m.conversation = ? AND m.past = 0 AND m.gone = 0
        ORDER BY m.number DESC LIMIT 1 OFFSET ?
        """, me, conversation, max(0, skipping), read: Store.message)
    return try presented(found, to: me).first
  }

  /// My messages that are `sending` or `failed`, in the order of arrival.
  public func unsent(
    by me: ID<Participant>, in conversation: ID<Conversation>? = nil
  ) throws -> [Message] {
    try database.rows(
      Store.messageSelect
        + """
        WHERE m.sender = ?1 AND m.state < 2 AND m.gone = 0
          AND (?2 IS NULL OR m.conversation = ?2) ORDER BY m.id
        """, me, conversation, read: Store.message)
  }

  /// The former texts of an edited message, oldest first.
  public func revisions(of message: ID<Message>) throws -> [Revision] {
    try database.rows(
      "SELECT body, at FROM revision WHERE message = ? ORDER BY ordinal", message
    ) { Revision(body: $0.text("body"), at: $0.time("at")) }
  }

  /// Fills in the delivery states as the viewer is shown them: what becomes of an own message is
  /// computed from the recipients' marks, another's is simply there.
  func presented(
    _ messages: [Message], to me: ID<Participant>, receipts: Bool = true
  ) throws -> [Message] {
    // In place, and without a dictionary: it is on the way to the first prompt.
    var messages = messages
    var known: (conversation: ID<Conversation>, audience: Audience)?
    // One message needs no walk through all members.
    if receipts, messages.count == 1, messages[0].sender == me, messages[0].state == .sent,
      !messages[0].isPast
    {
      messages[0].state = try reach(of: messages[0]).state
      return messages
    }
    for place in messages.indices {
      if messages[place].sender != me {
        messages[place].state = .sent
        messages[place].failure = nil
      } else if receipts, messages[place].state == .sent, !messages[place].isPast {
        let conversation = messages[place].conversation
        if known?.conversation != conversation {
          known = (conversation, try audience(of: conversation))
        }
        if let known {
          messages[place].state = known.audience.reach(of: messages[place]).state
        }
      }
    }
    return messages
  }
}

extension Store {
  package static let messageColumns = """
    m.id, m.uid, m.conversation, m.number, m.sender, p.name AS sender_name,
      p.identity AS sender_identity, m.body, m.kind, m.created_at, m.state, m.failure, m.edited_at, m.deleted_at, m.gone, m.revised, m.moved,
      \(attachmentColumn), \(quoteColumns), m.mentions, m.past,
      m.unverified, m.removed_by, m.removal_reason
    """

  package static let messageRows =
    "FROM message m JOIN participant p ON p.id = m.sender AND \(isSound)\(quoteJoins)\n"

  static let messageSelect = "SELECT \(messageColumns) " + messageRows

  /// Whether message `m` has a number that this program gives. A row without is left out, and not
  /// put right: who goes through the messages page by page would come to it again and again. The +
  /// keeps SQLite from searching by it.
  package static let isSound =
    "+m.number BETWEEN \(Message.numbers.lowerBound) AND \(Message.numbers.upperBound)"

  /// The same of its time, for pages by time.
  static let hasSoundTime =
    "+m.created_at BETWEEN \(JSONShape.times.lowerBound) AND \(JSONShape.times.upperBound)"

  /// Whether `?` does not ignore the sender of message `m`. The + keeps SQLite from searching by
  /// it.
  fileprivate static let isNotIgnored = """
    +m.sender NOT IN (
      SELECT person FROM person_attention WHERE participant = ? AND ignored <> 0)
    """

  /// With the stored state, which for an own message is not yet what its sender is shown.
  package static func message(_ row: Row) -> Message {
    Message(
      id: row.id("id"), uid: row.hex("uid"), conversation: row.id("conversation"),
      number: row.int("number"), sender: row.id("sender"), senderName: row.text("sender_name"),
      senderIdentity: row.text("sender_identity"), body: row.text("body"),
      kind: .init(rawValue: row.int("kind")) ?? .text, createdAt: row.time("created_at"),
      state: DeliveryState(rawValue: row.int("state")) ?? .sent,
      failure: row.optionalText("failure"), editedAt: row.optionalTime("edited_at"),
      deletedAt: row.optionalTime("deleted_at"), isRecalled: row.int("gone") == 2,
      attachments: attachments(row.optionalText("attachment_list")), replyTo: quote(row),
      mentions: row.text("mentions"), isPast: row.bool("past"),
      isUnverified: row.bool("unverified"),
      removal: row.optionalText("removed_by").map {
        Removal(moderator: $0, reason: row.text("removal_reason"))
      })
  }

  /// The order of rule 7.1: what is past, then seen, delivered and sent ones, both by time, then
  /// failed, then sending ones. Equal times keep the order of arrival.
  public static func ordered(_ messages: [Message]) -> [Message] {
    func rank(_ message: Message) -> Int {
      if message.isPast { return -1 }
      return switch message.state {
      case .sent, .delivered, .seen: 0
      case .failed: 1
      case .sending: 2
      }
    }
    func place(_ message: Message) -> Int64 {
      message.isPast ? Int64(message.number) : message.id.rawValue
    }
    return messages.sorted {
      (rank($0), $0.createdAt, place($0)) < (rank($1), $1.createdAt, place($1))
    }
  }
}

extension Reading where Self: ~Copyable {
  /// The message that N names, or -N from the newest, whoever said it (rule 7.5).
  ///
  /// - Throws: `RuleError.noSuchMessage`, `StoreError`.
  package func message(
    named number: Int, in conversation: ID<Conversation>, for me: ID<Participant>
  ) throws -> Message {
    guard number < 0 else {
      guard let found = try message(number: number, in: conversation, for: me) else {
        throw RuleError.noSuchMessage(number)
      }
      return found
    }
    var (back, before) = (number.magnitude, Int.max)
    // In pages, since a number typed wrong must not read a whole store into memory.
    while true {
      let count = Int(min(back, UInt(200)))
      let found = try messages(
        in: conversation, before: before, limit: count, for: me, receipts: UInt(count) == back)
      guard found.count == count, let first = found.first else {
        throw RuleError.noSuchMessage(number)
      }
      if back == count { return first }
      back -= UInt(count)
      before = first.number
    }
  }
}
