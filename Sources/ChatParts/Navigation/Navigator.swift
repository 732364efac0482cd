// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import ChatRendering
import Conversations
import Platform
import StyledText

/// Where the person is, and where they could go. When a key leads to another conversation, the
/// prompt and the line change at once; the session enters the conversation when no other such key
/// follows, or when the person acts there (rule 13.1).
@MainActor
package struct Navigator {
  package var open: OpenConversation
  package private(set) var otherConversations = UnreadElsewhere()
  package private(set) var joined = JoinedConversations()
  /// The conversation that the keys have reached and that is not entered yet.
  package private(set) var target: Conversation?
  /// When to enter it.
  private var switchDeadline: MonotonicTime?
  /// Where a run of `next-unread` keys began, and which conversations it passed without entering
  /// them; nil if no such key was pressed since the person switched in another way or sent
  /// something.
  private var run: (start: ID<Conversation>, passed: Set<ID<Conversation>>)?
  /// The conversations that were open before; the latest is last.
  private var former: [ID<Conversation>] = []

  package init(me: ID<Participant>) { open = OpenConversation(me: me) }

  /// The conversation that the line belongs to.
  package var present: Conversation? { target ?? open.conversation }

  package var deadline: MonotonicTime? { [open.deadline, switchDeadline].compactMap { $0 }.min() }

  /// How long after the last such key the session enters the conversation, in milliseconds.
  static let pause: Int64 = 300

  // MARK: What changes there

  /// Notes changes elsewhere.
  ///
  /// - Returns: which of the new messages' conversations are direct chats.
  package mutating func note(
    _ changes: Changes, _ scene: Scene, _ snapshot: borrowing Snapshot
  ) -> Set<ID<Conversation>> {
    otherConversations.note(changes, for: scene.me.id, open: open.id)
    joined.note(changes)
    return otherConversations.directChats(among: changes.arrived, for: scene.me.id, snapshot)
  }

  package mutating func forgetCounts() { otherConversations.forgetCounts() }

  /// Counts the unread messages of the other conversations whose count may have changed.
  package mutating func countUnread(_ scene: Scene, _ snapshot: borrowing Snapshot) -> [Effect] {
    guard scene.isInteractive, !scene.isStarting else { return [] }
    do {
      try otherConversations.count(
        mentioning: scene.me, scene.settings.highlights, open: open.id, snapshot)
      if scene.outputMode == .tty, scene.settings.appearance.toolbar == .conversations {
        try joined.read(for: scene.me.id, open: open.conversation, snapshot)
      }
    } catch { return [.retryRead] }
    return []
  }

  package mutating func readNewestOwn(_ me: ID<Participant>, _ snapshot: borrowing Snapshot) {
    otherConversations.countUnsent(by: me, snapshot)
    open.readNewestOwn(snapshot)
  }

  /// Reads it again if changes concern it.
  package mutating func readNewestOwn(
    after changes: Changes, _ me: ID<Participant>, _ snapshot: borrowing Snapshot
  ) {
    let receipts = open.id.map { changes.receiptsChanged.contains($0) } ?? false
    if receipts || !changes.moved.isEmpty || !changes.revised.isEmpty
      || changes.arrived.contains(where: { $0.sender == me })
    {
      readNewestOwn(me, snapshot)
    }
  }

  // MARK: Where a command or a network leads

  /// Notes that another conversation is open now.
  package mutating func entered(from conversation: ID<Conversation>?) {
    guard let next = open.id else { return }
    otherConversations.moved(from: conversation, to: next)
    guard let conversation, conversation != next else { return }
    former.removeAll { $0 == conversation }
    former.append(conversation)
  }

  /// After the person left a room, or it was removed, leads to the conversation that was open
  /// before it.
  package mutating func left(
    _ room: ID<Conversation>, _ me: ID<Participant>, _ snapshot: borrowing Snapshot
  ) throws -> [Effect] {
    otherConversations.forget(room)
    guard room == open.id else { return [] }
    open.left()
    let next =
      try formerConversation(me, snapshot) ?? snapshot.listing(for: me).first?.conversation
    return next.map { [.open($0, isNew: false)] } ?? []
  }

  /// Leads to the room that a network took this shell to, since it sent the person there from the
  /// open one.
  package func followRoom(_ scene: Scene, _ snapshot: borrowing Snapshot) throws -> [Effect] {
    guard let shell = scene.shell, !open.isMember,
      let place = try snapshot.conversation(ofShell: shell), place != open.id,
      try snapshot.isMember(scene.me.id, of: place),
      let target = try snapshot.conversation(place, for: scene.me.id)
    else { return [] }
    return [.open(target, isNew: false)]
  }

  // MARK: Where a key goes

  /// Handles a key that leads to another conversation.
  package mutating func go(
    _ move: Move, _ accounts: Accounts, _ scene: Scene, _ snapshot: borrowing Snapshot
  ) throws -> [Effect] {
    var (found, notice) = try target(of: move, for: scene.me, scene.settings.highlights, snapshot)
    if found == nil, move == .nextUnread, let reminder = try accounts.reminder(snapshot) {
      notice = reminder
    }
    if found != nil, move != .nextUnread { endUnreadRun() }
    return (notice.map { [.notice($0)] } ?? []) + [found.map { .switchLine(to: $0) } ?? .bell]
  }

  /// Returns the conversation that a key leads to; nil, perhaps with a message, if the key leads
  /// nowhere.
  package mutating func target(
    of move: Move, for me: Participant, _ highlights: Highlights, _ snapshot: borrowing Snapshot
  ) throws -> (found: Conversation?, notice: SafeText?) {
    switch move {
    case .nextUnread:
      let unread = try snapshot.unreadElsewhere(
        than: open.id, mentioning: me, highlights)
      return try nextUnreadConversation(of: unread.map(\.conversation), present, me.id, snapshot)
    case .next: return (try Self.neighbour(1, of: present, me.id, snapshot), nil)
    case .previous: return (try Self.neighbour(-1, of: present, me.id, snapshot), nil)
    case .last:
      if target != nil, target?.id != open.id { return (open.conversation, nil) }
      return (try formerConversation(me.id, snapshot), nil)
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
  package mutating func endUnreadRun() { run = nil }

  /// The conversation at this position in `/list`, from 1.
  package static func conversation(
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

  /// The conversation that was last open before this one and that the person has not left; nil if
  /// the person has left them all.
  package func formerConversation(
    _ me: ID<Participant>, _ snapshot: borrowing Snapshot
  ) throws -> Conversation? {
    for id in former.reversed() where id != present?.id {
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

  package mutating func beginSwitch(to next: Conversation?, at now: MonotonicTime) {
    switchDeadline = now + Self.pause
    if let next { target = next }
  }

  package func isSwitchDue(at now: MonotonicTime) -> Bool {
    switchDeadline.map { now >= $0 } ?? false
  }

  /// Records that the session has entered the conversation that the keys reached.
  package mutating func commit() {
    (target, switchDeadline) = (nil, nil)
    run?.passed = []
  }

  /// Records that the session could not enter that conversation.
  package mutating func giveUp() { (target, switchDeadline, run) = (nil, nil, nil) }

  // MARK: By name

  /// The conversations to choose by name.
  ///
  /// - Parameter mark: the mark before the name of a chat with somebody who looks like someone
  ///   else.
  package func choices(
    for me: ID<Participant>, mark: (Conversation) -> String, _ snapshot: borrowing Snapshot
  ) throws -> SwitcherCandidates {
    let listing = try snapshot.listing(for: me).filter { $0.conversation.id != present?.id }
    return SwitcherCandidates(of: listing, former: former, mark: mark)
  }
}
