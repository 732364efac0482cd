// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Sentences

// What the server's lines mean, other than messages.
extension IRCClient {
  mutating func receive(_ line: IRCLine) {
    if let number = line.number { return receive(line, number) }
    let nick = line.source?.nick ?? ""
    switch line.command {
    case "PING": context.sendNow(IRCLine("PONG", line.parameters))
    case "PONG":
      context.noteTime(of: line)
      receivePong(line.parameters.last ?? "")
    case "ERROR": context.add(.hangUp(LoginFailure.closed(line[0]).remark))
    case "PRIVMSG", "NOTICE", "TAGMSG", "REDACT": receiveSpeech(line)
    case "JOIN", "PART", "KICK", "QUIT", "NICK", "TOPIC", "MODE", "INVITE", "RENAME":
      receiveRoomEvent(line, nick)
    case "ACCOUNT" where !context.isMe(nick):
      noteLogin(of: nick, People.Login(line[0]))
    case "AWAY" where !context.isMe(nick): noteAway(nick, line.awayMessage)
    case "CHGHOST": if context.isMe(nick) { context.userAndHost = line[0] + "@" + line[1] }
    case "MARKREAD": receiveMark(line)
    case "ACK": _ = noteLabelled(line, isEcho: false)
    case "FAIL": receiveFailure(line)
    case "WARN", "NOTE": if !questions.noteRemark(line) { noteServerNotice(line) }
    case "CAP": receiveCapabilities(line)
    // soju.im/bouncer-networks
    case "BOUNCER" where line[0] == "NETWORK" && offersNetworks && !line[1].isEmpty:
      context.add(.network(line[1], line[2] == "*" ? nil : IRCLine.tags(line[2])))
    default: break
    }
  }

  /// Notes that a line with a label answers a line of the outbox.
  ///
  /// - Returns: false if it answers none.
  mutating func noteLabelled(_ line: IRCLine, isEcho: Bool) -> Bool {
    guard let label = line.tags["label"] else { return false }
    return outbox.noteAnswer(label: label, echo: isEcho ? line : nil, in: &context)
  }

  /// Handles the answer to a probe.
  private mutating func receivePong(_ token: String) {
    outbox.notePong(token, in: &context)
    if token == IRCContext.probe + IRCOutbox.lists { outbox.isLearningAccounts = false }
    questions.notePong(token, in: &context)
  }

  // MARK: Numbers

  private mutating func receive(_ line: IRCLine, _ number: Int) {
    if noteHolder(line, number) { return }
    switch number {
    case 5:
      context.noteTime(of: line)
      context.support.note(line.parameters)
      if context.isReady { context.tell(.rules(context.support.rules)) }
    case 376, 422: begin()
    case 396: noteOwnHost(line[1])
    case 900:
      context.account = line[2]
      rooms.enterAfterLogin(in: &context)
    case 901: context.account = nil
    case 332: receiveTopic(of: line[1], line[2], by: nil)
    case 331: receiveTopic(of: line[1], "", by: nil)
    case 353: if !rooms.noteNames(line, in: &context) { questions.note(line, in: &context) }
    case 366: receiveEndOfNames(line)
    case 401 where line[1].hasPrefix(IRCContext.probe): break
    case 318 where line[1].hasPrefix(IRCContext.probe): receivePong(line[1])
    case 354: receiveWho(line)
    case 324:
      rooms.setModes(line[1], line[2], in: context)
      questions.note(line, in: &context)
    case 730, 731:
      watched.note(line[1], isOnline: number == 730, rooms.people, in: &context)
      if questions.isCommand("MONITOR", answeredBy: line) { questions.note(line, in: &context) }
    case 303 where questions.isCommand("ISON", answeredBy: line):
      questions.note(line, in: &context)
    case 303: watched.noteOnline(line.parameters.last ?? "", rooms.people, in: &context)
    case 301: receiveAwayNotice(line)
    case 470: rooms.forward(line, in: &context)
    case 433, 437:
      if !watched.noteRefusal(of: line[1], in: &context) { receiveRefusal(line, number) }
    case 400..<600, 707, 716, 926, 936: receiveRefusal(line, number)
    default: questions.note(line, in: &context)
    }
  }

  /// Notes a line of the answer to the question who has a nick (`IRCOutbox.askForHolders`).
  ///
  /// - Returns: whether it answers nothing else.
  private mutating func noteHolder(_ line: IRCLine, _ number: Int) -> Bool {
    let (nick, folded) = (line[1], context.fold(line[1]))
    guard Self.answersToWhois.contains(number), let words = outbox.asked[folded] else {
      return false
    }
    switch number {
    case 330: noteLogin(of: nick, People.Login(line[2]))
    case 401, 402:
      outbox.asked[folded] = line.refusalWords
      return !questions.names(nick, context)
    // It follows a refusal as well.
    case 318 where words.isEmpty:
      outbox.asked[folded] = nil
      if rooms.people[folded]?.login ?? .unknown == .unknown { noteLogin(of: nick, .no) }
    default: break
    }
    return !questions.isAbout(nick, context)
  }

  private static let answersToWhois: Set = [
    275, 276, 307, 310, 311, 312, 313, 317, 318, 319, 320, 330, 335, 338, 378, 379, 401, 402, 671,
  ]

  private mutating func receiveEndOfNames(_ line: IRCLine) {
    guard rooms.noteEndOfNames(line[1], in: &context) else {
      return questions.note(line, in: &context)
    }
    let address = context.fold(line[1])
    history.begin(.room(address), as: line[1], in: &context)
    if context.support["WHOX"] != nil, rooms[address]?.members.nicks.count ?? 0 <= Self.mostAsked {
      context.send(
        IRCLine("WHO", [line[1], "%tnfa," + Self.whoToken]),
        context.openRooms.contains(address) ? .open : .idle)
    }
  }

  /// The client asks for people's accounts only in rooms with at most this many people; elsewhere
  /// it learns the accounts when people speak.
  private static let mostAsked = 100
  private static let whoToken = "42"

  /// Handles a line of WHOX (354): a person's account, and whether they are away.
  private mutating func receiveWho(_ line: IRCLine) {
    guard line[1] == Self.whoToken, line.parameters.count == 5 else {
      return questions.note(line, in: &context)
    }
    let nick = line[2]
    if context.isMe(nick) { return }
    noteLogin(of: nick, People.Login(line[4]))
    if line[3].hasPrefix("G") { noteAway(nick, "") }
    if let sign = context.support["BOT"], !sign.isEmpty, line[3].contains(sign) {
      rooms.noteBot(nick, in: &context)
    }
  }

  private mutating func receiveRefusal(_ line: IRCLine, _ number: Int) {
    if !Self.aboutOthers.contains(number), rooms.noteRefusal(line[1], line, in: &context) {
      return
    }
    let label = line.tags["label"]
    // Without a target, a refusal is about the first line that has no answer.
    let target = Self.withoutTarget.contains(number) ? nil : line[1]
    if label != nil || target == nil || Self.aboutMessages.contains(number),
      outbox.noteRefusal(
        label: label, target: target, Remark(line.refusalWords), in: &context)
    {
      return
    }
    questions.note(line, in: &context)
  }

  /// Refusals that may name a room and are not about entering it: of messages, and of requests about
  /// its people and modes.
  private static let aboutOthers: Set = [401, 402, 404, 441, 442, 443, 467, 472, 478, 482]
  /// Refusals of a message, which name its target: also those of people who choose whose messages
  /// they accept (716), of servers that limit to how many people one writes (439, 707), and of
  /// those that forbid words (936).
  private static let aboutMessages: Set = [
    401, 402, 403, 404, 407, 408, 415, 437, 439, 440, 477, 486, 492, 494, 531, 707, 716, 936,
  ]
  /// Refusals of a line that has no target or text, or is too long.
  private static let withoutTarget: Set = [411, 412, 417]

  private mutating func receiveFailure(_ line: IRCLine) {
    let words = Remark(line.parameters.last ?? "")
    switch line[0] {
    case "CHATHISTORY":
      history.noteFailure(line, words, in: &context)
    case "MARKREAD": break
    case "JOIN" where rooms.noteRefusal(line[2], line, in: &context): break
    default:
      // A batch is refused because of its limits; the server names them and no target.
      let target = line[0] == "BATCH" ? nil : line.parameters.dropFirst(2).dropLast().first
      if outbox.noteRefusal(
        label: line.tags["label"], target: target, of: line[0], words, in: &context)
      {
        return
      }
      questions.note(line, in: &context)
    }
  }

  // MARK: The owner

  private mutating func noteOwnHost(_ host: String) {
    // Some servers send `user@host`.
    if host.contains("@") {
      context.userAndHost = host
    } else if let former = context.userAndHost {
      context.userAndHost = former.prefix { $0 != "@" } + "@" + host
    }
  }

  private mutating func receiveCapabilities(_ line: IRCLine) {
    let list = line.parameters.last ?? ""
    switch line[1].uppercased() {
    case "NEW":
      context.capabilities.offer(list)
      for request in context.capabilities.requestLines(withSASL: false) { context.send(request) }
    case "DEL": context.capabilities.withdraw(list)
    case "ACK": context.capabilities.enable(list)
    default: break
    }
  }

  // MARK: Rooms

  private mutating func receiveRoomEvent(_ line: IRCLine, _ nick: String) {
    guard !nick.isEmpty else { return }
    let isMe = context.isMe(nick)
    switch line.command {
    case "JOIN" where isMe:
      if let source = line.source, let user = source.user, let host = source.host {
        context.userAndHost = user + "@" + host
      }
      for name in line[0].split(separator: ",").map(String.init) {
        rooms.noteEntry(into: name, in: &context)
        let room = ConversationAddress.room(context.fold(name))
        history.forgetState(of: room)
        history.noteActivity(in: room, &context)
        playbacks.enter(context.fold(name), &rooms)
      }
    case "JOIN":
      rooms.noteJoin(of: line, nick, isReturn: batches.isOfSplit, in: &context)
      watched.follow(nick, rooms.people, in: &context)
    case "PART" where isMe: rooms.noteOwnDeparture(from: line[0], nil, in: &context)
    case "PART": rooms.noteDeparture(of: nick, from: line[0], removal: nil, in: &context)
    case "KICK": receiveKick(line, by: nick)
    case "QUIT" where isMe: break
    case "QUIT" where line.tellsNewHost: rooms.noteNewHost(of: nick, &context)
    case "QUIT":
      rooms.noteQuit(
        of: nick, isSplit: batches.isOfSplit || line.namesTwoServers, in: &context)
    // InspIRCd labels the answer to a labelled NICK, and names the new nick as its source.
    case "NICK" where (isMe || questions.isLabelled(line)) && !line[0].isEmpty:
      let nick = context.nick
      context.nick = line[0]
      context.tellNick()
      watched.noteOwnNick()
      let me = NetworkUser(identity: context.fold(line[0]), name: line[0], isOwner: true)
      // On a bouncer's other networks, the owner has other nicks.
      for (address, room) in rooms.byAddress where room.isInside {
        context.tell(.renamed(me, room: address, former: nick))
      }
      context.tell(
        .notice(
          filled((line[0] == ownNick ? "You are %1 again." : "You are %1 now.", [line[0]]))))
    case "NICK":
      let former = rooms.people.storedIdentity(of: nick, context.names)
      rooms.noteNick(of: nick, line[0], in: &context)
      watched.follow(line[0], from: former, rooms.people, in: &context)
    case "TOPIC": receiveTopic(of: line[0], line[1], by: nick)
    case "MODE" where context.isRoom(line[0]):
      rooms.noteModes(line[0], line.parameters.dropFirst(), by: nick, in: &context)
    case "INVITE" where context.isMe(line[0]) && context.isRoom(line[1]):
      context.tell(.invited(room: context.fold(line[1]), by: rooms.people.user(nick, context)))
      context.countStrangersLater()
    case "RENAME":
      let (former, new) = (context.fold(line[0]), context.fold(line[1]))
      let wasKnown = rooms[former] != nil
      rooms.rename(line[0], to: line[1], by: nick, in: &context)
      if wasKnown, rooms[former] == nil {
        history.follow(.room(former), to: .room(new), as: line[1], in: &context)
        outbox.follow(.room(former), to: .room(new), context)
        context.follow(former, to: line[1])
      }
    default: break
    }
  }

  private mutating func receiveKick(_ line: IRCLine, by nick: String) {
    let words = line[2].isEmpty || line[2] == nick || line[2] == line[1] ? nil : line[2]
    if context.isMe(line[1]) {
      let sentence: Sentence =
        words.map { ("%1 removed you from %2: %3", [nick, line[0], $0]) }
        ?? ("%1 removed you from %2.", [nick, line[0]])
      return rooms.noteOwnDeparture(from: line[0], filled(sentence), in: &context)
    }
    let removal: Sentence =
      words.map { ("removed by %1: %2", [nick, $0]) } ?? ("removed by %1", [nick])
    rooms.noteDeparture(of: line[1], from: line[0], removal: filled(removal), in: &context)
  }

  private mutating func receiveTopic(of name: String, _ text: String, by nick: String?) {
    let address = context.fold(name)
    guard rooms[address]?.isInside == true else { return }
    context.tell(
      .topic(
        room: address, text: Formatting.marked(text),
        by: nick.map { rooms.people.user($0, context) }, at: nil))
  }

  // MARK: People

  mutating func noteLogin(of nick: String, _ login: People.Login) {
    rooms.noteLogin(of: nick, login, in: &context)
    watched.follow(nick, rooms.people, in: &context)
  }

  /// - Parameter message: nil if they are back.
  private mutating func noteAway(_ nick: String, _ message: String?) {
    if nick.isEmpty { return }
    rooms.people.setAway(message, nick, context.names)
    let user = rooms.people.user(nick, context)
    let folded = context.fold(nick)
    if let room = rooms.byAddress.first(where: {
      $0.value.state == .entered && $0.value.members[folded] != nil
    }) {
      context.tell(.present(user, room: room.key, away: message))
    } else if let contact = watched.watchedUser(nick, rooms.people, context) {
      context.tell(.contact(contact, isOnline: true, away: message))
    }
  }

  /// Tells the owner that somebody to whom they write is away; the server says so each time, and
  /// hobnob once, until the message is another.
  private mutating func receiveAwayNotice(_ line: IRCLine) {
    let (nick, message) = (line[1], line.parameters.last ?? "")
    // During a WHOIS, it is part of the answer.
    if questions.isAbout(nick, context) { return questions.note(line, in: &context) }
    guard !nick.isEmpty, rooms.people[context.fold(nick)]?.away != message else { return }
    rooms.people.note(nick, context.names)
    noteAway(nick, message)
    context.tell(.notice(filled(("%1 is away: %2", [nick, message]))))
  }

  /// Notes that the owner has read up to this time on another device.
  private mutating func receiveMark(_ line: IRCLine) {
    guard !line[0].isEmpty, let text = IRCLine.tags(line[1])["timestamp"],
      let time = Timestamp.read(text)
    else { return }
    let address =
      context.isRoom(line[0])
      ? context.fold(line[0]) : rooms.people.formerIdentity(of: line[0], context.names)
    history.noteRead(until: text, time, in: addressed(address), &context)
  }
}

extension IRCLine {
  /// Of an AWAY, the message; nil for an empty one, which means that they are back. `*` stands for
  /// an unknown message (IRCv3 pre-away).
  fileprivate var awayMessage: String? { self[0].isEmpty ? nil : self[0] == "*" ? "" : self[0] }

  /// Whether somebody quits only to return with a new host: servers without CHGHOST say so. In
  /// front of a person's own words they write "Quit: ".
  fileprivate var tellsNewHost: Bool { self[0].lowercased().hasPrefix("changing host") }

  /// Whether somebody quit in a netsplit: the message then consists of the names of two servers.
  fileprivate var namesTwoServers: Bool {
    let words = self[0].split(separator: " ", omittingEmptySubsequences: false)
    return words.count == 2
      && words.allSatisfy { word in
        word.contains(".") && !word.hasPrefix(".") && !word.hasSuffix(".")
          && word.utf8.allSatisfy { $0 != 0x2F && $0 != 0x3A && $0 > 0x20 }
      }
  }
}
