// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Conversations
import Exchange
import StyledText

/// Reads what changes in conversations, from a position on: each change once, in order.
@MainActor
struct ChangeReader {
  private let script: Script
  /// The viewer: the person whom the script acts for, whom another process may add meanwhile.
  private(set) var me: ID<Participant>
  /// Nil for all conversations of the person.
  private let conversations: Set<ID<Conversation>>?
  /// The last position that was read.
  private(set) var position: Int64
  /// Whether there is more to read at once.
  private(set) var hasMore = false

  /// - Parameters:
  ///   - conversations: which ones; nil for all of the person, who must be known.
  ///   - position: an earlier position; nil for now.
  /// - Throws: ``Refusal`` for a position that the store has not reached.
  init(
    _ script: Script, of conversations: [Conversation]? = nil, after position: Int64? = nil
  ) throws {
    // Somebody in no conversation would wait for ever.
    if conversations == nil, script.isNobody {
      throw Script.noSuchPerson(named: script.me.identity)
    }
    (self.script, me) = (script, script.me.id)
    self.conversations = conversations.map { Set($0.map(\.id)) }
    let newest = try script.store.read { try $0.position }
    self.position = position ?? newest
    if self.position > newest { throw Self.beyond(newest, self.position) }
  }

  private static func beyond(_ newest: Int64, _ position: Int64) -> Refusal {
    Refusal(
      say(
        "The store has not reached position %1; its newest is %2. An older copy of the store may have been put back.",
        SafeText(Int(position)), SafeText(Int(newest))))
  }

  /// Returns the next changes, without those that the person ignores; maybe none.
  ///
  /// - Throws: ``Refusal`` if an older copy of the store was put back.
  mutating func next() throws -> [OrderedChange] {
    me = try script.knownID ?? me
    let (found, attention) = try script.store.read {
      (
        try $0.orderedChanges(
          after: position, for: me, in: conversations, limit: Script.page),
        try $0.attention(of: me)
      )
    }
    if found.position < position { throw Self.beyond(found.position, position) }
    (position, hasMore) = (found.position, found.hasMore)
    return found.changes.filter {
      $0.person == me || !attention.hides($0.person, in: $0.conversation)
    }
  }

  /// The next message of another person that was not deleted.
  ///
  /// - Parameter isMention: whether it must mention this person or be to them alone, and not be
  ///   muted.
  mutating func firstMessage(
    isMention: Bool
  ) throws -> (change: OrderedChange, message: Message)? {
    repeat {
      let changes = try next()
      let attention =
        try changes.isEmpty ? Attention() : script.store.read { try $0.attention(of: me) }
      for change in changes where change.person != me {
        guard case .new(let id) = change.what,
          let message = try script.store.read({ try $0.message(id, for: me) }),
          message.deletedAt == nil
        else { continue }
        let isQuiet = attention.isSilenced(message.sender, in: message.conversation)
        if !isMention || !isQuiet && script.isForMe(message) { return (change, message) }
      }
    } while hasMore
    return nil
  }
}
