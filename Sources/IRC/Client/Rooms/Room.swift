// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// A room (channel) that the owner is in or wants to be in.
struct Room: Sendable {
  enum State: Hashable, Sendable {
    case outside
    /// JOIN was sent.
    case entering
    /// The names are not complete.
    case listing
    case entered
    /// The server does not let the owner in; the sentence says why.
    case refused(Remark)
  }

  /// As the server spells it.
  var name: String
  var state = State.outside
  /// Its password.
  var key = ""
  /// Whether the owner has been in it, and so wants to be in it again after a break.
  var isWanted = false
  var members = RoomMembers()
  /// The signs of the owner's ranks.
  var ownSigns = ""
  /// The modes, as in `nt`, without those that give ranks to people; nil if unknown.
  var modes: String?
  /// The playback of its lines, until it has a live one.
  var playback: Int?
  /// Shells' requests to enter it.
  var requests: [NetworkRequest] = []

  var isInside: Bool { state == .entered || state == .listing }
  var isEntering: Bool { state == .entering || state == .listing }
}

/// The people in a room by folded nick, with the signs of their ranks. Most have none, and there
/// may be fifty thousand people in all rooms.
struct RoomMembers: Sendable {
  private(set) var nicks: Set<String> = []
  private var signs: [String: String] = [:]

  subscript(_ folded: String) -> String? {
    get { nicks.contains(folded) ? signs[folded] ?? "" : nil }
    set {
      if newValue == nil { nicks.remove(folded) } else { nicks.insert(folded) }
      if newValue != nil || signs[folded] != nil {
        signs[folded] = newValue?.isEmpty == true ? nil : newValue
      }
    }
  }
}
