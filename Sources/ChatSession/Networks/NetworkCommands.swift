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
    let bare = name.hasPrefix("#") ? String(name.dropFirst()) : name
    if bare.contains("@"), let account = accounts.present { return (account, bare.lowercased()) }
    let open = account(of: moves.present)
    do {
      if let known = try store.room(name, create: false, for: me.id) {
        return try account(of: known).map { ($0, try store.networkAddress(of: known.id)) }
      }
    } catch RuleError.ambiguous where open != nil {
      // Several accounts have one of that name; meant is that of the open conversation's.
    }
    if bare.contains("@") { return (try accounts.reaching(bare), bare.lowercased()) }
    guard let open, let service = open.settings["rooms"] else { return nil }
    return (open, bare.lowercased() + "@" + service)
  }

  private func account(of conversation: Conversation?) -> Account? {
    accounts.list.first { $0.network == conversation?.network }
  }

  /// The same of a person: an address, or a name that nobody has who is known here.
  func person(_ name: String) throws -> (account: Account, address: String)? {
    accounts.refresh()
    let bare = name.hasPrefix("@") ? String(name.dropFirst()) : name
    if bare.contains("@"), let account = accounts.present { return (account, bare.lowercased()) }
    let known = try store.find(participant: name, for: me.id)
    if bare.contains("@"), known == nil {
      return (try accounts.reaching(bare), bare.lowercased())
    }
    guard known == nil, let account = account(of: moves.present) else { return nil }
    return (account, account.address(of: bare))
  }

  /// Somebody of a network, where nobody else can be meant: by address, by the name of a contact, or
  /// the one of that name on the account's own domain.
  ///
  /// - Throws: ``Refusal`` where there is no account, or it is not clear which.
  func contact(named name: String) throws -> (account: Account, address: String) {
    accounts.refresh()
    let bare = name.hasPrefix("@") ? String(name.dropFirst()) : name
    if bare.contains("@") {
      return (try accounts.present ?? accounts.reaching(bare), bare.lowercased())
    }
    let account = try accounts.named("")
    let known = try store.contacts(of: account).first {
      $0.participant.name.lowercased() == bare.lowercased()
    }
    return (account, known?.participant.identity ?? account.address(of: bare))
  }

  /// A room that I enter as soon as the network lets me; what I send until then waits.
  func join(
    _ address: String, password: String, of account: Account
  ) throws -> Conversation {
    let room = try store.networkRoom(address, network: account.network)
    try store.join(me.id, room.id)
    try ask(.join, address, secret: password, of: account)
    // As it is called among mine.
    return try store.conversation(room.id, for: me.id) ?? room
  }

  /// The direct chat with someone on a network.
  func chat(with address: String, of account: Account) throws -> Conversation {
    try store.networkChat(with: address, of: account)
  }

  /// - Throws: ``Refusal`` for a file that is too large for the server of the open conversation.
  func checkSize(_ file: (name: String, bytes: Int)) throws {
    accounts.refresh()
    guard let longest = account(of: moves.present)?.settings["upload"].flatMap({ Int($0) }),
      file.bytes > longest
    else { return }
    throw Refusal(
      say(
        "%1 is too large for the server: it has %2, and %3 are allowed.",
        SafeText(name: file.name), SafeText(line: Attachment.size(file.bytes)),
        SafeText(line: Attachment.size(longest))))
  }

  /// Asks the process of the conversation's network.
  ///
  /// - Returns: false where the conversation is of this machine, or of an account that is no more.
  func ask(
    _ verb: NetworkRequest.Verb, in conversation: Conversation, text: String = ""
  ) throws -> Bool {
    guard let account = account(of: conversation) else { return false }
    try ask(verb, try store.networkAddress(of: conversation.id), text, of: account)
    return true
  }

  func ask(
    _ verb: NetworkRequest.Verb, _ target: String, _ text: String = "", secret: String = "",
    of account: Account
  ) throws {
    _ = try store.ask(verb, target: target, text: text, secret: secret, of: account)
    if !account.isWanted {
      tell(say("%1 is disconnected; /connect goes on.", SafeText(line: account.address)))
    }
  }

  /// What `/contact` can do.
  static let verbs: [(name: String, verb: NetworkRequest.Verb)] = [
    ("add", .subscribe), ("accept", .approve), ("remove", .unsubscribe), ("block", .block),
    ("unblock", .unblock),
  ]

  /// `/contact [add|accept|remove|block|unblock ADDRESS]`.
  func contact(_ argument: String) throws {
    let words = argument.split(whereSeparator: \.isWhitespace).map(String.init)
    if words.isEmpty { return try listContacts() }
    guard words.count == 2, let verb = Self.verbs.first(where: { $0.name == words[0] })?.verb
    else { throw usage("contact") }
    let (account, address) = try contact(named: words[1])
    try ask(verb, address, of: account)
  }

  private func listContacts() throws {
    accounts.refresh()
    // Says what to do where there is no account.
    if accounts.list.isEmpty { _ = try accounts.named("") }
    let contacts = try accounts.list.flatMap { try store.contacts(of: $0) }
    guard !contacts.isEmpty else {
      return tell(say("You have no contact yet; /contact add ADDRESS asks somebody."))
    }
    ConversationCommands(session: session).list(contacts)
  }

  /// What the process answers to requests of this person.
  func tellAnswers(_ answers: [NetworkAnswer]) {
    for answer in answers {
      if !answer.text.isEmpty {
        emit(.noticeIsOver(HistoryCommand.fetching))
        tell(SafeText(line: answer.text))
      }
      FileCommands(session: session).fetched(answer)
    }
  }
}
