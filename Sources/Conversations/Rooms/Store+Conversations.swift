// SPDX-License-Identifier: GPL-3.0-or-later

extension Reading where Self: ~Copyable {
  /// A room of this store, else the only one of that name on a network.
  ///
  /// - Parameters:
  ///   - name: with or without the leading `#`; case makes no difference.
  ///   - me: who asks; only I find the rooms of my accounts, also by address.
  /// - Throws: `RuleError.badName`, `.ambiguous`.
  public func room(_ name: String, for me: ID<Participant>? = nil) throws -> Conversation? {
    if let known = try known(room: name, for: me) { return known }
    _ = try Naming.checkedRoom(Naming.bare(name))
    return nil
  }

  /// Whether the name belongs to a removed room, so that no room can have it (rule 13.10).
  package func belongsToARemovedRoom(_ bare: String) throws -> Bool {
    try database.exists(
      "SELECT 1 FROM conversation WHERE kind = \(Store.removed) AND folded = ?",
      "#" + bare.lowercased())
  }

  fileprivate func known(room name: String, for me: ID<Participant>?) throws -> Conversation? {
    let bare = Naming.bare(name)
    func exact(_ condition: String, _ name: String) throws -> [Conversation] {
      try database.rows(
        Store.conversationSelect
          + "WHERE c.kind = 0 AND \(condition) AND \(Store.visible) ORDER BY c.network",
        me ?? Store.nobody, name, read: Store.conversation)
    }
    // No room of this machine may be named like an address.
    var found = try bare.contains("@") ? exact("c.network <> '' AND c.address = ?2", bare) : []
    if found.isEmpty { found = try exact("c.folded = ?2", "#" + bare.lowercased()) }
    // Equal names may compose letters differently, and so have other bytes.
    if found.isEmpty {
      found = try rooms(for: me, andUnused: true).filter { Naming.same($0.name, "#" + bare) }
    }
    if found.isEmpty { found = try exact("c.network <> '' AND c.address = ?2", bare) }
    for account in try me.map({ try accounts(of: $0) }) ?? [] where found.isEmpty {
      guard account.rules.isRoomAddress(name), let address = account.address(ofRoom: name)
      else { continue }
      found = try exact("c.network <> '' AND c.address = ?2", address)
        .filter { $0.network == account.network }
    }
    if found.count > 1, found[0].network != nil {
      throw RuleError.ambiguous("#" + bare, candidates: found.map { "\($0.name) (\($0.network!))" })
    }
    return found.first
  }

  /// Every room, by name.
  ///
  /// - Parameters:
  ///   - me: who asks; nobody else sees the rooms of my accounts.
  ///   - andUnused: whether to include unlisted rooms of this machine (rule 13.10).
  public func rooms(
    for me: ID<Participant>? = nil, andUnused: Bool = false
  ) throws -> [Conversation] {
    try database.rows(
      Store.conversationSelect
        + """
        WHERE c.kind = 0 AND \(Store.visible) AND (?2 OR \(Store.isListed(since: "?3")))
        ORDER BY c.folded, c.network
        """, me ?? Store.nobody, andUnused, clock() - Store.month, read: Store.conversation)
  }

  /// All rooms, whoever may see them, removed ones included: for import and export.
  package func allRooms() throws -> [Conversation] {
    try database.rows(
      Store.conversationSelect + "WHERE c.kind <> 1 ORDER BY c.folded, c.network", Store.nobody,
      read: Store.conversation)
  }

  /// A participant's direct chats, each with the other person.
  package func directChats(
    of me: ID<Participant>
  ) throws -> [(conversation: Conversation, with: ID<Participant>)] {
    let found = try database.rows(
      """
      SELECT id, CASE one WHEN ?1 THEN other ELSE one END AS partner FROM conversation
      WHERE kind = 1 AND ?1 IN (one, other) ORDER BY id
      """, me
    ) { (id: $0.id("id") as ID<Conversation>, with: $0.id("partner") as ID<Participant>) }
    return try found.compactMap { entry in
      try conversation(entry.id, for: me).map { ($0, entry.with) }
    }
  }

  // MARK: Members

  /// A conversation as a participant sees it; nil if there is none, or it is a direct chat of others.
  public func conversation(
    _ id: ID<Conversation>, for me: ID<Participant>
  ) throws -> Conversation? {
    try database.first(
      Store.conversationSelect + "WHERE c.id = ?2 AND \(Store.visible)", me, id,
      read: Store.conversation)
  }

  /// As `conversation`, but throws `RuleError.noSuchRoom`.
  func required(_ id: ID<Conversation>, for me: ID<Participant>) throws -> Conversation {
    guard let found = try conversation(id, for: me) else {
      throw RuleError.noSuchRoom(String(id.rawValue))
    }
    return found
  }

  /// Whether a participant is in a conversation now.
  public func isInside(_ me: ID<Participant>, of conversation: ID<Conversation>) throws -> Bool {
    try membership(of: me, in: conversation) == .member
  }

  /// Whether a participant is in a conversation, was once, or never (rule 1.13).
  public func membership(
    of me: ID<Participant>, in conversation: ID<Conversation>
  ) throws -> Membership {
    // One row for each stay.
    let stays: Bool? =
      try database.first(
        "SELECT max(last IS NULL) FROM membership WHERE conversation = ? AND participant = ?",
        conversation, me
      ) { $0.isNull() ? nil : $0.bool() } ?? nil
    guard let stays else { return .never }
    if stays { return .member }
    let isRemoved = try database.first(
      """
      SELECT text <> '' FROM event WHERE conversation = ? AND participant = ? AND kind = ?
      ORDER BY id DESC LIMIT 1
      """, conversation, me, Event.Kind.left.rawValue
    ) { $0.bool() }
    return isRemoved == true ? .removed : .left
  }

  /// The current members, by name.
  public func members(of conversation: ID<Conversation>) throws -> [Participant] {
    try database.rows(
      """
      SELECT DISTINCT \(Store.participantColumns)
      FROM membership s JOIN participant p ON p.id = s.participant
      WHERE s.conversation = ? AND s.last IS NULL ORDER BY p.name, p.id
      """, conversation
    ) { Store.participant($0) }
  }

  /// The conversations I am in, in the order in which I joined them (rule 13.1), without unlisted
  /// rooms (rule 13.10).
  public func joined(by me: ID<Participant>) throws -> [ID<Conversation>] {
    try database.rows(
      """
      SELECT s.conversation FROM membership s CROSS JOIN conversation c ON c.id = s.conversation
      WHERE s.participant = ?1 AND s.last IS NULL AND \(Store.isListed(since: "?2"))
      GROUP BY s.conversation ORDER BY min(s.joined), s.conversation
      """, me, clock() - Store.month
    ) { $0.id() }
  }

  /// The conversations I am in, the one with the newest message first.
  ///
  /// - Parameter places: which ones; nil for all.
  public func listing(
    for me: ID<Participant>, in places: Set<ID<Conversation>>? = nil
  ) throws -> [Listing] {
    guard let places else { return try listing("", me) }
    let list = places.map { String($0.rawValue) }.joined(separator: ",")
    return try listing(
      "AND m.conversation IN (SELECT value FROM json_each(?2))", me, "[\(list)]")
  }

  /// - Parameter condition: limits the list to the conversations of a JSON array, `?2`.
  fileprivate func listing(
    _ condition: String, _ me: ID<Participant>, _ places: String? = nil
  ) throws -> [Listing] {
    // Counts unread messages from indexes alone: all numbers after the marker, minus my own, those
    // of people whom I ignore, removed ones, past ones and notices. If numbers after the marker may be
    // missing, because old ones were removed or past ones imported, counts one by one. Two open
    // stays of one person in a damaged store count as one.
    func read(_ row: Row) -> Listing {
      Listing(
        conversation: Store.conversation(row), unread: max(0, row.int("unread")),
        lastAt: row.optionalTime("last_at"), isMember: true)
    }
    let sql = """
      SELECT \(Store.conversationColumns), c.last_at,
        CASE WHEN c.last_number <= stay.marker OR EXISTS (SELECT 1 FROM room_attention
            WHERE participant = ?1 AND conversation = c.id AND ignored <> 0) THEN 0
          ELSE iif(
            c.forgotten > stay.marker
              OR EXISTS (SELECT 1 FROM message WHERE conversation = c.id AND brought = 2),
            (SELECT count(*) FROM message WHERE conversation = c.id AND number > stay.marker)
            - (SELECT count(*) FROM message
               WHERE conversation = c.id AND number > stay.marker AND brought = 2),
            c.last_number - stay.marker)
          - (SELECT count(*) FROM message WHERE sender IN (\(Store.uncounted))
             AND conversation = c.id AND number > stay.marker AND brought < 2)
          - (SELECT count(*) FROM message
             WHERE conversation = c.id AND number > stay.marker AND gone > 0 AND brought < 2
               AND sender NOT IN (\(Store.uncounted)))
          - (SELECT count(*) FROM message
             WHERE conversation = c.id AND number > stay.marker AND kind = 2 AND brought < 2
               AND gone = 0 AND sender NOT IN (\(Store.uncounted)))
        END AS unread
      FROM (
        SELECT m.conversation, max(min(m.first) - 1, ifnull(r.read, 0)) AS marker
        FROM membership m
        LEFT JOIN reader r ON r.conversation = m.conversation AND r.participant = m.participant
        WHERE m.participant = ?1 AND m.last IS NULL \(condition)
        GROUP BY m.conversation
      ) stay
      JOIN conversation c ON c.id = stay.conversation
      LEFT JOIN participant o ON o.id = CASE c.one WHEN ?1 THEN c.other ELSE c.one END
      WHERE \(Store.visible)
      ORDER BY c.last_at IS NULL, c.last_at DESC, c.id
      """
    guard let places else { return try database.rows(sql, me, read: read) }
    return try database.rows(sql, me, places, read: read)
  }
}

extension Writing where Self: ~Copyable {
  /// - Parameters:
  ///   - name: with its sign.
  ///   - address: the network's own name for it; nil on this machine.
  package func insert(
    room name: String, network: String, address: String? = nil, maker: ID<Participant>? = nil
  ) throws -> Conversation {
    try touchPeople()
    let id: ID<Conversation>? = try database.first(
      """
      INSERT INTO conversation(kind, network, name, folded, address, maker)
      VALUES (0, ?, ?, ?, ?, ?) RETURNING id
      """, network, name, name.lowercased(), address, maker
    ) { $0.id() }
    return Conversation(
      id: id ?? ID(rawValue: 0), kind: .room, name: name, network: network.isEmpty ? nil : network)
  }

  /// A direct chat that I am not in yet.
  ///
  /// - Throws: as `direct`.
  package func insertDirect(_ me: ID<Participant>, with other: ID<Participant>) throws {
    let person = try participant(other)
    if person.isOccupant {
      let domain = try person.network.flatMap { try account(network: $0)?.rules.domain }
      throw RuleError.onlyInARoom(person.name, domain: domain ?? "example.org")
    }
    let network = try person.network ?? participant(me).network
    if let network {
      let owner = try owner(ofNetwork: network)
      if let owner, owner != me, owner != other {
        throw RuleError.noSuchParticipant(person.name)
      }
      try requireAccount(of: network)
    }
    let id: ID<Conversation>? = try database.first(
      """
      INSERT INTO conversation(kind, network, name, folded, one, other)
      VALUES (1, ?1, '', '', min(?2, ?3), max(?2, ?3)) RETURNING id
      """, network ?? "", me, other
    ) { $0.id() }
    if let id, other != me { try enter(other, id) }
  }

  /// Lists a room that I am in again: it was unlisted because nothing happened there.
  fileprivate func list(_ conversation: ID<Conversation>, for me: ID<Participant>) throws {
    if try joined(by: me).contains(conversation) { return }
    try database.run(
      """
      UPDATE membership SET joined = ?
      WHERE conversation = ? AND participant = ? AND last IS NULL
      """, clock(), conversation, me)
  }

  package func enter(_ me: ID<Participant>, _ conversation: ID<Conversation>) throws {
    if try isInside(me, of: conversation) { return }
    try touchPeople()
    try takeUp(conversation, by: me)
    // I am back before any message: continue the former stay.
    try database.run(
      """
      UPDATE membership SET last = NULL WHERE conversation = ?1 AND participant = ?2
        AND last = (SELECT last_number FROM conversation WHERE id = ?1)
        AND first = (SELECT max(first) FROM membership WHERE conversation = ?1 AND participant = ?2)
      """, conversation, me)
    if database.changedRows > 0 { return }
    try database.run(
      """
      INSERT INTO membership(conversation, participant, first, joined)
      SELECT id, ?2, last_number + 1, ?3 FROM conversation WHERE id = ?1
      """, conversation, me, clock())
  }
}

extension DurableTransaction {
  // MARK: Rooms

  /// The room that `room(_:for:)` finds, created if there is none.
  ///
  /// - Parameter me: who makes it.
  /// - Throws: `RuleError.badName`, `.ambiguous`, `.nameTaken`.
  public func makeRoom(_ name: String, for me: ID<Participant>? = nil) throws -> Conversation {
    if let known = try room(name, for: me) { return known }
    let bare = Naming.bare(name)
    if try belongsToARemovedRoom(bare) { throw RuleError.nameTaken("#" + bare) }
    return try insert(room: "#" + bare, network: "", maker: me)
  }

  /// The room with an address on a network, created if it is missing.
  ///
  /// - Parameter address: folded by the account's rules.
  package func networkRoom(_ address: String, network: String) throws -> Conversation {
    let rules = try account(network: network)?.rules ?? AddressRules(domain: "")
    guard !address.isEmpty, !network.isEmpty else { throw RuleError.badName(address) }
    let name = rules.shown(room: address)
    let known = try database.first(
      Store.conversationSelect
        + """
        WHERE c.kind = 0 AND c.network = ?3 AND (c.address = ?2 OR c.folded = ?4)
        ORDER BY c.address = ?2 DESC
        """, Store.nobody, address, network, name.lowercased(), read: Store.conversation)
    return try known ?? insert(room: name, network: network, address: address)
  }

  // MARK: Direct chats

  /// The direct chat of two participants, created if missing. Both are members, and I rejoin if I
  /// had left. A chat with oneself holds notes.
  ///
  /// - Throws: `RuleError.noSuchParticipant` for someone on the network of another's account, and
  ///   `.noSuchAccount` if the account was removed before there was a chat, `.onlyInARoom`.
  public func directChat(
    _ me: ID<Participant>, with other: ID<Participant>
  ) throws -> Conversation {
    let one = ID<Participant>(rawValue: min(me.rawValue, other.rawValue))
    let two = ID<Participant>(rawValue: max(me.rawValue, other.rawValue))
    func known() throws -> Conversation? {
      try database.first(
        Store.conversationSelect + "WHERE c.kind = 1 AND c.one = ?2 AND c.other = ?3", me, one, two,
        read: Store.conversation)
    }
    if try known() == nil { try insertDirect(me, with: other) }
    guard let found = try known() else {
      throw StoreError.failed(path: path, detail: "a new direct chat is not found")
    }
    try enter(me, found.id)
    return found
  }

  /// Enters a conversation, or only lists it again if I am in it already. Later messages are for
  /// me; I can read older ones, but they do not count as unread.
  ///
  /// - Parameter isTold: whether to tell the others that I joined (rule 13.5).
  public func join(
    _ me: ID<Participant>, _ conversation: ID<Conversation>, isTold: Bool = false
  ) throws {
    if try isInside(me, of: conversation) { return try list(conversation, for: me) }
    let place = try required(conversation, for: me)
    if place.isRemoved { throw RuleError.noSuchRoom(place.name) }
    try enter(me, conversation)
    if isTold { try record(.joined, in: conversation, by: me) }
  }

  /// Leaves a conversation, and tells the others (rule 13.5). Earlier messages stay addressed to
  /// me; later ones are not.
  public func leave(_ me: ID<Participant>, _ conversation: ID<Conversation>) throws {
    guard try isInside(me, of: conversation) else { return }
    try touchPeople()
    // Keep even a stay without messages: it tells former members from people who never joined.
    try database.run(
      """
      UPDATE membership SET last = (SELECT last_number FROM conversation WHERE id = ?1)
      WHERE conversation = ?1 AND participant = ?2 AND last IS NULL
      """, conversation, me)
    try endTyping(of: me, in: conversation)
    try record(.left, in: conversation, by: me)
  }
}
