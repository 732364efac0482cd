// SPDX-License-Identifier: GPL-3.0-or-later

/// Draws the ids of messages that did not arrive, of an import or from an archive, from their times, so
/// that of two of them the later one has the greater id, whichever came first: search goes by ids.
///
/// All are below zero, and so before whatever is said here.
package struct BackfillIDs {
  /// Ids for the messages of a millisecond. Logs that know only the minute have more in one: then
  /// those of the next milliseconds follow, which in such a log are empty.
  private static let room: Int64 = 1024
  private static let zero: Int64 = -(1 << 60)

  /// The millisecond to look at instead of one whose ids are all taken.
  private var after: [Milliseconds: Milliseconds] = [:]
  /// Where the last message went.
  private var last: (time: Milliseconds, id: Int64)?

  private static func first(at time: Milliseconds) -> Int64 { zero + time * room }

  package init() {}

  /// The id behind all those of that time that are taken. It is free until `use` marks it so.
  package mutating func next(
    at time: Milliseconds, in database: Database
  ) throws -> ID<Message> {
    var found = end(of: time)
    while true {
      let first = BackfillIDs.first(at: found)
      let id: Int64
      if let last, last.time == found {
        id = last.id + 1
      } else {
        let greatest = try database.first(
          "SELECT max(id) FROM message WHERE id BETWEEN ? AND ?", first,
          first + BackfillIDs.room - 1
        ) { $0.optionalInt64() }
        id = (greatest ?? nil).map { $0 + 1 } ?? first
      }
      if id < first + BackfillIDs.room { return ID(rawValue: id) }
      after[found] = found + 1
      found = end(of: found + 1)
    }
  }

  package mutating func use(_ id: ID<Message>) {
    last = ((id.rawValue - BackfillIDs.zero) >> 10, id.rawValue)
  }

  /// Follows the full milliseconds, and remembers the way.
  private mutating func end(of time: Milliseconds) -> Milliseconds {
    var end = time
    while let next = after[end] { end = next }
    var place = time
    while let next = after[place] {
      after[place] = end
      place = next
    }
    return end
  }
}
