// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

// Incoming iqs: answers to what was asked, and what others ask.
extension Client {
  mutating func handleQuery(_ stanza: Element) {
    let from = stanza["from"].flatMap(Address.init)
    guard let id = stanza["id"], id.utf8.count <= Limits.word,
      from != nil || stanza["from"] == nil
    else { return }
    switch stanza["type"] {
    case "result": _ = answer(id, from: from, with: .result(stanza))
    case "error": _ = answer(id, from: from, with: .error(StanzaError(stanza)))
    case "get": reply(to: stanza, id, with: answer(toGet: stanza.children.first))
    case "set":
      guard let payload = stanza.children.first, isFromAccount(from) else {
        reply(to: stanza, id, with: nil)
        return
      }
      switch (payload.name, payload.namespace) {
      case ("query", Feature.roster): rosterChanged(payload)
      case ("block", Feature.blocking), ("unblock", Feature.blocking): break
      default:
        reply(to: stanza, id, with: nil)
        return
      }
      reply(to: stanza, id, with: [])
    default: break
    }
  }

  /// - Parameter answer: nil for what is not understood.
  private mutating func reply(to stanza: Element, _ id: String, with answer: [Element]?) {
    var reply = Element("iq", ["type": "result", "id": id], children: answer ?? [])
    reply["to"] = stanza["from"]
    if answer == nil {
      reply["type"] = "error"
      reply.add(Client.error("service-unavailable", type: "cancel"))
    }
    send(reply)
  }

  static func error(_ condition: String, type: String, text: String = "") -> Element {
    var error = Element(
      "error", ["type": type], children: [Element(condition, namespace: Feature.stanzaErrors)])
    if !text.isEmpty {
      error.add(Element("text", namespace: Feature.stanzaErrors, ["xml:lang": "en"], text: text))
    }
    return error
  }

  private func answer(toGet payload: Element?) -> [Element]? {
    guard let payload else { return nil }
    switch (payload.name, payload.namespace) {
    case ("ping", Feature.ping): return []
    case ("query", Feature.version):
      // Which version of what system this is helps nobody but those who look for its faults.
      return [
        Element(
          "query", namespace: Feature.version,
          children: [Element("name", namespace: Feature.version, text: OwnFeatures.name)])
      ]
    case ("query", Feature.info):
      guard payload["node"] == nil || payload["node"] == OwnFeatures.versionedNode else {
        return nil
      }
      return [OwnFeatures.info(node: payload["node"])]
    case ("query", Feature.items):
      return payload["node"] == nil ? [Element("query", namespace: Feature.items)] : nil
    default: return nil
    }
  }
}
