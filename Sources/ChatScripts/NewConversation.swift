// SPDX-License-Identifier: GPL-3.0-or-later
import ChatSession
import Conversations
import StyledText

/// What `--create` creates if a command line names nothing that exists (rule 11.7).
extension DurableTransaction {
  /// A room or a direct chat, created if it is missing: here, or with an address on the network of
  /// an account of mine. Also enters a room of a network.
  ///
  /// - Parameter name: `room`, `#room`, `room@service`, `@name` or `@name@domain`.
  /// - Throws: ``Refusal`` for an address that no account of mine reaches; `RuleError`,
  ///   `StoreError`.
  package func conversation(made name: String, by me: ID<Participant>) throws -> Conversation {
    let isPerson = name.hasPrefix("@")
    let bare = isPerson || name.hasPrefix("#") ? String(name.dropFirst()) : name
    guard bare.contains("@") else {
      if isPerson { return try directChat(me, with: participant(identity: bare).id) }
      return try makeRoom(name, for: me)
    }
    guard Account.isAddress(bare) else { throw Refusal.notAnAddress(bare) }
    let accounts = try accounts(of: me)
    guard let account = Account.reaching(bare, among: accounts) else {
      throw Refusal(
        accounts.isEmpty
          ? say(
            "%1 is on a network, and you have no account; in hobnob, /account add adds one.",
            SafeText(line: bare))
          : say(
            "Which account should reach %2? You have %1. In hobnob, open a conversation of that account, and type /msg or /join there.",
            accounts.map { SafeText(line: $0.address) }.joined(separator: ", "),
            SafeText(line: bare)))
    }
    guard let address = isPerson ? account.address(ofPerson: bare) : account.address(ofRoom: name)
    else { throw Refusal.notAnAddress(bare) }
    if isPerson { return try networkChat(with: address, of: account) }
    let room = try networkRoom(address, network: account.network)
    if try !isInside(me, of: room.id) {
      try join(me, room.id)
      _ = try ask(.join, target: address, of: account)
    }
    return try conversation(room.id, for: me) ?? room
  }
}

extension Reading where Self: ~Copyable {
  /// The account of mine with which `conversation(made:by:)` would reach an address; nil if none
  /// would, and for a name of this machine.
  func accountReaching(_ name: String, of me: ID<Participant>) throws -> Account? {
    let bare = name.hasPrefix("@") || name.hasPrefix("#") ? String(name.dropFirst()) : name
    return Account.isAddress(bare) ? Account.reaching(bare, among: try accounts(of: me)) : nil
  }

  /// Refuses the name of a removed room (rule 13.10).
  package func refuseRemoved(room name: String) throws {
    let bare = name.hasPrefix("#") ? String(name.dropFirst()) : name
    if try belongsToARemovedRoom(bare) {
      throw Refusal(
        say("#%1 was removed; hobnob search finds its messages.", SafeText(line: bare)))
    }
  }
}
