// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Sentences

/// A conversation that an import adds to.
final class ImportedConversation {
  let id: ID<Conversation>
  /// Whether this import created it, so that it is entirely as exported.
  let isNew: Bool
  let isLocal: Bool
  /// hobnob has removed, or will remove, messages from before this time; the earliest time if
  /// messages are kept, or if deletion begins only later.
  let oldest: Milliseconds
  /// The highest number in use.
  var lastNumber: Int64
  var keys: SortKeys
  var lastAt: Milliseconds?
  /// Whether the import added anything to it.
  var hasNew = false

  init(
    id: ID<Conversation>, isNew: Bool, isLocal: Bool, lastNumber: Int64, oldest: Milliseconds
  ) {
    (self.id, self.isNew, self.isLocal) = (id, isNew, isLocal)
    (self.lastNumber, self.oldest) = (lastNumber, oldest)
    keys = SortKeys(of: id)
  }
}

/// Imports history from elsewhere into a store, in one transaction; see `run`.
///
/// Imported messages do not arrive: no open shell treats them as new. As long as they are in order,
/// and after all stored ones, their ids grow with the order, so that searching them is as quick as
/// for arrived ones; see `idForOlder`.
package final class Import {
  package internal(set) var report = ImportReport()

  let transaction: DurableTransaction
  var database: Database { transaction.database }
  /// The identity of the importing person, who becomes a participant only if a log needs it.
  let me: String
  /// Called for each line that it leaves out.
  let complain: (ImportFault) -> Void

  /// The sort key of the newest message of all conversations whose id is in order.
  var newest: Int64?
  private let firstSilent: Int64
  private var nextSilent: Int64
  private var people: [String: ID<Participant>] = [:]
  private var rooms: [String: ID<Conversation>] = [:]
  /// The names of people who were in the store before.
  private let takenNames: Set<String>
  var conversations: [ID<Conversation>: ImportedConversation] = [:]
  /// New members of conversations that were in the store before.
  var entering: [(ID<Participant>, ImportedConversation)] = []
  private var changesPeople = false
  /// People whom this import created.
  private(set) var newcomers: Set<ID<Participant>> = []

  /// The block of numbers for one import.
  private static let block: Int64 = 1 << 31

  init(
    _ running: borrowing DurableTransaction, me: String,
    complain: @escaping (ImportFault) -> Void
  ) throws {
    transaction = DurableTransaction(of: running)
    (self.me, self.complain) = (me, complain)
    let database = running.database
    let least =
      try database.first(
        """
        SELECT min(ifnull((SELECT min(change) FROM reader), 0),
          ifnull((SELECT min(change) FROM reaction), 0),
          ifnull((SELECT min(change) FROM history), 0), ifnull((SELECT min(id) FROM event), 0))
        """
      ) { $0.int64() } ?? 0
    let (first, isTooMuch) = min(0, least).subtractingReportingOverflow(Import.block)
    if isTooMuch {
      throw StoreError.corrupt(
        path: transaction.path,
        detail: filled(("a counter has reached its limit, %1", [String(least)])))
    }
    (firstSilent, nextSilent) = (first, first)
    newest = try transaction.newestSortKey()
    let everyone = try transaction.allParticipants()
    takenNames = Set(everyone.map { $0.name.lowercased() })
    for one in everyone { people[Import.key(one.identity, one.network ?? "")] = one.id }
    for room in try transaction.allRooms() {
      rooms[Import.key(room.name.lowercased(), room.network ?? "")] = room.id
    }
    try database.execute(
      """
      CREATE TEMP TABLE import_number(
        place INTEGER, old INTEGER, new INTEGER, PRIMARY KEY (place, old)) WITHOUT ROWID;
      CREATE TEMP TABLE import_message(id INTEGER PRIMARY KEY);
      CREATE TEMP TABLE import_reply(message INTEGER PRIMARY KEY, place INTEGER, old INTEGER);
      CREATE TEMP TABLE import_change(
        message INTEGER PRIMARY KEY, body TEXT, mentions TEXT, edited_at INTEGER,
        deleted_at INTEGER, gone INTEGER, removed_by TEXT, removal_reason TEXT);
      CREATE TEMP TABLE import_line(
        participant INTEGER, line TEXT, count INTEGER, PRIMARY KEY (participant, line))
        WITHOUT ROWID;
      CREATE TEMP TABLE import_event(
        conversation INTEGER, participant INTEGER, other INTEGER, kind INTEGER, text TEXT,
        at INTEGER, count INTEGER,
        PRIMARY KEY (conversation, at, participant, other, kind, text)) WITHOUT ROWID;
      """)
  }

  /// The key for comparing names: on this machine, names ignore case.
  private static func key(_ name: String, _ network: String) -> String {
    network.isEmpty ? name.lowercased() : network + "\u{0}" + name
  }

  /// - Throws: `LineFault` for an invalid identity on this machine.
  func check(_ name: String) throws {
    do {
      _ = try Naming.checked(name)
    } catch {
      throw Self.badName(name)
    }
  }

  private func check(room name: String) throws {
    do {
      _ = try Naming.checkedRoom(name)
    } catch {
      throw Self.badName(name)
    }
  }

  private static func badName(_ name: String) -> LineFault {
    LineFault(
      "“%1” is not a valid name; use 1 to 64 characters, none blank or invisible, and do not begin with @, # or /",
      name)
  }

  /// The next negative number, for changes that nobody should notice.
  func silentNumber() throws -> Int64 {
    guard nextSilent < firstSilent + Import.block - 1 else {
      throw StoreError.failed(path: transaction.path, detail: translated("the import is too large"))
    }
    nextSilent += 1
    return nextSilent
  }

  // MARK: People and places

  /// - Throws: `LineFault` for an invalid identity.
  func person(_ identity: String, network: String, name: String? = nil) throws -> ID<Participant> {
    let key = Import.key(identity, network)
    if let known = people[key] { return known }
    if network.isEmpty {
      try check(identity)
    } else if identity.isEmpty {
      throw LineFault.missing(.identity)
    }
    let id = try newcomer(identity, network: network, name: name)
    people[key] = id
    return id
  }

  private func newcomer(
    _ identity: String, network: String, name: String?
  ) throws -> ID<Participant> {
    let wanted = name ?? identity
    if wanted.isEmpty { throw LineFault.missing(.name) }
    var chosen = wanted
    if network.isEmpty {
      try check(wanted)
      var next = 2
      while takenNames.contains(chosen.lowercased()) {
        chosen = wanted + String(next)
        next += 1
      }
    }
    changesPeople = true
    report.people += 1
    let id = try transaction.insert(identity: identity, name: chosen, network: network).id
    newcomers.insert(id)
    return id
  }

  /// The answer to a query; nil if a rule refuses it, as for a name that several people have.
  private func unlessRefused<T>(_ query: () throws -> T?) throws -> T? {
    do { return try query() } catch is RuleError { return nil }
  }

  /// - Throws: `LineFault` if it belongs to somebody else's account.
  private func checkOwner(of network: String) throws {
    if network.isEmpty { return }
    let mine =
      try unlessRefused { try transaction.participant(ifKnown: me) }?.id ?? Participant.nobody
    let isAnothers = try database.exists(
      "SELECT 1 FROM account WHERE network = ? AND owner <> ?", network, mine)
    if isAnothers {
      throw LineFault("“%1” is the account of somebody else in this store", network)
    }
  }

  /// A room, created if it is missing.
  func room(_ name: String, network: String) throws -> ImportedConversation {
    try checkOwner(of: network)
    var bare = Naming.bare(name)
    if network.isEmpty, bare.contains("@") {
      // Earlier versions allowed it.
      bare = bare.replacing("@", with: "-")
      report.renamedRooms["#" + Naming.bare(name)] = "#" + bare
    }
    // On a network, a room may have another sign.
    let isSigned = bare.first.map { !$0.isLetter && !$0.isNumber } ?? false
    let shown = network.isEmpty || !isSigned ? "#" + bare : name
    let key = Import.key(shown.lowercased(), network)
    if let known = rooms[key] { return try conversation(known, isNew: false) }
    if network.isEmpty || bare.isEmpty { try check(room: bare) }
    let new = try made(
      transaction.insert(
        room: shown, network: network,
        address: network.isEmpty ? nil : bare
      ).id)
    rooms[key] = new
    return try conversation(new, isNew: true)
  }

  /// The room with an address on the network of the importing person's account, created if it is
  /// missing.
  func room(at address: String, of account: Account) throws -> ImportedConversation {
    if let known = try transaction.room(address, of: account.network, for: account.owner) {
      return try conversation(known.id, isNew: false)
    }
    let new = try made(transaction.networkRoom(address, network: account.network).id)
    return try conversation(new, isNew: true)
  }

  /// The person who had a nick in a room of an account's network, created if they are missing.
  func person(nick: String, at room: String, of account: Account) throws -> ID<Participant> {
    let key = Import.key(room + "/" + nick, account.network)
    if let known = people[key] { return known }
    let found: ID<Participant>
    if account.rules.identityScope == .network {
      let known = try unlessRefused { try transaction.currentPerson(named: nick, of: account) }
      found =
        try known?.id
        ?? person(
          account.rules.fold(nick), network: account.network, name: nick)
    } else {
      // The store may know them by an id that the room gave them.
      let known: [ID<Participant>] = try database.rows(
        "SELECT id FROM participant WHERE network = ? AND name = ? AND identity >= ? AND identity < ?",
        account.network, nick, room + "/", room + "0"
      ) { $0.id() }
      if known.count == 1 {
        found = known[0]
      } else {
        found = try person(room + "/" + nick, network: account.network, name: nick)
        try database.run(
          "UPDATE participant SET given = ? WHERE id = ? AND given IS NULL", nick, found)
      }
    }
    people[key] = found
    return found
  }

  /// The direct chat of two people, created if it is missing, without members yet.
  func direct(
    _ one: ID<Participant>, _ other: ID<Participant>, network: String
  ) throws -> ImportedConversation {
    try checkOwner(of: network)
    let pair = [one, other].sorted { $0.rawValue < $1.rawValue }
    let known: ID<Conversation>? = try database.first(
      "SELECT id FROM conversation WHERE kind = 1 AND one = ? AND other = ?", pair[0], pair[1]
    ) { $0.id() }
    if let known { return try conversation(known, isNew: false) }
    let id: ID<Conversation>? = try database.first(
      """
      INSERT INTO conversation(kind, network, name, folded, one, other)
      VALUES (1, ?, '', '', ?, ?) RETURNING id
      """, network, pair[0], pair[1]
    ) { $0.id() }
    return try conversation(made(id ?? ID(rawValue: 0)), isNew: true)
  }

  private func made(_ id: ID<Conversation>) -> ID<Conversation> {
    changesPeople = true
    report.conversations += 1
    return id
  }

  private func conversation(_ id: ID<Conversation>, isNew: Bool) throws -> ImportedConversation {
    if let known = conversations[id] { return known }
    let now = transaction.clock()
    let conversation = try database.first(
      """
      SELECT network = '' AS is_local, last_number, iif(keep_from <= ?2, keep, NULL) AS keep
      FROM conversation WHERE id = ?1
      """, id, now
    ) {
      let oldest = $0.optionalInt64("keep").map { now.subtractingReportingOverflow($0) }
      return ImportedConversation(
        id: id, isNew: isNew, isLocal: $0.bool("is_local"),
        lastNumber: Int64($0.int("last_number")),
        oldest: oldest.map { $0.overflow ? .min : $0.partialValue } ?? .min)
    }
    guard let conversation else {
      throw StoreError.failed(path: transaction.path, detail: "a room is gone")
    }
    conversations[id] = conversation
    return conversation
  }

  // MARK: The end

  /// Begins another source: conversations that earlier sources created count as known, and message
  /// numbers start a new mapping.
  func beginSource() throws {
    try finish()
    try database.execute("DELETE FROM import_number; DELETE FROM import_reply")
    (conversations, entering, newcomers) = ([:], [], [])
  }

  /// Does the work that needs all lines of a source.
  func finish() throws {
    try database.run(
      """
      UPDATE message SET reply_to = (
        SELECT n.new FROM import_reply r JOIN import_number n ON n.place = r.place AND n.old = r.old
        WHERE r.message = message.id)
      WHERE id IN (SELECT message FROM import_reply)
      """)
    for conversation in conversations.values where conversation.hasNew || conversation.isNew {
      try updateCounters(of: conversation)
    }
    for (person, conversation) in entering { try enter(person, conversation) }
    if changesPeople { try transaction.touchPeople() }
  }

  private func updateCounters(of conversation: ImportedConversation) throws {
    try database.run(
      """
      UPDATE conversation SET last_number = max(last_number, ?1),
        last_at = CASE WHEN ?2 IS NULL THEN last_at ELSE max(ifnull(last_at, ?2), ?2) END
      WHERE id = ?3
      """, conversation.lastNumber, conversation.lastAt, conversation.id)
    guard conversation.hasNew else { return }
    changesPeople = true
  }

  /// Adds someone to a conversation that they were never in, after the imported messages.
  func enter(_ person: ID<Participant>, _ conversation: ImportedConversation) throws {
    let wasHere = try database.exists(
      "SELECT 1 FROM membership WHERE conversation = ? AND participant = ?", conversation.id, person
    )
    if wasHere { return }
    changesPeople = true
    try transaction.enter(person, conversation.id)
  }

  func dropTables() {
    for name in [
      "import_number", "import_message", "import_reply", "import_change", "import_line",
      "import_event",
    ] {
      try? database.execute("DROP TABLE IF EXISTS temp.\(name)")
    }
  }
}
