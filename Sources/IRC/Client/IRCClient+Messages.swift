// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Sentences

// Messages, reactions and the like: live, in batches, and from the history.
extension IRCClient {
  /// Where a line comes from.
  enum Origin {
    case live
    /// From the history, played back by a bouncer, or delayed; newer than the mark.
    case late
    /// Older than everything that the store has of the conversation.
    case past
  }

  /// How many milliseconds a live message may be old on arrival, by the server's clock. Some
  /// bouncers play messages back without a batch; those are older.
  private static let slowness: Milliseconds = 60_000
  /// The most bytes of a reaction.
  private static let reactionBytes = 64

  /// Handles a live line.
  mutating func receiveSpeech(_ line: IRCLine) {
    guard let source = line.source, !source.nick.isEmpty else { return }
    if context.isMe(source.nick), noteEcho(line) { return }
    // A server that keeps a history replays nothing unasked. Elsewhere, what is older than the
    // connection is a replay.
    let oldest = max(
      context.serverTime - Self.slowness,
      context.historyLimit == nil ? context.connectedAt - context.clockLead : .min)
    let isLive = line.time.map { $0 >= oldest } ?? true
    if isLive, line.command != "TAGMSG", !context.isMe(source.nick) {
      if context.has(Capabilities.accountTag) {
        noteLogin(of: source.nick, People.Login(line.tags["account"] ?? ""))
      } else {
        rooms.people.note(source.nick, context.names)
      }
      if line.tags["bot"] != nil { rooms.noteBot(source.nick, in: &context) }
    }
    guard let spoken = SpokenLine(line, isLive: isLive, rooms.people, context) else {
      if line.command == "NOTICE" || line.command == "PRIVMSG" { noteServerNotice(line) }
      return
    }
    // Some servers echo nothing that is for services; bots answer with messages.
    if isLive, ["NOTICE", "PRIVMSG"].contains(line.command), !spoken.speaker.isOwner,
      case .direct = spoken.conversation
    {
      outbox.noteReply(
        from: context.fold(source.nick), label: line.tags["label"], in: &context)
    }
    // After the first live line, no line repeats what the store has.
    if isLive { playbacks.end(in: spoken.conversation, &rooms) }
    receive(
      spoken, isLive ? .live : .late,
      playback: playbacks.number(in: spoken.conversation, rooms))
  }

  /// Handles the echo of a line that the owner sent.
  ///
  /// - Returns: whether it needs no further handling.
  private mutating func noteEcho(_ line: IRCLine) -> Bool {
    // With echoes, a message from the owner to themselves arrives twice, the second time with the
    // same id; without echoes, it arrives once.
    let isForOwner = context.isMe(line[0])
    let isNoted =
      noteLabelled(line, isEcho: true)
      || line.tags["label"] == nil && (context.has(Capabilities.echo) || isForOwner)
        && outbox.noteEcho(line, isForOwner: isForOwner, in: &context)
    if isNoted, let time = line.tags["time"], let id = line.tags["msgid"] {
      history.times.note(time, of: id)
    }
    return isNoted || isForOwner && line.tags["msgid"] == nil
  }

  /// Shows the owner a message from the server itself, except during its greeting.
  mutating func noteServerNotice(_ line: IRCLine) {
    guard context.isReady, let text = line.parameters.last, !text.isEmpty else { return }
    let words = Formatting.marked(text)
    context.tell(
      .notice(line.source.map { filled(("%1 says: %2", [$0.nick, words])) } ?? Remark(words)))
  }

  // MARK: One line

  /// - Parameter playback: the number of the playback that the line is from, if it is from one.
  private mutating func receive(_ spoken: SpokenLine, _ origin: Origin, playback: Int?) {
    if let id = spoken.id, let time = spoken.line.tags["time"] { history.times.note(time, of: id) }
    switch spoken.line.command {
    case "TAGMSG": receiveTags(spoken, origin)
    case "REDACT": receiveRedaction(spoken, origin)
    default:
      if let ctcp = spoken.ctcp, spoken.kind != .action {
        if origin == .live, !spoken.speaker.isOwner { receiveCTCP(ctcp, spoken) }
      } else {
        receiveMessage(spoken, origin, playback: playback)
      }
    }
  }

  private mutating func receiveMessage(
    _ spoken: SpokenLine, _ origin: Origin, playback: Int?
  ) {
    var message = spoken.message
    if message.body.isEmpty { return }
    if spoken.speaker.isOwner {
      // The store has it already, so it is not the message in doubt, even if the text is the same.
      if let id = spoken.id, !outbox.noteOwnID(id, in: spoken.conversation) { return }
      if origin != .live,
        let found = outbox.noteOwn(
          spoken.text, in: spoken.conversation, id: spoken.id, at: spoken.time, &context)
      {
        // What follows in the history comes after it.
        if origin == .late, found.isWhole {
          message.name = MessageIDs(origin: found.entry.origin)
          context.tell(.messageReceived(message, in: spoken.conversation))
        }
        return
      }
    }
    if origin != .past { history.noteActivity(in: spoken.conversation, &context) }
    switch origin {
    case .live: message.time = nil
    case .late: break
    case .past: message.isPast = true
    }
    if spoken.id == nil {
      // For a live line, keep the time that a later playback would give it.
      (message.playback, message.sentAt) =
        origin == .live ? (nil, spoken.time) : (playback, nil)
    }
    context.tell(.messageReceived(message, in: spoken.conversation))
    if case .direct(let identity) = spoken.conversation {
      context.countStrangersLater()
      if !spoken.speaker.isOwner { history.noteUnread(identity) }
    }
    if origin == .live, let time = spoken.line.tags["time"], context.historyLimit != nil {
      history.noteLive(
        History.Mark(time: time, id: spoken.id), in: spoken.conversation, &context)
    }
  }

  private mutating func receiveTags(_ spoken: SpokenLine, _ origin: Origin) {
    if origin == .live, let typing = spoken.line.tags["+typing"], !spoken.speaker.isOwner {
      context.tell(.typing(spoken.speaker, in: spoken.conversation, typing == "active"))
    }
    guard let answered = spoken.answers else { return }
    let given = spoken.line.tags["+draft/react"]
    guard let emoji = given ?? spoken.line.tags["+draft/unreact"],
      emoji.utf8.count <= Self.reactionBytes
    else { return }
    context.tell(
      .reacted(
        MessageIDs(archive: answered), author: nil, by: spoken.speaker, in: spoken.conversation,
        emoji: given == nil ? .removed(emoji) : .given(emoji),
        at: origin == .live ? nil : spoken.time, change: MessageIDs(archive: spoken.id)))
  }

  /// Handles a deletion, which the server has already allowed (IRCv3 message-redaction). Only the
  /// store knows whether the author deleted the message; if so, the first event removes it, and the
  /// second has no effect.
  private mutating func receiveRedaction(_ spoken: SpokenLine, _ origin: Origin) {
    let (id, reason) = (spoken.line[1], spoken.line[2])
    guard context.has(Capabilities.redaction), !id.isEmpty else { return }
    let time = origin == .live ? nil : spoken.time
    context.tell(
      .retracted(MessageIDs(archive: id), by: spoken.speaker, in: spoken.conversation, at: time))
    if case .room(let address) = spoken.conversation {
      let removal = Removal(moderator: spoken.speaker.name, reason: reason)
      context.tell(.removed(archive: id, room: address, removal, at: time))
    }
  }

  private mutating func receiveCTCP(_ ctcp: (name: String, rest: String), _ spoken: SpokenLine) {
    let nick = spoken.speaker.name
    if spoken.line.command == "NOTICE" {
      return questions.noteProgram(nick, ctcp.name + " " + ctcp.rest, in: &context)
    }
    if ctcp.name == "DCC" {
      guard programs.tellsOffer(at: context.clock.time) else { return }
      return context.tell(
        .noticeAbout(
          spoken.speaker,
          filled(("%1 offers a file or a chat by DCC, which hobnob does not support.", [nick]))))
    }
    // Two programs could answer each other for ever.
    guard spoken.line.tags["bot"] == nil,
      let answer = programs.answer(
        to: ctcp, at: context.clock.time, wall: context.clock.wall)
    else { return }
    context.send(IRCLine("NOTICE", [nick, answer]), .background)
  }

  // MARK: Batches

  mutating func receive(_ batch: Batch) {
    switch batch.type {
    case "chathistory": receiveHistory(batch)
    case "draft/chathistory-targets": receiveChats(batch)
    case Capabilities.multiline: if let line = batch.joined { receiveSpeech(line) }
    case Capabilities.labels: receiveLabelled(batch)
    case "znc.in/playback": replay(batch)
    default:
      batches.isOfSplit = ["netsplit", "netjoin"].contains(batch.type)
      for line in batch.lines { receive(line) }
      batches.isOfSplit = false
      if batch.type == "soju.im/bouncer-networks" { context.add(.listedNetworks) }
    }
  }

  /// Handles a batch of old lines that nobody requested.
  private mutating func replay(_ batch: Batch) {
    let number = playbacks.next()
    for line in batch.lines {
      if let spoken = SpokenLine(line, isLive: false, rooms.people, context) {
        receive(spoken, .late, playback: number)
      }
    }
  }

  private mutating func receiveLabelled(_ batch: Batch) {
    let label = batch.tags["label"]
    for var line in batch.lines {
      line.tags["label"] = label
      receive(line)
    }
    // An empty batch is an answer, too.
    if let label { _ = outbox.noteAnswer(label: label, echo: nil, in: &context) }
  }

  // MARK: History

  private mutating func receiveHistory(_ batch: Batch) {
    let target = batch.parameters.first ?? ""
    guard
      let query = history.takeQuery(label: batch.tags["label"], target: target, in: context)
    else {
      // A bouncer or a server replays on its own.
      return replay(batch)
    }
    var ends: (oldest: History.Mark, newest: History.Mark)?
    var (count, new) = (0, 0)
    let lines = batch.lines
    for line in lines where line.tags["draft/chathistory-context"] == nil {
      count += 1
      guard let time = line.tags["time"] else { continue }
      let mark = History.Mark(time: time, id: line.tags["msgid"])
      ends = (ends?.oldest ?? mark, mark)
    }
    let isLast = history.isEndOfHistory(batch, count: count, newest: ends?.newest, of: query)
    let from = isLast ? "" : ends?.oldest.reference(context) ?? ""
    var origin = Origin.late
    // Skip messages from before the mark: the store has them, or nobody asked for them.
    var oldest = Milliseconds.min
    if case .catchUp(let since, _, _) = query.scope {
      oldest = since
    } else {
      origin = .past
      context.tell(.page(of: query.conversation, from: from, until: query.before))
    }
    // Old joins and the like no longer matter.
    var partner: String?
    if case .direct = query.conversation { partner = query.target }
    let all = lines.compactMap {
      SpokenLine($0, isLive: false, partner: partner, rooms.people, context)
    }
    // The nick of the other person may be anybody's now. Where only the nick was known, their lines
    // may name the account.
    var place = query.conversation
    if place == .direct(context.fold(query.target)),
      let theirs = all.last(where: { !$0.speaker.isOwner })
    {
      place = theirs.conversation
    }
    let number = playbacks.next()
    for var spoken in all where spoken.time.map({ $0 >= oldest }) ?? true {
      if spoken.speaker.isOwner { spoken.conversation = place }
      if ["PRIVMSG", "NOTICE"].contains(spoken.line.command) { new += 1 }
      receive(spoken, origin, playback: number)
    }
    history.finish(query, ends: ends, new: new, isLast: isLast, in: &context)
  }

  /// Reads the direct chats that have had messages.
  private mutating func receiveChats(_ batch: Batch) {
    var (count, last) = (0, Milliseconds?.none)
    for line in batch.lines where line.command == "CHATHISTORY" {
      let name = line[1]
      count += 1
      last = Timestamp.read(line[2]) ?? last
      if name.isEmpty || context.isRoom(name) || context.isMe(name) { continue }
      let conversation = ConversationAddress.direct(
        rooms.people.formerIdentity(of: name, context.names))
      // The list has only chats with messages since the last mark.
      history.expect(conversation)
      history.begin(conversation, as: name, in: &context)
      askForMark(name)
    }
    history.noteChats(count, last: last, in: &context)
  }
}
