// SPDX-License-Identifier: GPL-3.0-or-later
import ChatRendering
import Conversations

/// Unread messages in other conversations (rule 7.4), and the person's unsent messages in any.
package struct UnreadElsewhere {
  /// The conversations with unread messages, the most urgent first.
  package private(set) var unread: [Unread] = []
  /// Conversations whose count may have changed; nil if nothing was ever counted.
  private var uncounted: Set<ID<Conversation>>?
  private var kinds: [ID<Conversation>: Conversation.Kind] = [:]
  /// The person's messages that wait for a network, and those that it refused.
  package private(set) var unsent = (waiting: 0, failed: 0)
  /// The networks that those messages wait for.
  package private(set) var networksAwaited: Set<String> = []

  /// The conversations of these messages in which others wrote to the person alone.
  mutating func directChats(
    among messages: [Message], for me: ID<Participant>, _ snapshot: borrowing Snapshot
  ) -> Set<ID<Conversation>> {
    let places = Set(messages.filter { $0.sender != me }.map(\.conversation))
    for id in places where kinds[id] == nil {
      kinds[id] = ((try? snapshot.conversation(id, for: me)) ?? nil)?.kind
    }
    return places.filter { kinds[$0] == .direct }
  }

  /// Records where changes may affect the count or the name.
  mutating func note(_ changes: Changes, for me: ID<Participant>, open: ID<Conversation>?) {
    guard var found = uncounted else { return }
    for message in changes.arrived + changes.revised where message.sender != me {
      found.insert(message.conversation)
    }
    found.formUnion(changes.readElsewhere)
    for event in changes.events {
      let isCounted =
        switch event.kind {
        case .left: event.participant.id == me
        case .roomRenamed, .roomRemoved: true
        case .renamed: kinds[event.conversation] != .room
        default: false
        }
      if isCounted { found.insert(event.conversation) }
    }
    if let open { found.remove(open) }
    uncounted = found
  }

  mutating func moved(from former: ID<Conversation>?, to open: ID<Conversation>) {
    forget(open)
    if let former { uncounted?.insert(former) }
  }

  /// Records that nothing is unread in a conversation any more.
  mutating func forget(_ conversation: ID<Conversation>) {
    unread.removeAll { $0.conversation.id == conversation }
  }

  mutating func forgetCounts() { uncounted = nil }

  /// Counts unread messages elsewhere: all of them once, then only where they may have changed, so
  /// that the cost does not grow with conversations and messages.
  ///
  /// - Throws: `StoreError.locked`.
  mutating func count(
    mentioning me: Participant, _ highlights: Highlights, open: ID<Conversation>?,
    _ snapshot: borrowing Snapshot
  ) throws {
    guard uncounted?.isEmpty != true else { return }
    do {
      let found = try snapshot.unread(mentioning: me, highlights, in: uncounted)
      unread.removeAll { uncounted?.contains($0.conversation.id) ?? true }
      unread += found.filter { $0.conversation.id != open }
      unread.sort()
    } catch StoreError.locked(let path) {
      throw StoreError.locked(path: path)
    } catch {}
    uncounted = []
  }

  mutating func countUnsent(by me: ID<Participant>, _ snapshot: borrowing Snapshot) {
    let mine = (try? snapshot.unsent(by: me, in: nil)) ?? []
    unsent.failed = mine.count { $0.state == .failed }
    unsent.waiting = mine.count - unsent.failed
    networksAwaited = []
    for conversation in Set(mine.filter { $0.state == .sending }.map(\.conversation)) {
      let found = (try? snapshot.conversation(conversation, for: me)) ?? nil
      if let network = found?.network { networksAwaited.insert(network) }
    }
  }
}
