// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Sentences

// From the outbox to the server, with nothing lost and nothing sent twice.
extension Client {
  /// Whether a message that a room returned, and that the store shows as sent, is about to be sent
  /// again. Only this process knows of it, so it must not end yet.
  var hasResends: Bool {
    outbox.stanzas.values.contains { stanza in
      stanza.isResend && rooms[stanza.to].map { $0.isEntering || $0.isEntered } == true
    }
  }

  mutating func admit(
    _ entries: [OutboxEntry], at now: Milliseconds
  ) -> Set<OutboxEntry.ID> {
    context.clock.move(to: now)
    for entry in outbox.stanzas.takeOver(entries, in: &context).new {
      let stanza = PendingStanza(entry)
      outbox.stanzas[entry.id] = stanza
      if stanza.hasAddress { continue }
      refuse(entry.id, filled(("%1 is not an address.", [entry.conversation.address])))
    }
    context.needsPump = true
    uploads.keep(only: { [outbox] in outbox.stanzas[$0] != nil }, in: &context)
    guard context.isUp else { return [] }
    let ready = withoutFiles(outbox.stanzas.candidates { readiness(of: $0) }.ready)
    return outbox.stanzas.choose(from: ready, besides: outbox.sent, of: Limits.inFlight)
  }

  /// Those whose files, if any, are uploaded.
  private func withoutFiles(_ ids: [OutboxEntry.ID]) -> [OutboxEntry.ID] {
    ids.filter { outbox.stanzas[$0]?.entry.nextFile == nil }
  }

  /// Sends the stanzas that need not wait any longer.
  mutating func pump() {
    guard context.needsPump else { return }
    let (ready, never) = outbox.stanzas.candidates { readiness(of: $0) }
    for (id, reason) in never { refuse(id, reason) }
    for id in ready { removeUnfitLinks(of: id) }
    let inFlight = outbox.inFlight
    var (count, suspectInFlight) = (inFlight.count, inFlight.first?.mayBreakConnection == true)
    var (withFiles, wantsMore) = ([PendingStanza](), false)
    for stanza in ready.compactMap({ outbox.stanzas[$0] }) {
      if suspectInFlight || count >= Limits.inFlight { break }
      if stanza.entry.nextFile != nil {
        // A text that is written later does not wait for a large file.
        withFiles.append(stanza)
      } else if !outbox.stanzas.isTried(stanza.entry.id) {
        wantsMore = true
        count += 1
      } else if stanza.mayBreakConnection, count > 0 {
        // Send a message that may have broken a connection by itself: if the connection breaks
        // again, this message is to blame.
        suspectInFlight = true
      } else if transmit(stanza) {
        count += 1
        suspectInFlight = stanza.mayBreakConnection
      }
    }
    context.needsPump = false
    if wantsMore,
      outbox.stanzas.hasMore(in: withoutFiles(ready), besides: outbox.sent, of: Limits.inFlight)
    {
      context.add(.wantsOutbox)
    }
    beginUpload(withFiles)
  }

  /// If an archive may already contain a stanza, the stanza waits until the archive has been read.
  private func readiness(of stanza: PendingStanza) -> Readiness {
    let mayGo =
      switch encryption?.way(to: stanza.destination, in: context) {
      case nil: true
      case .plain, .sealed: stanza.isSealed || encryption?.isRenewing(stanza.destination) != true
      case .asking, .stuck: stanza.isSealed
      }
    guard stanza.isRoom else { return mayGo && archives.isRead(.account) ? .ready : .later }
    guard let room = rooms[stanza.to] else {
      // Until the server is known, a request to join this room may still be pending.
      if !server.isKnown { return .later }
      return .never(filled(("You are not in %1.", [stanza.to.description])))
    }
    switch room.state {
    case .entered:
      return mayGo && archives.isRead(stanza.archive) && (room.hasArchive || room.hasSentHistory)
        ? .ready : .later
    case .outside, .asking, .entering, .queryingFeatures, .unreachable: return .later
    case .refused(let sentence): return .never(sentence)
    }
  }

  /// - Returns: whether it was sent.
  private mutating func transmit(_ stanza: PendingStanza) -> Bool {
    let id = stanza.entry.id
    guard var element = stanza.makeElement() else {
      refuse(
        id,
        translated(
          "The message has no id on the network, so you cannot change, delete or react to it."))
      return false
    }
    var bytes = element.xml().utf8.count
    // The quote is a fallback for programs without reply support: drop it if the stanza is too
    // long.
    if let longest = server.longestStanza, bytes > longest, stanza.entry.answers != nil,
      let short = stanza.makeElement(quotes: false)
    {
      (element, bytes) = (short, short.xml().utf8.count)
    }
    var length = bytes
    switch encryption?.form(of: element, stanza, in: &context) {
    case nil, .plain:
      if SealedLink.isIn(element.first("body")?.text ?? "") {
        refuse(
          id,
          translated(
            "It has the key of an encrypted file, so only an encrypted message can have it. Save the file and send that."
          ))
        return false
      }
    case .later: return false
    case .sealed(let sealed):
      outbox.stanzas[id]?.sealed = sealed
      (element, length) = (sealed, sealed.xml().utf8.count)
    }
    if let longest = server.longestStanza, length > longest {
      refuse(
        id,
        filled(
          (
            "It is too long for the server: %1 bytes, and %2 are allowed.",
            [String(length), String(longest)]
          )))
      return false
    }
    if !stanza.isRoom { roster.noteOwnerWrote(to: stanza.to.bare) }
    outbox.noteSent(id, bytes: bytes, at: context.clock.time)
    context.send(element, payload: id)
    return true
  }

  // MARK: What the server reports

  mutating func acknowledge(_ id: OutboxEntry.ID) {
    if outbox.stanzas[id]?.state == .inFlight { accept(id, archiveID: nil) }
  }

  /// - Parameter echo: the message as the server sent it back. An earlier process may have sent it.
  private mutating func accept(
    _ id: OutboxEntry.ID, archiveID: String?, echo: Element? = nil
  ) {
    guard let stanza = outbox.accept(id) else { return }
    context.needsPump = true
    if !stanza.isResend {
      context.tell(
        .accepted(
          stanza.entry, archive: archiveID,
          device: (stanza.sealed ?? echo).flatMap {
            encryption?.ownDevice(behind: $0, in: context)
          }))
    }
    moveMark(of: stanza.archive)
  }

  /// - Parameter isReturned: whether it came back, so that nobody has it.
  mutating func refuse(_ id: OutboxEntry.ID, _ reason: Remark, isReturned: Bool = false) {
    guard let stanza = outbox.end(id) else { return }
    context.needsPump = true
    if (stanza.isResend || stanza.state == .accepted) && stanza.entry.operation == .send {
      // The server has acknowledged the stanza, so it is no longer in the store's outbox: report a
      // bounce.
      context.tell(
        .bounced(MessageIDs(origin: stanza.stanzaID), in: stanza.entry.conversation, reason: reason)
      )
    } else {
      context.tell(
        .refused(
          stanza.entry, reason: reason, mayHaveArrived: !isReturned && stanza.mayHaveArrived))
    }
    if context.isUp { moveMark(of: stanza.archive) }
  }

  /// Advances an archive's mark (how far it has been read), unless a stanza in flight may get an
  /// earlier place in that archive.
  mutating func moveMark(of key: ArchiveKey) {
    if !outbox.isUnderWay(in: key) { archives.moveMark(of: key, in: &context) }
  }

  /// Handles the owner's own message when a room or an archive sends it back: the server has it.
  ///
  /// - Returns: whether it is such an echo, so that the caller has nothing more to do.
  mutating func noteEcho(_ message: AddressedMessage) -> Bool {
    let ids = [message.stanza.originID, Limits.bounded(message.stanza["id"])]
    let known = ids.lazy.compactMap { $0 }.compactMap { [outbox] in outbox.stanza($0) }
    guard let stanza = known.first(where: { $0.isIn(message.conversation) }), isFromOwner(message)
    else { return false }
    let isSend = stanza.entry.operation == .send
    let wasPending = stanza.state != .accepted
    if wasPending {
      accept(
        stanza.entry.id, archiveID: isSend ? message.ids.archive : nil,
        echo: message.stanza)
    }
    // If the acknowledgement came first, only the echo has the archive id. In an archive, what
    // follows comes after it.
    if isSend, message.ids.archive != nil, !wasPending || message.incoming.source.isArchive {
      var owner = message.sender
      owner.isOwner = true
      var echo = NetworkMessage(
        name: MessageIDs(origin: stanza.stanzaID, archive: message.ids.archive),
        speaker: owner, body: stanza.entry.message.body, kind: stanza.entry.message.kind,
        time: message.incoming.time)
      echo.isDelayed = message.incoming.isDelayed
      context.tell(.messageReceived(echo, in: message.conversation))
    }
    return true
  }

  /// Whether the owner wrote a message. Without occupant ids, a room's archive gives only the
  /// nickname. That is proof enough here, since the message has the id of a stanza that this client
  /// sent.
  private func isFromOwner(_ message: AddressedMessage) -> Bool {
    if message.sender.isOwner { return true }
    guard message.isInRoom, !message.sender.isVerified, let room = rooms[message.from.bare]
    else { return false }
    return message.from.resource == room.nick
  }

  /// Handles an error: a message of the owner's was refused.
  mutating func handleError(_ stanza: Element, from: Address) {
    guard let id = Limits.bounded(stanza["id"]) else { return }
    let (error, account) = (StanzaError(stanza), context.owner.account)
    if answer(id, from: from, with: .error(error)) { return }
    let isServer = from == account || from.description == account.domain
    if let known = outbox.stanza(id) {
      guard known.mayBeRefused(by: from, isServer: isServer) else { return }
      if known.isRoom, !known.isCancelled, error.condition == "not-acceptable",
        Retry.returnedMessage.allowsAnotherTry(after: known.returns + 1)
      {
        // The room no longer knows the owner: enter it again, then send once more.
        outbox.putBack(known)
        apply(rooms.byAddress[known.to]?.enterAgain(in: &context))
        return
      }
      refuse(
        known.entry.id, error.sentence(for: known.to.description, isRoom: known.isRoom),
        isReturned: true)
    } else if from.bare != account, !isServer {
      // An earlier process may have sent the message; the store looks its id up.
      let isRoom = rooms[from.bare] != nil
      // The error comes from an occupant, not from the room.
      if isRoom, !from.resource.isEmpty { return }
      let name = from.bare.description
      context.tell(
        .bounced(
          MessageIDs(origin: id), in: isRoom ? .room(name) : .direct(name),
          reason: error.sentence(for: name, isRoom: isRoom)))
    }
  }
}
