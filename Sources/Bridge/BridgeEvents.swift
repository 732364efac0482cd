// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Sentences
import Storage

/// Turns the lines of a program into events for the store.
struct BridgeEvents: Sendable {
  let rules: AddressRules
  /// The owner's own address.
  let own: String

  /// The events of a line, which belong together.
  ///
  /// - Parameter files: those that the line brings.
  /// - Returns: nil for a line that is not about conversations or people.
  /// - Throws: ``BridgeFault``.
  func events(
    of line: BridgeLine, _ files: [Attachment]
  ) throws(BridgeFault) -> [NetworkEvent]? {
    switch line.type {
    case "message", "edited", "deleted", "removed", "reaction", "bounced":
      return [try aboutMessage(line, files)]
    case "receipt", "read", "typing", "gap", "page", "mark", "can":
      return try aboutConversation(line)
    case "room", "left", "lost", "here", "gone", "renamed", "ranked", "topic", "invited":
      return try aboutRoom(line)
    case "person": return [try person(line)]
    case "wants_contact": return [.wantsContact(try user(line, .identity))]
    case "notice":
      let text = Remark(line[.text].text ?? "")
      if line[.sender] == .null { return [.notice(text)] }
      return [.noticeAbout(try user(line, .sender), text)]
    case "offline": return [.offline()]
    default: return nil
    }
  }

  /// Checks what the table does not tell of a line, such as its addresses.
  ///
  /// - Throws: ``BridgeFault``.
  func check(_ line: BridgeLine, _ files: [Attachment] = []) throws(BridgeFault) {
    switch line.type {
    case "keep": _ = try BridgeFacts.fact(line[.name].text ?? "", line[.value].text ?? "")
    case "sent", "part": if let id = line[.id].text { _ = try ids(id) }
    case "answer": _ = try room(line)
    default: _ = try events(of: line, files)
    }
  }

  // MARK: Messages

  private func aboutMessage(
    _ line: BridgeLine, _ files: [Attachment]
  ) throws(BridgeFault) -> NetworkEvent {
    let conversation = try place(line)
    let id = try ids(line[.id].text)
    let time = time(line)
    switch line.type {
    case "edited":
      return .edited(
        id, by: try actor(line), in: conversation, body: line[.text].text ?? "", at: time,
        change: MessageIDs(archive: line[.change].text))
    case "deleted": return .retracted(id, by: try actor(line), in: conversation, at: time)
    case "removed":
      guard case .room = conversation else { throw .form(of: .conversation, in: line) }
      let removal = Removal(
        moderator: line[.by].text ?? "", reason: line[.reason].text ?? "")
      return .removed(
        archive: id.archive ?? "", room: conversation.address, removal, at: time)
    case "reaction":
      return .reacted(
        id, author: try author(line), by: try actor(line), in: conversation,
        emoji: try reaction(line), at: time, change: MessageIDs(archive: line[.change].text))
    case "bounced":
      return .bounced(id, in: conversation, reason: Remark(line[.reason].text ?? ""))
    default:
      let message = try message(line, id, files)
      if case .direct(let person) = conversation, !message.speaker.isOwner,
        message.speaker.identity != person
      {
        throw BridgeFault(
          filled(
            (
              "in the chat with %1 nobody writes but the owner and that person, not %2",
              [person, message.speaker.identity]
            )))
      }
      return .messageReceived(message, in: conversation)
    }
  }

  private func message(
    _ line: BridgeLine, _ id: MessageIDs, _ files: [Attachment]
  ) throws(BridgeFault) -> NetworkMessage {
    let quote = line[.replyTo]
    var message = NetworkMessage(
      name: MessageIDs(origin: line[.uid].text, archive: id.archive), speaker: try actor(line),
      body: line[.text].text ?? "", time: time(line), answers: nil,
      links: line[.links].items.compactMap(\.text), isPast: line[.past].flag ?? false)
    switch line[.kind].text.flatMap(BridgeTable.kinds.number(of:)) {
    case 1: message.kind = .action
    case 2: message.kind = .notice
    default: break
    }
    if quote != .null {
      message.answers = try ids(quote[.id].text)
      message.answersSpeaker =
        quote[.mine].flag == true ? owner : try quote[.sender].text.map(user(named:))
    }
    message.mentions = [Mention](line[.mentions]).map {
      Mention(range: $0.range, identity: rules.fold($0.identity))
    }
    if line[.files].items.count > BridgeLimits.files {
      throw BridgeFault(
        filled(("a message has more than %1 files", [String(BridgeLimits.files)])))
    }
    message.files = files
    return message
  }

  private func reaction(_ line: BridgeLine) throws(BridgeFault) -> NetworkReaction {
    if case .array(let items) = line[.all] { return .all(items.compactMap(\.text)) }
    guard let emoji = line[.emoji].text else { throw .missing(.emoji, in: line.type) }
    return line[.removed].flag == true ? .removed(emoji) : .given(emoji)
  }

  // MARK: Conversations

  private func aboutConversation(_ line: BridgeLine) throws(BridgeFault) -> [NetworkEvent] {
    if line.type == "mark" {
      let (archive, mark) = (line[.archive].text ?? "", line[.mark].text ?? "")
      guard mark.utf8.count <= BridgeLimits.mark else {
        throw BridgeFault(
          filled(("a mark has more than %1 bytes", [String(BridgeLimits.mark)])))
      }
      return [.caughtUp(archive: archive.isEmpty ? "" : try address(archive), mark: mark)]
    }
    let conversation = try place(line)
    switch line.type {
    case "receipt": return try receipts(line, in: conversation)
    case "read":
      if let id = line[.id].text { return [.read(try ids(id), in: conversation)] }
      guard let time = time(line) else { throw .missing(.id, in: line.type) }
      return [.readUntil(time, in: conversation)]
    case "typing":
      return [.typing(try user(line, .sender), in: conversation, line[.active].flag ?? false)]
    case "gap": return [.missing(in: conversation), .unanswered(in: conversation)]
    case "page":
      return [
        .page(of: conversation, from: line[.from].text ?? "", until: line[.until].text ?? "")
      ]
    default:
      let can = line[.can]
      return [
        .abilitiesHere(can == .null ? nil : Abilities(program: can), in: conversation)
      ]
    }
  }

  private func receipts(
    _ line: BridgeLine, in conversation: ConversationAddress
  ) throws(BridgeFault) -> [NetworkEvent] {
    let speaker = try user(line, .sender)
    let state: DeliveryState = line[.state].text == "seen" ? .seen : .delivered
    if let id = line[.id].text {
      return [.receipt(try ids(id), by: speaker, in: conversation, state)]
    }
    var events: [NetworkEvent] = []
    guard case .array(let items) = line[.ids] else { throw .missing(.id, in: line.type) }
    for item in items {
      events.append(
        .receipt(try ids(item.text), by: speaker, in: conversation, state, isAlone: true))
    }
    return events
  }

  // MARK: Rooms and people

  private func aboutRoom(_ line: BridgeLine) throws(BridgeFault) -> [NetworkEvent] {
    // A name on the whole network has no room.
    let isEverywhere = line.type == "renamed" && line[.room] == .null
    let room = isEverywhere ? nil : try address(line[.room].text)
    return try aboutRoom(room ?? "", isEverywhere: isEverywhere, line)
  }

  private func aboutRoom(
    _ room: String, isEverywhere: Bool, _ line: BridgeLine
  ) throws(BridgeFault) -> [NetworkEvent] {
    let reason = line[.reason].text.map { Remark($0) }
    switch line.type {
    case "room": return try entered(room, line)
    case "left": return [.left(room: room, reason: reason)]
    case "lost": return [.lost(room: room, reason: reason ?? "")]
    case "here": return [try present(line.members, in: room)]
    case "gone": return [.absent(try user(line, .identity), room: room, removal: reason)]
    case "renamed":
      return [
        .renamed(
          try user(line, .identity), room: isEverywhere ? nil : room,
          former: line[.former].text ?? "")
      ]
    case "ranked":
      return [.ranked(try user(line, .identity), room: room, rank: line[.rank].text ?? "")]
    case "topic":
      let person =
        line[.mine].flag == true
        ? owner : line[.sender] == .null ? nil : try user(line, .sender)
      return [.topic(room: room, text: line[.text].text ?? "", by: person, at: time(line))]
    default: return [.invited(room: room, by: try user(line, .sender))]
    }
  }

  private func entered(
    _ room: String, _ line: BridgeLine
  ) throws(BridgeFault) -> [NetworkEvent] {
    var events: [NetworkEvent] = [
      .joined(room: room, nick: String((line[.nick].text ?? own).prefix(BridgeLimits.name)))
    ]
    if let name = line[.name].text, !name.isEmpty {
      events.append(.roomNamed(room: room, name: name))
    }
    if let topic = line[.topic].text {
      events.append(.topic(room: room, text: topic, by: nil, at: nil))
    }
    for person in line[.people].items { events.append(try present(person, in: room)) }
    return events
  }

  private func present(_ person: JSON, in room: String) throws(BridgeFault) -> NetworkEvent {
    .present(
      try user(named: person[.identity].text, person[.name].text), room: room,
      away: person[.away].text, rank: person[.rank].text ?? "")
  }

  private func person(_ line: BridgeLine) throws(BridgeFault) -> NetworkEvent {
    let user = try user(line, .identity)
    if line[.contact].flag == false { return .contactRemoved(user) }
    return .contact(user, isOnline: line[.online].flag, away: line[.away].text)
  }

  // MARK: Parts

  /// - Throws: ``BridgeFault`` unless the line names one room or one person.
  func place(_ line: BridgeLine) throws(BridgeFault) -> ConversationAddress {
    let place = line[.conversation]
    switch (place[.room].text, place[.person].text) {
    case (let room?, nil): return .room(try address(room))
    case (nil, let person?): return .direct(try address(person))
    default:
      throw BridgeFault(
        filled(("the conversation of a line of type “%1” is no room and no person", [line.type])))
    }
  }

  /// - Throws: ``BridgeFault`` for an address that nobody could type, or that is too long.
  private func address(_ written: String?) throws(BridgeFault) -> String {
    guard let written, !written.isEmpty, written.utf8.count <= BridgeLimits.id,
      written == written.withoutControls
    else {
      throw BridgeFault(
        filled(
          (
            "“%1” is no address: these have 1 to %2 bytes, and no control characters",
            [String((written ?? "").withoutControls.prefix(60)), String(BridgeLimits.id)]
          )))
    }
    return rules.fold(written)
  }

  /// The room that a line names; nil if it names none.
  func room(_ line: BridgeLine) throws(BridgeFault) -> String? {
    line[.room] == .null ? nil : try address(line[.room].text)
  }

  /// - Throws: ``BridgeFault`` for an id that is too long.
  func ids(_ id: String?) throws(BridgeFault) -> MessageIDs {
    guard let id, !id.isEmpty, id.utf8.count <= BridgeLimits.id else {
      throw BridgeFault(
        filled(
          ("the id of a message has 1 to %1 bytes", [String(BridgeLimits.id)])))
    }
    return MessageIDs(archive: id)
  }

  private func time(_ line: BridgeLine) -> Milliseconds? {
    line[.time].text.flatMap { DateParser($0)?.exact }
  }

  var owner: NetworkUser { NetworkUser(identity: rules.fold(own), isOwner: true) }

  private func actor(_ line: BridgeLine) throws(BridgeFault) -> NetworkUser {
    if line[.mine].flag == true { return owner }
    guard line[.sender] != .null else { throw .missing(.sender, in: line.type) }
    return try user(line, .sender)
  }

  /// Who wrote the message that a reaction is about; nil if the line does not say.
  private func author(_ line: BridgeLine) throws(BridgeFault) -> NetworkUser? {
    line[.authorMine].flag == true ? owner : try line[.author].text.map(user(named:))
  }

  private func user(_ line: BridgeLine, _ member: JSONName) throws(BridgeFault) -> NetworkUser {
    try user(named: line[member].text, line[.name].text)
  }

  private func user(named identity: String) throws(BridgeFault) -> NetworkUser {
    try user(named: identity, nil)
  }

  private func user(named identity: String?, _ name: String?) throws(BridgeFault) -> NetworkUser {
    let identity = try address(identity)
    return NetworkUser(
      identity: identity, name: String((name ?? "").prefix(BridgeLimits.name)),
      isOwner: identity == rules.fold(own))
  }
}
