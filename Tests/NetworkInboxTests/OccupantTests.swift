// SPDX-License-Identifier: GPL-3.0-or-later
import Repeatable
import StoreFixture
import Testing

@testable import Conversations
@testable import NetworkInbox

@Suite("Who is present on a network") struct OccupantTests {
  private let linked: Linked
  private let room = "tea@rooms.example"

  init() throws { linked = try Linked() }

  private func here() throws -> [String] {
    try linked.store.read { try $0.people(in: linked.conversation()) }.filter(\.isHere)
      .map(\.participant.name)
  }

  private func events(since position: Int64) throws -> [String] {
    try linked.store.read { try $0.changes(since: position, for: linked.anna) }.events.map {
      "\($0.participant.name) \($0.kind) \($0.text)\($0.remark)"
    }
  }

  @Test("people already present do not join; later joins and leaves are reported")
  func comings() throws {
    let start = try linked.store.read { try $0.position }
    try linked.hear(
      .present(linked.zoe, room: room), .joined(room: room, nick: "anna"),
      .present(linked.max, room: room), .topic(room: room, text: "tea", by: linked.zoe, at: nil))
    #expect(try events(since: start) == [])
    #expect(try here() == ["max", "zoe"])
    let place = try linked.conversation()
    #expect(try linked.store.read { try $0.members(of: place) }.count == 3)
    #expect(try linked.store.read { try $0.conversation(place, for: linked.anna) }?.topic == "tea")
    let position = try linked.store.read { try $0.position }
    let kim = NetworkUser(identity: "occupant-9", name: "kim")
    try linked.hear(
      .present(kim, room: room), .present(kim, room: room), .absent(linked.max, room: room),
      .absent(linked.max, room: room), .topic(room: room, text: "cake", by: kim, at: nil))
    try linked.hear(
      .renamed(NetworkUser(identity: "occupant-9", name: "Kim"), room: room, former: "kim"))
    #expect(
      try events(since: position)
        == ["Kim joined ", "max left ", "Kim topic cake", "Kim renamed kim"])
    #expect(try here() == ["Kim", "zoe"])
    #expect(
      try linked.store.read { try $0.members(of: place) }.map(\.name) == ["Kim", "anna", "zoe"])
    // And back: one stay each, however often.
    try linked.hear(.present(linked.max, room: room))
    #expect(try linked.store.count("membership") == 4)
  }

  @Test("a changed nickname is another person if nothing more is known")
  func renamedWithoutIdentity() throws {
    try linked.join()
    try linked.hear(
      .present(NetworkUser(identity: "kim", name: "kim", isVerified: false), room: room))
    let position = try linked.store.read { try $0.position }
    try linked.hear(
      .renamed(
        NetworkUser(identity: "Kim2", name: "Kim2", isVerified: false), room: room, former: "kim"))
    #expect(try events(since: position) == ["Kim2 renamed kim"])
    #expect(try here() == ["Kim2"])
    #expect(
      try linked.store.read { try $0.members(of: linked.conversation()) }.map(\.name) == [
        "Kim2", "anna",
      ])
  }

  @Test("after a reconnection, a room has exactly the people reported")
  func reconnect() throws {
    try linked.join()
    try linked.hear(.present(linked.zoe, room: room), .present(linked.max, room: room))
    try linked.hear(.typing(linked.zoe, in: linked.tea, true))
    try linked.hear(.offline())
    #expect(try here() == [])
    let position = try linked.store.read { try $0.position }
    try linked.hear(.joined(room: room, nick: "anna"), .present(linked.zoe, room: room))
    #expect(try here() == ["zoe"])
    #expect(
      try linked.store.read { try $0.members(of: linked.conversation()) }.map(\.name) == [
        "anna", "zoe",
      ])
    #expect(try events(since: position) == [])
    #expect(
      try linked.store.read { try $0.people(in: linked.conversation()) }.allSatisfy {
        $0.typingSince == nil
      })
  }

  @Test("the owner leaves or is removed, and hears why")
  func ownerLeaves() throws {
    try linked.join()
    try linked.say("hello")
    let place = try linked.conversation()
    let position = try linked.store.read { try $0.position }
    try linked.hear(.left(room: room, reason: "you were banned"))
    #expect(try linked.store.read { try $0.membership(of: linked.anna, in: place) } == .removed)
    #expect(try events(since: position) == ["anna left you were banned"])
    try linked.hear(.invited(room: room, by: linked.ben))
    #expect(
      try linked.store.read { try $0.approaches(to: linked.account) }.map(\.sender) == [
        "ben@example.org"
      ])
    try linked.join()
    #expect(try linked.store.read { try $0.approaches(to: linked.account) } == [])
    #expect(try linked.store.read { try $0.membership(of: linked.anna, in: place) } == .member)
  }

  @Test("11.2: a room keeps the first name its network process gives, and is found by both")
  func names() throws {
    try linked.hear(
      .roomNamed(room: room, name: "tea"), .roomNamed(room: "tea@elsewhere.example", name: "Tea"),
      .joined(room: "dev@rooms.example", nick: "anna"))
    #expect(
      try linked.store.read { try $0.rooms(for: linked.anna) }.map(\.name)
        == ["#dev@rooms.example", "#tea", "#Tea-2"])
    for name in ["tea", "#tea", "#" + room, room] {
      let found = try #require(
        try linked.store.read { try $0.room(name, for: linked.anna) }, "\(name)")
      #expect(try linked.store.read { try $0.conversationAddress(of: found.id) } == linked.tea)
    }
    // Its owner cannot change which room a name means.
    try linked.hear(.roomNamed(room: room, name: "dev"))
    #expect(
      try linked.store.read { try $0.rooms(for: linked.anna) }.map(\.name)
        == ["#dev@rooms.example", "#tea", "#Tea-2"])
  }

  @Test("contacts, and a contact's name that a person in a room has, too")
  func contacts() throws {
    try linked.join()
    try linked.hear(
      .present(NetworkUser(identity: "occupant-1", name: "Ben"), room: room),
      .contact(linked.ben, isOnline: true, away: ""),
      .contact(NetworkUser(identity: "zoe@example.org", name: "Zoe"), isOnline: false, away: nil))
    let contacts = try linked.store.read { try $0.contacts(of: linked.account) }
    #expect(contacts.map(\.participant.name) == ["Ben", "Zoe"])
    #expect(contacts.map(\.isHere) == [true, false] && contacts.map(\.away) == ["", nil])
    let ben = try #require(
      try linked.store.read { try $0.find(participant: "Ben", for: linked.anna) })
    #expect(ben.identity == "ben@example.org")
    let chat = try linked.store.writeDurablyIfNeeded {
      try $0.directChat(linked.anna, with: ben.id)
    }
    #expect(try linked.store.read { try $0.conversationAddress(of: chat.id) } == linked.direct)
    try linked.hear(.contactRemoved(linked.ben))
    #expect(
      try linked.store.read { try $0.contacts(of: linked.account) }.map(\.participant.name) == [
        "Zoe"
      ])
    // A name said in an old message is not what they are called now.
    try linked.hear(.contact(linked.ben, isOnline: true, away: nil))
    try linked.say(
      "old", by: NetworkUser(identity: "ben@example.org", name: "Benny"), in: linked.direct, at: 5)
    #expect(
      try linked.store.read { try $0.find(participant: "ben@example.org", for: linked.anna) }?.name
        == "Ben")
  }

  /// The first 5,000 and a catch-up of 10,000 in batches; how long they take is printed.
  @Test("a large room, and everything missed")
  func large() throws {
    let clock = ContinuousClock()
    let people = (1...5_000).map {
      NetworkEvent.present(NetworkUser(identity: "o\($0)", name: "nick\($0)"), room: room)
    }
    let first = try clock.measure {
      try linked.wire.inbox.apply([.joined(room: room, nick: "anna")] + people, of: linked.account)
    }
    try linked.hear(.offline())
    let again = try clock.measure {
      try linked.wire.inbox.apply([.joined(room: room, nick: "anna")] + people, of: linked.account)
    }
    #expect(try linked.store.count("event") == 0)
    #expect(try linked.store.read { try $0.members(of: linked.conversation()) }.count == 5_001)
    let now = linked.fixture.now
    let messages = (1...10_000).map { number in
      NetworkEvent.messageReceived(
        NetworkMessage(
          name: MessageIDs(origin: "m\(number)", archive: "\(number)"),
          speaker: NetworkUser(identity: "o\(number % 50)", name: "nick\(number % 50)"),
          body: "message \(number) of some words, as people write them in a room",
          time: now - 20_000 + Milliseconds(number)), in: linked.tea)
    }
    let taken = try clock.measure {
      for start in stride(from: 0, to: messages.count, by: 250) {
        try linked.wire.inbox.apply(
          Array(messages[start..<start + 250]) + [
            .caughtUp(archive: room, mark: "\(start + 250)")
          ], of: linked.account)
      }
    }
    let known = try clock.measure {
      for start in stride(from: 0, to: messages.count, by: 250) {
        try linked.wire.inbox.apply(Array(messages[start..<start + 250]), of: linked.account)
      }
    }
    print("5,000 present: \(first), again: \(again); 10,000 said: \(taken), known: \(known)")
    #expect(try linked.store.count("message") == 10_000)
    #expect(try linked.store.read { try $0.listing(for: linked.anna) }.map(\.unread) == [10_000])
  }

  @Test("12.3: a person with the same name elsewhere is not marked; a look-alike is")
  func looksAlike() throws {
    try linked.join()
    let (same, other) = ("occupant-1", "occupant-2")
    try linked.hear(
      .contact(NetworkUser(identity: "ben@example.org", name: "ben"), isOnline: true, away: nil),
      .present(NetworkUser(identity: same, name: "ben"), room: room),
      // With a Cyrillic letter in it.
      .present(NetworkUser(identity: other, name: "b\u{0435}n"), room: room))
    let people = try linked.store.read { try $0.participants(for: linked.anna) }
    let marked = try linked.store.read {
      try $0.lookAlikes(among: people.map(\.id), to: linked.anna)
    }
    #expect(people.filter { marked.contains($0.id) }.map(\.identity) == [room + "/" + other])
  }

  @Test("a person known only from a room cannot be written to in private")
  func noChat() throws {
    try linked.join()
    try linked.hear(.present(NetworkUser(identity: "occupant-1", name: "kim"), room: room))
    let kim = try #require(
      try linked.store.read { try $0.find(participant: "kim", for: linked.anna) })
    #expect(throws: RuleError.onlyInARoom("kim", domain: "example.org")) {
      try linked.store.writeDurablyIfNeeded { try $0.directChat(linked.anna, with: kim.id) }
    }
  }
}
