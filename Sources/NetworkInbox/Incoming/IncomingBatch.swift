// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Sentences

/// One batch of events on its way into the store.
final class IncomingBatch {
  /// A conversation of the account.
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

  /// Someone on the network.
  struct Person {
    var participant: Participant
    var isOnline: Bool?
    var id: ID<Participant> { participant.id }
  }

  let store: Transaction
  private(set) var account: Account
  let fetchesFiles: Bool
  let owner: Participant
  let now: Milliseconds
  let outline: BatchOutline
  var conversations: [ConversationAddress: BatchConversation] = [:]
  private var people: [String: Person] = [:]
  private var proven: Set<ID<Participant>> = []

  /// What the store does not have, so that it is lost if the batch is.
  struct Progress {
    /// How many past messages arrived, by conversation.
    var past: [ConversationAddress: Int] = [:]
    /// The past messages since `settle`, by conversation. A conversation whose page had none has an
    /// empty list.
    var unsettled: [ConversationAddress: [ID<Message>]] = [:]
    /// The page of the archive that is being read, by conversation.
    var pages: [ConversationAddress: Page] = [:]
    /// Conversations in which messages are missing, but that did not exist yet.
    var missingInNew: Set<ConversationAddress> = []
    /// New messages that are not in the search index yet.
    var unindexed: [ID<Message>] = []
    var playbacks: [ConversationAddress: Playback]
  }

  /// A page of an archive.
  struct Page {
    /// Its number, which orders its waiting changes; lower than the numbers of pages read earlier,
    /// which are newer.
    var number: Int
    /// The sort key after it; nil if there is no message after it.
    var end: Int64?
  }

  var progress: Progress

  var database: Database { store.database }
  var network: String { account.network }
  /// Whether rooms name their people themselves.
  var hasOccupants: Bool { account.rules.identityScope == .room }

  init(
    _ running: borrowing Access<some MayWrite>, _ account: Account, _ outline: BatchOutline,
    _ playbacks: [ConversationAddress: Playback], fetchesFiles: Bool
  ) throws {
    store = Transaction(of: running)
    (self.account, self.outline, self.fetchesFiles) = (account, outline, fetchesFiles)
    progress = Progress(playbacks: playbacks)
    owner = try store.participant(account.owner)
    now = min(max(store.clock(), Message.times.lowerBound), Message.times.upperBound)
  }

  /// Applies an event completely, or skips it: if it contradicts the store or a rule, the next try
  /// would end in the same way (rule 14.6).
  ///
  /// - Returns: why it was skipped; nil if it was not.
  func applyWhole(_ event: NetworkEvent) throws -> (any Error)? {
    try whole { try apply(event) }
  }

  /// Does what is left to do at the end of a transaction.
  ///
  /// - Returns: why a part of it was skipped; nil if none was.
  func finish() throws -> (any Error)? {
    let reason = try whole { try settle() }
    try index()
    return reason
  }

  private func whole(_ body: () throws -> Void) throws -> (any Error)? {
    let (former, rules) = (progress, account.rules)
    do {
      try store.savepoint(body)
      return nil
    } catch {
      switch error {
      case is RuleError, StoreError.contradiction:
        (progress, account.rules) = (former, rules)
        // These repeat what the store has.
        (conversations, people, proven) = ([:], [:], [])
        return error
      default: throw error
      }
    }
  }

  private func apply(_ event: NetworkEvent) throws {
    switch event {
    case .messageReceived(let message, let conversation):
      try applyMessage(message, in: conversation)
    case .edited, .retracted, .removed, .reacted:
      if try !applyChange(event) { try keep(event) }
    case .typing(let speaker, let conversation, let isTyping):
      try applyTyping(speaker, in: conversation, isTyping)
    case .receipt(let name, let speaker, let conversation, let state):
      try applyReceipt(name, by: speaker, in: conversation, state)
    case .read(let name, let conversation): try read(name, in: conversation)
    case .readUntil(let time, let conversation): try read(until: time, in: conversation)
    case .named(let nick, let scope): try store.setOwnNick(nick, scope: scope, of: account)
    case .joined(let room, let nick): try joined(room, as: nick)
    case .left(let room, let reason): try left(room, reason)
    case .lost(let room, let reason): try lost(room, reason)
    case .roomNamed(let room, let name): try applyRoomName(room, name)
    case .roomMoved(let room, let new, let speaker, let words):
      try moved(room, to: new, by: speaker, words)
    case .forwarded(let room, let new, let reason): try forwarded(room, to: new, reason)
    case .present(let speaker, let room, let away, let rank, let arrival):
      try present(speaker, in: room, away: away, rank: rank, arrival: arrival)
    case .ranked(let speaker, let room, let rank): try setRank(of: speaker, in: room, rank)
    case .moderated(let sentence, let room, let speaker, let isAboutOwner):
      try moderated(sentence, in: room, by: speaker, isAboutOwner: isAboutOwner)
    case .absent(let speaker, let room, let removal):
      try absent(speaker, in: room, removal: removal)
    case .renamed(let speaker, let room?, let former):
      try renamed(speaker, in: room, from: former)
    case .renamed(let speaker, nil, let former): try renamed(speaker, from: former)
    case .topic(let room, let text, let speaker, _): try topic(of: room, text, by: speaker)
    case .invited(let room, let speaker): try invited(to: room, by: speaker)
    case .contact(let speaker, let isOnline, let away):
      try contact(speaker, isOnline: isOnline, away: away)
    case .wantsContact(let speaker): try wantsContact(speaker)
    case .countStrangers: try countStrangers()
    case .answeredContact(let speaker, let isYes):
      try store.tell(
        filled(
          (
            isYes
              ? "%1 lets you see when they are online."
              : "%1 does not let you see when they are online.", [speaker.identity]
          )), account)
    case .contactRemoved(let speaker): try applyContactRemoved(speaker)
    case .offline(let scope): try store.forgetPresence(on: network, scope: scope)
    case .accepted(let entry, let archive): try accepted(entry, archive)
    case .acceptedPart(let entry, let id):
      try store.noteApplied(MessageIDs(archive: id), to: entry.message.id, by: owner.id)
    case .refused(let entry, let reason, let mayHaveArrived):
      try refused(entry, reason, mayHaveArrived)
    case .neverSent(let entry): try neverSent(entry)
    case .bounced(let name, let conversation, let reason):
      try bounced(name, in: conversation, reason)
    case .caughtUp(let archive, let mark): try caughtUp(archive, mark)
    case .missing(let conversation): try noteMissing(in: conversation)
    case .complete(let conversation): try noteComplete(in: conversation)
    case .unanswered(let conversation): try noteUnanswered(in: conversation)
    case .page(let conversation, let from, let until):
      try page(of: conversation, from: from, until: until)
    case .historySent(let room): try historySent(room)
    case .answered(let request, let text): try store.answer(request, of: account, text)
    case .fetched(let request, let file): try fetched(request, file)
    case .notice(let sentence): try store.tell(sentence, account)
    case .noticeAbout(let speaker, let sentence):
      let known = try person(speaker, knownIn: .direct(speaker.identity))
      let ignored = try store.attention(of: owner.id).ignoredPeople
      if known.map({ ignored.contains($0.id) }) != true { try store.tell(sentence, account) }
    case .rules(let rules):
      try store.setRules(of: account, rules)
      account.rules = rules
    case .abilities(let abilities): try store.setAbilities(of: account, abilities)
    case .abilitiesHere(let abilities, let network):
      try store.setAbilities(of: batchConversation(network).id, abilities)
    }
    if case .offline(let scope) = event {
      for (address, conversation) in conversations where address.address.hasSuffix(scope) {
        conversation.isLive = false
      }
      people = [:]
    }
  }

  // MARK: The search index

  /// Stores a new message. `index` later adds its words to the search index, with those of other
  /// messages.
  func insert(
    _ message: NewMessage<ID<Participant>>, as id: ID<Message>, sort: Int64,
    _ arrival: Message.Arrival, in conversation: BatchConversation
  ) throws {
    if progress.unindexed.isEmpty { try database.run("INSERT OR IGNORE INTO indexing VALUES (1)") }
    progress.unindexed.append(id)
    conversation.keys.note(sort)
    conversation.stored.lastNumber = try store.store(
      message, as: id, sort: sort, arrival, in: conversation.stored
    ).number
  }

  /// Adds the words of all new messages to the search index: at the end, and before the text of any
  /// message changes.
  func index() throws {
    if progress.unindexed.isEmpty { return }
    let ids = progress.unindexed.map { String($0.rawValue) }.joined(separator: ",")
    try database.run(
      """
      INSERT INTO message_text(rowid, body, facts)
      SELECT w.id, w.body, w.facts FROM json_each(?) n CROSS JOIN message_words w
      WHERE w.id = n.value ORDER BY w.id
      """, "[\(ids)]")
    try database.run("DELETE FROM indexing")
    progress.unindexed = []
  }

  // MARK: Conversations

  /// The conversation with a network's name, created if missing.
  func batchConversation(_ target: ConversationAddress) throws -> BatchConversation {
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
    if progress.missingInNew.remove(target) != nil { try openGap(after: nil, in: made.id) }
    return made
  }

  /// The conversation with a network's name; nil if the store has none.
  func known(_ target: ConversationAddress) throws -> BatchConversation? {
    if let known = conversations[target] { return known }
    var found: BatchConversation?
    switch target {
    case .room(let address):
      found = try storedConversation(
        target, with: nil, "c.kind = 0 AND c.network = ?2 AND c.address = ?3", self.network,
        address)
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
      Conversation.select(and: ", c.live") + "WHERE " + condition, owner.id, one,
      two
    ) { BatchConversation(address, Conversation($0), with: other, $0) }
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
    var made = try store.insert(
      identity: identity,
      name: speaker.name.isEmpty ? name(ofUnnamed: speaker, in: conversation) : speaker.name,
      network: network)
    if case .room = conversation, hasOccupants {
      made.isOccupant = true
      try database.run(
        "UPDATE participant SET given = ? WHERE id = ?", speaker.identity, made.id)
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
    try database.run(
      "UPDATE participant SET proven = 1 WHERE id = ? AND proven = 0", person.id)
  }

  private func name(
    ofUnnamed speaker: NetworkUser, in conversation: ConversationAddress
  ) -> String {
    if case .room = conversation {
      speaker.identity
    } else {
      account.rules.shortName(of: speaker.identity)
    }
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
      Person(
        participant: Participant($0), isOnline: $0.optionalInt64("online").map { $0 != 0 })
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

  func setOnline(
    _ isOnline: Bool?, _ person: Person, _ speaker: NetworkUser,
    in conversation: ConversationAddress
  ) throws {
    if person.isOnline == isOnline { return }
    try database.run("UPDATE participant SET online = ? WHERE id = ?", isOnline, person.id)
    try store.touchPeople()
    people[identity(of: speaker, in: conversation)]?.isOnline = isOnline
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

  // MARK: Messages

  /// A reported time, limited to now, since it may be wrong.
  func time(_ told: Milliseconds?) -> Milliseconds {
    min(max(told ?? now, Message.times.lowerBound), now)
  }

  /// A stored message, by its ids on the network.
  ///
  /// - Parameter author: the person who must have written it. With nil, it is identified only by an
  ///   archive id, or by an origin id that nobody else used there.
  func knownMessage(
    _ name: MessageIDs, of author: ID<Participant>?, in conversation: BatchConversation
  ) throws -> KnownMessage? {
    // Query only ids first, since most messages are new.
    var found: [ID<Message>] = []
    if let archive = name.archive {
      found = try database.rows(
        "SELECT id FROM message WHERE conversation = ? AND archive_id = ?", conversation.id, archive
      ) { $0.id() }
    }
    if found.isEmpty, let origin = name.origin {
      // The + keeps SQLite from going through the conversation in order.
      found = try database.rows(
        """
        SELECT id FROM message WHERE conversation = ?1 AND remote_id = ?2
          AND (?3 IS NULL OR sender = ?3) AND (?4 IS NULL OR archive_id IS NULL)
        ORDER BY +sort DESC LIMIT 2
        """, conversation.id, origin, author, name.archive
      ) { $0.id() }
      if author == nil, found.count > 1 { return nil }
    }
    guard let id = found.first, let known = try knownMessage(id) else { return nil }
    return author == nil || known.message.sender == author ? known : nil
  }

  /// How many of the newest messages, and of those that were edited last, are searched for an id.
  private static let searchedMessages = 200

  /// The message that another one refers to: some programs name the latest correction instead of
  /// the message that it corrects, or give a message two ids.
  func referencedMessage(
    _ name: MessageIDs, of author: ID<Participant>?, in conversation: BatchConversation
  ) throws -> KnownMessage? {
    if let known = try knownMessage(name, of: author, in: conversation) { return known }
    let corrected = try database.rows(
      """
      SELECT m.id FROM (
        SELECT * FROM (
          SELECT id, conversation, sender FROM message WHERE revised IS NOT NULL
          ORDER BY revised DESC LIMIT ?5)
        UNION SELECT * FROM (
          SELECT id, conversation, sender FROM message WHERE conversation = ?1
          ORDER BY sort DESC LIMIT ?5)) m
      WHERE m.conversation = ?1 AND (?2 IS NULL OR m.sender = ?2) AND EXISTS (
        SELECT 1 FROM applied_change WHERE message = m.id AND participant = m.sender
          AND (archive_id = ?3 OR origin_id = ?4))
      LIMIT 2
      """, conversation.id, author, name.archive, name.origin, Self.searchedMessages
    ) { $0.id() as ID<Message> }
    return try corrected.count == 1 ? knownMessage(corrected[0]) : nil
  }

  func knownMessage(_ id: ID<Message>) throws -> KnownMessage? {
    try database.first(
      "SELECT \(Message.columns), m.archive_id \(Message.rows) WHERE m.id = ?", id
    ) { KnownMessage(message: Message($0), archive: $0.optionalText("archive_id")) }
  }

  struct KnownMessage {
    var message: Message
    var archive: String?
  }
}
