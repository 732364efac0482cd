// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Sentences

/// The rooms that the owner is in or wants to be in.
struct Rooms: Sendable {
  var byAddress: [Address: Room] = [:]

  subscript(_ address: Address) -> Room? { byAddress[address] }

  mutating func noteWanted(_ room: WantedRoom, owner: Owner) {
    guard let address = Address(room.address), address.resource.isEmpty else { return }
    byAddress[address] = Room(
      address, nick: room.nick.isEmpty ? owner.nick : room.nick, password: room.password)
  }

  /// Changes the owner's nickname, from the next connection on, in rooms without a nickname of
  /// their own.
  mutating func rename(from former: String, to nick: String) {
    for (address, room) in byAddress where room.wantedNick == former {
      byAddress[address]?.wantedNick = nick
      if !room.isInside { byAddress[address]?.nick = nick }
    }
  }

  // MARK: The connection

  mutating func enterAll(in context: inout ClientContext) {
    for address in byAddress.keys.sorted(by: { "\($0)" < "\($1)" }) {
      byAddress[address]?.enter(in: &context)
    }
  }

  mutating func resetAll() {
    for address in Array(byAddress.keys) { byAddress[address]?.reset() }
  }

  /// Notes the server's service for rooms. The name of a room there is its local part.
  func noteService(at address: Address, _ answer: Element, in context: inout ClientContext) {
    let info = DiscoveredInfo(answer)
    guard info.features.contains(Feature.rooms), address.local.isEmpty,
      info.kinds.contains("conference/text")
    else { return }
    if context.roomService == nil {
      context.tell(
        .rules(AddressRules(domain: context.owner.account.domain, roomDomain: address.description)))
    }
    context.roomService = context.roomService ?? address
    for room in byAddress.values where room.isEntered { room.tellName(in: &context) }
  }

  /// Tells each room that the owner is in that they are away, or back.
  func sendPresence(in context: inout ClientContext) {
    for (address, room) in byAddress where room.isEntered {
      context.send(context.owner.presence(to: address.withResource(room.nick)))
    }
  }

  // MARK: What the owner does with rooms

  /// Enters a room, or changes the nickname there.
  mutating func join(
    _ request: NetworkRequest, _ address: Address, in context: inout ClientContext
  ) {
    guard address.resource.isEmpty, !address.local.isEmpty else {
      return context.answer(
        request, filled(("%1 is not the address of a room.", [request.target])))
    }
    let wanted =
      request.text.isEmpty ? byAddress[address]?.wantedNick ?? context.owner.nick : request.text
    if let room = byAddress[address], room.isEntered {
      if room.nick == wanted { return context.answer(request, "") }
      // Change the nickname (XEP-0045, 7.6); the presences that follow confirm it.
      let id = context.newID()
      let occupant = address.withResource(wanted)
      var presence = context.owner.presence(to: occupant)
      presence["id"] = id
      context.send(presence)
      context.expect(
        id, from: occupant, .unlessRefused(request), limit: Limits.refusal)
      return
    }
    guard byAddress[address] != nil || byAddress.count < Limits.rooms else {
      return context.answer(request, translated("You are in too many rooms. Leave one first."))
    }
    if byAddress[address] == nil {
      byAddress[address] = Room(address, nick: wanted)
      byAddress[address]?.isAskedFor = true
    }
    byAddress[address]?.wantedNick = wanted
    if !request.secret.isEmpty { byAddress[address]?.password = request.secret }
    if let former = byAddress[address]?.request, former.id != request.id {
      context.answer(former, "")
    }
    byAddress[address]?.request = request
    if byAddress[address]?.isEntering == false {
      byAddress[address]?.nick = wanted
      byAddress[address]?.enter(in: &context)
    }
  }

  /// Leaves a room for good.
  ///
  /// - Parameter reason: for the others there (XEP-0045, 7.14).
  /// - Returns: nil if the owner neither was in it nor wanted to be.
  mutating func leave(
    _ address: Address, saying reason: String = "", in context: inout ClientContext
  ) -> Room.Change? {
    guard let room = byAddress.removeValue(forKey: address) else { return nil }
    context.clock.clear(.room(address))
    if room.hearsPresence {
      context.send(
        Element(
          "presence",
          ["type": "unavailable", "to": address.withResource(room.nick).description],
          children: reason.isEmpty ? [] : [Element("status", text: reason)]))
    }
    if let request = room.request {
      context.answer(request, translated("You left the room before it answered."))
    }
    context.needsPump = true
    context.tell(.left(room: address.description, reason: nil))
    context.requests.resume()
    return .lost(address)
  }

  /// Does what the owner did on another device.
  mutating func follow(_ change: Bookmarks.Change, in context: inout ClientContext) -> Room.Change?
  {
    switch change {
    case .unwanted(let address): return leave(address, in: &context)
    case .wanted(let address, let nick, let password):
      if byAddress[address] == nil, byAddress.count < Limits.rooms {
        byAddress[address] = Room(address, nick: nick ?? context.owner.nick, password: password)
        byAddress[address]?.enter(in: &context)
      } else if byAddress[address]?.password.isEmpty == true, !password.isEmpty {
        // A process that has just started knows no passwords.
        byAddress[address]?.password = password
        if byAddress[address]?.isInside == false { byAddress[address]?.enter(in: &context) }
      }
      return nil
    }
  }

  /// Changes the topic, or invites someone.
  func send(
    _ request: NetworkRequest, to address: Address, in context: inout ClientContext
  ) {
    guard let room = byAddress[address], room.isEntered || room.isEntering else {
      return context.answer(request, filled(("You are not in %1.", [request.target])))
    }
    guard room.isEntered else { return context.requests.postpone(request) }
    let id = context.newID()
    var message = Element("message", ["to": address.description, "id": id])
    if request.verb == .topic {
      message["type"] = "groupchat"
      message.add(Element("subject", text: request.text))
      context.expect(id, from: address, .topic(request))
    } else {
      guard let guest = Address(request.person) else {
        return context.answer(request, filled(("%1 is not an address.", [request.person])))
      }
      // Invite through the room, which then lets the guest in even if only members may enter
      // (XEP-0045, 7.8.2).
      let invite = Element(
        "invite", namespace: Feature.roomUser, ["to": guest.bare.description])
      message.add(Element("x", namespace: Feature.roomUser, children: [invite]))
      context.expect(
        id, from: address, .unlessRefused(request), limit: Limits.refusal)
    }
    context.send(message)
  }

  /// The sentence for a request that a room answers only if it refuses: why it refused, or the
  /// success sentence.
  static func sentence(
    for request: NetworkRequest, _ answer: IQRequest.Answer
  ) -> Remark {
    switch answer {
    case .silence: request.successSentence
    case .error(let error) where request.verb == .join:
      error.sentence(enteringAs: request.text, request.target, hasPassword: true)
    case .error, .result: answer.failure(at: request.target, isRoom: true)
    }
  }

  /// Why a room did not change its topic; empty if it did.
  static func topicSentence(for request: NetworkRequest, _ answer: IQRequest.Answer) -> Remark {
    if case .error(let error) = answer, ["forbidden", "not-allowed"].contains(error.condition) {
      return error.withText(
        filled(("%1 does not let you change its topic.", [request.target])))
    }
    return answer.failure(at: request.target, isRoom: true)
  }
}
