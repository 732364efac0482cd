// SPDX-License-Identifier: GPL-3.0-or-later

extension Access {
  /// The room that a name means, as `roomsMeant(by:for:in:)` decides.
  ///
  /// - Parameters:
  ///   - name: with or without the leading `#`; case makes no difference.
  ///   - me: the participant asking. Only the owner of an account finds its rooms, by name or by
  ///     address.
  ///   - open: the conversation where the name was typed.
  /// - Returns: nil if no room has the name.
  /// - Throws: `RuleError.badName`, `.ambiguous`.
  public func room(
    _ name: String, for me: ID<Participant>? = nil, in open: ID<Conversation>? = nil
  ) throws -> Conversation? {
    let found = try roomsMeant(by: name, for: me, in: open).rooms
    if found.count > 1 {
      throw RuleError.ambiguous(name, candidates: try found.map { try fullName(of: $0) })
    }
    // Throws if no room could have this name. An address on a network can be any text.
    let accounts = try me.map { try self.accounts(of: $0) } ?? []
    if found.isEmpty, !accounts.contains(where: { $0.isNamed(in: name) }) {
      _ = try Naming.checkedRoom(Naming.bare(Naming.nameHere(name) ?? name))
    }
    return found.first
  }

  /// The room with an address on a network, if the store has it.
  package func room(
    _ address: String, of network: String, for me: ID<Participant>
  ) throws -> Conversation? {
    try database.first(
      Conversation.select
        + "WHERE c.kind = 0 AND c.network = ?2 AND c.address = ?3 AND \(Conversation.visible)",
      me, network, address, read: { Conversation($0) })
  }

  /// Whether the name belongs to a removed room, so that no other room can have it (rule 13.10).
  package func belongsToARemovedRoom(_ bare: String) throws -> Bool {
    try database.exists(
      "SELECT 1 FROM conversation WHERE kind = \(Conversation.removed) AND folded = ?",
      "#" + bare.lowercased())
  }

  /// What a room's name means (rule 11.2); everything that takes the name of a room decides it
  /// here.
  ///
  /// - A name with a server means the network's room of that address, and never one of this
  ///   machine.
  /// - `#tea@` means the room of this machine.
  /// - Any other name means a room that `me` is in, or from which others removed me; only if there
  ///   is none, one that `me` has left or never entered. Of several, those on the network of the
  ///   open conversation come first.
  ///
  /// - Returns: several rooms if the name is ambiguous; `areMine`: whether `me` did not leave them.
  package func roomsMeant(
    by name: String, for me: ID<Participant>?, in open: ID<Conversation>? = nil
  ) throws -> (rooms: [Conversation], areMine: Bool) {
    if let here = Naming.nameHere(name) {
      let room = try roomHere(named: Naming.bare(here))
      return (room.map { [$0] } ?? [], true)
    }
    let found = try roomsNamed(name, visibleTo: me)
    guard let me, !found.isEmpty else {
      // Nobody asks, so there is no membership to compare.
      let here = found.filter { $0.network == nil }
      return (here.isEmpty ? found : here, false)
    }
    let network = try open.flatMap { try conversation($0, for: me) }?.network
    func nearest(_ rooms: [Conversation]) -> [Conversation] {
      let there = rooms.filter { $0.network == network }
      return network == nil || there.isEmpty ? rooms : there
    }
    let known = try found.map { (room: $0, membership: try membership(of: me, in: $0.id)) }
    let mine = known.filter { $0.membership == .member || $0.membership == .removed }
    if !mine.isEmpty { return (nearest(mine.map(\.room)), true) }
    // A network's room that was never entered, for example an imported one, comes after a room
    // here.
    let others = known.filter { $0.room.network == nil || $0.membership == .left }
    return (nearest(others.isEmpty ? found : others.map(\.room)), false)
  }

  /// All rooms that a name could mean, entered or not.
  fileprivate func roomsNamed(
    _ name: String, visibleTo me: ID<Participant>?
  ) throws -> [Conversation] {
    let bare = Naming.bare(name)
    func exact(_ condition: String, _ name: String) throws -> [Conversation] {
      try database.rows(
        Conversation.select
          + "WHERE c.kind = 0 AND \(condition) AND \(Conversation.visible) ORDER BY c.network",
        me ?? Participant.nobody, name, read: { Conversation($0) })
    }
    let isAddress = Naming.isAddress(room: bare)
    var found =
      try isAddress
      ? exact("c.network <> '' AND c.address = ?2", bare)
      : exact("c.folded = ?2", "#" + bare.lowercased())
    // Each network compares names in its own way.
    for account in try me.map({ try accounts(of: $0) }) ?? []
    where !isAddress || account.isNamed(in: name) || account.rules.isRoomAddress(name) {
      guard let me, let address = account.address(ofRoom: name),
        let room = try room(address, of: account.network, for: me),
        !found.contains(where: { $0.id == room.id })
      else { continue }
      found.append(room)
    }
    // It may be of a removed account.
    if found.isEmpty, bare.contains("://") {
      found = try exact("c.network <> '' AND \(Conversation.withAccount("c.address")) = ?2", bare)
    }
    if !found.isEmpty || isAddress { return found }
    // Compare Unicode-normalised: equal names can have different bytes.
    found = try rooms(for: me, includingUnlisted: true).filter {
      Naming.same($0.name, "#" + bare)
    }
    return try found.isEmpty ? exact("c.network <> '' AND c.address = ?2", bare) : found
  }

  /// The room of this machine with a name.
  ///
  /// - Parameter bare: without the leading `#`.
  package func roomHere(named bare: String) throws -> Conversation? {
    let name = "#" + bare
    return try database.first(
      Conversation.select + "WHERE c.kind = 0 AND c.network = '' AND c.folded = ?2",
      Participant.nobody, name.lowercased(), read: { Conversation($0) })
      ?? rooms(includingUnlisted: true).first {
        $0.network == nil && Naming.same($0.name, name)
      }
  }

  /// A name that means this room wherever it is typed: `#tea@` on this machine, else with the
  /// network's server, or with the account if another of its owner's has the same room.
  package func fullName(of room: Conversation) throws -> String {
    guard let network = room.network else { return room.name + "@" }
    let address = try networkAddress(of: room.id)
    let account = try account(network: network)
    let name = Self.fullName(ofRoomAt: address, account, network)
    guard let account else { return name }
    let isShared = try accounts(of: account.owner).contains { other in
      try other.id != account.id
        && Self.fullName(ofRoomAt: address, other, other.network) == name
        && self.room(address, of: other.network, for: account.owner) != nil
    }
    return isShared ? "#" + Account.word(for: address, on: network) : name
  }

  private static func fullName(
    ofRoomAt address: String, _ account: Account?, _ network: String
  ) -> String {
    if let account, account.rules.isOpaque { return "#" + account.fullWord(for: address) }
    let server = network.contains("@") ? String(network.drop { $0 != "@" }) : "@" + network
    if address.contains("@") { return "#" + address }
    return (account?.rules.isRoomAddress(address) == true ? "" : "#") + address + server
  }

  /// Every room, by name.
  ///
  /// - Parameters:
  ///   - me: the participant asking; only the owner of an account sees its rooms.
  ///   - includingUnlisted: whether to include unlisted rooms of this machine (rule 13.10).
  public func rooms(
    for me: ID<Participant>? = nil, includingUnlisted: Bool = false
  ) throws -> [Conversation] {
    try database.rows(
      Conversation.select
        + """
        WHERE c.kind = 0 AND \(Conversation.visible) AND (?2 OR \(Conversation.isListed(since: "?3")))
        ORDER BY c.folded, c.network
        """, me ?? Participant.nobody, includingUnlisted, clock() - Conversation.month,
      read: { Conversation($0) })
  }

  /// All rooms, whoever may see them, removed ones included: for import and export.
  package func allRooms() throws -> [Conversation] {
    try database.rows(
      Conversation.select + "WHERE c.kind <> 1 ORDER BY c.folded, c.network", Participant.nobody,
      read: { Conversation($0) })
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

  /// A conversation as a participant sees it; nil if there is none, or it is a direct chat of
  /// others.
  public func conversation(
    _ id: ID<Conversation>, for me: ID<Participant>
  ) throws -> Conversation? {
    try database.first(
      Conversation.select + "WHERE c.id = ?2 AND \(Conversation.visible)", me, id,
      read: { Conversation($0) })
  }

  /// Whether a participant is in a conversation now.
  public func isMember(_ me: ID<Participant>, of conversation: ID<Conversation>) throws -> Bool {
    try stay(of: me, in: conversation) == .now
  }

  /// Whether a participant is in a conversation, was in it, or neither.
  package func stay(of me: ID<Participant>, in conversation: ID<Conversation>) throws -> Stay {
    // One row for each stay.
    let isMember: Bool? =
      try database.first(
        "SELECT max(last IS NULL) FROM membership WHERE conversation = ? AND participant = ?",
        conversation, me
      ) { $0.isNull() ? nil : $0.bool() } ?? nil
    return isMember.map { $0 ? .now : .before } ?? .never
  }

  /// A participant's relation to a conversation: member, left, removed or never (rule 1.13).
  public func membership(
    of me: ID<Participant>, in conversation: ID<Conversation>
  ) throws -> Membership {
    switch try stay(of: me, in: conversation) {
    case .never: return .never
    case .now: return .member
    case .before: break
    }
    return try reasonForRemoval(of: me, from: conversation).isEmpty ? .left : .removed
  }

  /// Why others removed somebody who is not in a conversation any more; empty if nobody did. Only
  /// then does the newest `left` event have a text.
  package func reasonForRemoval(
    of me: ID<Participant>, from conversation: ID<Conversation>
  ) throws -> Remark {
    try database.first(
      """
      SELECT text FROM event WHERE conversation = ? AND participant = ? AND kind = ?
      ORDER BY at DESC, id DESC LIMIT 1
      """, conversation, me, Event.Kind.left.rawValue
    ) { $0.remark("text") } ?? ""
  }

  /// The current members, by name.
  public func members(of conversation: ID<Conversation>) throws -> [Participant] {
    try database.rows(
      """
      SELECT DISTINCT \(Participant.columns(in: "?1"))
      FROM membership s JOIN participant p ON p.id = s.participant
      WHERE s.conversation = ?1 AND s.last IS NULL
      ORDER BY \(Participant.Columns.person.name), p.id
      """, conversation
    ) { Participant($0) }
  }

  /// A person's conversations, in the order in which they joined them (rule 13.1), without unlisted
  /// rooms (rule 13.10).
  public func joined(by me: ID<Participant>) throws -> [ID<Conversation>] {
    try database.rows(
      """
      SELECT s.conversation FROM membership s CROSS JOIN conversation c ON c.id = s.conversation
      WHERE s.participant = ?1 AND s.last IS NULL AND \(Conversation.isListed(since: "?2"))
      GROUP BY s.conversation ORDER BY min(s.joined), s.conversation
      """, me, clock() - Conversation.month
    ) { $0.id() }
  }

  /// A person's conversations, the one with the newest message first.
  ///
  /// - Parameters:
  ///   - me: the person whose conversations they are.
  ///   - conversations: limits the list to these; nil means all.
  public func listing(
    for me: ID<Participant>, in conversations: Set<ID<Conversation>>? = nil
  ) throws -> [Listing] {
    guard let conversations else { return try listing("", me) }
    let list = conversations.map { String($0.rawValue) }.joined(separator: ",")
    return try listing(
      "AND m.conversation IN (SELECT value FROM json_each(?2))", me, "[\(list)]")
  }

  /// - Parameter condition: limits the list to the conversations of a JSON array, `?2`.
  fileprivate func listing(
    _ condition: String, _ me: ID<Participant>, _ conversations: String? = nil
  ) throws -> [Listing] {
    // SQLite counts unread messages from indexes alone. From the numbers after the marker it
    // subtracts, in this order: past messages, those by `me` or by people whom they ignore, removed
    // messages, and notices. If numbers after the marker may be missing, because old messages were
    // removed or past ones imported, it counts messages instead of numbers. Two open stays of one
    // person in a damaged store count as one.
    let (past, notice) = (Message.Arrival.past.rawValue, Message.Kind.notice.rawValue)
    func read(_ row: Row) -> Listing {
      Listing(
        conversation: Conversation(row), unread: max(0, row.int("unread")),
        lastAt: row.optionalTime("last_at"))
    }
    let sql = """
      SELECT \(Conversation.columns), c.last_at,
        CASE WHEN c.last_number <= stay.marker OR EXISTS (SELECT 1 FROM room_attention
            WHERE participant = ?1 AND conversation = c.id AND ignored <> 0) THEN 0
          ELSE iif(
            c.forgotten > stay.marker
              OR EXISTS (SELECT 1 FROM message WHERE conversation = c.id AND brought = \(past)),
            (SELECT count(*) FROM message WHERE conversation = c.id AND number > stay.marker)
            - (SELECT count(*) FROM message
               WHERE conversation = c.id AND number > stay.marker AND brought = \(past)),
            c.last_number - stay.marker)
          - (SELECT count(*) FROM message WHERE sender IN (\(Conversation.uncounted))
             AND conversation = c.id AND number > stay.marker AND brought < \(past))
          - (SELECT count(*) FROM message
             WHERE conversation = c.id AND number > stay.marker AND gone > 0 AND brought < \(past)
               AND sender NOT IN (\(Conversation.uncounted)))
          - (SELECT count(*) FROM message
             WHERE conversation = c.id AND number > stay.marker AND kind = \(notice)
               AND brought < \(past) AND gone = 0 AND sender NOT IN (\(Conversation.uncounted)))
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
      WHERE \(Conversation.visible)
      ORDER BY c.last_at IS NULL, c.last_at DESC, c.id
      """
    guard let conversations else { return try database.rows(sql, me, read: read) }
    return try database.rows(sql, me, conversations, read: read)
  }
}
