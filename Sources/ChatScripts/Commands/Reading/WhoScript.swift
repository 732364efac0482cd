// SPDX-License-Identifier: GPL-3.0-or-later
import ChatCommands
import ChatPreferences
import Conversations
import StyledText

/// `hobnob who`: prints the people of a conversation, as `/who` does.
struct WhoScript: JSONSubcommand {
  static let name = "who"
  static let abstract: StaticString = "Print who is in a conversation."
  static var parameters: [Parameter<Self>] {
    [
      Parameter(
        "CONVERSATION", \.conversation, completes: .conversations,
        "A room's name, or @name of a person; without it, all your conversations."),
      Parameter("--json", \.json, "Print one JSON object per line."),
    ]
  }

  var conversation: String?
  var json = false

  func run(_ launch: Launch) throws -> Int32 {
    try launch.script { script in
      let places = try conversation.map { [try script.conversation($0).id] }
      let people = try script.store.read { snapshot in
        try (places ?? snapshot.joined(by: script.me.id)).flatMap { try snapshot.people(in: $0) }
      }
      var printed: Set<ID<Participant>> = []
      let once = people.filter { printed.insert($0.participant.id).inserted }
      let names = try script.names(of: once.map(\.participant.id))
      for presence in once {
        let person = presence.participant
        if json {
          script.output.write(JSONLine.safe(presence.json(hasRank: places != nil)))
        } else {
          let facts = [
            places == nil ? nil : presence.rankWords, presence.stateWords(for: script.me),
          ]
          let state = facts.compactMap(\.self)
          script.output.write(
            names.name(person.name, of: person.id)
              + (state.isEmpty ? "" : ": " + state.joinedAsList()))
        }
      }
      return 0
    }
  }
}

extension Presence {
  /// - Parameter hasRank: whether it is about one conversation, in which they have a rank.
  fileprivate func json(hasRank: Bool) -> String {
    JSONTable.participant.line([
      .identity: .text(participant.identity), .network: JSON(text: participant.network),
      .name: .text(participant.name), .online: isKnown ? .flag(isHere) : .null,
      .away: JSON(text: away), .rank: hasRank && !rank.isEmpty ? .text(rank) : .null,
    ])
  }
}
