// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Sentences

// The server's answers to sent lines.
extension IRCOutbox {
  /// Notes a PONG: the server has handled everything that was sent before the PING.
  mutating func notePong(_ token: String, in context: inout IRCContext) {
    guard token.hasPrefix(IRCContext.probe),
      let number = Int(token.dropFirst(IRCContext.probe.count))
    else { return }
    for line in inFlight where line.barrier.map({ $0 <= number }) ?? false {
      if line.operation == .send, !line.hasReply,
        line.label != nil || context.has(Capabilities.echo)
      {
        // The answer that belongs to the message is missing. Behind a bouncer, it may be on its
        // way from the network.
        if let index = index(of: line), inFlight[index].overdueSince == nil {
          inFlight[index].overdueSince = context.clock.time
        }
      } else {
        finish(line, in: &context)
      }
    }
  }

  /// Notes that somebody has answered, which shows that they have the owner's line. It counts as
  /// handled once the server has handled it without an echo, or if the answer has its label. Where
  /// the server has echoed something that was for them, only the echo counts.
  mutating func noteReply(
    from sender: String, label: String?, in context: inout IRCContext
  ) {
    if echoed.contains(sender) { return }
    let line = inFlight.first {
      $0.target == sender && $0.operation == .send && !$0.hasReply
        && (label == nil || label == $0.label)
    }
    guard let line, let index = index(of: line) else { return }
    inFlight[index].hasReply = true
    if label != nil || line.overdueSince != nil { finish(line, in: &context) }
  }

  /// Asks whether the server has handled what it has not answered. Messages that it handled long
  /// ago have failed.
  mutating func askForAnswers(in context: inout IRCContext) {
    let now = context.clock.time
    for line in inFlight
    where line.overdueSince.map({ now - $0 >= Self.patienceForCopies }) ?? false {
      noteRefusal(
        of: line,
        translated(
          "The server has not confirmed the message, so it has probably not passed it on. /retry sends it again."
        ), isCertain: false, in: &context)
    }
    sendBarrier(in: &context)
  }

  private func index(of line: InFlight) -> Int? {
    inFlight.firstIndex { $0.entry == line.entry && $0.part == line.part }
  }

  /// Notes that the server has handled a line without echoing it. For a reaction, this means that
  /// the server has silently dropped it.
  private mutating func finish(_ line: InFlight, in context: inout IRCContext) {
    if line.operation == .react, context.has(Capabilities.echo) {
      refuse(line.entry, translated("The server did not pass on the reaction."), in: &context)
    } else {
      answer(line, id: nil, in: &context)
    }
  }

  private mutating func answer(
    _ line: InFlight, id: String?, echo: String? = nil, in context: inout IRCContext
  ) {
    if let index = index(of: line) { inFlight.remove(at: index) }
    // The network behind a bouncer takes its time for a long text, and answers one by one.
    for index in inFlight.indices where inFlight[index].overdueSince != nil {
      inFlight[index].overdueSince = context.clock.time
    }
    entries[line.entry]?.parts[line.part].state = .answered
    if echo != nil { echoed.insert(line.target) }
    if line.operation == .send, let echo { entries[line.entry]?.note(echo: echo, of: line.part) }
    if let id { name(line.part, of: line.entry, id, in: &context) }
    finishIfAnswered(line.entry, in: &context)
    endIfRefused(line.entry, in: &context)
    if inFlight.isEmpty { context.clock.clear(.answers) }
  }

  /// Notes the server's id for a part of a message.
  private mutating func name(
    _ part: Int, of entry: OutboxEntry.ID, _ id: String, in context: inout IRCContext
  ) {
    guard let outgoing = entries[entry] else { return }
    noteOwnID(id, in: outgoing.entry.conversation)
    if part == outgoing.firstPart {
      entries[entry]?.id = id
    } else {
      context.tell(.acceptedPart(outgoing.entry, archive: id))
    }
  }

  mutating func finishIfAnswered(_ id: OutboxEntry.ID, in context: inout IRCContext) {
    guard let outgoing = entries[id], outgoing.isAnswered else { return }
    end(outgoing.entry, as: .accepted(outgoing.entry, archive: outgoing.id), in: &context)
    if let text = outgoing.changedText {
      context.tell(
        .edited(
          MessageIDs(origin: outgoing.entry.origin, archive: outgoing.id),
          by: NetworkUser(identity: context.fold(context.nick), isOwner: true, isVerified: true),
          in: outgoing.entry.conversation, body: text, at: nil))
    }
  }

  /// Notes an answer with a label.
  ///
  /// - Parameter echo: the server's copy of the message; nil if the answer is something else.
  /// - Returns: false if no line of the outbox has the label.
  mutating func noteAnswer(
    label: String, echo: IRCLine?, in context: inout IRCContext
  ) -> Bool {
    guard let line = inFlight.first(where: { $0.label == label }) else { return false }
    if let echo {
      answer(line, id: echo.tags["msgid"], echo: echo[1], in: &context)
    } else {
      finish(line, in: &context)
    }
    return true
  }

  /// Notes an echo without a label. It belongs to the line with the same text or, since servers may
  /// change texts, else to the first line to the target.
  ///
  /// - Parameter isForOwner: whether the owner wrote to themselves; the echo may then be the
  /// message.
  /// - Returns: false if no line to the target is waiting for its answer.
  mutating func noteEcho(
    _ echo: IRCLine, isForOwner: Bool, in context: inout IRCContext
  ) -> Bool {
    let target = context.fold(context.support.withoutStatus(echo[0]))
    let possible = inFlight.filter {
      $0.target == target && ($0.label == nil || isForOwner) && $0.isEchoed(by: echo)
    }
    let same = possible.first { $0.text.utf8.elementsEqual(echo[1].utf8) }
    guard let line = same ?? possible.first else { return false }
    answer(line, id: echo.tags["msgid"], echo: echo[1], in: &context)
    return true
  }

  /// Notes the server's refusal of a line.
  ///
  /// - Parameters:
  ///   - label: the label of the answer; without one, the refusal is of the first line to `target`.
  ///   - target: nil if the server does not name it.
  ///   - command: the refused command, if the server names it.
  /// - Returns: false if no such line is waiting for its answer.
  mutating func noteRefusal(
    label: String?, target: String?, of command: String? = nil, _ sentence: Remark,
    in context: inout IRCContext
  ) -> Bool {
    let folded = target.map { context.fold($0) }
    let line = inFlight.first {
      if let label { return $0.label == label }
      return (folded == nil || $0.target == folded) && (command == nil || $0.command == command)
    }
    guard let line else { return false }
    if let entry = entries[line.entry], !entry.isCancelled,
      context.fold(entry.target) != line.target
    {
      // By now, the room or the person has another name.
      if let index = index(of: line) { inFlight.remove(at: index) }
      entries[line.entry]?.parts[line.part].state = .waiting
      entries[line.entry]?.readdress(to: entry.target)
      endIfRefused(line.entry, in: &context)
    } else {
      noteRefusal(of: line, sentence, isCertain: true, in: &context)
    }
    return true
  }

  /// - Parameter isCertain: whether nobody has got the line.
  private mutating func noteRefusal(
    of line: InFlight, _ sentence: Remark, isCertain: Bool, in context: inout IRCContext
  ) {
    if let index = index(of: line) { inFlight.remove(at: index) }
    if isCertain { entries[line.entry]?.parts[line.part].state = .refused }
    if entries[line.entry]?.refusal == nil { entries[line.entry]?.refusal = sentence }
    endIfRefused(line.entry, in: &context)
  }

  /// Ends an entry of which the server has refused a part, once the other parts have their answers:
  /// the reason says whether some of it has arrived.
  mutating func endIfRefused(_ id: OutboxEntry.ID, in context: inout IRCContext) {
    guard let outgoing = entries[id], let refusal = outgoing.refusal,
      !inFlight.contains(where: { $0.entry == id })
    else { return }
    let hasArrived = outgoing.parts.contains { $0.state == .answered }
    refuse(
      id,
      hasArrived
        ? filled(
          (
            "A part of the message has arrived, and /retry sends that part again, too. %1",
            [refusal]
          ))
        : refusal, in: &context)
  }

  mutating func refuse(
    _ id: OutboxEntry.ID, _ sentence: Remark, in context: inout IRCContext
  ) {
    guard let outgoing = entries[id] else { return }
    // It may have arrived, so the store goes on showing it as deleted.
    if outgoing.isCancelled, outgoing.isDoubtful {
      entries[id] = nil
      return
    }
    refuse(outgoing.entry, outgoing.isDoubtful ? Self.doubt : sentence, in: &context)
  }

  mutating func refuse(
    _ entry: OutboxEntry, _ sentence: Remark, in context: inout IRCContext
  ) {
    let mayHaveArrived = entries[entry.id]?.mayHaveArrived ?? entry.wasTried
    end(
      entry,
      as: .refused(
        entry, reason: sentence, mayHaveArrived: entry.operation == .send && mayHaveArrived),
      in: &context)
  }

  /// Notes a message from the owner, which may be a part of a long one.
  ///
  /// - Returns: false if the store already has it in this conversation.
  @discardableResult
  mutating func noteOwnID(_ id: String, in conversation: ConversationAddress) -> Bool {
    if sentBefore.contains(id) { return false }
    let name = conversation.address + " " + id
    defer { known.note("", of: name) }
    return known[name] == nil
  }

  /// Notes that the server's history has a message from the owner, which may be one in doubt.
  ///
  /// - Returns: the one of those that may have arrived, and whether all of it has arrived; nil if it
  ///   is none of them.
  mutating func noteOwn(
    _ text: String, in conversation: ConversationAddress, id: String?, at time: Milliseconds?,
    _ context: inout IRCContext
  ) -> (entry: OutboxEntry, isWhole: Bool)? {
    let doubtful = entries.values.filter {
      $0.isDoubtful && $0.entry.conversation == conversation
        && (time ?? .max) >= $0.entry.message.createdAt - context.clockLead - Self.clockError
    }.sorted { $0.entry.id < $1.entry.id }
    for outgoing in doubtful {
      guard let index = entries[outgoing.entry.id]?.noteArrival(of: text) else { continue }
      if let id { name(index, of: outgoing.entry.id, id, in: &context) }
      finishIfAnswered(outgoing.entry.id, in: &context)
      return (outgoing.entry, isWhole: entries[outgoing.entry.id] == nil)
    }
    return nil
  }

  /// How far the server's clock may be behind.
  private static let clockError: Milliseconds = 60_000
}

extension IRCOutbox.InFlight {
  /// Whether a line can be the echo of this one. Typing signals and questions to somebody's program
  /// have echoes, too.
  fileprivate func isEchoed(by line: IRCLine) -> Bool {
    switch operation {
    case .send:
      ["PRIVMSG", "NOTICE"].contains(line.command)
        && SpokenLine.unwrapped(line[1])?.hasPrefix("ACTION") ?? true
    case .react:
      line.command == "TAGMSG"
        && (line.tags["+draft/react"] != nil || line.tags["+draft/unreact"] != nil)
    case .edit, .delete: false
    }
  }
}
