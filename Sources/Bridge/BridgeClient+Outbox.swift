// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Sentences
import Storage

/// An entry of the outbox for a program.
struct BridgeItem: OutgoingItem {
  var entry: OutboxEntry
  /// Whether the program has it.
  var isUnderWay = false
  /// Whether the network has repeated it to the program, which may then not answer.
  var isRepeated = false

  var isWaiting: Bool { !isUnderWay }
  var isRecallable: Bool { !isUnderWay || isRepeated }
  var mayHaveArrived: Bool { isUnderWay || entry.wasTried }
  var lineCount: Int { 1 }
  /// The program's answer counts, whatever the owner did meanwhile.
  mutating func cancel() {}
}

// Hands the outbox, requests and signals to the program, and reads its answers.
extension BridgeClient {
  package mutating func admit(
    _ entries: [OutboxEntry], at now: Milliseconds
  ) -> Set<OutboxEntry.ID> {
    context.clock.move(to: now)
    let (new, _) = outbox.takeOver(entries, in: &context)
    // The owner may have changed what has not gone out.
    for entry in entries where outbox[entry.id]?.isWaiting == true {
      outbox[entry.id]?.entry = entry
    }
    for entry in new { outbox[entry.id] = BridgeItem(entry: entry) }
    guard isUp, let hello else { return [] }
    return outbox.choose(from: readyEntries, besides: underWay, of: hello.window)
  }

  /// The entries that the program has to answer.
  var underWay: [OutboxEntry.ID] {
    outbox.all.filter { $0.isUnderWay && !$0.isRepeated }.map(\.entry.id)
  }

  /// The entries that can go out, in order.
  private var readyEntries: [OutboxEntry.ID] {
    let sends = Set(
      outbox.values.filter { $0.entry.operation == .send }.map(\.entry.message.id))
    return outbox.candidates { item in
      // What a change is about must have its id first.
      let entry = item.entry
      return entry.operation != .send && entry.name.archive == nil
        && sends.contains(entry.message.id) ? .later : .ready
    }.ready
  }

  mutating func send(_ ids: Set<OutboxEntry.ID>) {
    guard isUp else { return }
    outbox.noteTried(ids)
    let wasIdle = underWay.isEmpty
    for id in readyEntries where outbox.isTried(id) {
      guard let item = outbox[id] else { continue }
      if item.entry.operation != .send, item.entry.name.archive == nil {
        refuse(
          item.entry,
          translated("The network gave the message no id, so nobody can change it there."))
        continue
      }
      outbox[id]?.isUnderWay = true
      context.add(.write(writing.line(for: item.entry)))
    }
    if wasIdle { awaitAnswer() }
  }

  private mutating func refuse(_ entry: OutboxEntry, _ reason: Remark) {
    context.tell(.refused(entry, reason: reason))
    outbox.end(entry.id)
  }

  /// The events of an answer to an entry or a request; none for one that the program was not given.
  mutating func answers(
    in line: BridgeLine, _ reading: BridgeEvents
  ) throws(BridgeFault) -> [NetworkEvent] {
    if line.type == "answer" {
      guard let request = open.removeValue(forKey: line[.request].integer ?? 0),
        context.requests.end(request)
      else { return [] }
      let text = Remark(line[.text].text ?? "")
      return try entryEvents(after: request, text, in: reading.room(line))
        + [.answered(request, text)]
    }
    guard let id = line[.entry].integer, let item = outbox[id], item.isUnderWay else { return [] }
    var archive: String?
    do throws(BridgeFault) {
      archive = try line[.id].text.map { id throws(BridgeFault) in try reading.ids(id) }?.archive
    } catch {
      throw BridgeFault(error.remark, entry: id)
    }
    if line.type == "part" {
      awaitAnswer()
      return archive.map { [.acceptedPart(item.entry, archive: $0)] } ?? []
    }
    endEntry(id)
    if line.type == "failed" {
      return [refused(item.entry, Remark(line[.reason].text ?? ""), line[.maybe].flag ?? false)]
    }
    // A change's own id tells it apart when it arrives again.
    return [.accepted(item.entry, archive: item.entry.operation == .send ? archive : nil)]
  }

  /// What follows from the answer to a request to enter a room: it was refused, or led elsewhere.
  private func entryEvents(
    after request: NetworkRequest, _ refusal: Remark, in room: String?
  ) -> [NetworkEvent] {
    guard request.verb == .join else { return [] }
    if !refusal.isEmpty { return [.left(room: request.target, reason: refusal)] }
    guard let room, room != request.target else { return [] }
    return [.forwarded(room: request.target, to: room, reason: nil)]
  }

  /// Notes that a message of the owner's came back: the program need not answer it as well.
  mutating func noteRepeated(_ uid: String?) {
    let repeated = outbox.values.first {
      $0.isUnderWay && $0.entry.operation == .send && $0.entry.origin == uid
    }
    guard let repeated, !repeated.isRepeated else { return }
    outbox[repeated.entry.id]?.isRepeated = true
    awaitAnswer()
    context.add(.wantsOutbox)
  }

  private mutating func endEntry(_ id: OutboxEntry.ID) {
    outbox.end(id)
    awaitAnswer()
    context.add(.wantsOutbox)
  }

  private func refused(
    _ entry: OutboxEntry, _ reason: Remark, _ mayHaveArrived: Bool
  ) -> NetworkEvent {
    .refused(
      entry, reason: reason, mayHaveArrived: mayHaveArrived && entry.operation == .send)
  }

  /// Ends an entry whose answer nobody can read.
  mutating func doubt(_ id: OutboxEntry.ID) {
    guard let item = outbox[id], item.isUnderWay else { return }
    endEntry(id)
    context.tell(
      refused(
        item.entry, filled(("%1 answered with a line that cannot be read", [name])), true))
  }

  // MARK: Requests and signals

  mutating func runRequests() {
    guard isUp, let hello else { return }
    while let request = context.requests.next() {
      guard hello.verbs.contains(request.verb) else {
        context.answer(request, refusal(of: request, hello))
        continue
      }
      open[request.id] = request
      context.add(.write(BridgeWriting.line(for: request)))
    }
  }

  private func refusal(of request: NetworkRequest, _ hello: BridgeHello) -> Remark {
    switch request.verb {
    case .presence, .approve, .decline: ""
    case .abilities:
      filled(("%1 is connected by the program %2.", [hello.network, name]))
    case .history:
      filled(("%1 does not give older messages.", [hello.network]))
    case .encrypt, .verify, .device:
      filled(("The program %1 does not say that it can encrypt.", [name]))
    default:
      filled(("%1 has no /%2 in hobnob.", [hello.network, request.verb.command]))
    }
  }

  mutating func pass(_ signals: [NetworkSignal]) {
    guard let hello else { return }
    for signal in signals {
      if case .typing(.room, _) = signal, !hello.abilities.rooms.typing { continue }
      if case .typing(.direct, _) = signal, !hello.abilities.direct.typing { continue }
      if let line = BridgeWriting.line(for: signal) { context.add(.write(line)) }
    }
  }
}
