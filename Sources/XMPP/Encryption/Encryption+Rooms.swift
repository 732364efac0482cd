// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import OMEMO
import Sentences

// Encryption in rooms.
extension Encryption {
  func audience(_ room: Address) -> RoomAudience { audiences[room] ?? RoomAudience() }

  /// The accounts that read what goes to a person or a room.
  func people(_ destination: Destination) -> Set<Address> {
    switch destination {
    case .person(let account): [account]
    case .room(let room): audience(room).people ?? []
    }
  }

  /// Forgets rooms that the owner has left.
  mutating func keep(rooms: some Collection<Address>) {
    if audiences.count > rooms.count { audiences = audiences.filter { rooms.contains($0.key) } }
  }

  /// Takes what a room can do, and asks a private one for its members if the owner is in it.
  ///
  /// - Parameter features: nil if the room does not say.
  mutating func noteFeatures(
    of room: Address, _ features: Set<String>?, isInside: Bool, in context: inout ClientContext
  ) {
    audiences[room, default: RoomAudience()].note(features)
    context.needsPump = true
    if isInside { askForMembers(of: room, in: &context) }
  }

  /// Asks a private room that the owner is in for its members.
  mutating func askForMembers(of room: Address, in context: inout ClientContext) {
    guard audience(room).isPrivate else { return }
    audiences[room]?.beginLists()
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
    var accounts: Set<Address>?
    if case .result(let answer) = answer {
      let items = answer.first("query", Feature.roomAdmin)?.children.prefix(Limits.occupants) ?? []
      accounts = Set(
        items.lazy.filter { $0["affiliation"] == affiliation }
          .compactMap { $0["jid"].flatMap(Address.init)?.bare })
      accounts?.remove(context.owner.account)
    }
    context.needsPump = true
    guard audiences[room]?.note(accounts, as: affiliation) == true, audience(room).hidesMembers,
      way(to: .room(room), in: context) != .plain
    else { return }
    context.tell(
      .notice(
        filled(
          (
            "%1 does not list its members, so hobnob encrypts only for those who are there.",
            [room.description]
          ))))
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
        let affiliation = item["affiliation"], account != context.owner.account
      else { continue }
      audiences[room]?.note(account, is: affiliation)
      context.needsPump = true
    }
    return stanza.name == "message"
      && !RoomStatus.codes(of: user).isDisjoint(with: RoomStatus.changesPrivacy)
  }

  /// Tells the owner which members of an encrypted room cannot read along, and later of those who are
  /// new, once it is known whether they can.
  mutating func announceMembers(in context: inout ClientContext) {
    guard library != nil else { return }
    for (room, audience) in audiences {
      guard let people = audience.people, way(to: .room(room), in: context) != .plain else {
        continue
      }
      guard var known = book.members[room] else {
        for account in people { questions.ask(account, in: &context) }
        if people.allSatisfy(questions.isAnswered) {
          announceBeginning(in: room, among: people, &context)
        }
        continue
      }
      if !audience.hidesMembers || known.count > Limits.audience {
        known.formIntersection(people)
      }
      for account in people.subtracting(known).sorted(by: { $0.description < $1.description }) {
        questions.ask(account, in: &context)
        guard questions.isAnswered(account) else { continue }
        known.insert(account)
        guard toldMembers[room, default: []].insert(account).inserted else { continue }
        let name = account.description
        tell(
          !book.versions(of: account).isEmpty
            ? filled(("%1 is a member now, and can read what is written from now on", [name]))
            : questions.isKnown(account)
              ? filled(
                (
                  "%1 is a member now, but has no program that can encrypt, and reads nothing",
                  [name]
                ))
              : filled(
                (
                  "%1 is a member now; hobnob does not know whether they can read along, since their server does not answer",
                  [name]
                )), in: room, &context)
      }
      book.set(members: known, of: room)
    }
  }

  private mutating func announceBeginning(
    in room: Address, among people: Set<Address>, _ context: inout ClientContext
  ) {
    book.set(members: people, of: room)
    let others = people.filter { book.versions(of: $0).isEmpty }
    let without = others.filter(questions.isKnown)
    tell(
      translated(
        "One member has no program that can encrypt, and reads nothing: %2",
        "%1 members have no program that can encrypt, and read nothing: %2", count: without.count),
      of: without, in: room, &context)
    let unknown = others.subtracting(without)
    tell(
      translated(
        "hobnob does not know whether one member can read along, since their server does not answer: %2",
        "hobnob does not know whether %1 members can read along, since their servers do not answer: %2",
        count: unknown.count), of: unknown, in: room, &context)
  }

  private func tell(
    _ words: Remark, of members: Set<Address>, in room: Address, _ context: inout ClientContext
  ) {
    if members.isEmpty { return }
    let names = members.map(\.description).sorted().prefix(10).joined(separator: ", ")
    let end = members.count > 10 ? ", …" : ""
    tell(filled(words, [String(members.count), names + end]), in: room, &context)
  }

  private func tell(_ words: Remark, in room: Address, _ context: inout ClientContext) {
    context.tell(.moderated(words, room: room.description, by: nil, isAboutOwner: false))
  }
}
