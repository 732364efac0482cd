// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

// What the server and the other side can do, in words.
extension Client {
  var serverAbilities: String {
    let parts: [(Bool, String, String)] = [
      (server.hasArchive, "keeps an archive of your messages", "keeps no archive"),
      (server.upload != nil, "takes files", "takes no files"),
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
      sentence += filled((" A message may have %1 bytes.", [String(longest)]))
    }
    return sentence
  }

  mutating func abilitiesCame(_ answer: Question.Answer, _ request: NetworkRequest) {
    guard case .result(let answer) = answer else {
      let reason = failure(answer, request.target)
      return done(request, serverAbilities + " " + reason)
    }
    let features = ServerFeatures.features(in: answer)
    let kinds = ServerFeatures.kinds(in: answer)
    guard kinds.contains(where: { $0.hasPrefix("conference/") }) else {
      return done(request, serverAbilities)
    }
    let parts: [(Bool, String, String)] = [
      (features.contains(Feature.archive), "keeps an archive", "keeps no archive"),
      (
        features.contains(Feature.occupantIDs), "tells people apart for good",
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
    done(request, sentence + " Messages end at sent there, but for those whose programs tell more.")
  }
}
