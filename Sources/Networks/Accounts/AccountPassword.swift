// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Sentences

/// The password of an account, in the process that serves the account.
@MainActor
final class AccountPassword {
  private let source: any AccountSource
  private let need: PasswordNeed.Rule
  /// Nil until it is known; empty if there is none.
  private var secret: String?
  /// Counts the calls of the source: the answer to an earlier one is out of date.
  private var attempts = 0

  /// - Parameters:
  ///   - typed: the password, if the owner has typed it.
  ///   - source: gives it otherwise.
  init(typed: String?, from source: any AccountSource, _ need: @escaping PasswordNeed.Rule) {
    (secret, self.source, self.need) = (typed, source, need)
  }

  /// Passes the password to `then`: at once if it is known, or if there is none.
  func find(
    _ settings: AccountSettings, _ facts: [String: String],
    _ then: @escaping (Result<String, PasswordFailure>) -> Void
  ) {
    if secret == nil, need(settings.values, facts) == .unneeded { secret = "" }
    if let secret { return then(.success(secret)) }
    attempts += 1
    source.password { [weak self, number = attempts] answer in
      // The owner may have asked for another try in the meantime.
      guard let self, number == attempts else { return }
      secret = try? answer.get()
      then(answer)
    }
  }

  /// Forgets the password if there may be another one now, because the owner reconnects.
  func renew(_ settings: AccountSettings, _ facts: [String: String]) {
    let isMissing = secret == "" && need(settings.values, facts) != .unneeded
    if settings["password-command"] != nil || isMissing { secret = nil }
  }

  /// What to say when the server refuses a password that a command printed: the next try runs the
  /// command again. Nil for other passwords.
  func refusal(_ settings: AccountSettings) -> Remark? {
    settings["password-command"].map { _ in
      translated(
        "The server does not accept the password from password-command; /connect runs the command again."
      )
    }
  }

  /// The value of ``PasswordNeed/fact`` to store, now that the password is known; nil if it stays.
  func fact(_ settings: AccountSettings, _ facts: [String: String]) -> String? {
    if secret == "" {
      return need(settings.values, facts) == .optional ? PasswordNeed.fact.value : nil
    }
    return PasswordNeed.isKnownToBeNone(facts) ? "" : nil
  }
}
