// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Networks
import Sentences

/// Why a login to an IRC server failed, or why the connection ended; the description is a sentence.
enum LoginFailure: Error, Hashable, Sendable, CustomStringConvertible {
  case connection(ConnectionFailure)
  /// The server wants TLS, on this port.
  case wantsTLS(port: UInt16)
  /// The client ended the connection, with this sentence as the reason.
  case hungUp(Remark)
  case sasl(SASLFailure)
  /// The server offers no SASL, so the password cannot be used.
  case noSASL
  /// There is no TLS, so the password was not sent.
  case notEncrypted
  case badNick(String)
  case nickInUse(String)
  case banned(String)
  /// The server closed the connection for this reason; empty if it gave none.
  case closed(String)
  case tooSlow(Milliseconds)
  /// The bouncer does not know the network.
  case unknownNetwork(String)

  /// Whether another try would fail in the same way.
  var isFatal: Bool {
    switch self {
    case .connection(let failure): failure.isFatal
    case .sasl(.refused), .nickInUse, .banned, .closed, .tooSlow, .wantsTLS, .hungUp: false
    case .sasl, .noSASL, .notEncrypted, .badNick, .unknownNetwork: true
    }
  }

  var description: String { remark.text }

  var remark: Remark {
    switch self {
    case .connection(let failure):
      switch failure {
      case .tls, .noHandshake:
        failure.remark + " "
          + translated(
            "If the server has no TLS on this port, /account set ADDRESS tls off connects without it, and without a password."
          )
      default: failure.remark
      }
    case .sasl(let failure): failure.remark
    case .hungUp(let reason): reason
    default: filled(sentence)
    }
  }

  private var sentence: Sentence {
    switch self {
    case .connection, .sasl, .hungUp: ("", [])
    case .wantsTLS: ("The server wants an encrypted connection.", [])
    case .noSASL:
      (
        "The server offers no login (SASL), so hobnob did not send your password. To connect without a password, type /account set ADDRESS login none; if it is the password of a bouncer or of the server itself, /account set ADDRESS login pass.",
        []
      )
    case .notEncrypted:
      ("The connection is not encrypted, so hobnob did not send your password.", [])
    case .badNick(let nick):
      (
        "The server does not accept the nick %1; /account set ADDRESS nick NICK chooses another.",
        [nick]
      )
    case .nickInUse(let nick): ("The nick %1 is in use, and so are similar ones.", [nick])
    case .banned(let reason): ("The server does not let you in (%1).", [reason])
    case .closed(let reason) where reason.isEmpty: ("The server closed the connection.", [])
    case .closed(let reason): ("The server closed the connection (%1).", [reason])
    case .tooSlow(let limit):
      ("The server did not finish the login within %1 s.", [String(limit / 1000)])
    case .unknownNetwork(let name):
      ("The bouncer does not know the network %1.", [name])
    }
  }
}
