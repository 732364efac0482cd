// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// The conversations that the person is in, in the order of `/list` and with its numbers, for `set
/// toolbar conversations`. The store is asked again only if they may have changed.
package struct JoinedConversations {
  /// The first of them, as many as can ever fit in a row of a terminal.
  package private(set) var shown: [(number: Int, conversation: Conversation)] = []
  private var all: Set<ID<Conversation>> = []
  private var isStale = true
  /// The open conversation at the last read, which the person may have left.
  private var open: ID<Conversation>?

  /// How many there are.
  package var count: Int { all.count }

  private static let mostShown = 100

  /// Records changes that may add, remove or rename a conversation.
  mutating func note(_ changes: Changes) {
    isStale =
      isStale || changes.peopleChanged || !changes.events.isEmpty
      || changes.arrived.contains { !all.contains($0.conversation) }
  }

  /// Reads them if they may have changed.
  ///
  /// - Parameter open: the open conversation, which may be new.
  /// - Throws: `StoreError`.
  mutating func read(
    for me: ID<Participant>, open: Conversation?, _ snapshot: borrowing Snapshot
  ) throws {
    let isNew = open.map { $0.id != self.open && !all.contains($0.id) } ?? false
    guard isStale || isNew else { return }
    let joined = try snapshot.joined(by: me)
    all = Set(joined)
    shown = []
    for (index, id) in joined.prefix(Self.mostShown).enumerated() {
      guard let conversation = try snapshot.conversation(id, for: me) else { continue }
      shown.append((index + 1, conversation))
    }
    (isStale, self.open) = (false, open?.id)
  }
}
