// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Sentences

/// The status codes of a room (XEP-0045, 15.6).
enum RoomStatus {
  static let isOwn = "110"
  /// Its settings have changed, maybe whether members see each other's addresses.
  static let changesPrivacy: Set<String> = ["104", "172", "173", "174"]
  static let isCreated = "201"
  static let isBanned = "301"
  static let isRenamed = "303"
  static let isKicked = "307"
  static let isRemoved = "321"
  static let isForMembers = "322"
  static let isShutDown = "332"
  static let isBroken = "333"

  static func codes(of user: Element?) -> Set<String> {
    Set(user?.children.filter { $0.name == "status" }.compactMap { $0["code"] } ?? [])
  }

  /// Why the owner, who did not leave the room themselves, is no longer in it, as a sentence.
  static func leavingReason(_ codes: Set<String>, _ user: Element?, _ room: String) -> Remark {
    let actor = actor(in: user)
    let sentence: Sentence =
      if let destroyed = user?.first("destroy", Feature.roomUser) {
        destroyed["jid"].flatMap(Address.init).map {
          ("%1 was closed; continue in %2.", [room, $0.description])
        } ?? ("%1 was closed.", [room])
      } else if codes.contains(isBanned) {
        actor.map { ("%2 banned you from %1.", [room, $0]) }
          ?? ("You were banned from %1.", [room])
      } else if codes.contains(isShutDown) || codes.contains(isBroken) {
        ("The server of %1 shut down or closed the connection.", [room])
      } else if codes.contains(isKicked) {
        actor.map { ("%2 kicked you out of %1.", [room, $0]) }
          ?? ("You were kicked out of %1.", [room])
      } else if codes.contains(isRemoved) {
        actor.map { ("%2 removed you from the members of %1.", [room, $0]) }
          ?? ("You were removed from the members of %1.", [room])
      } else if codes.contains(isForMembers) {
        ("%1 is now for members only.", [room])
      } else {
        ("%1 reports that you are no longer in it.", [room])
      }
    let reason = statedReason(in: user)
    return filled(sentence) + (reason.isEmpty ? "" : filled((" Reason: %1", [reason])))
  }

  /// How somebody else was made to leave, as in `kicked by ben (spam)`; nil if they left by
  /// themselves, or lost the connection.
  static func removal(_ codes: Set<String>, _ user: Element?) -> Remark? {
    let actor = actor(in: user)
    // Translators: said of somebody who left a room, as in “ben left: kicked by anna (spam)”.
    let how: Sentence? =
      if codes.contains(isBanned) {
        actor.map { ("banned by %1", [$0]) } ?? ("banned", [])
      } else if codes.contains(isShutDown) || codes.contains(isBroken) {
        nil
      } else if codes.contains(isKicked) {
        actor.map { ("kicked by %1", [$0]) } ?? ("kicked", [])
      } else if codes.contains(isRemoved) {
        actor.map { ("removed from the members by %1", [$0]) } ?? ("removed from the members", [])
      } else if codes.contains(isForMembers) {
        actor.map { ("removed by %1, since the room is now for members only", [$0]) }
          ?? ("removed, since the room is now for members only", [])
      } else {
        nil
      }
    guard let how else { return nil }
    let reason = statedReason(in: user)
    return filled(how) + (reason.isEmpty ? "" : " (\(reason))")
  }

  /// Who did it, if the room says so (XEP-0045, 8.2).
  private static func actor(in user: Element?) -> String? {
    let actor = user?.first("item", Feature.roomUser)?.first("actor", Feature.roomUser)
    return Limits.bounded(actor?["nick"]) ?? Limits.bounded(actor?["jid"])
  }

  /// The reason, in the words of the person who did it.
  private static func statedReason(in user: Element?) -> String {
    for name in ["destroy", "item"] {
      let reason = user?.first(name, Feature.roomUser)?.first("reason", Feature.roomUser)?.text
      if let reason, !reason.isEmpty { return String(reason.prefix(Limits.reason)) }
    }
    return ""
  }
}
