// SPDX-License-Identifier: GPL-3.0-or-later

extension Access {
  /// A conversation that `me` can see.
  ///
  /// - Throws: `RuleError.noSuchRoom`, `StoreError`.
  func conversation(existing id: ID<Conversation>, for me: ID<Participant>) throws -> Conversation {
    guard let found = try conversation(id, for: me) else {
      throw RuleError.noSuchRoom(String(id.rawValue))
    }
    return found
  }

  /// A room's name with its sign, followed by a number if another room of the network has the name.
  package func freeName(_ name: String, on network: String) throws -> String {
    var (free, next) = (name, 2)
    while try database.exists(
      "SELECT 1 FROM conversation WHERE kind = 0 AND folded = ? AND network = ?",
      free.lowercased(), network)
    {
      free = "\(name)-\(next)"
      next += 1
    }
    return free
  }

  /// Whether somebody is, or was, a program in a conversation of this machine (rule 11.9).
  package func isProgram(_ person: ID<Participant>) throws -> Bool {
    try database.exists(
      "SELECT 1 FROM membership WHERE participant = ? AND rank = ?", person, Presence.bot)
  }
}

extension Access where Mode: MayWrite {
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

  /// A direct chat that `me` is not in yet.
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

  /// Lists a room again that was unlisted because nothing had happened there.
  fileprivate func list(_ conversation: ID<Conversation>, for me: ID<Participant>) throws {
    if try joined(by: me).contains(conversation) { return }
    try database.run(
      """
      UPDATE membership SET joined = ?
      WHERE conversation = ? AND participant = ? AND last IS NULL
      """, clock(), conversation, me)
  }

  package func enter(_ me: ID<Participant>, _ conversation: ID<Conversation>) throws {
    if try isMember(me, of: conversation) { return }
    try touchPeople()
    try acceptApproach(conversation, by: me)
    // They are back before any message, so continue the previous stay.
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

  /// Shows the others that a member of a conversation of this machine is a program (rule 11.9).
  package func markAsProgram(_ me: ID<Participant>, in conversation: ID<Conversation>) throws {
    let isPlain = "conversation = ?1 AND participant = ?2 AND last IS NULL AND rank = ''"
    guard try database.exists("SELECT 1 FROM membership WHERE \(isPlain)", conversation, me)
    else { return }
    try database.run(
      "UPDATE membership SET rank = ?3 WHERE \(isPlain)", conversation, me, Presence.bot)
    try touchPeople()
  }
}

extension DurableTransaction {
  // MARK: Rooms

  /// Finds a room as `room(_:for:in:)` does, or creates it in the name of `me`.
  ///
  /// - Throws: `RuleError.badName`, `.addressOfARoom`, `.ambiguous`, `.nameTaken`.
  public func makeRoom(_ name: String, for me: ID<Participant>? = nil) throws -> Conversation {
    try savepoint { try room(name, for: me) ?? makeRoomHere(name, for: me) }
  }

  /// Finds a room of this machine, or creates it in the name of `me`.
  ///
  /// - Throws: `RuleError.badName`, `.addressOfARoom`, `.nameTaken`.
  package func makeRoomHere(_ name: String, for me: ID<Participant>? = nil) throws -> Conversation {
    let bare = try Naming.checkedRoomHere(Naming.bare(Naming.nameHere(name) ?? name))
    if let known = try roomHere(named: bare) { return known }
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
      Conversation.select
        + """
        WHERE c.kind = 0 AND c.network = ?3
          AND (c.address = ?2 OR c.address IS NULL AND c.folded = ?4)
        ORDER BY c.address = ?2 DESC
        """, Participant.nobody, address, network, name.lowercased(), read: { Conversation($0) })
    return try known
      ?? insert(room: freeName(name, on: network), network: network, address: address)
  }

  // MARK: Direct chats

  /// The direct chat of two participants, created if missing. Both are members, and `me` rejoins
  /// after leaving. A chat with oneself holds notes.
  ///
  /// - Throws: `RuleError.noSuchParticipant` for someone on the network of another's account, and
  ///   `.noSuchAccount` if the account was removed before there was a chat, `.onlyInARoom`.
  public func directChat(
    _ me: ID<Participant>, with other: ID<Participant>
  ) throws -> Conversation {
    try savepoint {
      let one = ID<Participant>(rawValue: min(me.rawValue, other.rawValue))
      let two = ID<Participant>(rawValue: max(me.rawValue, other.rawValue))
      func known() throws -> Conversation? {
        try database.first(
          Conversation.select + "WHERE c.kind = 1 AND c.one = ?2 AND c.other = ?3", me, one, two,
          read: { Conversation($0) })
      }
      if try known() == nil { try insertDirect(me, with: other) }
      guard let found = try known() else {
        throw StoreError.failed(path: path, detail: "a new direct chat is not found")
      }
      try enter(me, found.id)
      return found
    }
  }

  /// Enters a conversation, or only lists it again if `me` is already in it. Later messages are for
  /// them; they can read older ones, which do not count as unread. With `isTold`, the others are
  /// told that they joined (rule 13.5).
  ///
  /// - Throws: `RuleError.noSuchRoom`.
  public func join(
    _ me: ID<Participant>, _ conversation: ID<Conversation>, isTold: Bool = false
  ) throws {
    try savepoint {
      if try isMember(me, of: conversation) { return try list(conversation, for: me) }
      let target = try self.conversation(existing: conversation, for: me)
      if target.isRemoved { throw RuleError.noSuchRoom(target.name) }
      try enter(me, conversation)
      if isTold { try record(.joined, in: conversation, by: me) }
    }
  }

  /// Leaves a conversation, and tells the others (rule 13.5). Earlier messages stay addressed to
  /// them; later ones are not.
  public func leave(_ me: ID<Participant>, _ conversation: ID<Conversation>) throws {
    try savepoint {
      guard try isMember(me, of: conversation) else { return }
      try touchPeople()
      // Keep even a stay without messages: it distinguishes people who left from those who never
      // joined.
      try database.run(
        """
        UPDATE membership SET last = (SELECT last_number FROM conversation WHERE id = ?1)
        WHERE conversation = ?1 AND participant = ?2 AND last IS NULL
        """, conversation, me)
      try endTyping(of: me, in: conversation)
      try record(.left, in: conversation, by: me)
    }
  }
}
