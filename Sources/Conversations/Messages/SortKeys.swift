// SPDX-License-Identifier: GPL-3.0-or-later

/// Gives messages of a conversation keys by their time.
package struct SortKeys {
  private let conversation: ID<Conversation>
  /// The last wanted key and the one assigned: many messages may have one time.
  private var last: (wanted: Int64, given: Int64)?
  /// The highest key there is; nil before the first question. Behind it every key is free.
  private var highest: Int64?

  package init(of conversation: ID<Conversation>) { self.conversation = conversation }

  /// The first free key from a wanted one on, behind those of the same millisecond.
  package mutating func free(from wanted: Int64, in database: Database) throws -> Int64 {
    if try wanted > highest(in: database) {
      last = (wanted, wanted)
      highest = wanted
      return wanted
    }
    var key = wanted
    if let last, last.wanted == wanted { key = last.given + 1 }
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

  /// Records a key that was given in another way.
  package mutating func note(_ key: Int64) { highest = highest.map { max($0, key) } }

  private mutating func highest(in database: Database) throws -> Int64 {
    if let highest { return highest }
    let found = try database.first(
      "SELECT sort FROM message WHERE conversation = ? ORDER BY sort DESC LIMIT 1", conversation
    ) { $0.int64() }
    highest = found ?? .min
    return highest ?? .min
  }

  /// The first free key from a time on.
  package mutating func free(at time: Milliseconds, in database: Database) throws -> Int64 {
    try free(from: SortKey.first(at: time), in: database)
  }
}

extension Reading where Self: ~Copyable {
  /// The key of the newest message; nil if there is none.
  func newestSort(in conversation: ID<Conversation>) throws -> Int64? {
    try database.first(
      "SELECT sort FROM message WHERE conversation = ? AND sort <= ? ORDER BY sort DESC LIMIT 1",
      conversation, SortKey.all.upperBound
    ) { $0.int64() }
  }

  /// The key of the newest message of all conversations.
  package func newestSort() throws -> Int64? {
    try database.first(
      """
      SELECT max((SELECT sort FROM message WHERE conversation = c.id AND sort <= ?
        ORDER BY sort DESC LIMIT 1)) FROM conversation c
      """, SortKey.all.upperBound
    ) { $0.optionalInt64() } ?? nil
  }

  /// The key of an arriving message: behind all others, whatever the clock says.
  package func sort(ofArrivalAt time: Milliseconds, in conversation: ID<Conversation>) throws
    -> Int64
  {
    let key = SortKey.first(at: time)
    guard let newest = try newestSort(in: conversation) else { return key }
    return max(key, newest + 1)
  }
}
