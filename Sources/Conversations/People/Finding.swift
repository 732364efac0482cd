// SPDX-License-Identifier: GPL-3.0-or-later

/// Finding people by name.
extension Access {
  /// Finds the participant of this machine with an identity; nil if nobody has it. Unlike
  /// ``Access/participant(identity:)`` it creates nobody.
  ///
  /// - Throws: `RuleError.badName`, as ``Access/participant(identity:)``.
  public func participant(ifKnown identity: String) throws -> Participant? {
    _ = try Naming.checked(identity)
    return try known(identity)
  }

  fileprivate func known(_ identity: String) throws -> Participant? {
    try database.first(
      "SELECT \(Participant.columns) FROM participant p WHERE network = '' AND identity = ?",
      identity, read: { Participant($0) })
      ?? participants(named: identity, visibleTo: nil).first {
        $0.network == nil && Naming.same($0.identity, identity)
      }
  }

  /// Finds someone by the shown name, then by identity; first exactly, then without regard to case.
  ///
  /// People known only from a network's room count only if nobody else has the name. Of several
  /// people, the name means the one with whom `me` has a direct chat, else the one of this machine:
  /// nobody changes whom it means by taking the name (rule 11.2). `ben@` is somebody of this
  /// machine.
  ///
  /// - Parameters:
  ///   - nameOrIdentity: with or without a leading `@`.
  ///   - me: the person who asks; only they find the people of their accounts.
  ///   - open: the conversation where they ask: a name that several people have means the person
  ///     on its network.
  /// - Throws: `RuleError.ambiguous` if several fit.
  public func find(
    participant nameOrIdentity: String, for me: ID<Participant>? = nil,
    in open: ID<Conversation>? = nil
  ) throws -> Participant? {
    let wanted = nameOrIdentity.hasPrefix("@") ? String(nameOrIdentity.dropFirst()) : nameOrIdentity
    if let here = Naming.nameHere(wanted) {
      return try match(
        for: here, among: participants(named: here, visibleTo: nil).filter { $0.network == nil })
    }
    let network = try me.flatMap { me in try open.flatMap { try conversation($0, for: me) } }?
      .network
    let mine = try me.map { try accounts(of: $0) } ?? []
    for account in mine where account.withoutKind(wanted) != nil {
      guard let address = account.address(ofPerson: wanted) else { continue }
      if let found = try networkPerson(at: address, network: account.network) { return found }
    }
    for account in mine
    where account.isNamed(in: wanted) || account.network == network && !wanted.contains("@") {
      if let found = try currentPerson(named: nameOrIdentity, of: account, in: open) {
        return found
      }
    }
    let all = try participants(named: wanted, visibleTo: me)
    let others = all.filter { !$0.isOccupant }
    if let me, let partner = try partner(of: me, named: wanted, among: others) { return partner }
    if let found = try match(for: wanted, among: others) ?? match(for: wanted, among: all) {
      return found
    }
    // On some networks the sign belongs to the address.
    guard wanted != nameOrIdentity else { return nil }
    return try match(
      for: nameOrIdentity, among: participants(named: nameOrIdentity, visibleTo: me))
  }

  /// Picks the person with whom `me` has a direct chat from several people of one name; nil if there
  /// is no such chat.
  ///
  /// - Throws: `RuleError.ambiguous` if there are chats with several.
  fileprivate func partner(
    of me: ID<Participant>, named wanted: String, among candidates: [Participant]
  ) throws -> Participant? {
    // An address means one person.
    if wanted.contains("@") { return nil }
    let named = candidates.filter {
      $0.id != me && (Naming.same($0.name, wanted) || Naming.same($0.identity, wanted))
    }
    guard named.count > 1 else { return nil }
    let partners = try named.filter {
      try database.exists(
        """
        SELECT 1 FROM conversation c JOIN membership s ON s.conversation = c.id
        WHERE c.kind = 1 AND c.one = min(?1, ?2) AND c.other = max(?1, ?2)
          AND s.participant = ?1 AND s.last IS NULL
        """, me, $0.id)
    }
    if partners.count > 1 {
      throw RuleError.ambiguous(
        wanted, candidates: partners.map { $0.network == nil ? $0.identity + "@" : $0.address })
    }
    return partners.first
  }

  /// Finds someone on a network where a person is the same in all rooms: by their present name,
  /// else by address. On other networks it finds nobody.
  ///
  /// - Parameters:
  ///   - word: with or without a leading `@`, and with or without the account's server.
  ///   - conversation: of several people by a name, prefer the one who is in it.
  /// - Throws: `RuleError.ambiguous` if several fit.
  package func currentPerson(
    named word: String, of account: Account, in conversation: ID<Conversation>? = nil
  ) throws -> Participant? {
    let rules = account.rules
    guard rules.identityScope == .network else { return nil }
    let name = account.withoutServer(word.hasPrefix("@") ? String(word.dropFirst()) : word)
    let named = try participants(named: name, visibleTo: account.owner).filter {
      $0.network == account.network && rules.fold($0.name) == rules.fold(name)
    }
    if named.count == 1 { return named[0] }
    if named.count > 1, let conversation {
      let present = Set(try people(in: conversation).map(\.participant.id))
      let here = named.filter { present.contains($0.id) }
      if here.count == 1 { return here[0] }
    }
    let possible = [rules.isOpaque ? word : name, name]
    let addressed = try possible.lazy.compactMap(account.address(ofPerson:)).compactMap {
      try networkPerson(at: $0, network: account.network)
    }.first
    if addressed == nil, named.count > 1 {
      throw RuleError.ambiguous(word, candidates: named.map(\.address))
    }
    return addressed
  }

  /// The address of the person or service that a word means on an account's network: a known one,
  /// even if the word can mean another address too.
  ///
  /// - Returns: nil if nobody there can have the name.
  /// - Throws: `RuleError.ambiguous` for a word that may be a server or a name on the account's
  ///   server, and is neither yet; its candidates can only be one of them.
  package func address(ofPerson word: String, on account: Account) throws -> String? {
    let possible = account.addresses(ofPerson: word)
    guard possible.count > 1 else { return possible.first }
    for address in possible where try networkPerson(at: address, network: account.network) != nil {
      return address
    }
    throw RuleError.ambiguous(word, candidates: possible.map(account.fullWord))
  }

  /// The person with an address on a network, if the store knows them.
  package func networkPerson(at address: String, network: String) throws -> Participant? {
    try database.first(
      "SELECT \(Participant.columns) FROM participant p WHERE network = ? AND identity = ?",
      network, address
    ) { Participant($0) }
  }

  fileprivate func match(for wanted: String, among candidates: [Participant]) throws -> Participant?
  {
    let tests: [(Participant) -> Bool] = [
      // No local name may be the address of somebody on a network. If that address is a bare name,
      // the name means somebody of this machine.
      { $0.network != nil && $0.identity.contains("@") && $0.identity == wanted },
      { $0.name == wanted }, { $0.identity == wanted },
      { Naming.same($0.name, wanted) }, { Naming.same($0.identity, wanted) },
    ]
    for test in tests {
      let found = candidates.filter(test)
      if found.count == 1 { return found[0] }
      // People on networks can be named by address.
      let here = found.filter { $0.network == nil }
      if here.count == 1 { return here[0] }
      if found.count > 1 {
        throw RuleError.ambiguous(wanted, candidates: found.map(\.address))
      }
    }
    return nil
  }

  /// Everyone whose name or identity may equal a name, in the order of `participants()`; the caller
  /// compares them with it.
  func participants(
    named name: String, visibleTo me: ID<Participant>?
  ) throws -> [Participant] {
    let key = Naming.key(name)
    if key.isEmpty { return try participants(for: me) }
    return try database.rows(
      """
      SELECT \(Participant.columns) FROM participant p
      WHERE (name_key IN (?1, '') OR identity_key IN (?1, ''))
        AND \(Account.isVisible(network: "p.network", to: "?2"))
      ORDER BY name, id
      """, key, me ?? ID(rawValue: 0)
    ) { Participant($0) }
  }
}
