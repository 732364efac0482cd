// SPDX-License-Identifier: GPL-3.0-or-later
import StoreFixture
import Testing

@testable import Conversations

@Suite("Numbers of a span of time") struct TimesTests {
  @Test("are the least and the greatest in it, whatever the order of arrival")
  func bounds() throws {
    let lobby = try Lobby()
    let times: [Milliseconds] = [1000, 3000, 2000, 3000]
    for time in times {
      lobby.fixture.now = time
      try lobby.says("at \(time)")
    }
    func numbers(_ since: Milliseconds, _ until: Milliseconds?) throws -> ClosedRange<Int>? {
      try lobby.store.read { try $0.numbers(in: lobby.lobby, since: since, until: until) }
    }
    #expect(try numbers(.min, nil) == 1...4)
    #expect(try numbers(3000, nil) == 2...4)
    #expect(try numbers(2000, 3000) == 3...3)
    #expect(try numbers(1001, 2000) == nil)
  }

  @Test("a search of any room finds in rooms one is not in, but in no direct chat of others")
  func anyRoom() throws {
    let lobby = try Lobby()
    try lobby.says("tea here")
    let pair = try lobby.store.writeDurablyIfNeeded { try $0.direct(lobby.anna, with: lobby.ben) }
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
