// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatPreferences
import Composer
import Conversations
import StyledText

/// Commands in a conversation on a network: they ask the network's process, which answers once the
/// network has answered.
@MainActor
struct NetworkCommands {
  let context: CommandContext
  private var accounts: Accounts { context.accounts }
  private var network: String? { context.network }

  /// The account and the address of the network's room that a word means: an address in the form
  /// of the account's network, a known room (`Access.roomsMeant(by:for:in:)`), or, if the open
  /// conversation is on a network, a name there.
  ///
  /// - Returns: nil for a room of this machine, known or not.
  /// - Throws: ``Refusal`` for an address if there is no account, or several could be meant.
  func room(
    _ word: String, _ snapshot: borrowing Snapshot
  ) throws -> (account: Account, address: String)? {
    if Naming.nameHere(word) != nil { return nil }
    if let account = try named(in: word, snapshot) {
      return (account, try account.address(ofRoom: word) ?? refuse(word))
    }
    let open = account(of: context.open.conversation)
    // In scripts, a name without a server is a room of this machine (rule 11.2).
    if !context.isInteractive, open == nil, !word.contains("@") { return nil }
    let present = accounts.present(in: network, for: word)
    try check(word, present)
    if let present, present.rules.isRoomAddress(word), let address = present.address(ofRoom: word),
      present.rules.namesServer || present == open || present.isNamed(in: word)
    {
      return (present, address)
    }
    let (found, areMine) = try snapshot.roomsMeant(
      by: word, for: context.me.id, in: context.open.id)
    // In a conversation of a network, only a room that the person is in comes before the one there.
    let known = found.filter { open == nil || areMine || $0.network == open?.network }
    // A room that the person has left is not in the way of one of this machine.
    if !areMine, open == nil, known.contains(where: { $0.network == nil }) { return nil }
    if known.count == 1 {
      guard let account = account(of: known[0]) else { return nil }
      return (account, try snapshot.networkAddress(of: known[0].id))
    }
    if known.count > 1, open == nil {
      throw RuleError.ambiguous(word, candidates: try known.map { try snapshot.fullName(of: $0) })
    }
    if word.contains("@") {
      let account = try accounts.reaching(word, from: network)
      return (account, try account.address(ofRoom: word) ?? refuse(word))
    }
    if let open { return open.address(ofRoom: word).map { (open, $0) } }
    // No room of this machine has another sign than `#`.
    let others = accounts.list.filter {
      !word.hasPrefix("#") && $0.rules.hasRoomSign(word)
    }
    return others.count == 1 ? others[0].address(ofRoom: word).map { (others[0], $0) } : nil
  }

  /// The only account whose network has rooms that begin with `#`: on this machine, a new name
  /// with that sign may mean a room there (rule 11.2).
  var accountWithSign: Account? {
    let found = accounts.list.filter { $0.rules.hasRoomSign("#") }
    return found.count == 1 ? found[0] : nil
  }

  /// Says how to enter the room of a network with the name of a new room on this machine: where rooms
  /// have signs, somebody may have left out the `#`.
  func hint(forNewRoom name: String) -> [Effect] {
    guard let account = accounts.list.first(where: \.rules.needsSign),
      let address = account.address(ofRoom: name)
    else { return [] }
    return [
      .tell(
        say(
          "%1 is a new room on this machine; /join %2 enters the one on the network.",
          SafeText(name: name.hasPrefix("#") ? name : "#" + name),
          SafeText(name: account.withServer(address))))
    ]
  }

  /// The account whose network carries a conversation; nil for a conversation of this machine, or
  /// of a removed account.
  func account(of conversation: Conversation?) -> Account? {
    accounts.list.first { $0.network == conversation?.network }
  }

  /// - Parameter account: the one that the word is for, if known.
  /// - Throws: ``Refusal`` for an address that lacks a part, has too many parts, or has a part
  ///   after a slash, which names a program or somebody in a room.
  private func check(_ word: String, _ account: Account?) throws {
    if let account, !account.rules.namesServer { return }
    let bare = word.first.map("@#".contains) ?? false ? String(word.dropFirst()) : word
    if word == "@" || bare.contains("@") && !Account.isAddress(bare) {
      throw Refusal.notAnAddress(word)
    }
  }

  private func refuse(_ word: String) throws -> String { throw Refusal.notAnAddress(word) }

  /// The account and the address for a person: for an address, or for a name that nobody known here
  /// has.
  func personOnNetwork(
    _ word: String, _ snapshot: borrowing Snapshot
  ) throws -> (account: Account, address: String)? {
    let bare = word.hasPrefix("@") ? String(word.dropFirst()) : word
    if let account = try named(in: bare, snapshot) {
      return (account, try account.address(ofPerson: bare) ?? refuse(word))
    }
    let present = accounts.present(in: network, for: bare)
    try check(word, present)
    if let account = account(of: context.open.conversation), !bare.contains("@"),
      let person = try snapshot.currentPerson(named: bare, of: account, in: context.open.id)
    {
      return (account, person.identity)
    }
    guard bare.contains("@") else {
      guard try known(word, snapshot) == nil, let account = account(of: context.open.conversation)
      else { return nil }
      let whole = account.rules.isOpaque ? word : bare
      return (account, try snapshot.address(ofPerson: whole, on: account) ?? refuse(word))
    }
    if let present {
      let whole = present.rules.isOpaque ? word : bare
      let person = try snapshot.currentPerson(named: whole, of: present, in: context.open.id)
      return (present, try person?.identity ?? present.address(ofPerson: whole) ?? refuse(word))
    }
    do {
      if let known = try snapshot.find(participant: word, for: context.me.id) {
        let account = accounts.list.first { $0.network == known.network }
        return account.map { ($0, known.identity) }
      }
    } catch let error as RuleError {
      // Several accounts may know the same person.
      if case .ambiguous = error, Account.reaching(bare, among: accounts.list) == nil {
        throw error
      }
    }
    let account = try accounts.reaching(bare, from: network)
    return (account, try account.address(ofPerson: bare) ?? refuse(word))
  }

  /// The known person by this name, on the open conversation's network, on this machine or on
  /// another network; nil if nobody has the name.
  ///
  /// - Throws: `RuleError.ambiguous`, `.onlyInARoom`.
  func known(_ name: String, _ snapshot: borrowing Snapshot) throws -> Participant? {
    try snapshot.find(participant: name, for: context.me.id, in: context.open.id)
  }

  /// The account whose kind of network begins a word; nil for any other word.
  ///
  /// - Throws: `RuleError.ambiguous`.
  func named(in word: String, _ snapshot: borrowing Snapshot) throws -> Account? {
    try snapshot.account(namedIn: word, among: accounts.list, from: network)
  }

  /// Somebody on a network: by address, by the name of a contact, or by name on the account's own
  /// domain.
  ///
  /// - Throws: ``Refusal`` if there is no account, or several could be meant.
  func contactAddress(
    named name: String, _ snapshot: borrowing Snapshot
  ) throws -> (account: Account, address: String) {
    let bare = name.hasPrefix("@") ? String(name.dropFirst()) : name
    if let account = try named(in: bare, snapshot) {
      return (account, try account.address(ofPerson: bare) ?? refuse(name))
    }
    let present = accounts.present(in: network, for: bare)
    try check(name, present)
    let account =
      try bare.contains("@")
      ? present ?? accounts.reaching(bare, from: network) : accounts.named("", from: network)
    if !bare.contains("@") {
      let known = try snapshot.contacts(of: account).first {
        $0.participant.name.lowercased() == bare.lowercased()
      }
      if let known { return (account, known.participant.identity) }
    }
    if let person = try snapshot.currentPerson(named: bare, of: account, in: context.open.id) {
      return (account, person.identity)
    }
    return (account, try snapshot.address(ofPerson: bare, on: account) ?? refuse(name))
  }

  // MARK: Names with blanks

  /// The person whom a command names first, and what follows. Where any text can be an address, a
  /// name can have blanks: the longest name of somebody known counts, otherwise the first word.
  func personFirst(
    of argument: String, _ snapshot: borrowing Snapshot
  ) -> (name: String, rest: String) {
    var (name, rest) = argument.firstWord
    var found = (name: name, rest: rest)
    guard !rest.isEmpty, accounts.list.contains(where: \.rules.isOpaque) else { return found }
    for _ in 1..<Self.mostWords where !rest.isEmpty {
      rest = rest.firstWord.rest
      name = String(argument.dropLast(rest.count)).trimmingBlanks
      if isKnown(name, snapshot) { found = (name, rest) }
    }
    return found
  }

  /// The only person whom a command names; nil if more words follow. Where any text can be an
  /// address, all of them are the name.
  func onlyPerson(_ argument: String, _ snapshot: borrowing Snapshot) -> String? {
    let (name, rest) = personFirst(of: argument, snapshot)
    if name.isEmpty { return nil }
    if rest.isEmpty { return name }
    let named = accounts.list.first { $0.withoutKind(argument) != nil }
    let there = named ?? account(of: context.open.conversation)
    return there?.rules.isOpaque == true ? argument.trimmingBlanks : nil
  }

  /// So many words can a name have before the text that follows it.
  private static let mostWords = 8

  /// Whether somebody has this name or address; several may.
  func isKnown(_ name: String, _ snapshot: borrowing Snapshot) -> Bool {
    do {
      if try snapshot.find(participant: name, for: context.me.id, in: context.open.id) != nil {
        return true
      }
    } catch let error as RuleError {
      switch error {
      case .ambiguous, .onlyInARoom: return true
      default: break
      }
    } catch {}
    guard let account = account(of: context.open.conversation), account.rules.isOpaque else {
      return false
    }
    let known = try? snapshot.currentPerson(named: name, of: account, in: context.open.id)
    return (known ?? nil) != nil
  }

  // MARK: Asking the network's process

  /// Enters a room as soon as the network allows it; until then the person's messages to the room
  /// wait.
  func join(
    _ address: String, password: String, of account: Account,
    _ transaction: borrowing DurableTransaction
  ) throws -> (room: Conversation, effects: [Effect]) {
    let room = try transaction.networkRoom(address, network: account.network)
    try transaction.join(context.me.id, room.id)
    let effects = try ask(.join, address, secret: password, of: account, transaction)
    // Return the room under the name that it has among the person's.
    return (try transaction.conversation(room.id, for: context.me.id) ?? room, effects)
  }

  /// Whether a network carries a conversation, so that its process can act.
  func carries(_ conversation: Conversation) -> Bool { account(of: conversation) != nil }

  /// Asks the process of the conversation's network, if it has one.
  func ask(
    _ verb: NetworkRequest.Verb, in conversation: Conversation, person: String = "",
    text: String = "", count: Int = 0, _ transaction: borrowing DurableTransaction
  ) throws -> [Effect] {
    guard let account = account(of: conversation) else { return [] }
    let target = try transaction.networkAddress(of: conversation.id)
    let isAsked =
      try verb == .history
      && transaction.requests(of: account).contains { $0.verb == verb && $0.target == target }
    if isAsked { return [] }
    return try ask(
      verb, target, person: person, text: text, count: count, of: account, transaction)
  }

  func ask(
    _ verb: NetworkRequest.Verb, _ target: String, person: String = "", text: String = "",
    count: Int = 0, secret: String = "", of account: Account,
    _ transaction: borrowing DurableTransaction
  ) throws -> [Effect] {
    _ = try transaction.ask(
      verb, target: target, person: person, text: text, count: count, secret: secret, of: account)
    let address = SafeText(line: account.name)
    guard accounts.isWanted(account) else {
      return [.tell(say("%1 is disconnected; type /connect to continue.", address))]
    }
    guard case .offline = account.status, Self.onlyAnswered.contains(verb) else { return [] }
    return [.tell(say("%1 is not connected; hobnob does this as soon as it is.", address))]
  }

  /// Requests of which only the answer shows that the network has them.
  private static let onlyAnswered: Set<NetworkRequest.Verb> = [
    .topic, .invite, .kick, .ban, .unban, .promote, .demote, .whois, .mode, .ctcp, .line,
    .encrypt, .verify, .device,
  ]

  /// The subcommands of `/contact`.
  fileprivate static let verbs: [(name: String, verb: NetworkRequest.Verb)] = [
    ("add", .subscribe), ("accept", .approve), ("remove", .unsubscribe), ("block", .block),
    ("unblock", .unblock),
  ]

  /// `/contact [add|accept|remove|block|unblock [ADDRESS]]`.
  func manageContacts(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    let words = argument.split(whereSeparator: \.isWhitespace).map(String.init)
    if words.isEmpty { return try listContacts(snapshot) }
    let verb = Self.verbs.first { $0.name == words[0] }?.verb
    if words.count == 1, let verb, [.approve, .block].contains(verb) {
      let account = try accounts.named("", from: network)
      return Step { try ask(verb, "", of: account, $0) }
    }
    guard words.count > 1, let verb,
      let name = onlyPerson(argument.firstWord.rest, snapshot)
    else { throw usage("contact") }
    let (account, address) = try contactAddress(named: name, snapshot)
    return Step { transaction in
      let effects = try ask(verb, address, of: account, transaction)
      if verb == .approve {
        _ = try transaction.forgetApproaches(to: account, of: address, .contact)
      }
      if verb == .block { _ = try transaction.forgetApproaches(to: account, of: address) }
      return effects
    }
  }

  private func listContacts(_ snapshot: borrowing Snapshot) throws -> Step {
    // Say what to do if there is no account.
    if accounts.list.isEmpty { _ = try accounts.named("", from: network) }
    var contacts: [Presence] = []
    for account in accounts.list { contacts += try snapshot.contacts(of: account) }
    guard !contacts.isEmpty else {
      return .tell(say("You have no contacts yet; /contact add ADDRESS sends somebody a request."))
    }
    return context.list(contacts, snapshot)
  }
}

extension Arguments {
  static let contact = Arguments { query, snapshot in
    switch query.before.count {
    case 0: NetworkCommands.verbs.map { Candidate($0.name) }
    default: query.continuing(query.names(snapshot), skipping: 1)
    }
  }
}
