// SPDX-License-Identifier: GPL-3.0-or-later
import StoreFixture
import Testing

@testable import Conversations
@testable import NetworkInbox

@Suite("14.5: What strangers send costs nothing") final class StrangersAttackTests {
  private let linked: Linked
  private var position: Int64 = 0

  init() throws {
    linked = try Linked()
    position = try linked.store.read { try $0.position }
  }

  /// What is reported since the last time.
  private func reports() throws -> [String] {
    let changes = try linked.store.read { try $0.changes(since: position, for: linked.anna) }
    position = changes.position
    #expect(changes.arrived.isEmpty && changes.events.isEmpty)
    return changes.notices.map(\.text.text)
  }

  private func hear(_ news: NetworkEvent) throws {
    try linked.wire.inbox.apply([news], of: linked.account)
  }

  private func writes(_ body: String, _ address: String) throws {
    try hear(
      .messageReceived(
        NetworkMessage(
          name: MessageIDs(origin: body), speaker: NetworkUser(identity: address), body: body),
        in: .direct(address)))
  }

  private var approaches: [Approach] {
    get throws { try linked.store.read { try $0.approaches(to: linked.account) } }
  }

  private func isListed() throws -> Bool {
    try !linked.store.read { try $0.listing(for: linked.anna) }.isEmpty
      || !linked.store.read { try $0.rooms(for: linked.anna) }.isEmpty
  }

  @Test(
    "five of a thousand are reported within a minute, the rest are counted",
    arguments: [Approach.Kind.invitation, .contact, .message])
  func floods(kind: Approach.Kind) throws {
    for number in 0..<1_000 { try send(kind, number) }
    let told = try reports()
    #expect(told.count == 5 && told[0].contains("eve0@x.org"))
    linked.fixture.now += 60_000
    try hear(.countStrangers)
    #expect(try reports() == ["995 more requests arrived; /requests lists them."])
    try hear(.countStrangers)
    #expect(try reports() == [])
    #expect(try approaches.count == 1_000 && !isListed())
    // What they send again is nothing new, and a message is kept whatever else there is.
    try hear(.invited(room: "eve1@x.org", by: NetworkUser(identity: "eve@x.org")))
    try writes("me, too", "late@x.org")
    #expect(try reports().last?.hasPrefix("late@x.org, a stranger, wrote to you") == true)
    #expect(try approaches.contains { $0.text == "me, too" })
    #expect(try linked.store.upkeep.check().allSatisfy { $0.severity == .fine })
  }

  private func send(_ kind: Approach.Kind, _ number: Int) throws {
    let address = "eve\(number)@x.org"
    switch kind {
    case .invitation: try hear(.invited(room: address, by: NetworkUser(identity: "eve@x.org")))
    case .contact: try hear(.wantsContact(NetworkUser(identity: address)))
    case .message: try writes("hello \(number)", address)
    }
  }

  @Test(
    "1,200 of one kind leave room for the other kinds",
    arguments: [Approach.Kind.invitation, .contact, .message])
  func capsEachKind(kind: Approach.Kind) throws {
    for number in 0..<1_200 { try send(kind, number) }
    #expect(try approaches.count == (kind == .message ? 1_200 : Approach.most))
    if kind == .message {
      // From then on there are no chats, and of each stranger only the last text.
      try writes(String(repeating: "x", count: 9_000), "eve1199@x.org")
      let brief = try approaches.filter { !$0.hasChat }
      #expect(brief.count == 200)
      #expect(brief.first { $0.address == "eve1000@x.org" }?.text == "hello 1000")
      #expect(brief.first { $0.address == "eve1199@x.org" }?.text.count == 400)
      let count = try linked.store.read {
        try $0.database.first("SELECT count(*) FROM conversation WHERE kind = 1") { $0.int() }
      }
      #expect(count == Approach.most)
      // It moves into the chat with them.
      let chat = try linked.store.writeDurably {
        try $0.networkChat(with: "eve1000@x.org", of: linked.account)
      }.id
      let moved = try linked.store.read { try $0.messages(in: chat, limit: 9, for: linked.anna) }
      #expect(moved.map(\.body) == ["hello 1000"] && moved[0].senderIdentity == "eve1000@x.org")
      #expect(try approaches.count == 1_199)
      _ = try reports()
    }
    linked.fixture.now += 60_000
    try hear(.countStrangers)
    _ = try reports()
    for other in [Approach.Kind.invitation, .contact, .message] where other != kind {
      try send(other, 5_000)
      #expect(try reports().count == 1, "\(other)")
    }
  }

  @Test("however many strangers write, the store keeps the newest thousand beyond the chats")
  func forgetsOldTexts() throws {
    for number in 0..<2_100 {
      if number >= 1_000 { linked.fixture.now += 1 }
      try send(.message, number)
    }
    #expect(try linked.store.count("approach") == 2 * Approach.most)
    let brief = try approaches.filter { !$0.hasChat }
    #expect(brief.count == Approach.most)
    #expect(brief.first?.address == "eve1100@x.org" && brief.last?.address == "eve2099@x.org")
    // Whoever writes again is among the newest; the time of this machine may go back.
    linked.fixture.now += 1
    try writes("again", "eve1100@x.org")
    linked.fixture.now -= 1_000_000
    try writes("late", "late@x.org")
    let kept = try approaches.filter { !$0.hasChat }.map(\.address)
    #expect(kept.count == Approach.most && kept.contains("late@x.org"))
    #expect(kept.contains("eve1100@x.org") && !kept.contains("eve1101@x.org"))
  }

  @Test("14.10: an encrypted message of a stranger without a chat is one that hobnob cannot read")
  func unreadableText() throws {
    for number in 0..<1_000 { try send(.message, number) }
    let eve = NetworkUser(identity: "eve@x.org")
    try hear(
      .messageReceived(
        NetworkMessage(
          name: MessageIDs(origin: "e1"), speaker: eve, body: "", kind: .unreadable),
        in: .direct("eve@x.org")))
    let last = try #require(try approaches.first { $0.address == "eve@x.org" })
    #expect(!last.hasChat && last.text == Message.unreadable())
    let chat = try linked.store.writeDurably {
      try $0.networkChat(with: "eve@x.org", of: linked.account)
    }.id
    let moved = try linked.store.read { try $0.messages(in: chat, limit: 9, for: linked.anna) }
    #expect(moved.map(\.kind) == [.unreadable] && moved.map(\.body) == [""])
  }

  @Test(
    "7.11: what an ignored person sends is neither reported nor listed",
    arguments: [Approach.Kind.invitation, .contact, .message])
  func ignored(kind: Approach.Kind) throws {
    let sender = kind == .invitation ? "eve@x.org" : "eve0@x.org"
    let eve = try linked.store.writeDurably { try $0.networkPerson(sender, of: linked.account) }.id
    try linked.store.writeDurably { try $0.set(.ignored, true, of: eve, by: linked.anna) }
    for number in 0..<(kind == .invitation ? 1_200 : 1) { try send(kind, number) }
    try hear(.countStrangers)
    #expect(try reports() == [] && approaches == [])
    // They take up no room.
    let friend = NetworkUser(identity: "ben@example.org")
    try hear(.invited(room: "tea@rooms.example", by: friend))
    #expect(try reports().count == 1 && approaches.count == 1)
    // What waited before is not listed either.
    let ben = try linked.store.writeDurably {
      try $0.networkPerson(friend.identity, of: linked.account)
    }.id
    try linked.store.writeDurably { try $0.set(.ignored, true, of: ben, by: linked.anna) }
    #expect(try approaches == [])
    try linked.store.writeDurably { try $0.set(.ignored, false, of: eve, by: linked.anna) }
    #expect(try approaches.count == (kind == .invitation ? 0 : 1))
  }

  @Test("7.11: the owner learns what others do, but not of those whom they ignore")
  func ignoredActs() throws {
    let eve = try linked.store.writeDurably {
      try $0.networkPerson("eve@x.org", of: linked.account)
    }.id
    try linked.store.writeDurably { try $0.set(.ignored, true, of: eve, by: linked.anna) }
    for name in ["eve@x.org", "ben@x.org", "zed@x.org"] {
      try hear(.noticeAbout(NetworkUser(identity: name), "\(name) offers a file."))
    }
    #expect(try reports() == ["ben@x.org offers a file.", "zed@x.org offers a file."])
  }

  @Test("7.11: what a muted person sends is listed, and an invitation does not ring")
  func muted() throws {
    for address in ["eve@x.org", "ben@example.org"] {
      let isMuted = address == "eve@x.org"
      let person = try linked.store.writeDurably {
        try $0.networkPerson(address, of: linked.account)
      }.id
      try linked.store.writeDurably { try $0.set(.muted, isMuted, of: person, by: linked.anna) }
      try hear(.invited(room: "tea-\(address)", by: NetworkUser(identity: address)))
      let changes = try linked.store.read { try $0.changes(since: position, for: linked.anna) }
      position = changes.position
      #expect(changes.notices.map(\.kind) == [isMuted ? .plain : .ringing])
    }
    #expect(try approaches.count == 2)
  }

  @Test("7.11: an invitation to an ignored room is neither reported nor listed")
  func ignoredRoom() throws {
    let room = try linked.store.writeDurablyIfNeeded {
      try $0.networkRoom("tea@rooms.example", network: linked.account.network)
    }
    try linked.store.writeDurably { try $0.set(.ignored, true, of: room.id, by: linked.anna) }
    try hear(.invited(room: "tea@rooms.example", by: NetworkUser(identity: "eve@x.org")))
    #expect(try reports() == [] && approaches == [])
  }

  @Test("a first message is kept, and shown when the chat is opened")
  func firstMessages() throws {
    try writes("one", "eve@x.org")
    try writes("two", "eve@x.org")
    #expect(try reports().count == 1)
    #expect(try approaches.map(\.text) == ["two"])
    #expect(try !isListed())
    let chat = try linked.store.writeDurably {
      try $0.networkChat(with: "eve@x.org", of: linked.account)
    }
    #expect(
      try linked.store.read { try $0.messages(in: chat.id, limit: 9, for: linked.anna) }.map(\.body)
        == ["one", "two"])
    #expect(try approaches == [])
    try linked.hear(
      .messageReceived(
        NetworkMessage(
          name: MessageIDs(), speaker: NetworkUser(identity: "eve@x.org"), body: "three"),
        in: .direct("eve@x.org")))
    #expect(try linked.store.read { try $0.listing(for: linked.anna) }.map(\.unread) == [1])
  }

  @Test("messages from before someone became a contact are unread")
  func becomesAContact() throws {
    try writes("one", "eve@x.org")
    #expect(try reports().count == 1)
    try hear(.contact(NetworkUser(identity: "eve@x.org"), isOnline: false, away: nil))
    #expect(try linked.store.read { try $0.listing(for: linked.anna) }.map(\.unread) == [1])
    #expect(try approaches == [])
    try writes("two", "eve@x.org")
    #expect(try linked.store.read { try $0.listing(for: linked.anna) }.map(\.unread) == [2])
  }

  @Test("a declined approach is forgotten, and reported when it comes again")
  func turnedDown() throws {
    try writes("one", "eve@x.org")
    try hear(.invited(room: "tea@rooms.example", by: NetworkUser(identity: "eve@x.org")))
    try hear(.wantsContact(NetworkUser(identity: "ben@example.org")))
    #expect(try reports().count == 3)
    let store = linked.store
    #expect(
      try store.writeDurably {
        try $0.forgetApproaches(to: linked.account, of: "eve@x.org", .contact)
      } == 0)
    #expect(
      try store.writeDurably { try $0.forgetApproaches(to: linked.account, of: "eve@x.org") } == 2)
    #expect(try approaches.map(\.kind) == [.contact])
    try writes("two", "eve@x.org")
    #expect(try reports().count == 1)
    #expect(try store.writeDurably { try $0.forgetApproaches(to: linked.account) } == 2)
  }

  @Test("an invitation creates no room until it is accepted")
  func invitation() throws {
    let inside = NetworkUser(
      identity: "tea@rooms.example/occupant-7", name: "zoe", isVerified: false)
    try hear(.invited(room: "tea@rooms.example", by: inside))
    #expect(
      try reports() == [
        "zoe invites you to tea@rooms.example: /join tea@rooms.example enters it."
      ])
    #expect(try !isListed())
    let room = try linked.store.writeDurablyIfNeeded {
      try $0.networkRoom("tea@rooms.example", network: linked.account.network)
    }
    try linked.store.writeDurablyIfNeeded { try $0.join(linked.anna, room.id) }
    #expect(try approaches == [])
    // Who is in it is not invited.
    try hear(.invited(room: "tea@rooms.example", by: inside))
    #expect(try approaches == [])
  }
}
