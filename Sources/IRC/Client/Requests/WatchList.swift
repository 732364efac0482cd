// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks

/// The nicks that the client watches, with MONITOR or else with ISON each minute: those of the
/// owner's contacts, and the one that the owner wants to have.
struct WatchList: Sendable {
  /// The last known nicks of the contacts, by identity.
  private var contacts: [String: String]
  /// The folded nicks that were online when the client last asked.
  private var online: Set<String> = []
  /// The nick that the owner wants but somebody else has.
  var wanted: String?
  /// Whether to ask the network's services for the wanted nick.
  var regains = false
  private var hasRegained = false
  /// The wanted nick while the client asks for it, until the server answers.
  private var taking: String?

  /// - Parameter contacts: their names by their identities.
  init(contacts: [String: String]) {
    self.contacts = contacts.reduce(into: [:]) {
      $0[$1.key] = IRCAddress.isNick($1.value) ? $1.value : $1.key
    }
  }

  private func hasMonitor(_ context: IRCContext) -> Bool { context.support["MONITOR"] != nil }

  /// The nicks to watch. The wanted nick comes first, in case the list is too long. On the bouncer
  /// itself there are none, since people are on its networks.
  private func names(_ context: IRCContext) -> [String] {
    context.isBouncerItself
      ? [] : [wanted].compactMap(\.self) + contacts.values.map(context.names.plain).sorted()
  }

  mutating func begin(in context: inout IRCContext) {
    (online, taking) = ([], nil)
    watch(names(context), in: &context)
    if !hasMonitor(context) { ask(in: &context) }
    // Only once: two programs with one account must not take it from each other for ever.
    if regains, !hasRegained, context.account != nil, let wanted {
      hasRegained = true
      context.send(IRCLine("NICKSERV", ["REGAIN", wanted]), .background)
    }
  }

  private func watch(_ names: [String], in context: inout IRCContext) {
    guard hasMonitor(context) else { return }
    let most = max(0, context.support.number("MONITOR") ?? 100)
    for list in Array(names.prefix(most)).packed(",") {
      context.send(IRCLine("MONITOR", ["+", list]), .background)
    }
  }

  /// Asks each minute which of them are online, if the server does not report it by itself. If it
  /// does, this asks again about the wanted nick, which the server refused.
  func ask(in context: inout IRCContext) {
    if hasMonitor(context), let wanted {
      unwatch(wanted, in: &context)
      watch([wanted], in: &context)
    }
    let names = names(context)
    guard !names.isEmpty, !hasMonitor(context) else { return }
    // One line has space for about forty names.
    context.send(IRCLine("ISON", [names.prefix(40).joined(separator: " ")]), .background)
    context.clock.set(.watch, in: 60_000)
  }

  // MARK: The wanted nick

  /// Takes the wanted nick, which has become free.
  private mutating func takeWanted(in context: inout IRCContext) {
    if let wanted { context.send(IRCLine("NICK", [wanted]), .background) }
    (taking, wanted) = (wanted, nil)
  }

  /// Notes that the server refuses a nick: somebody was faster, or it keeps the nick back for a
  /// while (437). The client asks for it again in a minute.
  ///
  /// - Returns: whether the client had asked for it by itself.
  mutating func noteRefusal(of nick: String, in context: inout IRCContext) -> Bool {
    guard let taken = taking, context.fold(taken) == context.fold(nick) else { return false }
    (wanted, taking) = (taken, nil)
    context.clock.set(.watch, in: 60_000)
    return true
  }

  /// Notes that the owner or the network's services have chosen another nick, and stops trying to
  /// get the wanted one.
  mutating func noteOwnNick() { (wanted, taking) = (nil, nil) }

  // MARK: Who is online

  /// Notes an answer to ISON: which of them are online.
  mutating func noteOnline(_ names: String, _ people: People, in context: inout IRCContext) {
    let nicks = Set(names.split(separator: " ").map { context.fold(String($0)) })
    for nick in contacts.values {
      let isOnline = nicks.contains(context.fold(nick))
      guard isOnline != online.contains(context.fold(nick)),
        let user = watchedUser(nick, people, context)
      else { continue }
      context.tell(.contact(user, isOnline: isOnline, away: nil))
    }
    online = nicks
    if let wanted, !nicks.contains(context.fold(wanted)) { takeWanted(in: &context) }
  }

  mutating func add(_ identity: String, as nick: String, in context: inout IRCContext) {
    contacts[identity] = nick
    watch([nick], in: &context)
    if !hasMonitor(context) { context.clock.set(.watch, in: 0) }
  }

  mutating func remove(_ identity: String, in context: inout IRCContext) {
    if let nick = contacts.removeValue(forKey: identity) { unwatch(nick, in: &context) }
  }

  private func unwatch(_ nick: String, in context: inout IRCContext) {
    if hasMonitor(context) {
      context.send(IRCLine("MONITOR", ["-", context.names.plain(nick)]), .background)
    }
  }

  /// Notes who is online (730) or offline (731).
  mutating func note(
    _ list: String, isOnline: Bool, _ people: People, in context: inout IRCContext
  ) {
    for item in list.split(separator: ",") {
      let nick = IRCLine.Source(item).nick
      if nick.isEmpty { continue }
      if !isOnline, let wanted, context.fold(nick) == context.fold(wanted) {
        takeWanted(in: &context)
      }
      if let user = watchedUser(nick, people, context) {
        context.tell(.contact(user, isOnline: isOnline, away: nil))
      }
    }
  }

  /// The contact with a nick. The server reveals the account only of people in a common room.
  func watchedUser(_ nick: String, _ people: People, _ context: IRCContext) -> NetworkUser? {
    var user = people.user(nick, context)
    if contacts[user.identity] != nil { return user }
    let folded = context.fold(nick)
    guard people[folded]?.login ?? .unknown == .unknown,
      let identity = contacts.first(where: { context.fold($0.value) == folded })?.key
    else { return nil }
    user.identity = identity
    return user
  }

  /// Watches a contact under the nick that they have now.
  ///
  /// - Parameter former: their identity under their former nick.
  mutating func follow(
    _ nick: String, from former: String? = nil, _ people: People, in context: inout IRCContext
  ) {
    let identity = people.storedIdentity(of: nick, context.names)
    if let former, former != identity, !people.isOfAccount(former),
      let known = contacts.removeValue(forKey: former)
    {
      contacts[identity] = known
    }
    guard let known = contacts[identity], context.fold(known) != context.fold(nick),
      // They may have several nicks.
      people[context.fold(known)] == nil
        || people.storedIdentity(of: known, context.names) != identity
    else { return }
    contacts[identity] = nick
    unwatch(known, in: &context)
    watch([nick], in: &context)
  }
}
