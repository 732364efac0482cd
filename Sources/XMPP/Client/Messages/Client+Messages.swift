// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox

/// A message whose way here has been looked at.
struct IncomingMessage: Sendable {
  var message: Element
  var source: Source
  /// Its id in the archive of the account or of the room, from whoever may give it.
  var archiveID: String?
  /// When it was said; nil for now.
  var time: Milliseconds?

  var isPast: Bool { source == .archive(isPast: true) }
}

// Which messages count, and where they belong.
extension Client {
  mutating func handleMessage(_ stanza: Element) {
    let from = stanza["from"].flatMap(Address.init)
    guard from != nil || stanza["from"] == nil else { return }
    if let result = stanza.first("result", Feature.archive) {
      archived(result, from: from)
    } else if let copy = stanza.first("received", Feature.carbons) {
      if isFromAccount(from) { copied(copy, .received) }
    } else if let copy = stanza.first("sent", Feature.carbons) {
      if isFromAccount(from) { copied(copy, .sent) }
    } else if let event = stanza.first("event", Feature.publishingEvents) {
      if isFromAccount(from) { bookmarksChanged(event) }
    } else if stanza["type"] == "error" {
      refused(stanza, from: from ?? account)
    } else if from != nil {
      deliver(stanza, .live)
    }
  }

  /// A copy of what another device of the owner got or sent. Who says so has been looked at; rooms
  /// send to each device by themselves, and a copy in a copy is nothing.
  private mutating func copied(_ copy: Element, _ source: Source) {
    guard let message = copy.first("forwarded", Feature.forwarding)?.first("message"),
      message["type"] != "groupchat", message["type"] != "error",
      message[source == .sent ? "from" : "to"].flatMap(Address.init)?.bare == account
    else { return }
    deliver(message, source)
  }

  /// A message that came by itself, or was kept back for a while.
  mutating func deliver(_ message: Element, _ source: Source) {
    guard let from = message["from"].flatMap(Address.init) else { return }
    let isRoom = rooms[from.bare] != nil && source == .live
    if isRoom, rooms[from.bare]?.state == .settling {
      if rooms[from.bare]?.early.count ?? 0 < Limits.held, message.weight <= Limits.waitingWeight {
        rooms[from.bare]?.early.append(message)
      }
      return
    }
    let key = isRoom ? from.bare.description : ""
    let giver = isRoom ? from.bare : account
    let givesIDs = isRoom ? rooms[from.bare]?.givesIDs == true : server.hasIDs
    let archiveID = givesIDs ? Client.stanzaID(of: message, by: giver) : nil
    if isHeld(message, source, id: archiveID, key: key) { return }

    let delay = message.children.first {
      $0.name == "delay" && $0.namespace == Feature.delay && isTrusted($0["from"], with: from)
    }
    var time = delay.flatMap { Timestamp.time($0["stamp"] ?? "", now: clock.wall) }
    // Servers pass on what a sender wrote there. What was said before all that is known is known.
    if let told = time, let known = archives[key]?.knownUntil {
      time = max(told, min(known, clock.wall))
    }
    let heard = IncomingMessage(message: message, source: source, archiveID: archiveID, time: time)
    if message["type"] == "groupchat" {
      if isRoom { interpretRoom(heard, in: from.bare) }
    } else if isRoom || message.has("x", Feature.roomUser) {
      fromRoomAside(heard, from)
    } else {
      interpretDirect(heard)
    }
    if let archiveID { noteMark(archiveID, in: key) }
  }

  /// Whether someone may say that a message is late: the owner's server, or the room it came from.
  private func isTrusted(_ delayedBy: String?, with from: Address) -> Bool {
    guard let by = delayedBy.flatMap(Address.init) else { return false }
    if rooms[from.bare] != nil { return by == from.bare }
    return by == account || by.description == account.domain
  }

  /// The id that an archive gave a message (XEP-0359).
  private static func stanzaID(of message: Element, by giver: Address) -> String? {
    for child in message.children
    where child.name == "stanza-id" && child.namespace == Feature.ids {
      if child["by"].flatMap(Address.init) == giver { return word(child["id"]) }
    }
    return nil
  }

  /// A message of a direct chat: live, a copy, or from the account's archive.
  mutating func interpretDirect(_ heard: IncomingMessage) {
    let message = heard.message
    guard !["groupchat", "error"].contains(message["type"]),
      !message.has("x", Feature.roomUser),
      let from = message["from"].flatMap(Address.init), rooms[from.bare] == nil
    else { return }
    let isOwn = from.bare == account
    guard heard.source != .sent || isOwn else { return }
    let other: Address
    if isOwn {
      guard let to = message["to"].map(Address.init) ?? account else { return }
      // Live it is a note to oneself; what went to others comes as a copy.
      guard to.bare == account || !heard.source.isLive else { return }
      other = to.bare
    } else {
      other = from.bare
    }
    // What the owner wrote into a room is the room's.
    if isOwn, rooms[other] != nil { return }
    // An advertisement is no chat; the owner's own server may have something to say.
    if message["type"] == "headline", from.description != account.domain { return }
    if isOwn { roster.ownerWrote(to: other) }

    let invitation = message.first("x", Feature.invitation)
    if let invitation, !isOwn, !heard.isPast {
      invited(to: invitation["jid"], by: NetworkUser(identity: from.bare.description))
    }
    if invitation?["jid"] != nil { return }
    let speaker = NetworkUser(
      identity: from.bare.description, name: roster.contacts[from.bare]?.name ?? "",
      isOwner: isOwn)
    let name = MessageIDs(
      origin: Client.word(message["id"]) ?? Client.originID(of: message), archive: heard.archiveID)
    interpret(heard, name, by: speaker, from, in: .direct(other.description))
  }

  /// A message that a room passes on, live or from its archive.
  mutating func interpretRoom(_ heard: IncomingMessage, in address: Address) {
    let message = heard.message
    guard let room = rooms[address], message["type"] == "groupchat",
      let from = message["from"].flatMap(Address.init), from.bare == address
    else { return }
    if heard.source.isLive { rooms[address]?.lastHeard = clock.time }
    let isHistory = heard.source.isLive && !room.hasToldHistory && heard.time != nil
    let isPastFirst = isHistory && (!room.isEntered || room.isAskedFor)
    if heard.source.isLive, !room.isEntered, !isPastFirst { return }
    var heard = heard
    // The room's own history, where there is no archive.
    if isPastFirst { heard.source = .archive(isPast: true) }

    let speaker = room.speaker(
      from, occupantID: message.first("occupant-id", Feature.occupantIDs)?["id"],
      isLive: heard.source.isLive)
    let name = MessageIDs(
      origin: Client.originID(of: message) ?? Client.word(message["id"]), archive: heard.archiveID)
    if let subject = message.first("subject"), !message.has("body"), !message.has("thread") {
      if heard.source.isLive || isPastFirst {
        // One of its history may be of a former subject, or the present one with its time.
        if heard.time == nil {
          hasToldItsHistory(address)
        } else if !room.hasToldHistory {
          clock.set(.room(address), in: Limits.history)
        }
        // Prosody 0.12 names nobody's occupant id there; who has the nickname now it is.
        let known = room.occupants[from.resource]?.occupantID
        let speaker =
          room.isEntered && known != nil
          ? room.speaker(from, occupantID: known, isLive: true) : speaker
        topicCame(subject.text, by: from.resource.isEmpty ? nil : speaker, heard, in: address)
      }
      return
    }
    interpret(heard, name, by: speaker, from, in: .room(address.description))
  }

  /// What comes from a room or someone in it, and is not for all in it.
  private mutating func fromRoomAside(_ heard: IncomingMessage, _ from: Address) {
    let message = heard.message
    guard heard.source != .sent else { return }
    if from.resource.isEmpty {
      let invite = message.first("x", Feature.roomUser)?.first("invite", Feature.roomUser)
      if let inviter = invite?["from"].flatMap(Address.init) {
        // Somebody in the room, where that does not tell their address.
        let isInside = inviter.bare == from
        invited(
          to: from.description,
          by: NetworkUser(
            identity: isInside
              ? from.description + "/" + Room.identity(ofNick: inviter.resource)
              : inviter.bare.description,
            name: isInside ? inviter.resource : "", isVerified: false))
      }
      return
    }
    // A nickname can be somebody else's by the time of an answer, so there are no such chats. An
    // error is never answered: two programs cannot talk to each other for ever.
    guard heard.source.isLive, message.has("body") else { return }
    var refusal = Element("message", ["type": "error", "to": from.description])
    refusal["id"] = message["id"]
    refusal.add(
      Client.error(
        "not-acceptable", type: "cancel",
        text: "I cannot read messages from inside a room. Please write to my address."))
    send(refusal)
  }

  private mutating func invited(to room: String?, by speaker: NetworkUser) {
    guard let room = room.flatMap(Address.init), room.resource.isEmpty, !room.local.isEmpty,
      rooms[room]?.isEntered != true
    else { return }
    tell(.invited(room: room.description, by: speaker))
    countStrangersLater()
  }

  /// The store reports a few strangers one by one; once a minute it counts the rest.
  mutating func countStrangersLater() {
    if !clock.isSet(.strangers) { clock.set(.strangers, in: Limits.strangers) }
  }

  static func originID(of message: Element) -> String? {
    word(message.first("origin-id", Feature.ids)?["id"])
  }

  /// An id as others chose it; nil for one that is empty, or too long to be one.
  static func word(_ text: String?) -> String? {
    text.flatMap { $0.isEmpty || $0.utf8.count > Limits.word ? nil : $0 }
  }
}
