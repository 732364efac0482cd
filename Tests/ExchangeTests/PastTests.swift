// SPDX-License-Identifier: GPL-3.0-or-later
import StoreFixture
import Testing

@testable import Conversations
@testable import Exchange

@Suite("What was said elsewhere, before") struct PastTests {
  private let room: Lobby
  private var store: Store { room.store }

  init() throws { room = try Lobby() }

  /// A log of so many lines, by anna and cleo in turn, all of whom name ben.
  private func log(_ count: Int, year: Int = 2020) -> String {
    (1...count).map {
      "\(year)-11-21 10:\(two($0 / 60)):\(two($0 % 60))\t\($0 % 2 == 0 ? "anna" : "cleo")\tben, \(year) \($0)\n"
    }.joined()
  }

  private func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }

  private func numbers(before: Int? = nil, _ limit: Int = 99) throws -> [Int] {
    try store.read { try $0.messages(in: room.lobby, before: before, limit: limit, for: room.ben) }
      .map(\.number)
  }

  private func live(_ count: Int) throws {
    for number in 1...count { try room.says("ben, live \(number)") }
  }

  @Test(
    "7.3, 7.7: is unread to no one and leaves others unread; no one hears that it was seen")
  func unread() throws {
    try live(3)
    try store.take([log(300)], into: "lobby")
    let found = try #require(try store.read { try $0.unreadConversations(for: room.ben) }.first)
    #expect(found.count == 3 && found.mentions == 3)
    #expect(try store.read { try $0.readMarker(of: room.ben, in: room.lobby) } == 0)
    #expect(try store.read { try $0.firstUnread(by: room.ben, in: room.lobby, behind: 0) } == 1)
    func states() throws -> [DeliveryState] {
      try store.read { try $0.messages(in: room.lobby, numbers: 1...9, for: room.anna) }
        .filter { $0.sender == room.anna }.map(\.state)
    }
    // Three that were said here, and three of the log.
    #expect(try states() == Array(repeating: .sent, count: 6))
    try store.writeIfNeeded {
      try $0.noteSeen(by: room.ben, in: room.lobby, upTo: 3, sendReceipt: true)
    }
    #expect(try store.read { try $0.unreadConversations(for: room.ben) }.isEmpty)
    #expect(try states() == [.sent, .sent, .sent, .seen, .seen, .seen])
    // What is said from now on counts, and what is seen of it says nothing of the log.
    let next = try room.says("ben, next")
    #expect(next.number == 304)
    #expect(try store.read { try $0.unreadConversations(for: room.ben) }.map(\.mentions) == [1])
    #expect(try store.read { try $0.listing(for: room.ben) }.map(\.unread) == [1])
    try store.writeIfNeeded {
      try $0.noteSeen(by: room.ben, in: room.lobby, upTo: 304, sendReceipt: true)
    }
    #expect(try states() == [.sent, .sent, .sent, .seen, .seen, .seen])
    let old = try #require(
      try store.read { try $0.message(number: 5, in: room.lobby, for: room.anna) })
    #expect(try store.read { try $0.recipients(of: old.id) }.isEmpty)
  }

  @Test("comes from one store into the next with its unread messages")
  func roundTrip() throws {
    try live(3)
    try store.take([log(5)], into: "lobby")
    try store.writeIfNeeded {
      try $0.noteSeen(by: room.ben, in: room.lobby, upTo: 1, sendReceipt: true)
    }
    let lines = try store.exported()
    let copy = try Fixture().open()
    try copy.take([export(lines.dropLast().joined(separator: "\n"))])
    #expect(try copy.exported() == lines)
    let ben = try copy.writeDurablyIfNeeded { try $0.participant(identity: "ben") }.id
    let anna = try copy.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
    let place = try #require(try copy.read { try $0.room("lobby") }).id
    #expect(try copy.read { try $0.unreadConversations(for: ben) }.map(\.count) == [2])
    #expect(
      try copy.read { try $0.messages(in: place, limit: 4, for: ben) }.map(\.number) == [
        8, 1, 2, 3,
      ])
    #expect(try copy.read { try $0.newest(by: anna, in: place) }?.number == 3)
  }

  @Test("7.1: stands in its place by time among what was said here, however it came in")
  func order() throws {
    try live(2)
    try store.take([log(2, year: 2022)], into: "lobby")
    try room.benSays("more")
    try store.take([log(2, year: 2020)], into: "lobby")
    let all = [6, 7, 3, 4, 1, 2, 5]
    #expect(try numbers() == all)
    #expect(try numbers(4) == [4, 1, 2, 5])
    for end in all.indices {
      #expect(try numbers(before: all[end]) == Array(all[..<end]))
      #expect(try numbers(before: all[end], 2) == Array(all[..<end].suffix(2)))
    }
    let messages = try store.read { try $0.messages(in: room.lobby, numbers: 1...9, for: room.ben) }
    #expect(messages.map(\.number) == all)
    #expect(messages.reversed().inOrder().map(\.number) == all)
    // Between two that were said here, and behind them all.
    room.fixture.now += 86_400_000
    try room.says("a day later")
    try store.take(
      ["2023-11-15 10:00:00\tanna\tbetween\n2023-11-30 10:00:00\tben\tbehind\n"], into: "lobby")
    #expect(try numbers() == all + [9, 8, 10])
    // What is said now is the newest all the same.
    #expect(try room.says("now").number == 11)
    #expect(try numbers() == all + [9, 8, 10, 11])
    #expect(try store.read { try $0.unreadConversations(for: room.ben) }.map(\.count) == [4])
  }

  @Test("3.7: is not my newest, and cannot be taken back, only edited and deleted")
  func mine() throws {
    try store.take([log(4)], into: "lobby")
    #expect(try store.read { try $0.newest(by: room.anna, in: room.lobby) } == nil)
    let old = try #require(
      try store.read { try $0.message(number: 2, in: room.lobby, for: room.anna) })
    #expect(old.isPast && old.sender == room.anna)
    #expect(throws: RuleError.othersHaveIt(2)) {
      try store.writeDurably { try $0.takeBack(old.id, by: room.anna) }
    }
    try room.says("here")
    try store.take([log(4, year: 2021)], into: "lobby")
    #expect(try store.read { try $0.newest(by: room.anna, in: room.lobby) }?.body == "here")
    #expect(try store.read { try $0.newest(by: room.anna, in: room.lobby, skipping: 1) } == nil)
    #expect(try store.writeDurably { try $0.edit(old.id, to: "edited", by: room.anna) }.isPast)
    #expect(try store.writeDurably { try $0.deleteMessage(old.id, by: room.anna) }.deletedAt != nil)
  }

  @Test("what waits for a network is not past, wherever it is imported")
  func waiting() throws {
    let tea = try store.writeDurablyIfNeeded { try $0.networkRoom("tea", network: "net") }.id
    try store.writeDurablyIfNeeded { try $0.join(room.anna, tea) }
    let entry = line(
      "still to be sent", number: 1, in: "#tea", sender: "anna",
      more: #","state":"sending""#
    ).replacing(
      ##""conversation":"#tea""##, with: ##""conversation":{"room":"#tea","network":"net"}"##)
    try store.take([export(entry)])
    #expect(try store.read { try $0.unsent(by: room.anna) }.map(\.isPast) == [false])
  }
}
