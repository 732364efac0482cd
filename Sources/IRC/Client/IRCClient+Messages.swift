// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Sentences

// Messages and what belongs to them: live, in batches, and from the history.
extension IRCClient {
  /// Where a line comes from.
  enum Origin {
    case live
    /// From the history, or replayed by a bouncer; newer than the mark.
    case late
    /// Older than what the store has of the conversation.
    case past
  }

  /// How much older than its arrival a live message may be; replayed ones are older.
  private static let slowness: Milliseconds = 60_000
  /// Bytes of a reaction.
  private static let reactionBytes = 64

  /// Handles a live line.
  mutating func receiveSpeech(_ line: IRCLine) {
    guard let source = line.source, !source.nick.isEmpty else { return }
    if context.isMe(source.nick), noteEcho(line) { return }
    if line.command != "TAGMSG" { rooms.people.note(source.nick, context.names) }
    if context.has(Capabilities.accountTag), line.command != "TAGMSG", !context.isMe(source.nick) {
      rooms.noteLogin(
        of: source.nick, People.Login(line.tags["account"] ?? ""), in: &context)
    }
    guard let spoken = SpokenLine(line, rooms.people, context) else {
      if line.command == "NOTICE" || line.command == "PRIVMSG" { noteServerNotice(line) }
      return
    }
    let isReplayed = spoken.time.map { $0 < context.clock.wall - Self.slowness } ?? false
    receive(line, spoken, isReplayed ? .late : .live)
  }

  /// Notes the echo of what the owner sent.
  ///
  /// - Returns: whether it needs no further handling.
  private mutating func noteEcho(_ line: IRCLine) -> Bool {
    let isNoted =
      noteLabelled(line, isEcho: true)
      || line.tags["label"] == nil && context.has(Capabilities.echo)
        && line.command != "REDACT"
        && outbox.noteEcho(
          to: context.support.withoutStatus(line[0]), id: line.tags["msgid"], in: &context)
    if isNoted, let time = line.tags["time"] { noteMark(line, time) }
    // What the owner sends to themselves arrives twice; a typing signal does not matter.
    return isNoted || context.isMe(line[0]) && !context.has(Capabilities.tags)
  }

  private mutating func noteMark(_ line: IRCLine, _ time: String) {
    guard let id = line.tags["msgid"] else { return }
    history.noteTime(time, of: id)
  }

  /// Tells the owner what the server says to them, other than its greeting.
  private mutating func noteServerNotice(_ line: IRCLine) {
    guard context.isReady, let text = line.parameters.last, !text.isEmpty else { return }
    context.tell(
      .notice(filled(("%1 says: %2", [line.source?.nick ?? "", Formatting.symbols(for: text)]))))
  }

  // MARK: One line

  private mutating func receive(_ line: IRCLine, _ spoken: SpokenLine, _ origin: Origin) {
    if let id = spoken.id, let time = line.tags["time"] { history.noteTime(time, of: id) }
    switch line.command {
    case "TAGMSG": receiveTags(spoken, origin)
    case "REDACT": receiveRedaction(line, spoken, origin)
    default:
      if let ctcp = spoken.ctcp, spoken.kind != .action {
        return receiveCTCP(ctcp, spoken, isNotice: line.command == "NOTICE", origin)
      }
      receiveMessage(spoken, text: spoken.text, line, origin)
    }
  }

  private mutating func receiveMessage(
    _ spoken: SpokenLine, text: String, _ line: IRCLine, _ origin: Origin
  ) {
    var message = spoken.message(text)
    if message.body.isEmpty { return }
    if spoken.speaker.isOwner, origin != .live,
      outbox.noteOwn(
        text, in: spoken.conversation, id: spoken.id, at: spoken.time, &context)
    {
      return
    }
    switch origin {
    case .live: message.time = nil
    case .late: message.isReplayed = spoken.id == nil
    case .past: message.isPast = true
    }
    context.tell(.messageReceived(message, in: spoken.conversation))
    if case .direct = spoken.conversation { context.countStrangersLater() }
    if origin == .live, let time = line.tags["time"], context.historyLimit != nil {
      // While the history is read, its end decides about the mark.
      if history.states[spoken.conversation] != .reading {
        history.note(
          History.Mark(time: time, id: spoken.id), in: spoken.conversation, &context)
      }
    }
  }

  private mutating func receiveTags(_ spoken: SpokenLine, _ origin: Origin) {
    if origin == .live, let typing = spoken.tags["+typing"], !spoken.speaker.isOwner {
      context.tell(.typing(spoken.speaker, in: spoken.conversation, typing == "active"))
    }
    guard let answered = spoken.answers else { return }
    let reaction: NetworkReaction
    if let emoji = spoken.tags["+draft/react"], emoji.utf8.count <= Self.reactionBytes {
      reaction = .given(emoji)
    } else if let emoji = spoken.tags["+draft/unreact"], emoji.utf8.count <= Self.reactionBytes {
      reaction = .removed(emoji)
    } else {
      return
    }
    context.tell(
      .reacted(
        MessageIDs(archive: answered), author: nil, by: spoken.speaker, in: spoken.conversation,
        emoji: reaction, at: origin == .live ? nil : spoken.time,
        change: MessageIDs(archive: spoken.id)))
  }

  /// Handles a deletion; the server has checked who may do it (IRCv3 message-redaction).
  private mutating func receiveRedaction(
    _ line: IRCLine, _ spoken: SpokenLine, _ origin: Origin
  ) {
    let time = origin == .live ? nil : spoken.time
    let ranks: String
    if case .room(let address) = spoken.conversation {
      ranks = rooms[address]?.members[context.fold(spoken.nick)] ?? ""
      if !ranks.isEmpty {
        return context.tell(
          .removed(
            archive: line[1], room: address,
            Removal(moderator: spoken.nick, reason: line[2]), at: time))
      }
    }
    context.tell(
      .retracted(
        MessageIDs(archive: line[1]), by: spoken.speaker, in: spoken.conversation, at: time))
  }

  private mutating func receiveCTCP(
    _ ctcp: (name: String, rest: String), _ spoken: SpokenLine, isNotice: Bool, _ origin: Origin
  ) {
    guard origin == .live, !spoken.speaker.isOwner else { return }
    if isNotice {
      return questions.noteProgram(spoken.nick, ctcp.name + " " + ctcp.rest, in: &context)
    }
    if ctcp.name == "DCC" {
      return context.tell(
        .notice(
          filled(("%1 offers a file or a chat by DCC, which hobnob does not take.", [spoken.nick])))
      )
    }
    guard
      let answer = programs.answer(
        to: ctcp, at: context.clock.time, wall: context.clock.wall)
    else { return }
    context.send(IRCLine("NOTICE", [spoken.nick, answer]))
  }

  // MARK: Batches

  mutating func receive(_ batch: Batch) {
    switch batch.type {
    case "chathistory": receiveHistory(batch)
    case "draft/chathistory-targets": receiveChats(batch)
    case Capabilities.multiline: receiveMultiline(batch)
    case "labeled-response": receiveLabelled(batch)
    case "znc.in/playback", "znc.in/tlsinfo": receiveItems(batch, .late)
    default: receiveItems(batch, .live)
    }
  }

  /// Handles the lines of a batch whose type does not matter, or of a replay.
  private mutating func receiveItems(_ batch: Batch, _ origin: Origin) {
    for item in batch.items {
      switch item {
      case .line(let line):
        if origin == .live {
          receive(line)
        } else if let spoken = SpokenLine(line, rooms.people, context) {
          receive(line, spoken, origin)
        }
      case .batch(let inner): receive(inner)
      }
    }
  }

  private mutating func receiveLabelled(_ batch: Batch) {
    guard let label = batch.tags["label"] else { return receiveItems(batch, .live) }
    for item in batch.items {
      switch item {
      case .line(var line):
        line.tags["label"] = label
        receive(line)
      case .batch(var inner):
        inner.tags["label"] = label
        receive(inner)
      }
    }
    // An answer without a word is one as well.
    _ = outbox.noteAnswer(label: label, id: nil, isEcho: false, in: &context)
  }

  private func joined(_ batch: Batch) -> String {
    var text = ""
    for case .line(let line) in batch.items where ["PRIVMSG", "NOTICE"].contains(line.command) {
      let joins = line.tags["draft/multiline-concat"] != nil
      text += (text.isEmpty || joins ? "" : "\n") + line[1]
    }
    return text
  }

  /// A message of several lines as one line, with the tags of the batch; nil for an empty batch.
  private func firstLine(ofMultiline batch: Batch) -> IRCLine? {
    for case .line(var line) in batch.items where ["PRIVMSG", "NOTICE"].contains(line.command) {
      // The id is only on the batch.
      line.tags.merge(batch.tags) { $1 }
      line.source = batch.source ?? line.source
      return line
    }
    return nil
  }

  private mutating func receiveMultiline(_ batch: Batch) {
    guard let line = firstLine(ofMultiline: batch), let source = line.source else { return }
    if context.isMe(source.nick), noteEcho(line) { return }
    guard let spoken = SpokenLine(line, rooms.people, context) else { return }
    receiveMessage(spoken, text: joined(batch), line, .live)
  }

  // MARK: History

  private mutating func receiveHistory(_ batch: Batch) {
    let target = batch.parameters.first ?? ""
    guard
      let query = history.takeQuery(label: batch.tags["label"], target: target, in: context)
    else {
      // A bouncer or a server replays on its own.
      return receiveItems(batch, .late)
    }
    var ends: (oldest: History.Mark, newest: History.Mark)?
    var (count, new) = (0, 0)
    var lines: [(line: IRCLine, text: String?)] = []
    for item in batch.items {
      switch item {
      case .line(let line): lines.append((line, nil))
      case .batch(let inner):
        if let line = firstLine(ofMultiline: inner) { lines.append((line, joined(inner))) }
      }
    }
    for (line, _) in lines where line.tags["draft/chathistory-context"] == nil {
      count += 1
      guard let time = line.tags["time"] else { continue }
      let mark = History.Mark(time: time, id: line.tags["msgid"])
      ends = (ends?.oldest ?? mark, mark)
    }
    var origin = Origin.late
    switch query.scope {
    case .catchUp: break
    case .first:
      origin = .past
      let from = count < query.limit ? "" : ends?.oldest.id ?? ""
      context.tell(.page(of: query.conversation, from: from, until: ""))
    case .older(_, let before, _, _):
      origin = .past
      let from = count < query.limit ? "" : ends?.oldest.id ?? ""
      context.tell(.page(of: query.conversation, from: from, until: before))
    }
    for (line, text) in lines {
      // Joins and the like are over.
      guard ["PRIVMSG", "NOTICE", "TAGMSG", "REDACT"].contains(line.command),
        let spoken = SpokenLine(line, rooms.people, context)
      else { continue }
      if line.command == "PRIVMSG" || line.command == "NOTICE" { new += 1 }
      if let text {
        receiveMessage(spoken, text: text, line, origin)
      } else {
        receive(line, spoken, origin)
      }
    }
    history.finish(
      query, ends: ends, count: count, new: new, isLast: batch.isTruncated, in: &context)
  }

  /// Reads the direct chats that have had messages.
  private mutating func receiveChats(_ batch: Batch) {
    for case .line(let line) in batch.items where line.command == "CHATHISTORY" {
      let name = line[1]
      if name.isEmpty || context.isRoom(name) || context.isMe(name) { continue }
      let conversation = ConversationAddress.direct(
        rooms.people.identity(of: name, context.names))
      // The list has only chats with messages since the last mark.
      history.expect(conversation)
      history.begin(conversation, as: name, in: &context)
    }
  }
}
