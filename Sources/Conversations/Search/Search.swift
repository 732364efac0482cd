// SPDX-License-Identifier: GPL-3.0-or-later

extension Access {
  fileprivate func senderID(
    named name: String, _ me: ID<Participant>, in open: ID<Conversation>?
  ) throws -> ID<Participant> {
    if let found = try find(participant: name, for: me, in: open) { return found.id }
    if try name.lowercased() == "me" || isOwnNick(name, of: me) { return me }
    throw RuleError.noSuchParticipant(name)
  }
}

extension Access {
  /// The messages that a query finds, newest first, whenever they were stored.
  ///
  /// It searches the conversations that `me` is in, including older messages, as `/history` shows
  /// them; in conversations that `me` left, only the messages of those stays. It does not find
  /// deleted or recalled messages. A search only reads: it never marks messages as seen (rule 7.3).
  ///
  /// - Parameters:
  ///   - query: from ``SearchQuery/parse(_:now:zone:)``.
  ///   - me: who searches.
  ///   - limit: the maximum number of hits to return.
  ///   - before: for the next page, the last hit of the previous page; returns only hits after it.
  ///   - anyRoom: whether to search other rooms as well, which anyone may read.
  ///   - open: the conversation where they search, which decides between people of the same name.
  /// - Throws: `RuleError.noSuchParticipant`, `.noSuchRoom`, `.ambiguous`, `.notAMember` for the
  ///   names in the query.
  public func search(
    _ query: SearchQuery, for me: ID<Participant>, limit: Int = 50, before: ID<Message>? = nil,
    anyRoom: Bool = false, in open: ID<Conversation>? = nil
  ) throws -> [SearchHit] {
    guard limit > 0, let match = try match(for: query, me, anyRoom: anyRoom, in: open) else {
      return []
    }
    let last = try before.flatMap { try stored($0) }
    let hits = SearchedHits(
      match: match, me: me, since: query.since ?? .min, until: query.until, anyRoom: anyRoom,
      hasFile: query.hasFile)
    let isLastOrdered = before.map { (1..<Message.older).contains($0.rawValue) } ?? true
    let ordered = try orderedHits(
      hits, behind: last, id: isLastOrdered ? before : nil, limit: limit)
    let unordered = try [Message.older...Int64.max, Int64.min...0].flatMap {
      try unorderedHits(hits, ids: $0, behind: last, limit: limit)
    }.sorted { ($0.sort, $0.id.rawValue) > ($1.sort, $1.id.rawValue) }
    return try presented(merged(ordered, unordered, limit: limit), to: me).map {
      SearchHit(message: $0, ranges: query.ranges(in: $0.body))
    }
  }

  /// Merges both lists by sort key; of equal keys, the hit with an id in order comes first.
  private func merged(_ ordered: [Message], _ unordered: [Message], limit: Int) -> [Message] {
    if unordered.isEmpty { return ordered }
    var (result, left, right) = ([Message](), ordered[...], unordered[...])
    while result.count < limit {
      let takesLeft = left.first.map { one in right.first.map { one.sort >= $0.sort } ?? true }
      guard let next = takesLeft == true ? left.popFirst() : right.popFirst() else { break }
      result.append(next)
    }
    return result
  }

  /// Hits whose ids are in the order of the messages, newest first: the search index has this
  /// order.
  ///
  /// - Parameters:
  ///   - last: the last hit before these.
  ///   - id: its id, if that is in order too.
  fileprivate func orderedHits(
    _ hits: SearchedHits, behind last: Message?, id: ID<Message>?, limit: Int
  ) throws -> [Message] {
    var (end, sort) = (id?.rawValue ?? Message.older, Int64.max)
    if id == nil, let last {
      sort = last.sort
      // No older message has a greater id, as long as the clock never jumps back.
      end =
        try database.first(
          """
          SELECT ifnull(max((SELECT id FROM message
            WHERE conversation = c.id AND sort < ?1 AND id BETWEEN 1 AND ?2
            ORDER BY sort DESC LIMIT 1)), 0) + 1 FROM conversation c
          """, sort, Message.older - 1
        ) { $0.int64() } ?? end
    }
    return try database.rows(
      hits.select(orderedBy: hits.id), hits.match, hits.me, hits.since, hits.until, hits.anyRoom,
      Int64(1), end - 1, limit, sort, sort == .max ? Int64.max : .min, read: Message.init(_:))
  }

  /// Hits whose ids are not in the order of the messages, newest first. Sorts a few at once; if
  /// there are many, as after a large import, it goes by year and by month.
  fileprivate func unorderedHits(
    _ hits: SearchedHits, ids: ClosedRange<Int64>, behind last: Message?, limit: Int
  ) throws -> [Message] {
    let holds = "SELECT 1 FROM message WHERE id BETWEEN ? AND ?"
    guard try database.exists(holds, ids.lowerBound, ids.upperBound) else { return [] }
    // If the last hit is none of these, hits with an equal sort key follow it.
    let isOfThese = last.map { !(1..<Message.older).contains($0.id.rawValue) } ?? false
    let end = isOfThese ? last?.id.rawValue ?? .max : Int64.max
    var found: [Message] = []
    func add(_ spans: [[String]], mayBeMany: Bool) throws {
      for span in spans where found.count < limit {
        let match =
          span.isEmpty ? hits.match : hits.match + " AND " + SearchExpression.facts(span)
        let count =
          try database.first(
            """
            SELECT count(*) FROM (SELECT 1 FROM message_text
              WHERE message_text MATCH ? AND rowid BETWEEN ? AND ? LIMIT ?)
            """, match, ids.lowerBound, ids.upperBound, SearchedHits.mostSorted + 1
          ) { $0.int() } ?? 0
        if count == 0 { continue }
        if count > SearchedHits.mostSorted, !mayBeMany {
          let isYear = !span.isEmpty
          try add(
            isYear ? span.map { [$0] } : years(until: last?.createdAt), mayBeMany: isYear)
          continue
        }
        found += try database.rows(
          hits.select(orderedBy: "m.sort DESC, m.id"), match, hits.me, hits.since, hits.until,
          hits.anyRoom, ids.lowerBound, ids.upperBound, limit - found.count, last?.sort ?? .max,
          end,
          read: Message.init(_:))
      }
    }
    try add([[]], mayBeMany: false)
    return found
  }

  /// The words for the years in which messages exist, newest first.
  private func years(until newest: Milliseconds?) throws -> [[String]] {
    let oldest = try database.first(
      """
      SELECT min((SELECT sort FROM message WHERE conversation = c.id AND sort IS NOT NULL
        ORDER BY sort LIMIT 1)) FROM conversation c
      """
    ) { $0.int64() }
    let end = try newest.map { $0 + 1_000 } ?? (newestSortKey() ?? 0) >> SortKey.bits
    return SearchMonths.years(from: (oldest ?? 0) >> SortKey.bits, to: end)
  }

  /// The query for FTS5: everything is quoted, so that none of it is syntax.
  ///
  /// - Returns: nil if nothing can match.
  fileprivate func match(
    for query: SearchQuery, _ me: ID<Participant>, anyRoom: Bool, in open: ID<Conversation>?
  ) throws -> String? {
    var conditions = query.terms.map(SearchExpression.words)
    let senders = try query.senders.map { try senderID(named: $0, me, in: open).rawValue }
    if !senders.isEmpty { conditions.append(SearchExpression.facts(senders.map { "s\($0)" })) }

    var conversations = try query.conversations.flatMap {
      try self.searchedConversations(named: $0, me, anyRoom: anyRoom, in: open)
    }
    if conversations.isEmpty, !anyRoom {
      let mine = try database.rows(
        "SELECT DISTINCT conversation FROM membership WHERE participant = ?", me
      ) { $0.id() as ID<Conversation> }
      let all = try database.first("SELECT count(*) FROM conversation") { $0.int() } ?? 0
      if mine.isEmpty { return nil }
      // Skip other people's conversations, unless the list grows too long to help.
      if mine.count < all, mine.count <= 64 { conversations = mine }
    }
    if !conversations.isEmpty {
      conditions.append(SearchExpression.facts(conversations.map { "c\($0.rawValue)" }))
    }
    if query.since != nil || query.until != nil || conditions.isEmpty {
      let newest = try database.first("SELECT max(last_at) FROM conversation") { $0.time() }
      let months = SearchMonths.words(
        since: query.since, until: query.until, newest: newest ?? 0)
      if let months {
        if months.isEmpty { return nil }
        conditions.append(SearchExpression.facts(months))
      } else if conditions.isEmpty {
        // The query has no condition: each message has the word of its conversation.
        let all = try database.rows("SELECT id FROM conversation") { $0.int64() }
        if all.isEmpty { return nil }
        conditions.append(SearchExpression.facts(all.map { "c\($0)" }))
      }
    }
    return conditions.joined(separator: " AND ")
  }

  /// A conversation, and the removed rooms of that name.
  fileprivate func searchedConversations(
    named name: String, _ me: ID<Participant>, anyRoom: Bool, in open: ID<Conversation>?
  ) throws -> [ID<Conversation>] {
    let bare = name.hasPrefix("#") ? name : "#" + name
    let removed: [ID<Conversation>] = try database.rows(
      """
      SELECT id FROM conversation c WHERE c.kind = \(Conversation.removed)
        AND (c.folded IN (?1, ?1 || '\(Conversation.removedSuffix)')
          OR substr(c.folded, 1, length(?1) + \(Conversation.removedSuffix.count + 1))
            = ?1 || '\(Conversation.removedSuffix)-')
        AND (?3 OR EXISTS (
          SELECT 1 FROM membership s WHERE s.conversation = c.id AND s.participant = ?2))
      """, bare.lowercased(), me, anyRoom
    ) { $0.id() }
    do {
      return try [conversation(named: name, me, anyRoom: anyRoom, in: open)] + removed
    } catch let error as RuleError {
      if removed.isEmpty { throw error }
      return removed
    }
  }

  fileprivate func conversation(
    named name: String, _ me: ID<Participant>, anyRoom: Bool, in open: ID<Conversation>?
  ) throws -> ID<Conversation> {
    if name.hasPrefix("@") {
      let other = try senderID(named: String(name.dropFirst()), me, in: open)
      let found: ID<Conversation>? = try database.first(
        "SELECT id FROM conversation WHERE kind = 1 AND one = min(?1, ?2) AND other = max(?1, ?2)",
        me, other
      ) { $0.id() }
      guard let found else { throw RuleError.noSuchRoom(name) }
      return found
    }
    let room: Conversation?
    do {
      room = try self.room(name, for: me, in: open)
    } catch RuleError.badName {
      room = nil
    }
    guard let room else { throw RuleError.noSuchRoom(name) }
    guard
      try anyRoom
        || database.exists(
          "SELECT 1 FROM membership WHERE conversation = ? AND participant = ?", room.id, me)
    else { throw RuleError.notAMember(room.name) }
    return room.id
  }
}

/// What to search for, and where.
private struct SearchedHits {
  /// The maximum number of hits to sort at once.
  static let mostSorted = 1_000

  let match: String
  let me: ID<Participant>
  let since: Milliseconds
  let until: Milliseconds?
  let anyRoom: Bool
  /// Whether to find only messages with files. Few have any, so the query goes through these and
  /// tests whether each is a hit.
  let hasFile: Bool

  var id: String { hasFile ? "a.message" : "message_text.rowid" }

  /// Returns hits with ids in a range from the first one on, in descending order, until there are
  /// enough.
  func select(orderedBy order: String) -> String {
    let source =
      hasFile
      ? "attachment a CROSS JOIN message_text ON message_text.rowid = a.message" : "message_text"
    let firstOnly =
      hasFile
      ? "AND a.ordinal = (SELECT min(ordinal) FROM attachment b WHERE b.message = a.message)" : ""
    return """
      SELECT \(Message.columns) FROM \(source) CROSS JOIN message m ON m.id = message_text.rowid
      CROSS JOIN participant p ON p.id = m.sender AND \(Message.isSound)\(Quote.joins)
      WHERE message_text MATCH ?1 AND \(id) BETWEEN ?6 AND ?7 AND m.gone = 0 \(firstOnly)
        AND (m.sort, m.id) < (?9, ?10)
        AND m.created_at >= ?3 AND (?4 IS NULL OR m.created_at < ?4)
        AND (EXISTS (SELECT 1 FROM membership s
            WHERE s.conversation = m.conversation AND s.participant = ?2
              AND (s.last IS NULL OR m.number BETWEEN s.first AND s.last
                -- Nobody left a room that was removed.
                OR EXISTS (SELECT 1 FROM conversation c
                  WHERE c.id = m.conversation AND c.kind = \(Conversation.removed))))
          OR ?5 AND EXISTS (SELECT 1 FROM conversation c WHERE c.id = m.conversation AND c.kind <> 1
            AND \(Account.isVisible(network: "c.network", to: "?2"))))
      ORDER BY \(order) DESC LIMIT ?8
      """
  }
}

/// Pieces of an FTS5 query (https://www.sqlite.org/fts5.html#full_text_query_syntax).
enum SearchExpression {
  static func words(_ term: SearchQuery.Term) -> String {
    "body : \(quoted(term.text))" + (term.isPrefix ? " *" : "")
  }

  static func facts(_ words: [String]) -> String {
    "facts : (\(words.map { quoted("\(Tokenizer.factMark)\($0)") }.joined(separator: " OR ")))"
  }

  /// SQLite reads the query as a C string, which a NUL would end.
  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      if scalar == "\"" || scalar.value == 0 {
        result += " "
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
