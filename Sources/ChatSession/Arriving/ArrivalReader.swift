// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// Reads what the store has new.
struct ArrivalReader {
  /// Up to which change it was read.
  var position: Int64 = 0
  /// Messages that were taken back when the others were told that they have come here.
  private var takenBack: Set<ID<Message>> = []

  mutating func next(
    for me: ID<Participant>, _ snapshot: borrowing Snapshot
  ) throws -> Changes {
    let changes = try snapshot.changes(since: position, for: me)
    position = changes.position
    return changes
  }

  mutating func note(takenBack: Set<ID<Message>>) { self.takenBack.formUnion(takenBack) }

  mutating func takeTakenBack() -> Set<ID<Message>> {
    defer { takenBack = [] }
    return takenBack
  }
}
