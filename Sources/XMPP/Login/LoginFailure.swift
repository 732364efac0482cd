// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Networks

/// Why a login failed, as a sentence. It quotes the server's text as received, so clean it before
/// you show it.
package enum LoginFailure: Error, Hashable, Sendable, CustomStringConvertible {
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
  package var isFatal: Bool {
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

  package var description: String {
    switch self {
    case .noTLS: "The server offers no encryption, so hobnob sends it nothing."
    case .refusedTLS: "The server refuses to start encryption."
    case .sasl(let failure): failure.description
    case .notAuthorized("account-disabled", let text):
      "The server has disabled this account" + Self.said(text)
    case .notAuthorized("credentials-expired", let text):
      "The password has expired" + Self.said(text)
    case .notAuthorized("temporary-auth-failure", let text):
      "The server cannot check passwords just now" + Self.said(text)
    case .notAuthorized(let condition, let text):
      "The server refuses the login (\(condition))" + Self.said(text)
    case .hostUnknown(let domain): "The server does not serve \(domain)."
    case .streamError("see-other-host", _):
      "The server redirects to another host; hobnob does not follow."
    case .streamError(let condition, let text):
      "The server ended the connection (\(condition))" + Self.said(text)
    case .noBinding(let condition, let text):
      "The server opened no session (\(condition))" + Self.said(text)
    case .otherAddress(let address):
      "The server logged you in under another address (\(address))."
    case .unexpected(let name, let step):
      "The server sent something unexpected (\(name)) while \(step.phrase)."
    case .tooSlow(let step, let limit):
      "The server took longer than \(limit / 1000) s while \(step.phrase)."
    case .closed(let step): "The server closed the connection while \(step.phrase)."
    case .noRegistration: "The server lets nobody register an account from here."
    case .nameTaken(let name): "The name \(name) is taken; choose another."
    case .registrationNeedsMore(let text):
      "The server wants to know more than a name and a password" + Self.said(text)
    case .registrationRefused(let condition, let text):
      "The server refused to register the account (\(condition))" + Self.said(text)
    }
  }

  /// The end of a sentence, with the server's text if there is one.
  private static func said(_ text: String) -> String {
    text.isEmpty ? "." : ": “\(text.prefix(200))”."
  }
}
