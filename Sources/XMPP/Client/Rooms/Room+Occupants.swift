// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Sentences

// Who is in a room.
extension Room {
  /// Handles a presence from the room that is not an error.
  ///
  /// - Parameter typing: people who leave are removed from it.
  mutating func applyPresence(
    _ stanza: Element, from: Address, _ typing: inout TypingStates, in context: inout ClientContext
  ) -> Change? {
    guard hearsPresence, !from.resource.isEmpty, from.resource.utf8.count <= Limits.identifier
    else { return nil }
    lastHeard = context.clock.time
    let user = stanza.first("x", Feature.roomUser)
    var codes = RoomStatus.codes(of: user)
    if from.resource != nick, isOfAnotherProgram(user, context.owner) {
      codes.remove(RoomStatus.isOwn)
    }
    switch stanza["type"] {
    case nil: return noteArrival(stanza, of: from.resource, codes, in: &context)
    case "unavailable": return noteDeparture(of: from.resource, user, codes, &typing, in: &context)
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
    _ stanza: Element, of nick: String, _ codes: Set<String>, in context: inout ClientContext
  ) -> Change? {
    let isOwn = codes.contains(RoomStatus.isOwn)
    let former = occupants[nick]
    // A presence that Prosody 0.12 makes itself, such as for a new role, has no id; the nickname
    // still belongs to the same person.
    let id = Limits.bounded(stanza.first("occupant-id", Feature.occupantIDs)?["id"])
    let item = stanza.first("x", Feature.roomUser)?.first("item", Feature.roomUser)
    let occupant = Occupant(
      occupantID: id ?? former?.occupantID, away: stanza.awayText,
      account: item?["jid"].flatMap(Address.init)?.bare)
    guard former != nil || isOwn || occupants.count < Limits.occupants else { return nil }
    occupants[nick] = occupant
    guard isEntered else { return isOwn ? noteEntry(as: nick, codes, in: &context) : nil }
    if isOwn {
      occupantID = occupant.occupantID
      if self.nick != nick {
        self.nick = nick
        context.tell(.joined(room: name, nick: nick))
      }
    }
    if former != occupant { tellPresent(nick, occupant, &context) }
    return nil
  }

  /// Someone in the room.
  private func user(_ nick: String, _ occupant: Occupant) -> NetworkUser {
    user(address.withResource(nick), occupantID: occupant.occupantID, isLive: true)
  }

  func tellPresent(_ nick: String, _ occupant: Occupant, _ context: inout ClientContext) {
    context.tell(.present(user(nick, occupant), room: name, away: occupant.away))
  }

  private mutating func noteDeparture(
    of nick: String, _ element: Element?, _ codes: Set<String>, _ typing: inout TypingStates,
    in context: inout ClientContext
  ) -> Change? {
    let occupant = occupants.removeValue(forKey: nick)
    if codes.contains(RoomStatus.isRenamed),
      let next = Limits.bounded(element?.first("item", Feature.roomUser)?["nick"])
    {
      if let occupant { noteRename(of: occupant, from: nick, to: next, &context) }
      return nil
    }
    if isInside, codes.contains(RoomStatus.isOwn) || self.nick == nick {
      return noteExpulsion(element, codes, in: &context)
    }
    guard isEntered, let occupant else { return nil }
    // Someone who was in the room under two nicknames has left under one of them, and now has the
    // other as their name.
    if let id = occupant.occupantID, hasOccupantIDs,
      let (other, same) = occupants.first(where: { $0.value.occupantID == id })
    {
      tellPresent(other, same, &context)
      return nil
    }
    let user = user(nick, occupant)
    typing.end(of: user, in: .room(name), &context)
    context.tell(.absent(user, room: name, removal: RoomStatus.removal(codes, element)))
    return nil
  }

  private mutating func noteRename(
    of occupant: Occupant, from former: String, to next: String, _ context: inout ClientContext
  ) {
    let isOwn = nick == former
    // The presence under the new name, which follows, must not look like an arrival.
    occupants[next] = occupant
    if isOwn, isInside { (nick, wantedNick) = (next, next) }
    guard isEntered else { return }
    if isOwn {
      context.end(filled(("You are %1 in %2 now.", [next, name]))) { [address] in
        guard case .unlessRefused(let request) = $0.purpose, request.verb == .join,
          Address(request.target) == address, request.text == next
        else { return nil }
        return request
      }
      context.tell(.joined(room: name, nick: next))
    }
    context.tell(.renamed(user(next, occupant), room: name, former: former))
  }

  private mutating func noteExpulsion(
    _ user: Element?, _ codes: Set<String>, in context: inout ClientContext
  ) -> Change {
    let reason = RoomStatus.leavingReason(codes, user, name)
    reset()
    if codes.contains(RoomStatus.isShutDown) || codes.contains(RoomStatus.isBroken) {
      state = .unreachable(reason)
      isLossTold = true
      context.needsPump = true
      context.clock.set(.room(address), in: Retry.room.pause)
      context.tell(.lost(room: name, reason: reason))
      context.requests.resume()
    } else {
      stayOut(reason, in: &context)
    }
    return .lost(address)
  }

  /// Notes the subject of the room.
  ///
  /// - Parameters:
  ///   - sender: nil if the room itself sent it.
  ///   - time: when it was changed; nil for now.
  mutating func noteTopic(
    _ text: String, by sender: NetworkUser?, at time: Milliseconds?, _ context: inout ClientContext
  ) {
    // Not every room repeats the id of the request.
    if sender?.isOwner == true {
      context.end("") { [address] in
        guard $0.to == address, case .topic(let request) = $0.purpose, request.text == text
        else { return nil }
        return request
      }
    }
    guard topic != text else { return }
    topic = text
    context.tell(.topic(room: name, text: text, by: sender, at: time))
  }
}
