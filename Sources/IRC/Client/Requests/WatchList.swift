// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox

/// Whom the client asks the server to watch (MONITOR, else ISON each minute): the owner's contacts,
/// and the nick that the owner wants.
struct WatchList: Sendable {
  /// The folded nicks of the contacts.
  private(set) var contacts: Set<String>

  init(contacts: [String]) { self.contacts = Set(contacts) }

  private func hasMonitor(_ context: IRCContext) -> Bool { context.support["MONITOR"] != nil }

  mutating func begin(in context: inout IRCContext, wanted: String?) {
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

  func ask(for nick: String, in context: inout IRCContext) {
    if !hasMonitor(context) { context.send(IRCLine("ISON", [nick])) }
  }

  mutating func add(_ identity: String, as nick: String, in context: inout IRCContext) {
    contacts.insert(identity)
    watch([nick], in: &context)
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
      guard contacts.contains(user.identity) || contacts.contains(context.fold(nick)) else {
        continue
      }
      context.tell(.contact(user, isOnline: isOnline, away: nil))
    }
  }
}
