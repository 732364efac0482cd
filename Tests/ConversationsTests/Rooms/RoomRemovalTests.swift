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
    let tea = try lobby.store.writeDurablyIfNeeded { try $0.makeRoom("tea", for: lobby.anna) }.id
    (self.lobby, self.tea) = (lobby, tea)
    try lobby.store.writeDurablyIfNeeded { try $0.join(lobby.ben, tea) }
    try lobby.store.writeDurablyIfNeeded { try $0.join(lobby.anna, tea) }
  }

  @Test("13.10: only its creator renames it; the others are told")
  func rename() throws {
    let position = try store.read { try $0.position }
    #expect(throws: RuleError.notTheMaker("#tea", maker: "anna")) {
      try store.writeDurably { try $0.rename(tea, to: "coffee", by: lobby.ben) }
    }
    #expect(throws: RuleError.nameTaken("#Lobby")) {
      try store.writeDurably { try $0.rename(tea, to: "Lobby", by: lobby.anna) }
    }
    #expect(throws: RuleError.addressOfARoom("tea@x.org")) {
      try store.writeDurably { try $0.rename(tea, to: "tea@x.org", by: lobby.anna) }
    }
    #expect(throws: RuleError.badName("a b")) {
      try store.writeDurably { try $0.rename(tea, to: "a b", by: lobby.anna) }
    }
    try store.writeDurably { try $0.rename(tea, to: "#Tea", by: lobby.anna) }
    try store.writeDurably { try $0.rename(tea, to: "coffee", by: lobby.anna) }
    let events = try lobby.other.read { try $0.changes(since: position, for: lobby.ben) }.events
    #expect(events.map(\.kind) == [.roomRenamed, .roomRenamed])
    #expect(events.map(\.text) == ["#tea", "#Tea"])
    #expect(try store.read { try $0.room("tea") } == nil)
    #expect(try store.read { try $0.room("COFFEE") }?.id == tea)
  }

  @Test("13.10: every former name of a room is known, also after it is removed")
  func newNames() throws {
    let position = try store.read { try $0.position }
    for name in ["coffee", "cake"] {
      lobby.fixture.now += 1
      try store.writeDurably { try $0.rename(tea, to: name, by: lobby.anna) }
    }
    let events = try store.read { try $0.changes(since: position, for: lobby.ben) }.events
    #expect(
      try events.map { event in try store.read { try $0.newName(after: event) } } == [
        "#coffee", "#cake",
      ])
    lobby.fixture.now += 1
    try store.writeDurably { try $0.remove(tea, by: lobby.anna) }
    #expect(
      try events.map { event in try store.read { try $0.newName(after: event) } } == [
        "#coffee", "#cake",
      ])
    let removal = try store.read { try $0.changes(since: position, for: lobby.ben) }.events.last
    #expect(try removal.flatMap { event in try store.read { try $0.newName(after: event) } } == nil)
  }

  @Test("13.10: a room whose creator is unknown has its first member as one")
  func olderRooms() throws {
    try store.db("UPDATE conversation SET maker = NULL")
    #expect(
      try store.read { try $0.maker(of: tea) } == lobby.anna
        || store.read { try $0.maker(of: tea) } == lobby.ben)
    lobby.fixture.now += 1000
    let dev = try store.writeDurablyIfNeeded { try $0.makeRoom("dev") }.id
    #expect(throws: RuleError.notAMember("#dev")) {
      try store.writeDurably { try $0.remove(dev, by: lobby.anna) }
    }
    try store.writeDurablyIfNeeded { try $0.join(lobby.ben, dev) }
    lobby.fixture.now += 1000
    try store.writeDurablyIfNeeded { try $0.join(lobby.anna, dev) }
    #expect(throws: RuleError.notTheMaker("#dev", maker: "ben")) {
      try store.writeDurably { try $0.remove(dev, by: lobby.anna) }
    }
    try store.writeDurably { try $0.remove(dev, by: lobby.ben) }
  }

  @Test("13.10: everybody leaves a removed room; its messages are found, its name is free")
  func remove() throws {
    try store.writeDurably { try $0.send("green tea", in: tea, by: lobby.ben) }
    let carl = try store.writeDurablyIfNeeded { try $0.participant(identity: "carl") }.id
    try store.writeDurablyIfNeeded { try $0.join(carl, tea) }
    try store.writeDurablyIfNeeded { try $0.leave(lobby.ben, tea) }
    try store.writeDurablyIfNeeded { try $0.join(lobby.ben, tea) }
    let position = try store.read { try $0.position }
    #expect(throws: RuleError.notTheMaker("#tea", maker: "anna")) {
      try store.writeDurably { try $0.remove(tea, by: lobby.ben) }
    }
    try store.writeDurably { try $0.remove(tea, by: lobby.anna) }
    for person in [lobby.anna, lobby.ben, carl] {
      #expect(
        try store.read { try $0.changes(since: position, for: person) }.events.map(\.kind) == [
          .roomRemoved
        ])
      #expect(
        try store.read { try $0.listing(for: person) }.allSatisfy { $0.conversation.id != tea })
      // Also what was said before they came, as they could read it.
      for query in ["green", "green in:tea", "green in:#tea.removed"] {
        #expect(try store.read { try $0.search(.parse(query), for: person) }.count == 1, "\(query)")
      }
    }
    #expect(try store.read { try $0.rooms(includingUnlisted: true) }.map(\.name) == ["#lobby"])
    let found = try #require(try store.read { try $0.conversation(tea, for: lobby.ben) })
    #expect(found.isRemoved && found.name == "#tea.removed" && found.kind == .room)
    #expect(throws: RuleError.nameTaken("#tea.removed")) {
      try store.writeDurablyIfNeeded { try $0.makeRoom("tea.removed") }
    }
    #expect(throws: RuleError.self) {
      try store.writeDurably { try $0.send("more", in: tea, by: lobby.anna) }
    }
    #expect(throws: RuleError.self) {
      try store.writeDurablyIfNeeded { try $0.join(lobby.anna, tea) }
    }
    // A second one of the name.
    let new = try store.writeDurablyIfNeeded { try $0.makeRoom("tea", for: lobby.ben) }.id
    try store.writeDurablyIfNeeded { try $0.join(lobby.ben, new) }
    try store.writeDurably { try $0.send("black tea", in: new, by: lobby.ben) }
    #expect(throws: RuleError.nameTaken("#Tea.removed")) {
      try store.writeDurably { try $0.rename(new, to: "Tea.removed", by: lobby.ben) }
    }
    try store.writeDurably { try $0.remove(new, by: lobby.ben) }
    #expect(try store.read { try $0.conversation(new, for: lobby.ben) }?.name == "#tea.removed-2")
    #expect(try store.read { try $0.search(.parse("tea in:tea"), for: lobby.ben) }.count == 2)
    #expect(try store.upkeep.check().allSatisfy { $0.severity == .fine })
  }

  @Test("13.10: a person who had left before hears nothing of the removal")
  func toldToMembers() throws {
    let carl = try store.writeDurablyIfNeeded { try $0.participant(identity: "carl") }.id
    try store.writeDurably { try $0.send("green tea", in: tea, by: lobby.ben) }
    try store.writeDurablyIfNeeded { try $0.join(carl, tea) }
    try store.writeDurablyIfNeeded { try $0.leave(carl, tea) }
    let position = try store.read { try $0.position }
    try store.writeDurably { try $0.remove(tea, by: lobby.anna) }
    #expect(try store.read { try $0.changes(since: position, for: carl) }.events.isEmpty)
    #expect(
      try store.read { try $0.changes(since: position, for: lobby.ben) }.events.map(\.kind) == [
        .roomRemoved
      ])
  }

  @Test("13.10: a room without messages and members, not entered for a month, is not listed")
  func unused() throws {
    func names() throws -> [String] { try store.read { try $0.rooms(for: lobby.anna) }.map(\.name) }
    let dev = try store.writeDurablyIfNeeded { try $0.makeRoom("dev") }.id
    try store.writeDurablyIfNeeded { try $0.join(lobby.anna, dev) }
    try store.writeDurably { try $0.send("said", in: dev, by: lobby.anna) }
    for place in [tea, dev] {
      for one in [lobby.anna, lobby.ben] {
        try store.writeDurablyIfNeeded { try $0.leave(one, place) }
      }
    }
    lobby.fixture.now += 30 * day
    #expect(try names() == ["#dev", "#lobby", "#tea"])
    lobby.fixture.now += 1
    #expect(try names() == ["#dev", "#lobby"])
    #expect(try store.read { try $0.rooms(includingUnlisted: true) }.count == 3)
    #expect(try store.read { try $0.room("tea") }?.id == tea)
    try store.writeDurablyIfNeeded { try $0.join(lobby.ben, tea) }
    try store.writeDurablyIfNeeded { try $0.leave(lobby.ben, tea) }
    #expect(try names() == ["#dev", "#lobby", "#tea"])
  }

  @Test("13.10: a room without messages also leaves the lists of people who never left it")
  func neverLeft() throws {
    func isListed() throws -> Bool {
      let isAmongMine = try store.read { try $0.joined(by: lobby.anna) }.contains(tea)
      #expect(
        try store.read { try $0.rooms(for: lobby.anna) }.contains { $0.id == tea } == isAmongMine)
      return isAmongMine
    }
    _ = try store.shells.attach(lobby.anna)
    try store.shells.show(tea)
    lobby.fixture.now += 30 * day
    #expect(try isListed())
    lobby.fixture.now += 1
    #expect(try isListed(), "it is open")
    try store.shells.show(lobby.lobby)
    #expect(try !isListed())
    #expect(try store.read { try $0.joined(by: lobby.anna) } == [lobby.lobby])
    #expect(try store.read { try $0.room("tea", for: lobby.anna) }?.id == tea)
    try store.writeDurablyIfNeeded { try $0.join(lobby.anna, tea) }
    #expect(try isListed())
    lobby.fixture.now += 31 * day
    #expect(try !isListed())
    // Going there without joining again is entering it, too.
    for days: Milliseconds in [29, 29, 30] {
      try store.writeIfNeeded { try $0.setLastConversation(tea, of: lobby.ben) }
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
