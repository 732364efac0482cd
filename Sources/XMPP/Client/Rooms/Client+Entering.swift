// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Sentences

// Into rooms, and out of them again (XEP-0045, 7.2).
extension Client {
  /// Asks a room what it can do, which says how to enter it.
  mutating func enter(_ address: Address) {
    guard isUp, let room = rooms[address], !room.isEntering, !room.isEntered else { return }
    rooms[address]?.state = .asking
    askWhatItCanDo(address)
  }

  private mutating func askWhatItCanDo(_ address: Address) {
    ask("get", Element("query", namespace: Feature.info), to: address, .roomInfo(address))
  }

  mutating func roomInfoCame(_ answer: Question.Answer, of address: Address) {
    guard let room = rooms[address] else { return }
    switch answer {
    case .result(let answer):
      rooms[address]?.isKnown = true
      let features = ServerFeatures.names(in: answer)
      rooms[address]?.hasArchive = features.contains(Feature.archive)
      rooms[address]?.hasOccupantIDs = features.contains(Feature.occupantIDs)
      rooms[address]?.hasIDs = features.contains(Feature.ids)
    case .error(let error) where error.condition.hasPrefix("remote-server"):
      cannotReach(address, sentence(error, room, address))
      return
    case .silence:
      cannotReach(address, filled(("%1 does not answer.", [address.description])))
      return
    // A room that is not there is made by going in; a hidden one says nothing to strangers.
    case .error: break
    }
    if room.state == .asking {
      sendEntry(to: address)
    } else if room.state == .settling {
      settled(address)
    }
  }

  private mutating func sendEntry(to address: Address) {
    guard let room = rooms[address] else { return }
    let id = newID()
    var user = Element("x", namespace: Feature.rooms)
    // What was said before comes from the archive.
    user.add(
      Element(
        "history", namespace: Feature.rooms,
        room.hasArchive ? ["maxchars": "0"] : ["maxstanzas": "50"]))
    if !room.password.isEmpty {
      user.add(Element("password", namespace: Feature.rooms, text: room.password))
    }
    var presence = ownPresence()
    presence["id"] = id
    presence["to"] = inside(address, room.nick).description
    presence.add(user)
    send(presence)
    rooms[address]?.entry = id
    rooms[address]?.state = .entering
    rooms[address]?.occupants = [:]
    rooms[address]?.lastHeard = clock.time
    clock.set(.room(address), in: Limits.entering)
  }

  func inside(_ room: Address, _ nick: String) -> Address {
    Address(local: room.local, domain: room.domain, resource: nick)
  }

  /// A room says no (XEP-0045, 7.2): errors do not say that they are about rooms.
  mutating func entryRefused(_ stanza: Element, _ address: Address) {
    guard let room = rooms[address], room.state == .entering,
      stanza["id"] == nil || stanza["id"] == room.entry
    else { return }
    let error = StanzaError(stanza)
    let sentence = sentence(error, room, address)
    if error.condition == "conflict", Retry.nickname.goesOn(after: room.takenNicks + 1) {
      rooms[address]?.takenNicks += 1
      rooms[address]?.nick += "_"
      sendEntry(to: address)
    } else if error.condition.hasPrefix("remote-server") {
      cannotReach(address, sentence)
    } else {
      stayOut(address, sentence)
    }
  }

  private func sentence(_ error: StanzaError, _ room: Room, _ address: Address) -> String {
    error.sentence(
      enteringAs: room.nick, address.description, hasPassword: !room.password.isEmpty)
  }

  private mutating func stayOut(_ address: Address, _ sentence: String) {
    clock.clear(.room(address))
    let request = rooms[address]?.request
    rooms[address]?.isLost()
    rooms[address]?.request = nil
    rooms[address]?.state = .refused(sentence)
    outbox.needsPump = true
    tell(.left(room: address.description, reason: sentence))
    if let request { done(request, sentence) }
    goOnWithRequests()
  }

  private mutating func cannotReach(_ address: Address, _ sentence: String) {
    let request = rooms[address]?.request
    rooms[address]?.isLost()
    rooms[address]?.request = nil
    rooms[address]?.state = .unreachable(sentence)
    clock.set(.room(address), in: Retry.room.pause)
    if let request {
      done(request, sentence)
    } else if rooms[address]?.isLossTold == false {
      tell(.lost(room: address.description, reason: sentence))
    }
    rooms[address]?.isLossTold = true
    goOnWithRequests()
  }

  /// What waited for a room goes on: it is in it, or it hears that it is not.
  mutating func goOnWithRequests() {
    requests.goOn()
    runRequests()
  }

  /// The room has told who is in it, and last of all that the owner is.
  mutating func entered(_ address: Address, as nick: String, _ codes: Set<String>) {
    guard rooms[address]?.state == .entering else { return }
    rooms[address]?.nick = nick
    rooms[address]?.isNew = codes.contains(RoomStatus.isCreated)
    if rooms[address]?.isKnown == true, rooms[address]?.isNew == false { return settled(address) }
    rooms[address]?.state = .settling
    guard rooms[address]?.isNew == true else { return askWhatItCanDo(address) }
    // A new room is closed until its owner has taken its settings, here as they are.
    let form = Element(
      "query", namespace: Feature.roomOwner,
      children: [Element("x", namespace: Feature.forms, ["type": "submit"])])
    ask("set", form, to: address, .roomForm(address))
  }

  /// It is known what the room can do.
  private mutating func settled(_ address: Address) {
    guard let wasNick = rooms[address]?.wantedNick, let nick = rooms[address]?.nick else { return }
    let request = rooms[address]?.request
    rooms[address]?.request = nil
    let occupantID = rooms[address]?.occupants[nick]?.occupantID
    rooms[address]?.occupantID = occupantID
    rooms[address]?.isLossTold = false
    rooms[address]?.state = .entered
    rooms[address]?.takenNicks = 0
    let isArchived = rooms[address]?.hasArchive == true
    clock.set(.room(address), in: isArchived ? Limits.silence : Limits.entering)
    tell(.joined(room: address.description, nick: nick))
    tellShortName(of: address)
    tellOccupants(of: address)
    if let request {
      done(
        request,
        wasNick == nick
          ? ""
          : filled(("The nickname %1 is taken; you are %2 there.", [wasNick, nick])))
      keepBookmark(address)
    }
    catchUpIfThereIsAnArchive(address)
    let early = rooms[address]?.early ?? []
    rooms[address]?.early = []
    rooms[address]?.isNew = false
    for message in early { deliver(message, .live) }
    sayWhatWasSeen()
    goOnWithRequests()
  }

  /// A room at the account's own service is known by its local part.
  mutating func tellShortName(of address: Address) {
    guard address.domain == server.rooms?.domain else { return }
    tell(.roomNamed(room: address.description, name: address.local))
  }

  private mutating func tellOccupants(of address: Address) {
    guard let room = rooms[address] else { return }
    for (nick, occupant) in room.occupants {
      tell(
        .present(
          room.speaker(inside(address, nick), occupantID: occupant.occupantID, isLive: true),
          room: address.description, away: occupant.away))
    }
  }

  mutating func roomFormIsTaken(_ answer: Question.Answer, _ address: Address) {
    // Only an open room tells what it can do.
    if rooms[address]?.state == .settling { askWhatItCanDo(address) }
  }

  private mutating func catchUpIfThereIsAnArchive(_ address: Address) {
    let key = address.description
    outbox.needsPump = true
    if rooms[address]?.hasArchive == true {
      archives[key, default: Archive(mark: nil)].begin()
      if rooms[address]?.isNew == true, archives[key]?.mark == nil {
        // All that is in the archive of a new room is new, for a successor, too.
        archives[key]?.mark = ""
        tell(.caughtUp(archive: key, mark: ""))
      }
      catchUp(with: key)
    } else {
      archives[key, default: Archive(mark: nil)].state = .absent
    }
  }

  /// All that the room tells to whoever comes in has come.
  mutating func hasToldItsHistory(_ address: Address) {
    guard let room = rooms[address], !room.hasToldHistory else { return }
    rooms[address]?.hasToldHistory = true
    outbox.needsPump = true
    if room.isAskedFor, archives[address.description]?.state == .absent {
      tell(.toldHistory(room: address.description))
    }
  }

  /// It is time to look at a room: nothing came for long, or another try is due.
  mutating func roomIsDue(_ address: Address) {
    guard isUp, let room = rooms[address] else { return }
    switch room.state {
    case .entering, .settling:
      cannotReach(address, filled(("%1 does not answer.", [address.description])))
    case .unreachable: enter(address)
    case .entered:
      // Not every room tells a subject.
      hasToldItsHistory(address)
      let left = room.lastHeard + Limits.silence - clock.time
      if left > 0 {
        clock.set(.room(address), in: left)
      } else {
        let ping = Element("ping", namespace: Feature.ping)
        ask("get", ping, to: inside(address, room.nick), .roomPing(address))
      }
    case .outside, .asking, .refused: break
    }
  }

  /// Whether the owner is still in a room (XEP-0410, 3).
  mutating func roomPingCame(_ answer: Question.Answer, from address: Address) {
    guard let room = rooms[address], room.isEntered else { return }
    switch answer {
    case .error(let error)
    where ![
      "service-unavailable", "feature-not-implemented", "remote-server-not-found",
      "remote-server-timeout", "item-not-found",
    ].contains(error.condition):
      enterAgain(address)
    case .silence: clock.set(.room(address), in: Limits.entering)
    case .result, .error:
      rooms[address]?.lastHeard = clock.time
      clock.set(.room(address), in: Limits.silence)
    }
  }

  /// The room does not know the owner any more: it was restarted, or lost the connection.
  mutating func enterAgain(_ address: Address) {
    lose(address)
    enter(address)
  }

  /// The owner is not in a room any more. When they come back, nobody there has been told that they
  /// type.
  mutating func lose(_ address: Address) {
    rooms[address]?.isLost()
    archives[address.description]?.isLost()
    typesIn.remove(.room(address.description))
  }

  mutating func leave(_ address: Address) {
    guard let room = rooms[address] else { return }
    lose(address)
    rooms[address] = nil
    clock.clear(.room(address))
    if room.hearsPresence {
      send(
        Element(
          "presence",
          ["type": "unavailable", "to": inside(address, room.nick).description]))
    }
    if let request = room.request { done(request, "You left it before it answered.") }
    outbox.needsPump = true
    tell(.left(room: address.description, reason: nil))
    goOnWithRequests()
  }
}
