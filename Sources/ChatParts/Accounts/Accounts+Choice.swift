// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Conversations
import StyledText

/// Which of the person's accounts a command means.
extension Accounts {
  /// The person's only account or, if the person has several, the one on the open conversation's
  /// network; nil if no account fits.
  package func present(in network: String?) -> Account? {
    list.count == 1 ? list.first : list.first { $0.network == network }
  }

  /// The account to use for an address: the one on the server that the address ends with, else
  /// ``present(in:)``.
  package func present(in network: String?, for address: String) -> Account? {
    list.first { $0.isNamed(in: address) } ?? present(in: network)
  }

  /// The account on whose network an unknown name may be somebody: ``present(in:)``, else the only
  /// one where the name can be a server's.
  package func forStranger(named name: String, from network: String?) -> Account? {
    if let present = present(in: network) { return present }
    let fitting = list.filter {
      $0.rules.namesServer && $0.addresses(ofPerson: name).contains { !$0.contains("@") }
    }
    return fitting.count == 1 ? fitting[0] : nil
  }

  /// The account that can reach an address: the person's only one, or the only one on the same
  /// server; else their account on the open conversation's network.
  ///
  /// - Parameter network: the open conversation's network.
  /// - Throws: ``Refusal`` if no account matches, or several do.
  package func reaching(_ address: String, from network: String?) throws -> Account {
    try Account.reaching(address, among: list)
      ?? named("", from: network)
  }

  /// The account with that address; for an empty address, ``present(in:)``.
  ///
  /// - Throws: ``Refusal`` if no account matches, or several do.
  package func named(_ address: String, from network: String?) throws -> Account {
    if address.isEmpty {
      if let present = present(in: network) { return present }
      guard list.isEmpty else {
        throw Refusal(
          say(
            "Which account? You have %1. To choose one, open any of its conversations first, for example your chat with yourself: /msg %2",
            list.names.map { SafeText(line: $0) }.joinedAsList(),
            SafeText(line: list[0].name)))
      }
    } else {
      let found = list.filter(AccountName(address).means)
      if found.count == 1 { return found[0] }
      if found.count > 1 {
        throw Refusal(
          say(
            "Which account? Type one of these: %1.",
            // Translators: between the names of accounts to choose from.
            found.names.map { SafeText(line: $0) }.joined(separator: say(" or "))))
      }
    }
    guard list.isEmpty else {
      throw Refusal(
        say(
          "You have no account %1; you have %2.", SafeText(line: address),
          list.names.map { SafeText(line: $0) }.joinedAsList()))
    }
    throw Refusal(say("You have no account yet; /account explains how to get one."))
  }
}
