// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

extension Access {
  /// Returns a free name: somebody may already use the newcomer's identity as a name. A name on
  /// someone's account does not count, since anyone could have chosen it to take a name from people
  /// of this machine.
  fileprivate func freeName(_ wanted: String) throws -> String {
    var name = wanted
    var next = 2
    while try participants(named: name, visibleTo: nil).contains(where: {
      Naming.same($0.name, name)
    }) {
      name = wanted + String(next)
      next += 1
    }
    return name
  }

  /// Everyone who was ever in this store, ordered by name.
  ///
  /// - Parameter me: the person who asks; nobody else sees the people of their accounts.
  public func participants(for me: ID<Participant>? = nil) throws -> [Participant] {
    try database.rows(
      """
      SELECT \(Participant.columns) FROM participant p
      WHERE \(Account.isVisible(network: "p.network", to: "?1")) ORDER BY name, id
      """, me ?? ID(rawValue: 0)
    ) { Participant($0) }
  }

  /// Calls `body` for each person whom a line in this conversation can mention, in no order: with
  /// very many people, sorting would take longer than everything else, and so would making whole
  /// ``Participant`` values. Nobody can write to, or mention, a person known only from another
  /// room.
  package func forEachMentionable(
    for me: ID<Participant>, in conversation: ID<Conversation>?,
    _ body: (_ person: ID<Participant>, _ identity: String, _ name: String, _ isOurs: Bool) -> Void
  ) throws {
    let hidden = Set(
      try database.rows("SELECT network FROM account WHERE owner <> ?", me) { $0.text() })
    let members = Set(
      try database.rows(
        "SELECT participant FROM membership WHERE conversation = ? AND last IS NULL", conversation
      ) { $0.id() as ID<Participant> })
    // People of one network mostly follow each other, and SQL would look for the network of each.
    var last: (network: [UInt8], isHidden: Bool, isOurs: Bool) = ([], false, true)
    try database.each("SELECT id, identity, name, network, given FROM participant") { row in
      row.withText("network") { bytes in
        if last.network.isSame(as: bytes) { return }
        let isHidden = hidden.contains(String(decoding: bytes, as: UTF8.self))
        last = (Array(bytes), isHidden, bytes.isEmpty)
      }
      let person: ID<Participant> = row.id("id")
      if !last.isHidden, person != me, row.isNull("given") || members.contains(person) {
        body(person, row.text("identity"), row.text("name"), last.isOurs)
      }
      return true
    }
  }

  /// The texts that several rows have in a column with an index, which puts them next to each
  /// other. Compares them here: grouping in SQL takes four times as long.
  func repeated(_ column: String) throws -> [String] {
    var (last, repeated) = ([UInt8](), [String]())
    try database.each(
      "SELECT \(column) FROM participant WHERE \(column) > '' ORDER BY \(column)"
    ) { row in
      row.withText { bytes in
        if !last.isSame(as: bytes) {
          last.removeAll(keepingCapacity: true)
          last.append(contentsOf: bytes)
        } else if repeated.last?.utf8.elementsEqual(bytes) != true {
          repeated.append(String(decoding: bytes, as: UTF8.self))
        }
      }
      return true
    }
    return repeated
  }

  /// The names of people on networks that somebody else also has. A person known only from a room
  /// counts if they are in this conversation.
  package func sharedNames(
    for me: ID<Participant>, in conversation: ID<Conversation>?
  ) throws -> Set<String> {
    let repeated = try repeated("name")
    if repeated.isEmpty { return [] }
    return Set(
      try database.rows(
        """
        SELECT p.name FROM participant p
        WHERE p.name IN (SELECT value FROM json_each(?3))
          AND p.network > '' AND p.given IS NULL AND EXISTS (
            SELECT 1 FROM participant q WHERE q.name = p.name AND q.id <> p.id
              AND (q.given IS NULL OR EXISTS (SELECT 1 FROM membership s
                WHERE s.conversation = ?2 AND s.participant = q.id AND s.last IS NULL))
              AND \(Account.isVisible(network: "q.network", to: "?1")))
        """, me, conversation, JSON.array(repeated.map { .text($0) })
      ) { $0.text() })
  }

  /// Everyone, whoever may see them: for import and export.
  package func allParticipants() throws -> [Participant] {
    try database.rows("SELECT \(Participant.columns) FROM participant p ORDER BY name, id") {
      Participant($0)
    }
  }

  /// The participant with that id.
  ///
  /// - Throws: `RuleError.noSuchParticipant`.
  public func participant(_ id: ID<Participant>) throws -> Participant {
    let found = try database.first(
      "SELECT \(Participant.columns) FROM participant p WHERE id = ?", id
    ) { Participant($0) }
    guard let found else { throw RuleError.noSuchParticipant(String(id.rawValue)) }
    return found
  }

  /// The conversation that this participant last entered, in any shell.
  package func lastConversation(of me: ID<Participant>) throws -> ID<Conversation>? {
    let found = try database.first(
      "SELECT last_conversation FROM participant WHERE id = ?", me
    ) { $0.optionalInt64() }
    return (found ?? nil).map { ID(rawValue: $0) }
  }
}

extension Access where Mode: MayWrite {
  package func insert(identity: String, name: String, network: String) throws -> Participant {
    try touchPeople()
    let id: ID<Participant>? = try database.first(
      """
      INSERT INTO participant(network, identity, name, identity_key, name_key, skeleton, here)
      VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id
      """, network, identity, name, Naming.key(identity), Naming.key(name),
      NameShape.skeleton(name), network.isEmpty ? clock() : nil
    ) { $0.id() }
    return Participant(
      id: id ?? ID(rawValue: 0), identity: identity, name: name,
      network: network.isEmpty ? nil : network)
  }

  package func setName(of person: ID<Participant>, to name: String) throws {
    try database.run(
      "UPDATE participant SET name = ?, name_key = ?, skeleton = ? WHERE id = ?", name,
      Naming.key(name), NameShape.skeleton(name), person)
    try touchPeople()
  }

  /// Gives someone on a network another identity.
  package func setIdentity(of person: ID<Participant>, to identity: String) throws {
    try database.run(
      "UPDATE participant SET identity = ?, identity_key = ? WHERE id = ?", identity,
      Naming.key(identity), person)
    try touchPeople()
  }

  /// Records that this participant has entered a conversation.
  package func setLastConversation(
    _ conversation: ID<Conversation>, of me: ID<Participant>
  ) throws {
    let isLast = try lastConversation(of: me) == conversation
    // `entered_at` is compared with a month, so it may be a day old: entering again soon needs no
    // write.
    let isOld = try database.exists(
      """
      SELECT 1 FROM conversation
      WHERE id = ? AND kind = 0 AND network = '' AND ifnull(entered_at, 0) < ?
      """, conversation, clock() - 86_400_000)
    if isLast, !isOld { return }
    if !isLast {
      try database.run(
        "UPDATE participant SET last_conversation = ? WHERE id = ?", conversation, me)
    }
    if isOld {
      try database.run(
        "UPDATE conversation SET entered_at = ? WHERE id = ?", clock(), conversation)
    }
  }
}

extension DurableTransaction {
  /// The participant of this machine with that identity, created if missing (rule 11.1). Case makes
  /// no difference.
  ///
  /// - Throws: `RuleError.badName` if it is empty, longer than 64 characters, holds blanks, control
  ///   or invisible characters, or begins with `@`, `#` or `/`.
  public func participant(identity: String) throws -> Participant {
    try savepoint {
      if let known = try participant(ifKnown: identity) { return known }
      return try insert(identity: identity, name: try freeName(identity), network: "")
    }
  }
}

extension Participant {
  /// The columns that describe a participant in a row.
  package struct Columns {
    let id, identity, name, network, given: StaticString

    package static let person = Columns(
      id: "person", identity: "person_identity", name: "person_name", network: "person_network",
      given: "person_given")
    /// The person that an action affects.
    package static let other = Columns(
      id: "other", identity: "other_identity", name: "other_name", network: "other_network",
      given: "other_given")

    /// - Parameter name: an expression for the name; nil for the one outside conversations.
    package func select(from row: String, name shown: String? = nil) -> String {
      "\(row).id AS \(id), \(row).identity AS \(identity), \(shown ?? row + ".name") AS \(name), "
        + "\(row).network AS \(network), \(row).given AS \(given)"
    }
  }

  /// The columns of participant `p`.
  package static let columns = Columns.person.select(from: "p")

  package init(_ row: Row, _ columns: Columns = .person) {
    let network = row.text(columns.network)
    self.init(
      id: row.id(columns.id), identity: row.text(columns.identity), name: row.text(columns.name),
      network: network.isEmpty ? nil : network, isOccupant: !row.isNull(columns.given))
  }
}

extension [UInt8] {
  fileprivate func isSame(as bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    count == bytes.count && bytes.baseAddress.map { memcmp(self, $0, count) == 0 } ?? true
  }
}
