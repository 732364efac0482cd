// SPDX-License-Identifier: GPL-3.0-or-later
import StoreFixture
import Testing

@testable import Conversations

@Suite("13.10: Rooms that are renamed, removed and unused") struct RoomRemovalTests {
  private let lobby: Lobby
  private let tea: ID<Conversation>
  private var store: Store { lobby.store }
  private let day: Milliseconds = 86_400_000

  init() throws {
    let lobby = try Lobby()
    let tea = try #require(try lobby.store.room("tea", create: true, for: lobby.anna)).id
    (self.lobby, self.tea) = (lobby, tea)
    try lobby.store.join(lobby.ben, tea)
    try lobby.store.join(lobby.anna, tea)
  }

  @Test("13.10: its maker renames it, and nobody else; the others are told")
  func rename() throws {
    let position = try store.position
    #expect(throws: RuleError.notTheMaker("#tea", maker: "anna")) {
      try store.rename(tea, to: "coffee", by: lobby.ben)
    }
    #expect(throws: RuleError.nameTaken("#Lobby")) {
      try store.rename(tea, to: "Lobby", by: lobby.anna)
    }
    #expect(throws: RuleError.badName("a b")) { try store.rename(tea, to: "a b", by: lobby.anna) }
    try store.rename(tea, to: "#Tea", by: lobby.anna)
    try store.rename(tea, to: "coffee", by: lobby.anna)
    let events = try lobby.other.changes(since: position, for: lobby.ben).events
    #expect(events.map(\.kind) == [.roomRenamed, .roomRenamed])
    #expect(events.map(\.text) == ["#tea", "#Tea"])
    #expect(try store.room("tea", create: false) == nil)
    #expect(try store.room("COFFEE", create: false)?.id == tea)
  }

  @Test("13.10: what a room was called after each renaming is known, also when it is removed")
  func newNames() throws {
    let position = try store.position
    for name in ["coffee", "cake"] {
      lobby.fixture.now += 1
      try store.rename(tea, to: name, by: lobby.anna)
    }
    let events = try store.changes(since: position, for: lobby.ben).events
    #expect(try events.map(store.newName) == ["#coffee", "#cake"])
    lobby.fixture.now += 1
    try store.remove(tea, by: lobby.anna)
    #expect(try events.map(store.newName) == ["#coffee", "#cake"])
    let removal = try store.changes(since: position, for: lobby.ben).events.last
    #expect(try removal.flatMap(store.newName) == nil)
  }

  @Test("13.10: of a room from before, whoever was in it first made it")
  func olderRooms() throws {
    try store.db("UPDATE conversation SET maker = NULL")
    #expect(try store.maker(of: tea) == lobby.anna || store.maker(of: tea) == lobby.ben)
    lobby.fixture.now += 1000
    let dev = try #require(try store.room("dev", create: true)).id
    #expect(throws: RuleError.notAMember("#dev")) { try store.remove(dev, by: lobby.anna) }
    try store.join(lobby.ben, dev)
    lobby.fixture.now += 1000
    try store.join(lobby.anna, dev)
    #expect(throws: RuleError.notTheMaker("#dev", maker: "ben")) {
      try store.remove(dev, by: lobby.anna)
    }
    try store.remove(dev, by: lobby.ben)
  }

  @Test("13.10: from a removed room everybody is gone; its messages are found, its name is free")
  func remove() throws {
    try store.send("green tea", in: tea, by: lobby.ben)
    let carl = try store.participant(identity: "carl").id
    try store.join(carl, tea)
    try store.leave(lobby.ben, tea)
    try store.join(lobby.ben, tea)
    let position = try store.position
    #expect(throws: RuleError.notTheMaker("#tea", maker: "anna")) {
      try store.remove(tea, by: lobby.ben)
    }
    try store.remove(tea, by: lobby.anna)
    for person in [lobby.anna, lobby.ben, carl] {
      #expect(
        try store.changes(since: position, for: person).events.map(\.kind) == [.roomRemoved])
      #expect(try store.listing(for: person).allSatisfy { $0.conversation.id != tea })
      // Also what was said before they came, as they could read it.
      for query in ["green", "green in:tea", "green in:#tea.removed"] {
        #expect(try store.search(.parse(query), for: person).count == 1, "\(query)")
      }
    }
    #expect(try store.rooms(andUnused: true).map(\.name) == ["#lobby"])
    let found = try #require(try store.conversation(tea, for: lobby.ben))
    #expect(found.isRemoved && found.name == "#tea.removed" && found.kind == .room)
    #expect(throws: RuleError.nameTaken("#tea.removed")) {
      try store.room("tea.removed", create: true)
    }
    #expect(throws: RuleError.self) { try store.send("more", in: tea, by: lobby.anna) }
    #expect(throws: RuleError.self) { try store.join(lobby.anna, tea) }
    // A second one of the name.
    let new = try #require(try store.room("tea", create: true, for: lobby.ben)).id
    try store.join(lobby.ben, new)
    try store.send("black tea", in: new, by: lobby.ben)
    #expect(throws: RuleError.nameTaken("#Tea.removed")) {
      try store.rename(new, to: "Tea.removed", by: lobby.ben)
    }
    try store.remove(new, by: lobby.ben)
    #expect(try store.conversation(new, for: lobby.ben)?.name == "#tea.removed-2")
    #expect(try store.search(.parse("tea in:tea"), for: lobby.ben).count == 2)
    #expect(try store.check().allSatisfy { $0.severity == .fine })
  }

  @Test("13.10: who had left a room before it was removed is not told")
  func toldToMembers() throws {
    let carl = try store.participant(identity: "carl").id
    try store.send("green tea", in: tea, by: lobby.ben)
    try store.join(carl, tea)
    try store.leave(carl, tea)
    let position = try store.position
    try store.remove(tea, by: lobby.anna)
    #expect(try store.changes(since: position, for: carl).events.isEmpty)
    #expect(try store.changes(since: position, for: lobby.ben).events.map(\.kind) == [.roomRemoved])
  }

  @Test("13.10: a room without messages and members that nobody entered for a month is not listed")
  func unused() throws {
    func names() throws -> [String] { try store.rooms(for: lobby.anna).map(\.name) }
    let dev = try #require(try store.room("dev", create: true)).id
    try store.join(lobby.anna, dev)
    try store.send("said", in: dev, by: lobby.anna)
    for place in [tea, dev] { for one in [lobby.anna, lobby.ben] { try store.leave(one, place) } }
    lobby.fixture.now += 30 * day
    #expect(try names() == ["#dev", "#lobby", "#tea"])
    lobby.fixture.now += 1
    #expect(try names() == ["#dev", "#lobby"])
    #expect(try store.rooms(andUnused: true).count == 3)
    #expect(try store.room("tea", create: false)?.id == tea)
    try store.join(lobby.ben, tea)
    try store.leave(lobby.ben, tea)
    #expect(try names() == ["#dev", "#lobby", "#tea"])
  }

  @Test("13.10: a room without messages leaves also the lists of those who never left it")
  func neverLeft() throws {
    func isListed() throws -> Bool {
      let isAmongMine = try store.joined(by: lobby.anna).contains(tea)
      #expect(try store.rooms(for: lobby.anna).contains { $0.id == tea } == isAmongMine)
      return isAmongMine
    }
    _ = try store.attach(lobby.anna)
    try store.open(tea)
    lobby.fixture.now += 30 * day
    #expect(try isListed())
    lobby.fixture.now += 1
    #expect(try isListed(), "it is open")
    try store.open(lobby.lobby)
    #expect(try !isListed())
    #expect(try store.joined(by: lobby.anna) == [lobby.lobby])
    #expect(try store.room("tea", create: false, for: lobby.anna)?.id == tea)
    try store.join(lobby.anna, tea)
    #expect(try isListed())
    lobby.fixture.now += 31 * day
    #expect(try !isListed())
    // Going there without joining again is entering it, too.
    for days: Milliseconds in [29, 29, 30] {
      try store.setLastConversation(tea, of: lobby.ben)
      lobby.fixture.now += days * day
      #expect(try isListed())
    }
    lobby.fixture.now += 1
    #expect(try !isListed())
    // A room whose messages were old is no slip.
    try store.db("UPDATE conversation SET last_number = 9 WHERE id = \(tea.rawValue)")
    #expect(try isListed())
  }
}
