// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// What commands do where a network carries the conversation: they ask its process, which answers
/// when the network has.
@MainActor
struct NetworkCommands: SessionPart {
  let session: Session
  private var accounts: Accounts { session.accounts }

  /// The account and the address that a name is short for: `room@service` and `name@domain` are
  /// whole; a bare room is one that is known, or else of the account's own service where the
  /// conversation that is open is on that network.
  ///
  /// - Returns: nil for what is of this machine.
  /// - Throws: ``Refusal`` for an address where there is no account, or it is not clear which.
  func room(_ name: String) throws -> (account: Account, address: String)? {
    accounts.refresh()
    let bare = try address(name, behind: "#")
    if bare.contains("@"), let account = accounts.present { return (account, bare.lowercased()) }
    let open = account(of: switcher.present)
    do {
      if let known = try store.read({ try $0.room(name, for: me.id) }) {
        return try account(of: known).map {
          ($0, try store.read { try $0.networkAddress(of: known.id) })
        }
      }
    } catch RuleError.ambiguous where open != nil {
      // Several accounts have one of that name; meant is that of the open conversation's.
    }
    if bare.contains("@") { return (try accounts.reaching(bare), bare.lowercased()) }
    guard let open, let service = accounts.roomService(of: open) else { return nil }
    return (open, bare.lowercased() + "@" + service)
  }

  private func account(of conversation: Conversation?) -> Account? {
    accounts.list.first { $0.network == conversation?.network }
  }

  /// - Throws: ``Refusal`` for an address without one of its parts, with too many of them, or with a
  ///   part behind a slash, which is that of a program or of somebody in a room.
  private func address(_ name: String, behind sign: String) throws -> String {
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
  func person(_ name: String) throws -> (account: Account, address: String)? {
    accounts.refresh()
    let bare = try address(name, behind: "@")
    guard bare.contains("@") else {
      guard try known(name) == nil, let account = account(of: switcher.present) else { return nil }
      return (account, account.address(of: bare))
    }
    if let account = accounts.present { return (account, bare.lowercased()) }
    // Two accounts may know the same one.
    if let known = try? store.read({ try $0.find(participant: name, for: me.id) }) {
      guard let account = accounts.list.first(where: { $0.network == known.network }) else {
        return nil
      }
      return (account, known.identity)
    }
    return (try accounts.reaching(bare), bare.lowercased())
  }

  /// Somebody of this machine or of a network; nil for nobody who is known.
  ///
  /// - Throws: `RuleError.ambiguous`, `.onlyInARoom`.
  func known(_ name: String) throws -> Participant? {
    do {
      return try store.read { try $0.find(participant: name, for: me.id) }
    } catch RuleError.ambiguous(_, let candidates)
      where candidates.allSatisfy({ $0.contains("/") })
    {
      // Of several rooms: what tells them apart is not for people to write.
      throw RuleError.onlyInARoom(name, domain: accounts.present?.domain ?? "example.org")
    }
  }

  /// Somebody of a network, where nobody else can be meant: by address, by the name of a contact, or
  /// the one of that name on the account's own domain.
  ///
  /// - Throws: ``Refusal`` where there is no account, or it is not clear which.
  func contact(named name: String) throws -> (account: Account, address: String) {
    accounts.refresh()
    let bare = try address(name, behind: "@")
    if bare.contains("@") {
      return (try accounts.present ?? accounts.reaching(bare), bare.lowercased())
    }
    let account = try accounts.named("")
    if bare.contains("/") { _ = try self.address(account.address(of: bare), behind: "@") }
    let known = try store.read { try $0.contacts(of: account) }.first {
      $0.participant.name.lowercased() == bare.lowercased()
    }
    return (account, known?.participant.identity ?? account.address(of: bare))
  }

  /// A room that I enter as soon as the network lets me; what I send until then waits.
  func join(
    _ address: String, password: String, of account: Account
  ) throws -> Conversation {
    let room = try store.writeDurablyIfNeeded {
      try $0.networkRoom(address, network: account.network)
    }
    try store.writeDurablyIfNeeded { try $0.join(me.id, room.id) }
    try ask(.join, address, secret: password, of: account)
    // As it is called among mine.
    return try store.read { try $0.conversation(room.id, for: me.id) } ?? room
  }

  /// The direct chat with someone on a network.
  func chat(with address: String, of account: Account) throws -> Conversation {
    try store.writeDurably { try $0.networkChat(with: address, of: account) }
  }

  /// The bytes of the largest file that the server of the open conversation takes, where it is known.
  var fileLimit: Int? {
    accounts.refresh()
    return account(of: switcher.present).flatMap { accounts.facts(of: $0)["upload"] }.flatMap {
      Int($0)
    }
  }

  /// Asks the process of the conversation's network.
  ///
  /// - Returns: false where the conversation is of this machine, or of an account that is no more.
  func ask(
    _ verb: NetworkRequest.Verb, in conversation: Conversation, text: String = ""
  ) throws -> Bool {
    guard let account = account(of: conversation) else { return false }
    let target = try store.read { try $0.networkAddress(of: conversation.id) }
    let isAsked =
      try verb == .history
      && store.read { try $0.requests(of: account) }.contains {
        $0.verb == verb && $0.target == target
      }
    if !isAsked { try ask(verb, target, text, of: account) }
    return true
  }

  func ask(
    _ verb: NetworkRequest.Verb, _ target: String, _ text: String = "", secret: String = "",
    of account: Account
  ) throws {
    _ = try store.writeDurably {
      try $0.ask(verb, target: target, text: text, secret: secret, of: account)
    }
    if !accounts.isWanted(account) {
      tell(say("%1 is disconnected; type /connect to continue.", SafeText(line: account.address)))
    }
  }

  /// What `/contact` can do.
  static let verbs: [(name: String, verb: NetworkRequest.Verb)] = [
    ("add", .subscribe), ("accept", .approve), ("remove", .unsubscribe), ("block", .block),
    ("unblock", .unblock),
  ]

  /// `/contact [add|accept|remove|block|unblock [ADDRESS]]`.
  func contact(_ argument: String) throws {
    let words = argument.split(whereSeparator: \.isWhitespace).map(String.init)
    if words.isEmpty { return try listContacts() }
    let verb = Self.verbs.first { $0.name == words[0] }?.verb
    if words.count == 1, let verb, [.approve, .block].contains(verb) {
      return try ask(verb, "", of: accounts.named(""))
    }
    guard words.count == 2, let verb else { throw usage("contact") }
    let (account, address) = try contact(named: words[1])
    try ask(verb, address, of: account)
    if verb == .approve {
      try store.writeDurably { try $0.forgetApproaches(to: account, of: address, .contact) }
    }
    if verb == .block {
      try store.writeDurably { try $0.forgetApproaches(to: account, of: address) }
    }
  }

  private func listContacts() throws {
    accounts.refresh()
    // Says what to do where there is no account.
    if accounts.list.isEmpty { _ = try accounts.named("") }
    let contacts = try accounts.list.flatMap { each in try store.read { try $0.contacts(of: each) }
    }
    guard !contacts.isEmpty else {
      return tell(say("You have no contacts yet; /contact add ADDRESS asks somebody."))
    }
    ConversationCommands(session: session).list(contacts)
  }

  /// What the process answers to requests of this person.
  func tellAnswers(_ answers: [NetworkAnswer]) {
    for answer in answers {
      if !answer.text.isEmpty {
        emit(.noticeIsOver(HistoryCommand.fetching))
        tell(SafeText(line: answer.text))
        // Nobody asked to be invited.
        if answer.request.verb == .invite, answer.request.target.isEmpty, settings.bell {
          emit(.bell)
        }
      }
      FileCommands(session: session).fetched(answer)
    }
  }
}
