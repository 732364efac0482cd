// SPDX-License-Identifier: GPL-3.0-or-later

/// A login by SASL (RFC 4422) as a value: the server's mechanisms and challenges go in, the answers
/// come out as bytes. Each network puts them into its own messages.
///
/// ```swift
/// var exchange = SASLExchange(name: "anna", password: password, strongest: nil)
/// let (mechanism, response) = try exchange.begin(["SCRAM-SHA-256", "PLAIN"])
/// let answer = try exchange.answer(challenge)
/// try exchange.succeed(dataOfSuccess)
/// ```
///
/// It prefers SCRAM to PLAIN. It never uses PLAIN if the server ever offered SCRAM, and never SHA-1
/// if the server ever offered a stronger hash. With SCRAM, the server must prove that it knows the
/// password.
package struct SASLExchange: Sendable {
  private enum State {
    case idle
    /// The server has nothing more to prove.
    case settled
    case scram(SCRAM)
  }

  private let name: String
  private let password: Secret
  private let strongest: SCRAMHash?
  private let nonce: String
  private var state = State.idle

  /// - Parameters:
  ///   - strongest: the strongest SCRAM that the server has ever offered for this account.
  ///   - nonce: the client's nonce; see `SCRAM`.
  package init(
    name: String, password: Secret, strongest: SCRAMHash?, nonce: String = SCRAM.randomNonce()
  ) {
    (self.name, self.password, self.strongest, self.nonce) = (name, password, strongest, nonce)
  }

  /// The strongest SCRAM among these mechanisms; nil if none of them is SCRAM.
  package static func strongestSCRAM(in mechanisms: [String]) -> SCRAMHash? {
    if let best = SCRAMHash.allCases.last(where: { mechanisms.contains($0.mechanism) }) {
      return best
    }
    // An unknown SCRAM still rules out PLAIN; count it as the weakest.
    return mechanisms.contains { $0.hasPrefix("SCRAM-") } ? .sha1 : nil
  }

  /// Chooses one of the server's mechanisms.
  ///
  /// - Returns: its name and the initial response.
  package mutating func begin(
    _ mechanisms: [String]
  ) throws(SASLFailure) -> (mechanism: String, response: [UInt8]) {
    let best = Self.strongestSCRAM(in: mechanisms)
    if let best, mechanisms.contains(best.mechanism) {
      if best == .sha1, let strongest, strongest > best {
        throw .weakenedHash(strongest.mechanism)
      }
      do throws(SCRAM.Fault) {
        let scram = try SCRAM(best, name: name, password: password.text, nonce: nonce)
        state = .scram(scram)
        return (best.mechanism, Array(scram.opening.utf8))
      } catch {
        throw SASLFailure(error)
      }
    }
    guard mechanisms.contains("PLAIN"), best == nil else {
      throw .noMechanism(mechanisms.map { String($0.prefix(40)) })
    }
    if strongest != nil { throw .weakened }
    guard let name = PreparedPassword.of(name), let password = PreparedPassword.of(password.text)
    else { throw .unusablePassword }
    state = .settled
    return ("PLAIN", Array(("\0" + name + "\0" + password).utf8))
  }

  /// Leaves the login to the client's certificate (EXTERNAL, RFC 4422, appendix A).
  package mutating func beginExternal() -> (mechanism: String, response: [UInt8]) {
    state = .settled
    return (mechanism: "EXTERNAL", response: [])
  }

  /// Answers a challenge.
  package mutating func answer(_ challenge: [UInt8]) throws(SASLFailure) -> [UInt8] {
    guard case .scram(var scram) = state else { throw .broken }
    if scram.hasAnswered {
      // Some servers prove themselves before they report success.
      try verify(challenge, scram)
      state = .settled
      return []
    }
    guard let text = String(validating: challenge, as: UTF8.self) else { throw .broken }
    do throws(SCRAM.Fault) {
      let proof = try scram.proof(for: text)
      state = .scram(scram)
      return Array(proof.utf8)
    } catch {
      throw SASLFailure(error)
    }
  }

  /// Call this when the server reports success, with the data of that report.
  ///
  /// - Throws: `SASLFailure`, if the mechanism requires a proof from the server that it has not
  ///   given.
  package func succeed(_ data: [UInt8]) throws(SASLFailure) {
    switch state {
    case .settled: return
    case .scram(let scram): try verify(data, scram)
    case .idle: throw .broken
    }
  }

  private func verify(_ data: [UInt8], _ scram: SCRAM) throws(SASLFailure) {
    guard let final = String(validating: data, as: UTF8.self) else { throw .unproven }
    do throws(SCRAM.Fault) { try scram.verify(final) } catch { throw SASLFailure(error) }
  }
}
