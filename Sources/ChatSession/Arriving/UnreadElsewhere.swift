// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// What is unread in other conversations (rule 7.4), and what of mine waits in any.
struct UnreadElsewhere {
  /// The most urgent first.
  private(set) var unread: [Unread] = []
  /// Where it may be otherwise than it was counted; nil: it was never counted.
  private var uncounted: Set<ID<Conversation>>?
  /// Of what kind conversations are from which messages came.
  private var kinds: [ID<Conversation>: Conversation.Kind] = [:]
  /// Own messages that wait for a network, and that it refused.
  private(set) var unsent = (waiting: 0, failed: 0)
  /// The networks that they wait for.
  private(set) var networksAwaited: Set<String> = []

  /// Whether a message is written to me alone.
  mutating func isDirect(
    _ message: Message, for me: ID<Participant>, _ snapshot: borrowing Snapshot
  ) -> Bool {
    let id = message.conversation
    if kinds[id] == nil { kinds[id] = ((try? snapshot.conversation(id, for: me)) ?? nil)?.kind }
    return kinds[id] == .direct
  }

  /// Where the changes may have made more or less unread, or called it otherwise.
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

  /// Another conversation is open than the one before.
  mutating func moved(from former: ID<Conversation>?, to open: ID<Conversation>) {
    forget(open)
    if let former { uncounted?.insert(former) }
  }

  /// Nothing is unread there any more.
  mutating func forget(_ conversation: ID<Conversation>) {
    unread.removeAll { $0.conversation.id == conversation }
  }

  /// What counts as unread or urgent may have changed.
  mutating func forgetCounts() { uncounted = nil }

  /// Counts what is unread elsewhere: all of it once, then only where it may have changed, so that
  /// it costs the same however many conversations and messages there are.
  ///
  /// - Throws: `StoreError.locked`.
  mutating func count(
    mentioning me: Participant, highlight: [String], open: ID<Conversation>?,
    _ snapshot: borrowing Snapshot
  ) throws {
    guard uncounted?.isEmpty != true else { return }
    do {
      let found = try snapshot.unread(mentioning: me, highlight: highlight, in: uncounted)
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
