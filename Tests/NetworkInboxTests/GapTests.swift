// SPDX-License-Identifier: GPL-3.0-or-later
import StoreFixture
import Testing

@testable import Conversations
@testable import NetworkInbox

@Suite("14.7: What was missed stands before everything that arrived after the break")
struct GapTests {
  private let linked: Linked

  init() throws {
    linked = try Linked()
    try linked.join()
  }

  /// A message in the archive, with the time that the server gave it.
  private func archived(_ id: String, at time: Milliseconds? = nil) -> NetworkEvent {
    .messageReceived(
      NetworkMessage(
        name: MessageIDs(archive: id), speaker: linked.zoe, body: id,
        time: time ?? linked.fixture.now), in: linked.tea)
  }

  private func live(_ id: String) throws { try linked.say(id, archive: id) }

  private func read(_ ids: String..., at time: Milliseconds? = nil) throws {
    try linked.wire.inbox.apply(ids.map { archived($0, at: time) }, of: linked.account)
  }

  @Test(
    "whatever the server's clock shows",
    arguments: [-7_200_000, -1_000, 0, 1, 500, 3_000] as [Milliseconds])
  func clocks(ahead: Milliseconds) throws {
    try live("a")
    linked.fixture.now += 2_000
    try linked.hear(.missing(in: linked.tea))
    try live("d")
    try live("e")
    try read("a", "b", "c", "d", "e", at: linked.fixture.now + ahead)
    try linked.hear(.complete(in: linked.tea))
    try live("f")
    #expect(try linked.bodies() == ["a", "b", "c", "d", "e", "f"])
    #expect(try linked.messages().map(\.number) == [1, 4, 5, 2, 3, 6])
    let place = try linked.conversation()
    for (back, body) in [(-1, "f"), (-3, "d"), (-4, "c"), (-6, "a")] {
      #expect(
        try linked.store.read { try $0.message(named: back, in: place, for: linked.anna) }.body
          == body)
    }
    // What was missed is unread, like everything else here.
    #expect(try linked.store.read { try $0.listing(for: linked.anna) }.map(\.unread) == [6])
  }

  @Test("also if this machine's clock went back, and all of it has one time")
  func noTimeBetween() throws {
    try live("a")
    linked.fixture.now -= 3_600_000
    try linked.hear(.missing(in: linked.tea))
    try live("z")
    let missed = (1...700).map { "m\($0)" }
    try linked.wire.inbox.apply(missed.map { archived($0) }, of: linked.account)
    let all = try linked.store.read {
      try $0.messages(in: linked.conversation(), limit: 999, for: linked.anna)
    }
    #expect(all.map(\.body) == ["a"] + missed + ["z"])
  }

  @Test("a removed account leaves no gaps to the next one under its name")
  func removedAccount() throws {
    try live("a")
    try linked.hear(.missing(in: linked.tea), .unanswered(in: linked.tea))
    #expect(try linked.store.count("gap") == 1)
    // Those of other networks stay.
    let other = try linked.store.writeDurably {
      try $0.addAccount(owner: linked.anna, network: "irc:anna@x.org")
    }
    let second = try linked.fixture.open()
    try second.inbox.apply(
      [.joined(room: "#tea", nick: "anna"), .missing(in: .room("#tea"))], of: other)
    try linked.store.writeDurably { try $0.removeAccount(linked.account) }
    #expect(try linked.store.count("gap") == 1)
    try linked.store.writeDurably { try $0.removeAccount(other) }
    #expect(try linked.store.count("gap") == 0)
  }

  @Test("over several pages, breaks and processes")
  func pages() throws {
    try live("a")
    try linked.hear(.missing(in: linked.tea))
    try live("d")
    try read("a", "b")
    // The connection breaks before the next page, and another process goes on.
    let successor = try linked.fixture.open()
    linked.fixture.now += 1
    try successor.inbox.apply([.missing(in: linked.tea)], of: linked.account)
    try live("g")
    for page in [["c", "d"], ["e", "f"], ["g"]] {
      try successor.inbox.apply(page.map { archived($0) }, of: linked.account)
    }
    try successor.inbox.apply([.complete(in: linked.tea)], of: linked.account)
    #expect(try linked.bodies() == ["a", "b", "c", "d", "e", "f", "g"])
  }

  @Test("and before what I wrote meanwhile, unless the archive says otherwise")
  func own() throws {
    try live("a")
    linked.fixture.now += 1
    let (_, doubtful) = try linked.send("doubtful")
    try linked.wire.writeIfNeeded { try $0.noteTried([doubtful]) }
    linked.fixture.now += 1
    _ = try linked.send("offline")
    try linked.hear(.missing(in: linked.tea))
    try read("b")
    // It had arrived.
    try linked.hear(
      .accepted(doubtful, archive: "o"),
      .messageReceived(
        NetworkMessage(
          name: MessageIDs(origin: doubtful.origin), speaker: linked.me, body: "doubtful",
          time: linked.fixture.now), in: linked.tea))
    try read("c")
    #expect(try linked.bodies() == ["a", "b", "doubtful", "c", "offline"])
  }

  @Test("also behind what I sent after the break, if the archive has it in between")
  func betweenOwn() throws {
    try live("a")
    try linked.hear(.missing(in: linked.tea))
    let (_, first) = try linked.send("one")
    try linked.hear(.accepted(first, archive: "one"))
    try live("d")
    let (_, second) = try linked.send("two")
    try linked.hear(.accepted(second, archive: "two"))
    try live("f")
    let page = ["a", "one", "b", "c", "d", "two", "e", "f"]
    for id in page {
      guard case .messageReceived(var message, let place) = archived(id) else { return }
      if id.count > 1 { message.speaker = linked.me }
      try linked.hear(.messageReceived(message, in: place))
    }
    try linked.hear(.complete(in: linked.tea))
    let bodies = try linked.bodies()
    #expect(bodies == page)
  }

  @Test("also if what I sent leaves no place for it, but before what others wrote after that")
  func noPlace() throws {
    try live("a")
    linked.fixture.now -= 3_600_000
    for id in ["one", "two"] {
      let (_, entry) = try linked.send(id)
      try linked.hear(.accepted(entry, archive: id))
    }
    try linked.hear(.missing(in: linked.tea))
    try live("d")
    // The archive has the gap further back.
    try linked.store.db("UPDATE gap SET sort = (SELECT sort FROM message WHERE body = 'one')")
    try read("b", "c", "d")
    #expect(try linked.bodies() == ["a", "one", "two", "b", "c", "d"])
  }

  @Test("also if the connection breaks twice in one second")
  func twice() throws {
    try live("a")
    try linked.hear(.missing(in: linked.tea))
    // It is a second after the gap, and what I write next is close to it.
    let (_, first) = try linked.send("one")
    try linked.hear(.complete(in: linked.tea), .accepted(first, archive: "o1"))
    let (two, three) = (try linked.send("two").0, try linked.send("three").0)
    try linked.hear(.missing(in: linked.tea))
    try read("b")
    try read("c", "d")
    #expect(try linked.bodies() == ["a", "one", "b", "c", "d", "two", "three"])
    #expect(try linked.messages().suffix(2).map(\.id) == [two.id, three.id])
  }

  @Test("an older message that arrives together with the break finds its place")
  func olderWithBreak() throws {
    try live("a")
    let start = linked.fixture.now
    linked.fixture.now -= 1_000
    _ = try linked.send("one")
    let place = try #require(try linked.messages().first { $0.body == "a" }).sort
    // Exactly where my line moves to.
    let moved = (place + SortKey.room) / SortKey.perMillisecond
    linked.fixture.now = moved
    try linked.hear(
      archived("x", at: start - 10_000), .missing(in: linked.tea), .complete(in: linked.tea),
      archived("y", at: moved))
    let bodies = try linked.bodies()
    #expect(bodies == ["x", "a", "one", "y"])
  }

  @Test("and before what the server kept meanwhile and sends live, with an earlier time")
  func delayed() throws {
    func kept(_ id: String, at time: Milliseconds) throws {
      guard case .messageReceived(var message, let place) = archived(id, at: time) else { return }
      message.isDelayed = true
      try linked.hear(.messageReceived(message, in: place))
    }
    let start = linked.fixture.now
    try live("a")
    linked.fixture.now += 30_000
    try linked.hear(.missing(in: linked.tea))
    // The server's clock is behind.
    try kept("d", at: start - 1_000)
    try read("a", "b", "c", at: start - 4_000)
    try read("d", at: start - 1_000)
    try live("e")
    try linked.hear(.complete(in: linked.tea))
    #expect(try linked.bodies() == ["a", "b", "c", "d", "e"])
    // Without a gap, it comes after what its sender wrote before, however late it is.
    linked.fixture.now += 30_000
    try kept("f", at: linked.fixture.now - 20_000)
    linked.fixture.now += 30_000
    try live("g")
    try kept("h", at: linked.fixture.now - 40_000)
    #expect(try linked.bodies() == ["a", "b", "c", "d", "e", "f", "g", "h"])
  }

  @Test("in a conversation that begins with what arrives after the break")
  func newConversation() throws {
    try linked.wire.inbox.apply(
      [
        .missing(in: .room("milk@rooms.example")),
        .joined(room: "milk@rooms.example", nick: "anna"),
      ], of: linked.account)
    let milk = ConversationAddress.room("milk@rooms.example")
    try linked.say("b", in: milk, archive: "b")
    try linked.say("a", in: milk, archive: "a", at: linked.fixture.now)
    #expect(try linked.bodies(in: milk) == ["a", "b"])
  }

  @Test(
    "12.1: a gap that no hobnob has written stops nothing",
    arguments: [Int64.min, .max, 1 << 60, 0])
  func hostile(sort: Int64) throws {
    try live("a")
    try linked.store.db(
      "INSERT INTO gap(conversation, sort) VALUES (\(try linked.conversation().rawValue), \(sort))")
    try read("b", "a", "c")
    try live("d")
    #expect(try Set(linked.bodies()) == ["a", "b", "c", "d"])
  }

  @Test("-1 is my newest message by its order, wherever I wrote it")
  func newestOwn() throws {
    try live("a")
    try linked.hear(.missing(in: linked.tea))
    linked.fixture.now += 1
    let (mine, entry) = try linked.send("here")
    try linked.hear(.accepted(entry, archive: "o"))
    try linked.say("elsewhere", by: linked.me, archive: "b", at: linked.fixture.now)
    #expect(try linked.bodies() == ["a", "elsewhere", "here"])
    let place = try linked.conversation()
    #expect(try linked.store.read { try $0.newest(by: linked.anna, in: place) }?.id == mine.id)
    #expect(
      try linked.store.read { try $0.newest(by: linked.anna, in: place, skipping: 1) }?.body
        == "elsewhere")
    #expect(
      try linked.store.read { try $0.newest(by: linked.anna, in: place, skipping: 2) } == nil)
  }

  @Test("if the history does not answer, the gap stays marked until it does")
  func unanswered() throws {
    func gaps(_ place: ConversationAddress) throws -> Int {
      try linked.store.read { try $0.markedGaps(in: linked.conversation(place)) }.count
    }
    try live("a")
    try linked.say("hi", by: linked.ben, in: linked.direct)
    try linked.hear(.missing(in: linked.tea), .missing(in: linked.direct))
    #expect(try gaps(linked.tea) == 0)
    try linked.hear(.unanswered(in: linked.tea), .unanswered(in: nil))
    #expect(try gaps(linked.tea) == 1 && gaps(linked.direct) == 1)
    try live("c")
    // The next connection is asked again; a part of the answer moves the mark.
    linked.fixture.now += 1
    try linked.hear(.missing(in: linked.tea))
    try read("b")
    #expect(try linked.bodies() == ["a", "b", "c"])
    let mark = try linked.store.read { try $0.markedGaps(in: linked.conversation()) }
    #expect(try mark == [linked.messages()[1].sort])
    try linked.hear(.complete(in: nil))
    #expect(try gaps(linked.tea) == 1 && gaps(linked.direct) == 0)
    try linked.hear(.complete(in: linked.tea))
    #expect(try gaps(linked.tea) == 0)
  }
}
