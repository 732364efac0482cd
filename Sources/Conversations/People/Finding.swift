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
      let local = try participants(named: here, visibleTo: nil).filter { $0.network == nil }
      return try meant(
        by: here, among: match(for: here, among: local), for: me, preferring: nil)
    }
    let network = try me.flatMap { me in try open.flatMap { try conversation($0, for: me) } }?
      .network
    let mine = try me.map { try accounts(of: $0) } ?? []
    func best(_ wanted: String, among people: [Participant]) throws -> Participant? {
      try meant(
        by: wanted, among: match(for: wanted, among: people), for: me, preferring: network)
    }
    let addressed = try mine.filter { $0.withoutKind(wanted) != nil }.compactMap { account in
      try account.address(ofPerson: wanted).flatMap {
        try networkPerson(at: $0, network: account.network)
      }
    }
    if addressed.isEmpty, wanted.contains("://"), let found = try person(fullyNamed: wanted, me) {
      return found
    }
    if !addressed.isEmpty {
      return try meant(by: wanted, among: addressed, for: me, preferring: network)
    }
    let current = try mine.filter {
      $0.isNamed(in: wanted) || $0.network == network && !wanted.contains("@")
    }.compactMap { try currentPerson(named: nameOrIdentity, of: $0, in: open) }
    if !current.isEmpty {
      return try meant(by: wanted, among: current, for: me, preferring: network)
    }
    let all = try participants(named: wanted, visibleTo: me)
    let others = all.filter { !$0.isOccupant }
    if let me, let partner = try partner(of: me, named: wanted, among: others) { return partner }
    if let found = try best(wanted, among: others) ?? best(wanted, among: all) { return found }
    // On some networks the sign belongs to the address.
    guard wanted != nameOrIdentity else { return nil }
    return try best(nameOrIdentity, among: participants(named: nameOrIdentity, visibleTo: me))
  }

  /// The one of several people on networks whom a word means: the one on a network, else the only
  /// one with whom `me` has a direct chat.
  ///
  /// - Throws: `RuleError.ambiguous`; `.onlyInARoom` if they are known from rooms, since nobody can
  ///   type what tells those apart.
  fileprivate func meant(
    by word: String, among people: [Participant], for me: ID<Participant>?,
    preferring network: String?
  ) throws -> Participant? {
    if people.count < 2 { return people.first }
    let accounts = try me.map { try self.accounts(of: $0) } ?? []
    // What a removed account knew counts only if nobody else is meant.
    let present = people.filter { person in
      person.network == nil || accounts.contains { $0.network == person.network }
    }
    if present.count == 1 { return present[0] }
    if let there = people.first(where: { $0.network != nil && $0.network == network }) {
      return there
    }
    if people.allSatisfy(\.isOccupant) {
      let domain = try people[0].network.flatMap { try account(network: $0)?.rules.domain }
      throw RuleError.onlyInARoom(word, domain: domain ?? "example.org")
    }
    let partners = try people.filter { person in
      try me.map { try hasChat($0, with: person.id) } ?? false
    }
    if partners.count == 1 { return partners[0] }
    throw RuleError.ambiguous(
      word, candidates: try fullNames(of: partners.isEmpty ? people : partners, for: me))
  }

  /// The person whose address and account a word names, even if the account was removed.
  private func person(
    fullyNamed word: String, _ me: ID<Participant>?
  ) throws -> Participant? {
    try database.first(
      """
      SELECT \(Participant.columns) FROM participant p
      WHERE p.network <> '' AND \(Conversation.withAccount("p.identity", "p.network")) = ?1
        AND \(Account.isVisible(network: "p.network", to: "?2"))
      """, word, me ?? Participant.nobody
    ) { Participant($0) }
  }

  private func hasChat(_ me: ID<Participant>, with other: ID<Participant>) throws -> Bool {
    try database.exists(
      """
      SELECT 1 FROM conversation c JOIN membership s ON s.conversation = c.id
      WHERE c.kind = 1 AND c.one = min(?1, ?2) AND c.other = max(?1, ?2)
        AND s.participant = ?1 AND s.last IS NULL
      """, me, other)
  }

  // MARK: Full names

  /// A name that means this person wherever it is typed: the address on a network, with the account
  /// if another of these accounts knows the same address.
  package func fullName(of person: Participant, among accounts: [Account]) throws -> String {
    guard let network = person.network else { return person.address }
    for other in accounts where other.network != network {
      var twin = person
      twin.network = other.network
      if twin.address == person.address,
        try networkPerson(at: person.identity, network: other.network) != nil
      {
        return Account.word(for: person.identity, on: network)
      }
    }
    return person.address
  }

  /// Names that tell several people of one name apart.
  fileprivate func fullNames(
    of people: [Participant], for me: ID<Participant>?
  ) throws -> [String] {
    let accounts = try me.map { try self.accounts(of: $0) } ?? []
    let isLocal = people.allSatisfy { $0.network == nil }
    return try people.map {
      $0.network == nil && !isLocal ? $0.identity + "@" : try fullName(of: $0, among: accounts)
    }
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
    let partners = try named.filter { try hasChat(me, with: $0.id) }
    if partners.count > 1 {
      throw RuleError.ambiguous(wanted, candidates: try fullNames(of: partners, for: me))
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
      throw RuleError.ambiguous(word, candidates: try fullNames(of: named, for: account.owner))
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

  /// The people who fit best; several if nothing tells them apart.
  fileprivate func match(for wanted: String, among candidates: [Participant]) -> [Participant] {
    let tests: [(Participant) -> Bool] = [
      // No local name may be the address of somebody on a network. If that address is a bare name,
      // the name means somebody of this machine.
      { $0.network != nil && $0.identity.contains("@") && $0.identity == wanted },
      { $0.name == wanted }, { $0.identity == wanted },
      { Naming.same($0.name, wanted) }, { Naming.same($0.identity, wanted) },
    ]
    for test in tests {
      let found = candidates.filter(test)
      // People on networks can be named by address.
      let here = found.filter { $0.network == nil }
      if here.count == 1 { return here }
      if !found.isEmpty { return found }
    }
    return []
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
