// SPDX-License-Identifier: GPL-3.0-or-later
import OMEMO
import Platform

/// What this client says it supports (XEP-0030), and the hash of that for its presence (XEP-0115).
enum OwnFeatures {
  static let name = "hobnob"
  static let node = "https://hobnob.invalid/client"

  static let features = [
    Feature.capabilities, Feature.bookmarks + "+notify", Feature.correction, Feature.fallback,
    Feature.ids, Feature.info, Feature.invitation, Feature.links, Feature.markers, Namespace.ping,
    Feature.reactions, Feature.receipts, Feature.replies, Feature.retraction, Feature.rooms,
    Feature.styling, Feature.typing, Feature.version,
    OMEMOVersion.legacy.listNode + "+notify", OMEMOVersion.two.listNode + "+notify",
  ].sorted()

  /// XEP-0115, 5.1.
  static let version: String = {
    let text = "client/console//\(name)<" + features.map { $0 + "<" }.joined()
    var letters: [UInt8] = []
    SHA1.digest(of: text).withUnsafeBytes { Base64.encode($0, to: &letters) }
    return String(decoding: letters, as: UTF8.self)
  }()

  static let versionedNode = node + "#" + version

  /// The element for a presence.
  static let element = Element(
    "c", namespace: Feature.capabilities, ["hash": "sha-1", "node": node, "ver": version])

  static func info(node: String?) -> Element {
    var query = Element("query", namespace: Feature.info)
    query["node"] = node
    query.add(
      Element(
        "identity", namespace: Feature.info,
        ["category": "client", "type": "console", "name": name]))
    for feature in features {
      query.add(Element("feature", namespace: Feature.info, ["var": feature]))
    }
    return query
  }

  /// The client's answer to a query from anybody.
  ///
  /// - Returns: nil for one that it does not understand.
  static func answer(toGet payload: Element?) -> [Element]? {
    guard let payload else { return nil }
    switch (payload.name, payload.namespace) {
    case ("ping", Namespace.ping): return []
    case ("query", Feature.version):
      // Do not reveal the version and the system: they would only help people who look for
      // weaknesses.
      return [
        Element(
          "query", namespace: Feature.version,
          children: [Element("name", namespace: Feature.version, text: name)])
      ]
    case ("query", Feature.info):
      guard payload["node"] == nil || payload["node"] == versionedNode else { return nil }
      return [info(node: payload["node"])]
    case ("query", Feature.items):
      return payload["node"] == nil ? [Element("query", namespace: Feature.items)] : nil
    default: return nil
    }
  }
}
