// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// The conversation that is open: what it is, who is there, and how far my newest message there got.
@MainActor
package final class Place: SessionPart {
  unowned let session: Session
  /// nil only before the first is entered.
  package private(set) var conversation: Conversation?
  private(set) var membership = Membership.member
  private(set) var here: [Presence] = [] {
    // The status line asks at each key, and a room may have many thousand members.
    didSet { othersHere = here.count { $0.isHere && $0.participant.id != me.id } }
  }
  private(set) var othersHere = 0
  package private(set) var typing = TypingList()
  private(set) var newestOwn: Message?
  /// How many of those it is for have it.
  private(set) var reach = Reach()
  /// What I left word of while I am away.
  private(set) var away: String?
  private var signals = TypingSignals()
  /// Those for whom the contact hint was shown.
  private var hintedAt: Set<ID<Participant>> = []

  init(_ session: Session) { self.session = session }

  package var isMember: Bool { membership == .member }

  /// - Throws: a ``Refusal`` before the first conversation is entered.
  func required() throws -> Conversation {
    guard let conversation else {
      throw Refusal(say("No conversation is open; /join ROOM enters one."))
    }
    return conversation
  }

  /// The open conversation, for what its others would notice (rule 1.13).
  func requiredAsMember() throws -> Conversation {
    let conversation = try required()
    guard isMember else {
      let name = SafeText(name: conversation.name)
      if conversation.isRemoved {
        throw Refusal(say("%1 was removed; /switch opens another.", name))
      }
      throw Refusal(
        membership == .never
          ? say("You are not in %1; /join %1 enters it.", name)
          : say("You are not in %1; /join %1 enters it again.", name))
    }
    return conversation
  }

  /// Milliseconds that a network's typing signal lasts: it comes once and is not repeated
  /// (XEP-0085; rule 4.3).
  private static let typingElsewhere: Int64 = 30_000

  func apply(_ settings: Settings) {
    typing.timeout =
      conversation?.network == nil
      ? Int64(settings.typingTimeout) * 1000 : Self.typingElsewhere
  }

  // MARK: Coming and going

  /// Goes to a conversation; nothing but the return to a room that was left where it is open.
  ///
  /// - Parameter isNew: the room was made just now.
  func go(to target: Conversation, isNew: Bool = false) throws {
    if target.id == conversation?.id {
      // What was said meanwhile is shown.
      if !isMember { try screen.enter(target) }
      return
    }
    let former = conversation?.id
    switcher.endRun()
    drafts.leaveByCommand()
    stopTyping()
    try screen.enter(target, isNew: isNew)
    drafts.restore(leaving: former)
  }

  /// Another conversation is open; what of it is shown is for ``Screen`` to say.
  func becomes(_ target: Conversation, _ membership: Membership, newestOwn: Message?) {
    if let conversation, conversation.id != target.id { switcher.noteFormer(conversation) }
    conversation = target
    self.membership = membership
    self.newestOwn = newestOwn
    reach = Reach()
    typing = TypingList()
    apply(settings)
  }

  /// I left the room that is open.
  func left() { membership = .left }

  func change(topic: String) { conversation?.topic = topic }

  // MARK: Who is there

  /// Who is here and what is unread elsewhere; after the first prompt, which does not wait for it.
  func refreshPeopleAndUnread() {
    guard let conversation else { return }
    here = (try? store.read { try $0.people(in: conversation.id) }) ?? []
    for presence in here where presence.participant.id != me.id && presence.isHere {
      guard let since = presence.typingSince else { continue }
      note(presence.participant, typedAt: since)
    }
    typing.expire(at: now)
    away = (try? store.read { try $0.away(of: me.id) }) ?? nil
    refreshNewestOwn()
    news.count()
    hintAtContact()
  }

  /// Hints once for each person how to see whether they are online (rule 14.1).
  private func hintAtContact() {
    guard let conversation, conversation.kind == .direct,
      let account = session.accounts.list.first(where: { $0.network == conversation.network }),
      !session.accounts.isSettlingIn(account.network),
      let other = here.first(where: { $0.participant.id != me.id })?.participant,
      here.contains(where: { $0.participant.id == other.id && !$0.isKnown }),
      (try? store.read { try $0.contacts(of: account) }.contains { $0.participant.id == other.id })
        == false,
      hintedAt.insert(other.id).inserted
    else { return }
    let suffix = "@" + account.domain
    let address =
      other.identity.hasSuffix(suffix)
      ? String(other.identity.dropLast(suffix.count)) : other.identity
    emit(
      .notice(
        say(
          "/contact add %1 shows when %2 is online", SafeText(line: address),
          SafeText(name: other.name))))
  }

  /// The people here now, for a list of them.
  func lookWhoIsHere() throws -> [Presence] {
    here = try store.read { try $0.people(in: required().id) }
    typing.expire(at: now)
    return here
  }

  /// Names, presence or memberships changed.
  func peopleChanged() {
    guard let conversation else { return }
    here = (try? store.read { try $0.people(in: conversation.id) }) ?? here
    if let mine = try? store.read({ try $0.participant(me.id) }) { session.becomes(mine) }
    away = (try? store.read { try $0.away(of: me.id) }) ?? nil
    let found =
      ((try? store.read { try $0.conversation(conversation.id, for: me.id) }) ?? nil)
      ?? conversation
    self.conversation = found
    membership = (try? store.read { try $0.membership(of: me.id, in: found.id) }) ?? membership
    for presence in here where !presence.isHere { typing.remove(presence.participant.identity) }
  }

  /// I am away with a word about it, or, with nil, back.
  func become(away word: String?) throws {
    try store.writeIfNeeded { try $0.setAway(word, of: me.id) }
    away = word
    // A network that connects later asks the store.
    for account in session.accounts.list where session.accounts.isWanted(account) {
      try store.writeDurably {
        try $0.ask(
          .presence, target: word == nil ? "" : "away", text: word ?? "", of: account)
      }
    }
  }

  func refreshNewestOwn() {
    news.refreshUnsent()
    guard let conversation else { return }
    newestOwn = (try? store.read { try $0.newest(by: me.id, in: conversation.id) }) ?? nil
    reach = Reach()
    if let newestOwn, newestOwn.state == .sent || newestOwn.state == .delivered {
      reach = (try? store.read { try $0.reach(of: newestOwn) }) ?? reach
    }
  }

  func sent(_ message: Message) {
    newestOwn = message
    reach = Reach()
  }

  // MARK: Typing (rule 4)

  /// Signals of others.
  func show(_ signals: [TypingSignal]) {
    for signal in signals where signal.participant.id != me.id {
      if signal.conversation == conversation?.id, signal.isTyping {
        note(signal.participant, typedAt: signal.at)
      } else {
        typing.remove(signal.participant.identity)
      }
    }
    typing.expire(at: now)
  }

  /// A signal says when it was given; an old one would linger.
  private func note(_ person: Participant, typedAt time: Milliseconds) {
    if let conversation, session.attention.hides(person.id, in: conversation.id) { return }
    typing.signal(
      person.identity, name: people.shownName(person), at: now - max(0, Store.wallClock() - time))
  }

  /// Someone said what they were typing.
  func stopped(_ identity: String) { typing.remove(identity) }

  /// The text of the line was changed by hand.
  func typed(_ text: String) {
    tell(
      signals.changedByHand(
        text: text, at: now, inEditMode: editing.isOn, isOff: !settings.typing || !isMember))
  }

  /// The line was sent, emptied or set aside.
  func stopTyping() { tell(signals.sentOrCleared(at: now)) }

  /// The same where nobody is told any more.
  func forgetTyping() { _ = signals.sentOrCleared(at: now) }

  private func tell(_ signal: TypingSignals.Signal?) {
    guard let signal, let conversation, session.shellID != nil else { return }
    outgoing.write(.typing(signal == .typing, in: conversation.id))
  }

  var deadline: Int64? {
    [typing.nextExpiry, signals.nextDeadline].compactMap { $0 }.min()
  }

  func tick() {
    tell(signals.tick(at: now))
    typing.expire(at: now)
  }
}
