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
      let state: SafeText? =
        if let word = presence.away {
          word.isEmpty ? say("away") : say("away: %1", SafeText(line: word))
        } else if presence.typingSince != nil && presence.isHere && person.id != me.id {
          say("typing")
        } else if presence.isLooking {
          say("here")
        } else if presence.isHere {
          // A network reports no more than that.
          person.network == nil ? say("here, not looking at this conversation") : say("here")
        } else {
          presence.isKnown ? say("not here") : nil
        }
      let facts = [presence.rankWords, state].compactMap(\.self)
      rows.append([
        line, facts.isEmpty ? StyledLine() : StyledLine(facts.joinedAsList(), .dim),
      ])
    }
    return table(["  " + say("Name"), say("State")], rows)
  }
}
