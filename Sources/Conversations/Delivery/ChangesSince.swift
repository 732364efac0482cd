// SPDX-License-Identifier: GPL-3.0-or-later

extension Access {
  /// The number of the newest change; the first argument for `changes(since:for:limit:)`.
  public var position: Int64 {
    get throws { try database.first("SELECT change FROM meta") { $0.int64() } ?? 0 }
  }

  /// What has changed since a position.
  ///
  /// - Parameters:
  ///   - since: the last `Changes.position`, or `position` at the start.
  ///   - me: whose conversations count.
  ///   - limit: the maximum number of messages of each kind; if there are more, `hasMore` is set.
  public func changes(
    since: Int64, for me: ID<Participant>, limit: Int = 500
  ) throws -> Changes {
    // The most frequent case, no change, takes one query.
    let now = try position
    // The position is smaller if someone put an older copy of the file back.
    if now <= since { return Changes(position: now) }
    return try collect(since: since, for: me, limit: min(max(1, limit), Int(Int32.max)))
  }

  fileprivate func collect(since: Int64, for me: ID<Participant>, limit: Int) throws -> Changes {
    let counter = try database.first("SELECT change, people FROM meta") {
      (change: $0.int64("change"), people: $0.int64("people"))
    }
    var changes = Changes(position: counter?.change ?? since)

    // The + keeps SQLite from searching by that column: scanning the few new rows is much faster
    // than reading all of one sender's.

    // Only messages from the viewer's stays arrive; earlier ones are read on entering.
    let arrived = try database.rows(
      Message.select
        + """
        WHERE m.id > ?1 AND m.id < \(Message.older) AND m.brought = 0 AND m.gone < 2 AND EXISTS (
          SELECT 1 FROM membership s WHERE s.conversation = m.conversation AND s.participant = ?2
            AND s.first <= m.number AND (s.last IS NULL OR s.last >= m.number))
        ORDER BY m.id LIMIT ?3
        """, since, me, limit + 1
    ) { (number: $0.int64("id"), message: Message($0)) }
    let revised = try database.rows(
      Message.select
        + """
        WHERE m.revised > ?1 AND (+m.id <= ?1 OR m.brought > 0) AND EXISTS (
          SELECT 1 FROM membership s WHERE s.conversation = m.conversation AND s.participant = ?2
            AND s.last IS NULL)
        ORDER BY m.revised LIMIT ?3
        """, since, me, limit + 1
    ) { (number: $0.int64("revised"), message: Message($0)) }
    let moved = try database.rows(
      Message.select
        + "WHERE m.moved > ?1 AND +m.sender = ?2 AND m.gone < 2 ORDER BY m.moved LIMIT ?3",
      since, me, limit + 1
    ) { (number: $0.int64("moved"), message: Message($0)) }

    let reacted = try reactions(since: since, for: me, limit: limit + 1)

    // All these lists must end at the same position; otherwise changes would be lost or repeated.
    for list in [arrived, revised, moved] where list.count > limit {
      changes.position = min(changes.position, list[limit - 1].number)
      changes.hasMore = true
    }
    if reacted.count > limit {
      changes.position = min(changes.position, reacted[limit - 1].number)
      changes.hasMore = true
    }
    let end = changes.position
    func reported(_ list: [NumberedMessage]) throws -> [Message] {
      try presented(list.filter { $0.number <= end }.map(\.message), to: me)
    }
    changes.arrived = try reported(arrived)
    changes.revised = try reported(revised)
    changes.moved = try reported(moved)
    changes.reacted = try reactionUpdates(reacted.filter { $0.number <= end }, for: me)
    changes.events = try events(after: since, upTo: end, for: me)

    let marks = try database.rows(
      """
      SELECT r.conversation, r.participant = ?3 AS is_mine FROM reader r
      WHERE r.change > ?1 AND r.change <= ?2 AND EXISTS (
        SELECT 1 FROM membership s
        WHERE s.conversation = r.conversation AND s.participant = ?3)
      """, since, end, me
    ) { (conversation: $0.id("conversation") as ID<Conversation>, isMine: $0.bool("is_mine")) }
    changes.receiptsChanged = Set(marks.map(\.conversation))
    changes.readElsewhere = Set(marks.filter(\.isMine).map(\.conversation))
    changes.typing = try database.rows(
      """
      SELECT \(Participant.columns), t.conversation, t.active, t.at, t.shell
      FROM typing t JOIN participant p ON p.id = t.participant
      JOIN membership s ON s.conversation = t.conversation AND s.participant = ?3 AND s.last IS NULL
      WHERE t.change > ?1 AND t.change <= ?2 AND t.participant <> ?3 ORDER BY t.change
      """, since, end, me
    ) {
      TypingSignal(
        participant: Participant($0), conversation: $0.id("conversation"),
        isTyping: $0.bool("active"), at: $0.time("at"),
        shell: ShellID(rawValue: $0.text("shell")))
    }
    changes.peopleChanged = (counter?.people ?? 0) > since
    changes.networkChanged = try database.exists(
      "SELECT 1 FROM account WHERE owner = ? AND change > ? AND change <= ?", me, since, end)
    changes.answers = try networkAnswers(after: since, upTo: end, for: me)
    changes.notices = try accountNotices(after: since, upTo: end, for: me)
    changes.historyChanged = try database.exists(
      "SELECT 1 FROM history WHERE participant = ? AND change > ? AND change <= ? AND shell <> ?",
      me, since, end, presence?.id ?? "")
    return changes
  }

  /// What happened in the viewer's conversations, and what they did or were asked.
  func events(
    after start: Int64, upTo end: Int64, for me: ID<Participant>
  ) throws -> [Event] {
    try database.rows(
      Event.select
        + """
        WHERE e.id > ?1 AND e.id <= ?2 AND (?3 IN (e.participant, e.other) OR EXISTS (
          SELECT 1 FROM membership s WHERE s.conversation = e.conversation AND s.participant = ?3
            -- Nobody is left in a removed room; see `remove`.
            AND (s.last IS NULL OR e.kind = \(Event.Kind.roomRemoved.rawValue) AND s.last > (
              SELECT c.last_number FROM conversation c WHERE c.id = e.conversation))))
        ORDER BY e.id
        """, start, end, me, read: { Event($0) }
    ).compactMap { $0 }
  }
}

private typealias NumberedMessage = (number: Int64, message: Message)
