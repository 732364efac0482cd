// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// A key that goes to another conversation (rule 13.1).
package enum Move: Hashable, Sendable {
  /// To what is for me first, then to what has waited longest.
  case nextUnread
  /// In the order of `/list`, from its end to its start.
  case next, previous
  /// To the one that was open before.
  case last
  /// To the one of this place in `/list`, from 1.
  case number(Int)
  /// To one whose name is typed.
  case choose

  /// By the name of readline's function; nil for any other.
  package init?(function name: String) {
    switch name {
    case "next-unread": self = .nextUnread
    case "next-conversation": self = .next
    case "previous-conversation": self = .previous
    case "last-conversation": self = .last
    case "switch-conversation": self = .choose
    default:
      guard name.hasPrefix("conversation-"), let number = name.last?.wholeNumberValue else {
        return nil
      }
      self = .number(number)
    }
  }
}

/// Goes from one conversation to another by keys (rule 13.1). Prompt and line are those of the next
/// one at once; it is entered when no other such key follows, or something is done there.
@MainActor
package final class ConversationSwitcher: SessionPart {
  unowned let session: Session
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

  init(_ session: Session) { self.session = session }

  /// The conversation whose line it is.
  package var present: Conversation? { target ?? place.conversation }

  package var isChoosing: Bool { choices != nil }

  // MARK: Keys

  func go(_ move: Move) {
    if isChoosing {
      // The key is about the line that stands behind the name.
      endChoice()
      if move != .choose { emit(.whenLineBegins(.move(move))) }
      return
    }
    session.reportingErrors {
      if move == .choose { return try beginChoice() }
      guard let found = try target(of: move) else { return emit(.bell) }
      if move != .nextUnread { endRun() }
      goOn(to: found)
    }
  }

  /// Nil where there is none to go to.
  func target(of move: Move) throws -> Conversation? {
    switch move {
    case .nextUnread: return try nextUnread()
    case .next: return try neighbour(1)
    case .previous: return try neighbour(-1)
    case .last:
      return target != nil && target?.id != place.conversation?.id
        ? place.conversation : try before()
    case .number(let number):
      let found = try conversation(number)
      if found == nil {
        emit(.notice(say("There is no conversation %1 in /list", SafeText(number))))
      }
      return found
    case .choose: return nil
    }
  }

  /// What is unread, or where this began (rule 13.1).
  private func nextUnread() throws -> Conversation? {
    let next = try UnreadCommands(session: session).unreadElsewhere().map(\.conversation)
      .first { $0.id != target?.id && run?.passed.contains($0.id) != true }
    if let next {
      if run == nil, let present { run = (present.id, []) }
      run?.passed.insert(next.id)
      return next
    }
    if let start = run.take()?.start, start != present?.id, let found = try unlessLeft(start) {
      emit(.notice(say("Nothing else is unread; you are where you began")))
      return found
    }
    emit(
      .notice(
        target == nil ? say("Nothing is unread elsewhere") : say("Nothing else is unread")))
    return nil
  }

  /// The next key of `next-unread` is the first of a row.
  func endRun() { run = nil }

  /// My conversations in the order of `/list`.
  private func listed() throws -> [ID<Conversation>] {
    try store.read { try $0.joined(by: me.id) }
  }

  /// The one of this place in `/list`, from 1.
  func conversation(_ number: Int) throws -> Conversation? {
    let listed = try listed()
    guard listed.indices.contains(number - 1) else { return nil }
    return try store.read { try $0.conversation(listed[number - 1], for: me.id) }
  }

  private func neighbour(_ step: Int) throws -> Conversation? {
    let listed = try listed()
    guard !listed.isEmpty else { return nil }
    // From one that is not listed to an end of the list.
    let from = listed.firstIndex { $0 == present?.id } ?? (step > 0 ? -1 : 0)
    let next = listed[(from + step + listed.count) % listed.count]
    return next == present?.id ? nil : try store.read { try $0.conversation(next, for: me.id) }
  }

  /// The line of the present conversation gives way to the other's (rule 13.2).
  private func goOn(to next: Conversation) {
    deadline = now + Self.pause
    guard next.id != present?.id else { return }
    if editing.isOn {
      editing.cancel()
      drafts.leave()
    } else {
      drafts.noteAndLeave()
    }
    if target == nil { place.stopTyping() }
    target = next
    drafts.bring()
  }

  // MARK: Entering

  func tick() {
    guard let deadline, now >= deadline else { return }
    do {
      try settle()
    } catch StoreError.locked {
      self.deadline = now + Self.pause
    } catch {
      // The line that was left stands under its own prompt again.
      drafts.noteAndLeave()
      (target, self.deadline, run) = (nil, nil, nil)
      drafts.bring()
      transcript.complain([sentence(for: error)])
    }
  }

  /// Enters where these keys have gone: what is done now is done there.
  ///
  /// - Throws: `StoreError`; the keys' way then goes on.
  func settle() throws {
    if let target, target.id != place.conversation?.id {
      try session.withLockTimeout { try screen.enter(target) }
      outgoing.bringBackLines(of: target.id)
    }
    (target, deadline) = (nil, nil)
    run?.passed = []
  }

  /// Another conversation is open than this one was.
  func noteFormer(_ conversation: Conversation) {
    former.removeAll { $0 == conversation.id }
    former.append(conversation.id)
  }

  /// The conversation that was open before; nil where none was that I did not leave.
  func before() throws -> Conversation? {
    for id in former.reversed() where id != present?.id {
      if let found = try unlessLeft(id) { return found }
    }
    return nil
  }

  private func unlessLeft(_ id: ID<Conversation>) throws -> Conversation? {
    let membership = try store.read { try $0.membership(of: me.id, in: id) }
    return try [.left, .removed].contains(membership)
      ? nil : store.read { try $0.conversation(id, for: me.id) }
  }

  // MARK: Typing a name

  private func beginChoice() throws {
    try settle()
    drafts.note()
    place.stopTyping()
    let listing = try store.read { try $0.listing(for: me.id) }.filter {
      $0.conversation.id != present?.id
    }
    choices = SwitcherCandidates(of: listing, former: former, mark: people.markOfConversations)
    emit(.beginChoice)
  }

  /// The line comes back as it was.
  func endChoice() {
    guard choices.take() != nil else { return }
    emit(.endChoice)
  }

  /// Return on a name, or on a part of it: goes there.
  func choose(_ text: String) throws {
    let name = text.trimmingBlanks
    if isPresent(name) { return endChoice() }
    if let found = choices?.conversation(meantBy: name) {
      endChoice()
      return emit(.whenLineBegins(.chosen(found.id)))
    }
    let commands = ConversationCommands(session: session)
    let meant = try commands.meant(by: name)
    endChoice()
    switch meant {
    case .found(let found): emit(.whenLineBegins(.chosen(found.id)))
    case .near(let near): commands.ask(near, for: name)
    }
  }

  private func isPresent(_ name: String) -> Bool {
    present.map { [$0.name, String($0.name.dropFirst())].contains(name) } ?? false
  }

  /// What Return does in place of a name.
  var hint: SafeText {
    let name = (line.selected ?? line.text).trimmingBlanks
    if isPresent(name) {
      return say(
        "You are in %1; Return and C-g go back", SafeText(name: present?.name ?? name))
    }
    if let found = choices?.conversation(meantBy: name) {
      return say("Return goes to %1, C-g goes back", SafeText(name: found.name))
    }
    return name.isEmpty
      ? say("You have no other conversation; C-g goes back")
      : say("You have no conversation by that name; Return searches all rooms, C-g goes back")
  }

  /// The line is back from which somebody goes to a conversation by its name.
  func enter(_ chosen: ID<Conversation>) {
    session.reportingErrors {
      guard let found = try store.read({ try $0.conversation(chosen, for: me.id) }) else { return }
      endRun()
      goOn(to: found)
      try settle()
    }
  }
}
