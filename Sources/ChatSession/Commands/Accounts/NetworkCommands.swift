// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// What commands do where a network carries the conversation: they ask its process, which answers
/// when the network has.
@MainActor
struct NetworkCommands {
  let context: CommandContext
  private var accounts: Accounts { context.accounts }
  private var network: String? { context.network }

  /// The account and the address that a name is short for: `room@service` and `name@domain` are
  /// whole; a bare room is one that is known, or else of the account's own service where the
  /// conversation that is open is on that network.
  ///
  /// - Returns: nil for what is of this machine.
  /// - Throws: ``Refusal`` for an address where there is no account, or it is not clear which.
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
      // Several accounts have one of that name; meant is that of the open conversation's.
    }
    if bare.contains("@") { return (try accounts.reaching(bare, from: network), bare.lowercased()) }
    guard let open, let service = accounts.roomService(of: open) else { return nil }
    return (open, bare.lowercased() + "@" + service)
  }

  /// The account whose network carries a conversation; nil for one of this machine, or of an account
  /// that is no more.
  private func account(of conversation: Conversation?) -> Account? {
    accounts.list.first { $0.network == conversation?.network }
  }

  /// - Throws: ``Refusal`` for an address without one of its parts, with too many of them, or with a
  ///   part behind a slash, which is that of a program or of somebody in a room.
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

  /// The same of a person: an address, or a name that nobody has who is known here.
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
    // Two accounts may know the same one.
    if let known = try? snapshot.find(participant: name, for: context.me.id) {
      guard let account = accounts.list.first(where: { $0.network == known.network }) else {
        return nil
      }
      return (account, known.identity)
    }
    return (try accounts.reaching(bare, from: network), bare.lowercased())
  }

  /// Somebody of this machine or of a network; nil for nobody who is known.
  ///
  /// - Throws: `RuleError.ambiguous`, `.onlyInARoom`.
  func known(_ name: String, _ snapshot: borrowing Snapshot) throws -> Participant? {
    do {
      return try snapshot.find(participant: name, for: context.me.id)
    } catch RuleError.ambiguous(_, let candidates)
      where candidates.allSatisfy({ $0.contains("/") })
    {
      // Of several rooms: what tells them apart is not for people to write.
      throw RuleError.onlyInARoom(
        name, domain: accounts.present(in: network)?.domain ?? "example.org")
    }
  }

  /// Somebody of a network, where nobody else can be meant: by address, by the name of a contact, or
  /// the one of that name on the account's own domain.
  ///
  /// - Throws: ``Refusal`` where there is no account, or it is not clear which.
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

  /// A room that I enter as soon as the network lets me; what I send until then waits.
  func join(
    _ address: String, password: String, of account: Account,
    _ transaction: borrowing DurableTransaction
  ) throws -> (room: Conversation, outcomes: [Outcome]) {
    let room = try transaction.networkRoom(address, network: account.network)
    try transaction.join(context.me.id, room.id)
    let outcomes = try ask(.join, address, secret: password, of: account, transaction)
    // As it is called among mine.
    return (try transaction.conversation(room.id, for: context.me.id) ?? room, outcomes)
  }

  /// Whether a network carries a conversation, whose process can be asked.
  func carries(_ conversation: Conversation) -> Bool { account(of: conversation) != nil }

  /// Asks the process of the conversation's network; nothing where there is none.
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

  /// What `/contact` can do.
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
    // Says what to do where there is no account.
    if accounts.list.isEmpty { _ = try accounts.named("", from: network) }
    var contacts: [Presence] = []
    for account in accounts.list { contacts += try snapshot.contacts(of: account) }
    guard !contacts.isEmpty else {
      return .tell(say("You have no contacts yet; /contact add ADDRESS asks somebody."))
    }
    return context.list(contacts, snapshot)
  }
}
