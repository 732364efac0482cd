// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations

/// The people that can be mentioned in a conversation, kept from one menu to the next: reading and
/// folding very many names takes longer than a key may.
struct KnownPeople {
  let conversation: ID<Conversation>?
  private(set) var candidates: [Candidate]
  /// Whose candidate stands at which place.
  private var people: [ID<Participant>] = []

  /// People of the conversation, then everyone known; those who spoke last here first (rule 2.5).
  @MainActor
  init(of shell: Shell) {
    let store = shell.store
    let conversation = shell.conversation?.id
    var recency: [ID<Participant>: Int] = [:]
    var members: Set<ID<Participant>> = []
    if let conversation {
      for message in (try? store.messages(in: conversation, limit: 200, for: shell.me.id)) ?? []
      where !message.isPast {
        recency[message.sender] = message.number
      }
      members = Set(((try? store.members(of: conversation)) ?? []).map(\.id))
    }
    let others = ((try? store.participants()) ?? []).filter { $0.id != shell.me.id }
    self.conversation = conversation
    people = others.map(\.id)
    candidates = others.map { person in
      // Members stand before everyone else, whoever spoke last.
      let base = members.contains(person.id) ? 1 : 0
      return Candidate(
        person.name, identity: person.identity, recency: recency[person.id].map { $0 + 1 } ?? base)
    }
  }

  /// Somebody said something here.
  ///
  /// - Parameter number: the message's.
  mutating func spoke(_ person: ID<Participant>, in number: Int) {
    guard let place = people.firstIndex(of: person) else { return }
    candidates[place].recency = number + 1
  }
}

extension Shell {
  /// The people to complete, brought up to date.
  func people() -> [Candidate] {
    var known = knownPeople.take() ?? KnownPeople(of: self)
    if known.conversation != conversation?.id { known = KnownPeople(of: self) }
    for (person, number) in spoken { known.spoke(person, in: number) }
    spoken = [:]
    knownPeople = known
    return known.candidates
  }
}
