// SPDX-License-Identifier: GPL-3.0-or-later
import Sentences

/// Why a login by SASL failed, as a sentence.
package enum SASLFailure: Error, Hashable, Sendable, CustomStringConvertible {
  case wrongPassword
  /// The name or the password contains characters that no server accepts.
  case unusablePassword
  /// The server offers only PLAIN and offered SCRAM before.
  case weakened
  /// The server offers only SCRAM-SHA-1 and offered this stronger mechanism before.
  case weakenedHash(String)
  /// The server offers no mechanism that hobnob knows, or only unsafe ones.
  case noMechanism([String])
  /// The server did not prove that it knows the password.
  case unproven
  case tooManyRounds(String)
  /// The server broke the rules of SASL or of the mechanism.
  case broken
  /// SCRAM's word for the server's reason (RFC 5802, 7: `e=`).
  case refused(String)

  package var remark: Remark { filled(sentence) }
  package var description: String { remark.text }

  private var sentence: Sentence {
    switch self {
    case .wrongPassword:
      ("The server does not accept this password; /connect asks for another.", [])
    case .unusablePassword:
      (
        "The name or the password is empty or contains a control character; no server accepts that.",
        []
      )
    case .weakened:
      (
        """
        The server asks for the bare password, which it never needed before. hobnob did not \
        send it, because somebody may be listening. If you know that the server was changed, make \
        hobnob forget the earlier login methods: /account set ADDRESS scram
        """, []
      )
    case .weakenedHash(let former):
      (
        """
        The server now offers only SCRAM-SHA-1, not %1. hobnob did not use the password, \
        because somebody may be between you and the server. If you know that the server was \
        changed, make hobnob forget the earlier login methods: /account set ADDRESS scram
        """, [former]
      )
    case .noMechanism(let offered) where offered.isEmpty:
      ("The server offers no way to log in.", [])
    case .noMechanism(let offered):
      (
        "The server offers no way to log in that hobnob knows, only %1.",
        [offered.prefix(8).map { Remark($0) }.joinedAsList()]
      )
    case .unproven:
      (
        """
        The server did not prove that it knows the password. Another machine may be posing as the \
        server.
        """, []
      )
    case .tooManyRounds(let rounds):
      (
        """
        The server asks for %1 rounds of hashing the password; the safe range is %2 to %3.
        """, [rounds, String(SCRAM.rounds.lowerBound), String(SCRAM.rounds.upperBound)]
      )
    case .broken: ("The server does not follow the rules for logging in.", [])
    case .refused(let reason): ("The server refuses the login (%1).", [reason])
    }
  }
}

extension SASLFailure {
  init(_ fault: SCRAM.Fault) {
    self =
      switch fault {
      case .unusablePassword: .unusablePassword
      case .notAnAnswer: .broken
      case .foreignNonce, .falseSignature: .unproven
      case .rounds(let rounds): .tooManyRounds(rounds)
      case .refused(let reason):
        ["invalid-proof", "unknown-user"].contains(reason) ? .wrongPassword : .refused(reason)
      }
  }
}
