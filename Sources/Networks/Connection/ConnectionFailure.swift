// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// Why there is no connection to a server, or no longer one, as a sentence.
package enum ConnectionFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// A host name that does not exist, or cannot be looked up now.
  case noHost(String, reason: String)
  /// The domain states that it does not have this service (RFC 2782: a target of ".").
  case noService(String, service: String)
  case unreachable(host: String, port: UInt16, reason: String)
  case tooSlow(host: String, limit: Milliseconds)
  case certificate(CertificateFault, domain: String)
  /// The file of certificates cannot be read, or has none in it.
  case noAuthorities(file: String)
  case badPin
  /// OpenSSL's reason.
  case tls(String)
  /// The connection broke.
  case lost(String)
  /// The server accepts no more, and too many bytes wait for it.
  case tooMuchWaiting(Int)

  /// Whether another try would fail for the same reason until someone changes something here. A
  /// wrong certificate may be from the login page of a café's network, so it is not fatal.
  package var isFatal: Bool {
    switch self {
    case .noAuthorities, .badPin, .certificate(.otherKey, _): true
    default: false
    }
  }

  package var description: String {
    switch self {
    case .noHost(let host, let reason): "The host \(host) cannot be found (\(reason))."
    case .noService(let domain, let service): "The domain \(domain) says that it has no \(service)."
    case .unreachable(let host, let port, let reason):
      "No connection to \(host), port \(port) (\(reason))."
    case .tooSlow(let host, let limit): "\(host) did not answer within \(limit / 1000) s."
    case .certificate(let fault, let domain): fault.text(for: domain)
    case .noAuthorities(let file): "\(file) has no readable certificates."
    case .badPin: "A pin is the SHA-256 of a public key: 64 hexadecimal digits."
    case .tls(let reason): "Encryption with the server failed (\(reason))."
    case .lost(let reason): "The connection broke (\(reason))."
    case .tooMuchWaiting(let bytes): "The server accepts no more data; \(bytes) bytes wait."
    }
  }
}

/// What is wrong with a server's certificate.
package enum CertificateFault: Hashable, Sendable {
  case expired, notYetValid, selfSigned, unknownAuthority, otherName, revoked
  /// The key is not the pinned one.
  case otherKey
  /// OpenSSL's reason.
  case other(String)

  func text(for domain: String) -> String {
    let nothing = "hobnob sent it nothing."
    return switch self {
    case .expired: "The certificate of \(domain) has expired. \(nothing)"
    case .notYetValid:
      "The certificate of \(domain) is not valid yet; is this machine's clock right? \(nothing)"
    case .selfSigned:
      "The server for \(domain) has signed its certificate itself, so nobody vouches for it. "
        + nothing
    case .unknownAuthority:
      "The certificate of \(domain) is from an authority that this machine does not know. "
        + nothing
    case .otherName: "The server's certificate is not for \(domain). \(nothing)"
    case .revoked: "The certificate of \(domain) was revoked. \(nothing)"
    case .otherKey: "The server for \(domain) has another key than the pinned one. \(nothing)"
    case .other(let reason): "The certificate of \(domain) is not good (\(reason)). \(nothing)"
    }
  }
}
