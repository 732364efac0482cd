// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// Reads new changes from the store.
struct ArrivalReader {
  /// The last change that it has read.
  var position: Int64 = 0
  /// Messages that were recalled before this shell reported that it had them.
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
