// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Sentences

/// What a server, a room or a person's client can do, as sentences for `/can`.
enum AbilitySentences {
  /// - Parameter rooms: the server's service for rooms.
  static func sentence(
    ofServer domain: String, _ server: ServerFeatures, rooms: Address?
  ) -> Remark {
    // Translators: a thing that a server does, for a list such as “%1 keeps no archive, takes files.”
    let parts: [Remark] = [
      server.hasArchive
        ? translated("keeps an archive of your messages") : translated("keeps no archive"),
      server.upload == nil
        ? translated("takes no files")
        : server.longestFile.map { filled(("takes files of up to %1", [Attachment.size($0)])) }
          ?? translated("takes files"),
      server.hasBlocking ? translated("can block people") : translated("cannot block people"),
    ]
    var sentence = list(parts, of: domain)
    if let rooms {
      sentence += filled((" Its rooms are at %1.", [rooms.description]))
    } else {
      sentence += translated(" It has no rooms of its own.")
    }
    if let longest = server.longestStanza {
      sentence += filled((" A message may have up to %1 bytes.", [String(longest)]))
    }
    return sentence
  }

  /// - Parameters:
  ///   - isRoom: whether the owner knows that address as a room.
  ///   - answer: the answer to the query about its features.
  static func sentence(of address: String, isRoom: Bool, _ answer: IQRequest.Answer) -> Remark {
    guard case .result(let answer) = answer else {
      // A server describes a person to their contacts only.
      return isRoom ? answer.failure(at: address) : unknownAbilities(address)
    }
    let info = DiscoveredInfo(answer)
    if info.kinds.contains(where: { $0.hasPrefix("client/") }) {
      return sentence(ofClientOf: address, info.features)
    }
    guard info.kinds.contains(where: { $0.hasPrefix("conference/") }) else {
      return unknownAbilities(address)
    }
    return sentence(ofRoom: address, info.features)
  }

  private static func unknownAbilities(_ person: String) -> Remark {
    filled(
      (
        "You can see what %1's program supports only while %1 is your contact and online.",
        [person]
      ))
  }

  private static func sentence(ofClientOf person: String, _ features: Set<String>) -> Remark {
    // Translators: in a list, as in “The program of ben supports edits, replies, typing indicators.”
    let all: [(String, Remark)] = [
      (Feature.correction, translated("edits")), (Feature.retraction, translated("deletions")),
      (Feature.replies, translated("replies")), (Feature.reactions, translated("reactions")),
      (Feature.typing, translated("typing indicators")),
      (Feature.receipts, translated("delivery receipts")),
      (Feature.markers, translated("seen receipts")), (Feature.links, translated("files")),
    ]
    let words = all.filter { features.contains($0.0) }.map(\.1)
    return words.isEmpty
      ? filled(("The program of %1 supports only texts.", [person]))
      : filled(("The program of %1 supports %2.", [Remark(person), words.joinedAsList()]))
  }

  private static func sentence(ofRoom address: String, _ features: Set<String>) -> Remark {
    // Translators: a thing that a room does, for a list such as “%1 keeps no archive, is open to everyone.”
    let parts: [StaticString] = [
      features.contains(Feature.archive) ? "keeps an archive" : "keeps no archive",
      features.contains(Feature.occupantIDs)
        ? "recognises people even if they change their nickname"
        : "knows people by their nicknames only",
      features.contains("muc_membersonly")
        ? "is for its members only" : "is open to everyone",
      features.contains("muc_nonanonymous")
        ? "shows everyone's address to all" : "shows addresses to its moderators only",
    ]
    var sentence = list(parts.map { translated($0) }, of: address)
    if features.contains("muc_passwordprotected") {
      sentence += translated(" It asks for a password.")
    }
    return sentence
      + translated(
        " Messages there stay “sent” unless the programs of the others report that they were seen.")
  }

  private static func list(_ parts: [Remark], of address: String) -> Remark {
    // Translators: %1 is a server or a room, %2 a list of what it does.
    filled(("%1 %2.", [Remark(address), parts.joinedAsList()]))
  }
}
