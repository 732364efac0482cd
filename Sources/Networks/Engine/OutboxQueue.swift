// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Sentences

/// An entry of the outbox in the form in which a network sends it.
package protocol OutgoingItem: Sendable {
  var entry: OutboxEntry { get set }
  /// Whether some of it has yet to go out.
  var isWaiting: Bool { get }
  /// Whether none of it is on its way, so that it can be forgotten when the owner takes it back.
  var isRecallable: Bool { get }
  /// Whether others may have some of it.
  var mayHaveArrived: Bool { get }
  /// How many lines it has for a throttle.
  var lineCount: Int { get }
  /// Notes that the owner took it back while it was on its way.
  mutating func cancel()
}

/// Whether an entry of the outbox can go out now.
package enum Readiness {
  case ready
  /// Something else comes first, such as entering a room.
  case later
  /// Why it cannot be sent.
  case never(Remark)
}

/// What the owner wrote and the network does not have yet: which entries wait, in which order they
/// go out, and which of them the store knows to be on their way.
package struct OutboxQueue<Item: OutgoingItem>: Sendable {
  package typealias ID = OutboxEntry.ID

  private var items: [ID: Item] = [:]
  /// Entries that have ended here, but may still be in the store's outbox.
  private var ended: Set<ID> = []
  /// The entries that were chosen to be sent next, and those of them that the store has recorded as
  /// tried.
  private var (chosen, tried): (Set<ID>, Set<ID>) = ([], [])

  package init() {}

  /// Setting nil forgets an entry; if it is still in the store's outbox, it begins anew.
  package subscript(id: ID) -> Item? {
    get { items[id] }
    set {
      items[id] = newValue
      guard newValue == nil else { return }
      chosen.remove(id)
      tried.remove(id)
    }
  }

  package var ids: [ID] { items.keys.sorted() }
  /// All of them, in order.
  package var all: [Item] { ids.compactMap { items[$0] } }
  /// All of them, in any order.
  package var values: some Collection<Item> { items.values }

  /// Takes over the outbox's entries as they are now.
  ///
  /// - Returns: the entries that are new, in order, and the ids of those that the owner took back
  ///   while they were on their way.
  package mutating func takeOver(
    _ entries: [OutboxEntry], in context: inout some NetworkContext
  ) -> (new: [OutboxEntry], cancelled: [ID]) {
    let ids = Set(entries.map(\.id))
    ended.formIntersection(ids)
    var cancelled: [ID] = []
    for (id, item) in items where !ids.contains(id) {
      guard item.isRecallable else {
        items[id]?.cancel()
        cancelled.append(id)
        continue
      }
      // The store may take it for one that is on its way.
      if chosen.contains(id) || tried.contains(id) || item.entry.wasTried, !item.mayHaveArrived,
        item.entry.operation == .send
      {
        context.tell(.neverSent(item.entry))
      }
      self[id] = nil
    }
    return (entries.filter { !ended.contains($0.id) && items[$0.id] == nil }, cancelled)
  }

  /// - Returns: the entry; nil if it had ended before.
  @discardableResult
  package mutating func end(_ id: ID) -> Item? {
    defer { self[id] = nil }
    ended.insert(id)
    return items[id]
  }

  // MARK: The next ones

  /// The waiting entries that can go out, in order, and those that cannot, with the reasons. An
  /// entry that has to wait holds up those behind it in the same conversation.
  package func candidates(
    _ readiness: (Item) -> Readiness
  ) -> (ready: [ID], never: [(ID, Remark)]) {
    var blocked: Set<ConversationAddress> = []
    var (ready, never) = ([ID](), [(ID, Remark)]())
    for item in all where item.isWaiting && !blocked.contains(item.entry.conversation) {
      switch readiness(item) {
      case .ready: ready.append(item.entry.id)
      case .later: blocked.insert(item.entry.conversation)
      case .never(let reason): never.append((item.entry.id, reason))
      }
    }
    return (ready, never)
  }

  /// Chooses the entries to send next, in order. Before they are sent, the store must record them as
  /// tried.
  ///
  /// - Parameters:
  ///   - underWay: those that were sent and have no answer.
  ///   - limit: how many may be under way, since all of them are in doubt if the connection breaks.
  ///     What waits for a room does not count.
  ///   - lines: how many lines the throttle allows.
  /// - Returns: those of the ready entries that are chosen, now or before.
  package mutating func choose(
    from ready: [ID], besides underWay: [ID], of limit: Int, lines: Int = .max
  ) -> Set<ID> {
    var (places, lines) = (Set(underWay), lines)
    for id in ready where places.count < limit && lines > 0 {
      if chosen.insert(id).inserted { lines -= items[id]?.lineCount ?? 0 }
      places.insert(id)
    }
    return chosen.intersection(ready)
  }

  /// Whether ``choose(from:besides:of:lines:)`` would choose another entry. To ask the store for
  /// more without that would go on for ever.
  package func hasMore(
    in ready: [ID], besides underWay: [ID], of limit: Int, lines: Int = .max
  ) -> Bool {
    var queue = self
    return queue.choose(from: ready, besides: underWay, of: limit, lines: lines)
      .contains { !chosen.contains($0) }
  }

  /// Notes that the store has recorded these entries as tried, so that they can be sent.
  package mutating func noteTried(_ ids: Set<ID>) {
    tried.formUnion(ids.filter { items[$0] != nil })
  }

  /// Whether the store has recorded it as tried.
  package func isTried(_ id: ID) -> Bool { tried.contains(id) }
}

extension OutboxEntry {
  /// The first file of a message that is not uploaded yet.
  package var nextFile: Attachment? {
    operation == .send ? message.attachments.dropFirst(links.count).first : nil
  }
}
