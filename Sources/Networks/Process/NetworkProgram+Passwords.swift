// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import NetworkInbox
import Platform
import Sentences

/// Where the program gets an account's password from.
extension NetworkProgram {
  /// Whether the account has a password.
  func need(
    of account: Account, inStoreAt path: String, _ settings: AccountSettings
  ) throws -> PasswordNeed {
    passwordNeed(settings.values, try files.facts(of: account, inStoreAt: path))
  }

  /// Asks the owner for the password.
  ///
  /// - Returns: nil if there is no answer; an empty text if the account has no password.
  func typedPassword(of account: Account, _ need: PasswordNeed) -> String? {
    let question: Sentence =
      need == .optional
      ? ("Password of %1 (Return: none): ", [account.address])
      : ("Password of %1: ", [account.address])
    return TypedSecret.ask(filled(question), allowsNone: need == .optional)
  }

  /// The password that the account's command or the Secret Service gives.
  func kept(of account: Account, _ settings: AccountSettings) -> String? {
    try? PasswordCommand.run(AccountHelperProgram.words(for: account, settings)).get()
  }

  /// Tries the password that a command or the Secret Service gives, if any, and then up to three
  /// that the owner types. Asks nothing if the account has none.
  func ask(for stored: StoredAccount, _ settings: AccountSettings) throws -> Int32 {
    let account = stored.account
    var need = try need(of: account, inStoreAt: stored.path, settings)
    // If the last try failed, the stored password may be the reason.
    var kept =
      need == .unneeded ? "" : account.status.hasEnded ? nil : kept(of: account, settings)
    var questions = 0
    while questions < 3 {
      if kept == nil { questions += 1 }
      guard let secret = kept ?? typedPassword(of: account, need) else {
        // The account's shells say so, as after a start without a password.
        let reason = PasswordFailure.none.sentence
        try? stored.lease()?.release(
          status: .ended(reason: reason), notice: notice(reason, of: account))
        return 1
      }
      let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
      defer { if terminal >= 0 { close(terminal) } }
      let answer = TypeAhead.kept(at: terminal) {
        serveElsewhere(secret, inBackground: true)?.answer
      }
      guard let answer else { return 1 }
      if answer != Answer.refused.rawValue { return 0 }
      if secret.isEmpty {
        say(translated("The server wants a password."))
        need = .needed
      } else if kept != nil {
        say(translated("The server does not accept the stored password."))
      } else if questions < 3 {
        say(translated("The server does not accept this password."))
      } else {
        say(translated("The server does not accept this password; /connect asks for another."))
      }
      kept = nil
    }
    return 1
  }
}
