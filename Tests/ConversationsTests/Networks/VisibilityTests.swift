// SPDX-License-Identifier: GPL-3.0-or-later
import StoreFixture
import Testing

@testable import Conversations

/// anna and ben of one store, each with an account, in the same room of the network.
private final class Two {
  let linked: Linked
  let store: Store
  let anna: ID<Participant>
  let ben: ID<Participant>
  let hers: ID<Conversation>
  let his: ID<Conversation>

  init() throws {
    linked = try Linked()
    (store, anna) = (linked.store, linked.anna)
    ben = try store.participant(identity: "ben").id
    let account = try store.addAccount(owner: ben, network: "xmpp:ben@example.org")
    for account in [linked.account, account] {
      try linked.wire.take(
        [
          .called(room: "tea@rooms.example", name: "tea"),
          .joined(room: "tea@rooms.example", nick: "me"),
          .present(linked.zoe, room: "tea@rooms.example"),
          .said(
            NetworkMessage(
              name: MessageName(archive: "1"), speaker: linked.zoe,
              body: "hello \(account.address)"), in: linked.tea),
          .contact(
            Speaker(identity: "friend-of-\(account.address)", name: "Frieda"), isOnline: true,
            away: nil),
        ], of: account)
    }
    hers = try #require(try store.room("tea", create: false, for: anna)).id
    his = try #require(try store.room("tea", create: false, for: ben)).id
  }
}

@Suite("What is said on an account is its owner's") struct VisibilityTests {
  @Test func oneRoomIsTwoConversations() throws {
    let two = try Two()
    #expect(two.hers != two.his)
    for (me, place, other) in [(two.anna, two.hers, two.his), (two.ben, two.his, two.hers)] {
      let store = two.store
      #expect(try store.rooms(for: me).map(\.id) == [place])
      #expect(try store.listing(for: me).map(\.conversation.id) == [place])
      #expect(try store.unread(for: me).map(\.conversation.id) == [place])
      #expect(try store.room("tea@rooms.example", create: false, for: me)?.id == place)
      #expect(try store.conversation(other, for: me) == nil)
      #expect(try store.messages(in: other, limit: 9, for: me).isEmpty)
      #expect(try store.messages(in: other, after: 0, limit: 9, for: me).isEmpty)
      #expect(try store.messages(in: place, limit: 9, for: me).count == 1)
      let first = Store.PastPlace(time: 0, number: 0)
      #expect(try store.past(in: other, from: first, until: nil, limit: 9, for: me).isEmpty)
      let foreign = try #require(
        try store.database.first("SELECT id FROM message WHERE conversation = ?", other) {
          $0.id() as ID<Message>
        })
      #expect(try store.message(foreign, for: me) == nil)
      for anyRoom in [true, false] {
        let found = try store.search(SearchQuery.parse("hello"), for: me, anyRoom: anyRoom)
        #expect(found.map(\.message.conversation) == [place])
      }
      #expect(throws: RuleError.noSuchRoom("\(other.rawValue)")) { try store.join(me, other) }
      #expect(throws: RuleError.noSuchRoom("\(other.rawValue)")) {
        try store.send("x", in: other, by: me, requireMembership: false)
      }
      #expect(throws: (any Error).self) { try store.react(foreign, by: me, with: "🎉") }
      let position: Int64 = 0
      #expect(try store.changes(since: position, for: me).arrived.map(\.conversation) == [place])
      #expect(
        try store.changes(since: position, for: me).events.allSatisfy { $0.conversation == place })
    }
  }

  @Test func nobodyElseSeesRoomsOrPeople() throws {
    let two = try Two()
    let store = two.store
    let eve = try store.participant(identity: "eve").id
    for viewer in [eve, nil] {
      #expect(try store.rooms(for: viewer).isEmpty)
      #expect(try store.room("tea", create: false, for: viewer) == nil)
      #expect(try store.participants(for: viewer).map(\.identity) == ["anna", "ben", "eve"])
      #expect(try store.find(participant: "Frieda", for: viewer) == nil)
      #expect(try store.find(participant: "friend-of-anna@example.org", for: viewer) == nil)
    }
    let hers = try #require(try store.find(participant: "Frieda", for: two.anna))
    #expect(hers.identity == "friend-of-anna@example.org")
    #expect(throws: RuleError.noSuchParticipant("Frieda")) { try store.direct(eve, with: hers.id) }
    #expect(try store.direct(two.anna, with: hers.id).network == "xmpp:anna@example.org")
    // It can be made as any other name.
    #expect(try store.room("tea", create: true, for: eve)?.network == nil)
  }

  @Test("what others are called on their accounts takes no name, and looks like nobody's")
  func names() throws {
    let two = try Two()
    let store = two.store
    #expect(try store.participant(identity: "Frieda").name == "Frieda")
    let eve = try store.participant(identity: "eve").id
    #expect(try store.rename(eve, to: "zoe").name == "zoe")
    // Each has a zoe in the room, and a friend; those of the other look like nobody.
    for (me, other) in [(two.anna, two.ben), (two.ben, two.anna)] {
      let mine = Set(try store.participants(for: me).map(\.id))
      let seen = try store.participants(for: me).filter { $0.network != nil }.map(\.id)
      #expect(seen.count == 2)
      // A contact may be called like someone of this machine; others look like them.
      let strangers = try store.participants(for: me).filter(\.isOccupant).map(\.id)
      #expect(strangers.count == 1)
      #expect(try store.lookAlikes(among: seen, to: me) == strangers)
      let hidden = try store.participants(for: other).map(\.id).filter { !mine.contains($0) }
      #expect(hidden.count == 2)
      #expect(try store.lookAlikes(among: [eve], to: me).isEmpty)
    }
    // One who only looks so is marked, whoever took them as a contact.
    try two.linked.hear(
      .contact(
        Speaker(identity: "f@example.org", name: "Fr\u{456}eda"), isOnline: true, away: nil))
    let other = try #require(try store.find(participant: "f@example.org", for: two.anna)).id
    #expect(try store.lookAlikes(among: [other], to: two.anna) == [other])
    _ = try store.rename(eve, to: "Zoe❤️")
    try two.linked.hear(
      .contact(Speaker(identity: "z@example.org", name: "Z\u{43E}e❤️"), isOnline: true, away: nil))
    let zoe = try #require(try store.find(participant: "z@example.org", for: two.anna)).id
    #expect(try store.lookAlikes(among: [zoe], to: two.anna) == [zoe])
  }

  @Test("a conversation of a network has its address as its name where another is called so")
  func distinctNames() throws {
    let two = try Two()
    let store = two.store
    let friend = try #require(try store.find(participant: "Frieda", for: two.anna))
    let chat = try store.direct(two.anna, with: friend.id).id
    func names() throws -> [String?] {
      try [two.hers, chat].map { try store.conversation($0, for: two.anna)?.name }
    }
    // What ben's account has is nothing to anna.
    #expect(try names() == ["#tea", "@Frieda"])
    _ = try store.participant(identity: "Frieda")
    _ = try store.room("tea", create: true, for: try store.participant(identity: "eve").id)
    #expect(try names() == ["#tea@rooms.example", "@friend-of-anna@example.org"])
    // Names that are more than letters are not all alike.
    try two.linked.hear(
      .contact(Speaker(identity: "t@example.org", name: "Tom ❤️"), isOnline: true, away: nil),
      .contact(Speaker(identity: "z@example.org", name: "Zoe ❤️"), isOnline: true, away: nil))
    let tom = try #require(try store.find(participant: "t@example.org", for: two.anna))
    let chatWithTom = try store.direct(two.anna, with: tom.id).id
    #expect(try store.conversation(chatWithTom, for: two.anna)?.name == "@Tom ❤️")
    // Being called as it is already changes nothing.
    let position = try store.position
    try two.linked.hear(.called(room: "tea@rooms.example", name: "tea"))
    #expect(try !store.changes(since: position, for: two.anna).peopleChanged)
    // Their own names stay what is exported.
    #expect(try store.allRooms().filter { $0.network != nil }.map(\.name) == ["#tea", "#tea"])
  }

  @Test("an account makes those conversations its owner's that an import brought for all")
  func claims() throws {
    let fixture = Fixture()
    let store = try fixture.open()
    let anna = try store.participant(identity: "anna").id
    let ben = try store.participant(identity: "ben").id
    let room = try store.networkRoom("tea@x", network: "xmpp:anna@x")
    try store.join(anna, room.id)
    try store.join(ben, room.id)
    #expect(try store.listing(for: ben).map(\.conversation.id) == [room.id])
    try store.addAccount(owner: anna, network: "xmpp:anna@x")
    #expect(try store.listing(for: ben).isEmpty && store.joined(by: ben).isEmpty)
    #expect(try store.listing(for: anna).map(\.conversation.id) == [room.id])
  }
}
