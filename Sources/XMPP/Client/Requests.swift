// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Sentences

/// What shells ask for. A question that was lost with a connection is asked again.
struct Requests: Sendable {
  private(set) var waiting: [NetworkRequest] = []
  private var underWay: [NetworkRequest] = []
  /// They wait for a room to be entered.
  private var putOff: [NetworkRequest] = []
  private var ended: [NetworkRequest.ID] = []

  /// - Returns: those that there is no room for.
  mutating func take(_ new: [NetworkRequest]) -> [NetworkRequest] {
    var refused: [NetworkRequest] = []
    for request in new
    where !ended.contains(request.id)
      && !(waiting + underWay + putOff).contains(where: {
        $0.id == request.id
      })
    {
      if waiting.count + underWay.count + putOff.count >= Limits.waitingRequests {
        refused.append(request)
      } else {
        waiting.append(request)
      }
    }
    return refused
  }

  mutating func next() -> NetworkRequest? {
    guard !waiting.isEmpty else { return nil }
    underWay.append(waiting.removeFirst())
    return underWay.last
  }

  /// - Returns: whether it had not ended yet.
  mutating func end(_ request: NetworkRequest) -> Bool {
    let isNew = (underWay + waiting).contains { $0.id == request.id }
    underWay.removeAll { $0.id == request.id }
    waiting.removeAll { $0.id == request.id }
    if isNew || !ended.contains(request.id) { ended.append(request.id) }
    if ended.count > Limits.waitingRequests { ended.removeFirst(Limits.waitingRequests / 2) }
    return isNew
  }

  mutating func putOff(_ request: NetworkRequest) {
    underWay.removeAll { $0.id == request.id }
    putOff.append(request)
  }

  /// What waited for a room is looked at again.
  mutating func goOn() {
    waiting += putOff
    putOff = []
  }

  /// The connection is gone.
  mutating func begin() {
    waiting = underWay + putOff + waiting
    (underWay, putOff) = ([], [])
  }
}

extension Client {
  mutating func take(_ new: [NetworkRequest]) {
    for request in requests.take(new) {
      tell(.answered(request, "There are too many requests at once. Try again in a moment."))
    }
    runRequests()
  }

  mutating func runRequests() {
    guard isUp, server.isAnswered else { return }
    while let request = requests.next() { run(request) }
  }

  /// - Parameter sentence: why not, or what there is to say; empty for nothing.
  mutating func done(_ request: NetworkRequest, _ sentence: String) {
    if requests.end(request) { tell(.answered(request, sentence)) }
  }

  private mutating func run(_ request: NetworkRequest) {
    if request.verb == .presence {
      away = request.target.isEmpty ? nil : request.text
      sendPresence()
      return done(request, "")
    }
    if request.verb == .abilities, request.target.isEmpty {
      return done(request, serverAbilities)
    }
    if request.verb == .approve, request.target.isEmpty { return tellAskers(request) }
    if request.verb == .decline {
      for asker in roster.askers {
        send(Element("presence", ["type": "unsubscribed", "to": asker.description]))
      }
      roster.askers = []
      return done(request, "")
    }
    if [.block, .unblock].contains(request.verb), !server.hasBlocking {
      return done(request, "The server cannot block anybody.")
    }
    if request.verb == .block, request.target.isEmpty {
      ask("get", Element("blocklist", namespace: Feature.blocking), .blocked(request))
      return
    }
    guard let target = Address(request.target) else {
      return done(request, filled(("%1 is not an address.", [request.target])))
    }
    switch request.verb {
    case .join: join(request, target)
    case .leave:
      dropBookmark(target)
      leave(target)
      done(request, "")
    case .topic, .invite: sendToRoom(request, target)
    case .history: history(request)
    case .subscribe where roster.contacts[target.bare]?.isSeen == true && request.text.isEmpty:
      isContact(request, target.bare)
    case .subscribe: addContact(request, target.bare)
    case .approve: approve(request, target.bare)
    case .unsubscribe: forgetContact(request, target.bare)
    case .block, .unblock:
      let item = Element("item", namespace: Feature.blocking, ["jid": target.description])
      ask(
        "set",
        Element(request.verb.rawValue, namespace: Feature.blocking, children: [item]),
        .request(request))
    case .abilities:
      // Of somebody it is their program that answers, where one is there; of a room, itself.
      let device = roster.contacts[target]?.devices.keys.min() ?? ""
      let asked = Address(local: target.local, domain: target.domain, resource: device)
      ask("get", Element("query", namespace: Feature.info), to: asked, .abilities(request))
    // The process itself carries out the others.
    case .presence, .reconnect, .settings, .fetch, .fetchUnasked, .decline: break
    }
  }

  private mutating func join(_ request: NetworkRequest, _ target: Address) {
    guard target.resource.isEmpty, !target.local.isEmpty else {
      return done(request, filled(("%1 is not the address of a room.", [request.target])))
    }
    let wanted = request.text.isEmpty ? rooms[target]?.wantedNick ?? nick : request.text
    if let room = rooms[target], room.isEntered {
      if room.nick == wanted { return done(request, "") }
      // Another nickname (XEP-0045, 7.6); the presences that follow tell it.
      let id = newID()
      var presence = ownPresence()
      presence["to"] = inside(target, wanted).description
      presence["id"] = id
      send(presence)
      expect(id, from: inside(target, wanted), .unlessRefused(request), limit: 5_000)
      return
    }
    guard rooms[target] != nil || rooms.count < Limits.rooms else {
      return done(request, "You are in too many rooms. Leave one first.")
    }
    if rooms[target] == nil {
      rooms[target] = Room(nick: wanted)
      rooms[target]?.isAskedFor = true
    }
    rooms[target]?.wantedNick = wanted
    if !request.secret.isEmpty { rooms[target]?.password = request.secret }
    if let former = rooms[target]?.request, former.id != request.id { done(former, "") }
    rooms[target]?.request = request
    if rooms[target]?.isEntering == false {
      rooms[target]?.nick = wanted
      enter(target)
    }
  }

  private mutating func sendToRoom(_ request: NetworkRequest, _ target: Address) {
    guard let room = rooms[target], room.isEntered || room.isEntering else {
      return done(request, filled(("You are not in %1.", [request.target])))
    }
    guard room.isEntered else { return requests.putOff(request) }
    let id = newID()
    var message = Element("message", ["to": target.description, "id": id])
    if request.verb == .topic {
      message["type"] = "groupchat"
      message.add(Element("subject", text: request.text))
      expect(id, from: target, .topic(request), limit: Limits.answer)
    } else {
      guard let guest = Address(request.text) else {
        return done(request, filled(("%1 is not an address.", [request.text])))
      }
      // By the room, which lets the guest in where only members may enter (XEP-0045, 7.8.2).
      let invite = Element(
        "invite", namespace: Feature.roomUser, ["to": guest.bare.description])
      message.add(Element("x", namespace: Feature.roomUser, children: [invite]))
      expect(id, from: target, .unlessRefused(request), limit: 5_000)
    }
    send(message)
  }

  private mutating func approve(_ request: NetworkRequest, _ target: Address) {
    if roster.contacts[target]?.subscription == "both" { return isContact(request, target) }
    send(Element("presence", ["type": "subscribed", "to": target.description]))
    // Who lets somebody see that they are there wants to see the same.
    addContact(request, target)
  }

  private mutating func tellAskers(_ request: NetworkRequest) {
    let askers = roster.askers.map(\.description).sorted()
    done(
      request,
      askers.isEmpty
        ? "Nobody asks to be your contact."
        : filled(
          (
            "Asking to be your contacts: %1. /contact accept ADDRESS accepts one.",
            [Client.list(askers)]
          )))
  }

  /// Whom the owner shut out (XEP-0191, 3.2).
  mutating func blockedCame(_ answer: Question.Answer, _ request: NetworkRequest) {
    guard case .result(let answer) = answer else {
      return done(request, sentence(for: answer, account.domain))
    }
    let items = answer.first("blocklist", Feature.blocking)?.children ?? []
    let blocked = items.compactMap { $0["jid"].flatMap(Address.init)?.description }
    done(
      request,
      blocked.isEmpty ? "Nobody is blocked." : filled(("Blocked: %1.", [Client.list(blocked)])))
  }

  private static func list(_ names: [String]) -> String {
    let more = names.count - Limits.listed
    return names.prefix(Limits.listed).joined(separator: ", ")
      + (more > 0 ? filled((" and %1 more", [String(more)])) : "")
  }

  private mutating func isContact(_ request: NetworkRequest, _ target: Address) {
    done(request, filled(("%1 is already a contact.", [target.description])))
  }

  private mutating func addContact(_ request: NetworkRequest, _ target: Address) {
    var item = Element("item", namespace: Feature.roster, ["jid": target.description])
    let name = request.text.isEmpty ? roster.contacts[target]?.name ?? "" : request.text
    if !name.isEmpty { item["name"] = name }
    ask("set", Element("query", namespace: Feature.roster, children: [item]), .contact(request))
  }

  mutating func contactIsKept(_ answer: Question.Answer, _ request: NetworkRequest) {
    var sentence = sentence(for: answer, request.target)
    if sentence.isEmpty, let target = Address(request.target) {
      roster.ownerAsked(target.bare)
      send(Element("presence", ["type": "subscribe", "to": target.bare.description]))
      // The server may not have said yet that they asked.
      let hasAsked = roster.askers.remove(target.bare) != nil
      sentence = filled(
        (
          request.verb == .approve && hasAsked
            ? "%1 is a contact now."
            : "hobnob asked %1; until they accept, neither of you sees whether the other is online.",
          [request.target]
        ))
    }
    done(request, sentence)
  }

  private mutating func forgetContact(_ request: NetworkRequest, _ target: Address) {
    roster.askers.remove(target)
    guard roster.contacts[target] != nil else {
      // Someone who asks and is no contact is only told no.
      send(Element("presence", ["type": "unsubscribed", "to": target.description]))
      return done(request, "")
    }
    let item = Element(
      "item", namespace: Feature.roster,
      ["jid": target.description, "subscription": "remove"])
    ask("set", Element("query", namespace: Feature.roster, children: [item]), .request(request))
  }
}
