// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// Which of my accounts a command means.
extension Accounts {
  /// The account for an address that names none: that of the open conversation's network, else the
  /// only one.
  func present(in network: String?) -> Account? {
    list.count == 1 ? list.first : list.first { $0.network == network }
  }

  /// The account for an address: one whose server it names, else that of ``present(in:)``.
  func present(in network: String?, for address: String) -> Account? {
    list.first { $0.isNamed(in: address) } ?? present(in: network)
  }

  /// The account that can reach an address: the only one, or the only one on the same server.
  ///
  /// - Parameter network: of the open conversation.
  /// - Throws: ``Refusal`` if no account matches, or several do.
  func reaching(_ address: String, from network: String?) throws -> Account {
    try Account.reaching(address, among: list)
      ?? named("", from: network)
  }

  /// The account with that address, or the only one.
  ///
  /// - Throws: ``Refusal`` if no account matches, or several do.
  func named(_ address: String, from network: String?) throws -> Account {
    if address.isEmpty {
      if let present = present(in: network) { return present }
      guard list.isEmpty else {
        throw Refusal(
          say(
            "Which account? You have %1. Open a conversation of the account you mean; /msg %2 opens one with yourself.",
            list.names.map { SafeText(line: $0) }.joined(separator: ", "),
            SafeText(line: list[0].address)))
      }
    } else {
      let found = list.filter(AccountName(address).means)
      if found.count == 1 { return found[0] }
      if found.count > 1 {
        throw Refusal(
          say(
            "Which account? Write %1.",
            found.names.map { SafeText(line: $0) }.joined(separator: " or ")))
      }
    }
    guard list.isEmpty else {
      throw Refusal(
        say(
          "You have no account %1; you have %2.", SafeText(line: address),
          list.names.map { SafeText(line: $0) }.joined(separator: ", ")))
    }
    throw Refusal(say("You have no account yet; /account explains how to get one."))
  }
}
