// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatPreferences
import ChatRendering
import Conversations
import Platform
import StyledText

extension CommandContext {
  /// Lists people, those who are online first.
  func list(_ presences: [Presence], _ snapshot: borrowing Snapshot) -> Step {
    let printer = printerMarkingLookAlikes(among: presences.map(\.participant.id), snapshot)
    var rows: [[StyledLine]] = []
    for presence in presences.sorted(by: {
      $0.isHere == $1.isHere
        ? LocaleOrder.precedes($0.participant.name, $1.participant.name) : $0.isHere
    }) {
      let person = presence.participant
      var line = StyledLine("  ")
      line += printer.name(
        SafeText(name: person.name), of: person.id, identity: person.identity)
      // The identities of people in a network's room are not meant for reading.
      let rules = accounts.list.first { $0.network == person.network }?.rules
      if rules?.fold(person.name) ?? person.name != person.identity, !person.isOccupant {
        line.append(" (" + SafeText(name: person.identity) + ")", .dim)
      }
      let facts = [presence.rankWords, presence.stateWords(for: me)].compactMap(\.self)
      rows.append([
        line, facts.isEmpty ? StyledLine() : StyledLine(facts.joinedAsList(), .dim),
      ])
    }
    return table(["  " + say("Name"), say("State")], rows)
  }
}

extension Presence {
  /// Whether and how they are here, in words; nil if nobody knows.
  package func stateWords(for me: Participant) -> SafeText? {
    if let away { return away.isEmpty ? say("away") : say("away: %1", SafeText(line: away)) }
    if typingSince != nil, isHere, participant.id != me.id { return say("typing") }
    if isLooking { return say("here") }
    if isHere {
      // A network reports no more than that.
      return participant.network == nil
        ? say("here, not looking at this conversation") : say("here")
    }
    return isKnown ? say("not here") : nil
  }
}
