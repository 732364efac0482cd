// SPDX-License-Identifier: GPL-3.0-or-later
import Networks

/// Registering an account on a server that lets everybody do so (XEP-0077).
extension Negotiation {
  mutating func askForForm(_ features: StreamFeatures) -> [Effect] {
    // Not every server that allows registration says so in its features, so ask.
    enter(.form)
    return [.send("<iq id='form' type='get'><query xmlns='\(Namespace.register)'/></iq>")]
  }

  mutating func readRegistration(_ element: Element) -> [Effect] {
    switch state {
    case .form where isAnswer(element, to: "form"):
      return element["type"] == "result" ? fillIn(element) : notRegistered(element)
    case .registration where isAnswer(element, to: "register"):
      if element["type"] == "error" { return notRegistered(element) }
      state = .over
      return [.send("</stream:stream>"), .registered]
    default: return fail(.unexpected(String(element.name.prefix(40)), step))
    }
  }

  private mutating func fillIn(_ element: Element) -> [Effect] {
    guard let query = element.first("query", Namespace.register) else {
      return fail(.noRegistration)
    }
    let form = query.children.filter { $0.namespace == Namespace.register }.map(\.name)
    let asked = Set(form).subtracting(["instructions", "registered"])
    guard asked == ["username", "password"] else {
      let text = query.first("instructions", Namespace.register)?.text ?? ""
      let page = query.first("x", "jabber:x:oob")?.first("url", "jabber:x:oob")?.text
      return fail(
        .registrationNeedsMore([text, page ?? ""].filter { !$0.isEmpty }.joined(separator: " ")))
    }
    guard PreparedPassword.of(settings.address.local) != nil,
      PreparedPassword.of(settings.password.text) != nil
    else { return fail(.sasl(.unusablePassword)) }
    enter(.registration)
    let filled = Element(
      "iq", ["id": "register", "type": "set"],
      children: [
        Element(
          "query", namespace: Namespace.register,
          children: [
            Element("username", namespace: Namespace.register, text: settings.address.local),
            Element("password", namespace: Namespace.register, text: settings.password.text),
          ])
      ])
    return [.send(filled.xml())]
  }

  private mutating func notRegistered(_ element: Element) -> [Effect] {
    let (condition, text) = element.stanzaError
    switch condition {
    case "conflict": return fail(.nameTaken(settings.address.local))
    case "forbidden", "not-allowed", "service-unavailable", "feature-not-implemented",
      "item-not-found":
      return fail(.noRegistration)
    default: return fail(.registrationRefused(String(condition.prefix(40)), text: text))
    }
  }
}
