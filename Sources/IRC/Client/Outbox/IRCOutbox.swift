// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Sentences

/// What the owner wrote and the server has not answered for. Entries of one conversation keep their
/// order.
struct IRCOutbox: Sendable {
  /// A part whose answer is missing.
  private struct InFlight: Sendable {
    var entry: OutboxEntry.ID
    var part: Int
    var label: String?
    /// Folded.
    var target: String
    /// The PING after it, whose PONG says that the server has handled it.
    var barrier: Int?
  }

  /// Milliseconds until the client asks whether the server has handled a line.
  static let patience: Milliseconds = 15_000

  private(set) var entries: [OutboxEntry.ID: Outgoing] = [:]
  /// Entries that ended here, and that the outbox may still have.
  private var ended: Set<OutboxEntry.ID> = []
  private var inFlight: [InFlight] = []
  private var barriers = 0
  private var batches = 0

  /// How many lines wait for the throttle.
  var waitingLines: Int {
    entries.values.reduce(0) { count, entry in
      count + entry.parts.reduce(0) { $0 + ($1.state == .waiting ? $1.lines.count : 0) }
    }
  }

  var hasUnanswered: Bool { !inFlight.isEmpty }

  /// The conversations with messages that the server may have.
  var doubtfulConversations: [ConversationAddress] {
    Array(Set(entries.values.filter(\.isDoubtful).map(\.entry.conversation)))
  }

  /// Notes everything that is in the outbox now.
  mutating func update(
    to new: [OutboxEntry], _ people: People, in context: inout IRCContext
  ) {
    let ids = Set(new.map(\.id))
    ended.formIntersection(ids)
    // What was taken back is not sent; a part that is under way stays.
    for (id, outgoing) in entries where !ids.contains(id) && !outgoing.isWritten {
      entries[id] = nil
      inFlight.removeAll { $0.entry == id }
    }
    for entry in new where entries[entry.id] == nil && !ended.contains(entry.id) {
      prepare(entry, to: Self.target(of: entry, people, context), in: &context)
    }
    context.needsPump = true
  }

  // MARK: Files

  /// The first entry with a file to upload.
  var nextUpload: Outgoing? {
    entries.values.filter { $0.nextFile != nil }.min { $0.entry.id < $1.entry.id }
  }

  /// Notes the link of an entry's file.
  mutating func add(_ link: String, to id: OutboxEntry.ID, in context: inout IRCContext) {
    guard let outgoing = entries[id] else { return }
    prepare(outgoing.adding(link), to: outgoing.target, in: &context)
    // What the store knows of the entry has no link yet.
    context.needsPump = true
  }

  private mutating func prepare(
    _ entry: OutboxEntry, to target: String, in context: inout IRCContext
  ) {
    batches += 1
    do throws(Outgoing.Refusal) {
      entries[entry.id] = try Outgoing.lines(
        of: entry, to: target, batch: "m" + String(batches, radix: 36), context)
    } catch {
      end(entry, as: .refused(entry, reason: error.sentence), in: &context)
    }
  }

  private mutating func end(
    _ entry: OutboxEntry, as result: NetworkEvent, in context: inout IRCContext
  ) {
    context.tell(result)
    entries[entry.id] = nil
    ended.insert(entry.id)
    inFlight.removeAll { $0.entry == entry.id }
  }

  private static func target(
    of entry: OutboxEntry, _ people: People, _ context: IRCContext
  ) -> String {
    switch entry.conversation {
    case .room(let address): context.names.plain(address)
    case .direct(let identity): people.nick(of: identity, context.names)
    }
  }

  // MARK: Sending

  private enum Readiness {
    case ready, later
    case never(String)
  }

  private func readiness(
    of outgoing: Outgoing, _ rooms: Rooms, _ history: History, _ context: IRCContext
  ) -> Readiness {
    if case .room(let address) = outgoing.entry.conversation {
      switch rooms[address]?.state {
      case .entered: break
      case .entering, .listing: return .later
      case .refused(let sentence): return .never(sentence)
      // Until the requests are known, one to enter the room may follow.
      case .outside, nil:
        return .never(filled(("You are not in %1.", [outgoing.target])))
      }
    }
    guard outgoing.isDoubtful else { return .ready }
    switch history.states[outgoing.entry.conversation] {
    case .read: return .ready
    case .reading: return .later
    case .failed, nil:
      return .never(
        translated("The connection broke, and it may have arrived. /retry sends it again."))
    }
  }

  /// The waiting entries in order, the first of each conversation until it is written.
  private func candidates(
    _ rooms: Rooms, _ history: History, _ context: IRCContext
  ) -> (ready: [OutboxEntry.ID], never: [(OutboxEntry, String)]) {
    var blocked: Set<ConversationAddress> = []
    var (ready, never) = ([OutboxEntry.ID](), [(OutboxEntry, String)]())
    for outgoing in entries.values.sorted(by: { $0.entry.id < $1.entry.id })
    where outgoing.nextFile == nil && (outgoing.nextPart != nil || outgoing.isDoubtful) {
      if blocked.contains(outgoing.entry.conversation) { continue }
      switch readiness(of: outgoing, rooms, history, context) {
      case .ready: ready.append(outgoing.entry.id)
      case .later: blocked.insert(outgoing.entry.conversation)
      case .never(let reason): never.append((outgoing.entry, reason))
      }
    }
    return (ready, never)
  }

  /// Chooses the entries that go out now: before they do, the store must know that the server may
  /// get them.
  ///
  /// - Returns: the ids of all entries that were chosen and are not finished.
  mutating func admit(
    _ rooms: Rooms, _ history: History, in context: inout IRCContext
  ) -> Set<OutboxEntry.ID> {
    if context.isReady {
      var turns = context.freeTurns()
      for id in candidates(rooms, history, context).ready where turns > 0 {
        entries[id]?.isAdmitted = true
        turns -= entries[id]?.parts.reduce(0) { $0 + $1.lines.count } ?? 0
      }
    }
    return Set(entries.values.filter(\.isAdmitted).map(\.entry.id))
  }

  /// Sends what may go out now.
  mutating func pump(_ rooms: Rooms, _ history: History, in context: inout IRCContext) {
    guard context.isReady else { return }
    let (ready, never) = candidates(rooms, history, context)
    for (entry, reason) in never {
      end(entry, as: .refused(entry, reason: reason), in: &context)
    }
    var needsBarrier = false
    var wantsMore = false
    loop: for id in ready {
      resolveDoubt(id, in: &context)
      while let index = entries[id]?.nextPart {
        guard let outgoing = entries[id], outgoing.isAdmitted else {
          wantsMore = true
          continue loop
        }
        // What has no answer is in doubt if the connection breaks now.
        guard context.freeTurns() > 0, inFlight.count < context.throttle.window else { break loop }
        needsBarrier = write(outgoing, index, in: &context) || needsBarrier
      }
    }
    if needsBarrier { sendBarrier(in: &context) }
    context.needsPump = false
    if wantsMore, context.freeTurns() > 0 { context.add(.wantsOutbox) }
    if !inFlight.isEmpty { context.clock.set(.answers, in: Self.patience) }
  }

  /// Sends the parts again that the history does not have.
  private mutating func resolveDoubt(_ id: OutboxEntry.ID, in context: inout IRCContext) {
    guard var outgoing = entries[id], outgoing.isDoubtful else { return }
    outgoing.isDoubtful = false
    for index in outgoing.parts.indices where outgoing.parts[index].state == .written {
      outgoing.parts[index].state = .waiting
    }
    entries[id] = outgoing
    finishIfAnswered(id, in: &context)
  }

  /// - Returns: whether only a later PONG will tell that the server has handled it.
  private mutating func write(
    _ outgoing: Outgoing, _ index: Int, in context: inout IRCContext
  ) -> Bool {
    var lines = outgoing.parts[index].lines
    let label = context.newLabel()
    lines[0].tags["label"] = label
    for line in lines {
      _ = context.takeTurn() ? () : context.throttle.use()
      context.sendNow(line)
    }
    entries[outgoing.entry.id]?.parts[index].state = .written
    inFlight.append(
      InFlight(
        entry: outgoing.entry.id, part: index, label: label, target: context.fold(outgoing.target)))
    if label != nil { return false }
    return !context.has(Capabilities.echo) || outgoing.entry.operation != .send
  }

  /// Asks for a PONG after all lines that were sent.
  mutating func sendBarrier(in context: inout IRCContext) {
    barriers += 1
    for index in inFlight.indices where inFlight[index].barrier == nil {
      inFlight[index].barrier = barriers
    }
    context.sendNow(IRCLine("PING", [Self.barrier + String(barriers)]))
  }

  private static let barrier = "hobnob-"

  // MARK: Answers

  /// Notes a PONG: the server has handled everything that was sent before the PING.
  mutating func notePong(_ token: String, in context: inout IRCContext) {
    guard token.hasPrefix(Self.barrier), let number = Int(token.dropFirst(Self.barrier.count))
    else { return }
    for line in inFlight where line.barrier.map({ $0 <= number }) ?? false {
      if entries[line.entry]?.isTagMessage == true, context.has(Capabilities.echo) {
        refuse(line.entry, translated("The server dropped it."), in: &context)
      } else {
        answer(line, id: nil, in: &context)
      }
    }
  }

  private mutating func answer(_ line: InFlight, id: String?, in context: inout IRCContext) {
    inFlight.removeAll { $0.entry == line.entry && $0.part == line.part }
    entries[line.entry]?.parts[line.part].state = .answered
    if line.part == 0, let id { entries[line.entry]?.id = id }
    finishIfAnswered(line.entry, in: &context)
    if inFlight.isEmpty { context.clock.clear(.answers) }
  }

  private mutating func finishIfAnswered(_ id: OutboxEntry.ID, in context: inout IRCContext) {
    guard let outgoing = entries[id], outgoing.isAnswered else { return }
    end(outgoing.entry, as: .accepted(outgoing.entry, archive: outgoing.id), in: &context)
  }

  /// Notes an answer that has a label.
  ///
  /// - Parameter id: the id that the server gave to the message.
  /// - Returns: false if no line of the outbox has the label.
  mutating func noteAnswer(
    label: String, id: String?, isEcho: Bool, in context: inout IRCContext
  ) -> Bool {
    guard let line = inFlight.first(where: { $0.label == label }) else { return false }
    if !isEcho, entries[line.entry]?.isTagMessage == true, context.has(Capabilities.echo) {
      refuse(line.entry, translated("The server dropped it."), in: &context)
    } else {
      answer(line, id: id, in: &context)
    }
    return true
  }

  /// Notes an echo without a label: it is that of the first line to the target.
  ///
  /// - Returns: false if no line is under way to the target.
  mutating func noteEcho(to target: String, id: String?, in context: inout IRCContext) -> Bool {
    let folded = context.fold(target)
    guard let line = inFlight.first(where: { $0.target == folded && $0.label == nil }) else {
      return false
    }
    answer(line, id: id, in: &context)
    return true
  }

  /// Notes the server's refusal of a line.
  ///
  /// - Parameters:
  ///   - label: of the answer; without one, the first line to `target` is meant.
  /// - Returns: false if no such line is under way.
  mutating func noteRefusal(
    label: String?, target: String, _ sentence: String, in context: inout IRCContext
  ) -> Bool {
    let folded = context.fold(target)
    let line =
      label.flatMap { label in inFlight.first { $0.label == label } }
      ?? inFlight.first { $0.target == folded }
    guard let line else { return false }
    refuse(line.entry, sentence, in: &context)
    return true
  }

  mutating func refuse(
    _ id: OutboxEntry.ID, _ sentence: String, in context: inout IRCContext
  ) {
    guard let outgoing = entries[id] else { return }
    end(outgoing.entry, as: .refused(outgoing.entry, reason: sentence), in: &context)
  }

  /// Finds a message of the owner's in the server's history among those that may have arrived.
  ///
  /// - Returns: whether it is one of them.
  mutating func noteOwn(
    _ text: String, in conversation: ConversationAddress, id: String?, at time: Milliseconds?,
    _ context: inout IRCContext
  ) -> Bool {
    let doubtful = entries.values.filter {
      $0.isDoubtful && $0.entry.conversation == conversation
        && (time ?? .max) >= $0.entry.message.createdAt - Self.clockError
    }.sorted { $0.entry.id < $1.entry.id }
    for outgoing in doubtful {
      let index = outgoing.parts.firstIndex {
        $0.state != .answered && $0.text.utf8.elementsEqual(text.utf8)
      }
      guard let index else { continue }
      entries[outgoing.entry.id]?.parts[index].state = .answered
      if index == 0 { entries[outgoing.entry.id]?.id = id }
      finishIfAnswered(outgoing.entry.id, in: &context)
      return true
    }
    return false
  }

  /// How far the server's clock may be behind.
  private static let clockError: Milliseconds = 60_000

  // MARK: The connection

  /// Notes that the connection is gone: what was written and not answered may have arrived.
  mutating func noteBreak() {
    inFlight = []
    for (id, outgoing) in entries
    where outgoing.entry.operation == .send
      && outgoing.parts.contains(where: { $0.state == .written })
    {
      entries[id]?.isDoubtful = true
    }
  }
}
