// SPDX-License-Identifier: GPL-3.0-or-later

extension Reading where Self: ~Copyable {
  fileprivate var keepsFiles: Bool {
    get throws {
      try database.exists(
        "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'attachment'")
    }
  }

  fileprivate func sender(named name: String, _ me: ID<Participant>) throws -> ID<Participant> {
    if let found = try find(participant: name, for: me) { return found.id }
    if name.lowercased() == "me" { return me }
    throw RuleError.noSuchParticipant(name)
  }
}

extension Reading where Self: ~Copyable {
  /// The messages that a query finds, newest first: what was said here, then what was imported.
  ///
  /// Looked through are the conversations I am in, older messages included, as `/history` shows
  /// them; of those I left, the messages of my stays. What is deleted or taken back is not found.
  /// Searching reads only; nobody is told that anything was seen (rule 7.3).
  ///
  /// - Parameters:
  ///   - limit: at most so many.
  ///   - before: only messages that arrived before this one: the last hit, for the next page.
  ///   - anyRoom: also looks through the rooms I am not in, which anyone may read.
  /// - Throws: `RuleError.noSuchParticipant`, `.noSuchRoom`, `.ambiguous`, `.notAMember` for the
  ///   names in the query.
  public func search(
    _ query: SearchQuery, for me: ID<Participant>, limit: Int = 50, before: ID<Message>? = nil,
    anyRoom: Bool = false
  ) throws -> [SearchHit] {
    guard limit > 0, let match = try match(for: query, me, anyRoom: anyRoom) else { return [] }
    if query.hasFile, try !keepsFiles { return [] }
    let found = try database.rows(
      Store.searchSelect(files: query.hasFile), match, before?.rawValue ?? .max, me,
      query.since ?? .min, query.until, limit, anyRoom, read: Store.message)
    return try presented(found, to: me).map {
      SearchHit(message: $0, ranges: query.ranges(in: $0.body))
    }
  }

  /// The query in the language of FTS5: everything in quotes, so that nothing of it is syntax.
  ///
  /// - Returns: nil if nothing can be found.
  fileprivate func match(
    for query: SearchQuery, _ me: ID<Participant>, anyRoom: Bool
  ) throws -> String? {
    var conditions = query.terms.map(SearchExpression.words)
    let senders = try query.senders.map { try sender(named: $0, me).rawValue }
    if !senders.isEmpty { conditions.append(SearchExpression.facts(senders.map { "s\($0)" })) }

    var places = try query.places.flatMap { try self.places(named: $0, me, anyRoom: anyRoom) }
    if places.isEmpty, !anyRoom {
      let mine = try database.rows(
        "SELECT DISTINCT conversation FROM membership WHERE participant = ?", me
      ) { $0.id() as ID<Conversation> }
      let all = try database.first("SELECT count(*) FROM conversation") { $0.int() } ?? 0
      if mine.isEmpty { return nil }
      // The rest is for others: not even looked at, unless the list grows too long to help.
      if mine.count < all, mine.count <= 64 { places = mine }
    }
    if !places.isEmpty {
      conditions.append(SearchExpression.facts(places.map { "c\($0.rawValue)" }))
    }
    if query.since != nil || query.until != nil || conditions.isEmpty {
      let newest = try database.first("SELECT max(last_at) FROM conversation") { $0.time() }
      let months = SearchMonths.words(
        since: query.since, until: query.until, newest: newest ?? 0)
      if let months {
        if months.isEmpty { return nil }
        conditions.append(SearchExpression.facts(months))
      } else if conditions.isEmpty {
        // All of mine: it has to be said in words that the index knows.
        conditions.append(SearchExpression.everything)
      }
    }
    return conditions.joined(separator: " AND ")
  }

  /// A conversation, and the rooms of that name that were removed.
  fileprivate func places(
    named name: String, _ me: ID<Participant>, anyRoom: Bool
  ) throws -> [ID<Conversation>] {
    let bare = name.hasPrefix("#") ? name : "#" + name
    let removed: [ID<Conversation>] = try database.rows(
      """
      SELECT id FROM conversation c WHERE c.kind = \(Store.removed)
        AND (c.folded IN (?1, ?1 || '\(Store.removedSuffix)')
          OR substr(c.folded, 1, length(?1) + \(Store.removedSuffix.count + 1))
            = ?1 || '\(Store.removedSuffix)-')
        AND (?3 OR EXISTS (
          SELECT 1 FROM membership s WHERE s.conversation = c.id AND s.participant = ?2))
      """, bare.lowercased(), me, anyRoom
    ) { $0.id() }
    do {
      return try [place(named: name, me, anyRoom: anyRoom)] + removed
    } catch let error as RuleError {
      if removed.isEmpty { throw error }
      return removed
    }
  }

  fileprivate func place(
    named name: String, _ me: ID<Participant>, anyRoom: Bool
  ) throws -> ID<Conversation> {
    if name.hasPrefix("@") {
      let other = try sender(named: String(name.dropFirst()), me)
      let found: ID<Conversation>? = try database.first(
        "SELECT id FROM conversation WHERE kind = 1 AND one = min(?1, ?2) AND other = max(?1, ?2)",
        me, other
      ) { $0.id() }
      guard let found else { throw RuleError.noSuchRoom(name) }
      return found
    }
    let room: Conversation?
    do {
      room = try self.room(name, for: me)
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

extension Store {
  /// Goes through the hits from the newest back until there are enough. Few messages have files: then
  /// it goes through those, and asks of each whether it is a hit.
  fileprivate static func searchSelect(files: Bool) -> String {
    let (source, order) =
      files
      ? ("attachment a CROSS JOIN message_text ON message_text.rowid = a.message", "a.message")
      : ("message_text", "message_text.rowid")
    let firstOnly =
      files
      ? "AND a.ordinal = (SELECT min(ordinal) FROM attachment b WHERE b.message = a.message)" : ""
    return """
      SELECT \(messageColumns) FROM \(source) CROSS JOIN message m ON m.id = message_text.rowid
      CROSS JOIN participant p ON p.id = m.sender AND \(isSound)\(quoteJoins)
      WHERE message_text MATCH ?1 AND \(order) < ?2 AND m.gone = 0 \(firstOnly)
        AND m.created_at >= ?4 AND (?5 IS NULL OR m.created_at < ?5)
        AND (EXISTS (SELECT 1 FROM membership s
            WHERE s.conversation = m.conversation AND s.participant = ?3
              AND (s.last IS NULL OR m.number BETWEEN s.first AND s.last
                -- Nobody left a room that was removed.
                OR EXISTS (SELECT 1 FROM conversation c
                  WHERE c.id = m.conversation AND c.kind = \(removed))))
          OR ?7 AND EXISTS (SELECT 1 FROM conversation c WHERE c.id = m.conversation AND c.kind <> 1
            AND \(isSeen(network: "c.network", by: "?3"))))
      ORDER BY \(order) DESC LIMIT ?6
      """
  }
}

/// Pieces of an FTS5 query (https://www.sqlite.org/fts5.html#full_text_query_syntax).
enum SearchExpression {
  static func words(_ term: SearchQuery.Term) -> String {
    "body : \(quoted(term.text))" + (term.isPrefix ? " *" : "")
  }

  static func facts(_ words: [String]) -> String {
    "facts : (\(words.map(quoted).joined(separator: " OR ")))"
  }

  /// Each message has a year.
  static let everything = "facts : \"y\" *"

  /// SQLite takes the query for a C string, which a NUL would end.
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
