// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Sentences

// The requests of the owner's shells, and the owner's signals to others.
extension IRCClient {
  mutating func run(_ request: NetworkRequest) {
    let target = request.target
    guard Self.isWord(context.names.plain(target)) || target.isEmpty && request.verb.isAboutNobody
    else {
      return context.answer(request, filled(("%1 is not an address.", [target])))
    }
    switch request.verb {
    // Changing the nickname in one room changes it everywhere.
    case .join
    where !request.text.isEmpty && request.text != context.nick
      && (rooms[context.fold(target)]?.isInside == true || !context.isRoom(target)):
      questions.ask(request, IRCLine("NICK", [request.text]), in: &context)
    case .join: rooms.join(request, in: &context)
    case .leave: rooms.leave(request, in: &context)
    case .history:
      history.fetch(request, addressed(target), as: wireName(target), in: &context)
    case .presence:
      away = target.isEmpty ? nil : request.text
      // The server would understand an empty message as being back.
      let message = request.text.isEmpty ? "away" : request.text
      context.send(IRCLine("AWAY", target.isEmpty ? [] : [message]))
      context.answer(request, "")
    case .abilities: context.answer(request, abilitySentence(for: target))
    case .subscribe:
      watched.add(target, as: wireName(target), in: &context)
      context.tell(
        .contact(
          NetworkUser(identity: target, name: wireName(target)), isOnline: nil, away: nil))
      context.answer(request, "")
    case .unsubscribe:
      watched.remove(target, in: &context)
      context.tell(.contactRemoved(NetworkUser(identity: target)))
      context.answer(
        request, filled(("%1 is no longer a contact.", [target])))
    case .approve, .decline: context.answer(request, "")
    case .block, .unblock:
      context.answer(
        request,
        translated("IRC servers cannot block anybody; /ignore NAME hides that person's messages."))
    case .encrypt, .verify, .device:
      context.answer(request, translated("IRC cannot encrypt from end to end."))
    case .topic, .invite, .kick, .ban, .unban, .promote, .demote: runInRoom(request)
    case .whois:
      let nick = wireName(target)
      questions.ask(request, IRCLine("WHOIS", [nick, nick]), about: nick, in: &context)
    case .mode:
      // The server would say that the owner is not in the room.
      if rooms[context.fold(target)]?.isEntering == true {
        return context.requests.postpone(request)
      }
      let words = request.text.split(separator: " ").map(String.init)
      let whose = target.isEmpty ? context.nick : wireName(target)
      questions.ask(request, IRCLine("MODE", [whose] + words), about: whose, in: &context)
    case .ctcp:
      let nick = wireName(target)
      let words = request.text.without(["\u{01}"]).uppercased()
      questions.ask(
        request, IRCLine("PRIVMSG", [nick, "\u{01}\(words)\u{01}"]), about: nick, in: &context)
    case .line:
      guard let line = IRCLine(request.text) else {
        return context.answer(request, translated("There is no command in that line."))
      }
      questions.ask(request, line, in: &context)
    // The network process carries out the others by itself.
    case .reconnect, .readSettings, .fetch, .fetchUnasked: break
    }
  }

  private mutating func runInRoom(_ request: NetworkRequest) {
    guard let room = rooms[context.fold(request.target)], room.state != .outside else {
      return context.answer(request, filled(("You are not in %1.", [request.target])))
    }
    if case .refused(let sentence) = room.state { return context.answer(request, sentence) }
    if room.isEntering { return context.requests.postpone(request) }
    let whom = request.person
    let person = Self.isBanMask(whom) ? whom : wireName(whom)
    guard request.verb == .topic || Self.isWord(person) else {
      return context.answer(request, filled(("%1 is not an address.", [person])))
    }
    let line: IRCLine
    switch request.verb {
    case .topic: line = IRCLine("TOPIC", [room.name, request.text])
    case .invite: line = IRCLine("INVITE", [person, room.name])
    case .kick:
      line = IRCLine("KICK", [room.name, person] + (request.text.isEmpty ? [] : [request.text]))
    case .ban, .unban:
      return questions.askBan(
        request, of: person, isMask: Self.isBanMask(person), in: room.name, &context)
    case .promote: line = IRCLine("MODE", [room.name, "+o", person])
    default: line = IRCLine("MODE", [room.name, "-o", person])
    }
    questions.ask(request, line, about: room.name, person: person, in: &context)
  }

  private static func isBanMask(_ text: String) -> Bool { text.contains { "!@*?$:".contains($0) } }

  /// Whether a text can be a single word of a line.
  private static func isWord(_ text: String) -> Bool {
    !text.isEmpty && text.unicodeScalars.first != ":"
      && !text.unicodeScalars.contains { $0 == " " || $0 == "\r" || $0 == "\n" || $0 == "\0" }
  }

  func addressed(_ address: String) -> ConversationAddress {
    context.isRoom(address) ? .room(address) : .direct(address)
  }

  /// The server's name for a room or a person.
  func wireName(_ address: String) -> String {
    context.isRoom(address)
      ? rooms[context.fold(address)]?.name ?? context.names.plain(address)
      : rooms.people.nick(of: address, context.names)
  }

  private func abilitySentence(for target: String) -> Remark {
    var sentences: [Remark] = [
      context.historyLimit == nil
        ? translated("The server keeps no history.")
        : translated("The server keeps a history."),
      translated(
        "A message is “sent” when the server has confirmed it; IRC reports nothing more."),
    ]
    if let room = rooms[context.fold(target)], let modes = room.modes, !modes.isEmpty {
      sentences.append(filled(("Modes of %1: %2.", [room.name, "+" + modes])))
    }
    return sentences.joined(separator: " ")
  }

  // MARK: Signals

  mutating func handle(_ signal: NetworkSignal) {
    switch signal {
    case .typing(let conversation, let isTyping):
      guard context.isReady, context.abilities.rooms.typing else { return }
      announce(isTyping, in: conversation)
    case .receipt(let conversation, let ids, _, .seen):
      history.unread.remove(conversation.address)
      if let id = ids.archive { history.noteSeen(id, in: conversation) }
    case .receipt: break
    case .open(let conversations):
      context.noteOpen(
        Set(
          conversations.compactMap {
            if case .room(let address) = $0 { address } else { nil }
          }))
    }
  }

  /// How often the client tells how far the owner has read, in milliseconds, where the server
  /// limits its lines.
  private static let markerPause: Milliseconds = 5_000

  /// Tells the server how far the owner has read, also what they read without a connection: in a
  /// room as soon as they have entered it.
  mutating func sendReadMarkers() {
    if history.seen.isEmpty || context.clock.isSet(.markers) { return }
    for (conversation, seen) in history.seen.sorted(by: { $0.key.address < $1.key.address })
    where !seen.isTold {
      if case .room(let address) = conversation, rooms[address]?.isEntering == true { continue }
      guard context.has(Capabilities.readMarker),
        let time = history.time(of: seen.id, in: conversation)
      else {
        history.seen[conversation] = nil
        continue
      }
      history.seen[conversation]?.isTold = true
      context.send(
        IRCLine("MARKREAD", [wireName(conversation.address), "timestamp=" + time]), .idle)
      if !context.throttle.isOff { context.clock.set(.markers, in: Self.markerPause) }
    }
  }

  /// Asks how far the owner has read a direct chat on other devices: servers say so unasked only of
  /// rooms.
  mutating func askForMark(_ nick: String, isUrgent: Bool = true) {
    guard context.has(Capabilities.readMarker) else { return }
    let line = IRCLine("MARKREAD", [nick])
    context.send(line, isUrgent ? .background : .idle)
  }

  private mutating func announce(_ isTyping: Bool, in conversation: ConversationAddress) {
    let target = wireName(conversation.address)
    switch conversation {
    case .room(let address): if rooms[address]?.isInside != true { return }
    case .direct(let identity):
      if outbox.awaitsHolder(identity, rooms, context)
        || rooms.people.hasSuccessor(identity, at: target, context.names)
      {
        return
      }
    }
    // Drop a signal rather than let it delay a message.
    guard context.freeTurns() > 1, context.takeTurn() else { return }
    context.sendNow(
      IRCLine("TAGMSG", [target], tags: ["+typing": isTyping ? "active" : "done"]))
  }
}

extension NetworkRequest.Verb {
  /// Whether a request without a target makes sense.
  fileprivate var isAboutNobody: Bool {
    [.presence, .abilities, .mode, .line, .approve, .decline].contains(self)
  }
}
