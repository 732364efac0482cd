// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Platform
import Testing

private struct Act: NetworkAct, ExpressibleByStringLiteral {
  let text: String
  init(stringLiteral text: String) { self.text = text }
  var endsWithConnection: Bool { text != "keep" }
}

/// A client whose effects the test names: each event has its own.
private struct ToldClient: NetworkClient {
  enum Event: ClientEventKind {
    case does([NetworkEffect<Act>])
    case tried(Set<OutboxEntry.ID>)
    case requests([NetworkRequest])
    case signals([NetworkSignal])
    case uploaded(OutboxEntry.ID, Result<String, UploadFailure>)
    case tick
  }

  private(set) var ticks = 0

  mutating func handle(_ event: Event, at now: Milliseconds) -> [NetworkEffect<Act>] {
    switch event {
    case .does(let effects): return effects
    case .tick:
      ticks += 1
      return []
    case .tried, .requests, .signals, .uploaded: return []
    }
  }

  mutating func admit(_ entries: [OutboxEntry], at now: Milliseconds) -> Set<OutboxEntry.ID> { [] }
  mutating func skip(to now: Milliseconds) {}
}

@MainActor
@Suite("the pump of a network's client")
struct PumpTests {
  /// A pump, and a process that stores its events if it can.
  @MainActor
  private final class Process {
    let pump = Pump(ToldClient(), loop: EventLoop())
    var isWritable = true
    /// What the pump did, in order: texts that were sent, and events that were stored.
    private(set) var done: [String] = []
    /// How much of that was done whenever the pump had settled.
    private(set) var settledAfter: [Int] = []
    private var unstored: [NetworkEvent] = []

    init() {
      pump.settled = { [weak self] in self.map { $0.settledAfter.append($0.done.count) } }
      pump.report = { [weak self] in self?.handle($0) }
      pump.act = { [weak self] in self?.done.append("sent " + $0.text) }
    }

    private func handle(_ report: WireReport) {
      switch report {
      case .events(let events):
        unstored += events
        store()
      case .status: done.append("status")
      case .learned(let name, _): done.append("learned " + name)
      default: break
      }
    }

    /// As the process does it.
    func store() {
      guard isWritable else {
        pump.isReading = false
        return
      }
      for case .notice(let text) in unstored { done.append("stored " + text.text) }
      unstored = []
      pump.isReading = true
    }

    func tell(_ effects: NetworkEffect<Act>...) { pump.tell(.does(effects)) }
  }

  private let process = Process()

  @Test("14.2: a wire reads on when everything is stored, and never in the middle of a step")
  func settles() {
    process.isWritable = false
    process.tell(.store([.notice("one")]))
    #expect(process.settledAfter.isEmpty)
    process.isWritable = true
    process.tell(.store([.notice("two")]), .learned("fact", "x"))
    #expect(process.done == ["stored one", "stored two", "learned fact"])
    #expect(process.settledAfter == [3])
  }

  @Test("14.2: what relies on events that could not be stored waits until they are stored")
  func holdsBack() {
    process.isWritable = false
    process.tell(.act("early"), .store([.notice("one")]), .act("a"), .status(.connecting))
    // A later step does not overtake it either.
    process.tell(.act("b"))
    process.tell(.learned("fact", "x"), .store([.notice("two")]), .act("c"))
    #expect(process.done == ["sent early", "learned fact"])
    process.store()
    #expect(process.done.count == 2)
    process.isWritable = true
    process.store()
    #expect(
      process.done == [
        "sent early", "learned fact", "stored one", "stored two", "sent a", "status", "sent b",
        "sent c",
      ])
    #expect(process.pump.client.ticks == 1)
    process.tell(.store([.notice("three")]), .act("d"))
    #expect(process.done.suffix(2) == ["stored three", "sent d"])
  }

  @Test("what waited for the store is not sent on another connection, but kept if that is wanted")
  func forgetsWithTheConnection() {
    process.isWritable = false
    process.tell(.store([.notice("one")]), .act("keep"), .act("a"))
    process.pump.end(with: .does([.store([.notice("two")])]))
    process.tell(.act("b"))
    process.isWritable = true
    process.store()
    #expect(process.done == ["stored one", "stored two", "sent keep", "sent b"])
  }

  @Test("an effect that makes another event waits until all effects of the first are done")
  func oneAfterTheOther() {
    process.pump.act = { [process] act in
      process.tell(.store([.notice(Remark("after " + act.text))]))
    }
    process.tell(.act("a"), .act("b"), .store([.notice("first")]))
    #expect(process.done == ["stored first", "stored after a", "stored after b"])
  }
}
