// SPDX-License-Identifier: GPL-3.0-or-later
import StoreFixture
import Testing

@testable import Conversations

@Suite("Conversations and members") struct ConversationTests {
  @Test func aRoomHasOneNameWhateverItsCaseAndSign() throws {
    let fixture = Fixture()
    let store = try fixture.open()
    #expect(try store.read { try $0.room("lobby") } == nil)
    let room = try store.writeDurablyIfNeeded { try $0.makeRoom("Lobby") }
    #expect(room.name == "#Lobby")
    #expect(room.kind == .room)
    #expect(room.network == nil)
    #expect(try store.writeDurablyIfNeeded { try $0.makeRoom("#lobby") } == room)
    #expect(try store.read { try $0.rooms() } == [room])
    let other = try store.writeDurablyIfNeeded { try $0.makeRoom("##lobby") }
    #expect(other.name == "##lobby")
    #expect(try store.read { try $0.room("##Lobby") } == other)
    for name in ["", "#", "##", "a b", "@x", "/x"] {
      #expect(throws: RuleError.self) { try store.writeDurablyIfNeeded { try $0.makeRoom(name) } }
    }
  }

  @Test func aDirectChatIsOnePerPairAndNamedAfterTheOther() throws {
    let lobby = try Lobby()
    let (store, other) = (lobby.store, lobby.other)
    let one = try store.writeDurablyIfNeeded { try $0.directChat(lobby.anna, with: lobby.ben) }
    let two = try other.writeDurablyIfNeeded { try $0.directChat(lobby.ben, with: lobby.anna) }
    #expect(one.id == two.id)
    #expect((one.name, two.name) == ("@ben", "@anna"))
    _ = try other.writeDurably { try $0.rename(lobby.ben, to: "Benny") }
    #expect(try store.read { try $0.conversation(one.id, for: lobby.anna) }?.name == "@Benny")
    #expect(try store.read { try $0.members(of: one.id) }.map(\.identity) == ["ben", "anna"])
  }

  @Test func othersSeeNothingOfADirectChat() throws {
    let lobby = try Lobby()
    let store = lobby.store
    let carl = try store.writeDurablyIfNeeded { try $0.participant(identity: "carl") }.id
    let chat = try store.writeDurablyIfNeeded { try $0.directChat(lobby.anna, with: lobby.ben) }
    let message = try store.writeDurably { try $0.send("secret", in: chat.id, by: lobby.anna) }
    #expect(try store.read { try $0.conversation(chat.id, for: carl) } == nil)
    #expect(try store.read { try $0.messages(in: chat.id, limit: 9, for: carl) }.isEmpty)
    #expect(try store.read { try $0.messages(in: chat.id, numbers: 1...9, for: carl) }.isEmpty)
    #expect(try store.read { try $0.message(message.id, for: carl) } == nil)
    #expect(throws: RuleError.self) {
      try store.writeDurablyIfNeeded { try $0.join(carl, chat.id) }
    }
    #expect(throws: RuleError.self) {
      try store.writeDurably { try $0.send("x", in: chat.id, by: carl, requireMembership: false) }
    }
  }

  @Test func aChatWithOneselfIsForNotes() throws {
    let lobby = try Lobby()
    let notes = try lobby.store.writeDurablyIfNeeded {
      try $0.directChat(lobby.anna, with: lobby.anna)
    }
    #expect(notes.name == "@anna")
    let note = try lobby.store.writeDurably { try $0.send("milk", in: notes.id, by: lobby.anna) }
    #expect(note.state == .sent)
    #expect(try lobby.store.read { try $0.members(of: notes.id) }.count == 1)
  }

  @Test func whatIsSaidInAClosedDirectChatOpensItAgain() throws {
    let lobby = try Lobby()
    let chat = try lobby.store.writeDurablyIfNeeded {
      try $0.directChat(lobby.anna, with: lobby.ben)
    }
    .id
    try lobby.other.writeDurablyIfNeeded { try $0.leave(lobby.ben, chat) }
    #expect(
      try lobby.other.read { try $0.listing(for: lobby.ben) }.map(\.conversation.id) == [
        lobby.lobby
      ])
    try lobby.store.writeDurably { try $0.send("are you there?", in: chat, by: lobby.anna) }
    let listing = try lobby.other.read { try $0.listing(for: lobby.ben) }
    #expect(listing.map(\.conversation.name) == ["@anna", "#lobby"])
    #expect(listing[0].unread == 1)
  }

  @Test func onlyMembersSpeakUnlessAllowed() throws {
    let lobby = try Lobby()
    let store = lobby.store
    let cron = try store.writeDurablyIfNeeded { try $0.participant(identity: "cron") }.id
    #expect(throws: RuleError.notAMember("#lobby")) {
      try store.writeDurably { try $0.send("x", in: lobby.lobby, by: cron) }
    }
    let message = try store.writeDurably {
      try $0.send(
        "backup done", in: lobby.lobby, by: cron, requireMembership: false)
    }
    #expect(message.number == 1)
    #expect(try !store.read { try $0.isMember(cron, of: lobby.lobby) })
    try store.writeDurablyIfNeeded { try $0.leave(lobby.anna, lobby.lobby) }
    #expect(throws: RuleError.notAMember("#lobby")) { try lobby.says("x") }
    #expect(throws: RuleError.noSuchRoom("4711")) {
      try store.writeDurably { try $0.send("x", in: ID(rawValue: 4711), by: lobby.anna) }
    }
  }

  @Test("7.7: Unread counts what others said since, without deleted messages")
  func unread() throws {
    let lobby = try Lobby()
    func unread() throws -> Int {
      try lobby.other.read { try $0.listing(for: lobby.ben) }[0].unread
    }
    #expect(try unread() == 0)
    let messages = try (1...6).map { try lobby.says("message \($0)") }
    #expect(try unread() == 6)
    try lobby.benSays("mine")
    #expect(try unread() == 6)
    try lobby.store.writeDurably { try $0.deleteMessage(messages[4].id, by: lobby.anna) }
    _ = try lobby.store.writeDurably { try $0.takeBack(messages[5].id, by: lobby.anna) }
    #expect(try unread() == 4)
    try lobby.other.writeIfNeeded {
      try $0.noteSeen(by: lobby.ben, in: lobby.lobby, upTo: 2, sendReceipt: false)
    }
    #expect(try unread() == 2)
    try lobby.other.writeIfNeeded {
      try $0.noteSeen(by: lobby.ben, in: lobby.lobby, upTo: 7, sendReceipt: false)
    }
    #expect(try unread() == 0)
  }

  @Test func whatWasSaidBeforeJoiningIsNotUnread() throws {
    let lobby = try Lobby()
    for number in 1...3 { try lobby.says("message \(number)") }
    let carl = try lobby.store.writeDurablyIfNeeded { try $0.participant(identity: "carl") }.id
    try lobby.store.writeDurablyIfNeeded { try $0.join(carl, lobby.lobby) }
    #expect(try lobby.store.read { try $0.readMarker(of: carl, in: lobby.lobby) } == 3)
    #expect(try lobby.store.read { try $0.listing(for: carl) }[0].unread == 0)
    try lobby.says("welcome")
    #expect(try lobby.store.read { try $0.listing(for: carl) }[0].unread == 1)
    // Having been able to read it is not having it.
    #expect(throws: Never.self) {
      try lobby.store.writeDurably {
        try $0.takeBack(
          try #require(try $0.newest(by: lobby.anna, in: lobby.lobby, skipping: 1)).id,
          by: lobby.anna)
      }
    }
  }

  @Test func theListingHasTheNewestFirst() throws {
    let lobby = try Lobby()
    let store = lobby.store
    let rooms = try ["one", "two", "three"].map { each in
      try store.writeDurablyIfNeeded { try $0.makeRoom(each) }.id
    }
    for room in rooms { try store.writeDurablyIfNeeded { try $0.join(lobby.anna, room) } }
    for room in [rooms[1], rooms[0], lobby.lobby] {
      lobby.fixture.now += 1000
      try store.writeDurably { try $0.send("x", in: room, by: lobby.anna) }
    }
    let listing = try store.read { try $0.listing(for: lobby.anna) }
    #expect(listing.map(\.conversation.name) == ["#lobby", "#one", "#two", "#three"])
    #expect(listing[0].lastAt == lobby.fixture.now)
    #expect(listing[3].lastAt == nil)
    try store.writeDurablyIfNeeded { try $0.leave(lobby.anna, rooms[0]) }
    #expect(try store.read { try $0.listing(for: lobby.anna) }.count == 3)
  }

  @Test func joiningAndLeavingAreSeenByOthers() throws {
    let lobby = try Lobby()
    #expect(
      try lobby.other.read { try $0.members(of: lobby.lobby) }.map(\.name) == ["anna", "ben"])
    try lobby.store.writeDurablyIfNeeded { try $0.join(lobby.anna, lobby.lobby) }
    let position = try lobby.other.read { try $0.position }
    try lobby.store.writeDurablyIfNeeded { try $0.leave(lobby.anna, lobby.lobby) }
    try lobby.store.writeDurablyIfNeeded { try $0.leave(lobby.anna, lobby.lobby) }
    #expect(try lobby.other.read { try $0.members(of: lobby.lobby) }.map(\.name) == ["ben"])
    #expect(try lobby.other.read { try $0.changes(since: position, for: lobby.ben) }.peopleChanged)
  }

  @Test func networkRoomsFollowTheNamesOfTheirNetwork() throws {
    let fixture = Fixture()
    let store = try fixture.open()
    let room = try store.writeDurablyIfNeeded {
      try $0.networkRoom("tea room@conf.example", network: "xmpp")
    }
    #expect(room.name == "#tea room@conf.example")
    #expect(room.network == "xmpp")
    let tea = try store.writeDurablyIfNeeded { try $0.networkRoom("tea", network: "xmpp") }
    #expect(try store.writeDurablyIfNeeded { try $0.makeRoom("tea") } == tea)
    _ = try store.writeDurablyIfNeeded { try $0.networkRoom("tea", network: "irc") }
    #expect(throws: RuleError.ambiguous("tea", candidates: ["#tea@irc", "#tea@xmpp"])) {
      try store.read { try $0.room("tea") }
    }
  }
}
