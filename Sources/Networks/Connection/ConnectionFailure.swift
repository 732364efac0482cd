// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Sentences

/// Why a connection to a server failed or ended, as a sentence.
package enum ConnectionFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// A host name that does not exist, or cannot be looked up now.
  case noHost(String, reason: Remark)
  /// The domain states that it does not have this service (RFC 2782: a target of ".").
  case noService(String, service: String)
  case unreachable(host: String, port: UInt16, reason: String)
  case tooSlow(host: String, limit: Milliseconds)
  /// The server did not answer when TLS was to begin with the first byte.
  case noHandshake(host: String, port: UInt16, limit: Milliseconds)
  case certificate(CertificateFault, domain: String)
  /// The file of certificates (nil: the system's) cannot be read, or contains none.
  case noAuthorities(file: String?)
  /// The file has no certificate of the client's, or no key for it.
  case noIdentity(file: String)
  case badPin
  /// OpenSSL's reason.
  case tls(Remark)
  /// The connection broke, for a reason of the system's.
  case lost(String)
  /// The connection ended before encryption was ready.
  case closed
  /// The server accepts no more data, and too many bytes wait for it.
  case tooMuchWaiting(Int)

  /// Whether another try would fail for the same reason until someone changes something here. A
  /// wrong certificate may be from the login page of a café's network, so it is not fatal.
  package var isFatal: Bool {
    switch self {
    case .noAuthorities, .noIdentity, .badPin, .certificate(.otherKey, _): true
    default: false
    }
  }

  package var remark: Remark { filled(sentence) }
  package var description: String { remark.text }

  private var sentence: Sentence {
    switch self {
    case .noHost(let host, let reason): ("The host %1 cannot be found (%2).", [host, reason])
    case .noService(let domain, let service):
      ("According to its DNS records, %1 has no %2 service.", [domain, service])
    case .unreachable(let host, let port, let reason):
      ("No connection to %1, port %2 (%3).", [host, String(port), reason])
    case .tooSlow(let host, let limit):
      ("%1 did not answer within %2 s.", [host, String(limit / 1000)])
    case .noHandshake(let host, let port, let limit):
      (
        "%1 did not begin encryption on port %2 within %3 s.",
        [host, String(port), String(limit / 1000)]
      )
    case .certificate(let fault, let domain): fault.sentence(for: domain)
    case .noAuthorities(let file):
      // Translators: as in “the system's certificate folder has no readable certificates.”
      (
        "%1 has no readable certificates.",
        [file.map { Remark($0) } ?? translated("the system's certificate folder")]
      )
    case .noIdentity(let file):
      ("%1 does not have both a certificate and its key.", [file])
    case .badPin: ("A pin is the SHA-256 of a public key: 64 hexadecimal digits.", [])
    case .tls(let reason): ("Encryption with the server failed (%1).", [reason])
    case .lost(let reason): ("The connection broke (%1).", [reason])
    case .closed: ("The connection was closed by the server or on the way to it.", [])
    case .tooMuchWaiting(let bytes):
      ("The server accepts no more data; %1 bytes wait.", [String(bytes)])
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

  func sentence(for domain: String) -> Sentence {
    switch self {
    case .expired: ("The certificate of %1 has expired, so hobnob sent nothing.", [domain])
    case .notYetValid:
      (
        "The certificate of %1 is not valid yet, so hobnob sent nothing. Is this machine's clock right?",
        [domain]
      )
    case .selfSigned:
      (
        "The server for %1 signed its certificate itself, so nobody vouches for it, and hobnob sent nothing.",
        [domain]
      )
    case .unknownAuthority:
      (
        "The certificate of %1 is from an authority that this machine does not know, so hobnob sent nothing.",
        [domain]
      )
    case .otherName:
      ("The server's certificate is not for %1, so hobnob sent nothing.", [domain])
    case .revoked: ("The certificate of %1 was revoked, so hobnob sent nothing.", [domain])
    case .otherKey:
      ("The key of the server for %1 is not the pinned one, so hobnob sent nothing.", [domain])
    case .other(let reason):
      ("The certificate of %1 is not good (%2), so hobnob sent nothing.", [domain, reason])
    }
  }
}
