// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// Names as they are printed: before those that look like somebody else's stands a mark (rule 12.3).
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
    try? store.lookAtNames()
    let alike = try store.lookAlikes(among: Array(Set(people)), to: me.id)
    return ShownNames(lookAlikes: Set(alike), mark: glyphs.lookAlike)
  }
}

/// Whose shown name looks like somebody else's (rule 12.3): asked of the store for those whose name
/// is about to be shown, once each.
extension Shell {
  /// To be called before names of these people are printed.
  func recognise(_ people: [ID<Participant>]) {
    recognised.reserveCapacity(recognised.count + people.count)
    let unknown = people.filter { recognised.insert($0).inserted }
    guard !unknown.isEmpty else { return }
    for person in (try? store.lookAlikes(among: unknown, to: me.id)) ?? [] {
      printer.options.lookAlikes.insert(person)
    }
  }

  /// Names may have changed.
  func unrecognise() {
    recognised = []
    printer.options.lookAlikes = []
  }

  /// A name, marked where it looks like another's.
  func shownName(_ person: Participant) -> SafeText {
    recognise([person.id])
    let name = SafeText(name: person.name)
    return printer.options.lookAlikes.contains(person.id) ? glyphs.lookAlike + name : name
  }
}
