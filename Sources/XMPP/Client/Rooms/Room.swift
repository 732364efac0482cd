// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// A room that the owner is in or wants to be in (XEP-0045).
struct Room: Sendable {
  enum State: Hashable, Sendable {
    /// The owner is not in it, and not entering it.
    case outside
    /// The client asks it what it can do.
    case asking
    /// The presence was sent, and the room is listing the people in it.
    case entering
    /// The owner is in it, and the client asks it once more what it can do, which decides how
    /// senders are identified.
    case queryingFeatures
    case entered
    /// It did not let the owner in; the text is a sentence that says why.
    case refused(Remark)
    /// It could not be reached, and the client tries again; the text is a sentence that says why.
    case unreachable(Remark)
  }

  struct Occupant: Hashable, Sendable {
    /// The id that the room gives them (XEP-0421).
    var occupantID: String?
    /// Their away message; nil if they are not away.
    var away: String?
    /// Nil if the room does not show it.
    var account: Address?
  }

  /// A change that other parts of the client have to know.
  enum Change: Sendable {
    /// - Parameter isRequested: whether a shell asked for it.
    case entered(Address, isRequested: Bool)
    /// The room no longer counts the owner among its occupants.
    case lost(Address)
  }

  let address: Address
  var state = State.outside
  /// The nickname that the owner wants.
  var wantedNick: String
  /// The nickname that is in use, or being tried.
  var nick: String
  var password: String
  /// How many nicknames turned out to be taken.
  var takenNicks = 0
  /// The id of the presence that asks to be let in.
  var entryID = ""
  var hasArchive = false
  var hasOccupantIDs = false
  var hasIDs = false
  /// Whether a room without an archive has sent its history, which ends with its subject (XEP-0045,
  /// 7.2.14).
  var hasSentHistory = false
  /// The number of the playback that its history is.
  var playback = 0
  /// Whether the owner enters it for the first time, because a shell asked for it.
  var isAskedFor = false
  /// Whether it has said what it can do; a room that does not exist yet cannot.
  var isDescribed = false
  /// The name that it gives itself; may be empty.
  var ownName = ""
  /// Whether entering it has created it.
  var isNew = false
  /// Messages that it sent while its features were unknown.
  var early: [Element] = []
  /// The people in it, by nickname.
  var occupants: [String: Occupant] = [:]
  /// The owner's occupant id in it.
  var occupantID: String?
  /// When it last sent something.
  var lastHeard: Milliseconds = 0
  /// Whether the owner was told that it cannot be reached.
  var isLossTold = false
  /// The shell's request to enter it.
  var request: NetworkRequest?
  var topic: String?

  init(_ address: Address, nick: String, password: String = "") {
    self.address = address
    wantedNick = nick
    self.nick = nick
    self.password = password
  }

  /// Its address in the store's events.
  var name: String { address.description }
  var isEntered: Bool { state == .entered }
  /// Whether the room counts the owner among its occupants.
  var isInside: Bool { state == .queryingFeatures || state == .entered }
  var isEntering: Bool { state == .asking || state == .entering || state == .queryingFeatures }
  var hearsPresence: Bool { state == .entering || isInside }
  /// Whether it replaces archive ids that others made up.
  var givesIDs: Bool { hasIDs || hasArchive }

  /// Forgets everything that only an occupant can know.
  mutating func reset() {
    if isEntered { isAskedFor = false }
    state = .outside
    occupants = [:]
    takenNicks = 0
    nick = wantedNick
    (isDescribed, isNew, hasSentHistory, early) = (false, false, false, [])
  }

  /// The account that wrote a message in the room; nil if the room does not say. An archive puts it
  /// behind what the sender wrote (XEP-0313, 6.1.2); in other messages only the sender can have put
  /// it there.
  func author(of message: IncomingMessage) -> Address? {
    let stanza = message.stanza
    if message.source.isArchive, message.playback == nil {
      let item = stanza.children.last { $0.name == "x" && $0.namespace == Feature.roomUser }?
        .children.last { $0.name == "item" }
      if let item { return item["jid"].flatMap(Address.init)?.bare }
    }
    let nick = stanza["from"].flatMap(Address.init)?.resource ?? ""
    let id = Limits.bounded(stanza.first("occupant-id", Feature.occupantIDs)?["id"])
    guard let occupant = occupants[nick], id == occupant.occupantID,
      message.source.isLive || id != nil
    else { return nil }
    return occupant.account
  }

  /// The identity of someone who is known only by a nickname.
  static func nickIdentity(_ nick: String) -> String { "/nick/" + nick }

  /// Who sent something.
  ///
  /// - Parameters:
  ///   - from: the address in the room, or the room's own address if the room itself is the sender.
  ///   - occupantID: as the stanza has it.
  ///   - isLive: whether it was just sent. The owner's nickname belongs to the owner only while
  ///     they are in the room.
  func user(_ from: Address, occupantID: String?, isLive: Bool) -> NetworkUser {
    let nick = from.resource
    if nick.isEmpty { return NetworkUser(identity: from.description, name: from.local) }
    // A nickname that looks like an id or like the room must not pass for it, so an identity that
    // begins with a slash says which it is. One occupant id of 64 begins with a slash by itself.
    if hasOccupantIDs, let id = Limits.bounded(occupantID) {
      return NetworkUser(
        identity: id.hasPrefix("/") ? "/id" + id : id, name: nick, isOwner: id == self.occupantID)
    }
    let isPlain = !hasOccupantIDs && !nick.hasPrefix("/") && nick != from.bare.description
    return NetworkUser(
      identity: isPlain ? nick : Room.nickIdentity(nick), name: nick,
      isOwner: !hasOccupantIDs && isLive && isEntered && nick == self.nick, isVerified: false)
  }
}
