// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks

// Answers that the client gets and gives.
extension Client {
  mutating func handleIQ(_ stanza: Element, _ from: Address?) {
    guard let id = stanza["id"], id.utf8.count <= Limits.identifier else { return }
    switch stanza["type"] {
    case "result": _ = answer(id, from: from, with: .result(stanza))
    case "error": _ = answer(id, from: from, with: .error(StanzaError(stanza)))
    case "get": reply(to: stanza, id, with: OwnFeatures.answer(toGet: stanza.children.first))
    case "set": reply(to: stanza, id, with: applyPush(stanza, from) ? [] : nil)
    default: break
    }
  }

  /// - Parameter answer: nil for a request that the client does not understand.
  private mutating func reply(to stanza: Element, _ id: String, with answer: [Element]?) {
    var reply = Element("iq", ["type": "result", "id": id], children: answer ?? [])
    reply["to"] = stanza["from"]
    if answer == nil {
      reply["type"] = "error"
      reply.add(StanzaError.errorElement("service-unavailable"))
    }
    context.send(reply)
  }

  /// - Returns: whether the client understands it.
  private mutating func applyPush(_ stanza: Element, _ from: Address?) -> Bool {
    guard let payload = stanza.children.first, context.owner.isAccount(from) else { return false }
    switch (payload.name, payload.namespace) {
    case ("query", Feature.roster): roster.applyPush(payload, in: &context)
    case ("block", Feature.blocking), ("unblock", Feature.blocking): break
    default: return false
    }
    return true
  }

  /// - Returns: whether it answers a request that the client had sent to this sender.
  mutating func answer(_ id: String, from: Address?, with answer: IQRequest.Answer) -> Bool {
    guard let iq = context.takeIQ(id, askedOf: from) else { return false }
    dispatch(answer, to: iq)
    return true
  }

  /// Handles some items of a long answer, whose end is still to come.
  mutating func handle(part stanza: Element) {
    let from = stanza["from"].flatMap(Address.init)
    guard let id = stanza["id"], from != nil || stanza["from"] == nil,
      let iq = context.iq(id, askedOf: from)
    else { return }
    context.noteProgress(of: id)
    switch iq.purpose {
    case .roster:
      if let query = stanza.first("query", Feature.roster) {
        roster.applyPart(query, in: &context)
      }
    // A list this long has more items than hobnob queries, so its first part is the answer.
    case .items: _ = answer(id, from: from, with: .result(stanza))
    default: break
    }
  }

  /// Gives an answer to the part of the client that asked.
  mutating func dispatch(_ answer: IQRequest.Answer, to iq: IQRequest) {
    defer { if iq.purpose.isAboutServices { tellAbilities() } }
    switch iq.purpose {
    case .roster: roster.apply(answer, in: &context)
    case .contact(let request): roster.finishAdding(request, answer, in: &context)
    case .bookmarks: apply(bookmarks.apply(answer))
    case .bookmark(let room, let isPlain):
      bookmarks.finishPublishing(room, isPlain: isPlain, answer, in: &context)
    case .serverInfo: server.noteServer(answer, in: &context)
    case .accountInfo: beginSession(answer)
    case .items:
      // Messages with files wait until the services are known.
      context.needsPump = true
      server.askServices(in: answer, &context)
    case .itemInfo(let address):
      context.needsPump = true
      guard case .result(let answer) = answer else { return }
      rooms.noteService(at: address, answer, in: &context)
      server.noteUploads(at: address, answer)
    case .roomInfo(let room):
      let features: Set<String>? =
        if case .result(let info) = answer { DiscoveredInfo(info).features } else { nil }
      encryption?.noteFeatures(
        of: room, features, isInside: rooms[room]?.isEntered == true, in: &context)
      apply(rooms.byAddress[room]?.noteFeatures(answer, in: &context))
    case .roomMembers(let room, let affiliation):
      encryption?.noteMembers(of: room, as: affiliation, answer, in: &context)
    case .roomForm(let room): rooms.byAddress[room]?.noteOpening(in: &context)
    case .roomPing(let room): apply(rooms.byAddress[room]?.notePing(answer, in: &context))
    case .page(let query): readPage(query, answer)
    case .slot(let entry, let isSealed): noteSlot(answer, for: entry, isSealed: isSealed)
    case .request(let request):
      let failure = answer.failure(at: request.target)
      context.answer(request, failure.isEmpty ? request.successSentence : failure)
    case .abilities(let request):
      let isRoom = Address(request.target).map { rooms[$0] != nil } ?? false
      let sentence = AbilitySentences.sentence(of: request.target, isRoom: isRoom, answer)
      context.answer(request, serverAbilities + " " + sentence)
    case .blocked(let request):
      context.answer(request, Roster.blockedSentence(answer, of: context.owner.account))
    case .topic(let request): context.answer(request, Rooms.topicSentence(for: request, answer))
    case .unlessRefused(let request):
      context.answer(request, Rooms.sentence(for: request, answer))
    case .keyList(let account, let version):
      encryption?.noteList(of: account, version, answer, in: &context)
    case .keyBundle(let name): encryption?.noteBundle(name, answer, in: &context)
    case .keysPublished(let node, let publish):
      encryption?.publisher.finish(node, publish, answer, in: &context)
    case .carbons: break
    }
  }

  /// Begins the session, now that the account has said what it supports.
  private mutating func beginSession(_ answer: IQRequest.Answer) {
    server.noteAccount(answer)
    // After the first presence the server sends the messages that wait for the owner, and with
    // carbons it sends copies. From here on, the client can tell both from what the archive
    // delivers.
    context.sendIQ("set", Element("enable", namespace: Feature.carbons), .carbons)
    sendPresence()
    encryption?.begin(in: &context)
    archives.beginAccount(exists: server.hasArchive, in: &context)
    context.needsPump = true
  }

  /// Tells the server and each room that the owner is online, or away.
  mutating func sendPresence() {
    context.send(context.owner.presence())
    rooms.sendPresence(in: &context)
  }

  /// Reads a page of an archive that has arrived, or an error in its place.
  private mutating func readPage(_ id: String, _ answer: IQRequest.Answer) {
    guard let page = archives.takePage(id, answer, in: &context) else { return }
    let count = context.messageCount
    for message in page.messages {
      switch page.query.archive {
      case .account: interpretDirect(message)
      case .room(let address): interpretRoom(message, in: address)
      }
    }
    archives.finish(page, messages: context.messageCount - count, in: &context)
  }

  /// Reports what people can do, once all services have said what they are.
  private mutating func tellAbilities() {
    var abilities = server.abilities
    // Until it is known who has devices.
    if encryption?.library != nil { abilities.direct.encryption = .asking }
    guard !context.isLookingForServices, toldAbilities != abilities else { return }
    toldAbilities = abilities
    context.tell(.abilities(abilities))
  }

  var serverAbilities: Remark {
    let sentence = AbilitySentences.sentence(
      ofServer: context.owner.account.domain, server, rooms: context.roomService)
    return encryption?.library == nil ? sentence + " " + cannotEncrypt : sentence
  }

  /// Why nothing can be encrypted for anybody.
  var cannotEncrypt: Remark {
    Encryption.Obstacle.noLibrary.sentence(context.owner.account, isWaiting: false)
  }
}
