// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// Whom an encrypted line to a room is for (XEP-0384, 6): everybody whom the room lists as its owner,
/// administrator or member, whether they are there or not. That works only in rooms that let nobody
/// else in, and where members see each other's addresses.
struct RoomAudience: Hashable, Sendable {
  static let affiliations = ["owner", "admin", "member"]

  /// Nil until the room has said what it can do, or that it does not say so.
  private var features: Set<String>?
  private var isSilent = false
  /// The accounts of each affiliation, until all lists have come.
  private var arriving: [String: Set<Address>] = [:]
  /// Whether the room gives no lists; then those count who are there.
  private(set) var hidesMembers = false
  private var members: Set<Address> = []
  /// Members who were seen in the room.
  private var present: Set<Address> = []
  private var isKnown = false

  /// Why nothing can be encrypted there; nil if it can, or if that is unknown.
  var obstacle: Encryption.Obstacle? {
    if isSilent { return .unknownRoom }
    guard let features else { return nil }
    if !features.contains("muc_membersonly") { return .notMembersOnly }
    if !features.contains("muc_nonanonymous") { return .hidesAddresses }
    return members.count > Limits.audience ? .tooManyMembers : nil
  }

  var isPrivate: Bool { features != nil && obstacle == nil }

  /// The accounts of all members but the owner; nil as long as the room has not listed them.
  var people: Set<Address>? { isPrivate && isKnown ? members : nil }

  /// - Parameter features: nil if the room does not say.
  mutating func note(_ features: Set<String>?) {
    (self.features, isSilent) = (features, features == nil)
  }

  /// Forgets what only an occupant can know.
  mutating func forget() {
    (features, isSilent, isKnown, arriving, present) = (nil, false, false, [:], [])
  }

  /// Call this before the room is asked for its lists.
  mutating func beginLists() { (arriving, hidesMembers) = ([:], false) }

  /// - Parameter accounts: nil if the room does not give the list.
  /// - Returns: whether all lists have come now.
  mutating func note(_ accounts: Set<Address>?, as affiliation: String) -> Bool {
    arriving[affiliation] = accounts ?? []
    if accounts == nil { hidesMembers = true }
    guard arriving.count == Self.affiliations.count else { return false }
    members = arriving.values.reduce(hidesMembers ? present : []) { $0.union($1) }
    (isKnown, arriving) = (true, [:])
    return true
  }

  /// Notes what a presence or a message of the room says about an account.
  mutating func note(_ account: Address, is affiliation: String) {
    for list in arriving.keys { arriving[list]?.remove(account) }
    guard Self.affiliations.contains(affiliation) else {
      members.remove(account)
      present.remove(account)
      return
    }
    if arriving[affiliation] != nil { arriving[affiliation]?.insert(account) }
    guard members.count <= Limits.audience, present.count <= Limits.audience else { return }
    present.insert(account)
    members.insert(account)
  }
}
