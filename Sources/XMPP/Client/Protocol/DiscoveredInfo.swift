// SPDX-License-Identifier: GPL-3.0-or-later

/// What a server, a service, a room or a program says about itself (XEP-0030).
struct DiscoveredInfo: Sendable {
  let features: Set<String>
  /// What kinds of thing it is, such as `conference/text`.
  let kinds: Set<String>
  /// The name of a room; empty if it has none.
  let roomName: String

  /// - Parameter answer: the iq that answered the query.
  init(_ answer: Element) {
    let children = answer.first("query", Feature.info)?.children ?? []
    features = Set(children.filter { $0.name == "feature" }.compactMap { $0["var"] })
    roomName =
      children.first { $0.name == "identity" && $0["category"] == "conference" }?["name"] ?? ""
    kinds = Set(
      children.filter { $0.name == "identity" }.map {
        ($0["category"] ?? "") + "/" + ($0["type"] ?? "")
      })
  }
}
