// SPDX-License-Identifier: GPL-3.0-or-later
import StoreFixture
import Testing

@testable import Conversations
@testable import NetworkInbox

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
    let (store, anna) = (linked.store, linked.anna)
    (self.store, self.anna) = (store, anna)
    let ben = try store.writeDurablyIfNeeded { try $0.participant(identity: "ben") }.id
    self.ben = ben
    let account = try store.writeDurably {
      try $0.addAccount(owner: ben, network: "xmpp:ben@example.org")
    }
    for account in [linked.account, account] {
      try linked.wire.inbox.apply(
        [
          .roomNamed(room: "tea@rooms.example", name: "tea"),
          .joined(room: "tea@rooms.example", nick: "me"),
          .present(linked.zoe, room: "tea@rooms.example"),
          .messageReceived(
            NetworkMessage(
              name: MessageIDs(archive: "1"), speaker: linked.zoe,
              body: "hello \(account.address)"), in: linked.tea),
          .contact(
            NetworkUser(identity: "friend-of-\(account.address)", name: "Frieda"), isOnline: true,
            away: nil),
        ], of: account)
    }
    hers = try #require(try store.read { try $0.room("tea", for: anna) }).id
    his = try #require(try store.read { try $0.room("tea", for: ben) }).id
  }
}

@Suite("Messages of an account belong to its owner") struct VisibilityTests {
  @Test func oneRoomIsTwoConversations() throws {
    let two = try Two()
    #expect(two.hers != two.his)
    for (me, place, other) in [(two.anna, two.hers, two.his), (two.ben, two.his, two.hers)] {
      let store = two.store
      #expect(try store.read { try $0.rooms(for: me) }.map(\.id) == [place])
      #expect(try store.read { try $0.listing(for: me) }.map(\.conversation.id) == [place])
      #expect(
        try store.read { try $0.unreadConversations(for: me) }.map(\.conversation.id) == [place])
      #expect(try store.read { try $0.room("tea@rooms.example", for: me) }?.id == place)
      #expect(try store.read { try $0.conversation(other, for: me) } == nil)
      #expect(try store.read { try $0.messages(in: other, limit: 9, for: me) }.isEmpty)
      #expect(try store.read { try $0.messages(in: place, limit: 9, for: me) }.count == 1)
      let all = Int64.min..<Int64.max
      #expect(
        try store.read { try $0.messages(in: other, sorts: all, oldest: 9, for: me) }.isEmpty)
      #expect(
        try store.read {
          try $0.arrivals(in: other, since: 0, upTo: .max, limit: 9, for: me)
        }.isEmpty)
      let foreign = try #require(
        try store.database.first("SELECT id FROM message WHERE conversation = ?", other) {
          $0.id() as ID<Message>
        })
      #expect(try store.read { try $0.message(foreign, for: me) } == nil)
      for anyRoom in [true, false] {
        let found = try store.read {
          try $0.search(SearchQuery.parse("hello"), for: me, anyRoom: anyRoom)
        }
        #expect(found.map(\.message.conversation) == [place])
      }
      #expect(throws: RuleError.noSuchRoom("\(other.rawValue)")) {
        try store.writeDurablyIfNeeded { try $0.join(me, other) }
      }
      #expect(throws: RuleError.noSuchRoom("\(other.rawValue)")) {
        try store.writeDurably { try $0.send("x", in: other, by: me, requireMembership: false) }
      }
      #expect(throws: (any Error).self) {
        try store.writeDurably { try $0.react(foreign, by: me, with: "🎉") }
      }
      let position: Int64 = 0
      #expect(
        try store.read { try $0.changes(since: position, for: me) }.arrived.map(\.conversation) == [
          place
        ])
      #expect(
        try store.read { try $0.changes(since: position, for: me) }.events.allSatisfy {
          $0.conversation == place
        })
    }
  }

  @Test func nobodyElseSeesRoomsOrPeople() throws {
    let two = try Two()
    let store = two.store
    let eve = try store.writeDurablyIfNeeded { try $0.participant(identity: "eve") }.id
    for viewer in [eve, nil] {
      #expect(try store.read { try $0.rooms(for: viewer) }.isEmpty)
      #expect(try store.read { try $0.room("tea", for: viewer) } == nil)
      #expect(
        try store.read { try $0.participants(for: viewer) }.map(\.identity) == [
          "anna", "ben", "eve",
        ])
      #expect(try store.read { try $0.find(participant: "Frieda", for: viewer) } == nil)
      #expect(
        try store.read { try $0.find(participant: "friend-of-anna@example.org", for: viewer) }
          == nil)
    }
    let hers = try #require(try store.read { try $0.find(participant: "Frieda", for: two.anna) })
    #expect(hers.identity == "friend-of-anna@example.org")
    #expect(throws: RuleError.noSuchParticipant("Frieda")) {
      try store.writeDurablyIfNeeded { try $0.directChat(eve, with: hers.id) }
    }
    #expect(
      try store.writeDurablyIfNeeded { try $0.directChat(two.anna, with: hers.id) }.network
        == "xmpp:anna@example.org")
    // It can be made as any other name.
    #expect(try store.writeDurablyIfNeeded { try $0.makeRoom("tea", for: eve) }.network == nil)
  }

  @Test("names of people on others' accounts are not taken, and are no look-alikes")
  func names() throws {
    let two = try Two()
    let store = two.store
    #expect(
      try store.writeDurablyIfNeeded { try $0.participant(identity: "Frieda") }.name == "Frieda")
    let eve = try store.writeDurablyIfNeeded { try $0.participant(identity: "eve") }.id
    #expect(try store.writeDurably { try $0.rename(eve, to: "zoe") }.name == "zoe")
    // Each has a zoe in the room, and a friend; those of the other look like nobody.
    for (me, other) in [(two.anna, two.ben), (two.ben, two.anna)] {
      let mine = Set(try store.read { try $0.participants(for: me) }.map(\.id))
      let seen = try store.read { try $0.participants(for: me) }.filter { $0.network != nil }.map(
        \.id)
      #expect(seen.count == 2)
      // They may be called like someone of this machine, whom nobody meets there.
      #expect(try store.read { try $0.lookAlikes(among: seen, to: me) } == [])
      let hidden = try store.read { try $0.participants(for: other) }.map(\.id).filter {
        !mine.contains($0)
      }
      #expect(hidden.count == 2)
      #expect(try store.read { try $0.lookAlikes(among: [eve], to: me) }.isEmpty)
    }
    // One who only looks so is marked, whoever took them as a contact.
    try two.linked.hear(
      .contact(
        NetworkUser(identity: "f@example.org", name: "Fr\u{456}eda"), isOnline: true, away: nil))
    let other = try #require(
      try store.read { try $0.find(participant: "f@example.org", for: two.anna) }
    ).id
    #expect(try store.read { try $0.lookAlikes(among: [other], to: two.anna) } == [other])
    _ = try store.writeDurably { try $0.rename(eve, to: "Zoe❤️") }
    try two.linked.hear(
      .contact(
        NetworkUser(identity: "z@example.org", name: "Z\u{43E}e❤️"), isOnline: true, away: nil))
    let zoe = try #require(
      try store.read { try $0.find(participant: "z@example.org", for: two.anna) }
    ).id
    #expect(try store.read { try $0.lookAlikes(among: [zoe], to: two.anna) } == [zoe])
  }

  @Test("a network conversation is named by its address if another has its name")
  func distinctNames() throws {
    let two = try Two()
    let store = two.store
    let friend = try #require(try store.read { try $0.find(participant: "Frieda", for: two.anna) })
    let chat = try store.writeDurablyIfNeeded { try $0.directChat(two.anna, with: friend.id) }.id
    func names() throws -> [String?] {
      try [two.hers, chat].map { each in
        try store.read { try $0.conversation(each, for: two.anna) }?.name
      }
    }
    // What ben's account has is nothing to anna.
    #expect(try names() == ["#tea", "@Frieda"])
    _ = try store.writeDurablyIfNeeded { try $0.participant(identity: "Frieda") }
    let tea = try store.writeDurablyIfNeeded {
      try $0.makeRoom(
        "tea", for: try $0.participant(identity: "eve").id)
    }
    // A room that she is not in changes no name (rule 11.2).
    #expect(try names() == ["#tea", "@friend-of-anna@example.org"])
    try store.writeDurably { try $0.join(two.anna, tea.id) }
    #expect(try names() == ["#tea@rooms.example", "@friend-of-anna@example.org"])
    // Names that are more than letters are not all alike.
    try two.linked.hear(
      .contact(NetworkUser(identity: "t@example.org", name: "Tom ❤️"), isOnline: true, away: nil),
      .contact(NetworkUser(identity: "z@example.org", name: "Zoe ❤️"), isOnline: true, away: nil))
    let tom = try #require(
      try store.read { try $0.find(participant: "t@example.org", for: two.anna) })
    let chatWithTom = try store.writeDurablyIfNeeded { try $0.directChat(two.anna, with: tom.id) }
      .id
    #expect(try store.read { try $0.conversation(chatWithTom, for: two.anna) }?.name == "@Tom ❤️")
    // Being called as it is already changes nothing.
    let position = try store.read { try $0.position }
    try two.linked.hear(.roomNamed(room: "tea@rooms.example", name: "tea"))
    #expect(try !store.read { try $0.changes(since: position, for: two.anna) }.peopleChanged)
    // Their own names stay what is exported.
    #expect(
      try store.read { try $0.allRooms() }.filter { $0.network != nil }.map(\.name) == [
        "#tea", "#tea",
      ])
  }

  @Test("an account makes its conversations its owner's that an import brought for all")
  func claims() throws {
    let fixture = Fixture()
    let store = try fixture.open()
    let anna = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
    let ben = try store.writeDurablyIfNeeded { try $0.participant(identity: "ben") }.id
    let room = try store.writeDurablyIfNeeded {
      try $0.networkRoom("tea@x", network: "xmpp:anna@x")
    }
    try store.writeDurablyIfNeeded { try $0.join(anna, room.id) }
    try store.writeDurablyIfNeeded { try $0.join(ben, room.id) }
    #expect(try store.read { try $0.listing(for: ben) }.map(\.conversation.id) == [room.id])
    try store.writeDurably { try $0.addAccount(owner: anna, network: "xmpp:anna@x") }
    #expect(
      try store.read { try $0.listing(for: ben) }.isEmpty
        && store.read { try $0.joined(by: ben) }.isEmpty)
    #expect(try store.read { try $0.listing(for: anna) }.map(\.conversation.id) == [room.id])
  }
}
