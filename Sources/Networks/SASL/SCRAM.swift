// SPDX-License-Identifier: GPL-3.0-or-later
import Platform

/// Proves to a server that one knows a password without telling it, and has the server prove that
/// it knows it, too (RFC 5802), without channel binding.
package struct SCRAM: Sendable {
  /// Why an answer of the server's is not accepted.
  package enum Fault: Error, Hashable, Sendable {
    /// The name or the password has a control character in it, or nothing.
    case unusablePassword
    /// The server's answer is not one to this question, or has an extension that must be known.
    case notAnAnswer
    /// The server's nonce does not go on from ours.
    case foreignNonce
    /// Rounds of hashing that prove too little, or that would take for ever.
    case rounds(String)
    /// The server does not know the password, or somebody else answers.
    case falseSignature
    /// The server says that the proof is none (`e=`).
    case refused(String)
  }

  /// How many rounds of hashing a server may ask for: fewer give the password away to who listens
  /// (RFC 7677, 4), more take longer than a person waits.
  package static let rounds = 4_096...1_000_000

  private let hash: SCRAMHash
  private let password: Secret
  private let nonce: String
  /// `client-first-message-bare`.
  private let first: String
  private var serverSignature: [UInt8] = []
  /// Whether the proof was given.
  var hasAnswered: Bool { !serverSignature.isEmpty }

  /// - Parameter nonce: printable ASCII without commas, never used before.
  /// - Throws: `unusablePassword`.
  package init(_ hash: SCRAMHash, name: String, password: String, nonce: String) throws(Fault) {
    guard let name = PreparedPassword.of(name), let password = PreparedPassword.of(password) else {
      throw .unusablePassword
    }
    self.hash = hash
    self.password = Secret(password)
    self.nonce = nonce
    first = "n=" + Self.escaped(name) + ",r=" + nonce
  }

  /// A nonce that nobody can guess.
  package static func randomNonce() -> String {
    Base64.letters(for: (0..<24).map { _ in UInt8.random(in: .min ... .max) })
  }

  /// The name in a message of commas and equals signs.
  private static func escaped(_ name: String) -> String {
    name.unicodeScalars.reduce(into: "") {
      switch $1 {
      case "=": $0 += "=3D"
      case ",": $0 += "=2C"
      default: $0.unicodeScalars.append($1)
      }
    }
  }

  /// What the client says first; `n,,`: it knows nothing of channel binding.
  package var opening: String { Self.header + first }

  private static let header = "n,,"

  /// The proof, which does not give the password away.
  ///
  /// - Parameter challenge: the server's first message.
  /// - Throws: `Fault`.
  package mutating func proof(for challenge: String) throws(Fault) -> String {
    let parts = challenge.split(separator: ",", omittingEmptySubsequences: false)
    // In this order, and `m=` in front would be an extension that must be known.
    guard parts.count >= 3, parts[0].hasPrefix("r="), parts[1].hasPrefix("s="),
      parts[2].hasPrefix("i="), let salt = Base64.decoded(String(parts[1].dropFirst(2))),
      !salt.isEmpty
    else { throw .notAnAnswer }
    let both = parts[0].dropFirst(2)
    guard both.hasPrefix(nonce), both.utf8.count > nonce.utf8.count,
      both.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw .foreignNonce }
    let count = parts[2].dropFirst(2)
    guard count.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let rounds = Int(count),
      Self.rounds.contains(rounds)
    else { throw .rounds(String(count.prefix(12))) }

    // RFC 5802, 3.
    let salted = hash.salted(Array(password.text.utf8), salt: salt, rounds: rounds)
    let clientKey = hash.code(of: "Client Key", key: salted)
    let last = "c=" + Base64.letters(for: Array(Self.header.utf8)) + ",r=" + both
    let signed = first + "," + challenge + "," + last
    let signature = hash.code(of: signed, key: hash.digest(of: clientKey))
    serverSignature = hash.code(of: signed, key: hash.code(of: "Server Key", key: salted))
    return last + ",p=" + Base64.letters(for: zip(clientKey, signature).map { $0 ^ $1 })
  }

  /// Looks at what the server says last.
  ///
  /// - Throws: `Fault`, unless the server knows the password.
  package func verify(_ final: String) throws(Fault) {
    let parts = final.split(separator: ",", omittingEmptySubsequences: false)
    if let error = parts.first, error.hasPrefix("e=") {
      throw .refused(String(error.dropFirst(2).prefix(100)))
    }
    guard let value = parts.first, value.hasPrefix("v="), !serverSignature.isEmpty,
      let signature = Base64.decoded(String(value.dropFirst(2))),
      SCRAMHash.areEqual(signature, serverSignature)
    else { throw .falseSignature }
  }
}
