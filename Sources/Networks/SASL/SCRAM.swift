// SPDX-License-Identifier: GPL-3.0-or-later
import Platform

/// Proves to a server that the client knows a password without sending it, and makes the server
/// prove that it also knows it (RFC 5802). Does not use channel binding.
package struct SCRAM: Sendable {
  /// Why an answer of the server is not accepted.
  package enum Fault: Error, Hashable, Sendable {
    /// The name or the password is empty, or contains a control character.
    case unusablePassword
    /// The server's answer does not fit the question, or has an extension that the client must
    /// know.
    case notAnAnswer
    /// The server's nonce does not begin with ours.
    case foreignNonce
    /// The server asks for so few rounds of hashing that they would be unsafe, or for so many that
    /// they would take for ever.
    case rounds(String)
    /// The server does not know the password, or somebody else answered in its place.
    case falseSignature
    /// The server does not accept the proof (`e=`).
    case refused(String)
  }

  /// How many rounds of hashing a server may ask for. Fewer would reveal the password to an
  /// eavesdropper (RFC 7677, 4); more would take longer than a person waits.
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

  /// The name with its commas and equals signs escaped.
  private static func escaped(_ name: String) -> String {
    name.unicodeScalars.reduce(into: "") {
      switch $1 {
      case "=": $0 += "=3D"
      case ",": $0 += "=2C"
      default: $0.unicodeScalars.append($1)
      }
    }
  }

  /// The client's first message; `n,,` says that it does not support channel binding.
  package var opening: String { Self.header + first }

  private static let header = "n,,"

  /// The proof, which does not reveal the password.
  ///
  /// - Parameter challenge: the server's first message.
  package mutating func proof(for challenge: String) throws(Fault) -> String {
    let parts = challenge.split(separator: ",", omittingEmptySubsequences: false)
    // The parts must be in this order; `m=` in front would be an extension that must be known.
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

  /// Checks the server's last message.
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
