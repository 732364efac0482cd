// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks

/// Whom the client asks the server to watch (MONITOR, else ISON each minute): the owner's contacts,
/// and the nick that the owner wants.
struct WatchList: Sendable {
  /// The folded nicks of the contacts.
  private(set) var contacts: Set<String>
  /// Those who were online at the last question.
  private var online: Set<String> = []

  init(contacts: [String]) { self.contacts = Set(contacts) }

  private func hasMonitor(_ context: IRCContext) -> Bool { context.support["MONITOR"] != nil }

  mutating func begin(in context: inout IRCContext, wanted: String?) {
    online = []
    // If the list is too long, the wanted nick is the most urgent.
    watch([wanted].compactMap(\.self) + contacts.sorted().map(context.names.plain), in: &context)
  }

  private func watch(_ names: [String], in context: inout IRCContext) {
    guard hasMonitor(context) else { return }
    var line: [String] = []
    let most = context.support.number("MONITOR") ?? 100
    for name in names.prefix(most) {
      if line.reduce(0, { $0 + $1.utf8.count + 1 }) + name.utf8.count > 400 {
        context.send(IRCLine("MONITOR", ["+", line.joined(separator: ",")]))
        line = []
      }
      line.append(name)
    }
    if !line.isEmpty { context.send(IRCLine("MONITOR", ["+", line.joined(separator: ",")])) }
  }

  /// Asks who of them is online, where the server does not say so by itself.
  ///
  /// - Returns: whether there is somebody to ask for.
  func ask(wanted: String?, in context: inout IRCContext) -> Bool {
    let names = [wanted].compactMap(\.self) + contacts.sorted().map(context.names.plain)
    guard !names.isEmpty, !hasMonitor(context) else { return false }
    // One line is enough for forty usual names.
    context.send(IRCLine("ISON", [names.prefix(40).joined(separator: " ")]))
    return true
  }

  /// Notes an answer to that question: who of them is online.
  mutating func noteOnline(_ nicks: Set<String>, _ people: People, in context: inout IRCContext) {
    for contact in contacts where nicks.contains(contact) != online.contains(contact) {
      let user = people.user(people.nick(of: contact, context.names), context)
      guard user.identity == contact else { continue }
      context.tell(.contact(user, isOnline: nicks.contains(contact), away: nil))
    }
    online = nicks
  }

  mutating func add(_ identity: String, as nick: String, in context: inout IRCContext) {
    contacts.insert(identity)
    watch([nick], in: &context)
    if !hasMonitor(context) { context.clock.set(.watch, in: 0) }
  }

  mutating func remove(_ identity: String, as nick: String, in context: inout IRCContext) {
    contacts.remove(identity)
    if hasMonitor(context) { context.send(IRCLine("MONITOR", ["-", nick])) }
  }

  /// Notes who is online (730) or offline (731).
  func note(
    _ list: String, isOnline: Bool, _ people: People, in context: inout IRCContext
  ) {
    for item in list.split(separator: ",") {
      let nick = IRCLine.Source(item).nick
      let user = people.user(nick, context)
      guard contacts.contains(user.identity) else { continue }
      context.tell(.contact(user, isOnline: isOnline, away: nil))
    }
  }
}
