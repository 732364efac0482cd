// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Sentences

/// What a server, a room or a person's program can do, as sentences for `/can`.
enum AbilitySentences {
  /// - Parameter rooms: the server's service for rooms.
  static func sentence(
    ofServer domain: String, _ server: ServerFeatures, rooms: Address?
  ) -> String {
    let largestFile = server.longestFile.map { " of up to " + Attachment.size($0) } ?? ""
    let parts: [(Bool, String, String)] = [
      (server.hasArchive, "keeps an archive of your messages", "keeps no archive"),
      (server.upload != nil, "takes files" + largestFile, "takes no files"),
      (server.hasBlocking, "can block people", "cannot block people"),
    ]
    var sentence = list(parts, of: domain)
    if let rooms {
      sentence += filled((" Its rooms are at %1.", [rooms.description]))
    } else {
      sentence += " It has no rooms of its own."
    }
    if let longest = server.longestStanza {
      sentence += filled((" A message may have up to %1 bytes.", [String(longest)]))
    }
    return sentence
  }

  /// - Parameters:
  ///   - isRoom: whether the owner knows that address as a room.
  ///   - answer: what it says about itself.
  static func sentence(of address: String, isRoom: Bool, _ answer: IQRequest.Answer) -> String {
    guard case .result(let answer) = answer else {
      // A server describes a person to their contacts only.
      return isRoom ? answer.failure(at: address) : unknownAbilities(address)
    }
    let info = DiscoveredInfo(answer)
    if info.kinds.contains(where: { $0.hasPrefix("client/") }) {
      return sentence(ofProgramOf: address, info.features)
    }
    guard info.kinds.contains(where: { $0.hasPrefix("conference/") }) else {
      return unknownAbilities(address)
    }
    return sentence(ofRoom: address, info.features)
  }

  private static func unknownAbilities(_ person: String) -> String {
    filled(
      (
        "Only contacts learn what the program of %1 supports, and only while %1 is online.",
        [person]
      ))
  }

  private static func sentence(ofProgramOf person: String, _ features: Set<String>) -> String {
    let words = [
      (Feature.correction, "edits"), (Feature.retraction, "deletions"),
      (Feature.replies, "replies"), (Feature.reactions, "reactions"),
      (Feature.typing, "who is typing"), (Feature.receipts, "what arrived"),
      (Feature.markers, "what was seen"), (Feature.links, "files"),
    ].filter { features.contains($0.0) }.map { $0.1 }
    return words.isEmpty
      ? filled(("The program of %1 supports only texts.", [person]))
      : filled(("The program of %1 supports %2.", [person, words.joined(separator: ", ")]))
  }

  private static func sentence(ofRoom address: String, _ features: Set<String>) -> String {
    let parts: [(Bool, String, String)] = [
      (features.contains(Feature.archive), "keeps an archive", "keeps no archive"),
      (
        features.contains(Feature.occupantIDs), "identifies people permanently",
        "knows people by their nicknames only"
      ),
      (
        features.contains("muc_membersonly"), "is for its members only",
        "is open to everyone"
      ),
      (
        features.contains("muc_nonanonymous"), "shows everyone's address to all",
        "shows addresses to its moderators only"
      ),
    ]
    var sentence = list(parts, of: address)
    if features.contains("muc_passwordprotected") { sentence += " It asks for a password." }
    return sentence
      + " Messages there stay “sent” unless programs there report that they were seen."
  }

  private static func list(_ parts: [(Bool, String, String)], of address: String) -> String {
    filled(("%1 ", [address])) + parts.map { $0.0 ? $0.1 : $0.2 }.joined(separator: ", ") + "."
  }
}
