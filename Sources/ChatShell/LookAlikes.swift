// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// Whose shown name looks like somebody else's (rule 12.3): asked of the store for those whose name
/// is about to be shown, once each.
extension Shell {
  /// To be called before names of these people are printed.
  func recognise(_ people: [ID<Participant>]) {
    for person in people where recognised.insert(person).inserted {
      if (try? store.looksLikeAnother(person, to: me.id)) == true {
        printer.options.lookAlikes.insert(person)
      }
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
