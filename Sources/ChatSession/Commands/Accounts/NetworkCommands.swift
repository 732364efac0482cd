// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// Commands in a conversation on a network: they ask its process, which answers when the network
/// has.
@MainActor
struct NetworkCommands {
  let context: CommandContext
  private var accounts: Accounts { context.accounts }
  private var network: String? { context.network }

  /// The account and the full address for a name. `room@service` and `name@domain` are full; a bare
  /// name is a known room, or else one on the account's own service if the open conversation is on
  /// that network.
  ///
  /// - Returns: nil for a room of this machine.
  /// - Throws: ``Refusal`` for an address if there is no account, or several could be meant.
  func room(
    _ name: String, _ snapshot: borrowing Snapshot
  ) throws -> (account: Account, address: String)? {
    let bare = try bareAddress(name, behind: "#")
    if bare.contains("@"), let account = accounts.present(in: network) {
      return (account, bare.lowercased())
    }
    let open = account(of: context.open.conversation)
    do {
      if let known = try snapshot.room(name, for: context.me.id) {
        guard let account = account(of: known) else { return nil }
        return (account, try snapshot.networkAddress(of: known.id))
      }
    } catch RuleError.ambiguous where open != nil {
      // Several accounts have one of that name: take that of the open conversation's network.
    }
    if bare.contains("@") { return (try accounts.reaching(bare, from: network), bare.lowercased()) }
    guard let open, let service = accounts.roomService(of: open) else { return nil }
    return (open, bare.lowercased() + "@" + service)
  }

  /// The account whose network carries a conversation; nil for one of this machine, or of a removed
  /// account.
  private func account(of conversation: Conversation?) -> Account? {
    accounts.list.first { $0.network == conversation?.network }
  }

  /// - Throws: ``Refusal`` for an address that lacks a part, has too many, or has one after a
  ///   slash, which names a program or somebody in a room.
  private func bareAddress(_ name: String, behind sign: String) throws -> String {
    let bare = name.hasPrefix(sign) ? String(name.dropFirst()) : name
    let parts = bare.split(separator: "@", omittingEmptySubsequences: false)
    let isWhole =
      parts.count == 2 && !bare.contains("/") && parts.allSatisfy { !$0.isEmpty }
    guard isWhole || parts.count == 1 && name != "@" else {
      throw Refusal(
        say("%1 is not an address; one looks like ben@example.org.", SafeText(line: name)))
    }
    return bare
  }

  /// The same for a person: an address, or a name that nobody known here has.
  func personOnNetwork(
    _ name: String, _ snapshot: borrowing Snapshot
  ) throws -> (account: Account, address: String)? {
    let bare = try bareAddress(name, behind: "@")
    guard bare.contains("@") else {
      guard try known(name, snapshot) == nil, let account = account(of: context.open.conversation)
      else { return nil }
      return (account, account.address(of: bare))
    }
    if let account = accounts.present(in: network) { return (account, bare.lowercased()) }
    // Two accounts may know the same person.
    if let known = try? snapshot.find(participant: name, for: context.me.id) {
      guard let account = accounts.list.first(where: { $0.network == known.network }) else {
        return nil
      }
      return (account, known.identity)
    }
    return (try accounts.reaching(bare, from: network), bare.lowercased())
  }

  /// Somebody of this machine or of a network; nil if nobody known has the name.
  ///
  /// - Throws: `RuleError.ambiguous`, `.onlyInARoom`.
  func known(_ name: String, _ snapshot: borrowing Snapshot) throws -> Participant? {
    do {
      return try snapshot.find(participant: name, for: context.me.id)
    } catch RuleError.ambiguous(_, let candidates)
      where candidates.allSatisfy({ $0.contains("/") })
    {
      // Several rooms have the name, and people cannot write what tells them apart.
      throw RuleError.onlyInARoom(
        name, domain: accounts.present(in: network)?.domain ?? "example.org")
    }
  }

  /// Somebody on a network: by address, by the name of a contact, or by name on the account's own
  /// domain.
  ///
  /// - Throws: ``Refusal`` if there is no account, or several could be meant.
  func contactAddress(
    named name: String, _ snapshot: borrowing Snapshot
  ) throws -> (account: Account, address: String) {
    let bare = try bareAddress(name, behind: "@")
    if bare.contains("@") {
      return (
        try accounts.present(in: network) ?? accounts.reaching(bare, from: network),
        bare.lowercased()
      )
    }
    let account = try accounts.named("", from: network)
    if bare.contains("/") { _ = try bareAddress(account.address(of: bare), behind: "@") }
    let known = try snapshot.contacts(of: account).first {
      $0.participant.name.lowercased() == bare.lowercased()
    }
    return (account, known?.participant.identity ?? account.address(of: bare))
  }

  // MARK: Asking the network's process

  /// Enters a room as soon as the network allows; until then my messages there wait.
  func join(
    _ address: String, password: String, of account: Account,
    _ transaction: borrowing DurableTransaction
  ) throws -> (room: Conversation, outcomes: [Outcome]) {
    let room = try transaction.networkRoom(address, network: account.network)
    try transaction.join(context.me.id, room.id)
    let outcomes = try ask(.join, address, secret: password, of: account, transaction)
    // Under the name that it has among mine.
    return (try transaction.conversation(room.id, for: context.me.id) ?? room, outcomes)
  }

  /// Whether a network carries a conversation, so that its process can act.
  func carries(_ conversation: Conversation) -> Bool { account(of: conversation) != nil }

  /// Asks the process of the conversation's network, if it has one.
  func ask(
    _ verb: NetworkRequest.Verb, in conversation: Conversation, text: String = "",
    _ transaction: borrowing DurableTransaction
  ) throws -> [Outcome] {
    guard let account = account(of: conversation) else { return [] }
    let target = try transaction.networkAddress(of: conversation.id)
    let isAsked =
      try verb == .history
      && transaction.requests(of: account).contains { $0.verb == verb && $0.target == target }
    return isAsked ? [] : try ask(verb, target, text, of: account, transaction)
  }

  func ask(
    _ verb: NetworkRequest.Verb, _ target: String, _ text: String = "", secret: String = "",
    of account: Account, _ transaction: borrowing DurableTransaction
  ) throws -> [Outcome] {
    _ = try transaction.ask(verb, target: target, text: text, secret: secret, of: account)
    return accounts.isWanted(account)
      ? []
      : [
        .tell(
          say("%1 is disconnected; type /connect to continue.", SafeText(line: account.address)))
      ]
  }

  /// The subcommands of `/contact`.
  static let verbs: [(name: String, verb: NetworkRequest.Verb)] = [
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
    guard words.count == 2, let verb else { throw usage("contact") }
    let (account, address) = try contactAddress(named: words[1], snapshot)
    return Step { transaction in
      let outcomes = try ask(verb, address, of: account, transaction)
      if verb == .approve {
        _ = try transaction.forgetApproaches(to: account, of: address, .contact)
      }
      if verb == .block { _ = try transaction.forgetApproaches(to: account, of: address) }
      return outcomes
    }
  }

  private func listContacts(_ snapshot: borrowing Snapshot) throws -> Step {
    // Say what to do if there is no account.
    if accounts.list.isEmpty { _ = try accounts.named("", from: network) }
    var contacts: [Presence] = []
    for account in accounts.list { contacts += try snapshot.contacts(of: account) }
    guard !contacts.isEmpty else {
      return .tell(say("You have no contacts yet; /contact add ADDRESS asks somebody."))
    }
    return context.list(contacts, snapshot)
  }
}
