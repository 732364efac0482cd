// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Sentences

// Who is in a room.
extension Client {
  mutating func handleRoomPresence(_ stanza: Element, _ from: Address) {
    let address = from.bare
    guard stanza["type"] != "error" else {
      // Of another nickname that was asked for, or of the first one.
      let id = stanza["id"] ?? ""
      if !answer(id, from: from, with: .error(StanzaError(stanza))) {
        entryRefused(stanza, address)
      }
      return
    }
    guard rooms[address]?.hearsPresence == true, !from.resource.isEmpty,
      from.resource.utf8.count <= Limits.word
    else { return }
    rooms[address]?.lastHeard = clock.time
    let user = stanza.first("x", Feature.roomUser)
    var codes = RoomStatus.codes(of: user)
    if from.resource != rooms[address]?.nick, isOfAnotherProgram(user) {
      codes.remove(RoomStatus.isOwn)
    }
    switch stanza["type"] {
    case nil: came(stanza, from, codes)
    case "unavailable": went(from, user, codes)
    default: break
    }
  }

  /// Prosody 0.12 says of every program of the owner's that it is the owner, whatever it is called in
  /// the room.
  private func isOfAnotherProgram(_ user: Element?) -> Bool {
    let items = user?.children.filter { $0.name == "item" } ?? []
    let addresses = items.compactMap { $0["jid"].flatMap(Address.init) }
    return !addresses.isEmpty && !addresses.contains { $0.resource.isEmpty || $0 == jid }
  }

  private mutating func came(_ stanza: Element, _ from: Address, _ codes: Set<String>) {
    let (address, nick) = (from.bare, from.resource)
    // No copy of the room is held while it changes: thousands of people may come at once.
    let (isEntered, ownNick) = (rooms[address]?.isEntered == true, rooms[address]?.nick)
    let isOwn = codes.contains(RoomStatus.isOwn)
    let former = rooms[address]?.occupants[nick]
    // A presence that Prosody 0.12 makes itself, as for a new role, has no id: who has the nickname
    // has it still.
    let id = Client.word(stanza.first("occupant-id", Feature.occupantIDs)?["id"])
    let occupant = Room.Occupant(
      occupantID: id ?? former?.occupantID, away: Roster.Contact.Device(stanza).away)
    let count = rooms[address]?.occupants.count ?? 0
    guard former != nil || isOwn || count < Limits.occupants else { return }
    rooms[address]?.occupants[nick] = occupant
    guard isEntered else {
      if isOwn { entered(address, as: nick, codes) }
      return
    }
    if isOwn {
      rooms[address]?.occupantID = occupant.occupantID
      if ownNick != nick {
        rooms[address]?.nick = nick
        tell(.joined(room: address.description, nick: nick))
      }
    }
    guard former != occupant else { return }
    tellOccupant(nick, occupant, in: address) { .present($0, room: $1, away: occupant.away) }
  }

  private mutating func went(_ from: Address, _ user: Element?, _ codes: Set<String>) {
    let (address, nick) = (from.bare, from.resource)
    let (isEntered, isInside) = (
      rooms[address]?.isEntered == true, rooms[address]?.isInside == true
    )
    let isOwnNick = rooms[address]?.nick == nick
    let occupant = rooms[address]?.occupants.removeValue(forKey: nick)
    if codes.contains(RoomStatus.isRenamed),
      let next = Client.word(user?.first("item", Feature.roomUser)?["nick"])
    {
      guard let occupant else { return }
      // So the presence under the new name, which follows, is no news.
      rooms[address]?.occupants[next] = occupant
      if isOwnNick, isInside {
        rooms[address]?.nick = next
        rooms[address]?.wantedNick = next
      }
      if isOwnNick, isEntered {
        renamed(to: next, in: address)
        tell(.joined(room: address.description, nick: next))
      }
      if isEntered {
        tellOccupant(next, occupant, in: address) { .renamed($0, room: $1, former: nick) }
      }
      return
    }
    if isInside, codes.contains(RoomStatus.isOwn) || isOwnNick {
      thrownOut(of: address, user, codes)
    } else if isEntered, let occupant {
      // Who is in by two nicknames has left by one of them, and is called as by the other.
      if let id = occupant.occupantID, rooms[address]?.hasOccupantIDs == true,
        let (other, same) = rooms[address]?.occupants.first(where: { $0.value.occupantID == id })
      {
        tellOccupant(other, same, in: address) { .present($0, room: $1, away: same.away) }
        return
      }
      let removal = RoomStatus.removal(codes, user)
      tellOccupant(nick, occupant, in: address) { .absent($0, room: $1, removal: removal) }
    }
  }

  /// The room took the nickname that a shell asked for.
  private mutating func renamed(to nick: String, in address: Address) {
    for (id, question) in questions {
      guard case .unlessRefused(let request) = question.purpose, request.verb == .join,
        Address(request.target) == address, request.text == nick
      else { continue }
      forget(id)
      done(request, filled(("You are %1 in %2 now.", [nick, address.description])))
    }
  }

  private mutating func thrownOut(of address: Address, _ user: Element?, _ codes: Set<String>) {
    let reason = RoomStatus.leavingReason(codes, user, address.description)
    lose(address)
    let isPassing = codes.contains(RoomStatus.isShutDown) || codes.contains(RoomStatus.isBroken)
    outbox.needsPump = true
    if isPassing {
      rooms[address]?.state = .unreachable(reason)
      rooms[address]?.isLossTold = true
      clock.set(.room(address), in: Retry.room.pause)
      tell(.lost(room: address.description, reason: reason))
    } else {
      rooms[address]?.state = .refused(reason)
      clock.clear(.room(address))
      tell(.left(room: address.description, reason: reason))
      if let request = rooms[address]?.request { done(request, reason) }
      rooms[address]?.request = nil
    }
    goOnWithRequests()
  }

  private mutating func tellOccupant(
    _ nick: String, _ occupant: Room.Occupant, in address: Address,
    _ news: (NetworkUser, String) -> NetworkEvent
  ) {
    guard let room = rooms[address] else { return }
    let speaker = room.speaker(
      inside(address, nick), occupantID: occupant.occupantID, isLive: true)
    if case .absent = news(speaker, "") {
      endTyping(of: speaker, in: .room(address.description))
    }
    tell(news(speaker, address.description))
  }

  mutating func topicCame(
    _ text: String, by speaker: NetworkUser?, _ heard: IncomingMessage, in address: Address
  ) {
    // Not every room repeats the id.
    if speaker?.isOwner == true {
      for (id, question) in questions where question.to == address {
        guard case .topic(let request) = question.purpose, request.text == text else { continue }
        forget(id)
        done(request, "")
      }
    }
    guard rooms[address]?.topic != text else { return }
    rooms[address]?.topic = text
    tell(.topic(room: address.description, text: text, by: speaker, at: heard.time))
  }
}
