// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Sentences

/// The owner's messages and changes that the server has not confirmed. Entries of one conversation
/// keep their order.
struct IRCOutbox: Sendable {
  /// A part that was sent and has no answer yet.
  struct InFlight: Sendable {
    var entry: OutboxEntry.ID
    var part: Int
    var operation: OutboxEntry.Operation
    var command: String
    var label: String?
    /// Folded.
    var target: String
    /// The text that the server's echo will have, unless the server changes it.
    var text: String
    /// The number of the PING after it; the PONG shows that the server has handled the part.
    var barrier: Int?
    /// Since when the client has known that the server has handled the part, without the answer
    /// that belongs to it.
    var overdueSince: Milliseconds?
    /// Whether its receiver has written since.
    var hasReply = false
  }

  /// Milliseconds until the client asks whether the server has handled a line.
  static let patience: Milliseconds = 15_000
  /// Milliseconds until a message has failed that the server has handled without confirming it.
  static let patienceForCopies: Milliseconds = 30_000

  var entries = OutboxQueue<Outgoing>()
  var inFlight: [InFlight] = []
  /// The folded targets of which this connection has echoed a line.
  var echoed: Set<String> = []
  /// The ids of messages that an earlier process has sent.
  var sentBefore: Set<String> = []
  /// The owner's other messages that the store has, by conversation and id; without times.
  var known = MessageTimes()
  private var barriers = 0
  /// The folded nicks of which the client has asked who has them, each with the server's words if
  /// nobody has it.
  var asked: [String: String] = [:]
  /// Whether the accounts of people in rooms, for which the client asked before, may still arrive.
  var isLearningAccounts = false

  /// How many lines wait for the throttle.
  var waitingLines: Int {
    entries.values.reduce(0) { count, entry in
      count + entry.parts.reduce(0) { $0 + ($1.state == .waiting ? $1.lines.count : 0) }
    }
  }

  /// The conversations with messages that may have arrived.
  var doubtfulConversations: [ConversationAddress] {
    Array(Set(entries.values.filter(\.isDoubtful).map(\.entry.conversation)))
  }

  /// The direct chats in which a message may go out next.
  var chatsToWrite: [ConversationAddress] {
    entries.values.map(\.entry).compactMap {
      guard entries.isTried($0.id), entries[$0.id]?.isUntouched == true,
        case .direct = $0.conversation
      else { return nil }
      return $0.conversation
    }
  }

  /// Takes over the outbox's entries as they are now.
  mutating func update(
    to new: [OutboxEntry], _ people: People, in context: inout IRCContext
  ) {
    let (added, cancelled) = entries.takeOver(new, in: &context)
    for id in cancelled { finishIfAnswered(id, in: &context) }
    // Until then, nobody knows what the server can do.
    guard context.isReady else { return }
    // The owner may have changed the text; `pump` cuts it again before it goes out.
    for entry in new where entries[entry.id]?.isUntouched == true {
      entries[entry.id]?.entry.message = entry.message
    }
    for entry in added { prepare(entry, people, in: &context) }
  }

  // MARK: Files

  /// The first entry with a file to upload.
  var nextUpload: OutboxEntry? { entries.all.map(\.entry).first { $0.nextFile != nil } }

  /// Cuts an entry into lines if all its files have links now.
  mutating func noteUploaded(
    _ id: OutboxEntry.ID, _ people: People, in context: inout IRCContext
  ) {
    guard let outgoing = entries[id], outgoing.parts.isEmpty else { return }
    prepare(outgoing.entry, people, in: &context)
  }

  /// Cuts an entry into lines; also when the entry has changed.
  private mutating func prepare(
    _ entry: OutboxEntry, _ people: People, in context: inout IRCContext
  ) {
    do throws(Outgoing.Refusal) {
      var outgoing = try Outgoing(
        entry, to: try Self.wireTarget(of: entry, people, context), context)
      if let former = entries[entry.id] { outgoing.isDoubtful = former.isDoubtful }
      entries[entry.id] = outgoing
    } catch {
      refuse(entry, error.sentence, in: &context)
    }
  }

  mutating func end(
    _ entry: OutboxEntry, as result: NetworkEvent, in context: inout IRCContext
  ) {
    context.tell(result)
    entries.end(entry.id)
    inFlight.removeAll { $0.entry == entry.id }
  }

  private static func wireTarget(
    of entry: OutboxEntry, _ people: People, _ context: IRCContext
  ) throws(Outgoing.Refusal) -> String {
    guard case .direct(let identity) = entry.conversation else {
      return context.names.plain(entry.conversation.address)
    }
    let nick = people.nick(of: identity, context.names)
    if people.hasSuccessor(identity, at: nick, context.names),
      people.doubtfulNicks(of: identity, context).isEmpty
    {
      throw Outgoing.Refusal(filled(("Somebody else has the nick %1 now.", [nick])))
    }
    return nick
  }

  /// Sends the rest of an entry to the nick that the person has now.
  private mutating func readdress(
    _ entry: OutboxEntry, _ people: People, in context: inout IRCContext
  ) {
    do throws(Outgoing.Refusal) {
      entries[entry.id]?.readdress(to: try Self.wireTarget(of: entry, people, context))
    } catch {
      refuse(entry, error.sentence, in: &context)
    }
  }

  /// Follows a room to another name.
  mutating func follow(
    _ former: ConversationAddress, to new: ConversationAddress, _ context: IRCContext
  ) {
    for id in entries.ids where entries[id]?.entry.conversation == former {
      entries[id]?.entry.conversation = new
      entries[id]?.readdress(to: context.names.plain(new.address))
    }
  }

  // MARK: Sending

  private func readiness(
    of outgoing: Outgoing, _ rooms: Rooms, _ history: History, _ context: IRCContext
  ) -> Readiness {
    if case .room(let address) = outgoing.entry.conversation {
      switch rooms[address]?.state {
      case .entered: break
      case .entering, .listing: return .later
      case .refused(let sentence): return .never(sentence)
      case .outside, nil:
        return .never(filled(("You are not in %1.", [outgoing.target])))
      }
    }
    if case .direct(let identity) = outgoing.entry.conversation,
      awaitsHolder(identity, rooms, context)
    {
      return .later
    }
    guard outgoing.isDoubtful else { return .ready }
    switch history.states[outgoing.entry.conversation] {
    case .read: return .ready
    case .reading: return .later
    case .failed, nil: return .never(Self.doubt)
    }
  }

  /// Why a message fails that may have arrived.
  static var doubt: Remark {
    translated("The connection broke, and the message may have arrived. /retry sends it again.")
  }

  /// Chooses the entries to send next.
  mutating func admit(
    _ rooms: Rooms, _ history: History, in context: inout IRCContext
  ) -> Set<OutboxEntry.ID> {
    guard context.isReady else { return [] }
    let ready = entries.candidates { readiness(of: $0, rooms, history, context) }.ready
    return entries.choose(
      from: ready, besides: inFlight.map(\.entry), of: context.throttle.window,
      lines: context.freeTurns())
  }

  /// Sends what may go out now.
  ///
  /// - Returns: whether more can go out as soon as the store has recorded it as tried.
  mutating func pump(
    _ rooms: Rooms, _ history: History, in context: inout IRCContext
  ) -> Bool {
    askForHolders(rooms, in: &context)
    let (ready, never) = entries.candidates { readiness(of: $0, rooms, history, context) }
    for (id, reason) in never { refuse(id, reason, in: &context) }
    var needsBarrier = false
    var wantsMore = false
    loop: for id in ready {
      resolveDoubt(id, in: &context)
      finishIfAnswered(id, in: &context)
      endIfRefused(id, in: &context)
      // While it waited, its target or the server's capabilities may have changed.
      if let former = entries[id], entries.isTried(id), context.freeTurns() > 0 {
        if former.isUntouched {
          prepare(former.entry, rooms.people, in: &context)
        } else {
          readdress(former.entry, rooms.people, in: &context)
        }
      }
      while let index = entries[id]?.nextPart {
        guard let outgoing = entries[id], entries.isTried(id) else {
          wantsMore = true
          continue loop
        }
        guard context.freeTurns() > 0, inFlight.count < context.throttle.window else { break loop }
        needsBarrier = write(outgoing, index, in: &context) || needsBarrier
      }
    }
    if needsBarrier { sendBarrier(in: &context) }
    wantsMore =
      wantsMore
      && entries.hasMore(
        in: ready, besides: inFlight.map(\.entry), of: context.throttle.window,
        lines: context.freeTurns())
    if wantsMore { context.add(.wantsOutbox) }
    if !inFlight.isEmpty, !context.clock.isSet(.answers) {
      context.clock.set(.answers, in: Self.patience)
    }
    return wantsMore
  }

  /// Prepares to send again the parts that are missing from the history, or forgets them if the
  /// owner has deleted the message.
  private mutating func resolveDoubt(_ id: OutboxEntry.ID, in context: inout IRCContext) {
    guard var outgoing = entries[id], outgoing.isDoubtful else { return }
    if outgoing.isCancelled {
      outgoing.drop { $0.state != .answered }
      entries[id] = outgoing.isAnswered ? outgoing : nil
      if !outgoing.isAnswered, outgoing.entry.operation == .send {
        context.tell(.neverSent(outgoing.entry))
      }
      return
    }
    outgoing.isDoubtful = false
    for index in outgoing.parts.indices where outgoing.parts[index].state == .written {
      outgoing.parts[index].state = .waiting
    }
    entries[id] = outgoing
  }

  /// - Returns: whether only a later PONG will show that the server has handled it.
  private mutating func write(
    _ outgoing: Outgoing, _ index: Int, in context: inout IRCContext
  ) -> Bool {
    var lines = outgoing.parts[index].lines
    let label = context.newLabel()
    lines[0].tags["label"] = label
    for line in lines { context.sendMessage(line) }
    entries[outgoing.entry.id]?.parts[index].state = .written
    inFlight.append(
      InFlight(
        entry: outgoing.entry.id, part: index, operation: outgoing.entry.operation,
        command: lines[0].command, label: label, target: context.fold(outgoing.target),
        text: lines.count == 1 ? lines[0][1] : outgoing.parts[index].text))
    if label != nil { return false }
    return !context.has(Capabilities.echo) || outgoing.entry.operation != .send
  }

  /// Asks for a PONG after all lines that were sent, again if an earlier one did not come.
  mutating func sendBarrier(in context: inout IRCContext) {
    if inFlight.isEmpty { return }
    barriers += 1
    for index in inFlight.indices where inFlight[index].barrier == nil {
      inFlight[index].barrier = barriers
    }
    context.sendNow(context.probe(String(barriers)))
  }

  // MARK: The connection

  /// Notes that the connection is gone, so that messages without an answer may have arrived.
  mutating func noteBreak(in context: inout IRCContext) {
    (inFlight, echoed, asked, isLearningAccounts) = ([], [], [:], false)
    for outgoing in entries.all where outgoing.parts.contains(where: { $0.state == .written }) {
      let id = outgoing.entry.id
      entries[id]?.isDoubtful = true
      // A reaction or a deletion may arrive twice: the second has no effect.
      if outgoing.entry.operation != .send { resolveDoubt(id, in: &context) }
    }
  }
}
