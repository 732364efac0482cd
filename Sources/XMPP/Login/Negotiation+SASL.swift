// SPDX-License-Identifier: GPL-3.0-or-later
import Networks
import Platform

/// SASL (RFC 6120, 6): carries the exchange's bytes in XML.
extension Negotiation {
  mutating func authenticate(_ mechanisms: [String]) -> [Effect] {
    let seen = SASLExchange.strongestSCRAM(in: mechanisms).map { [Effect.sawSCRAM($0)] } ?? []
    var exchange = SASLExchange(
      name: settings.address.local, password: settings.password, strongest: settings.strongest,
      nonce: settings.nonce())
    do throws(SASLFailure) {
      let (mechanism, response) = try exchange.begin(mechanisms)
      enter(.sasl(exchange))
      let letters = Base64.letters(for: response)
      return seen + [
        .send("<auth xmlns='\(Namespace.sasl)' mechanism='\(mechanism)'>\(letters)</auth>")
      ]
    } catch {
      return seen + fail(.sasl(error))
    }
  }

  /// Returns nil if the element is not expected here.
  mutating func readSASL(_ element: Element, _ exchange: SASLExchange) -> [Effect]? {
    guard element.namespace == Namespace.sasl else { return nil }
    if element.name == "failure" { return readRefusal(element) }
    guard ["challenge", "success"].contains(element.name) else { return nil }
    guard let data = data(of: element) else { return fail(.sasl(.broken)) }
    var exchange = exchange
    do throws(SASLFailure) {
      if element.name == "success" {
        try exchange.succeed(data)
        return authenticated()
      }
      let letters = Base64.letters(for: try exchange.answer(data))
      enter(.sasl(exchange))
      return [.send(Element("response", namespace: Namespace.sasl, text: letters).xml())]
    } catch {
      return fail(.sasl(error))
    }
  }

  private mutating func readRefusal(_ element: Element) -> [Effect] {
    let (condition, text) = element.condition(Namespace.sasl)
    return fail(
      condition == "not-authorized"
        ? .sasl(.wrongPassword) : .notAuthorized(String(condition.prefix(40)), text: text))
  }

  private func data(of element: Element) -> [UInt8]? {
    let letters = element.text
    return letters.isEmpty || letters == "=" ? [] : Base64.decoded(letters)
  }
}
