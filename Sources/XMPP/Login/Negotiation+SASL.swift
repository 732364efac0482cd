// SPDX-License-Identifier: GPL-3.0-or-later
import Platform

/// SASL (RFC 6120, 6).
extension Negotiation {
  mutating func authenticate(_ mechanisms: [String]) -> [Effect] {
    let offersSCRAM = mechanisms.contains { $0.hasPrefix("SCRAM-") }
    let best = SCRAMHash.allCases.last { mechanisms.contains($0.mechanism) }
    // An unknown SCRAM is still SCRAM.
    let seen: [Effect] = offersSCRAM ? [.sawSCRAM(best ?? .sha1)] : []
    if let hash = best {
      if hash == .sha1, let strongest = settings.strongest, strongest > hash {
        return seen + fail(.weakenedHash(strongest.mechanism))
      }
      do throws(SCRAM.Fault) {
        let scram = try SCRAM(
          hash, name: settings.address.local, password: settings.password.text,
          nonce: settings.nonce())
        enter(.scram(scram))
        return seen + [.send(auth(hash.mechanism, scram.opening))]
      } catch {
        return seen + fail(.unusablePassword)
      }
    }
    guard mechanisms.contains("PLAIN"), !offersSCRAM else {
      return seen + fail(.noMechanism(mechanisms.map { String($0.prefix(40)) }))
    }
    if settings.strongest != nil { return fail(.weakened) }
    guard let name = PreparedPassword.of(settings.address.local),
      let password = PreparedPassword.of(settings.password.text)
    else { return fail(.unusablePassword) }
    enter(.plain)
    return [.send(auth("PLAIN", "\0" + name + "\0" + password))]
  }

  private func auth(_ mechanism: String, _ text: String) -> String {
    "<auth xmlns='\(Namespace.sasl)' mechanism='\(mechanism)'>\(base64(text))</auth>"
  }

  /// nil for what has no place here.
  mutating func readSASL(_ element: Element) -> [Effect]? {
    guard element.namespace == Namespace.sasl else { return nil }
    if element.name == "failure" { return refused(element) }
    switch (state, element.name) {
    case (.plain, "success"), (.proven, "success"): return authenticated()
    case (.scram(let scram), "challenge"): return answer(element, scram)
    case (.scram(let scram), "success"):
      return prove(element, scram) ?? authenticated()
    default: return nil
    }
  }

  private mutating func answer(_ element: Element, _ scram: SCRAM) -> [Effect] {
    var scram = scram
    if scram.hasAnswered {
      // Some servers prove themselves before they say that all is well.
      if let failure = prove(element, scram) { return failure }
      enter(.proven)
      return [.send("<response xmlns='\(Namespace.sasl)'/>")]
    }
    guard let challenge = text(of: element) else { return fail(.brokenSASL) }
    do throws(SCRAM.Fault) {
      let proof = try scram.proof(for: challenge)
      enter(.scram(scram))
      return [.send("<response xmlns='\(Namespace.sasl)'>\(base64(proof))</response>")]
    } catch {
      return fail(LoginFailure(error))
    }
  }

  /// nil when the server knows the password.
  private mutating func prove(_ element: Element, _ scram: SCRAM) -> [Effect]? {
    guard let final = text(of: element) else { return fail(.unproven) }
    do throws(SCRAM.Fault) {
      try scram.verify(final)
      return nil
    } catch {
      return fail(LoginFailure(error))
    }
  }

  private mutating func refused(_ element: Element) -> [Effect] {
    let (condition, text) = element.condition(Namespace.sasl)
    return fail(
      condition == "not-authorized"
        ? .wrongPassword : .notAuthorized(String(condition.prefix(40)), text: text))
  }

  private func text(of element: Element) -> String? {
    let letters = element.text
    if letters.isEmpty || letters == "=" { return "" }
    return Base64.decoded(letters).flatMap { String(validating: $0, as: UTF8.self) }
  }
}

extension LoginFailure {
  fileprivate init(_ fault: SCRAM.Fault) {
    self =
      switch fault {
      case .unusablePassword: .unusablePassword
      case .notAnAnswer: .brokenSASL
      case .foreignNonce, .falseSignature: .unproven
      case .rounds(let rounds): .tooManyRounds(rounds)
      case .refused(let reason):
        ["invalid-proof", "unknown-user"].contains(reason)
          ? .wrongPassword : .notAuthorized(reason, text: "")
      }
  }
}
