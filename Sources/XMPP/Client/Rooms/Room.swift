// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Sentences

/// A room the owner is in or wants to be in (XEP-0045).
struct Room: Sendable {
  enum State: Hashable, Sendable {
    /// Not in it, and not on the way.
    case outside
    /// It was asked what it can do.
    case asking
    /// The presence was sent; the people in it are being told.
    case entering
    /// In it, and what it can do is being asked once more: who speaks is only known then.
    case settling
    case entered
    /// It did not let the owner in; a sentence.
    case refused(String)
    /// It could not be reached, and is tried again; a sentence.
    case unreachable(String)
  }

  struct Occupant: Hashable, Sendable {
    /// As the room gives it (XEP-0421).
    var occupantID: String?
    /// What they left word of, nil when they are not away.
    var away: String?
  }

  var state = State.outside
  /// The nickname that is wanted.
  var wantedNick: String
  /// The one that is used, or tried.
  var nick: String
  var password: String
  /// How many nicknames were taken.
  var takenNicks = 0
  /// The id of the presence that asks to be let in.
  var entry = ""
  var hasArchive = false
  var hasOccupantIDs = false
  var hasIDs = false
  /// Whether it has told what was said before, where it has no archive: its subject is the end of
  /// that (XEP-0045, 7.2.14).
  var hasToldHistory = false
  /// Whether it was entered for the first time, because somebody asked.
  var isAskedFor = false
  /// Whether it has said what it can do; one that is not there yet cannot.
  var isKnown = false
  /// Whether it is the owner's, and was made just now.
  var isNew = false
  /// What it said while it was settling.
  var early: [Element] = []
  /// By nickname.
  var occupants: [String: Occupant] = [:]
  /// The owner's own in it.
  var occupantID: String?
  /// When the room said something last.
  var lastHeard: Milliseconds = 0
  /// Whether it was said that it cannot be reached.
  var isLossTold = false
  /// Who asked to be in it.
  var request: NetworkRequest?
  var topic: String?

  init(nick: String, password: String = "") {
    wantedNick = nick
    self.nick = nick
    self.password = password
  }

  var isEntered: Bool { state == .entered }
  /// Whether the room counts the owner among those in it.
  var isInside: Bool { state == .settling || state == .entered }
  var isEntering: Bool { state == .asking || state == .entering || state == .settling }
  var hearsPresence: Bool { state == .entering || isInside }
  /// Whether it replaces the archive ids that others made up.
  var givesIDs: Bool { hasIDs || hasArchive }

  mutating func isLost() {
    if isEntered { isAskedFor = false }
    state = .outside
    occupants = [:]
    takenNicks = 0
    nick = wantedNick
    (isKnown, isNew, hasToldHistory, early) = (false, false, false, [])
  }

  /// Of somebody who is known by a nickname alone where that is no identity.
  static func identity(ofNick nick: String) -> String { "/nick/" + nick }

  /// Who speaks.
  ///
  /// - Parameters:
  ///   - from: the address in the room, or the room's own, when it speaks itself.
  ///   - occupantID: as it stands in the stanza.
  ///   - isLive: whether it is said now: the owner's nickname is the owner's only as long as they
  ///     are there.
  func speaker(_ from: Address, occupantID: String?, isLive: Bool) -> NetworkUser {
    let nick = from.resource
    if nick.isEmpty { return NetworkUser(identity: from.description, name: from.local) }
    // Nobody becomes another one by a nickname that looks like an id, or like the room: what begins
    // with a slash says which of the two it is. One id of 64 does so itself, being base64.
    if hasOccupantIDs, let id = Client.word(occupantID) {
      return NetworkUser(
        identity: id.hasPrefix("/") ? "/id" + id : id, name: nick, isOwner: id == self.occupantID)
    }
    let isPlain = !hasOccupantIDs && !nick.hasPrefix("/") && nick != from.bare.description
    return NetworkUser(
      identity: isPlain ? nick : Room.identity(ofNick: nick), name: nick,
      isOwner: !hasOccupantIDs && isLive && isEntered && nick == self.nick, isVerified: false)
  }
}

/// What a room says with numbers (XEP-0045, 15.6).
enum RoomStatus {
  static let isOwn = "110"
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

  /// Why the owner is not in a room any more, whom they did not leave by themselves: a sentence.
  static func leavingReason(_ codes: Set<String>, _ user: Element?, _ room: String) -> String {
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
    let said = given(in: user)
    return filled(sentence) + (said.isEmpty ? "" : " Reason: " + said)
  }

  /// How somebody else was made to leave, as in `kicked by ben (spam)`; nil where they left by
  /// themselves, or lost the connection.
  static func removal(_ codes: Set<String>, _ user: Element?) -> String? {
    let how =
      if codes.contains(isBanned) {
        "banned"
      } else if codes.contains(isShutDown) || codes.contains(isBroken) {
        ""
      } else if codes.contains(isKicked) {
        "kicked"
      } else if codes.contains(isRemoved) {
        "removed from the members"
      } else if codes.contains(isForMembers) {
        "removed, since the room is now for members only"
      } else {
        ""
      }
    if how.isEmpty { return nil }
    let said = given(in: user)
    return how + (actor(in: user).map { " by " + $0 } ?? "") + (said.isEmpty ? "" : " (\(said))")
  }

  /// Who did it, where the room tells (XEP-0045, 8.2).
  private static func actor(in user: Element?) -> String? {
    let actor = user?.first("item", Feature.roomUser)?.first("actor", Feature.roomUser)
    return Client.word(actor?["nick"]) ?? Client.word(actor?["jid"])
  }

  /// Why, in the words of whoever did it.
  private static func given(in user: Element?) -> String {
    for name in ["destroy", "item"] {
      let reason = user?.first(name, Feature.roomUser)?.first("reason", Feature.roomUser)?.text
      if let reason, !reason.isEmpty { return String(reason.prefix(300)) }
    }
    return ""
  }
}
