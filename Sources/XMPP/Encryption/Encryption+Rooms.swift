// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import OMEMO
import Sentences

/// Whom an encrypted line to a room is for (XEP-0384, 6): everybody whom the room lists as its owner,
/// administrator or member, whether they are there or not. That works only in rooms that let nobody
/// else in, and where members see each other's addresses.
struct RoomAudience: Hashable, Sendable {
  static let affiliations = ["owner", "admin", "member"]

  /// Nil until the room has said what it can do.
  private var features: Set<String>?
  /// The accounts of each affiliation that the room has listed.
  private var listed: [String: Set<Address>] = [:]
  private var members: Set<Address> = []

  /// Why nothing can be encrypted there; nil if it can, or if that is unknown.
  var obstacle: Encryption.Obstacle? {
    guard let features else { return nil }
    if !features.contains("muc_membersonly") { return .notMembersOnly }
    return features.contains("muc_nonanonymous") ? nil : .hidesAddresses
  }

  var isPrivate: Bool { features != nil && obstacle == nil }

  /// The accounts of all members; nil as long as the room has not listed them.
  var people: Set<Address>? {
    isPrivate && listed.count == Self.affiliations.count ? members : nil
  }

  mutating func note(_ features: Set<String>) { self.features = features }

  /// Forgets what only an occupant can know.
  mutating func forget() { (features, listed) = (nil, [:]) }

  /// - Parameter accounts: empty if the room does not give the list; then those count who are there.
  /// - Returns: the members that are new since the list was known last.
  mutating func note(_ accounts: Set<Address>, as affiliation: String) -> Set<Address> {
    let former = members
    let wasKnown = isComplete
    listed[affiliation] = accounts
    guard listed.count == Self.affiliations.count else { return [] }
    isComplete = true
    members = listed.values.reduce(present) { $0.union($1) }
    return wasKnown ? members.subtracting(former) : []
  }

  /// Whether all lists have ever been known.
  private var isComplete = false
  /// Members who were seen in the room.
  private var present: Set<Address> = []

  /// Notes what a presence or a message of the room says about an account.
  ///
  /// - Returns: whether it is a new member.
  mutating func note(_ account: Address, is affiliation: String) -> Bool {
    guard Self.affiliations.contains(affiliation) else {
      members.remove(account)
      present.remove(account)
      return false
    }
    guard present.count < Limits.occupants else { return false }
    present.insert(account)
    return members.insert(account).inserted && people != nil
  }
}

// Encryption in rooms.
extension Encryption {
  /// The accounts that read what goes to a person or a room.
  func people(_ address: Address) -> Set<Address> {
    audiences[address].map { $0.people ?? [] } ?? [address]
  }

  /// Keeps in mind which addresses are those of rooms.
  mutating func note(rooms: some Sequence<Address>) {
    for room in rooms where audiences[room] == nil { audiences[room] = RoomAudience() }
  }

  /// Takes what a room can do; asks a private one for its members.
  mutating func noteFeatures(
    of room: Address, _ features: Set<String>, in context: inout ClientContext
  ) {
    audiences[room, default: RoomAudience()].note(features)
    context.needsPump = true
    if audiences[room]?.isPrivate == true { askForMembers(of: room, in: &context) }
  }

  private func askForMembers(of room: Address, in context: inout ClientContext) {
    for affiliation in RoomAudience.affiliations {
      let item = Element("item", namespace: Feature.roomAdmin, ["affiliation": affiliation])
      context.sendIQ(
        "get", Element("query", namespace: Feature.roomAdmin, children: [item]), to: room,
        .roomMembers(room, affiliation: affiliation))
    }
  }

  mutating func noteMembers(
    of room: Address, as affiliation: String, _ answer: IQRequest.Answer,
    in context: inout ClientContext
  ) {
    var accounts: Set<Address> = []
    if case .result(let answer) = answer {
      let items = answer.first("query", Feature.roomAdmin)?.children.prefix(Limits.occupants) ?? []
      accounts = Set(items.compactMap { $0["jid"].flatMap(Address.init)?.bare })
    }
    let new = audiences[room]?.note(accounts, as: affiliation) ?? []
    newMembers[room, default: []].formUnion(new)
    context.needsPump = true
  }

  /// Takes what a presence or a message of a room says about its members.
  ///
  /// - Returns: whether the room has changed what it lets people do.
  mutating func noteRoom(_ stanza: Element, _ room: Address, in context: inout ClientContext)
    -> Bool
  {
    guard let user = stanza.first("x", Feature.roomUser) else { return false }
    for item in user.children where item.name == "item" {
      guard let account = item["jid"].flatMap(Address.init)?.bare,
        let affiliation = item["affiliation"]
      else { continue }
      if audiences[room]?.note(account, is: affiliation) == true {
        newMembers[room, default: []].insert(account)
      }
      context.needsPump = true
    }
    return stanza.name == "message"
      && !RoomStatus.codes(of: user).isDisjoint(with: RoomStatus.changesPrivacy)
  }

  /// Tells the owner of members who are new in encrypted rooms, once it is known whether they can
  /// read along.
  mutating func announceMembers(in context: inout ClientContext) {
    for (room, accounts) in newMembers {
      guard way(to: room, in: context) != .plain else {
        newMembers[room] = nil
        continue
      }
      for account in accounts.sorted(by: { $0.description < $1.description }) {
        ask(account, in: &context)
        guard isAnswered(account) else { continue }
        newMembers[room]?.remove(account)
        if account == context.owner.account { continue }
        let (name, count) = (account.description, book.versions(of: account).count)
        let words: Remark =
          count == 0
          ? filled(
            ("%1 is a member now, but has no program that can encrypt, and reads nothing", [name]))
          : filled(("%1 is a member now, and reads what is written from now on", [name]))
        context.tell(
          .moderated(words, room: room.description, by: nil, isAboutOwner: false))
      }
    }
  }

  /// Whether there is nothing to wait for before one writes to a member of a room: one whose server
  /// does not answer must not hold up the others.
  func isAnswered(_ account: Address) -> Bool {
    OMEMOVersion.allCases.allSatisfy {
      switch lists[account]?[$0] {
      case .known?, .silent?, .some(.none): true
      case .asked?, nil: false
      }
    }
  }
}
