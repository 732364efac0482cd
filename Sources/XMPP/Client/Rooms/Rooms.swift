// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Sentences

/// The rooms that the owner is in or wants to be in. Enters them, and finds out if the owner is no
/// longer in one (XEP-0045, 7.2).
struct Rooms: Sendable {
  /// A change that other parts of the client have to know.
  enum Change: Sendable {
    /// - Parameter isRequested: whether a shell asked for it.
    case entered(Address, isRequested: Bool)
    /// The room no longer counts the owner among its occupants.
    case lost(Address)
  }

  var byAddress: [Address: Room] = [:]
  /// How often the owner has entered a room.
  private var entries = 0
  /// The server's own service for rooms.
  private(set) var service: Address?

  subscript(_ address: Address) -> Room? { byAddress[address] }

  mutating func noteWanted(_ room: WantedRoom, owner: Owner) {
    guard let address = Address(room.address), address.resource.isEmpty else { return }
    byAddress[address] = Room(
      nick: room.nick.isEmpty ? owner.nick : room.nick, password: room.password)
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
    service = nil
    for address in byAddress.keys.sorted(by: { "\($0)" < "\($1)" }) { enter(address, in: &context) }
  }

  mutating func resetAll() {
    for address in Array(byAddress.keys) { byAddress[address]?.reset() }
  }

  /// Notes the server's service for rooms. The name of a room there is its local part.
  mutating func noteService(
    at address: Address, _ answer: Element, in context: inout ClientContext
  ) {
    let info = DiscoveredInfo(answer)
    guard info.features.contains(Feature.rooms), address.local.isEmpty,
      info.kinds.contains("conference/text")
    else { return }
    if service == nil {
      context.tell(
        .rules(AddressRules(domain: context.owner.account.domain, roomDomain: address.description)))
    }
    service = service ?? address
    for (room, state) in byAddress where state.isEntered { tellName(of: room, in: &context) }
  }

  /// Tells a room's own name or, on the server's own service, the local part of its address.
  private func tellName(of address: Address, in context: inout ClientContext) {
    var name = byAddress[address]?.ownName ?? ""
    if name.hasPrefix("#") { name.removeFirst() }
    // Many services repeat the local part; only with its domain is it the room's alone. A name
    // must not look like the address of another room.
    if name.isEmpty || name == address.local || name.contains("@") {
      guard address.domain == service?.domain else { return }
      name = address.local
    }
    context.tell(.roomNamed(room: address.description, name: name))
  }

  /// Tells each room that the owner is in that they are away, or back.
  func sendPresence(in context: inout ClientContext) {
    for (address, room) in byAddress where room.isEntered {
      context.send(context.owner.presence(to: address.withResource(room.nick)))
    }
  }

  // MARK: Entering

  /// Asks a room what it can do, which decides how to enter it.
  mutating func enter(_ address: Address, in context: inout ClientContext) {
    guard context.isUp, let room = byAddress[address], !room.isEntering, !room.isEntered
    else { return }
    byAddress[address]?.state = .asking
    queryFeatures(of: address, in: &context)
  }

  private func queryFeatures(of address: Address, in context: inout ClientContext) {
    context.sendIQ(
      "get", Element("query", namespace: Feature.info), to: address, .roomInfo(address))
  }

  mutating func noteFeatures(
    of address: Address, _ answer: IQRequest.Answer, in context: inout ClientContext
  ) -> Change? {
    guard let room = byAddress[address] else { return nil }
    switch answer {
    case .result(let answer):
      let info = DiscoveredInfo(answer)
      let features = info.features
      byAddress[address]?.isDescribed = true
      byAddress[address]?.ownName = String(info.roomName.prefix(Limits.identifier))
      byAddress[address]?.hasArchive = features.contains(Feature.archive)
      byAddress[address]?.hasOccupantIDs = features.contains(Feature.occupantIDs)
      byAddress[address]?.hasIDs = features.contains(Feature.ids)
    case .error(let error) where error.condition.hasPrefix("remote-server"):
      waitForServer(of: address, refusalSentence(error, room, address), in: &context)
      return nil
    case .silence:
      waitForServer(of: address, answer.failure(at: address.description), in: &context)
      return nil
    // Try to enter anyway: entering creates a room that does not exist, and a hidden room tells
    // strangers nothing.
    case .error: break
    }
    if room.state == .asking { sendEntry(to: address, in: &context) }
    return room.state == .queryingFeatures ? finishEntering(address, in: &context) : nil
  }

  private mutating func sendEntry(to address: Address, in context: inout ClientContext) {
    guard let room = byAddress[address] else { return }
    let id = context.newID()
    var user = Element("x", namespace: Feature.rooms)
    // Older messages come from the archive.
    user.add(
      Element(
        "history", namespace: Feature.rooms,
        room.hasArchive ? ["maxchars": "0"] : ["maxstanzas": "50"]))
    if !room.password.isEmpty {
      user.add(Element("password", namespace: Feature.rooms, text: room.password))
    }
    var presence = context.owner.presence(to: address.withResource(room.nick))
    presence["id"] = id
    presence.add(user)
    context.send(presence)
    byAddress[address]?.entryID = id
    byAddress[address]?.state = .entering
    entries += 1
    byAddress[address]?.playback = entries
    byAddress[address]?.occupants = [:]
    byAddress[address]?.lastHeard = context.clock.time
    context.clock.set(.room(address), in: Limits.entering)
  }

  /// Handles a presence of the type error (XEP-0045, 7.2), which does not say that it is about
  /// entering.
  mutating func noteRefusal(
    _ stanza: Element, by address: Address, in context: inout ClientContext
  ) {
    guard let room = byAddress[address], room.state == .entering,
      stanza["id"] == nil || stanza["id"] == room.entryID
    else { return }
    let error = StanzaError(stanza)
    let sentence = refusalSentence(error, room, address)
    if error.condition == "conflict", Retry.nickname.allowsAnotherTry(after: room.takenNicks + 1) {
      byAddress[address]?.takenNicks += 1
      byAddress[address]?.nick += "_"
      sendEntry(to: address, in: &context)
    } else if error.condition.hasPrefix("remote-server") {
      waitForServer(of: address, sentence, in: &context)
    } else {
      byAddress[address]?.reset()
      stayOut(of: address, sentence, in: &context)
    }
  }

  private func refusalSentence(_ error: StanzaError, _ room: Room, _ address: Address) -> Remark {
    error.sentence(
      enteringAs: room.nick, address.description, hasPassword: !room.password.isEmpty)
  }

  /// Notes that the room does not let the owner in.
  mutating func stayOut(
    of address: Address, _ sentence: Remark, in context: inout ClientContext
  ) {
    context.clock.clear(.room(address))
    byAddress[address]?.state = .refused(sentence)
    context.needsPump = true
    context.tell(.left(room: address.description, reason: sentence))
    if let request = takeRequest(of: address) { context.answer(request, sentence) }
    context.requests.resume()
  }

  /// Notes that the room cannot be reached; the client tries again later.
  private mutating func waitForServer(
    of address: Address, _ sentence: Remark, in context: inout ClientContext
  ) {
    byAddress[address]?.reset()
    byAddress[address]?.state = .unreachable(sentence)
    context.clock.set(.room(address), in: Retry.room.pause)
    if let request = takeRequest(of: address) {
      context.answer(request, sentence)
    } else if byAddress[address]?.isLossTold == false {
      context.tell(.lost(room: address.description, reason: sentence))
    }
    byAddress[address]?.isLossTold = true
    context.requests.resume()
  }

  private mutating func takeRequest(of address: Address) -> NetworkRequest? {
    defer { byAddress[address]?.request = nil }
    return byAddress[address]?.request
  }

  /// Notes that the room has listed all its occupants: the owner comes last.
  mutating func noteEntry(
    into address: Address, as nick: String, _ codes: Set<String>, in context: inout ClientContext
  ) -> Change? {
    guard byAddress[address]?.state == .entering else { return nil }
    let isNew = codes.contains(RoomStatus.isCreated)
    byAddress[address]?.nick = nick
    byAddress[address]?.isNew = isNew
    if byAddress[address]?.isDescribed == true, !isNew {
      return finishEntering(address, in: &context)
    }
    byAddress[address]?.state = .queryingFeatures
    if isNew {
      // A new room stays closed until its owner has accepted its settings, here the suggested ones.
      let form = Element(
        "query", namespace: Feature.roomOwner,
        children: [Element("x", namespace: Feature.forms, ["type": "submit"])])
      context.sendIQ("set", form, to: address, .roomForm(address))
    } else {
      queryFeatures(of: address, in: &context)
    }
    return nil
  }

  /// Asks a new room what it can do; it answers only now that it has its settings.
  func noteOpening(of address: Address, in context: inout ClientContext) {
    if byAddress[address]?.state == .queryingFeatures {
      queryFeatures(of: address, in: &context)
    }
  }

  /// Finishes entering: the owner is in the room, and the client knows what the room can do.
  private mutating func finishEntering(
    _ address: Address, in context: inout ClientContext
  ) -> Change? {
    guard let room = byAddress[address] else { return nil }
    byAddress[address]?.occupantID = room.occupants[room.nick]?.occupantID
    byAddress[address]?.isLossTold = false
    byAddress[address]?.state = .entered
    byAddress[address]?.takenNicks = 0
    context.clock.set(.room(address), in: room.hasArchive ? Limits.silence : Limits.entering)
    context.tell(.joined(room: address.description, nick: room.nick))
    tellName(of: address, in: &context)
    for (nick, occupant) in room.occupants {
      guard let user = user(nick, occupant, in: address) else { continue }
      context.tell(.present(user, room: address.description, away: occupant.away))
    }
    if let request = takeRequest(of: address) {
      context.answer(
        request,
        room.wantedNick == room.nick
          ? ""
          : filled(
            ("The nickname %1 is taken; you are %2 there.", [room.wantedNick, room.nick])))
    }
    context.requests.resume()
    return .entered(address, isRequested: room.request != nil)
  }

  /// Returns and forgets the messages that came before the client knew what the room can do.
  mutating func takeEarlyMessages(of address: Address) -> [Element] {
    defer {
      byAddress[address]?.early = []
      byAddress[address]?.isNew = false
    }
    return byAddress[address]?.early ?? []
  }

  /// Keeps a message until the client knows what its room can do.
  ///
  /// - Returns: whether it waits.
  mutating func holdsEarly(_ message: Element, of address: Address) -> Bool {
    guard let room = byAddress[address], room.state == .queryingFeatures else { return false }
    if room.early.count < Limits.held, message.weight <= Limits.waitingWeight {
      byAddress[address]?.early.append(message)
    }
    return true
  }

  // MARK: In the room

  mutating func noteActivity(in address: Address, _ context: ClientContext) {
    byAddress[address]?.lastHeard = context.clock.time
  }

  /// Notes that the room has sent all of its history.
  mutating func noteHistoryEnd(of address: Address, in context: inout ClientContext) {
    guard let room = byAddress[address], !room.hasSentHistory else { return }
    byAddress[address]?.hasSentHistory = true
    context.needsPump = true
    if room.isAskedFor, room.isEntered, !room.hasArchive {
      context.tell(.historySent(room: address.description))
    }
  }

  /// Handles the alarm of a room: it was silent for a long time, or another try is due.
  mutating func check(_ address: Address, in context: inout ClientContext) {
    guard context.isUp, let room = byAddress[address] else { return }
    switch room.state {
    case .entering, .queryingFeatures:
      waitForServer(
        of: address, IQRequest.Answer.silence.failure(at: address.description), in: &context)
    case .unreachable: enter(address, in: &context)
    case .entered:
      // Not every room sends a subject.
      noteHistoryEnd(of: address, in: &context)
      let left = room.lastHeard + Limits.silence - context.clock.time
      if left > 0 {
        context.clock.set(.room(address), in: left)
      } else {
        context.sendIQ(
          "get", Element("ping", namespace: Namespace.ping), to: address.withResource(room.nick),
          .roomPing(address))
      }
    case .outside, .asking, .refused: break
    }
  }

  /// Handles the answer that says whether the owner is still in a room (XEP-0410, 3).
  mutating func notePing(
    of address: Address, _ answer: IQRequest.Answer, in context: inout ClientContext
  ) -> Change? {
    guard let room = byAddress[address], room.isEntered else { return nil }
    switch answer {
    case .error(let error)
    where ![
      "service-unavailable", "feature-not-implemented", "remote-server-not-found",
      "remote-server-timeout", "item-not-found",
    ].contains(error.condition):
      return enterAgain(address, in: &context)
    case .silence: context.clock.set(.room(address), in: Limits.entering)
    case .result, .error:
      noteActivity(in: address, context)
      context.clock.set(.room(address), in: Limits.silence)
    }
    return nil
  }

  /// Enters a room once more, since it no longer knows the owner: it was restarted, or lost the
  /// connection.
  mutating func enterAgain(_ address: Address, in context: inout ClientContext) -> Change {
    byAddress[address]?.reset()
    enter(address, in: &context)
    return .lost(address)
  }

  /// Someone in a room; nil if the owner is not in it.
  func user(_ nick: String, _ occupant: Room.Occupant?, in address: Address) -> NetworkUser? {
    byAddress[address]?.user(
      address.withResource(nick), occupantID: occupant?.occupantID, isLive: true)
  }
}
