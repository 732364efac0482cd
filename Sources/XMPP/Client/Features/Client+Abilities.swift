// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Sentences

// What the server and the other side can do, in words.
extension Client {
  var serverAbilities: String {
    let parts: [(Bool, String, String)] = [
      (server.hasArchive, "keeps an archive of your messages", "keeps no archive"),
      (server.upload != nil, "takes files" + largestFile, "takes no files"),
      (server.hasBlocking, "can block people", "cannot block people"),
    ]
    var sentence = filled(("%1 ", [account.domain]))
    sentence += parts.map { $0.0 ? $0.1 : $0.2 }.joined(separator: ", ") + "."
    if let rooms = server.rooms {
      sentence += filled((" Its rooms are at %1.", [rooms.description]))
    } else {
      sentence += " It has no rooms of its own."
    }
    if let longest = server.longest {
      sentence += filled((" A message may have up to %1 bytes.", [String(longest)]))
    }
    return sentence
  }

  private func unknownAbilities(_ person: String) -> String {
    filled(
      (
        "Only contacts learn what the program of %1 supports, and only while %1 is online.",
        [person]
      ))
  }

  /// What somebody's program says of itself (XEP-0030).
  private func abilities(of person: String, _ features: Set<String>) -> String {
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

  private var largestFile: String {
    server.longestFile.map { " of up to " + Attachment.size($0) } ?? ""
  }

  mutating func abilitiesCame(_ answer: Question.Answer, _ request: NetworkRequest) {
    guard case .result(let answer) = answer else {
      // Of people a server tells their contacts alone.
      let isRoom = Address(request.target).map { rooms[$0] != nil } ?? false
      let reason = isRoom ? sentence(for: answer, request.target) : unknownAbilities(request.target)
      return done(request, serverAbilities + " " + reason)
    }
    let features = ServerFeatures.names(in: answer)
    let kinds = ServerFeatures.kinds(in: answer)
    if kinds.contains(where: { $0.hasPrefix("client/") }) {
      return done(request, serverAbilities + " " + abilities(of: request.target, features))
    }
    guard kinds.contains(where: { $0.hasPrefix("conference/") }) else {
      return done(request, serverAbilities + " " + unknownAbilities(request.target))
    }
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
    var sentence = filled(("%1 ", [request.target]))
    sentence += parts.map { $0.0 ? $0.1 : $0.2 }.joined(separator: ", ") + "."
    if features.contains("muc_passwordprotected") { sentence += " It asks for a password." }
    done(
      request, sentence + " Messages there stay “sent” unless a program reports more."
    )
  }
}
