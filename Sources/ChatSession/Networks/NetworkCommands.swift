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
  /// whole; a bare room is one of the account's own service where the conversation that is open is
  /// on that network, and this machine has none of that name.
  ///
  /// - Returns: nil for what is of this machine.
  func room(_ name: String) throws -> (account: Account, address: String)? {
    guard let account = accounts.present else { return nil }
    let bare = (name.hasPrefix("#") ? String(name.dropFirst()) : name)
    if bare.contains("@") { return (account, bare.lowercased()) }
    guard moves.present?.network == account.network, let service = account.settings["rooms"]
    else { return nil }
    let known = try store.room(name, create: false, for: me.id)
    if known != nil, known?.network == nil { return nil }
    return (account, bare.lowercased() + "@" + service)
  }

  /// The address of a person that a name is short for; nil for somebody of this machine.
  func person(_ name: String) throws -> (account: Account, address: String)? {
    guard let account = accounts.present else { return nil }
    let bare = name.hasPrefix("@") ? String(name.dropFirst()) : name
    if bare.contains("@") { return (account, bare.lowercased()) }
    guard moves.present?.network == account.network,
      let domain = account.address.split(separator: "@").last,
      try store.find(participant: name, for: me.id) == nil
    else { return nil }
    return (account, bare.lowercased() + "@" + domain)
  }

  /// A room that I enter as soon as the network lets me; what I send until then waits.
  func join(
    _ address: String, password: String, of account: Account
  ) throws -> Conversation {
    let room = try store.networkRoom(address, network: account.network)
    try store.join(me.id, room.id)
    try ask(.join, address, secret: password, of: account)
    return room
  }

  /// The direct chat with someone on a network.
  func chat(with address: String, of account: Account) throws -> Conversation {
    try store.networkChat(with: address, of: account)
  }

  /// Asks the process of the conversation's network.
  ///
  /// - Returns: false where the conversation is of this machine, or of an account that is no more.
  func ask(
    _ verb: NetworkRequest.Verb, in conversation: Conversation, text: String = ""
  ) throws -> Bool {
    guard let account = accounts.list.first(where: { $0.network == conversation.network }) else {
      return false
    }
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
    guard words.count == 2, let verb = Self.verbs.first(where: { $0.name == words[0] })?.verb
    else { throw usage("contact") }
    accounts.refresh()
    guard let (account, address) = try person(words[1]) else {
      throw Refusal(
        say(
          "%1 is not an address on a network of yours; one looks like ben@example.org.",
          SafeText(line: words[1])))
    }
    try ask(verb, address, of: account)
  }

  /// What the process answers to requests of this person.
  func tellAnswers(_ answers: [NetworkAnswer]) {
    for answer in answers {
      if !answer.text.isEmpty { tell(SafeText(line: answer.text)) }
      FileCommands(session: session).fetched(answer)
    }
  }
}
