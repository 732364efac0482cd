// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Networks

// Who has the nick of a person with an account: nothing may go to somebody else.
extension IRCOutbox {
  /// Milliseconds until the client asks again, since servers may refuse the question for a while.
  private static let patienceForHolders: Milliseconds = 30_000

  /// Asks who has the nicks of people to whom messages wait. The lists of the rooms come first: a
  /// person may be there under another nick.
  mutating func askForHolders(_ rooms: Rooms, in context: inout IRCContext) {
    if rooms.entering > 0 { return }
    for conversation in Set(entries.values.map(\.entry.conversation)) {
      guard case .direct(let identity) = conversation,
        let nick = rooms.people.doubtfulNick(of: identity, context),
        asked.insert(context.fold(nick)).inserted
      else { continue }
      context.sendLast(IRCLine("WHOIS", [nick]))
      context.clock.set(.holders, in: Self.patienceForHolders)
    }
  }

  /// Whether messages to a person wait, since somebody else may have the nick.
  func awaitsHolder(_ identity: String, _ rooms: Rooms, _ context: IRCContext) -> Bool {
    if rooms.people.doubtfulNick(of: identity, context) != nil { return true }
    // The person may still be found under another nick.
    let nick = rooms.people.nick(of: identity, context.names)
    return rooms.people.hasSuccessor(identity, at: nick, context.names)
      && (rooms.entering > 0 || asked.contains(context.fold(nick)))
  }

  /// Notes that the server does not know a nick: the messages to it fail.
  mutating func noteNobody(
    _ nick: String, _ line: IRCLine, _ people: People, in context: inout IRCContext
  ) {
    asked.remove(context.fold(nick))
    for outgoing in entries.values.sorted(by: { $0.entry.id < $1.entry.id }) {
      if case .direct(let identity) = outgoing.entry.conversation,
        people.doubtfulNick(of: identity, context).map({ context.fold($0) }) == context.fold(nick)
      {
        refuse(outgoing.entry.id, line.refusalWords, in: &context)
      }
    }
  }
}
