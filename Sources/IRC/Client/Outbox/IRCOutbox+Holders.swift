// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Networks

// Finds out who has a nick now, so that no message reaches the wrong person.
extension IRCOutbox {
  /// Milliseconds until the client asks again, since servers may refuse the question for a while.
  private static let patienceForHolders: Milliseconds = 30_000
  /// The token of the PING after the lists of the rooms.
  static let lists = "lists"

  /// Asks who has the nicks of people for whom messages wait: their last nick, and the name of
  /// their account. The rooms' lists may show a person under another nick, so the client reads them
  /// before it gives up.
  mutating func askForHolders(_ rooms: Rooms, in context: inout IRCContext) {
    if rooms.entering > 0 { return }
    refuseAbsent(rooms.people, in: &context)
    for conversation in Set(entries.values.map(\.entry.conversation)) {
      guard case .direct(let identity) = conversation else { continue }
      for nick in rooms.people.doubtfulNicks(of: identity, context) where asked[nick] == nil {
        asked[nick] = ""
        context.send(IRCLine("WHOIS", [context.names.plain(nick)]))
        if !isLearningAccounts { context.send(context.probe(Self.lists), .idle) }
        isLearningAccounts = true
        context.clock.set(.holders, in: Self.patienceForHolders)
      }
    }
  }

  /// Whether messages to a person have to wait, because somebody else may have the nick.
  func awaitsHolder(_ identity: String, _ rooms: Rooms, _ context: IRCContext) -> Bool {
    if !rooms.people.doubtfulNicks(of: identity, context).isEmpty { return true }
    // The person may still be found under another nick.
    guard rooms.entering > 0 || isLearningAccounts else { return false }
    let nick = rooms.people.nick(of: identity, context.names)
    return rooms.people.hasSuccessor(identity, at: nick, context.names)
  }

  /// Refuses the messages to people who have none of their nicks.
  private mutating func refuseAbsent(_ people: People, in context: inout IRCContext) {
    if isLearningAccounts || asked.isEmpty { return }
    var absent: Set<String> = []
    for outgoing in entries.all {
      guard case .direct(let identity) = outgoing.entry.conversation else { continue }
      let nicks = people.doubtfulNicks(of: identity, context)
      let words = nicks.sorted().map { asked[$0] ?? "" }
      guard let first = words.first, !words.contains("") else { continue }
      refuse(outgoing.entry.id, Remark(first), in: &context)
      absent.formUnion(nicks)
    }
    for nick in absent { asked[nick] = nil }
  }

  /// Asks again who has the nicks, unless the questions still wait for their turn.
  mutating func forgetHolders(in context: inout IRCContext) {
    if isLearningAccounts { return context.clock.set(.holders, in: Self.patienceForHolders) }
    asked = [:]
  }
}
