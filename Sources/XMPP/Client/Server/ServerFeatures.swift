// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Networks
import Sentences

/// What the account's server offers.
struct ServerFeatures: Sendable {
  /// Bytes of the longest stanza that it accepts, if it says so (XEP-0478).
  private(set) var longestStanza: Int?
  private(set) var hasRosterVersions = false
  /// Whether the account's features are known, or the server did not answer.
  private(set) var isKnown = false
  private(set) var hasArchive = false
  /// Whether it gives each message an id, and removes those that others made up (XEP-0359).
  private(set) var hasIDs = false
  var hasBlocking = false
  /// Its service for files (XEP-0363), and the largest file that the service takes, in bytes, if it
  /// says so.
  private(set) var upload: Address?
  private(set) var longestFile: Int?

  init() {}

  /// - Parameter stream: `<stream:features/>` after the login.
  init(stream: Element) {
    longestStanza = stream.first("limits", Feature.limits)?.first("max-bytes", Feature.limits)
      .flatMap { Int($0.text) }.flatMap { $0 > 0 ? $0 : nil }
    hasRosterVersions = stream.has("ver", Feature.rosterVersions)
  }

  mutating func noteServer(_ answer: IQRequest.Answer, in context: inout ClientContext) {
    switch answer {
    case .result(let answer):
      hasBlocking = DiscoveredInfo(answer).features.contains(Feature.blocking)
    case .error: break
    case .silence: context.add(.hangUp(translated("The server does not answer.")))
    }
  }

  mutating func noteAccount(_ answer: IQRequest.Answer) {
    if case .result(let answer) = answer {
      let features = DiscoveredInfo(answer).features
      hasArchive = features.contains(Feature.archive)
      // Servers with an archive give ids, and protect them (XEP-0313, 5.1).
      hasIDs = hasArchive || features.contains(Feature.ids)
    }
    isKnown = true
  }

  /// Asks each of the server's services what it is.
  func askServices(in answer: IQRequest.Answer, _ context: inout ClientContext) {
    guard case .result(let answer) = answer, let query = answer.first("query", Feature.items)
    else { return }
    for item in query.children.prefix(Limits.services) where item.name == "item" {
      guard item["node"] == nil, let address = item["jid"].flatMap(Address.init) else { continue }
      context.sendIQ(
        "get", Element("query", namespace: Feature.info), to: address, .itemInfo(address))
    }
  }

  /// Notes a service for files.
  mutating func noteUploads(at address: Address, _ answer: Element) {
    guard upload == nil, DiscoveredInfo(answer).features.contains(Feature.upload) else { return }
    upload = address
    longestFile = Self.largestFile(in: answer)
  }

  /// What people can do in the account's conversations, once the services are known. A reaction
  /// gives all of a person's (XEP-0444), and other programs send several. Rooms pass on who has
  /// seen a message, but not who has it (XEP-0184, 5.3).
  var abilities: NetworkAbilities {
    var direct = Abilities()
    (direct.serverCommands, direct.blocks) = (false, hasBlocking)
    direct.largestFile = upload == nil ? 0 : longestFile
    direct.longestMessage = longestStanza.map { max(1, $0 - Limits.besideText) }
    var rooms = direct
    rooms.delivered = false
    return NetworkAbilities(rooms: rooms, direct: direct)
  }

  /// Bytes of the largest file that a service accepts (XEP-0363, 4); nil if it does not say.
  private static func largestFile(in answer: Element) -> Int? {
    let forms = answer.first("query", Feature.info)?.children.filter {
      $0.name == "x" && $0.namespace == Feature.forms
    }
    let form = forms?.first { $0.formValue("FORM_TYPE") == Feature.upload }
    return form?.formValue("max-file-size").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
  }
}
