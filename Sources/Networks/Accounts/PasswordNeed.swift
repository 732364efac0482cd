// SPDX-License-Identifier: GPL-3.0-or-later

/// Whether an account has a password, so that hobnob has to look for it or ask for it.
package enum PasswordNeed: Hashable, Sendable {
  /// It has none: nobody is asked, and the secret is empty.
  case unneeded
  /// It may have none: the owner answers the question with Return alone, and the secret is empty.
  case optional
  case needed

  /// Decides from the owner's settings and from the facts about the server.
  package typealias Rule =
    @MainActor (_ settings: [String: String], _ facts: [String: String]) -> PasswordNeed

  /// The fact that an account with an optional password has none. A network process learns it from
  /// its owner's answer, and forgets it when the server wants a password. The network's rule
  /// decides whether the fact or a setting counts.
  package static let fact = (name: "password", value: "none")

  /// Whether the facts say that the account has no password.
  package static func isKnownToBeNone(_ facts: [String: String]) -> Bool {
    facts[fact.name] == fact.value
  }
}
