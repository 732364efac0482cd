// SPDX-License-Identifier: GPL-3.0-or-later
import StoreFixture
import Testing

@testable import Conversations
@testable import Exchange

@Suite("The order of what was imported") struct ImportOrderTests {
  private let year = ["2022", "2023", "2024"]

  private func log(_ year: String) -> String {
    "\(year)-11-21 10:00:00\tben\ttea in \(year)\n"
  }

  private func found(_ store: Store, before: ID<Message>? = nil, limit: Int = 50) throws
    -> [Message]
  {
    let anna = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
    return try store.read {
      try $0.search(
        SearchQuery(terms: [.init("tea")]), for: anna, limit: limit, before: before
      )
    }.map(\.message)
  }

  @Test(
    "newest first is by time, in whatever order it was imported",
    arguments: [[0, 1, 2], [2, 1, 0], [1, 2, 0]])
  func newestFirst(order: [Int]) throws {
    let store = try Fixture().open()
    for index in order { try store.take([log(year[index])], into: "tea") }
    #expect(try found(store).map(\.body) == ["tea in 2024", "tea in 2023", "tea in 2022"])
    // Page by page, as a shell asks for more.
    var (last, pages): (ID<Message>?, [String]) = (nil, [])
    while let message = try found(store, before: last, limit: 1).first {
      pages.append(message.body)
      last = message.id
    }
    #expect(pages == ["tea in 2024", "tea in 2023", "tea in 2022"])
    // What is said here stays the newest, and is the only news.
    let position = try store.read { try $0.position }
    let anna = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
    let room = try #require(try store.read { try $0.room("tea") }).id
    try store.writeDurably { try $0.send("tea now", in: room, by: anna) }
    #expect(try found(store).first?.body == "tea now")
    #expect(
      try store.read { try $0.changes(since: position, for: anna) }.arrived.map(\.body) == [
        "tea now"
      ])
    #expect(try store.upkeep.check().allSatisfy { $0.severity == .fine })
  }

  @Test("thousands within a minute keep the order of their log, and a grown log follows them")
  func sameMinute() throws {
    let store = try Fixture().open()
    func log(_ count: Int) -> String {
      "--- Log opened Sat Nov 21 09:58:00 2026\n"
        + (1...count).map { "10:00 <ben> tea \($0)\n" }.joined() + "10:01 <ben> tea after\n"
    }
    try store.take([log(3000)], into: "tea")
    // Of another room, in the same minute.
    try store.take([log(1500)], into: "coffee")
    let report = try store.take([log(3500)], into: "tea")
    #expect(report.messages == 500 && report.known == 3001)
    let room = try #require(try store.read { try $0.room("tea") }).id
    let all = try found(store, limit: 9_999).reversed().filter { $0.conversation == room }
    #expect(all.map(\.body) == (1...3500).map { "tea \($0)" } + ["tea after"])
    #expect(all.allSatisfy { $0.isImported })
  }

  @Test("an export of several imports, imported again, gives an equal one, by time")
  func roundTrip() throws {
    let lobby = try Lobby()
    for year in year.reversed() { try lobby.store.take([log(year)], into: "tea") }
    try lobby.store.take([(1...2500).map { _ in log("2023") }.joined()], into: "lobby")
    lobby.fixture.now += 5
    try lobby.says("tea here")
    // A clock that was put back: it is said later all the same.
    lobby.fixture.now -= 60_000
    try lobby.says("tea before")
    let lines = try lobby.store.exported()
    let times = lines.filter { $0.contains(#""type":"message""#) }
      .compactMap { $0.firstMatch(of: #/"time":"([^"]+)"/#).map { String($0.1) } }
    // But for these two by time.
    #expect(times.count == 2505 && zip(times, times.dropFirst()).count { $0 > $1 } == 2)
    #expect(lines.count { $0.contains(#""sort":"#) } > 0)
    let copy = try Fixture().open()
    try copy.take([export(lines.dropLast().joined(separator: "\n"))])
    #expect(try copy.exported() == lines)
    let copied = try found(copy, limit: 9_999)
    #expect(copied.map(\.sort) == copied.map(\.sort).sorted(by: >))
    #expect(copied.map(\.body).filter { !$0.contains(" in ") } == ["tea before", "tea here"])
  }

  @Test(
    "extreme times do no harm",
    arguments: ["0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z"])
  func farTimes(time: String) throws {
    let store = try Fixture().open()
    let lines = (1...2000).map { line("tea \($0)", number: $0, time: time) }
    try store.take([export(lines.joined(separator: "\n"))])
    try store.writeDurably {
      try $0.join($0.participant(identity: "anna").id, $0.makeRoom("lobby").id)
    }
    let all = try found(store, limit: 9_999)
    #expect(all.reversed().map(\.number) == Array(1...2000))
    #expect(all.allSatisfy { $0.isImported })
  }
}
