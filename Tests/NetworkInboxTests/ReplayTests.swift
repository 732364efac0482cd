// SPDX-License-Identifier: GPL-3.0-or-later
import StoreFixture
import Testing

@testable import Conversations
@testable import NetworkInbox

/// A bouncer sends again what it has sent before, without ids.
@Suite("A playback without ids") final class ReplayTests {
  private let linked: Linked
  private let inbox: Inbox
  private let start: Milliseconds = 1_700_000_000_500

  init() throws {
    linked = try Linked()
    inbox = linked.wire.inbox
    linked.fixture.now = start
    try linked.join()
  }

  private func hear(_ events: [NetworkEvent]) throws {
    try inbox.apply(events, of: linked.account)
  }

  /// What somebody says now, by a clock of the network that is behind.
  private func live(
    _ body: String, by speaker: NetworkUser? = nil, behind: Milliseconds = 0
  ) -> NetworkEvent {
    var message = NetworkMessage(speaker: speaker ?? linked.zoe, body: body)
    message.sentAt = linked.fixture.now - behind
    return .messageReceived(message, in: linked.tea)
  }

  /// A line of a playback; `playback` is nil if the line is from none.
  private func replayed(
    _ body: String, by speaker: NetworkUser? = nil, after milliseconds: Milliseconds,
    archive: String? = nil, origin: String? = nil, kind: Message.Kind = .text, _ playback: Int? = 1
  ) -> NetworkEvent {
    var message = NetworkMessage(
      name: MessageIDs(origin: origin, archive: archive), speaker: speaker ?? linked.zoe,
      body: body, kind: kind, time: start + milliseconds)
    message.playback = playback
    return .messageReceived(message, in: linked.tea)
  }

  @Test("14.2: the same text by the same person at the same time is known, all else is new")
  func once() throws {
    // The network's clock counts.
    try hear([live("hello", behind: 3_000)])
    linked.fixture.now += 60_000
    try hear([replayed("hello", after: -3_000)])
    #expect(try linked.bodies() == ["hello"])
    try hear([
      replayed("hello", by: linked.max, after: -3_000), replayed("hello ", after: -3_000),
      replayed("hello", after: -3_000, kind: .action), replayed("hello", after: -2_999),
      replayed("hello", after: -3_000, archive: "a"), replayed("hello", after: -3_000, nil),
    ])
    #expect(try linked.bodies().count == 7)
  }

  @Test("14.2: times agree to the coarser of the two resolutions")
  func resolution() throws {
    try hear([live("fine", by: linked.max)])
    linked.fixture.now = start + 10_500
    try hear([live("coarse", by: linked.max)])
    linked.fixture.now += 60_000
    try hear([
      replayed("fine", by: linked.max, after: -500),
      replayed("coarse", by: linked.max, after: 10_999),
    ])
    #expect(try linked.bodies() == ["fine", "coarse"])
    try hear([replayed("coarse", by: linked.max, after: 11_500, 2)])
    try hear([replayed("fine", by: linked.max, after: 500, 3)])
    #expect(try linked.bodies().count == 4)
  }

  @Test("14.2: each stored line is one line of a playback, however often it comes")
  func equalOnes() throws {
    try hear([live("no"), live("no")])
    linked.fixture.now += 60_000
    for playback in 1...2 {
      // It arrives in pieces.
      for _ in 1...3 { try hear([replayed("no", after: 0, playback)]) }
      #expect(try linked.bodies() == ["no", "no", "no"])
    }
  }

  @Test("14.2: of 150 lines, many of them equal, a playback leaves out none")
  func manyEqualOnes() throws {
    // As times of whole seconds are.
    let lines = (0..<150).map { number in
      replayed(number % 3 == 0 ? "line \(number)" : "}", after: Milliseconds(number / 10) * 1_000)
    }
    linked.fixture.now += 60_000
    for line in lines { try hear([line]) }
    #expect(try linked.store.count("message") == 150)
    try hear(lines)
    #expect(try linked.store.count("message") == 300)
  }

  @Test("14.2: outside a playback, equal lines of one second are as many as they are")
  func equalOnesOutside() throws {
    for _ in 1...4 { try hear([replayed("}", after: -1_500, nil)]) }
    for _ in 1...4 { try hear([live("}", behind: 1_500)]) }
    #expect(try linked.bodies().count == 8)
  }

  @Test("14.2: lines in the unbroken run that ends at the newest one are known, despite the clock")
  func run() throws {
    for (body, speaker) in [("old", linked.zoe), ("a", linked.zoe), ("b", linked.max)] {
      try hear([live(body, by: speaker, behind: 20_000)])
      linked.fixture.now += 1_000
    }
    _ = try linked.send("mine")
    try linked.hear(.accepted(try #require(try linked.outbox().last), archive: nil))
    linked.fixture.now += 5_000
    let played = [
      replayed("a", after: -19_000), replayed("b", by: linked.max, after: -18_000),
      replayed("mine", by: linked.me, after: -17_000), replayed("new", after: -16_000),
    ]
    try hear(played)
    #expect(try Set(linked.bodies()) == ["old", "a", "b", "mine", "new"])
    #expect(try linked.bodies().count == 5)
  }

  @Test("14.2: a run that is interrupted, or of equal lines, proves nothing")
  func noRun() throws {
    for body in ["a", "b", "c", "}", "}"] { try hear([live(body, behind: 20_000)]) }
    linked.fixture.now += 5_000
    try hear([replayed("}", after: -15_000), replayed("}", after: -15_000)])
    #expect(try linked.bodies().count == 7)
    try hear([replayed("a", after: -14_000, 2), replayed("b", after: -14_000, 2)])
    #expect(try linked.bodies().count == 9)
  }

  @Test("a new one is placed by its time")
  func late() throws {
    try hear([live("first")])
    linked.fixture.now += 60_000
    try hear([live("last")])
    try hear([replayed("first", after: 0), replayed("between", after: 30_000)])
    #expect(try linked.bodies() == ["first", "between", "last"])
  }

  @Test("a person whose account the playback does not name is found by their name")
  func byName() throws {
    try hear([live("hello")])
    linked.fixture.now += 60_000
    try hear([replayed("hello", by: NetworkUser(identity: "zoe", name: "zoe"), after: 0)])
    #expect(try linked.bodies() == ["hello"])
  }

  @Test("14.2: a line with another id from its sender is another one")
  func otherID() throws {
    try linked.say("hello", origin: "o1")
    linked.fixture.now += 60_000
    try hear([replayed("hello", after: 0, origin: "o1"), replayed("hello", after: 0, origin: "o2")])
    #expect(try linked.bodies() == ["hello", "hello"])
  }

  @Test("14.2: one of the owner's that may have arrived is sent; one that waits goes out")
  func own() throws {
    let (message, entry) = try linked.send("hello")
    try linked.wire.writeIfNeeded { try $0.noteTried([entry]) }
    let (later, _) = try linked.send("hello")
    linked.fixture.now += 60_000
    try hear([replayed("hello", by: linked.me, after: 9_000)])
    #expect(try [linked.state(message), linked.state(later)] == [.sent, .sending])
    #expect(try linked.bodies() == ["hello", "hello"])
    try hear([replayed("hello", by: linked.me, after: 11_000)])
    #expect(try linked.bodies().count == 3)
    #expect(try linked.state(later) == .sending)
  }

  @Test("14.2: a line from here has this machine's time, and is known within seconds of it")
  func ownFromHere() throws {
    for _ in 1...2 {
      let (_, entry) = try linked.send("ok")
      try linked.hear(.accepted(entry, archive: nil))
    }
    linked.fixture.now += 60_000
    // Each is one line, and the owner has said it elsewhere, too.
    let lines = [1_900, 2_300, 2_700].map { replayed("ok", by: linked.me, after: $0) }
    for line in lines { try hear([line]) }
    #expect(try linked.bodies() == ["ok", "ok", "ok"])
    try hear([replayed("ok", by: linked.me, after: 30_000, 2)])
    #expect(try linked.bodies().count == 4)
  }

  @Test("14.2: the nearest one counts, so that one in doubt is not taken for one that arrived")
  func nearestOwn() throws {
    let (_, first) = try linked.send("ok")
    try linked.hear(.accepted(first, archive: nil))
    linked.fixture.now += 5_000
    let (message, second) = try linked.send("ok")
    try linked.wire.writeIfNeeded { try $0.noteTried([second]) }
    linked.fixture.now += 60_000
    try hear([replayed("ok", by: linked.me, after: 500)])
    #expect(try linked.state(message) == .sending)
    try hear([replayed("ok", by: linked.me, after: 5_500)])
    #expect(try linked.state(message) == .sent && linked.bodies().count == 2)
  }

  @Test("14.2: what was deleted on its way is known in the history, after a kill too, and deleted")
  func deletedOnItsWay() throws {
    for text in ["one", "two\n\nthree"] {
      let (message, entry) = try linked.send(text)
      try linked.wire.writeIfNeeded { try $0.noteTried([entry]) }
      try linked.store.writeDurably { _ = try $0.deleteMessage(message.id, by: linked.anna) }
    }
    linked.fixture.now += 60_000
    // Another text at the same time is another message, and so is a text that was said once more.
    let all = [
      replayed("one", by: linked.zoe, after: 0, archive: "z"),
      replayed("two", by: linked.me, after: 1_000, archive: "m2"),
      replayed("three", by: linked.me, after: 1_000, archive: "m3"),
      replayed("one", by: linked.me, after: 1_500, archive: "m1"),
      replayed("one", by: linked.me, after: 2_000, archive: "m4"),
      replayed("four", by: linked.me, after: 2_000, archive: "m5"),
    ]
    try hear(all)
    #expect(try linked.messages().count { $0.deletedAt != nil } == 2)
    #expect(try linked.bodies().filter { !$0.isEmpty }.sorted() == ["four", "one", "one"])
    // The client leaves out the later parts of what was sent.
    #expect(try linked.wire.read { try $0.sentLately(by: linked.account) }.contains("m3"))
    let deletions = try linked.outbox()
    #expect(deletions.map(\.operation) == [.delete, .delete])
    #expect(deletions.map(\.name.archive) == ["m2", "m1"])
  }

  @Test("14.2: the store forgets the text of what was deleted when the network has answered")
  func forgetsDeletedText() throws {
    func hashes() throws -> Int {
      try linked.store.count("applied_change WHERE origin_id GLOB 'text:*'")
    }
    for outcome in [OutboxEntry.Outcome.sent, .failed("no")] {
      let (message, entry) = try linked.send("one")
      try linked.wire.writeIfNeeded { try $0.noteTried([entry]) }
      try linked.store.writeDurably { _ = try $0.deleteMessage(message.id, by: linked.anna) }
      #expect(try hashes() == 1)
      try linked.wire.writeDurably { try $0.finish(entry, as: outcome) }
      #expect(try hashes() == 0)
    }
    let (message, entry) = try linked.send("one")
    try linked.wire.writeIfNeeded { try $0.noteTried([entry]) }
    try linked.store.writeDurably { _ = try $0.deleteMessage(message.id, by: linked.anna) }
    try hear([replayed("one", by: linked.me, after: 0, archive: "m1", origin: message.uid)])
    #expect(try hashes() == 0 && linked.outbox().last?.operation == .delete)
  }

  @Test("what is skipped in a playback does not count as found")
  func skipped() throws {
    try hear([live("hello")])
    linked.fixture.now += 60_000
    let nobody = NetworkUser(identity: "", name: "nobody")
    #expect(throws: RuleError.self) {
      try hear([replayed("x", by: nobody, after: 0), replayed("hello", after: 0)])
    }
    #expect(try linked.bodies() == ["hello"])
  }

  @Test("the stored one is found by an index", arguments: ["created_at / 1000", "x.tried > 0"])
  func plan(part: String) throws {
    try hear([live("hello")])
    linked.fixture.now += 60_000
    try hear([replayed("other", by: linked.me, after: 0)])
    let database = linked.wire.database
    let sql = try #require(database.known.first { $0.contains(part) })
    let plan = try database.rows("EXPLAIN QUERY PLAN " + sql) { $0.text("detail") }
    #expect(
      plan.contains { $0.contains("message_order (conversation=? AND sort>? AND sort<?)") },
      "\(plan)")
  }
}
