// SPDX-License-Identifier: GPL-3.0-or-later
import ChatRendering
import Conversations
import StyledText

/// People's names: which look like somebody else's (rule 12.3), and their colours.
@MainActor
package struct People {
  private let me: ID<Participant>
  private let glyphs: Glyphs
  /// The people whose names were checked since the last change of names.
  private var checked: Set<ID<Participant>> = []
  /// The checked people whose names look like someone else's.
  private(set) var lookAlikes: Set<ID<Participant>> = []
  /// The colours of the names in the open conversation.
  private(set) var colours: [ID<Participant>: Int] = [:]

  init(me: ID<Participant>, glyphs: Glyphs) { (self.me, self.glyphs) = (me, glyphs) }

  /// Gives each sender of these messages a colour that nobody else in the open conversation has, as
  /// long as one is free. Call this before printing the messages.
  ///
  /// - Returns: the newly assigned colours.
  mutating func giveColours(
    toSendersOf messages: [Message], in conversation: ID<Conversation>
  ) -> [ID<Participant>: Int] {
    var new: [ID<Participant>: Int] = [:]
    for message in messages
    where message.conversation == conversation && message.sender != me
      && colours[message.sender] == nil
    {
      guard
        let colour = NameColours.free(for: message.senderIdentity, excluding: colours.values)
      else { break }
      colours[message.sender] = colour
      new[message.sender] = colour
    }
    return new
  }

  /// Looks for look-alikes among these people. Call this before printing their names.
  mutating func findLookAlikes(among people: [ID<Participant>], _ snapshot: borrowing Snapshot) {
    checked.reserveCapacity(checked.count + people.count)
    let unknown = people.filter { checked.insert($0).inserted }
    guard !unknown.isEmpty else { return }
    lookAlikes.formUnion((try? snapshot.lookAlikes(among: unknown, to: me)) ?? [])
  }

  /// The known look-alikes, and those among these people, who are not remembered: for names that
  /// are printed only once.
  package func withLookAlikes(
    among people: [ID<Participant>], _ snapshot: borrowing Snapshot
  ) -> Set<ID<Participant>> {
    let unknown = people.filter { !checked.contains($0) }
    if unknown.isEmpty { return lookAlikes }
    return lookAlikes.union((try? snapshot.lookAlikes(among: unknown, to: me)) ?? [])
  }

  /// Records that names may have changed.
  mutating func namesChanged() {
    checked = []
    lookAlikes = []
  }

  /// The name of a person who has been checked, marked if it looks like another's.
  func shownName(_ person: Participant) -> SafeText {
    let name = SafeText(name: person.name)
    return lookAlikes.contains(person.id) ? glyphs.lookAlike + name : name
  }

  /// - Parameter hasColours: whether names have colours.
  mutating func enter(
    _ conversation: ID<Conversation>, hasColours: Bool, _ snapshot: borrowing Snapshot
  ) {
    if hasColours { colours = (try? snapshot.colours(in: conversation)) ?? [:] }
  }
}
