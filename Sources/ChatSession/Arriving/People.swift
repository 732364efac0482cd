// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// Names: whose looks like somebody else's (rule 12.3), which colour each has, and who can be
/// completed (rule 2.5).
@MainActor
final class People: SessionPart {
  unowned let session: Session
  /// Those who were looked at since names may have changed, and whose looks like another's.
  private var recognised: Set<ID<Participant>> = []
  private(set) var lookAlikes: Set<ID<Participant>> = []
  /// Nil while they may be others than they were.
  private var known: KnownPeople?
  /// The names of direct chats with look-alikes; nil when they may have changed.
  private var markedChats: Set<String>?
  /// Which of the colours the names in the open conversation have.
  private var colours: [ID<Participant>: Int] = [:]
  /// Who said something in the open conversation since they were completed last, and the number.
  private var spoken: [ID<Participant>: Int] = [:]

  init(_ session: Session) { self.session = session }

  /// To be called before messages are printed: who speaks in the open conversation has a colour that
  /// nobody else there has, as long as there is one.
  func recognise(sendersOf messages: [Message]) {
    recognise(messages.map(\.sender))
    guard session.face == .tty, let conversation = place.conversation?.id else { return }
    var new: [ID<Participant>: Int] = [:]
    for message in messages
    where message.conversation == conversation && message.sender != me.id
      && colours[message.sender] == nil
    {
      guard
        let colour = NameColours.free(
          for: message.senderIdentity, besides: colours.values)
      else { break }
      colours[message.sender] = colour
      new[message.sender] = colour
    }
    guard !new.isEmpty else { return }
    transcript.takes(colours: colours)
    outgoing.write(.colours(new, in: conversation))
  }

  /// To be called before names of these people are printed.
  func recognise(_ people: [ID<Participant>]) {
    recognised.reserveCapacity(recognised.count + people.count)
    let unknown = people.filter { recognised.insert($0).inserted }
    guard !unknown.isEmpty else { return }
    let found = (try? store.read { try $0.lookAlikes(among: unknown, to: me.id) }) ?? []
    guard !found.isEmpty else { return }
    lookAlikes.formUnion(found)
    transcript.marks(lookAlikes: lookAlikes)
  }

  /// Names may have changed.
  func namesChanged() {
    recognised = []
    lookAlikes = []
    markedChats = nil
    transcript.marks(lookAlikes: [])
  }

  func peopleChanged() {
    known = nil
    namesChanged()
  }

  /// A name, marked where it looks like another's.
  func shownName(_ person: Participant) -> SafeText {
    recognise([person.id])
    let name = SafeText(name: person.name)
    return lookAlikes.contains(person.id) ? glyphs.lookAlike + name : name
  }

  /// Somebody said something in the open conversation.
  func spoke(_ person: ID<Participant>, in number: Int) { spoken[person] = number }

  /// Another conversation is open.
  func enter(_ conversation: ID<Conversation>) {
    spoken = [:]
    guard session.face == .tty else { return }
    colours = (try? store.read { try $0.colours(in: conversation) }) ?? [:]
    transcript.takes(colours: colours)
  }

  /// The people of the open conversation whose names begin with a word, the most recent speakers
  /// first (rule 2.12).
  func here(named word: String) -> [Candidate] {
    let folded = MatchFolding.folded(word)
    return candidates.filter { $0.recency > 0 && MatchFolding.folded($0.text).hasPrefix(folded) }
  }

  /// What stands before the name of a direct chat with somebody who looks like another.
  var markOfConversations: (Conversation) -> String {
    let names = markedChats ?? namesOfMarkedChats()
    markedChats = names
    let mark = glyphs.lookAlike.string
    return { names.contains($0.name) ? mark : "" }
  }

  private func namesOfMarkedChats() -> Set<String> {
    let people = ((try? store.read { try $0.lookAlikes(to: me.id) }) ?? []).compactMap { each in
      try? store.read { try $0.participant(each) }
    }
    return Set(people.flatMap { ["@" + $0.name, "@" + $0.identity] })
  }

  /// The people to complete, brought up to date.
  var candidates: [Candidate] {
    let conversation = place.conversation?.id
    var known =
      known.take() ?? KnownPeople(of: store, in: conversation, me: me.id, mark: glyphs.lookAlike)
    if known.conversation != conversation {
      known = KnownPeople(of: store, in: conversation, me: me.id, mark: glyphs.lookAlike)
    }
    for (person, number) in spoken { known.spoke(person, in: number) }
    spoken = [:]
    self.known = known
    return known.candidates
  }
}

/// The people that can be mentioned in a conversation, kept from one menu to the next: reading and
/// folding very many names takes longer than a key may.
private struct KnownPeople {
  let conversation: ID<Conversation>?
  private(set) var candidates: [Candidate]
  /// Whose candidate stands at which index.
  private var people: [ID<Participant>] = []

  /// People of the conversation, then everyone known; those who spoke last here first.
  ///
  /// - Parameter mark: what stands before a name that looks like another's (rule 12.3).
  @MainActor
  init(
    of store: Store, in conversation: ID<Conversation>?, me: ID<Participant>, mark: SafeText
  ) {
    var recency: [ID<Participant>: Int] = [:]
    var members: Set<ID<Participant>> = []
    if let conversation {
      for message in (try? store.read { try $0.messages(in: conversation, limit: 200, for: me) })
        ?? []
      where !message.isPast {
        recency[message.sender] = message.number
      }
      members = Set(((try? store.read { try $0.members(of: conversation) }) ?? []).map(\.id))
    }
    // Whoever is known from another room alone can be neither written to nor called here.
    let others = ((try? store.read { try $0.participants(for: me) }) ?? []).filter {
      $0.id != me && (!$0.isOccupant || members.contains($0.id))
    }
    let counts = Dictionary(
      others.lazy.filter { !$0.isOccupant }.map { ($0.name, 1) }, uniquingKeysWith: +)
    let memberNames = Set(others.lazy.filter { members.contains($0.id) }.map(\.name))
    let lookAlikes = (try? store.read { try $0.lookAlikes(to: me) }) ?? []
    self.conversation = conversation
    candidates = []
    for person in others {
      // Members stand before everyone else, whoever spoke last.
      let isMember = members.contains(person.id)
      // An address tells apart who is called alike; in their conversation the name is enough.
      let isAlike =
        person.network != nil && !isMember
        && (counts[person.name, default: 1] > 1 || memberNames.contains(person.name))
      people.append(person.id)
      candidates.append(
        Candidate(
          isAlike ? person.identity : person.name, identity: person.identity,
          recency: recency[person.id].map { $0 + 1 } ?? (isMember ? 1 : 0),
          mark: lookAlikes.contains(person.id) ? mark.string : ""))
    }
  }

  /// - Parameter number: the message's.
  mutating func spoke(_ person: ID<Participant>, in number: Int) {
    guard let index = people.firstIndex(of: person) else { return }
    candidates[index].recency = number + 1
  }
}
