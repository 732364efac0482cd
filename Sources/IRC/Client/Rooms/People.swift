// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox

/// The people whom the owner shares a room with or has heard of, by folded nick. A person is
/// identified by their account where there is one, otherwise by their nick.
struct People: Sendable {
  /// Whether somebody is logged in to an account of the network.
  enum Login: Hashable, Sendable {
    case unknown
    case no
    case account(String)

    /// - Parameter text: an account's name; `*`, `0` or nothing for none.
    init(_ text: String) { self = ["", "*", "0"].contains(text) ? .no : .account(text) }
  }

  struct Person: Hashable, Sendable {
    var nick: String
    var login = Login.unknown
    var isAway = false
    /// In how many of the owner's rooms they are.
    var rooms: Int32 = 0
  }

  /// Strangers who are in no room of the owner's, and whom the client remembers.
  private static let mostStrangers = 1_000

  private var byNick: [String: Person] = [:]
  private var strangers: [String] = []
  /// Identities that belong to accounts: somebody with that nick and without the account is another
  /// person.
  private var accountIdentities: Set<String>

  /// - Parameter proven: the identities under which people have written while they were logged in.
  init(proven: Set<String> = []) { accountIdentities = proven }

  subscript(_ folded: String) -> Person? { byNick[folded] }

  mutating func removeAll() { (byNick, strangers) = ([:], []) }

  // MARK: Who is who

  /// The sign in front of a nick whose holder is not the person known under it. No nick begins
  /// with it.
  private static let other = "~"

  private func identity(_ nick: String, _ login: Login, _ names: ScopedNames) -> String {
    let folded = names.fold(nick)
    switch login {
    case .account(let name): return names.fold(name)
    case .unknown: return folded
    case .no: return accountIdentities.contains(folded) ? Self.other + folded : folded
    }
  }

  func identity(of nick: String, _ names: ScopedNames) -> String {
    let person = byNick[names.fold(nick)]
    return identity(person?.nick ?? nick, person?.login ?? .unknown, names)
  }

  /// The person with a nick, in the store's terms.
  func user(_ nick: String, _ context: IRCContext) -> NetworkUser {
    let names = context.names
    let person = byNick[names.fold(nick)]
    var isVerified = false
    if case .account = person?.login { isVerified = true }
    return NetworkUser(
      identity: identity(of: nick, names), name: nick, isOwner: context.isMe(nick),
      isVerified: isVerified)
  }

  /// The nick under which to reach a person now.
  func nick(of identity: String, _ names: ScopedNames) -> String {
    let plain = identity.hasPrefix(Self.other) ? String(identity.dropFirst()) : identity
    if let person = byNick[names.fold(plain)], self.identity(of: person.nick, names) == identity {
      return person.nick
    }
    let other = byNick.values.first { self.identity($0.nick, $0.login, names) == identity }
    return other?.nick ?? names.plain(plain)
  }

  // MARK: What changes

  /// Notes that somebody is there.
  mutating func note(_ nick: String, login: Login = .unknown, _ names: ScopedNames) {
    let folded = names.fold(nick)
    if byNick[folded] == nil {
      byNick[folded] = Person(nick: nick, login: login)
      strangers.append(folded)
      if strangers.count > Self.mostStrangers {
        for name in strangers.prefix(Self.mostStrangers / 2) where byNick[name]?.rooms == 0 {
          byNick[name] = nil
        }
        strangers.removeFirst(Self.mostStrangers / 2)
      }
    } else if login != .unknown {
      byNick[folded]?.login = login
    }
    if case .account(let name) = login { accountIdentities.insert(names.fold(name)) }
  }

  /// Notes an account, or that there is none.
  ///
  /// - Returns: the event if the person is another one now.
  mutating func setLogin(
    of nick: String, _ login: Login, in context: IRCContext
  ) -> NetworkEvent? {
    let former = byNick[context.fold(nick)].map { identity($0.nick, $0.login, context.names) }
    note(nick, login: login, context.names)
    let user = user(nick, context)
    guard !user.isOwner, let former, former != user.identity else { return nil }
    return .renamed(user, room: nil, former: nick)
  }

  mutating func setAway(_ isAway: Bool, _ nick: String, _ names: ScopedNames) {
    byNick[names.fold(nick)]?.isAway = isAway
  }

  mutating func rename(_ nick: String, to new: String, _ names: ScopedNames) {
    guard var person = byNick.removeValue(forKey: names.fold(nick)) else { return }
    person.nick = new
    byNick[names.fold(new)] = person
  }

  mutating func enterRoom(_ folded: String) { byNick[folded]?.rooms += 1 }

  mutating func leaveRoom(_ folded: String) {
    guard let rooms = byNick[folded]?.rooms else { return }
    if rooms <= 1 { byNick[folded] = nil } else { byNick[folded]?.rooms = rooms - 1 }
  }

  mutating func remove(_ folded: String) { byNick[folded] = nil }
}
