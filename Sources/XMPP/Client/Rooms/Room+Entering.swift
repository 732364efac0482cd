// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Sentences

// How the owner enters a room, and finds out that they are no longer in it (XEP-0045, 7.2).
extension Room {
  /// Asks the room what it can do, which decides how to enter it.
  mutating func enter(in context: inout ClientContext) {
    guard context.isUp, !isEntering, !isEntered else { return }
    state = .asking
    queryFeatures(in: &context)
  }

  func queryFeatures(in context: inout ClientContext) {
    context.sendIQ(
      "get", Element("query", namespace: Feature.info), to: address, .roomInfo(address))
  }

  mutating func noteFeatures(
    _ answer: IQRequest.Answer, in context: inout ClientContext
  ) -> Change? {
    switch answer {
    case .result(let answer):
      let info = DiscoveredInfo(answer)
      let features = info.features
      isDescribed = true
      ownName = String(info.roomName.prefix(Limits.identifier))
      hasArchive = features.contains(Feature.archive)
      hasOccupantIDs = features.contains(Feature.occupantIDs)
      hasIDs = features.contains(Feature.ids)
    case .error(let error) where error.condition.hasPrefix("remote-server"):
      waitForServer(refusalSentence(error), in: &context)
      return nil
    case .silence:
      waitForServer(answer.failure(at: name), in: &context)
      return nil
    // Try to enter anyway: entering creates a room that does not exist, and a hidden room tells
    // strangers nothing.
    case .error: break
    }
    if state == .asking { sendEntry(in: &context) }
    return state == .queryingFeatures ? finishEntering(in: &context) : nil
  }

  private mutating func sendEntry(in context: inout ClientContext) {
    entryID = context.newID()
    var user = Element("x", namespace: Feature.rooms)
    // Older messages come from the archive.
    user.add(
      Element(
        "history", namespace: Feature.rooms, hasArchive ? ["maxchars": "0"] : ["maxstanzas": "50"]))
    if !password.isEmpty {
      user.add(Element("password", namespace: Feature.rooms, text: password))
    }
    var presence = context.owner.presence(to: address.withResource(nick))
    presence["id"] = entryID
    presence.add(user)
    context.send(presence)
    state = .entering
    playback = context.nextEntry()
    occupants = [:]
    lastHeard = context.clock.time
    context.clock.set(.room(address), in: Limits.entering)
  }

  /// Handles a presence of the type error (XEP-0045, 7.2), which does not say that it is about
  /// entering.
  mutating func noteRefusal(_ stanza: Element, in context: inout ClientContext) {
    guard state == .entering, stanza["id"] == nil || stanza["id"] == entryID else { return }
    let error = StanzaError(stanza)
    let sentence = refusalSentence(error)
    if error.condition == "conflict", Retry.nickname.allowsAnotherTry(after: takenNicks + 1) {
      takenNicks += 1
      nick += "_"
      sendEntry(in: &context)
    } else if error.condition.hasPrefix("remote-server") {
      waitForServer(sentence, in: &context)
    } else {
      reset()
      stayOut(sentence, in: &context)
    }
  }

  private func refusalSentence(_ error: StanzaError) -> Remark {
    error.sentence(enteringAs: nick, name, hasPassword: !password.isEmpty)
  }

  /// Notes that the room does not let the owner in.
  mutating func stayOut(_ sentence: Remark, in context: inout ClientContext) {
    context.clock.clear(.room(address))
    state = .refused(sentence)
    context.needsPump = true
    context.tell(.left(room: name, reason: sentence))
    if let request = takeRequest() { context.answer(request, sentence) }
    context.requests.resume()
  }

  /// Notes that the room cannot be reached; the client tries again later.
  private mutating func waitForServer(_ sentence: Remark, in context: inout ClientContext) {
    reset()
    state = .unreachable(sentence)
    context.clock.set(.room(address), in: Retry.room.pause)
    if let request = takeRequest() {
      context.answer(request, sentence)
    } else if !isLossTold {
      context.tell(.lost(room: name, reason: sentence))
    }
    isLossTold = true
    context.requests.resume()
  }

  private mutating func takeRequest() -> NetworkRequest? {
    defer { request = nil }
    return request
  }

  /// Notes that the room has listed all its occupants: the owner comes last.
  mutating func noteEntry(
    as nick: String, _ codes: Set<String>, in context: inout ClientContext
  ) -> Change? {
    guard state == .entering else { return nil }
    self.nick = nick
    isNew = codes.contains(RoomStatus.isCreated)
    if isDescribed, !isNew { return finishEntering(in: &context) }
    state = .queryingFeatures
    if isNew {
      // A new room stays closed until its owner has accepted its settings, here the suggested ones.
      let form = Element(
        "query", namespace: Feature.roomOwner,
        children: [Element("x", namespace: Feature.forms, ["type": "submit"])])
      context.sendIQ("set", form, to: address, .roomForm(address))
    } else {
      queryFeatures(in: &context)
    }
    return nil
  }

  /// Asks a new room what it can do; it answers only now that it has its settings.
  func noteOpening(in context: inout ClientContext) {
    if state == .queryingFeatures { queryFeatures(in: &context) }
  }

  /// Finishes entering: the owner is in the room, and the client knows what the room can do.
  private mutating func finishEntering(in context: inout ClientContext) -> Change {
    occupantID = occupants[nick]?.occupantID
    isLossTold = false
    state = .entered
    takenNicks = 0
    context.clock.set(.room(address), in: hasArchive ? Limits.silence : Limits.entering)
    context.tell(.joined(room: name, nick: nick))
    tellName(in: &context)
    for (nick, occupant) in occupants { tellPresent(nick, occupant, &context) }
    let request = takeRequest()
    if let request {
      context.answer(
        request,
        wantedNick == nick
          ? "" : filled(("The nickname %1 is taken; you are %2 there.", [wantedNick, nick])))
    }
    context.requests.resume()
    return .entered(address, isRequested: request != nil)
  }

  /// Tells the room's own name or, on the server's own service, the local part of its address.
  func tellName(in context: inout ClientContext) {
    var name = ownName
    if name.hasPrefix("#") { name.removeFirst() }
    // Many services repeat the local part; only with its domain is it the room's alone. A name
    // must not look like the address of another room.
    if name.isEmpty || name == address.local || name.contains("@") {
      guard address.domain == context.roomService?.domain else { return }
      name = address.local
    }
    context.tell(.roomNamed(room: self.name, name: name))
  }

  /// Returns and forgets the messages that came before the client knew what the room can do.
  mutating func takeEarlyMessages() -> [Element] {
    defer { (early, isNew) = ([], false) }
    return early
  }

  /// Keeps a message until the client knows what the room can do.
  ///
  /// - Returns: whether it waits.
  mutating func holdsEarly(_ message: Element) -> Bool {
    guard state == .queryingFeatures else { return false }
    if early.count < Limits.held, message.weight <= Limits.waitingWeight { early.append(message) }
    return true
  }

  // MARK: In the room

  /// Notes that the room has sent all of its history.
  mutating func noteHistoryEnd(in context: inout ClientContext) {
    if hasSentHistory { return }
    hasSentHistory = true
    context.needsPump = true
    if isAskedFor, isEntered, !hasArchive { context.tell(.historySent(room: name)) }
  }

  /// Handles the alarm of the room: it was silent for a long time, or another try is due.
  mutating func check(in context: inout ClientContext) {
    guard context.isUp else { return }
    switch state {
    case .entering, .queryingFeatures:
      waitForServer(IQRequest.Answer.silence.failure(at: name), in: &context)
    case .unreachable: enter(in: &context)
    case .entered:
      // Not every room sends a subject.
      noteHistoryEnd(in: &context)
      let left = lastHeard + Limits.silence - context.clock.time
      if left > 0 {
        context.clock.set(.room(address), in: left)
      } else {
        context.sendIQ(
          "get", Element("ping", namespace: Namespace.ping), to: address.withResource(nick),
          .roomPing(address))
      }
    case .outside, .asking, .refused: break
    }
  }

  /// Handles the answer that says whether the owner is still in the room (XEP-0410, 3).
  mutating func notePing(
    _ answer: IQRequest.Answer, in context: inout ClientContext
  ) -> Change? {
    guard isEntered else { return nil }
    switch answer {
    case .error(let error)
    where ![
      "service-unavailable", "feature-not-implemented", "remote-server-not-found",
      "remote-server-timeout", "item-not-found",
    ].contains(error.condition):
      return enterAgain(in: &context)
    case .silence: context.clock.set(.room(address), in: Limits.entering)
    case .result, .error:
      lastHeard = context.clock.time
      context.clock.set(.room(address), in: Limits.silence)
    }
    return nil
  }

  /// Enters the room once more, since it no longer knows the owner: it was restarted, or lost the
  /// connection.
  mutating func enterAgain(in context: inout ClientContext) -> Change {
    reset()
    enter(in: &context)
    return .lost(address)
  }
}
