// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// How a message reached this program.
enum MessageSource: Hashable, Sendable {
  case live
  /// A copy of a message that another device of the owner received or sent (XEP-0280).
  case received, sent
  /// - Parameter isBackfill: whether it is older than the messages that the owner has.
  case archive(isBackfill: Bool)

  var isLive: Bool { self == .live }

  var isArchive: Bool { if case .archive = self { true } else { false } }

  var isBackfill: Bool { self == .archive(isBackfill: true) }
}

/// A message whose source is checked.
struct IncomingMessage: Sendable {
  var stanza: Element
  var source: MessageSource
  /// Its id in the archive of the account or of the room, if the archive itself gave it.
  var archiveID: String?
  /// When it was sent; nil for now.
  var time: Milliseconds?

  /// Whether the server kept it, and sends it now without being asked.
  var isDelayed: Bool { time != nil && !source.isArchive }

  /// The number of the playback that it is from: a room without an archive repeats its last
  /// messages to everyone who enters.
  var playback: Int?

  /// The id that the sender gave it, which a room or a server may have replaced in the stanza, and
  /// the id from the archive.
  var ids: MessageIDs {
    MessageIDs(origin: stanza.originID ?? Limits.bounded(stanza["id"]), archive: archiveID)
  }

  /// The id of the stanza, if its sender gave the message another one besides: XEP-0308 corrects by
  /// the former.
  var otherOrigin: String? {
    let id = stanza.originID == nil ? nil : Limits.bounded(stanza["id"])
    return id == stanza.originID ? nil : id
  }
}

extension Element {
  /// In a message, the id that its sender gave it (XEP-0359).
  var originID: String? { Limits.bounded(first("origin-id", Feature.ids)?["id"]) }

  /// In a message, the id that an archive gave it (XEP-0359).
  ///
  /// - Parameter giver: the owner of that archive; ids that others claim to have given do not
  ///   count.
  func archiveID(by giver: Address) -> String? {
    let ids = children.filter { $0.name == "stanza-id" && $0.namespace == Feature.ids }
    return ids.first { $0["by"].flatMap(Address.init) == giver }.flatMap {
      Limits.bounded($0["id"])
    }
  }
}
