// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// `/join`, `/leave`, `/msg`, `/switch`, `/list`, `/who`, `/drafts`, and entering a conversation.
extension Shell {
  /// How many messages the opening screen shows at least, and how many are printed in one turn of
  /// the loop when more are unread.
  static let openingMessages = (usual: 20, atOnce: 200)

  func join(_ argument: String) throws {
    guard !argument.isEmpty, !argument.contains(where: \.isWhitespace) else { throw usage("join") }
    guard let room = try store.room(argument, create: true) else {
      throw RuleError.noSuchRoom(argument)
    }
    try store.join(me.id, room.id)
    try go(to: room)
  }

  func leave(_ argument: String) throws {
    let target: Conversation
    if argument.isEmpty {
      target = try requireConversation()
    } else {
      guard let room = try store.room(argument, create: false) else {
        throw RuleError.noSuchRoom(argument)
      }
      target = room
    }
    guard target.kind == .room else {
      throw Refusal(
        say(
          "%1 is a direct chat, which stays; /switch goes elsewhere.", SafeText(name: target.name)))
    }
    guard try store.isMember(me.id, of: target.id) else { throw RuleError.notAMember(target.name) }
    try store.leave(me.id, target.id)
    unread[target.id] = nil
    if target.id == conversation?.id {
      membership = .left
      backlog = nil
    }
    tell(
      say("You left %1; /join %1 enters it again.", SafeText(name: target.name)))
    face?.refresh()
  }

  func message(_ argument: String) throws {
    let name = argument.prefix { !$0.isWhitespace }
    guard !name.isEmpty else { throw usage("msg") }
    guard let person = try store.find(participant: String(name)) else {
      throw RuleError.noSuchParticipant(String(name))
    }
    guard person.id != me.id else { throw Refusal(say("That is you.")) }
    let text = argument.dropFirst(name.count).drop { $0.isWhitespace }
    try checkLength(of: String(text))
    try go(to: try store.direct(me.id, with: person.id))
    if !text.isEmpty { try send(String(text), typed: "/msg " + argument) }
  }

  func switchTo(_ argument: String) throws {
    guard !argument.isEmpty else { throw usage("switch") }
    try go(to: try find(argument))
  }

  /// The conversation that a person means: `@name`, `#room`, or a bare name, which is a room
  /// (rule 11.2), or else a person.
  func find(_ name: String) throws -> Conversation {
    if name.hasPrefix("@") {
      guard let person = try store.find(participant: name), person.id != me.id else {
        throw RuleError.noSuchParticipant(name)
      }
      return try store.direct(me.id, with: person.id)
    }
    if let room = try store.room(name, create: false) { return room }
    if !name.hasPrefix("#"), let person = try store.find(participant: name), person.id != me.id {
      return try store.direct(me.id, with: person.id)
    }
    throw RuleError.noSuchRoom(name)
  }

  func go(to target: Conversation) throws {
    if target.id == conversation?.id {
      // Back in a room that was left: what was said meanwhile is shown.
      if !isMember { try enter(target) }
      face?.refresh()
      return
    }
    if editing != nil { cancelEditing() }
    face?.leaveConversation()
    try enter(target)
    face?.enteredConversation()
  }

  /// Opens a conversation: prints its end, with a rule above what is unread (rule 7.7).
  func enter(_ target: Conversation) throws {
    let membership = try store.membership(of: me.id, in: target.id)
    let marker = try store.readMarker(of: me.id, in: target.id)
    // Nothing of the first screen shows how far a message got.
    let known = try store.messages(
      in: target.id, limit: Self.openingMessages.usual, for: me.id, receipts: !isStarting)
    var messages = known
    var backlog: Backlog?
    // Where the screen begins with what is past, all the others are on it.
    if let first = known.first, !first.isPast, first.number > marker + 1, membership == .member,
      let unread = try store.firstUnread(by: me.id, in: target.id, behind: marker),
      unread < first.number
    {
      messages = try store.messages(
        in: target.id, after: unread - 1, limit: Self.openingMessages.atOnce, for: me.id,
        receipts: !isStarting)
      if messages.count == Self.openingMessages.atOnce, face?.isInteractive == true {
        backlog = Backlog()
      }
    }
    conversation = target
    self.membership = membership
    unread[target.id] = nil
    printedUpTo = messages.filter { !$0.isPast }.map(\.number).max() ?? target.lastNumber
    backlog?.keepUnsent(of: &messages, by: me.id)
    self.backlog = backlog
    newestOwn =
      isStarting ? nil : messages.last { $0.sender == me.id && $0.deletedAt == nil && !$0.isPast }
    printer.startOver()
    // What is held of another conversation is unread there.
    isPaused = false
    held = HeldLines()
    recognise(messages.map(\.sender))
    spoken = [:]
    typing = TypingList()
    typing.timeout = Int64(settings.typingTimeout) * 1000
    var lines: [StyledLine] = []
    if !target.topic.isEmpty { lines.append(topicLine(target)) }
    var ruled = !isMember
    for message in Store.ordered(messages) {
      if !ruled, message.number > marker, message.sender != me.id, !message.isPast {
        ruled = true
        printer.endRun()
        lines.append(printer.rule(say("new")))
      }
      lines += printer.lines(for: message)
    }
    if !lines.isEmpty { face?.show(lines) }
    goOnPrinting()
    let myself = me.id
    let shellIsThere = shellID != nil
    let isLooking = isLooking
    postpone("open") { [store] in
      try store.setLastConversation(target.id, of: myself)
      if shellIsThere { try store.open(target.id, paused: !isLooking) }
    }
    owesSeen = false
    if printedUpTo > 0 { markSeen(target) }
    if shellIsThere { lookAround() }
    face?.refresh()
  }

  /// Who is here and what is unread elsewhere; after the first prompt, which does not wait for it.
  func lookAround() {
    guard let conversation else { return }
    here = (try? store.people(in: conversation.id)) ?? []
    for presence in here where presence.participant.id != me.id && presence.isHere {
      guard let since = presence.typingSince else { continue }
      typing.signal(
        presence.participant.identity, name: shownName(presence.participant),
        at: clock() - max(0, Store.wallClock() - since))
    }
    typing.expire(at: clock())
    away = (try? store.away(of: me.id)) ?? nil
    refreshNewestOwn()
    for entry in (try? store.listing(for: me.id)) ?? []
    where entry.conversation.id != conversation.id {
      unread[entry.conversation.id] =
        entry.unread > 0 ? (entry.conversation.name, entry.unread) : nil
    }
    face?.refresh()
  }

  // MARK: Lists

  func list(_ argument: String) throws {
    guard argument.isEmpty else { throw usage("list") }
    let mine = try store.listing(for: me.id)
    var lines: [StyledLine] = []
    for entry in mine where entry.isMember || entry.conversation.kind == .direct {
      let isOpen = entry.conversation.id == conversation?.id
      var line = StyledLine(isOpen ? "* " : "  ", .dim)
      line.append(SafeText(name: entry.conversation.name), isOpen ? .bold : .plain)
      if entry.unread > 0, !isOpen {
        line.append("  " + say("%1 unread", SafeText(entry.unread)), .bold)
      }
      if let last = entry.lastAt { line.append("  " + LocalTime.stamp(last), .dim) }
      lines.append(line)
    }
    let known = Set(mine.filter(\.isMember).map(\.conversation.id))
    for room in try store.rooms() where !known.contains(room.id) {
      lines.append(
        StyledLine("  ") + StyledLine(SafeText(name: room.name), .dim)
          + StyledLine("  " + say("not joined"), .dim))
    }
    if lines.isEmpty {
      lines = [StyledLine(say("There is no conversation yet; /join ROOM makes one."), .dim)]
    }
    answer(lines)
  }

  func who(_ argument: String) throws {
    guard argument.isEmpty else { throw usage("who") }
    let conversation = try requireConversation()
    here = try store.people(in: conversation.id)
    recognise(here.map(\.participant.id))
    typing.expire(at: clock())
    var lines: [StyledLine] = []
    for presence in here.sorted(by: {
      ($0.isHere ? 0 : 1, $0.participant.name) < ($1.isHere ? 0 : 1, $1.participant.name)
    }) {
      let person = presence.participant
      var line = StyledLine("  ")
      line += MessagePrinter.name(
        SafeText(name: person.name), identity: person.identity, isMe: person.id == me.id)
      if person.name != person.identity {
        line.append(" (" + SafeText(name: person.identity) + ")", .dim)
      }
      if printer.options.lookAlikes.contains(person.id) { line = printer.lookAlikeMark + line }
      let state =
        if let word = presence.away {
          word.isEmpty ? say("away") : say("away: %1", SafeText(line: word))
        } else if presence.typingSince != nil && presence.isHere && person.id != me.id {
          say("typing")
        } else if presence.isLooking {
          say("here")
        } else if presence.isHere {
          say("here, but not looking")
        } else {
          say("not here")
        }
      line.append("  " + state, .dim)
      lines.append(line)
    }
    answer(lines)
  }

  func drafts(_ argument: String) throws {
    switch argument {
    case "":
      let drafts = try store.drafts(of: me.id).filter { $0.0.id != conversation?.id }
      guard !drafts.isEmpty else { return tell(say("No drafts wait in other conversations.")) }
      answer(
        drafts.map { conversation, draft in
          let first = SafeText(body: draft.text).lines.first ?? SafeText()
          return StyledLine("  " + SafeText(name: conversation.name) + "  ")
            + StyledLine(first.truncated(to: 60, widths: printer.options.widths), .dim)
        })
    case "clear":
      try store.clearDrafts(of: me.id)
      tell(say("All drafts are forgotten."))
    default: throw usage("drafts")
    }
  }
}
