// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// Switches conversations by key (rule 13.1). The prompt and the line change at once; the session
/// enters the conversation when no other such key follows, or when the person acts there.
@MainActor
package struct ConversationSwitcher {
  /// The conversation that the keys have reached and that is not entered yet.
  private(set) var target: Conversation?
  /// When to enter it, in monotonic milliseconds.
  private(set) var deadline: Int64?
  /// Where a run of `next-unread` keys began, and which conversations it passed without entering
  /// them; nil if no such key was pressed since I switched in another way or sent something.
  private var run: (start: ID<Conversation>, passed: Set<ID<Conversation>>)?
  /// The conversations that were open before; the latest is last.
  private var former: [ID<Conversation>] = []

  /// How long after the last such key the session enters the conversation, in milliseconds.
  static let pause: Int64 = 300

  // MARK: Where a key goes

  /// Returns the conversation that a key leads to; nil, perhaps with a message, if the key leads
  /// nowhere.
  mutating func target(
    of move: Move, from open: Conversation?, for me: Participant, _ highlights: Highlights,
    _ snapshot: borrowing Snapshot
  ) throws -> (found: Conversation?, notice: SafeText?) {
    let present = target ?? open
    switch move {
    case .nextUnread:
      let unread = try snapshot.unreadElsewhere(
        than: open?.id, mentioning: me, highlights)
      return try nextUnreadConversation(of: unread.map(\.conversation), present, me.id, snapshot)
    case .next: return (try Self.neighbour(1, of: present, me.id, snapshot), nil)
    case .previous: return (try Self.neighbour(-1, of: present, me.id, snapshot), nil)
    case .last:
      if target != nil, target?.id != open?.id { return (open, nil) }
      return (try formerConversation(present?.id, me.id, snapshot), nil)
    case .number(let number):
      let found = try Self.conversation(number, for: me.id, snapshot)
      return (
        found, found == nil ? say("There is no conversation %1 in /list", SafeText(number)) : nil
      )
    case .choose: return (nil, nil)
    }
  }

  /// Returns the next unread conversation, or the one where the run began (rule 13.1).
  private mutating func nextUnreadConversation(
    of unread: [Conversation], _ present: Conversation?, _ me: ID<Participant>,
    _ snapshot: borrowing Snapshot
  ) throws -> (found: Conversation?, notice: SafeText?) {
    let next = unread.first { $0.id != target?.id && run?.passed.contains($0.id) != true }
    if let next {
      if run == nil, let present { run = (present.id, []) }
      run?.passed.insert(next.id)
      return (next, nil)
    }
    if let start = run.take()?.start, start != present?.id,
      let found = try Self.unlessLeft(start, me, snapshot)
    {
      return (found, say("Nothing else is unread; you are back where you began"))
    }
    return (
      nil, target == nil ? say("Nothing is unread elsewhere") : say("Nothing else is unread")
    )
  }

  /// Ends the run of `next-unread` keys: the next such key begins another.
  mutating func endUnreadRun() { run = nil }

  /// The conversation at this position in `/list`, from 1.
  static func conversation(
    _ number: Int, for me: ID<Participant>, _ snapshot: borrowing Snapshot
  ) throws -> Conversation? {
    let listed = try snapshot.joined(by: me)
    guard listed.indices.contains(number - 1) else { return nil }
    return try snapshot.conversation(listed[number - 1], for: me)
  }

  private static func neighbour(
    _ step: Int, of present: Conversation?, _ me: ID<Participant>, _ snapshot: borrowing Snapshot
  ) throws -> Conversation? {
    let listed = try snapshot.joined(by: me)
    guard !listed.isEmpty else { return nil }
    // From an unlisted conversation, go to one end of the list.
    let from = listed.firstIndex { $0 == present?.id } ?? (step > 0 ? -1 : 0)
    let next = listed[(from + step + listed.count) % listed.count]
    return next == present?.id ? nil : try snapshot.conversation(next, for: me)
  }

  /// The conversation that was last open before this one and that I have not left; nil if I have
  /// left them all.
  func formerConversation(
    _ present: ID<Conversation>?, _ me: ID<Participant>, _ snapshot: borrowing Snapshot
  ) throws -> Conversation? {
    for id in former.reversed() where id != present {
      if let found = try Self.unlessLeft(id, me, snapshot) { return found }
    }
    return nil
  }

  private static func unlessLeft(
    _ id: ID<Conversation>, _ me: ID<Participant>, _ snapshot: borrowing Snapshot
  ) throws -> Conversation? {
    let membership = try snapshot.membership(of: me, in: id)
    return try [.left, .removed].contains(membership) ? nil : snapshot.conversation(id, for: me)
  }

  // MARK: On the way

  mutating func beginSwitch(to next: Conversation?, at now: Int64) {
    deadline = now + Self.pause
    if let next { target = next }
  }

  /// Records that the session has entered the conversation that the keys reached.
  mutating func commit() {
    (target, deadline) = (nil, nil)
    run?.passed = []
  }

  /// Records that the session could not enter that conversation.
  mutating func giveUp() { (target, deadline, run) = (nil, nil, nil) }

  /// Notes which conversation was open before this one opens.
  mutating func noteFormer(_ conversation: ID<Conversation>?, before next: ID<Conversation>) {
    guard let conversation, conversation != next else { return }
    former.removeAll { $0 == conversation }
    former.append(conversation)
  }

  /// The conversations to choose by name.
  ///
  /// - Parameter mark: the mark before the name of a chat with somebody who looks like someone
  ///   else.
  func candidates(
    among listing: [Listing], mark: (Conversation) -> String
  ) -> SwitcherCandidates {
    SwitcherCandidates(of: listing, former: former, mark: mark)
  }
}
