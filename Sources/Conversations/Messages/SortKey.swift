// SPDX-License-Identifier: GPL-3.0-or-later

/// The position of a message in its conversation, `message.sort`: its time in 1024ths of a
/// millisecond, or more where it must sort behind others. The store sets it once; only an import
/// into another store may find it taken and change it.
package enum SortKey {
  package static let bits: Int64 = 10
  static let perMillisecond: Int64 = 1 << bits

  /// Keys that this program assigns; it leaves out a row without one.
  package static let all = (JSONShape.times.lowerBound * perMillisecond)...(1 << 60)

  package static func first(at time: Milliseconds) -> Int64 {
    min(max(time, JSONShape.times.lowerBound), JSONShape.times.upperBound) * perMillisecond
  }

  package static func expression(for time: String) -> String {
    """
    min(max(\(time), \(JSONShape.times.lowerBound)), \(JSONShape.times.upperBound)) * \(perMillisecond)
    """
  }

  /// Whether message `m` has a key that this program assigns. The + keeps SQLite from searching by
  /// it.
  package static let isSound = "+m.sort BETWEEN \(all.lowerBound) AND \(all.upperBound)"
}

/// Assigns keys to messages of a conversation by their time.
package struct SortKeys {
  private let conversation: ID<Conversation>
  /// The last wanted key and the one assigned: many messages may have one time.
  private var last: (wanted: Int64, given: Int64)?

  package init(of conversation: ID<Conversation>) { self.conversation = conversation }

  /// The first free key from a wanted one on, behind those of the same millisecond.
  package mutating func free(from wanted: Int64, in database: Database) throws -> Int64 {
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
    return key
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
