// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatPreferences
import Conversations
import StyledText

/// Creates the conversation that `--create` names, if it does not exist yet (rule 11.7).
extension DurableTransaction {
  /// Finds or creates a room or a direct chat: on this machine for a plain name, or on the network
  /// of one of the person's accounts for an address. On a network it also joins the room.
  ///
  /// - Parameter name: `room`, `#room`, `room@service`, `@name` or `@name@domain`; `room@` and
  ///   `@name@` are of this machine.
  /// - Throws: ``Refusal`` for an address that no account of the person reaches; `RuleError`,
  ///   `StoreError`.
  package func findOrCreateConversation(
    named name: String, for me: ID<Participant>
  ) throws -> Conversation {
    let isPerson = name.hasPrefix("@")
    let bare = isPerson || name.hasPrefix("#") ? String(name.dropFirst()) : name
    if let here = Naming.nameHere(bare) {
      return try isPerson
        ? directChat(me, with: participant(identity: here).id) : makeRoomHere(here, for: me)
    }
    let accounts = try self.accounts(of: me)
    if let account = try self.account(namedIn: bare, among: accounts) {
      guard let address = isPerson ? account.address(ofPerson: bare) : account.address(ofRoom: bare)
      else { throw Refusal.notAnAddress(bare) }
      return isPerson
        ? try networkChat(with: address, of: account)
        : try networkRoomToEnter(address, of: account, for: me)
    }
    guard bare.contains("@") else {
      if isPerson { return try directChat(me, with: participant(identity: bare).id) }
      return try makeRoom(name, for: me)
    }
    guard Account.isAddress(bare) else { throw Refusal.notAnAddress(bare) }
    guard let account = Account.reaching(bare, among: accounts) else {
      throw Refusal(
        accounts.isEmpty
          ? say(
            "%1 is on a network, and you have no account; in hobnob, /account add adds one.",
            SafeText(line: bare))
          : say(
            "Which account should be used to contact %2? Write one of these: %1.",
            // Translators: between the names of accounts to choose from.
            accounts.map {
              SafeText(line: (isPerson ? "@" : "#") + Account.word(for: bare, on: $0.network))
            }.joined(separator: say(" or ")), SafeText(line: bare)))
    }
    guard let address = isPerson ? account.address(ofPerson: bare) : account.address(ofRoom: name)
    else { throw Refusal.notAnAddress(bare) }
    if isPerson { return try networkChat(with: address, of: account) }
    return try networkRoomToEnter(address, of: account, for: me)
  }

  private func networkRoomToEnter(
    _ address: String, of account: Account, for me: ID<Participant>
  ) throws -> Conversation {
    let room = try networkRoom(address, network: account.network)
    if try !isMember(me, of: room.id) {
      try join(me, room.id)
      _ = try ask(.join, target: address, of: account)
    }
    return try conversation(room.id, for: me) ?? room
  }
}

extension Access {
  /// Which of the person's accounts `findOrCreateConversation(named:for:)` would use for an
  /// address; nil for a local name, or if no account fits.
  func accountReaching(_ name: String, of me: ID<Participant>) throws -> Account? {
    let bare = name.hasPrefix("@") || name.hasPrefix("#") ? String(name.dropFirst()) : name
    let accounts = try accounts(of: me)
    return try account(namedIn: bare, among: accounts)
      ?? (Account.isAddress(bare) ? Account.reaching(bare, among: accounts) : nil)
  }

  /// Refuses the name of a removed room (rule 13.10).
  package func refuseRemoved(room name: String) throws {
    let bare = name.hasPrefix("#") ? String(name.dropFirst()) : name
    if try belongsToARemovedRoom(bare) {
      throw Refusal(
        say("#%1 was removed; hobnob search still finds its messages.", SafeText(line: bare)))
    }
  }
}
