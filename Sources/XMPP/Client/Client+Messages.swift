// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks

// Which messages count, and in which conversation they belong.
extension Client {
  mutating func handleMessage(_ stanza: Element, _ from: Address?) {
    let isFromAccount = context.owner.isAccount(from)
    if let result = stanza.first("result", Feature.archive) {
      archives.addResult(result, from: from, in: &context)
    } else if let copy = stanza.first("received", Feature.carbons) {
      if isFromAccount { deliverCopy(copy, .received) }
    } else if let copy = stanza.first("sent", Feature.carbons) {
      if isFromAccount { deliverCopy(copy, .sent) }
    } else if let event = stanza.first("event", Feature.publishingEvents) {
      if isFromAccount { apply(bookmarks.applyEvent(event)) }
      let account = from?.bare ?? context.owner.account
      encryption?.applyEvent(
        event, from: account, isContact: roster.contacts[account] != nil, in: &context)
    } else if stanza["type"] == "error" {
      handleError(stanza, from: from ?? context.owner.account)
    } else if from != nil {
      deliver(stanza, .live)
    }
  }

  /// Handles a copy of a message that another device of the owner received or sent. The caller has
  /// checked who sent the copy. Ignores copies of room messages, since rooms send to each device
  /// themselves, and copies of copies.
  private mutating func deliverCopy(_ copy: Element, _ source: MessageSource) {
    guard let message = copy.first("forwarded", Feature.forwarding)?.first("message"),
      message["type"] != "groupchat", message["type"] != "error",
      message[source == .sent ? "from" : "to"].flatMap(Address.init)?.bare
        == context.owner.account
    else { return }
    deliver(message, source)
  }

  /// Handles a message that arrived live, or waited for a room.
  mutating func deliver(_ message: Element, _ source: MessageSource) {
    guard let from = message["from"].flatMap(Address.init) else { return }
    let room = source == .live ? rooms[from.bare] : nil
    if room != nil, from.resource.isEmpty { noteRoom(message, from.bare) }
    if room != nil, rooms.byAddress[from.bare]?.holdsEarly(message) == true { return }
    let key = room == nil ? ArchiveKey.account : .room(from.bare)
    let archiveID =
      room?.givesIDs ?? server.hasIDs
      ? message.archiveID(by: room == nil ? context.owner.account : from.bare) : nil

    let delay = message.children.first {
      $0.name == "delay" && $0.namespace == Feature.delay && isTrusted($0["from"], with: from)
    }
    let stated = delay.flatMap { Timestamp.time($0["stamp"] ?? "", now: context.clock.wall) }
    let incoming = IncomingMessage(
      stanza: message, source: source, archiveID: archiveID,
      time: archives.sendTime(stated, in: key, context.clock))
    if message["type"] == "groupchat" {
      if room != nil { interpretRoom(incoming, in: from.bare) }
    } else if room != nil || message.has("x", Feature.roomUser) {
      interpretPrivateFromRoom(incoming, from)
    } else {
      interpretDirect(incoming)
    }
    if let archiveID {
      archives.noteLive(archiveID, in: key, context)
      moveMark(of: key)
    }
  }

  /// Whether to believe someone that a message is late: only the owner's server, or the room that
  /// sent the message.
  private func isTrusted(_ delayedBy: String?, with from: Address) -> Bool {
    guard let by = delayedBy.flatMap(Address.init) else { return false }
    if rooms[from.bare] != nil { return by == from.bare }
    return by == context.owner.account || by.description == context.owner.account.domain
  }

  /// Interprets a message of a direct chat: live, a copy, or from the account's archive.
  mutating func interpretDirect(_ incoming: IncomingMessage) {
    let (message, account) = (incoming.stanza, context.owner.account)
    guard !["groupchat", "error"].contains(message["type"]),
      !message.has("x", Feature.roomUser),
      let from = message["from"].flatMap(Address.init), rooms[from.bare] == nil
    else { return }
    let isOwn = from.bare == account
    guard incoming.source != .sent || isOwn else { return }
    let other: Address
    if isOwn {
      guard let to = message["to"].map(Address.init) ?? account else { return }
      // A live message from the owner is a note to themselves; their messages to others arrive as
      // copies.
      guard to.bare == account || !incoming.source.isLive else { return }
      other = to.bare
    } else {
      other = from.bare
    }
    // What the owner wrote into a room belongs to the room.
    if isOwn, rooms[other] != nil { return }
    // Headlines are advertisements, except those from the owner's own server.
    if message["type"] == "headline", from.description != account.domain { return }
    if isOwn { roster.noteOwnerWrote(to: other) }

    var sender = roster.user(from.bare)
    sender.isOwner = isOwn
    let invitation = message.first("x", Feature.invitation)
    if let invitation, !isOwn, !incoming.source.isBackfill {
      noteInvitation(to: invitation["jid"], by: NetworkUser(identity: sender.identity))
    }
    if invitation?["jid"] != nil { return }
    interpret(
      AddressedMessage(
        incoming: incoming, sender: sender, from: from,
        conversation: .direct(other.description)))
  }

  /// Interprets a message that a room passes on, live or from its archive.
  mutating func interpretRoom(_ incoming: IncomingMessage, in address: Address) {
    let message = incoming.stanza
    guard let room = rooms[address], message["type"] == "groupchat",
      let from = message["from"].flatMap(Address.init), from.bare == address
    else { return }
    let isLive = incoming.source.isLive
    if isLive { rooms.byAddress[address]?.lastHeard = context.clock.time }
    let isHistory = isLive && !room.hasSentHistory && incoming.time != nil
    let isBackfill = isHistory && (!room.isEntered || room.isAskedFor)
    if isLive, !room.isEntered, !isBackfill { return }
    var incoming = incoming
    // A room without an archive sends its own history.
    if isBackfill { incoming.source = .archive(isBackfill: true) }
    if isHistory { incoming.playback = room.playback }

    var sender = room.user(
      from, occupantID: message.first("occupant-id", Feature.occupantIDs)?["id"],
      isLive: incoming.source.isLive)
    if let subject = message.first("subject"), !message.has("body"), !message.has("thread") {
      guard isLive else { return }
      // A subject in the history may be an earlier one, or the current one with its time.
      if incoming.time == nil {
        rooms.byAddress[address]?.noteHistoryEnd(in: &context)
      } else if !room.hasSentHistory {
        context.clock.set(.room(address), in: Limits.history)
      }
      // Prosody 0.12 gives no occupant id here; the sender is the person who has the nickname now.
      let known = room.occupants[from.resource]?.occupantID
      if room.isEntered, known != nil { sender = room.user(from, occupantID: known, isLive: true) }
      rooms.byAddress[address]?.noteTopic(
        subject.text, by: from.resource.isEmpty ? nil : sender, at: incoming.time, &context)
      return
    }
    interpret(
      AddressedMessage(
        incoming: incoming, sender: sender, from: from,
        conversation: .room(address.description)))
  }

  /// Interprets a message from a room or an occupant that is not for everyone in the room.
  private mutating func interpretPrivateFromRoom(_ incoming: IncomingMessage, _ from: Address) {
    let message = incoming.stanza
    guard incoming.source != .sent else { return }
    if from.resource.isEmpty {
      let invite = message.first("x", Feature.roomUser)?.first("invite", Feature.roomUser)
      if let inviter = invite?["from"].flatMap(Address.init) {
        // The room may hide the address of an occupant.
        let isOccupant = inviter.bare == from
        noteInvitation(
          to: from.description,
          by: NetworkUser(
            identity: isOccupant
              ? from.description + "/" + Room.nickIdentity(inviter.resource)
              : inviter.bare.description,
            name: isOccupant ? inviter.resource : "", isVerified: false))
      }
      return
    }
    // There are no chats with occupants: a nickname can belong to somebody else by the time of an
    // answer. An error gets no answer, so that two programs cannot answer each other for ever.
    guard incoming.source.isLive, message.has("body") else { return }
    var refusal = Element("message", ["type": "error", "to": from.description])
    refusal["id"] = message["id"]
    refusal.add(
      StanzaError.errorElement(
        "not-acceptable",
        text: "I cannot read messages from inside a room. Please write to my address."))
    context.send(refusal)
  }

  private mutating func noteInvitation(to room: String?, by inviter: NetworkUser) {
    guard let room = room.flatMap(Address.init), room.resource.isEmpty, !room.local.isEmpty,
      rooms[room]?.isEntered != true
    else { return }
    context.tell(.invited(room: room.description, by: inviter))
    context.countStrangersLater()
  }

  /// Interprets the content of a message, once its sender and conversation are known.
  private mutating func interpret(_ message: AddressedMessage) {
    if noteEcho(message) { return }
    var (message, secrecy, isRepetition) = (message, Message.Encryption.none, false)
    var device: SealingDevice?
    if let place = message.place {
      switch open(message) {
      case .text(let stanza, let found, let sender)?:
        (message.incoming.stanza, secrecy, device) = (stanza, found, sender)
        if !message.isInRoom || encryption?.audience(place).isPrivate == true {
          encryption?.book.noteEncrypted(with: place)
        }
      case .nothing?: return
      case .repetition?: (secrecy, isRepetition) = (.encrypted, true)
      case .plain?
      where encryption?.wasEncrypted(with: place) == true && !message.incoming.source.isBackfill:
        // A server could have made up this correction, so hobnob shows it as a new message.
        message.incoming.stanza.nodes.removeAll { $0.isCorrection }
      case .unreadable(let reason)?: secrecy = reason
      case nil, .plain?: break
      }
    }
    let retraction = message.retraction
    let changes = retraction ?? message.reaction
    for event in changes ?? [] { context.tell(event) }
    let (source, sender) = (message.incoming.source, message.sender)
    if !source.isBackfill { for event in message.receipts { context.tell(event) } }
    if source.isLive, !sender.isOwner { typing.note(message, in: &context) }

    var text = MessageText(message.stanza)
    if [.encrypted, .verified, .unverified].contains(secrecy) {
      text.links += SealedLink.links(in: text.body).prefix(Limits.links)
    }
    var changed: MessageIDs?
    if let change = changes?.first {
      // The text of a reaction or retraction is for programs without them (XEP-0424, 0444).
      let whole = text
      text.removeFallback(
        of: retraction == nil ? [Feature.reactions] : Feature.retractions, in: message.stanza)
      changed = Self.messageChanged(by: change)
      if !text.body.isEmpty || whole.kind == .unreadable
        || message.stanza.has("replace", Feature.correction)
      {
        changed = nil
      } else if changed != nil {
        text = whole
      }
    }
    guard !text.body.isEmpty || text.kind == .unreadable else { return }
    typing.end(of: sender, in: message.conversation, &context)
    if case .direct = message.conversation, !source.isBackfill {
      archives.noteActivity(in: message.conversation, of: .account, &context)
    }
    let quoted = text.answers?.to.flatMap { quotedUser($0, in: message.conversation) }
    guard
      let event = message.event(text, quoted: quoted, encryption: encryption == nil ? nil : secrecy)
    else { return }
    guard case .messageReceived(var new, let conversation) = event else {
      return context.tell(event)
    }
    new.changedMessage = changed
    new.isRepetition = isRepetition
    new.device = device
    context.tell(.messageReceived(new, in: conversation))
    // Nobody has read it, so its sender must not hear so (rule 14.10).
    if text.kind != .unreadable { receipts.add(message) }
    let person = message.from.bare
    if !message.isInRoom, !sender.isOwner, roster.contacts[person] == nil,
      !roster.acquaintances.contains(person)
    {
      context.countStrangersLater()
    }
  }

  /// Opens an encrypted message; nil if hobnob cannot encrypt.
  private mutating func open(_ message: AddressedMessage) -> Encryption.Opened? {
    let incoming = message.incoming
    let account =
      message.isInRoom
      ? rooms[message.from.bare]?.author(of: incoming) : message.from.bare
    let mayAnswer =
      !incoming.source.isBackfill
      && (account == context.owner.account
        || account.map { message.isInRoom || roster.mayKnow($0) } == true)
    return encryption?.open(
      incoming.stanza, from: account, sent: incoming.time, inRoom: message.isInRoom,
      mayAnswer: mayAnswer, in: &context)
  }

  /// The message that its author's or somebody's change refers to, not a moderator's.
  private static func messageChanged(by change: NetworkEvent) -> MessageIDs? {
    switch change {
    case .retracted(let message, _, _, _), .reacted(let message, _, _, _, _, _, _): message
    default: nil
    }
  }

  /// Who wrote the message that an answer refers to, according to the answer.
  private func quotedUser(_ to: Address, in conversation: ConversationAddress) -> NetworkUser? {
    switch conversation {
    case .direct(let other):
      let isOwner = to.bare == context.owner.account
      guard isOwner || to.bare.description == other else { return nil }
      var user = roster.user(to.bare)
      user.isOwner = isOwner
      return user
    case .room(let address):
      guard to.bare.description == address, let room = rooms[to.bare] else { return nil }
      return room.user(to, occupantID: room.occupants[to.resource]?.occupantID, isLive: true)
    }
  }
}
