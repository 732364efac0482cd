// SPDX-License-Identifier: GPL-3.0-or-later
import StoreFixture
import Testing

@testable import Conversations
@testable import NetworkInbox

@Suite("7.1: The one order of messages") struct OrderTests {
  private func bodies(_ lobby: Lobby, before: Int? = nil, _ limit: Int = 99) throws -> [String] {
    try lobby.store.read {
      try $0.messages(in: lobby.lobby, before: before, limit: limit, for: lobby.ben)
    }.map(\.body)
  }

  @Test("a message sent here is the newest, even if the clock goes back or stops")
  func clockGoesBack() throws {
    let lobby = try Lobby()
    try lobby.says("1")
    lobby.fixture.now += 3_600_000
    try lobby.benSays("2")
    lobby.fixture.now -= 86_400_000
    for number in 3...5 { try lobby.says("\(number)") }
    lobby.fixture.now += 1
    try lobby.benSays("6")
    lobby.fixture.now += 100 * 86_400_000
    try lobby.says("7")
    let all = (1...7).map { "\($0)" }
    #expect(try bodies(lobby) == all)
    for number in 1...8 {
      #expect(try bodies(lobby, before: number) == Array(all[..<(number - 1)]))
    }
    let messages = try lobby.store.read {
      try $0.messages(in: lobby.lobby, limit: 9, for: lobby.ben)
    }
    #expect(messages.reversed().inOrder() == messages)
    #expect(zip(messages, messages.dropFirst()).allSatisfy { $0.sort < $1.sort })
    #expect(messages[6].sort == SortKey.first(at: lobby.fixture.now))
    #expect(
      try lobby.store.read { try $0.message(named: -5, in: lobby.lobby, for: lobby.anna) }.body
        == "3")
  }

  @Test("an arriving message is never placed before the newest, even one from the future")
  func neverBeforeTheNewest() throws {
    let lobby = try Lobby()
    try lobby.says("one")
    try lobby.store.db("UPDATE message SET sort = \(SortKey.first(at: 253_402_300_799_999))")
    let next = try lobby.says("two")
    let last = try lobby.benSays("three")
    #expect(next.sort == SortKey.first(at: 253_402_300_799_999) + 1 && last.sort == next.sort + 1)
    #expect(try bodies(lobby) == ["one", "two", "three"])
    // A key that no program gives is left out, and stands in nobody's way.
    try lobby.store.db("UPDATE message SET sort = \(Int64.max) WHERE number = 3")
    try lobby.says("four")
    #expect(try bodies(lobby) == ["one", "two", "four"])
  }

  @Test("what arrives and what an archive brings in one batch get different keys")
  func liveAndPastInOneBatch() throws {
    let linked = try Linked()
    func said(_ body: String, _ time: Milliseconds?, isPast: Bool) -> NetworkEvent {
      .messageReceived(
        NetworkMessage(
          name: MessageIDs(archive: body), speaker: linked.zoe, body: body, time: time,
          isPast: isPast), in: linked.tea)
    }
    let now = linked.fixture.now
    try linked.wire.inbox.apply(
      [
        .joined(room: "tea@rooms.example", nick: "anna"), said("old", now - 9_000, isPast: true),
        said("live", nil, isPast: false), said("late", now, isPast: true),
      ], of: linked.account)
    let found = try linked.store.read { snapshot in
      try snapshot.messages(
        in: try #require(try snapshot.room("tea@rooms.example", for: linked.anna)).id, limit: 9,
        for: linked.anna)
    }
    #expect(Set(found.map(\.body)) == ["old", "live", "late"] && Set(found.map(\.sort)).count == 3)
  }

  @Test(
    "keys within a millisecond follow one another, into the next ones when it is full")
  func fullMillisecond() throws {
    let lobby = try Lobby()
    let (database, room) = (lobby.store.database, lobby.lobby)
    try lobby.says("one")
    let first = SortKey.first(at: lobby.fixture.now)
    var keys = SortKeys(of: room)
    #expect(try keys.free(at: lobby.fixture.now, in: database) == first + 1)
    try lobby.store.db("UPDATE message SET sort = \(first + 1023)")
    #expect(try keys.free(at: lobby.fixture.now + 1, in: database) == first + 1024)
    keys = SortKeys(of: room)
    #expect(try keys.free(at: lobby.fixture.now, in: database) == first + 1024)
    #expect(try keys.free(at: lobby.fixture.now, in: database) == first + 1025)
    // Before 1970, too.
    #expect(try keys.free(at: -1, in: database) == -1024)
    #expect(try keys.free(at: -1, in: database) == -1023)
  }

  // MARK: Archives

  private func said(_ linked: Linked, _ id: Int, at time: Milliseconds, isPast: Bool)
    -> NetworkEvent
  {
    .messageReceived(
      NetworkMessage(
        name: MessageIDs(archive: "a\(id)"), speaker: linked.zoe, body: "\(id)", time: time,
        isPast: isPast), in: linked.tea)
  }

  @Test("14.7: equal times keep the archive's order from page to page, backwards and forwards")
  func pages() throws {
    let linked = try Linked()
    try linked.join()
    try linked.say("now", archive: "a0")
    let second = linked.fixture.now / 1000 * 1000 - 60_000
    for page in [7...9, 4...6, 1...3] {
      let until = page.upperBound == 9 ? "a0" : "a\(page.upperBound + 1)"
      try linked.wire.inbox.apply(
        [.page(of: linked.tea, from: "a\(page.lowerBound)", until: until)]
          + page.map { said(linked, $0, at: second, isPast: true) }, of: linked.account)
    }
    // What was missed, read onwards.
    for page in [10...12, 13...15] {
      try linked.wire.inbox.apply(
        page.map { said(linked, $0, at: second, isPast: false) }, of: linked.account)
    }
    #expect(try linked.bodies() == (1...15).map { "\($0)" } + ["now"])
    // As they were told, whatever their place.
    #expect(Set(try linked.messages().dropLast().map(\.createdAt)) == [second])
    // What was missed is unread, and what is past is not.
    #expect(try linked.store.read { try $0.listing(for: linked.anna) }.map(\.unread) == [7])
  }

  @Test("an archive with a fast clock comes before what was said after it")
  func clockAhead() throws {
    let linked = try Linked()
    try linked.join()
    try linked.say("now", archive: "a9")
    try linked.wire.inbox.apply(
      [.page(of: linked.tea, from: "a1", until: "a9")]
        + (1...2).map { said(linked, $0, at: linked.fixture.now + 30_000, isPast: true) },
      of: linked.account)
    #expect(try linked.bodies() == ["1", "2", "now"])
  }

  @Test("missed messages stand before what the owner wrote meanwhile, and are unread")
  func missed() throws {
    let linked = try Linked()
    try linked.join()
    try linked.say("before", archive: "a1")
    let place = try linked.conversation()
    linked.fixture.now += 60_000
    _ = try linked.send("written offline")
    try linked.store.writeIfNeeded {
      try $0.noteSeen(by: linked.anna, in: place, upTo: 2, sendReceipt: true)
    }
    linked.fixture.now += 60_000
    try linked.say("missed", archive: "a2", at: linked.fixture.now - 90_000)
    #expect(try linked.bodies() == ["before", "missed", "written offline"])
    #expect(try linked.store.read { try $0.listing(for: linked.anna) }.map(\.unread) == [1])
    try linked.say("live", archive: "a3")
    #expect(try linked.bodies().last == "live")
  }
}
