// SPDX-License-Identifier: GPL-3.0-or-later

/// The place of a message in its conversation, `message.sort`: its time in 1024ths of a
/// millisecond, or more if that is needed to come after others. It is assigned when the message is
/// stored and never changes, except in an import into another store where it is already taken.
package enum SortKey {
  package static let bits: Int64 = 10
  static let perMillisecond: Int64 = 1 << bits
  /// How many keys stay free after a gap, for the messages that are missing there.
  package static let room: Int64 = 1 << 20

  /// The keys that hobnob gives; readers leave out a row with another one.
  package static let all = (Message.times.lowerBound * perMillisecond)...(1 << 60)

  package static func first(at time: Milliseconds) -> Int64 {
    min(max(time, Message.times.lowerBound), Message.times.upperBound) * perMillisecond
  }

  package static func expression(for time: String) -> String {
    """
    min(max(\(time), \(Message.times.lowerBound)), \(Message.times.upperBound)) * \(perMillisecond)
    """
  }

  /// Whether message `m` has a key that this program gives. The + keeps SQLite from searching by
  /// it.
  package static let isSound = "+m.sort BETWEEN \(all.lowerBound) AND \(all.upperBound)"
}
