// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// Names as printed, with a mark before a name that looks like somebody else's (rule 12.3).
struct ShownNames {
  var lookAlikes: Set<ID<Participant>> = []
  var mark = SafeText()

  func name(_ name: String, of person: ID<Participant>) -> SafeText {
    let name = SafeText(name: name)
    return lookAlikes.contains(person) ? mark + name : name
  }
}

extension Script {
  /// The current printed names of these people. A name may change while `log --follow` runs.
  func names(of people: [ID<Participant>]) throws -> ShownNames {
    // Shapes may be missing, as after a recovery.
    try? store.writeIfNeeded { try $0.checkLookAlikes() }
    let alike = try store.read { try $0.lookAlikes(among: Array(Set(people)), to: me.id) }
    return ShownNames(lookAlikes: Set(alike), mark: glyphs.lookAlike)
  }
}
