// SPDX-License-Identifier: GPL-3.0-or-later

extension Access {
  /// The address of the person or service that a word means on an account's network: a known one,
  /// even if the word can mean another address too.
  ///
  /// - Returns: nil if nobody there can have the name.
  /// - Throws: `RuleError.ambiguous` for a word that may be a server or a name on the account's
  ///   server, and is neither yet; its candidates can only be one of them.
  package func address(ofPerson word: String, on account: Account) throws -> String? {
    let possible = account.addresses(ofPerson: word)
    guard possible.count > 1 else { return possible.first }
    for address in possible where try networkPerson(at: address, network: account.network) != nil {
      return address
    }
    throw RuleError.ambiguous(word, candidates: possible.map(account.fullWord))
  }
}
