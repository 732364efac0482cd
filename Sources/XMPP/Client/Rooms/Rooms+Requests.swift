// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Sentences

// What the owner does with rooms.
extension Rooms {
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
      byAddress[address] = Room(nick: wanted)
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
      enter(address, in: &context)
    }
  }

  /// Leaves a room for good.
  ///
  /// - Parameter reason: for the others there (XEP-0045, 7.14).
  /// - Returns: nil if the owner neither was in it nor wanted to be.
  mutating func leave(
    _ address: Address, saying reason: String = "", in context: inout ClientContext
  ) -> Change? {
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
  mutating func follow(_ change: Bookmarks.Change, in context: inout ClientContext) -> Change? {
    switch change {
    case .unwanted(let address): return leave(address, in: &context)
    case .wanted(let address, let nick, let password):
      if byAddress[address] == nil, byAddress.count < Limits.rooms {
        byAddress[address] = Room(nick: nick ?? context.owner.nick, password: password)
        enter(address, in: &context)
      } else if byAddress[address]?.password.isEmpty == true, !password.isEmpty {
        // A process that has just started knows no passwords.
        byAddress[address]?.password = password
        if byAddress[address]?.isInside == false { enter(address, in: &context) }
      }
      return nil
    }
  }

  /// Changes the topic, or invites someone.
  mutating func send(
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
