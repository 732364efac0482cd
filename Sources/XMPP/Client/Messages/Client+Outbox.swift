// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Sentences

// From the outbox to the server, without loss and without doubles.
extension Client {
  private enum Readiness {
    case ready, later
    case never(String)
  }

  /// Whether a room gave something back that counts as sent, and may take it soon: no other process
  /// knows of it.
  package var isSendingAgain: Bool {
    outbox.works.values.contains { work in
      work.isResend && rooms[work.to].map { $0.isEntering || $0.isEntered } == true
    }
  }

  mutating func take(_ entries: [OutboxEntry]) {
    for entry in outbox.take(entries) {
      let name =
        switch entry.place {
        case .room(let name), .direct(let name): name
        }
      tell(.refused(entry, reason: filled(("%1 is not an address.", [name]))))
    }
    endUploads()
  }

  /// Sends what may go now.
  mutating func pump() {
    guard outbox.needsPump else { return }
    outbox.needsPump = false
    var later: [OutboxEntry.ID] = []
    var withFiles: [OutboxEntry.ID] = []
    let waiting = outbox.waiting
    var isFull = false
    for (place, id) in waiting.enumerated() {
      guard let work = outbox.works[id] else { continue }
      if let alone = outbox.inFlight.first.flatMap({ outbox.works[$0] }), alone.isSuspect {
        isFull = true
      }
      if isFull || outbox.inFlight.count >= Limits.inFlight {
        later += waiting[place...]
        break
      }
      switch readiness(of: work) {
      case .later: later.append(id)
      case .never(let reason): refuse(id, reason)
      case .ready where work.nextFile != nil:
        // A text that is written meanwhile does not wait for a large file.
        later.append(id)
        withFiles.append(id)
      case .ready:
        // What may be why a connection broke goes alone, so that it can be told from the others.
        if work.isSuspect, !outbox.inFlight.isEmpty {
          later += waiting[place...]
          isFull = true
        } else {
          dispatch(work)
        }
      }
      if isFull { break }
    }
    outbox.setWaiting(later)
    outbox.needsPump = false
    upload(withFiles)
  }

  /// What an archive may show already waits until it has been looked at.
  private func readiness(of work: Outbox.Work) -> Readiness {
    guard work.isRoom else { return archives[""]?.isCatchingUp == false ? .ready : .later }
    guard let room = rooms[work.to] else {
      // Until then no request to enter it was looked at.
      if !server.isAnswered { return .later }
      return .never(filled(("You are not in %1.", [work.to.description])))
    }
    switch room.state {
    case .entered:
      let archive = archives[work.to.description]
      return archive?.isCatchingUp == false && (archive?.state != .absent || room.hasToldHistory)
        ? .ready : .later
    case .outside, .asking, .entering, .settling, .unreachable: return .later
    case .refused(let sentence): return .never(sentence)
    }
  }

  private mutating func dispatch(_ work: Outbox.Work) {
    switch OutgoingMessage.makeStanza(for: work, room: work.isRoom ? rooms[work.to] : nil) {
    case .failure(let refusal): refuse(work.entry.id, refusal.sentence)
    case .success(let stanza):
      let bytes = stanza.xml().utf8.count
      if let longest = server.longest, bytes > longest {
        refuse(
          work.entry.id,
          filled(
            (
              "It is too long for the server: %1 bytes, and %2 are allowed.",
              [String(bytes), String(longest)]
            )))
        return
      }
      if !work.isRoom { roster.ownerWrote(to: work.to.bare) }
      outbox.sent(work.entry.id, bytes: bytes, at: clock.time)
      send(stanza, payload: work.entry.id)
    }
  }

  mutating func acknowledged(_ entries: [OutboxEntry.ID]) {
    for id in entries where outbox.inFlight.contains(id) { accept(id, archive: nil) }
  }

  private mutating func accept(_ id: OutboxEntry.ID, archive: String?) {
    guard let work = outbox.end(id, isAccepted: true) else { return }
    if !work.isResend { tell(.accepted(work.entry, archive: archive)) }
    moveMark(of: work.isRoom ? work.to.description : "")
  }

  mutating func refuse(_ id: OutboxEntry.ID, _ reason: String) {
    guard let work = outbox.end(id, isAccepted: false) else { return }
    if work.isResend {
      bounced(work, reason)
    } else {
      tell(.refused(work.entry, reason: reason))
    }
    if isUp { moveMark(of: work.isRoom ? work.to.description : "") }
  }

  mutating func refuseWhatBreaks() {
    for id in outbox.breakers {
      refuse(
        id,
        "The server closed the connection each time hobnob sent this. It may be too long for the server."
      )
    }
  }

  /// A stanza of the owner's comes back, from a room or an archive: the server has it.
  ///
  /// - Returns: whether there is nothing more in it.
  mutating func came(
    back heard: IncomingMessage, _ name: MessageIDs, by speaker: NetworkUser, _ from: Address,
    in place: NetworkPlace
  ) -> Bool {
    let ids = [Client.originID(of: heard.message), Client.word(heard.message["id"])]
    for id in ids.compactMap({ $0 }) {
      if let work = outbox.work(ofStanza: id), work.entry.place.isSame(as: place),
        isOwners(speaker, from, in: place)
      {
        let isSend = work.entry.operation == .send
        accept(work.entry.id, archive: isSend ? name.archive : nil)
        return true
      }
      if let known = outbox.accepted.last(where: { $0.stanzaID == id }),
        known.entry.place.isSame(as: place), isOwners(speaker, from, in: place)
      {
        if known.entry.operation == .send, name.archive != nil {
          // The acknowledgement was faster; this tells the id in the archive.
          var owner = speaker
          owner.isOwner = true
          tell(
            .messageReceived(
              NetworkMessage(
                name: MessageIDs(origin: id, archive: name.archive), speaker: owner,
                body: known.entry.message.body, kind: known.entry.message.kind, time: heard.time),
              in: place))
        }
        return true
      }
    }
    return false
  }

  /// Whether the owner said it. In the archive of a room without occupant ids a nickname is all that
  /// there is; together with an id that was drawn here and is not known to have gone out, it will do.
  private func isOwners(_ speaker: NetworkUser, _ from: Address, in place: NetworkPlace) -> Bool {
    if speaker.isOwner { return true }
    guard case .room = place, !speaker.isVerified, let room = rooms[from.bare] else { return false }
    return from.resource == room.nick
  }

  /// A message of ours was refused. It counts only from where the message went, or from the server.
  mutating func refused(_ stanza: Element, from: Address) {
    guard let id = Client.word(stanza["id"]) else { return }
    let error = StanzaError(stanza)
    if answer(id, from: from, with: .error(error)) { return }
    let isServers = from == account || from.description == account.domain
    // In a room the others can send errors, too, from their nicknames.
    func isOf(_ work: Outbox.Work) -> Bool {
      isServers || (work.isRoom ? from == work.to : from.bare == work.to.bare)
    }
    if let work = outbox.work(ofStanza: id) {
      guard isOf(work) else { return }
      if work.isRoom, error.condition == "not-acceptable",
        Retry.returnedMessage.goesOn(after: work.returns + 1)
      {
        // The room does not know the owner any more: in again, and then once more.
        outbox.putBack(work.entry.id)
        enterAgain(work.to)
        return
      }
      refuse(work.entry.id, error.sentence(for: work.to.description, isRoom: work.isRoom))
    } else if let known = outbox.accepted.last(where: { $0.stanzaID == id }) {
      guard isOf(known) else { return }
      if known.isRoom, error.condition == "not-acceptable",
        Retry.returnedMessage.goesOn(after: known.returns + 1)
      {
        outbox.takeBack(known)
        enterAgain(known.to)
        return
      }
      outbox.forgetAccepted(id)
      bounced(known, error.sentence(for: known.to.description, isRoom: known.isRoom))
    } else if from.bare != account, !isServers {
      // Of a former run, perhaps: the store knows what went there.
      let isRoom = rooms[from.bare] != nil
      if isRoom, !from.resource.isEmpty { return }
      let name = from.bare.description
      tell(
        .bounced(
          MessageIDs(origin: id), in: isRoom ? .room(name) : .direct(name),
          reason: error.sentence(for: name, isRoom: isRoom)))
    }
  }

  /// The server had something, and gave it back.
  private mutating func bounced(_ work: Outbox.Work, _ reason: String) {
    if work.entry.operation == .send {
      tell(.bounced(MessageIDs(origin: work.stanzaID), in: work.entry.place, reason: reason))
    } else {
      tell(.refused(work.entry, reason: reason))
    }
  }
}

extension NetworkPlace {
  /// Whether two names are of one place: those of the store are as someone typed them.
  func isSame(as other: NetworkPlace) -> Bool {
    switch (self, other) {
    case (.room(let one), .room(let two)): Address(one) == Address(two)
    case (.direct(let one), .direct(let two)): Address(one)?.bare == Address(two)?.bare
    default: false
    }
  }
}
