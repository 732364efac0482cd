// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// How a message reached this program.
enum MessageSource: Hashable, Sendable {
  case live
  /// A copy of what another device of the owner got or sent (XEP-0280).
  case received, sent
  /// - Parameter isBackfill: whether it is older than what the owner has.
  case archive(isBackfill: Bool)

  var isLive: Bool { self == .live }

  var isBackfill: Bool { self == .archive(isBackfill: true) }
}

/// A message whose source is checked.
struct IncomingMessage: Sendable {
  var stanza: Element
  var source: MessageSource
  /// Its id in the archive of the account or of the room, from the one who may give it.
  var archiveID: String?
  /// When it was sent; nil for now.
  var time: Milliseconds?

  /// The id that the sender gave it.
  ///
  /// - Parameter isRoom: whether a room passed it on, which may have replaced the stanza's own id.
  func ids(isRoom: Bool) -> MessageIDs {
    let (stanzaID, originID) = (Limits.bounded(stanza["id"]), stanza.originID)
    return MessageIDs(
      origin: isRoom ? originID ?? stanzaID : stanzaID ?? originID, archive: archiveID)
  }
}

extension Element {
  /// Of a message: the id that its sender gave it (XEP-0359).
  var originID: String? { Limits.bounded(first("origin-id", Feature.ids)?["id"]) }

  /// Of a message: the id that an archive gave it (XEP-0359).
  ///
  /// - Parameter giver: whose archive that is; ids that others claim to have given do not count.
  func archiveID(by giver: Address) -> String? {
    let ids = children.filter { $0.name == "stanza-id" && $0.namespace == Feature.ids }
    return ids.first { $0["by"].flatMap(Address.init) == giver }.flatMap {
      Limits.bounded($0["id"])
    }
  }
}
