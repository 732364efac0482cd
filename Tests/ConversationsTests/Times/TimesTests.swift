// SPDX-License-Identifier: GPL-3.0-or-later
import StoreFixture
import Testing

@testable import Conversations

@Suite("Parts of the order") struct TimesTests {
  @Test("a range of the order ends after all that was made before a moment, whatever the clock did")
  func bounds() throws {
    let lobby = try Lobby()
    for time: Milliseconds in [1000, 5000, 2000, 3000, 6000] {
      lobby.fixture.now = time
      try lobby.says("at \(time)")
    }
    func before(_ time: Milliseconds) throws -> [Int] {
      try lobby.store.read {
        let end = try $0.sort(behindTime: time, in: lobby.lobby)
        return try $0.messages(
          in: lobby.lobby, sorts: .min..<end, oldest: 9, for: lobby.anna
        ).filter { $0.createdAt < time }.map(\.number)
      }
    }
    #expect(try before(1000) == [])
    #expect(try before(1001) == [1])
    #expect(try before(2001) == [1, 3])
    #expect(try before(5000) == [1, 3, 4])
    #expect(try before(.max) == [1, 2, 3, 4, 5])
    let found = try lobby.store.read { try $0.sorts(ofNumbers: 2...4, in: lobby.lobby) }
    let messages = try lobby.store.read {
      try $0.messages(in: lobby.lobby, numbers: 2...4, for: lobby.anna)
    }
    #expect(found == messages[0].sort...messages[2].sort)
    #expect(try lobby.store.read { try $0.sorts(ofNumbers: 6...9, in: lobby.lobby) } == nil)
  }

  @Test("a search of any room finds in rooms one is not in, but in no one else's direct chats")
  func anyRoom() throws {
    let lobby = try Lobby()
    try lobby.says("tea here")
    let pair = try lobby.store.writeDurablyIfNeeded {
      try $0.directChat(lobby.anna, with: lobby.ben)
    }
    .id
    try lobby.store.writeDurably { try $0.send("tea for two", in: pair, by: lobby.anna) }
    let zoe = try lobby.store.writeDurablyIfNeeded { try $0.participant(identity: "zoe") }.id
    func found(_ query: String, anyRoom: Bool) throws -> [String] {
      try lobby.store.read { try $0.search(try .parse(query), for: zoe, anyRoom: anyRoom) }.map(
        \.message.body)
    }
    #expect(try found("tea", anyRoom: false) == [])
    #expect(try found("tea", anyRoom: true) == ["tea here"])
    #expect(try found("tea in:lobby", anyRoom: true) == ["tea here"])
    #expect(throws: RuleError.notAMember("#lobby")) { try found("tea in:lobby", anyRoom: false) }
  }
}
