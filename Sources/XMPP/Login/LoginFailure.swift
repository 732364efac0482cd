// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Networks
import Sentences

/// Why a login failed, as a sentence. It quotes the server's text as received, so clean it before
/// you show it.
enum LoginFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The server offers no TLS, or someone in between has removed the offer.
  case noTLS
  case refusedTLS
  case sasl(SASLFailure)
  /// SASL's condition (RFC 6120, 6.5) and the server's text.
  case notAuthorized(String, text: String)
  case hostUnknown(String)
  /// A stream error (RFC 6120, 4.9.3) and the server's text.
  case streamError(String, text: String)
  case noBinding(String, text: String)
  /// The server gave another address than the one that was asked for.
  case otherAddress(String)
  case unexpected(String, LoginStep)
  case tooSlow(LoginStep, limit: Milliseconds)
  case closed(LoginStep)
  // Registration (XEP-0077).
  case noRegistration
  case nameTaken(String)
  /// The server wants more than a name and a password, in a form or in a browser; its text.
  case registrationNeedsMore(String)
  case registrationRefused(String, text: String)

  /// Whether another try would fail for the same reason, until someone changes something.
  var isFatal: Bool {
    switch self {
    // A server that is just starting or stopping says so for a while, and so may someone in
    // between.
    case .tooSlow, .closed, .noBinding, .noTLS, .refusedTLS, .hostUnknown, .unexpected: false
    case .notAuthorized(let condition, _): condition != "temporary-auth-failure"
    case .streamError(let condition, _):
      [
        "invalid-from", "invalid-namespace", "not-authorized", "unsupported-version",
        "unsupported-encoding",
      ].contains(condition)
    default: true
    }
  }

  var remark: Remark {
    switch self {
    case .sasl(let failure): failure.remark
    default: filled(sentence)
    }
  }
  var description: String { remark.text }

  private var sentence: Sentence {
    switch self {
    case .noTLS: ("The server offers no encryption, so hobnob sent nothing.", [])
    case .refusedTLS: ("The server refuses to start encryption.", [])
    case .sasl(let failure): ("%1", [failure.remark])
    case .notAuthorized("account-disabled", let text):
      Self.quoting(
        text, "The server has disabled this account.",
        "The server has disabled this account: “%1”.")
    case .notAuthorized("credentials-expired", let text):
      Self.quoting(text, "The password has expired.", "The password has expired: “%1”.")
    case .notAuthorized("temporary-auth-failure", let text):
      Self.quoting(
        text, "The server cannot check passwords just now.",
        "The server cannot check passwords just now: “%1”.")
    case .notAuthorized(let condition, let text):
      Self.quoting(
        text, "The server refuses the login (%1).", "The server refuses the login (%1): “%2”.",
        condition)
    case .hostUnknown(let domain): ("The server does not serve %1.", [domain])
    case .streamError("see-other-host", _):
      ("The server redirects to another host; hobnob does not follow.", [])
    case .streamError(let condition, let text):
      Self.quoting(
        text, "The server ended the connection (%1).",
        "The server ended the connection (%1): “%2”.", condition)
    case .noBinding(let condition, let text):
      Self.quoting(
        text, "The server opened no session (%1).", "The server opened no session (%1): “%2”.",
        condition)
    case .otherAddress(let address):
      ("The server logged you in under another address (%1).", [address])
    // Translators: %2 is what comes after “while”, as in “checking the password”.
    case .unexpected(let name, let step):
      ("The server sent something unexpected (%1) while %2.", [name, step.phrase])
    // Translators: %2 is what comes after “while”, as in “checking the password”.
    case .tooSlow(let step, let limit):
      ("The server took longer than %1 s while %2.", [String(limit / 1000), step.phrase])
    // Translators: %1 is what comes after “while”, as in “checking the password”.
    case .closed(let step): ("The server closed the connection while %1.", [step.phrase])
    case .noRegistration: ("The server does not let anyone register an account from here.", [])
    case .nameTaken(let name): ("The name %1 is taken; choose another.", [name])
    case .registrationNeedsMore(let text):
      Self.quoting(
        text, "The server wants to know more than a name and a password.",
        "The server wants to know more than a name and a password: “%1”.")
    case .registrationRefused(let condition, let text):
      Self.quoting(
        text, "The server refused to register the account (%1).",
        "The server refused to register the account (%1): “%2”.", condition)
    }
  }

  /// A sentence, in the form that quotes the server's text as its last argument if there is one.
  private static func quoting(
    _ text: String, _ plain: StaticString, _ quoting: StaticString,
    _ condition: String? = nil
  ) -> Sentence {
    let arguments = [condition.map(Element.shown(condition:))].compactMap(\.self)
    return text.isEmpty
      ? (plain, arguments) : (quoting, arguments + [Remark(String(text.prefix(200)))])
  }
}
