// SPDX-License-Identifier: GPL-3.0-or-later
import StoreFixture
import Testing

@testable import Conversations
@testable import NetworkInbox

@Suite("Messages that a network delivers late") struct BackfillTests {
  @Test("7.1: stand in place by time, are unread, and -N counts as /history prints")
  func inItsPlace() throws {
    let linked = try Linked()
    try linked.join()
    let now = linked.fixture.now
    for minute in [1, 3, 5] {
      try linked.say("\(minute)", at: now - 600_000 + Milliseconds(minute) * 60_000)
    }
    let position = try linked.store.read { try $0.position }
    for minute in [2, 4] {
      try linked.say("\(minute)", at: now - 600_000 + Milliseconds(minute) * 60_000)
    }
    let messages = try linked.messages()
    #expect(messages.map(\.body) == ["1", "2", "3", "4", "5"])
    #expect(messages.map(\.number) == [1, 4, 2, 5, 3])
    #expect(messages.allSatisfy { !$0.isPast })
    #expect(messages.inOrder().map(\.body) == ["1", "2", "3", "4", "5"])
    let changes = try linked.store.read { try $0.changes(since: position, for: linked.anna) }
    #expect(changes.arrived.map(\.body) == ["2", "4"])
    #expect(try linked.store.read { try $0.listing(for: linked.anna) }.map(\.unread) == [5])
    let place = try linked.conversation()
    for (back, body) in [(-1, "5"), (-2, "4"), (-5, "1")] {
      #expect(
        try linked.store.read { try $0.message(named: back, in: place, for: linked.anna) }.body
          == body)
    }
    // Page by page it is the same order.
    var (pages, before): ([String], Int?) = ([], nil)
    while let page = try Optional(
      linked.store.read { try $0.messages(in: place, before: before, limit: 2, for: linked.anna) }),
      !page.isEmpty
    {
      pages = page.map(\.body) + pages
      before = page[0].number
    }
    #expect(pages == ["1", "2", "3", "4", "5"])
  }

  @Test("14.7: messages of one second keep the archive's order from page to page")
  func pagesOfOneSecond() throws {
    let linked = try Linked()
    try linked.join()
    let second = linked.fixture.now / 1000 * 1000 - 60_000
    func page(_ numbers: ClosedRange<Int>, until: String) throws {
      let said = numbers.map { number in
        NetworkEvent.messageReceived(
          NetworkMessage(
            name: MessageIDs(archive: "a\(number)"), speaker: linked.zoe, body: "\(number)",
            time: number == 1 ? second - 1000 : second, isPast: true), in: linked.tea)
      }
      let start = NetworkEvent.page(
        of: linked.tea, from: "a\(numbers.lowerBound)", until: until)
      try linked.wire.inbox.apply([start] + said, of: linked.account)
    }
    try page(7...9, until: "")
    try page(4...6, until: "a7")
    try page(1...3, until: "a4")
    // Told once more, it says nothing of what was read since.
    try page(4...6, until: "a7")
    let messages = try linked.messages()
    #expect(messages.map(\.body) == (1...9).map { "\($0)" })
    #expect(messages.inOrder() == messages)
    #expect(try linked.store.read { try $0.olderArchive(in: linked.conversation()) } == "a1")
  }

  @Test("a person with the room open hears how much of its past arrived, and no one else does")
  func pastIsTold() throws {
    let linked = try Linked()
    try linked.join()
    let place = try linked.conversation()
    func comes(_ bodies: [String]) throws -> [String] {
      let position = try linked.store.read { try $0.position }
      let said = bodies.map { body in
        NetworkEvent.messageReceived(
          NetworkMessage(
            name: MessageIDs(archive: "a" + body), speaker: linked.zoe, body: body,
            time: 1_700_000_000_000, isPast: true), in: linked.tea)
      }
      try linked.wire.inbox.apply(
        said + [.caughtUp(archive: "tea@rooms.example", mark: "m")], of: linked.account)
      return try linked.store.read { try $0.changes(since: position, for: linked.anna) }.notices
        .map(\.text.text)
    }
    #expect(try comes(["1"]) == [])
    _ = try linked.store.shells.attach(linked.anna)
    try linked.store.shells.show(place, paused: false)
    #expect(
      try comes(["2", "3"]) == ["#tea@rooms.example has 2 earlier messages; /history shows them."])
    #expect(try comes(["3"]) == [])
    // A room without an archive tells one after the other.
    let position = try linked.store.read { try $0.position }
    try linked.hear(.historySent(room: "tea@rooms.example"))
    #expect(
      try linked.store.read { try $0.changes(since: position, for: linked.anna) }.notices.map(
        \.text)
        == ["#tea@rooms.example has 3 earlier messages; /history shows them."])
    try linked.store.shells.show(nil, paused: false)
    #expect(try comes(["4"]) == [])
  }

  @Test("backfill stands before everything else, is unread to no one and rings no one")
  func past() throws {
    let linked = try Linked()
    try linked.join()
    try linked.say("now", archive: "a9")
    let position = try linked.store.read { try $0.position }
    // Newest page first, as an archive is asked.
    try linked.say("three", archive: "a3", at: 3000, isPast: true)
    try linked.say("four", archive: "a4", at: 4000, isPast: true)
    try linked.say("one", archive: "a1", at: 1000, isPast: true)
    try linked.say("two", archive: "a2", at: 2000, isPast: true)
    try linked.say("now", archive: "a9", at: 5000, isPast: true)
    #expect(try linked.bodies() == ["one", "two", "three", "four", "now"])
    #expect(try linked.messages().map(\.isPast) == [true, true, true, true, false])
    #expect(
      try linked.store.read { try $0.changes(since: position, for: linked.anna) }.arrived.isEmpty)
    #expect(try linked.store.read { try $0.listing(for: linked.anna) }.map(\.unread) == [1])
    let found = try linked.store.read {
      try $0.search(SearchQuery.parse("from:zoe"), for: linked.anna)
    }
    #expect(found.map(\.message.body) == ["now", "four", "three", "two", "one"])
    // A chat that was closed stays closed for it.
    try linked.say("x", by: linked.ben, in: linked.direct, archive: "d2")
    try linked.store.writeDurablyIfNeeded {
      try $0.leave(linked.anna, linked.conversation(linked.direct))
    }
    try linked.say("old", by: linked.ben, in: linked.direct, archive: "d1", at: 1, isPast: true)
    #expect(throws: RuleError.self) { try linked.conversation(linked.direct) }
    try linked.say("new", by: linked.ben, in: linked.direct, archive: "d3")
    #expect(try linked.bodies(in: linked.direct) == ["old", "x", "new"])
  }

  @Test("a message timed in whole seconds comes after its sender's earlier ones")
  func wholeSeconds() throws {
    let linked = try Linked()
    try linked.join()
    // They came by themselves, and took a while to be stored.
    try linked.say("one", archive: "a1")
    linked.fixture.now += 400
    try linked.say("two", archive: "a2")
    let second = linked.fixture.now / 1_000 * 1_000
    linked.fixture.now += 5_000
    try linked.say("elsewhere", by: linked.max, archive: "b1")
    try linked.say("three", archive: "a3", at: second)
    #expect(
      try linked.bodies().filter { $0 != "elsewhere" } == ["one", "two", "three"])
    try linked.say("four", by: linked.max, archive: "b2", at: linked.fixture.now - 999)
    #expect(try linked.bodies().suffix(2) == ["elsewhere", "four"])
    let newest = try linked.wire.read { try $0.newestArchived(of: linked.account) }
    #expect(newest == ["tea@rooms.example": linked.fixture.now - 999])
  }

  @Test("14.2: two ids in the archive are two messages, except for one that this store sent")
  func sentTwice() throws {
    let linked = try Linked()
    try linked.join()
    try linked.say("hello", origin: "o1", archive: "a1")
    try linked.say("hello", origin: "o1", archive: "a2")
    #expect(try linked.bodies() == ["hello", "hello"])
    let (message, entry) = try linked.send("mine")
    try linked.hear(.accepted(entry, archive: "a3"))
    try linked.say("mine", by: linked.me, origin: message.uid, archive: "a4")
    #expect(try linked.bodies() == ["hello", "hello", "mine"])
  }

  @Test("the store knows how far each archive was read, and where to go on")
  func marks() throws {
    let linked = try Linked()
    #expect(try linked.wire.read { try $0.catchUpMarks(of: linked.account) } == [:])
    try linked.hear(
      .caughtUp(archive: "", mark: "1"), .caughtUp(archive: "tea@rooms.example", mark: "7"),
      .caughtUp(archive: "", mark: "2"))
    #expect(
      try linked.wire.read { try $0.catchUpMarks(of: linked.account) } == [
        "": "2", "tea@rooms.example": "7",
      ])
    try linked.join()
    try linked.hear(.joined(room: "dev@rooms.example", nick: "ann"))
    try linked.hear(.offline())
    #expect(
      try linked.wire.read { try $0.roomsJoined(of: linked.account) }
        == ["tea@rooms.example": "anna", "dev@rooms.example": "ann"])
    try linked.hear(.left(room: "tea@rooms.example", reason: "you were banned"))
    #expect(
      try linked.wire.read { try $0.roomsJoined(of: linked.account) } == [
        "dev@rooms.example": "ann"
      ])
  }
}

@Suite("14.3, 14.7: Changes of a message that comes with an older page")
struct WaitingChangeTests {
  private let linked: Linked
  /// All of it happens in one second.
  private let second: Milliseconds

  init() throws {
    linked = try Linked()
    try linked.join()
    second = linked.fixture.now / 1000 * 1000 - 60_000
  }

  /// A page of the archive of #tea. All messages and changes have an archive's id `a…`.
  private func page(from: String, until: String, _ news: NetworkEvent...) -> [NetworkEvent] {
    [.page(of: linked.tea, from: from, until: until)] + news
  }

  private func take(_ news: [NetworkEvent]) throws {
    try linked.wire.inbox.apply(news, of: linked.account)
  }

  private func said(_ id: String, _ body: String = "helo") -> NetworkEvent {
    .messageReceived(
      NetworkMessage(
        name: MessageIDs(origin: id, archive: "a" + id), speaker: linked.zoe, body: body,
        time: second, isPast: true), in: linked.tea)
  }

  private func corrected(
    _ id: String, _ body: String, _ change: String, by speaker: NetworkUser? = nil
  ) -> NetworkEvent {
    .edited(
      MessageIDs(origin: id), by: speaker ?? linked.zoe, in: linked.tea, body: body, at: second,
      change: MessageIDs(origin: change, archive: "a" + change))
  }

  private func reacted(_ id: String, _ emoji: NetworkReaction, _ change: String) -> NetworkEvent {
    .reacted(
      MessageIDs(origin: "a" + id, archive: "a" + id), author: nil, by: linked.max,
      in: linked.tea, emoji: emoji, at: second,
      change: MessageIDs(origin: change, archive: "a" + change))
  }

  private var waiting: Int {
    get throws { try linked.store.count("waiting_change") }
  }

  @Test("14.3: corrections count in the archive's order", arguments: [false, true])
  func corrections(isOneBatch: Bool) throws {
    let pages = [
      page(from: "a5", until: "", corrected("1", "four", "c4"), corrected("1", "five", "c5")),
      page(from: "a3", until: "a5", corrected("1", "three", "c3")),
      page(
        from: "a1", until: "a3", said("1"), corrected("1", "one", "c1"),
        corrected("1", "two", "c2")),
    ]
    try take(pages[0] + pages[1])
    #expect(try waiting == 3)
    // A page may be told again.
    for page in isOneBatch ? [pages[1] + pages[2]] : [pages[1], pages[2]] { try take(page) }
    let message = try #require(try linked.messages().first)
    #expect(message.body == "five" && message.isPast)
    #expect(
      try linked.store.read { try $0.revisions(of: message.id) }.map(\.body)
        == ["helo", "one", "two", "three", "four"])
    #expect(try waiting == 0)
    #expect(try linked.store.read { try $0.search(.parse("five"), for: linked.anna) }.count == 1)
    #expect(try linked.store.read { try $0.search(.parse("helo"), for: linked.anna) }.isEmpty)
    // They are known from then on.
    try take(pages[0])
    #expect(try linked.store.read { try $0.revisions(of: message.id) }.count == 5)
  }

  @Test("a reaction, a retraction and a moderator's removal wait, too, and alert no one")
  func otherChanges() throws {
    let removal = Removal(moderator: "kim", reason: "spam")
    try take(
      page(
        from: "a5", until: "", reacted("1", ["🎉"], "r1"), reacted("1", ["👍"], "r2"),
        reacted("4", ["🎉"], "r3"), reacted("4", [], "r4"), reacted("4", ["no emoji"], "r5"),
        .retracted(
          MessageIDs(origin: "a2", archive: "a2"), by: linked.zoe, in: linked.tea, at: second),
        .removed(archive: "a3", room: "tea@rooms.example", removal, at: second),
        corrected("3", "again", "c1"), corrected("4", "hello", "c2")))
    let position = try linked.store.read { try $0.position }
    try take(page(from: "a1", until: "a5", said("1"), said("2"), said("3"), said("4")))
    let messages = try linked.messages()
    #expect(messages.map(\.body) == ["helo", "", "", "hello"])
    #expect(messages.map { $0.deletedAt != nil } == [false, true, true, false])
    #expect(messages.map(\.removal) == [nil, nil, removal, nil])
    #expect(try linked.store.read { try $0.reactions(of: messages[0].id) }.map(\.emoji) == ["👍"])
    #expect(try linked.store.read { try $0.reactions(of: messages[3].id) }.isEmpty)
    let changes = try linked.store.read { try $0.changes(since: position, for: linked.anna) }
    #expect(changes.arrived.isEmpty && changes.revised.isEmpty && changes.reacted.isEmpty)
    #expect(try waiting == 0)
    #expect(try linked.store.upkeep.check().map(\.severity).max() == .fine)
  }

  @Test("attack 8: only changes by the author count, and removals by the room itself")
  func authors() throws {
    let name = MessageIDs(origin: "a1", archive: "a1")
    let nobody = NetworkUser(identity: "")
    try take(
      page(
        from: "a5", until: "", corrected("1", "forged", "c1", by: linked.max),
        corrected("1", "forged", "c2", by: linked.me), corrected("1", "", "c3", by: nobody),
        .retracted(name, by: linked.max, in: linked.tea, at: second),
        .retracted(MessageIDs(), by: linked.zoe, in: linked.tea, at: second),
        .removed(archive: "1", room: "tea@rooms.example", Removal(moderator: "", reason: ""), at: 1)
      ))
    try linked.say("hi", by: linked.ben, in: linked.direct, origin: "b1")
    let mallory = NetworkUser(identity: "mallory@example.org")
    try linked.hear(
      .edited(MessageIDs(origin: "b0"), by: mallory, in: linked.direct, body: "x", at: nil))
    #expect(try waiting == 4)
    try take(page(from: "a1", until: "a5", said("1")))
    #expect(try linked.bodies() == ["helo"])
    #expect(try linked.messages().allSatisfy { $0.deletedAt == nil })
    // Nothing is older than the archive.
    try take(page(from: "", until: "a1", corrected("0", "of nothing", "c4")))
    #expect(try waiting == 0)
    #expect(try linked.bodies() == ["helo"])
  }

  @Test("a live change of a message not stored here is its newest change")
  func live() throws {
    for id in ["1", "2"] {
      try linked.hear(
        .edited(MessageIDs(origin: id), by: linked.zoe, in: linked.tea, body: "live", at: nil))
    }
    try take(page(from: "a5", until: "", corrected("1", "newer", "c2")))
    try take(page(from: "a1", until: "a5", said("1"), corrected("1", "old", "c1")))
    #expect(try linked.bodies() == ["live"])
    // Of what is said behind it, it is no change: some programs use an id twice.
    try linked.say("new", origin: "2")
    #expect(try linked.bodies() == ["live", "new"])
  }

  @Test("attack 26.11: there are never many, and they are deleted with what is too old to keep")
  func bounded() throws {
    let all = (1...IncomingBatch.mostWaiting + 100).map { reacted("\($0)", ["🎉"], "r\($0)") }
    for _ in 1...2 { try take(all) }
    #expect(try waiting == IncomingBatch.mostWaiting)
    try take(page(from: "a1", until: "a5", said("1"), said("101"), said("102")))
    #expect(
      try linked.messages().map { each in
        try linked.store.read { try $0.reactions(of: each.id) }.count
      } == [0, 1, 1])
    let place = try linked.conversation()
    try linked.store.writeDurablyIfNeeded { try $0.setKeep(place, 1_000) }
    try linked.store.writeIfNeeded { try $0.forgetOld(now: linked.fixture.now) }
    #expect(try waiting == 0)
  }
}
