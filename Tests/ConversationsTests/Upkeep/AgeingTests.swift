// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import StoreFixture
import Testing

@testable import Conversations
@testable import NetworkInbox

@Suite("A store for a lifetime") struct AgeingTests {
  private let day: Milliseconds = 86_400_000

  /// Ten messages of anna, a day apart; the clock stands at the last.
  private func tenDays() throws -> (Lobby, [Message]) {
    let lobby = try Lobby()
    let messages = try (1...10).map { number in
      lobby.fixture.now += day
      return try lobby.says("word\(number)")
    }
    return (lobby, messages)
  }

  private func numbers(_ lobby: Lobby) throws -> [Int] {
    try lobby.store.read { try $0.messages(in: lobby.lobby, limit: 999, for: lobby.anna) }.map(
      \.number)
  }

  @Test func nothingGoesUnlessAsked() throws {
    let (lobby, _) = try tenDays()
    #expect(try lobby.store.read { try $0.keep(of: lobby.lobby) } == nil)
    #expect(try lobby.store.writeIfNeeded { try $0.forgetOld(now: .max) } == 0)
    try lobby.store.writeDurablyIfNeeded { try $0.setKeep(lobby.lobby, 5 * day) }
    #expect(try lobby.other.read { try $0.keep(of: lobby.lobby) } == 5 * day)
    try lobby.store.writeDurablyIfNeeded { try $0.setKeep(lobby.lobby, 0) }
    #expect(try lobby.store.read { try $0.keep(of: lobby.lobby) } == nil)
    #expect(try lobby.store.writeIfNeeded { try $0.forgetOld(now: .max) } == 0)
    #expect(try numbers(lobby).count == 10)
  }

  @Test("7.12: what will be deleted is counted, and deleted a day later unless someone stops it")
  func aDayLater() throws {
    let (lobby, messages) = try tenDays()
    let store = lobby.store
    let position = try store.read { try $0.position }
    let begin = lobby.fixture.now + day
    #expect(try store.read { try $0.aged(in: lobby.lobby, before: begin - 5 * day) }.messages == 5)
    try store.writeDurably { try $0.deleteMessage(messages[0].id, by: lobby.anna) }
    #expect(try store.read { try $0.aged(in: lobby.lobby, before: begin - 5 * day) }.messages == 4)
    try store.writeDurablyIfNeeded {
      try $0.setKeep(lobby.lobby, 5 * day, by: lobby.anna, after: day)
    }
    let event = try #require(
      try lobby.other.read { try $0.changes(since: position, for: lobby.ben) }.events.first)
    #expect(event.kind == .keep && event.text == String(5 * day))
    #expect(try store.read { try $0.keepBegins(in: lobby.lobby) } == begin)
    #expect(try store.writeIfNeeded { try $0.forgetOld(now: begin - 1) } == 0)
    try lobby.other.writeDurablyIfNeeded {
      try $0.setKeep(lobby.lobby, nil, by: lobby.ben, after: day)
    }
    #expect(try store.read { try $0.keepBegins(in: lobby.lobby) } == nil)
    #expect(try store.writeIfNeeded { try $0.forgetOld(now: begin) } == 0)
    try store.writeDurablyIfNeeded {
      try $0.setKeep(lobby.lobby, 5 * day, by: lobby.anna, after: day)
    }
    #expect(try store.writeIfNeeded { try $0.forgetOld(now: begin) } == 5)
    lobby.fixture.now = begin
    #expect(try store.read { try $0.keepBegins(in: lobby.lobby) } == nil)
  }

  @Test("Old messages go in small steps, with all that belongs to them")
  func smallSteps() throws {
    let (lobby, messages) = try tenDays()
    let store = lobby.store
    try store.writeDurably { try $0.edit(messages[0].id, to: "word1 again", by: lobby.anna) }
    try store.writeDurably { try $0.react(messages[0].id, by: lobby.ben, with: "🎉") }
    let answer = try store.writeDurably {
      try $0.send("re", in: lobby.lobby, by: lobby.anna, replyTo: messages[1].id)
    }
    try store.writeDurablyIfNeeded { try $0.setKeep(lobby.lobby, 5 * day) }
    _ = try lobby.other.bellDescriptor
    _ = lobby.other.drainBell()
    #expect(try store.writeIfNeeded { try $0.forgetOld(now: lobby.fixture.now, budget: 3) } == 3)
    #expect(try numbers(lobby) == Array(4...11))
    #expect(try store.writeIfNeeded { try $0.forgetOld(now: lobby.fixture.now, budget: 3) } == 1)
    #expect(try store.writeIfNeeded { try $0.forgetOld(now: lobby.fixture.now) } == 0)
    #expect(!lobby.other.drainBell().contains(.changed))
    #expect(try numbers(lobby) == Array(5...11))
    for table in ["revision", "reaction"] {
      #expect(try store.database.first("SELECT count(*) FROM \(table)") { $0.int() } == 0)
    }
    #expect(try lobby.found("word1") == 0)
    #expect(
      try store.read { try $0.message(answer.id, for: lobby.anna) }?.replyTo
        == Quote(number: 2, senderName: "", line: "", isDeleted: true))
    #expect(try store.upkeep.check().allSatisfy { $0.severity == .fine })
  }

  @Test("7.5: Numbers are not used again, even when all are gone")
  func numbersAreNotUsedAgain() throws {
    let (lobby, messages) = try tenDays()
    try lobby.store.writeDurablyIfNeeded { try $0.setKeep(lobby.lobby, 1) }
    #expect(try lobby.store.writeIfNeeded { try $0.forgetOld(now: lobby.fixture.now + day) } == 10)
    let next = try lobby.says("next")
    #expect(next.number == 11)
    #expect(next.id.rawValue > messages[9].id.rawValue)
    #expect(try numbers(lobby) == [11])
  }

  @Test func whatIsForgottenIsNotUnread() throws {
    let (lobby, _) = try tenDays()
    func unread() throws -> Int? {
      try lobby.store.read { try $0.listing(for: lobby.ben) }.first?.unread
    }
    #expect(try unread() == 10)
    try lobby.store.writeDurablyIfNeeded { try $0.setKeep(lobby.lobby, 5 * day) }
    try lobby.store.writeIfNeeded { try $0.forgetOld(now: lobby.fixture.now) }
    #expect(try unread() == 6)
    try lobby.store.writeIfNeeded {
      try $0.noteSeen(by: lobby.ben, in: lobby.lobby, upTo: 8, sendReceipt: true)
    }
    #expect(try unread() == 2)
    try lobby.benSays("mine")
    #expect(try unread() == 2)
  }

  @Test("Age counts, not the order of arrival; what waits for a network stays")
  func ageCounts() throws {
    let lobby = try Lobby()
    let account = try lobby.other.writeDurably {
      try $0.addAccount(owner: lobby.anna, network: "xmpp:anna@x")
    }
    let room = try lobby.other.writeDurablyIfNeeded {
      try $0.networkRoom("tea", network: account.network)
    }.id
    try lobby.store.writeDurablyIfNeeded { try $0.join(lobby.anna, room) }
    let waiting = try lobby.store.writeDurably { try $0.send("waiting", in: room, by: lobby.anna) }
    func hear(_ body: String, at time: Milliseconds) throws {
      try lobby.other.hear(body, from: "eve", in: .room("tea"), of: account, at: time)
    }
    lobby.fixture.now += 9 * day
    try hear("new", at: lobby.fixture.now)
    try hear("late but old", at: lobby.fixture.now - 18 * day)
    try lobby.store.writeDurablyIfNeeded { try $0.setKeep(room, day) }
    #expect(try lobby.store.writeIfNeeded { try $0.forgetOld(now: lobby.fixture.now) } == 1)
    let left = try lobby.store.read { try $0.messages(in: room, limit: 9, for: lobby.anna) }
    #expect(left.map(\.body) == ["waiting", "new"])
    try lobby.other.writeDurably {
      try $0.finish(
        try #require(try $0.outbox(of: account.network).first), as: .sent)
    }
    #expect(try lobby.store.writeIfNeeded { try $0.forgetOld(now: lobby.fixture.now) } == 1)
    #expect(try lobby.store.read { try $0.message(waiting.id, for: lobby.anna) } == nil)
  }

  @Test func longMessagesMakeAStepShorter() throws {
    let lobby = try Lobby()
    for _ in 1...5 { try lobby.says(String(repeating: "x ", count: 50_000)) }
    try lobby.store.writeDurablyIfNeeded { try $0.setKeep(lobby.lobby, 1) }
    #expect(try lobby.store.writeIfNeeded { try $0.forgetOld(now: lobby.fixture.now + day) } == 2)
  }

  @Test func spaceIsGivenBackInSmallSteps() throws {
    let lobby = try Lobby()
    for number in 1...200 { try lobby.says(String(repeating: "word\(number) ", count: 100)) }
    try lobby.store.writeDurablyIfNeeded { try $0.setKeep(lobby.lobby, 1) }
    while try lobby.store.writeIfNeeded({ try $0.forgetOld(now: lobby.fixture.now + day) }) > 0 {}
    func pages() throws -> Int {
      try lobby.store.database.first("PRAGMA page_count") { $0.int() } ?? 0
    }
    let before = try pages()
    #expect(try lobby.store.upkeep.compactStep(pages: 0) == 0)
    #expect(try lobby.store.upkeep.compactStep(pages: 5) == 5)
    #expect(try pages() == before - 5)
    while try lobby.store.upkeep.compactStep(pages: 20) > 0 {}
    #expect(try pages() < before - 20)
    #expect(try lobby.store.upkeep.check().allSatisfy { $0.severity == .fine })
  }

  @Test("Compacting leaves no word of what was deleted")
  func compacting() throws {
    let lobby = try Lobby()
    for number in 1...300 {
      try lobby.says("filler \(number) " + String(repeating: "x", count: 500))
    }
    let secret = try lobby.says("unspeakablesecret")
    try lobby.says("afterwards")
    try lobby.store.writeDurably { try $0.deleteMessage(secret.id, by: lobby.anna) }
    try lobby.store.writeDurablyIfNeeded { try $0.setKeep(lobby.lobby, 1) }
    lobby.fixture.now += day
    for _ in 1...2 {
      try lobby.store.writeIfNeeded { try $0.forgetOld(now: lobby.fixture.now, budget: 150) }
    }
    #expect(try lobby.store.upkeep.compact() > 100_000)
    for name in ["", "-wal"] {
      let bytes = FileManager.default.contents(atPath: lobby.fixture.path + name) ?? Data()
      #expect(bytes.range(of: Data("unspeakablesecret".utf8)) == nil)
      #expect(bytes.range(of: Data("unspeakable".utf8)) == nil)
    }
    #expect(try lobby.found("afterwards") == 1)
    #expect(try lobby.other.upkeep.check().allSatisfy { $0.severity == .fine })
    try lobby.benSays("goes on")
    #expect(try lobby.found("goes") == 1)
  }

  @Test("A file that cannot give space back can after compacting")
  func olderFiles() throws {
    let fixture = Fixture()
    _ = FileManager.default.createFile(atPath: fixture.path, contents: nil)
    let database = try Database(path: fixture.path, patience: 0)
    try database.execute("PRAGMA auto_vacuum=NONE; PRAGMA journal_mode=WAL")
    try Schema.migrate(database, shared: false)
    database.close()
    let store = try fixture.open()
    try store.database.execute("CREATE TABLE junk(x); INSERT INTO junk VALUES (zeroblob(99999))")
    try store.database.execute("DROP TABLE junk")
    #expect(try store.upkeep.compactStep(pages: 9) == 0)
    try store.upkeep.compact()
    #expect(try store.database.first("PRAGMA auto_vacuum") { $0.int() } == 2)
  }
}
