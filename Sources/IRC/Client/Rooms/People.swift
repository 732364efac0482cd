// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox

/// The people with whom the owner shares a room or of whom they have heard, by folded nick. The
/// account identifies a person; without one, the nick does.
struct People: Sendable {
  /// Whether somebody is logged in to an account of the network.
  enum Login: Hashable, Sendable {
    case unknown
    case no
    case account(String)

    /// - Parameter text: an account's name; `*`, `0` or nothing for none.
    init(_ text: String) { self = ["", "*", "0"].contains(text) ? .no : .account(text) }
  }

  /// How many people the client remembers: strangers in none of the owner's rooms, and all.
  static let (mostStrangers, most) = (1_000, 200_000)

  private var byNick = PeopleTable()
  private(set) var strangers: [String] = []
  /// The folded nicks that are logged in to each account, by folded account, with spaces between
  /// them: most accounts have one.
  private var nicks: [String: String] = [:]
  /// The last nicks of people with accounts, by their identities. Somebody whose nick is such an
  /// identity, and who is not logged in to that account, is another person.
  private var lastNicks: [String: String]

  /// - Parameter proven: the identities under which people have written while they were logged in,
  ///   and their last nicks.
  init(proven: [String: String] = [:]) { lastNicks = proven }

  subscript(_ folded: String) -> Person? { byNick[folded] }

  var count: Int { byNick.count }

  mutating func forgetAll() { (byNick, strangers, nicks) = (PeopleTable(), [], [:]) }

  // MARK: Who is who

  /// The prefix for somebody who uses a nick that belongs to another person's account. No nick
  /// begins with it.
  private static let other = "~"

  private func storedIdentity(_ nick: String, _ login: Login, _ names: ScopedNames) -> String {
    let folded = names.fold(nick)
    switch login {
    case .account(let name): return names.fold(name)
    case .unknown: return folded
    case .no: return isOfAccount(folded) ? Self.other + folded : folded
    }
  }

  func storedIdentity(of nick: String, _ names: ScopedNames) -> String {
    let person = byNick[names.fold(nick)]
    return storedIdentity(person?.nick ?? nick, person?.login ?? .unknown, names)
  }

  /// The identity of the person who had a nick in an old line that does not name their account: the
  /// last one known under the nick.
  func formerIdentity(of nick: String, _ names: ScopedNames) -> String {
    let folded = names.fold(nick)
    guard byNick[folded]?.login ?? .unknown == .unknown else {
      return storedIdentity(of: nick, names)
    }
    let known = lastNicks.filter {
      $0.value.utf8.count == nick.utf8.count && names.fold($0.value) == folded
    }
    return known.count == 1 ? known.keys.first ?? folded : folded
  }

  /// The person with a nick, in the store's terms.
  ///
  /// - Parameter login: their login at the time of an old message; nil for the current one.
  func user(_ nick: String, login: Login? = nil, _ context: IRCContext) -> NetworkUser {
    let login = login ?? byNick[context.fold(nick)]?.login ?? .unknown
    var isVerified = false
    if case .account = login { isVerified = true }
    return NetworkUser(
      identity: storedIdentity(nick, login, context.names), name: nick, isOwner: context.isMe(nick),
      isVerified: isVerified)
  }

  /// Whether an old line is from the owner: it has their account, or a nick that they have had.
  static func isOwnersNick(_ nick: String, _ login: Login, _ context: IRCContext) -> Bool {
    switch login {
    case .account(let name):
      context.account.map { context.fold(name) == context.fold($0) } ?? context.isMe(nick)
    case .no: context.isMe(nick)
    case .unknown: context.ownNicks.contains { context.fold($0) == context.fold(nick) }
    }
  }

  /// Whether somebody else has the nick by which a person was known, and only an account can tell
  /// the two apart.
  func hasSuccessor(_ identity: String, at nick: String, _ names: ScopedNames) -> Bool {
    (identity.hasPrefix(Self.other) || isOfAccount(identity))
      && byNick[names.fold(nick)] != nil && self.storedIdentity(of: nick, names) != identity
  }

  /// Whether an identity belongs to an account, and so stays with it whoever has the nick.
  func isOfAccount(_ identity: String) -> Bool { lastNicks[identity] != nil }

  /// The nick under which to reach a person now.
  func nick(of identity: String, _ names: ScopedNames) -> String {
    let plain = identity.hasPrefix(Self.other) ? String(identity.dropFirst()) : identity
    let holder = byNick[names.fold(plain)].flatMap {
      self.storedIdentity(of: $0.nick, names) == identity ? $0 : nil
    }
    if let holder, holder.login != .unknown || !isOfAccount(identity) { return holder.nick }
    let others = nicks[identity, default: ""].split(separator: " ").compactMap {
      byNick[String($0)]?.nick
    }
    return others.min() ?? holder?.nick ?? names.plain(plain)
  }

  /// The folded nicks to ask about before anything goes to a person, since other people may have
  /// them: only an account can tell them apart, and nobody has seen it on this connection.
  func doubtfulNicks(of identity: String, _ context: IRCContext) -> Set<String> {
    guard identity.hasPrefix(Self.other) || isOfAccount(identity), context.knowsAccounts else {
      return []
    }
    func isUnknown(_ nick: String) -> Bool { byNick[nick]?.login ?? .unknown == .unknown }
    let nick = context.fold(nick(of: identity, context.names))
    let isHere = !isUnknown(nick) && storedIdentity(of: nick, context.names) == identity
    if isHere || context.isMe(nick) { return [] }
    let last = lastNicks[identity].flatMap { IRCAddress.isNick($0) ? context.fold($0) : nil }
    return Set([nick, last ?? nick].filter { isUnknown($0) && !context.isMe($0) })
  }

  /// Whether the account of a person may be logged in under another nick as well.
  func hasSeveralNicks(_ folded: String) -> Bool {
    guard case .account(let name)? = byNick[folded]?.login else { return false }
    return nicks[name, default: ""].contains(" ")
  }

  // MARK: What changes

  private mutating func set(_ person: Person?, _ folded: String) {
    if case .account(let name)? = byNick[folded]?.login {
      let others = nicks[name, default: ""].split(separator: " ").filter { $0 != folded }
      nicks[name] = others.isEmpty ? nil : others.joined(separator: " ")
    }
    byNick[folded] = person
    if case .account(let name)? = person?.login {
      nicks[name] = nicks[name].map { $0 + " " + folded } ?? folded
    }
  }

  /// Notes that somebody exists, and their login if it is known.
  mutating func note(_ nick: String, login: Login = .unknown, _ names: ScopedNames) {
    let folded = names.fold(nick)
    var login = login
    if case .account(let name) = login { login = .account(names.fold(name)) }
    if var known = byNick[folded] {
      if login == .unknown { return }
      known.login = login
      set(known, folded)
    } else if byNick.count < Self.most {
      set(Person(nick: nick, login: login), folded)
      noteStranger(folded)
    }
    noteLastNick(nick, login, names)
  }

  private mutating func noteLastNick(_ nick: String, _ login: Login, _ names: ScopedNames) {
    guard case .account(let name) = login else { return }
    let identity = names.fold(name)
    if isOfAccount(identity) || lastNicks.count < Self.most { lastNicks[identity] = nick }
  }

  private mutating func noteStranger(_ folded: String) {
    strangers.append(folded)
    guard strangers.count > Self.mostStrangers else { return }
    for name in strangers.prefix(Self.mostStrangers / 2) where byNick[name]?.rooms == 0 {
      set(nil, name)
    }
    strangers.removeFirst(Self.mostStrangers / 2)
  }

  /// Notes that somebody is a program.
  ///
  /// - Returns: whether that is new.
  mutating func noteBot(_ folded: String) -> Bool {
    guard byNick[folded]?.isBot == false else { return false }
    byNick[folded]?.isBot = true
    return true
  }

  /// - Parameter message: nil if they are not away.
  mutating func setAway(_ message: String?, _ nick: String, _ names: ScopedNames) {
    byNick[names.fold(nick)]?.away = message
  }

  mutating func rename(_ nick: String, to new: String, _ names: ScopedNames) {
    let (former, folded) = (names.fold(nick), names.fold(new))
    guard var person = byNick[former] else { return }
    person.nick = new
    set(nil, former)
    set(person, folded)
    noteLastNick(new, person.login, names)
    if person.rooms == 0 { noteStranger(folded) }
  }

  mutating func enterRoom(_ folded: String) { byNick[folded]?.rooms += 1 }

  mutating func leaveRoom(_ folded: String) {
    guard let rooms = byNick[folded]?.rooms else { return }
    if rooms <= 1 { set(nil, folded) } else { byNick[folded]?.rooms = rooms - 1 }
  }

  mutating func remove(_ folded: String) { set(nil, folded) }
}
