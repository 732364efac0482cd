// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// `/join`, `/leave`, `/msg`, `/switch`, `/list`, `/who`, `/drafts`.
@MainActor
struct ConversationCommands: SessionPart {
  let session: Session

  func join(_ argument: String) throws {
    let words = argument.split(whereSeparator: \.isWhitespace).map(String.init)
    if words.count == 3, words[1] == Secrets.option {
      return try join(words[0], password: words[2])
    }
    guard words.count == 1 else { throw usage("join") }
    var names = [argument]
    // Several, as in irssi; a room of a network can have a comma in its name.
    if argument.contains(","), (try? store.read { try $0.room(argument, for: me.id) }) == nil {
      names = argument.split(separator: ",").map(String.init)
    }
    guard let last = names.popLast() else { throw usage("join") }
    guard names.isEmpty else {
      try refuseNearNames(names + [last])
      names.removeAll { $0 == last }
      let others = try names.map { name in
        let (room, isNew) = try joined(room: name)
        return isNew ? say("%1 (new room)", SafeText(name: room.name)) : SafeText(name: room.name)
      }
      let (target, isNew) = try joined(room: last)
      tell(say("You are also in %1.", others.joined(separator: ", ")))
      return try place.go(to: target, isNew: isNew)
    }
    if try confirmsAmbiguousName(roomToJoin: last) { return }
    let (target, isNew) = try joined(room: last)
    try place.go(to: target, isNew: isNew)
  }

  private func join(_ name: String, password: String) throws {
    let networks = NetworkCommands(session: session)
    guard let (account, address) = try networks.room(name) else {
      throw Refusal(
        say(
          "%1 is a room on this machine, and those have no passwords.", SafeText(name: name)))
    }
    try place.go(to: try networks.join(address, password: password, of: account))
  }

  /// Joins a room and makes it if missing; on a network, as soon as the network lets me in.
  func joined(room name: String) throws -> (room: Conversation, isNew: Bool) {
    let networks = NetworkCommands(session: session)
    if let (account, address) = try networks.room(name) {
      return (try networks.join(address, password: "", of: account), false)
    }
    return try made(room: name)
  }

  /// The same of this machine.
  func made(room name: String) throws -> (room: Conversation, isNew: Bool) {
    let isNew = try store.read { try $0.room(name, for: me.id) } == nil
    let bare = name.hasPrefix("#") ? String(name.dropFirst()) : name
    if isNew, try store.read({ try $0.belongsToARemovedRoom(bare) }) {
      throw Refusal(say("#%1 was removed; /search finds its messages.", SafeText(name: bare)))
    }
    let room = try store.writeDurablyIfNeeded {
      let room = try $0.makeRoom(name, for: me.id)
      try $0.join(me.id, room.id, isTold: true)
      return room
    }
    return (room, isNew)
  }

  func leave(_ argument: String) throws {
    let target: Conversation
    if argument.isEmpty {
      target = try place.required()
    } else {
      if try RequestsCommand(session: session).declines(argument) { return }
      guard let room = try store.read({ try $0.room(argument, for: me.id) }) else {
        throw RuleError.noSuchRoom(argument)
      }
      target = room
    }
    guard target.kind == .room else {
      throw Refusal(
        say(
          "%1 is a direct chat, and you cannot leave it; /switch goes elsewhere.",
          SafeText(name: target.name)))
    }
    guard try store.read({ try $0.isMember(me.id, of: target.id) }) else {
      throw RuleError.notAMember(target.name)
    }
    _ = try NetworkCommands(session: session).ask(.leave, in: target)
    try store.writeDurablyIfNeeded { try $0.leave(me.id, target.id) }
    news.forgetUnread(of: target.id)
    let isOpen = target.id == place.conversation?.id
    if isOpen { place.left() }
    tell(
      say("You left %1; /join %1 enters it again.", SafeText(name: target.name)))
    if isOpen { goBack() }
  }

  /// From a room that is left: to where one was before.
  func goBack() {
    session.reportingErrors {
      if let former = try switcher.before()
        ?? store.read({ try $0.listing(for: me.id) }).first?.conversation
      {
        try place.go(to: former)
      }
    }
  }

  func message(_ argument: String) throws {
    let name = argument.prefix { !$0.isWhitespace }
    guard !name.isEmpty else { throw usage("msg") }
    let text = argument.dropFirst(name.count).drop { $0.isWhitespace }
    try outgoing.checkLength(of: String(text))
    try place.go(to: try chat(with: String(name)))
    if !text.isEmpty { try outgoing.send(String(text), typed: "/msg " + argument) }
  }

  private func chat(with name: String) throws -> Conversation {
    if let (account, address) = try NetworkCommands(session: session).person(name) {
      return try NetworkCommands(session: session).chat(with: address, of: account)
    }
    guard let person = try NetworkCommands(session: session).known(name) else {
      throw try nobody(called: name)
    }
    guard person.id != me.id else { throw Refusal(say("That is you.")) }
    return try store.writeDurablyIfNeeded { try $0.direct(me.id, with: person.id) }
  }

  func switchTo(_ argument: String) throws {
    guard !argument.isEmpty else { throw usage("switch") }
    if let move = ["-": Move.last, "+1": .next, "-1": .previous][argument] {
      guard let found = try switcher.target(of: move) else {
        throw Refusal(say("There is no other conversation to go to."))
      }
      return try place.go(to: found)
    }
    switch try meant(by: argument) {
    case .found(let found): try place.go(to: found)
    case .near(let near): ask(near, for: argument)
    }
  }

  // MARK: Lists

  func list(_ argument: String) throws {
    guard argument.isEmpty else { throw usage("list") }
    // Whatever the store holds, even one conversation twice.
    let mine = Dictionary(
      try store.read { try $0.listing(for: me.id) }.map { ($0.conversation.id, $0) }
    ) { $1 }
    let unread = Dictionary(
      try store.read { try $0.unread(mentioning: me, highlight: settings.highlightWords) }.map {
        ($0.conversation.id, $0)
      }
    ) { $1 }
    var lines: [StyledLine] = []
    let joined = try store.read { try $0.joined(by: me.id) }
    let width = String(joined.count).count
    let names = Dictionary(mine.values.map { ($0.conversation.name, 1) }, uniquingKeysWith: +)
    for (row, id) in joined.enumerated() {
      guard let entry = mine[id] else { continue }
      let number = String(row + 1)
      let isOpen = entry.conversation.id == place.conversation?.id
      let blanks = String(repeating: " ", count: width - number.count)
      var line = StyledLine((isOpen ? "* " : "  ") + SafeText(line: blanks + number + " "), .dim)
      line.append(SafeText(name: entry.conversation.name), isOpen ? .bold : .plain)
      if let unread = unread[entry.conversation.id], !isOpen {
        line.append(" " + unread.mark, unread.style(accent: settings.looks.color))
      }
      if names[entry.conversation.name] != 1, let network = entry.conversation.network {
        line.append("  " + SafeText(line: network), .dim)
      }
      if let last = entry.lastAt { line.append("  " + LocalTime.stamp(last), .dim) }
      lines.append(line)
    }
    let known = Set(mine.keys)
    for room in try store.read({ try $0.rooms(for: me.id) }) where !known.contains(room.id) {
      lines.append(
        StyledLine(SafeText(line: String(repeating: " ", count: width + 3)))
          + StyledLine(SafeText(name: room.name), .dim)
          + StyledLine("  " + say("not joined"), .dim))
    }
    if lines.isEmpty {
      lines = [StyledLine(say("There is no conversation yet; /join ROOM makes one."), .dim)]
    }
    transcript.answer(lines)
  }

  func who(_ argument: String) throws {
    guard argument.isEmpty else { throw usage("who") }
    list(try place.lookWhoIsHere())
  }

  /// People, those who are here first.
  func list(_ presences: [Presence]) {
    people.recognise(presences.map(\.participant.id))
    var lines: [StyledLine] = []
    for presence in presences.sorted(by: {
      ($0.isHere ? 0 : 1, $0.participant.name) < ($1.isHere ? 0 : 1, $1.participant.name)
    }) {
      let person = presence.participant
      var line = StyledLine("  ")
      line += transcript.printer.name(
        SafeText(name: person.name), of: person.id, identity: person.identity)
      // What tells those in a room apart is not for people to read.
      if person.name != person.identity, !person.isOccupant {
        line.append(" (" + SafeText(name: person.identity) + ")", .dim)
      }
      let state: SafeText? =
        if let word = presence.away {
          word.isEmpty ? say("away") : say("away: %1", SafeText(line: word))
        } else if presence.typingSince != nil && presence.isHere && person.id != me.id {
          say("typing")
        } else if presence.isLooking {
          say("here")
        } else if presence.isHere {
          // A network tells no more than that.
          person.network == nil ? say("here, but not looking") : say("here")
        } else {
          presence.isKnown ? say("not here") : nil
        }
      if let state { line.append("  " + state, .dim) }
      lines.append(line)
    }
    transcript.answer(lines)
  }

  func drafts(_ argument: String) throws {
    switch argument {
    case "":
      let drafts = try store.read { try $0.drafts(of: me.id) }.filter {
        $0.0.id != place.conversation?.id
      }
      guard !drafts.isEmpty else { return tell(say("No drafts wait in other conversations.")) }
      transcript.answer(
        drafts.map { conversation, draft in
          let first = SafeText(body: draft.text).lines.first ?? SafeText()
          return StyledLine("  " + SafeText(name: conversation.name) + "  ")
            + StyledLine(first.truncated(to: 60, widths: transcript.printer.options.widths), .dim)
        })
    case "clear":
      try store.writeDurably { try $0.clearDrafts(of: me.id) }
      session.drafts.forgetAsideElsewhere()
      tell(say("All drafts are deleted."))
    default: throw usage("drafts")
    }
  }
}

extension DurableTransaction {
  /// The conversation that a person means: `@name`, `#room`, or a bare name, which is a room
  /// (rule 11.2), or else a person.
  package func conversation(meantBy name: String, me: ID<Participant>) throws -> Conversation {
    if name.hasPrefix("@") {
      guard let person = try find(participant: name, for: me), person.id != me else {
        throw RuleError.noSuchParticipant(name)
      }
      return try direct(me, with: person.id)
    }
    if let room = try room(name, for: me) { return room }
    if !name.hasPrefix("#"), let person = try find(participant: name, for: me), person.id != me {
      return try direct(me, with: person.id)
    }
    throw RuleError.noSuchRoom(name)
  }
}
