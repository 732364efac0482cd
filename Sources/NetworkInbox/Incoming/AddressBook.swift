// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// A conversation of the account, as a batch of events changes it.
final class BatchConversation {
  let address: ConversationAddress
  var stored: Conversation
  /// The other person, in a direct chat.
  let other: Participant?
  /// Whether the owner is in the room, so that its people are known.
  var isLive: Bool
  var keys: SortKeys

  init(
    _ address: ConversationAddress, _ stored: Conversation, with other: Participant?, _ row: Row
  ) {
    (self.address, self.stored, self.other) = (address, stored, other)
    isLive = row.bool("live")
    keys = SortKeys(of: stored.id)
  }

  var id: ID<Conversation> { stored.id }
  var isRoom: Bool { stored.kind == .room }
}

/// The people and conversations of an account, by their addresses on the network: found in the
/// store, or created. The parts of a batch share it, and its transaction.
final class AddressBook {
  /// Someone on the network.
  struct Person {
    var participant: Participant
    var isOnline: Bool?
    var id: ID<Participant> { participant.id }
  }

  let store: Transaction
  var account: Account
  let owner: Participant
  let now: Milliseconds
  /// Conversations in which messages are missing, but that do not exist yet.
  var missingInNew: Set<ConversationAddress> = []
  private var conversations: [ConversationAddress: BatchConversation] = [:]
  private var people: [String: Person] = [:]
  private var proven: Set<ID<Participant>> = []

  var database: Database { store.database }
  var network: String { account.network }
  /// Whether rooms name their people themselves.
  var hasOccupants: Bool { account.rules.identityScope == .room }

  init(_ running: borrowing Access<some MayWrite>, _ account: Account) throws {
    store = Transaction(of: running)
    self.account = account
    owner = try store.participant(account.owner)
    now = min(max(store.clock(), Message.times.lowerBound), Message.times.upperBound)
  }

  /// Forgets what repeats the store, since a change of it was undone.
  func forget() { (conversations, people, proven) = ([:], [:], []) }

  func forget(_ address: ConversationAddress) { conversations[address] = nil }

  func tell(_ sentence: Remark, as kind: AccountNotice.Kind = .plain) throws {
    try store.tell(sentence, account, as: kind)
  }

  /// A reported time, limited to now, since it may be wrong.
  func time(_ reported: Milliseconds?) -> Milliseconds {
    min(max(reported ?? now, Message.times.lowerBound), now)
  }

  /// Forgets who is online on a network, or on one of the networks behind a bouncer.
  func forgetPresence(on scope: String) throws {
    try store.forgetPresence(on: network, scope: scope)
    for (address, conversation) in conversations where address.address.hasSuffix(scope) {
      conversation.isLive = false
    }
    people = [:]
  }

  // MARK: Conversations

  /// The conversation with a network's name, created if missing.
  func conversation(_ target: ConversationAddress) throws -> BatchConversation {
    if let known = try known(target) { return known }
    switch target {
    case .room(let address):
      guard !address.isEmpty else { throw RuleError.badName(address) }
      _ = try store.insert(
        room: store.freeName(account.rules.shown(room: address), on: network), network: network,
        address: address)
    case .direct(let address):
      guard !address.isEmpty else { throw RuleError.badName(address) }
      let person = try person(NetworkUser(identity: address), in: target)
      try store.insertDirect(owner.id, with: person.id)
    }
    guard let made = try known(target) else {
      throw StoreError.failed(path: store.path, detail: "\(target) is not found")
    }
    if missingInNew.remove(target) != nil { try openGap(after: nil, in: made.id) }
    return made
  }

  /// The conversation with a network's name; nil if the store has none.
  func known(_ target: ConversationAddress) throws -> BatchConversation? {
    if let known = conversations[target] { return known }
    var found: BatchConversation?
    switch target {
    case .room(let address):
      found = try storedConversation(
        target, with: nil, "c.kind = 0 AND c.network = ?2 AND c.address = ?3", network, address)
    case .direct(let address):
      guard let other = try person(known: address) else { return nil }
      let two = [owner.id.rawValue, other.id.rawValue].sorted()
      found = try storedConversation(
        target, with: other.participant, "c.kind = 1 AND c.one = ?2 AND c.other = ?3", two[0],
        two[1])
    }
    conversations[target] = found
    return found
  }

  private func storedConversation(
    _ address: ConversationAddress, with other: Participant?, _ condition: String,
    _ one: some Bindable, _ two: some Bindable
  ) throws -> BatchConversation? {
    try database.first(
      Conversation.select(and: ", c.live") + "WHERE " + condition, owner.id, one, two
    ) { BatchConversation(address, Conversation($0), with: other, $0) }
  }

  /// - Parameter last: the sort key of the last message before the break; nil for no message.
  func openGap(after last: Int64?, in conversation: ID<Conversation>) throws {
    // Twelve days before now, since every key before the first message is free.
    try database.run(
      "INSERT OR IGNORE INTO gap(conversation, sort) VALUES (?, ?)", conversation,
      last ?? SortKey.first(at: now) - 1 << 40)
  }

  /// Whether a shell of the owner shows a conversation.
  func isOpen(_ conversation: BatchConversation) throws -> Bool {
    try database.exists(
      "SELECT 1 FROM shell WHERE participant = ? AND conversation = ?", owner.id, conversation.id)
  }

  // MARK: People

  /// A person's identity in the store. If a room's ids for its people are valid only there, it
  /// begins with the room.
  private func identity(of speaker: NetworkUser, in conversation: ConversationAddress) -> String {
    guard case .room(let address) = conversation, hasOccupants else { return speaker.identity }
    return address + "/" + speaker.identity
  }

  /// Someone on the network, created if missing.
  ///
  /// - Parameter isCurrent: whether this is their current name, not one from an old message.
  func person(
    _ speaker: NetworkUser, in conversation: ConversationAddress, isCurrent: Bool = false
  ) throws -> Person {
    let identity = identity(of: speaker, in: conversation)
    guard !speaker.identity.isEmpty else { throw RuleError.badName(speaker.identity) }
    if var known = try person(known: identity) {
      if isCurrent, !speaker.name.isEmpty,
        !known.participant.name.utf8.elementsEqual(speaker.name.utf8)
      {
        try store.setName(of: known.id, to: speaker.name)
        known.participant.name = speaker.name
        people[identity] = known
      }
      if isCurrent, speaker.isVerified { try noteProven(known) }
      return known
    }
    var (name, isInRoom) = (speaker.name, false)
    if case .room = conversation { isInRoom = true }
    if name.isEmpty {
      name = isInRoom ? speaker.identity : account.rules.shortName(of: speaker.identity)
    }
    var made = try store.insert(identity: identity, name: name, network: network)
    if isInRoom, hasOccupants {
      made.isOccupant = true
      try database.run("UPDATE participant SET given = ? WHERE id = ?", speaker.identity, made.id)
    }
    let person = Person(participant: made, isOnline: nil)
    people[identity] = person
    if isCurrent, speaker.isVerified { try noteProven(person) }
    return person
  }

  /// Notes that nobody else can take a person's identity. On networks where rooms name their people
  /// themselves, that is so for all of them, or for none.
  private func noteProven(_ person: Person) throws {
    if hasOccupants || !proven.insert(person.id).inserted { return }
    try database.run("UPDATE participant SET proven = 1 WHERE id = ? AND proven = 0", person.id)
  }

  func person(_ speaker: NetworkUser, knownIn conversation: ConversationAddress) throws -> Person? {
    try person(known: identity(of: speaker, in: conversation))
  }

  func person(known identity: String) throws -> Person? {
    if let known = people[identity] { return known }
    let found = try database.first(
      """
      SELECT \(Participant.columns), p.online FROM participant p
      WHERE p.network = ? AND p.identity = ?
      """, network, identity
    ) {
      Person(participant: Participant($0), isOnline: $0.optionalInt64("online").map { $0 != 0 })
    }
    people[identity] = found
    return found
  }

  /// Gives a person another identity, since the network says that both are the same person.
  func move(_ person: Person, to speaker: NetworkUser) throws {
    people[person.participant.identity] = nil
    people[speaker.identity] = nil
    // Somebody else may write under the old name in the same batch.
    conversations[.direct(person.participant.identity)] = nil
    try store.setIdentity(of: person.id, to: speaker.identity)
  }

  func setOnline(_ isOnline: Bool?, _ person: Person) throws {
    if person.isOnline == isOnline { return }
    try database.run("UPDATE participant SET online = ? WHERE id = ?", isOnline, person.id)
    try store.touchPeople()
    people[person.participant.identity]?.isOnline = isOnline
  }

  /// The participant who did something in an existing conversation. Nil for people who cannot have
  /// done it: in a direct chat, anyone except the two.
  func speakerID(
    _ speaker: NetworkUser, in conversation: BatchConversation
  ) throws -> ID<Participant>? {
    if speaker.isOwner { return owner.id }
    if case .direct(let address) = conversation.address, speaker.identity != address { return nil }
    return try person(speaker, knownIn: conversation.address)?.id
  }

  /// Whether somebody is in a room where the owner is, too.
  func isInARoom(_ person: ID<Participant>) throws -> Bool {
    try !liveRooms(of: person).isEmpty
  }

  func isContact(_ person: ID<Participant>) throws -> Bool {
    try database.exists("SELECT 1 FROM participant WHERE id = ? AND contact <> 0", person)
  }

  func liveRooms(of person: ID<Participant>) throws -> [ConversationAddress] {
    try database.rows(
      """
      SELECT c.address FROM membership s JOIN conversation c ON c.id = s.conversation
      WHERE s.participant = ? AND s.last IS NULL AND c.kind = 0 AND c.live = 1 ORDER BY c.id
      """, person
    ) { .room($0.text()) }
  }

  func isTrusted(_ person: ID<Participant>) throws -> Bool {
    try person == owner.id || isContact(person)
  }
}
