// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Sentences

// Who is in a room.
extension Rooms {
  /// Handles a presence from a room that is not an error.
  ///
  /// - Parameter typing: people who leave are removed from it.
  mutating func applyPresence(
    _ stanza: Element, from: Address, _ typing: inout TypingStates, in context: inout ClientContext
  ) -> Change? {
    let address = from.bare
    guard byAddress[address]?.hearsPresence == true, !from.resource.isEmpty,
      from.resource.utf8.count <= Limits.identifier
    else { return nil }
    noteActivity(in: address, context)
    let user = stanza.first("x", Feature.roomUser)
    var codes = RoomStatus.codes(of: user)
    if from.resource != byAddress[address]?.nick, isOfAnotherProgram(user, context.owner) {
      codes.remove(RoomStatus.isOwn)
    }
    switch stanza["type"] {
    case nil: return noteArrival(stanza, from, codes, in: &context)
    case "unavailable": return noteDeparture(from, user, codes, &typing, in: &context)
    default: return nil
    }
  }

  /// Whether a presence is that of another client of the owner's. Prosody 0.12 marks each of them
  /// as the owner, whatever its nickname.
  private func isOfAnotherProgram(_ user: Element?, _ owner: Owner) -> Bool {
    let items = user?.children.filter { $0.name == "item" } ?? []
    let addresses = items.compactMap { $0["jid"].flatMap(Address.init) }
    return !addresses.isEmpty && !addresses.contains { $0.resource.isEmpty || $0 == owner.jid }
  }

  private mutating func noteArrival(
    _ stanza: Element, _ from: Address, _ codes: Set<String>, in context: inout ClientContext
  ) -> Change? {
    let (address, nick) = (from.bare, from.resource)
    // Do not copy the room: each change would then copy all occupants, and thousands may arrive at
    // once.
    let (isEntered, ownNick) = (byAddress[address]?.isEntered == true, byAddress[address]?.nick)
    let isOwn = codes.contains(RoomStatus.isOwn)
    let former = byAddress[address]?.occupants[nick]
    // A presence that Prosody 0.12 makes itself, such as for a new role, has no id; the nickname
    // still belongs to the same person.
    let id = Limits.bounded(stanza.first("occupant-id", Feature.occupantIDs)?["id"])
    let occupant = Room.Occupant(occupantID: id ?? former?.occupantID, away: stanza.awayText)
    let count = byAddress[address]?.occupants.count ?? 0
    guard former != nil || isOwn || count < Limits.occupants else { return nil }
    byAddress[address]?.occupants[nick] = occupant
    guard isEntered else {
      return isOwn ? noteEntry(into: address, as: nick, codes, in: &context) : nil
    }
    if isOwn {
      byAddress[address]?.occupantID = occupant.occupantID
      if ownNick != nick {
        byAddress[address]?.nick = nick
        context.tell(.joined(room: address.description, nick: nick))
      }
    }
    if former != occupant { tellPresent(nick, occupant, in: address, &context) }
    return nil
  }

  private func tellPresent(
    _ nick: String, _ occupant: Room.Occupant, in address: Address, _ context: inout ClientContext
  ) {
    guard let user = user(nick, occupant, in: address) else { return }
    context.tell(.present(user, room: address.description, away: occupant.away))
  }

  private mutating func noteDeparture(
    _ from: Address, _ element: Element?, _ codes: Set<String>, _ typing: inout TypingStates,
    in context: inout ClientContext
  ) -> Change? {
    let (address, nick) = (from.bare, from.resource)
    let (isEntered, isInside) = (
      byAddress[address]?.isEntered == true, byAddress[address]?.isInside == true
    )
    let isOwnNick = byAddress[address]?.nick == nick
    let occupant = byAddress[address]?.occupants.removeValue(forKey: nick)
    if codes.contains(RoomStatus.isRenamed),
      let next = Limits.bounded(element?.first("item", Feature.roomUser)?["nick"])
    {
      if let occupant {
        noteRename(of: occupant, from: nick, to: next, in: address, &context)
      }
      return nil
    }
    if isInside, codes.contains(RoomStatus.isOwn) || isOwnNick {
      return noteExpulsion(from: address, element, codes, in: &context)
    }
    guard isEntered, let occupant else { return nil }
    // Someone who was in the room under two nicknames has left under one of them, and now has the
    // other as their name.
    if let id = occupant.occupantID, byAddress[address]?.hasOccupantIDs == true,
      let (other, same) = byAddress[address]?.occupants.first(where: { $0.value.occupantID == id })
    {
      tellPresent(other, same, in: address, &context)
      return nil
    }
    if let user = user(nick, occupant, in: address) {
      typing.end(of: user, in: .room(address.description), &context)
      context.tell(
        .absent(user, room: address.description, removal: RoomStatus.removal(codes, element)))
    }
    return nil
  }

  private mutating func noteRename(
    of occupant: Room.Occupant, from nick: String, to next: String, in address: Address,
    _ context: inout ClientContext
  ) {
    let (isOwn, isEntered) = (
      byAddress[address]?.nick == nick, byAddress[address]?.isEntered == true
    )
    // The presence under the new name, which follows, must not look like an arrival.
    byAddress[address]?.occupants[next] = occupant
    if isOwn, byAddress[address]?.isInside == true {
      byAddress[address]?.nick = next
      byAddress[address]?.wantedNick = next
    }
    guard isEntered else { return }
    if isOwn {
      context.end(filled(("You are %1 in %2 now.", [next, address.description]))) {
        guard case .unlessRefused(let request) = $0.purpose, request.verb == .join,
          Address(request.target) == address, request.text == next
        else { return nil }
        return request
      }
      context.tell(.joined(room: address.description, nick: next))
    }
    if let user = user(next, occupant, in: address) {
      context.tell(.renamed(user, room: address.description, former: nick))
    }
  }

  private mutating func noteExpulsion(
    from address: Address, _ user: Element?, _ codes: Set<String>, in context: inout ClientContext
  ) -> Change {
    let reason = RoomStatus.leavingReason(codes, user, address.description)
    byAddress[address]?.reset()
    if codes.contains(RoomStatus.isShutDown) || codes.contains(RoomStatus.isBroken) {
      byAddress[address]?.state = .unreachable(reason)
      byAddress[address]?.isLossTold = true
      context.needsPump = true
      context.clock.set(.room(address), in: Retry.room.pause)
      context.tell(.lost(room: address.description, reason: reason))
      context.requests.resume()
    } else {
      stayOut(of: address, reason, in: &context)
    }
    return .lost(address)
  }

  /// Notes the subject of a room.
  ///
  /// - Parameters:
  ///   - sender: nil if the room itself sent it.
  ///   - time: when it was changed; nil for now.
  mutating func noteTopic(
    _ text: String, by sender: NetworkUser?, at time: Milliseconds?, in address: Address,
    _ context: inout ClientContext
  ) {
    // Not every room repeats the id of the request.
    if sender?.isOwner == true {
      context.end("") {
        guard $0.to == address, case .topic(let request) = $0.purpose, request.text == text
        else { return nil }
        return request
      }
    }
    guard byAddress[address]?.topic != text else { return }
    byAddress[address]?.topic = text
    context.tell(.topic(room: address.description, text: text, by: sender, at: time))
  }
}
