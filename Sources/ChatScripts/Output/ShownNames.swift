// SPDX-License-Identifier: GPL-3.0-or-later
import ChatSession
import Conversations
import StyledText

/// Names as they are printed, with a mark before a name that looks like somebody else's (rule 12.3).
struct ShownNames {
  var lookAlikes: Set<ID<Participant>> = []
  var mark = SafeText()

  func name(_ name: String, of person: ID<Participant>) -> SafeText {
    let name = SafeText(name: name)
    return lookAlikes.contains(person) ? mark + name : name
  }
}

extension Script {
  /// How the names of these people are printed now; `log --follow` outlives a change of name.
  func names(of people: [ID<Participant>]) throws -> ShownNames {
    // In a store from before, nobody may have looked at names yet.
    try? store.writeIfNeeded { try $0.lookAtNames() }
    let alike = try store.read { try $0.lookAlikes(among: Array(Set(people)), to: me.id) }
    return ShownNames(lookAlikes: Set(alike), mark: glyphs.lookAlike)
  }
}
