// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// Goes from one conversation to another by keys (rule 13.1). Prompt and line are those of the next
/// one at once; it is entered when no other such key follows, or something is done there.
@MainActor
package struct ConversationSwitcher {
  /// Where these keys have gone, while it is not entered yet.
  private(set) var target: Conversation?
  /// When it is entered, in monotonic milliseconds.
  private(set) var deadline: Int64?
  /// Where keys of `next-unread` in a row began, and what they have gone through without entering
  /// it; nil where none was pressed since I went elsewhere in another way or said something.
  private var run: (start: ID<Conversation>, passed: Set<ID<Conversation>>)?
  /// The conversations that were open before, the last one last.
  private var former: [ID<Conversation>] = []
  /// Nil while no name is typed in place of the line.
  private(set) var choices: SwitcherCandidates?

  /// Milliseconds without a key of these until a conversation is entered.
  static let pause: Int64 = 300

  package var isChoosing: Bool { choices != nil }

  // MARK: Where a key goes

  /// Where a key goes; nil where there is none to go to, and what to say of it.
  mutating func target(
    of move: Move, from open: Conversation?, for me: Participant, highlight: [String],
    _ snapshot: borrowing Snapshot
  ) throws -> (found: Conversation?, notice: SafeText?) {
    let present = target ?? open
    switch move {
    case .nextUnread:
      let unread = try snapshot.unreadElsewhere(
        than: open?.id, mentioning: me, highlight: highlight)
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

  /// What is unread, or where this began (rule 13.1).
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
      return (found, say("Nothing else is unread; you are where you began"))
    }
    return (
      nil, target == nil ? say("Nothing is unread elsewhere") : say("Nothing else is unread")
    )
  }

  /// The next key of `next-unread` is the first of a row.
  mutating func endRun() { run = nil }

  /// The one of this place in `/list`, from 1.
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
    // From one that is not listed to an end of the list.
    let from = listed.firstIndex { $0 == present?.id } ?? (step > 0 ? -1 : 0)
    let next = listed[(from + step + listed.count) % listed.count]
    return next == present?.id ? nil : try snapshot.conversation(next, for: me)
  }

  /// The conversation that was open before; nil where none was that I did not leave.
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

  mutating func goOn(to next: Conversation?, at now: Int64) {
    deadline = now + Self.pause
    if let next { target = next }
  }

  /// It was entered where these keys have gone.
  mutating func arrive() {
    (target, deadline) = (nil, nil)
    run?.passed = []
  }

  /// It could not be entered.
  mutating func giveUp() { (target, deadline, run) = (nil, nil, nil) }

  /// Notes which conversation was open before this one opens.
  mutating func noteFormer(_ conversation: ID<Conversation>?, before next: ID<Conversation>) {
    guard let conversation, conversation != next else { return }
    former.removeAll { $0 == conversation }
    former.append(conversation)
  }

  // MARK: Typing a name

  /// - Parameter mark: what stands before the name of one with somebody who looks like another.
  mutating func beginChoice(among listing: [Listing], mark: (Conversation) -> String) {
    choices = SwitcherCandidates(of: listing, former: former, mark: mark)
  }

  /// - Returns: false where none was going on.
  mutating func endChoice() -> Bool { choices.take() != nil }
}
