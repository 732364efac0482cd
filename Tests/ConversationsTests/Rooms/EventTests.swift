// SPDX-License-Identifier: GPL-3.0-or-later
import StoreFixture
import Testing

@testable import Conversations

@Suite("10: Topics, invitations, being away") struct EventTests {
  @Test("a new topic is reported to everybody in the room, once")
  func topics() throws {
    let lobby = try Lobby()
    let start = try lobby.other.read { try $0.position }
    try lobby.store.writeDurably { try $0.setTopic("tea at noon", of: lobby.lobby, by: lobby.anna) }
    try lobby.store.writeDurably { try $0.setTopic("tea at noon", of: lobby.lobby, by: lobby.anna) }
    let news = try lobby.other.read { try $0.changes(since: start, for: lobby.ben) }
    #expect(news.events.map(\.text) == ["tea at noon"])
    #expect(news.events.map(\.participant.identity) == ["anna"])
    #expect(
      try lobby.other.read { try $0.conversation(lobby.lobby, for: lobby.ben) }?.topic
        == "tea at noon")
    try lobby.says("something else")
    #expect(
      try lobby.other.read { try $0.changes(since: news.position, for: lobby.ben) }.events.isEmpty)
    let cleo = try lobby.store.writeDurablyIfNeeded { try $0.participant(identity: "cleo") }.id
    #expect(try lobby.store.read { try $0.changes(since: start, for: cleo) }.events.isEmpty)
  }

  @Test("an invited person is in the room, knows it, and earlier messages are not unread")
  func invitations() throws {
    let lobby = try Lobby()
    let tea = try lobby.store.writeDurablyIfNeeded { try $0.makeRoom("tea") }.id
    try lobby.store.writeDurablyIfNeeded { try $0.join(lobby.anna, tea) }
    try lobby.store.writeDurably { try $0.send("before", in: tea, by: lobby.anna) }
    let start = try lobby.other.read { try $0.position }
    #expect(
      try lobby.store.writeDurably { try $0.inviteToRoom(lobby.ben, to: tea, by: lobby.anna) })
    #expect(
      try !lobby.store.writeDurably { try $0.inviteToRoom(lobby.ben, to: tea, by: lobby.anna) })
    try lobby.store.writeDurably { try $0.send("after", in: tea, by: lobby.anna) }
    let news = try lobby.other.read { try $0.changes(since: start, for: lobby.ben) }
    #expect(news.events.map(\.other?.id) == [lobby.ben])
    #expect(news.peopleChanged)
    #expect(try lobby.other.read { try $0.unreadConversations(for: lobby.ben) }.map(\.count) == [1])
  }

  @Test("only in rooms of this machine, and only by members")
  func refusals() throws {
    let lobby = try Lobby()
    let direct = try lobby.store.writeDurablyIfNeeded {
      try $0.directChat(lobby.anna, with: lobby.ben)
    }
    .id
    let far = try lobby.store.writeDurablyIfNeeded { try $0.networkRoom("far", network: "stub") }.id
    let tea = try lobby.store.writeDurablyIfNeeded { try $0.makeRoom("tea") }.id
    try lobby.store.writeDurablyIfNeeded { try $0.join(lobby.anna, far) }
    for (place, error) in [
      (direct, RuleError.onlyInRooms("@ben")), (far, .onlyInRooms("#far")),
      (tea, .notAMember("#tea")),
    ] {
      #expect(throws: error) {
        try lobby.store.writeDurably { try $0.setTopic("x", of: place, by: lobby.anna) }
      }
      #expect(throws: error) {
        try lobby.store.writeDurably { try $0.inviteToRoom(lobby.ben, to: place, by: lobby.anna) }
      }
    }
  }

  @Test("13.5: joins, leaves and name changes are reported in the rooms of that person")
  func comings() throws {
    let lobby = try Lobby()
    let start = try lobby.other.read { try $0.position }
    let carl = try lobby.store.writeDurablyIfNeeded { try $0.participant(identity: "carl") }.id
    // A shell that opens in a room tells nobody.
    try lobby.store.writeDurablyIfNeeded { try $0.join(carl, lobby.lobby) }
    try lobby.store.writeDurablyIfNeeded { try $0.leave(carl, lobby.lobby) }
    try lobby.store.writeDurablyIfNeeded { try $0.join(carl, lobby.lobby, isTold: true) }
    _ = try lobby.store.writeDurably { try $0.rename(carl, to: "Charles") }
    let tea = try lobby.store.writeDurablyIfNeeded { try $0.makeRoom("tea") }.id
    try lobby.store.writeDurablyIfNeeded { try $0.join(lobby.anna, tea, isTold: true) }
    let events = try lobby.other.read { try $0.changes(since: start, for: lobby.ben) }.events
    #expect(events.map(\.kind) == [.left, .joined, .renamed])
    #expect(events.map(\.text) == ["", "", "carl"])
    #expect(events.allSatisfy { $0.participant.name == "Charles" })
    // Who left knows it in every shell.
    try lobby.store.writeDurablyIfNeeded { try $0.leave(lobby.anna, lobby.lobby) }
    #expect(
      try lobby.store.read { try $0.changes(since: start, for: lobby.anna) }.events.last?.kind
        == .left)
  }

  @Test("13.5: events are read by time, page by page, or as they were stored")
  func pages() throws {
    let lobby = try Lobby()
    let start = try lobby.store.read { try $0.position }
    for number in 1...5 {
      lobby.fixture.now += 1
      try lobby.store.writeDurably { try $0.setTopic("\(number)", of: lobby.lobby, by: lobby.anna) }
    }
    let end = lobby.fixture.now
    func page(_ from: Milliseconds, behind last: NumberedEvent? = nil) throws -> [NumberedEvent] {
      try lobby.store.read {
        try $0.events(
          in: lobby.lobby, from: from, behind: last, until: end, limit: 2)
      }
    }
    let first = try page(end - 3)
    #expect(first.map(\.event.text) == ["2", "3"])
    #expect(try page(0, behind: first.last).map(\.event.text) == ["4"])
    #expect(
      try lobby.store.read { try $0.events(in: lobby.lobby, after: start, upTo: $0.position) }
        .map(\.event.text) == ["1", "2", "3", "4", "5"])
  }

  @Test("being away is shown with its word, until it ends")
  func away() throws {
    let lobby = try Lobby()
    let start = try lobby.other.read { try $0.position }
    try lobby.store.writeIfNeeded { try $0.setAway("lunch", of: lobby.anna) }
    #expect(try lobby.other.read { try $0.changes(since: start, for: lobby.ben) }.peopleChanged)
    func word() throws -> String? {
      try lobby.other.read { try $0.people(in: lobby.lobby) }.first {
        $0.participant.id == lobby.anna
      }?.away
    }
    #expect(try word() == "lunch")
    try lobby.store.writeIfNeeded { try $0.setAway("", of: lobby.anna) }
    #expect(try word() == "")
    let now = try lobby.store.read { try $0.position }
    try lobby.store.writeIfNeeded { try $0.setAway("", of: lobby.anna) }
    #expect(try lobby.store.read { try $0.position } == now, "the same again is not news")
    try lobby.store.writeIfNeeded { try $0.setAway(nil, of: lobby.anna) }
    #expect(try word() == nil)
  }
}
