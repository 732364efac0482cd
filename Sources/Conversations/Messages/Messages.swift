// SPDX-License-Identifier: GPL-3.0-or-later

extension Access {
  /// The messages before the one with a number, or the newest ones, in order (rule 7.1). Leaves out
  /// recalled messages; includes deleted ones, without a body. Without `receipts`, it reports the
  /// viewer's messages that others have as `sent`, which is faster; without `andIgnored`, it leaves
  /// out those of people whom the viewer ignores (rule 7.11).
  public func messages(
    in conversation: ID<Conversation>, before number: Int? = nil, limit: Int,
    for me: ID<Participant>, receipts: Bool = true, andIgnored: Bool = true
  ) throws -> [Message] {
    let end = try number.map { try sort(ofNumber: $0, in: conversation) } ?? .max
    return try messages(
      in: conversation, sorts: .min..<end, newest: limit, for: me, receipts: receipts,
      andIgnored: andIgnored)
  }

  /// The newest messages in a range of sort keys, ascending.
  package func messages(
    in conversation: ID<Conversation>, sorts: Range<Int64>, newest limit: Int,
    for me: ID<Participant>, receipts: Bool = true, andIgnored: Bool = true
  ) throws -> [Message] {
    guard try self.conversation(conversation, for: me) != nil else { return [] }
    let found = try database.rows(
      Message.select
        + """
        WHERE m.conversation = ? AND m.sort >= ? AND m.sort < ? AND m.gone < 2
          AND \(Message.isNotIgnored)
        ORDER BY m.sort DESC LIMIT ?
        """, conversation, sorts.lowerBound, sorts.upperBound, andIgnored ? Participant.nobody : me,
      max(0, limit), read: Message.init(_:))
    return try presented(found.reversed(), to: me, receipts: receipts)
  }

  /// The oldest messages in a range of sort keys, ascending.
  package func messages(
    in conversation: ID<Conversation>, sorts: Range<Int64>, oldest limit: Int,
    for me: ID<Participant>
  ) throws -> [Message] {
    guard try self.conversation(conversation, for: me) != nil else { return [] }
    let found = try database.rows(
      Message.select
        + """
        WHERE m.conversation = ? AND m.sort >= ? AND m.sort < ? AND m.gone < 2
        ORDER BY m.sort LIMIT ?
        """, conversation, sorts.lowerBound, sorts.upperBound, max(0, limit),
      read: Message.init(_:))
    return try presented(found, to: me)
  }

  /// The sort key of the message with a number; if there is none, the key after the previous
  /// message.
  fileprivate func sort(ofNumber number: Int, in conversation: ID<Conversation>) throws -> Int64 {
    try database.first(
      """
      SELECT min(sort, \(SortKey.all.upperBound)) + (number < ?2) AS sort FROM message
      WHERE conversation = ?1 AND number <= ?2 ORDER BY number DESC LIMIT 1
      """, conversation, number
    ) { $0.int64() } ?? .min
  }

  /// The range of sort keys of the messages with these numbers; nil if there are none.
  package func sorts(
    ofNumbers numbers: ClosedRange<Int>, in conversation: ID<Conversation>
  ) throws -> ClosedRange<Int64>? {
    let found = try database.first(
      """
      SELECT min(sort) AS least, max(sort) AS greatest FROM message m
      WHERE conversation = ? AND number BETWEEN ? AND ? AND \(SortKey.isSound)
      """, conversation, numbers.lowerBound, numbers.upperBound
    ) { $0.isNull("least") ? nil : (least: $0.int64("least"), greatest: $0.int64("greatest")) }
    return (found ?? nil).map { $0.least...$0.greatest }
  }

  /// The sort key after the last message that was written before a moment. No message from before
  /// that moment has this key or a later one, even if the clock was wrong when it was stored.
  package func sort(
    behindTime time: Milliseconds, in conversation: ID<Conversation>
  ) throws -> Int64 {
    let displaced =
      try database.first(
        """
        SELECT max(sort) FROM message WHERE conversation = ? AND created_at < ?
          AND sort >> \(SortKey.bits) <> created_at
        """, conversation, time
      ) { $0.optionalInt64() } ?? nil
    return max(SortKey.first(at: time), min(displaced ?? .min, SortKey.all.upperBound) + 1)
  }

  /// The messages with these numbers, in order. Includes deleted ones, without a body; leaves out
  /// recalled ones.
  public func messages(
    in conversation: ID<Conversation>, numbers: ClosedRange<Int>, for me: ID<Participant>
  ) throws -> [Message] {
    guard try self.conversation(conversation, for: me) != nil else { return [] }
    let found = try database.rows(
      Message.select
        + """
        WHERE m.conversation = ? AND m.number BETWEEN ? AND ? AND m.gone < 2 ORDER BY m.sort
        """, conversation, numbers.lowerBound, numbers.upperBound, read: Message.init(_:))
    return try presented(found, to: me)
  }

  /// The message with that number; nil if there is none or its sender recalled it.
  public func message(
    number: Int, in conversation: ID<Conversation>, for me: ID<Participant>
  ) throws -> Message? {
    try messages(in: conversation, numbers: number...number, for: me).first
  }

  /// A person's newest message that is neither deleted, recalled nor past, in any state. Skips
  /// `skipping` newer ones: with 1, it returns the second newest.
  public func newest(
    by me: ID<Participant>, in conversation: ID<Conversation>, skipping: Int = 0
  ) throws -> Message? {
    // The query adds to this number.
    let back = min(max(0, skipping), .max / 2) + 1
    let found = try database.rows(
      Message.select
        + """
        WHERE m.id = (
          SELECT id FROM (
            SELECT id, sort FROM message
            WHERE sender = ?1 AND conversation = ?2 AND brought < 2 AND gone = 0
            ORDER BY number DESC LIMIT ?3 + \(Self.mostOwnMissed))
          ORDER BY sort DESC LIMIT 1 OFFSET ?3 - 1)
        """, me, conversation, back, read: Message.init(_:))
    return try presented(found, to: me).first
  }

  /// Numbers follow the order, except those of messages that were missed: `newest` also finds the
  /// newest one if its sender wrote up to this many on another device during a break.
  private static var mostOwnMissed: Int { 100 }

  /// A person's messages that are `sending` or `failed`, in their order.
  public func unsent(
    by me: ID<Participant>, in conversation: ID<Conversation>? = nil
  ) throws -> [Message] {
    try database.rows(
      Message.select
        + """
        WHERE m.sender = ?1 AND m.state < 2 AND m.gone = 0
          AND (?2 IS NULL OR m.conversation = ?2) ORDER BY m.sort, m.id
        """, me, conversation, read: Message.init(_:))
  }

  /// The earlier texts of an edited message, oldest first.
  public func revisions(of message: ID<Message>) throws -> [Revision] {
    try database.rows(
      "SELECT body, at FROM revision WHERE message = ? ORDER BY ordinal", message
    ) { Revision(body: $0.text("body"), at: $0.time("at")) }
  }

  /// Fills in the delivery states for the viewer: the state of an own message depends on the
  /// recipients' marks; other people's messages are `sent`.
  func presented(
    _ messages: [Message], to me: ID<Participant>, receipts: Bool = true
  ) throws -> [Message] {
    // Change them in place, and without a dictionary, since the first prompt waits for this.
    var messages = messages
    var known: (conversation: ID<Conversation>, audience: Audience)?
    var encrypted: (conversation: ID<Conversation>, first: Int64?)?
    // A single message does not require a walk through all members.
    if receipts, messages.count == 1, messages[0].sender == me, messages[0].state == .sent,
      !messages[0].isPast
    {
      messages[0].state = try deliveryCounts(of: messages[0]).state
      return messages
    }
    for index in messages.indices {
      if messages[index].sender != me {
        messages[index].state = .sent
        messages[index].failure = nil
        let (conversation, kind) = (messages[index].conversation, messages[index].kind)
        guard messages[index].encryption == .none, kind == .text || kind == .action else {
          continue
        }
        if encrypted?.conversation != conversation {
          encrypted = (conversation, try firstEncrypted(in: conversation))
        }
        if let first = encrypted?.first {
          messages[index].lacksEncryption = messages[index].sort > first
        }
      } else if receipts, messages[index].state == .sent, !messages[index].isPast {
        let conversation = messages[index].conversation
        if known?.conversation != conversation {
          known = (conversation, try audience(of: conversation))
        }
        if let known {
          messages[index].state = known.audience.deliveryCounts(of: messages[index]).state
        }
      }
    }
    return messages
  }

  /// The sort key of the first encrypted message, if a conversation's messages are encrypted now.
  private func firstEncrypted(in conversation: ID<Conversation>) throws -> Int64? {
    let first = try database.first(
      """
      SELECT min(sort) FROM message
      WHERE conversation = ? AND encrypted > 0 AND encrypted < 4
      """, conversation
    ) { $0.optionalInt64() }
    guard let first = first ?? nil, try knownAbilities(of: conversation).encryption.isOn else {
      return nil
    }
    return first
  }
}

extension Sequence<Message> {
  /// The messages in the order of rule 7.1: seen, delivered and sent ones, then failed, then
  /// sending ones.
  public func inOrder() -> [Message] {
    func rank(_ message: Message) -> Int {
      // Nobody waits for a message that was deleted on its way.
      if message.deletedAt != nil { return 0 }
      return switch message.state {
      case .sent, .delivered, .seen: 0
      case .failed: 1
      case .sending: 2
      }
    }
    return sorted {
      (rank($0), $0.sort, $0.id.rawValue) < (rank($1), $1.sort, $1.id.rawValue)
    }
  }
}

extension Access {
  /// The message that N names, or -N from the newest, by any sender (rule 7.5).
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
    var (back, before) = (number.magnitude, nil as Int?)
    // Read in pages, since a mistyped number must not read a whole store into memory.
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

extension Access {
  /// The message that a person wants to change: the one with number N, by any sender or, for -N,
  /// their own Nth newest (rule 7.5).
  ///
  /// - Throws: `RuleError.noSuchMessage`, or `missing` for -N; `StoreError`.
  package func message(
    toChange number: Int, in conversation: ID<Conversation>, by me: ID<Participant>,
    missing: RuleError
  ) throws -> Message {
    if number < 0 {
      let back = Int(clamping: number.magnitude)
      guard let message = try newest(by: me, in: conversation, skipping: back - 1) else {
        throw missing
      }
      return message
    }
    guard let message = try message(number: number, in: conversation, for: me),
      !message.isRecalled
    else { throw RuleError.noSuchMessage(number) }
    return message
  }

  /// Whether hobnob can read neither a message nor the one before it, by the same sender: a run of
  /// them rings once (rule 14.10).
  package func continuesUnreadable(_ message: Message) throws -> Bool {
    guard message.kind == .unreadable else { return false }
    let before = try database.first(
      """
      SELECT sender, kind FROM message WHERE conversation = ? AND sort < ?
      ORDER BY sort DESC LIMIT 1
      """, message.conversation, message.sort
    ) { (sender: $0.id("sender") as ID<Participant>, kind: Message.Kind(rawValue: $0.int("kind"))) }
    return before.map { $0.sender == message.sender && $0.kind == .unreadable } ?? false
  }
}
