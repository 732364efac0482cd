// SPDX-License-Identifier: GPL-3.0-or-later
import StoreFixture
import Testing

@testable import Conversations
@testable import NetworkInbox

/// A bouncer sends again what it has sent before, without ids.
@Suite("A replay without ids") final class ReplayTests {
  private let linked: Linked
  private let start: Milliseconds = 1_700_000_000_000

  init() throws {
    linked = try Linked()
    linked.fixture.now = start
    try linked.join()
  }

  private func replayed(
    _ body: String, by speaker: NetworkUser? = nil, after milliseconds: Milliseconds,
    archive: String? = nil, kind: Message.Kind = .text
  ) -> NetworkEvent {
    var message = NetworkMessage(
      name: MessageIDs(archive: archive), speaker: speaker ?? linked.zoe, body: body, kind: kind,
      time: start + milliseconds)
    message.isReplayed = true
    return .messageReceived(message, in: linked.tea)
  }

  @Test("a message by the same person at about the time is known, and another one is new")
  func once() throws {
    try linked.say("hello")
    linked.fixture.now += 60_000
    try linked.hear(
      replayed("hello", after: 2_000), replayed("hello", by: linked.max, after: 0),
      replayed("hello", after: 0, kind: .action), replayed("hello", after: 0, archive: "a"))
    #expect(try linked.bodies().count == 4)
    try linked.hear(replayed("hello", after: 2_500))
    try linked.hear(replayed("hello ", after: 0))
    #expect(try linked.bodies().count == 6)
  }

  @Test("equal messages in one replay are as many as they are, however often it comes")
  func equalOnes() throws {
    try linked.say("no")
    try linked.say("no")
    linked.fixture.now += 60_000
    for _ in 1...2 {
      try linked.hear(
        replayed("no", after: 0), replayed("no", after: 500), replayed("no", after: 900))
      #expect(try linked.bodies() == ["no", "no", "no"])
    }
  }

  @Test("a new one is placed by its time")
  func late() throws {
    try linked.say("first")
    linked.fixture.now += 60_000
    try linked.say("last")
    try linked.hear(replayed("first", after: 0), replayed("between", after: 30_000))
    #expect(try linked.bodies() == ["first", "between", "last"])
  }

  @Test("a person whose account the replay does not name is found by their name")
  func byName() throws {
    try linked.say("hello")
    linked.fixture.now += 60_000
    try linked.hear(replayed("hello", by: NetworkUser(identity: "zoe", name: "zoe"), after: 0))
    #expect(try linked.bodies() == ["hello"])
  }

  @Test("one of the owner's that was on its way is sent")
  func own() throws {
    let (message, _) = try linked.send("hello")
    let (later, _) = try linked.send("hello")
    linked.fixture.now += 60_000
    try linked.hear(replayed("hello", by: linked.me, after: 9_000))
    #expect(try [linked.state(message), linked.state(later)] == [.sent, .sending])
    #expect(try linked.bodies() == ["hello", "hello"])
    try linked.hear(replayed("hello", by: linked.me, after: 11_000))
    #expect(try linked.bodies().count == 3)
  }

  @Test("the stored one is found by an index")
  func plan() throws {
    try linked.say("hello")
    linked.fixture.now += 60_000
    try linked.hear(replayed("hello", after: 0))
    let database = linked.wire.database
    let sql = try #require(database.known.first { $0.contains("abs(created_at") })
    let plan = try database.rows("EXPLAIN QUERY PLAN " + sql) { $0.text("detail") }
    #expect(
      plan.contains { $0.contains("message_order (conversation=? AND sort>? AND sort<?)") },
      "\(plan)")
  }
}
