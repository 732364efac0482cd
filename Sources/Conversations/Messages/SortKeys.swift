// SPDX-License-Identifier: GPL-3.0-or-later

/// Assigns sort keys to the messages of a conversation by their time.
package struct SortKeys {
  private let conversation: ID<Conversation>
  /// The key that was last wanted and the one that was assigned: many messages can have the same
  /// time.
  private var last: (wanted: Int64, assigned: Int64)?
  /// The highest key in use; nil before it is read. Every key above it is free.
  private var highest: Int64?

  package init(of conversation: ID<Conversation>) { self.conversation = conversation }

  /// Assigns a key: `wanted`, or, if messages of its millisecond have that key or later ones, the
  /// first free key after them.
  package mutating func free(from wanted: Int64, in database: Database) throws -> Int64 {
    if try wanted > highest(in: database) {
      last = (wanted, wanted)
      highest = wanted
      return wanted
    }
    var key = wanted
    if let last, last.wanted == wanted { key = last.assigned + 1 }
    while true {
      let end = ((key >> SortKey.bits) + 1) << SortKey.bits
      let taken =
        try database.first(
          """
          SELECT sort FROM message WHERE conversation = ? AND sort >= ? AND sort < ?
          ORDER BY sort DESC LIMIT 1
          """, conversation, key, end
        ) { $0.int64() }
      if let taken { key = taken + 1 } else { break }
    }
    last = (wanted, key)
    note(key)
    return key
  }

  /// Records that a key is in use; whoever moves messages up needs new ``SortKeys``.
  package mutating func note(_ key: Int64) { highest = highest.map { max($0, key) } }

  private mutating func highest(in database: Database) throws -> Int64 {
    if let highest { return highest }
    let found = try database.first(
      "SELECT sort FROM message WHERE conversation = ? ORDER BY sort DESC LIMIT 1", conversation
    ) { $0.int64() }
    highest = found ?? .min
    return highest ?? .min
  }

  /// Assigns a key to a message of this time.
  package mutating func free(at time: Milliseconds, in database: Database) throws -> Int64 {
    try free(from: SortKey.first(at: time), in: database)
  }
}

extension Access {
  /// The key of the newest message; nil if there is none.
  func newestSortKey(in conversation: ID<Conversation>) throws -> Int64? {
    try database.first(
      "SELECT sort FROM message WHERE conversation = ? AND sort <= ? ORDER BY sort DESC LIMIT 1",
      conversation, SortKey.all.upperBound
    ) { $0.int64() }
  }

  /// The key of the newest of the messages with numbers up to this one; nil if there is none.
  package func newestSortKey(
    in conversation: ID<Conversation>, upToNumber number: Int
  ) throws -> Int64? {
    try database.first(
      """
      SELECT sort FROM message WHERE conversation = ? AND sort <= ? AND number <= ?
      ORDER BY sort DESC LIMIT 1
      """, conversation, SortKey.all.upperBound, number
    ) { $0.int64() }
  }

  /// The key of the newest message of all conversations.
  package func newestSortKey() throws -> Int64? {
    try database.first(
      """
      SELECT max((SELECT sort FROM message WHERE conversation = c.id AND sort <= ?
        ORDER BY sort DESC LIMIT 1)) FROM conversation c
      """, SortKey.all.upperBound
    ) { $0.optionalInt64() } ?? nil
  }

  /// The key of an arriving message: after all others, even if the clock is behind. It leaves room
  /// for missing messages: directly after a gap for all of them, and as long as there is a gap
  /// further back for some, since they may come after a message that the owner sent meanwhile.
  package func sortKey(ofArrivalAt time: Milliseconds, in conversation: ID<Conversation>) throws
    -> Int64
  {
    let key = SortKey.first(at: time)
    guard let newest = try newestSortKey(in: conversation), key < newest + SortKey.room else {
      return key
    }
    let isAfterGap = try database.first(
      "SELECT max(sort = ?2) FROM gap WHERE conversation = ?1", conversation, newest
    ) { $0.optionalInt64() }
    let distance: Int64 =
      switch isAfterGap ?? nil {
      case nil: 1
      case 0: SortKey.perMillisecond
      default: SortKey.room
      }
    return max(key, newest + distance)
  }

  /// The sort keys after which messages may be missing, because the network has not sent them when
  /// it was asked (rule 14.7).
  package func markedGaps(in conversation: ID<Conversation>) throws -> [Int64] {
    try database.rows(
      "SELECT sort FROM gap WHERE conversation = ? AND marked <> 0 ORDER BY sort", conversation
    ) { $0.int64() }
  }
}
