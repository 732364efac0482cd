// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// The candidates for completing a name (rule 2.5).
@MainActor
package struct PeopleCandidates {
  package let me: ID<Participant>
  package let glyphs: Glyphs
  /// The people to offer; nil if they may have changed.
  private var known: KnownPeople?
  /// The names of direct chats with look-alikes; nil if they may have changed.
  private var markedChats: Set<String>?
  /// Who wrote in the open conversation since the last completion, with message numbers.
  private var spoken: [ID<Participant>: Int] = [:]

  package init(me: ID<Participant>, glyphs: Glyphs) { (self.me, self.glyphs) = (me, glyphs) }

  /// Notes who wrote in the open conversation, and that names may have changed.
  package mutating func note(_ changes: Changes, open: ID<Conversation>?) {
    for message in changes.arrived where message.conversation == open {
      spoken[message.sender] = message.number
    }
    if changes.peopleChanged { (known, markedChats) = (nil, nil) }
  }

  package mutating func entered() { spoken = [:] }

  /// Returns the people of the open conversation whose names begin with a word, the most recent
  /// speakers first (rule 2.12).
  package mutating func here(
    named word: String, in open: ID<Conversation>?, _ snapshot: borrowing Snapshot
  ) -> [Candidate] {
    let folded = MatchFolding.folded(word)
    return candidates(in: open, snapshot).filter {
      $0.recency > 0 && MatchFolding.folded($0.text).hasPrefix(folded)
    }
  }

  /// Returns a function that gives the mark before a conversation's name: a mark for a direct chat
  /// with a look-alike, nothing for any other.
  package mutating func markOfChats(_ snapshot: borrowing Snapshot) -> (Conversation) -> String {
    let names = markedChats ?? namesOfMarkedChats(snapshot)
    markedChats = names
    let mark = glyphs.lookAlike.string
    return { names.contains($0.name) ? mark : "" }
  }

  private func namesOfMarkedChats(_ snapshot: borrowing Snapshot) -> Set<String> {
    var names: Set<String> = []
    let accounts = (try? snapshot.accounts(of: me)) ?? []
    for person in (try? snapshot.lookAlikes(to: me)) ?? [] {
      guard let found = try? snapshot.participant(person),
        let full = try? snapshot.fullName(of: found, among: accounts)
      else { continue }
      names.formUnion(["@" + found.name, "@" + found.address, "@" + full])
    }
    return names
  }

  /// Brings the candidates for completing a name up to date, and returns them.
  package mutating func candidates(
    in conversation: ID<Conversation>?, _ snapshot: borrowing Snapshot
  ) -> [Candidate] {
    var known: KnownPeople
    if let former = self.known.take(), former.conversation == conversation {
      known = former
    } else {
      known = KnownPeople(in: conversation, me: me, mark: glyphs.lookAlike, snapshot)
    }
    for (person, number) in spoken { known.noteSpeaker(person, in: number) }
    spoken = [:]
    self.known = known
    return known.candidates
  }
}

/// The people to mention in a conversation, kept between menus: reading and folding very many names
/// would take too long for a key press.
private struct KnownPeople {
  let conversation: ID<Conversation>?
  private(set) var candidates: [Candidate]
  /// The person of each candidate, by index.
  private var people: [ID<Participant>] = []

  /// The conversation's people, then everyone known; recent speakers first.
  ///
  /// - Parameter mark: precedes a name that looks like another's (rule 12.3).
  @MainActor
  init(
    in conversation: ID<Conversation>?, me: ID<Participant>, mark: SafeText,
    _ snapshot: borrowing Snapshot
  ) {
    var recency: [ID<Participant>: Int] = [:]
    var members: Set<ID<Participant>> = []
    if let conversation {
      for message in (try? snapshot.messages(in: conversation, limit: 200, for: me))
        ?? []
      where !message.isPast {
        recency[message.sender] = message.number
      }
      members = Set(((try? snapshot.members(of: conversation)) ?? []).map(\.id))
    }
    let shared = (try? snapshot.sharedNames(for: me, in: conversation)) ?? []
    let lookAlikes = (try? snapshot.lookAlikes(to: me)) ?? []
    let accounts = (try? snapshot.accounts(of: me)) ?? []
    self.conversation = conversation
    var (candidates, people) = ([Candidate](), [ID<Participant>]())
    try? snapshot.forEachMentionable(for: me, in: conversation) { person, identity, name, isLocal in
      let isMember = members.contains(person)
      // If two people have the same name, the address tells them apart; for members of this
      // conversation the name is enough.
      let isAlike = !isLocal && !isMember && shared.contains(name)
      people.append(person)
      candidates.append(
        Candidate(
          isAlike
            ? (try? snapshot.fullName(of: snapshot.participant(person), among: accounts))
              ?? identity : name,
          identity: identity,
          // Members precede everyone else, even recent speakers.
          recency: recency[person].map { $0 + 1 } ?? (isMember ? 1 : 0),
          mark: lookAlikes.contains(person) ? mark.string : ""))
    }
    (self.candidates, self.people) = (candidates, people)
  }

  /// - Parameter number: the number of the person's message.
  mutating func noteSpeaker(_ person: ID<Participant>, in number: Int) {
    guard let index = people.firstIndex(of: person) else { return }
    candidates[index].recency = number + 1
  }
}
