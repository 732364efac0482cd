// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Sentences
import Storage

extension BridgeLine {
  /// Sentences about words in `can` that hobnob does not know, and so ignores. A later version may
  /// know them, but the author of a program may also have mistyped them.
  var unknownAbilities: [String] {
    [JSONName.can, .canDirect].flatMap { member -> [String] in
      guard case .object(let can) = self[member] else { return [] }
      let known = BridgeTable.abilities.map(\.name.rawValue)
      let reaction = self[member][.react].text.map { [$0] } ?? []
      let verbs = self[member][.requests].items.compactMap(\.text)
      return can.keys.filter { !known.contains($0) }.sorted().map { unknown($0, in: member) }
        + reaction.filter { Abilities.ReactionLimit(rawValue: $0) == nil }
        .map { unknown($0, in: .react) }
        + verbs.filter { NetworkRequest.Verb(program: $0) == nil }.map {
          unknown($0, in: .requests)
        }
    }
  }

  private func unknown(_ word: String, in member: JSONName) -> String {
    filled(("hobnob does not know “%1” in “%2” and ignores it", [word, member.rawValue]))
  }
}
