// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Sentences

// What the people in rooms do, and what they may do.
extension Rooms {
  /// - Parameter isReturn: whether the server says that a netsplit is over.
  mutating func noteJoin(
    of line: IRCLine, _ nick: String, isReturn: Bool, in context: inout IRCContext
  ) {
    let address = context.fold(line[0])
    guard byAddress[address]?.isInside == true else { return }
    if context.has("extended-join"), line.parameters.count > 1 {
      noteLogin(of: nick, People.Login(line[1]), in: &context)
    }
    if changingHosts.remove(context.fold(nick) + " " + address) != nil { return }
    add(nick, "", to: address, context.names)
    if byAddress[address]?.state == .entered {
      let folded = context.fold(nick)
      let wasSplit = split.remove(folded + " " + address) != nil
      let isBack = isReturn || wasSplit && context.clock.time - splitAt < Self.longestSplit
      tellPresence(
        of: folded, in: address, arrival: isBack ? translated("back after the netsplit") : "",
        &context)
    }
  }

  /// Milliseconds after a netsplit when a return no longer counts as its end.
  private static let longestSplit: Milliseconds = 3_600_000

  func tellPresence(
    of folded: String, in address: String, arrival: Remark = "", _ context: inout IRCContext
  ) {
    guard let person = people[folded], let signs = byAddress[address]?.members[folded] else {
      return
    }
    context.tell(
      .present(
        people.user(person.nick, context), room: address, away: person.away,
        rank: context.rank(for: signs, isBot: person.isBot), arrival: arrival))
  }

  private func tellRank(of folded: String, in address: String, _ context: inout IRCContext) {
    guard let person = people[folded], let signs = byAddress[address]?.members[folded] else {
      return
    }
    context.tell(
      .ranked(
        people.user(person.nick, context), room: address,
        rank: context.rank(for: signs, isBot: person.isBot)))
  }

  mutating func noteBot(_ nick: String, in context: inout IRCContext) {
    let folded = context.fold(nick)
    guard people.noteBot(folded) else { return }
    for (address, room) in byAddress where room.state == .entered {
      tellRank(of: folded, in: address, &context)
    }
  }

  func tellOwnRank(in address: String, _ context: inout IRCContext) {
    context.tell(
      .ranked(
        people.user(context.nick, context), room: address,
        rank: context.rank(for: byAddress[address]?.ownSigns ?? "")))
  }

  /// Notes somebody's account, or that they have none.
  mutating func noteLogin(
    of nick: String, _ login: People.Login, in context: inout IRCContext
  ) {
    if nick.isEmpty { return }
    let folded = context.fold(nick)
    let former = people[folded] == nil ? nil : people.user(nick, context)
    let isOfAccount = former.map { people.isOfAccount($0.identity) } ?? false
    people.note(nick, login: login, context.names)
    let user = people.user(nick, context)
    guard let former, !user.isOwner, former.identity != user.identity else { return }
    // The store gives the account what belongs to a mere nick, not what belongs to an account.
    if isOfAccount, user.isVerified { return replace(former, by: folded, in: &context) }
    // The nick is the same; only the identity changes.
    context.tell(.renamed(user, room: nil, former: nick))
  }

  /// Tells that somebody is not the person that they seemed to be. That person has an account and
  /// keeps what is theirs, so this is not a renaming.
  private func replace(_ former: NetworkUser, by folded: String, in context: inout IRCContext) {
    for (address, room) in byAddress where room.members[folded] != nil && room.state == .entered {
      tellAbsence(of: former, in: address, besides: folded, &context)
      tellPresence(of: folded, in: address, &context)
    }
  }

  /// Tells that somebody is no longer in a room, unless they are still there under another nick.
  private func tellAbsence(
    of user: NetworkUser, in address: String, besides folded: String, removal: Remark? = nil,
    _ context: inout IRCContext
  ) {
    let isStillThere =
      people.isOfAccount(user.identity)
      && byAddress[address]?.members.nicks.contains { other in
        other != folded && people.hasSeveralNicks(other)
          && people.storedIdentity(of: other, context.names) == user.identity
      } ?? false
    if !isStillThere { context.tell(.absent(user, room: address, removal: removal)) }
  }

  /// Notes that somebody left a room, or was removed.
  mutating func noteDeparture(
    of nick: String, from name: String, removal: Remark?, in context: inout IRCContext
  ) {
    let (address, folded) = (context.fold(name), context.fold(nick))
    guard byAddress[address]?.members[folded] != nil else { return }
    byAddress[address]?.members[folded] = nil
    let user = people.user(nick, context)
    tellAbsence(of: user, in: address, besides: folded, removal: removal, &context)
    people.leaveRoom(folded)
  }

  /// Notes that somebody leaves the network, and will return at once.
  mutating func noteNewHost(of nick: String, _ context: inout IRCContext) {
    let folded = context.fold(nick)
    for (address, room) in byAddress where room.members[folded] != nil {
      changingHosts.insert(folded + " " + address)
    }
    context.clock.set(.hosts, in: Self.patienceForHosts)
  }

  private static let patienceForHosts: Milliseconds = 5_000

  /// Notes that those who have not returned by now are gone.
  mutating func endNewHosts(in context: inout IRCContext) {
    for words in changingHosts.map({ $0.split(separator: " ").map(String.init) }) {
      noteDeparture(of: words[0], from: words[1], removal: nil, in: &context)
    }
    changingHosts = []
  }

  /// Notes that somebody left the network.
  ///
  /// - Parameter isSplit: whether they left in a netsplit.
  mutating func noteQuit(of nick: String, isSplit: Bool, in context: inout IRCContext) {
    let folded = context.fold(nick)
    let user = people.user(nick, context)
    let removal: Remark? = isSplit ? translated("netsplit") : nil
    if isSplit {
      if context.clock.time - splitAt > Self.longestSplit { split = [] }
      splitAt = context.clock.time
    }
    for (address, room) in byAddress where room.members[folded] != nil {
      byAddress[address]?.members[folded] = nil
      if isSplit, split.count < Self.mostMembers { split.insert(folded + " " + address) }
      tellAbsence(of: user, in: address, besides: folded, removal: removal, &context)
    }
    people.remove(folded)
  }

  /// Notes that somebody else has a new nick.
  mutating func noteNick(of nick: String, _ new: String, in context: inout IRCContext) {
    let (former, folded) = (context.fold(nick), context.fold(new))
    guard people[former] != nil, !new.isEmpty else { return }
    let user = people.user(nick, context)
    people.rename(nick, to: new, context.names)
    for (address, room) in byAddress {
      guard let ranks = room.members[former] else { continue }
      byAddress[address]?.members[former] = nil
      byAddress[address]?.members[folded] = ranks
    }
    let current = people.user(new, context)
    if user.identity != current.identity, people.isOfAccount(user.identity) {
      return replace(user, by: folded, in: &context)
    }
    // The store searches by the former name, and another person there may have the same name.
    let name = user.identity == former ? nick + context.names.scope : user.identity
    context.tell(
      .renamed(current, room: nil, former: user.identity == current.identity ? nick : name))
  }

  // MARK: Modes

  private static let mostModes = 100

  /// Notes that a person or a server has changed the modes of a room.
  mutating func noteModes(
    _ name: String, _ words: ArraySlice<String>, by actor: String, in context: inout IRCContext
  ) {
    let address = context.fold(name)
    var change = ModeChange()
    defer { tell(change, by: actor, in: address, &context) }
    guard byAddress[address] != nil, let first = words.first else { return }
    let ranks = context.support.ranks
    var (isSet, arguments) = (true, words.dropFirst())
    for mode in first {
      if mode == "+" || mode == "-" {
        isSet = mode == "+"
        continue
      }
      let argument =
        context.support.hasParameter(mode, isSet: isSet) ? arguments.popFirst() : nil
      // A server repeats the ranks of people after a new host.
      if isSet, let rank = ranks.modes.firstIndex(of: mode), let argument,
        byAddress[address]?.members[context.fold(argument)]?.contains(ranks.signs[rank]) == true
      {
        continue
      }
      // Keep the room's password out of the log.
      change.add(
        mode, isSet: isSet, mode == "k" ? nil : argument,
        isOwner: argument.map { context.isMe($0) } ?? false)
      if let rank = ranks.modes.firstIndex(of: mode) {
        guard let nick = argument.map({ context.fold($0) }) else { continue }
        let isMe = context.isMe(nick)
        guard
          var signs = isMe ? byAddress[address]?.ownSigns : byAddress[address]?.members[nick]
        else { continue }
        signs.removeAll { $0 == ranks.signs[rank] }
        if isSet { signs.append(ranks.signs[rank]) }
        if isMe {
          byAddress[address]?.ownSigns = signs
          tellOwnRank(in: address, &context)
          continue
        }
        byAddress[address]?.members[nick] = signs
        tellRank(of: nick, in: address, &context)
      } else if let former = byAddress[address]?.modes, former.count < Self.mostModes {
        byAddress[address]?.modes = former.filter { $0 != mode } + (isSet ? String(mode) : "")
      }
      if mode == "k", let argument, argument != "*" {
        byAddress[address]?.key = isSet ? argument : ""
      }
    }
  }

  /// Tells what others have changed.
  private func tell(
    _ change: ModeChange, by actor: String, in address: String, _ context: inout IRCContext
  ) {
    if context.isMe(actor) || byAddress[address]?.state != .entered { return }
    // Only the names of servers have a dot.
    let user = actor.contains(".") ? nil : people.user(actor, context)
    for (sentence, isAboutOwner) in change.words(by: actor) {
      context.tell(.moderated(sentence, room: address, by: user, isAboutOwner: isAboutOwner))
    }
  }

  mutating func setModes(_ name: String, _ modes: String, in context: IRCContext) {
    byAddress[context.fold(name)]?.modes = modes.filter { $0 != "+" }
  }
}
