// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import ChatRendering
import Composer
import Conversations
import Platform
import StyledText

/// The open conversation: what it is, who is there, and how far the person's newest message there
/// got.
@MainActor
package struct OpenConversation {
  /// Nil only before the session enters the first conversation.
  package private(set) var conversation: Conversation?
  package private(set) var membership = Membership.member
  /// What people can do here, as the network last said, and the network's address for it: kept,
  /// since the status line needs them at each key.
  package private(set) var abilities = Abilities()
  package private(set) var address = ""
  package private(set) var here: [Presence] = [] {
    // The status line reads this at each key, and a room may have thousands of members.
    didSet {
      othersHere = here.count { $0.isHere && $0.participant.id != me }
    }
  }
  /// The person's name here, if this is on a network (rule 14.9).
  package private(set) var nick: String?
  package private(set) var othersHere = 0
  package private(set) var typing = TypingList()
  package private(set) var newestOwn: Message?
  /// How many recipients of the person's newest message have it.
  package private(set) var deliveryCounts = DeliveryCounts()
  /// The person's away message; nil if the person is not away.
  package private(set) var away: String?
  private let me: ID<Participant>
  private var signals = TypingSignals()
  /// People for whom the contact hint was shown.
  private var hintedAt: Set<ID<Participant>> = []

  init(me: ID<Participant>) { self.me = me }

  // Not inlined: the optimizer of Swift 6.3 aborts on functions that inline it twice.
  package var id: ID<Conversation>? { @inline(never) get { conversation?.id } }

  package var isMember: Bool { membership == .member }

  /// - Throws: a ``Refusal`` before the first conversation is entered.
  package func required() throws -> Conversation {
    guard let conversation else {
      throw Refusal(say("No conversation is open; /join ROOM enters one."))
    }
    return conversation
  }

  /// The open conversation, for actions that its other members would notice (rule 1.13).
  package func requiredAsMember() throws -> Conversation {
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

  /// How long a typing signal lasts, in milliseconds: where it is repeated, and on networks that
  /// send it only once (rules 4.2, 4.3).
  private var typingTimeout: Int64 = 6_000
  private static let typingElsewhere: Int64 = 30_000

  package mutating func apply(_ settings: Settings) {
    typingTimeout = Int64(settings.typingTimeout) * 1000
    setTypingTimeout()
  }

  private mutating func setTypingTimeout() {
    let isRepeated = conversation?.network == nil || abilities.repeatsTyping
    typing.timeout = isRepeated ? typingTimeout : Self.typingElsewhere
  }

  // MARK: Coming and going

  mutating func enter(
    _ target: Conversation, _ membership: Membership, newestOwn: Message?, _ settings: Settings
  ) {
    conversation = target
    self.membership = membership
    self.newestOwn = newestOwn
    deliveryCounts = DeliveryCounts()
    typing = TypingList()
    apply(settings)
  }

  /// Reads what people can do here, if that depends on a network.
  package mutating func readAbilities(_ snapshot: borrowing Snapshot) {
    defer { setTypingTimeout() }
    guard let conversation, conversation.network != nil else {
      (abilities, address) = (Abilities(), "")
      return
    }
    abilities = (try? snapshot.knownAbilities(of: conversation.id)) ?? abilities
    address = (try? snapshot.networkAddress(of: conversation.id)) ?? address
  }

  /// Records that the person left the open room.
  package mutating func left() { membership = .left }

  mutating func change(topic: String) { conversation?.topic = topic }

  // MARK: Who is there

  /// Reads who is here, and whether the person is away.
  mutating func readPeople(_ snapshot: borrowing Snapshot) {
    guard let conversation else { return }
    here = (try? snapshot.people(in: conversation.id)) ?? []
    readNick(snapshot)
    away = (try? snapshot.away(of: me)) ?? nil
  }

  private mutating func readNick(_ snapshot: borrowing Snapshot) {
    let isOnNetwork = conversation?.network != nil
    nick = isOnNetwork ? id.flatMap { try? snapshot.name(of: me, in: $0) } : nil
  }

  /// Reads names, presence and memberships again after a change.
  mutating func peopleChanged(_ snapshot: borrowing Snapshot) {
    guard let conversation else { return }
    here = (try? snapshot.people(in: conversation.id)) ?? here
    readNick(snapshot)
    away = (try? snapshot.away(of: me)) ?? nil
    let found = ((try? snapshot.conversation(conversation.id, for: me)) ?? nil) ?? conversation
    self.conversation = found
    membership = (try? snapshot.membership(of: me, in: found.id)) ?? membership
    for presence in here where !presence.isHere { typing.remove(presence.participant.identity) }
  }

  /// Marks the person as away with a message, or, with nil, as back.
  package mutating func become(away word: String?) { away = word }

  /// Hints, once for each person, how to see whether they are online (rule 14.1).
  package mutating func contactHint(
    _ accounts: Accounts, _ snapshot: borrowing Snapshot
  ) -> SafeText? {
    guard let conversation, conversation.kind == .direct,
      let account = accounts.list.first(where: { $0.network == conversation.network }),
      !accounts.isUnsettled(account.network),
      let other = here.first(where: { $0.participant.id != me })?.participant,
      here.contains(where: { $0.participant.id == other.id && !$0.isKnown }),
      let contacts = try? snapshot.contacts(of: account),
      !contacts.contains(where: { $0.participant.id == other.id }),
      hintedAt.insert(other.id).inserted
    else { return nil }
    return say(
      "to see when %2 is online: /contact add %1",
      SafeText(line: account.rules.shortName(of: other.identity)),
      SafeText(name: other.name))
  }

  // MARK: The person's newest message

  package mutating func readNewestOwn(_ snapshot: borrowing Snapshot) {
    guard let conversation else { return }
    newestOwn = (try? snapshot.newest(by: me, in: conversation.id)) ?? nil
    deliveryCounts = DeliveryCounts()
    if let newestOwn, newestOwn.state == .sent || newestOwn.state == .delivered {
      deliveryCounts = (try? snapshot.deliveryCounts(of: newestOwn)) ?? deliveryCounts
    }
  }

  /// Whether a message of the person names somebody else who is here.
  package func isSomeoneNamed(in message: Message) -> Bool {
    here.contains { $0.participant.id != me && message.names($0.participant) }
  }

  package mutating func sent(_ message: Message) {
    newestOwn = message
    deliveryCounts = DeliveryCounts()
  }

  // MARK: Typing (rule 4)

  /// Records that somebody has been typing since a wall-clock time. The signal carries its time, so
  /// that an old signal does not linger.
  mutating func show(
    _ person: Participant, as name: SafeText, typing since: Milliseconds, at now: MonotonicTime
  ) {
    typing.signal(person.identity, name: name, at: now.milliseconds - max(0, Clock.wall() - since))
  }

  mutating func expireTyping(at now: MonotonicTime) { typing.expire(at: now.milliseconds) }

  /// Records that someone sent what they were typing, or stopped.
  mutating func typingEnded(_ identity: String) { typing.remove(identity) }

  /// Notes that the person has changed the text of the line.
  ///
  /// - Returns: the signal for the others, as the next functions do.
  package mutating func typed(_ text: String, inEditMode: Bool, isOff: Bool, at now: MonotonicTime)
    -> [Write]
  {
    write(
      signals.changedByHand(
        text: text, at: now.milliseconds, inEditMode: inEditMode, isOff: isOff || !isMember))
  }

  /// Call this when the line was sent, emptied or set aside.
  package mutating func stopTyping(at now: MonotonicTime) -> [Write] {
    write(signals.sentOrCleared(at: now.milliseconds))
  }

  package mutating func tick(at now: MonotonicTime) -> [Write] {
    typing.expire(at: now.milliseconds)
    return write(signals.tick(at: now.milliseconds))
  }

  private func write(_ signal: TypingSignals.Signal?) -> [Write] {
    guard let signal, let conversation else { return [] }
    return [.typing(signal == .typing, in: conversation.id)]
  }

  var deadline: MonotonicTime? {
    [typing.nextExpiry, signals.nextDeadline].compactMap { $0 }.min()
      .map { MonotonicTime(milliseconds: $0) }
  }
}
