// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import StoreFixture
import Testing

@testable import Conversations

@Suite("A store of an older program") struct MigrationTests {
  /// A store as the first version made it, with what it could hold.
  private func old(_ fixture: Fixture) throws {
    _ = FileManager.default.createFile(atPath: fixture.path, contents: nil)
    chmod(fixture.path, 0o600)
    let database = try Database(path: fixture.path, patience: 0)
    try database.execute("PRAGMA journal_mode=WAL")
    try Schema.migrate(database, steps: [Schema.first], shared: false)
    try database.execute(
      """
      INSERT INTO participant(id, network, identity, name) VALUES (1, '', 'anna', 'anna');
      INSERT INTO participant(id, network, identity, name) VALUES (2, '', 'ben', 'ben');
      INSERT INTO participant(id, network, identity, name) VALUES (3, '', 'José', 'José');
      INSERT INTO conversation(id, kind, network, name, folded, last_number, last_at)
        VALUES (1, 0, '', '#lobby', '#lobby', 3, 1700000000000);
      INSERT INTO membership(conversation, participant, first) VALUES (1, 1, 1), (1, 2, 1);
      INSERT INTO message(id, uid, conversation, number, sender, kind, state, gone, created_at, body)
        VALUES (5, x'01', 1, 1, 1, 0, 2, 0, 1700000000000, '今日は会議 Łódź'),
          (6, x'02', 1, 2, 2, 0, 2, 1, 1700000000000, ''),
          (7, x'03', 1, 3, 2, 0, 2, 0, 1700000000000, 'second');
      INSERT INTO revision(message, ordinal, body, at) VALUES (7, 1, 'secnd', 1700000000000);
      UPDATE meta SET change = 7;
      """)
    database.close()
  }

  @Test func keepsEverythingAndLearnsToSearch() throws {
    let fixture = Fixture()
    try old(fixture)
    let store = try fixture.open()
    #expect(try Schema.version(of: store.database) == Schema.version)
    #expect(try store.upkeep.check().map(\.severity).max() == .fine)
    let anna = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
    let room = try #require(try store.read { try $0.room("lobby") }).id
    let messages = try store.read { try $0.messages(in: room, limit: 9, for: anna) }
    #expect(messages.map(\.body) == ["今日は会議 Łódź", "", "second"])
    #expect(messages.allSatisfy { $0.replyTo == nil })
    #expect(try store.read { try $0.revisions(of: messages[2].id) }.map(\.body) == ["secnd"])
    for text in ["会議", "lodz", "since:2023-11 in:lobby lodz"] {
      let found = try store.read { try $0.search(try SearchQuery.parse(text), for: anna) }
      #expect(found.map(\.message.number) == [1], "\(text)")
    }
    #expect(
      try store.read { try $0.search(SearchQuery(senders: ["ben"]), for: anna) }.map(
        \.message.number) == [3])
    #expect(try store.writeDurably { try $0.send("next", in: room, by: anna) }.number == 4)
    try store.writeIfNeeded { try $0.setLastConversation(room, of: anna) }
    #expect(try store.read { try $0.rooms() }.map(\.name) == ["#lobby"])
    #expect(try store.writeDurably { try $0.react(messages[0].id, by: anna, with: "🎉") } == .set)
    // People of old are found as those who came later are.
    #expect(try store.writeDurablyIfNeeded { try $0.participant(identity: "ANNA") }.id == anna)
    #expect(try store.read { try $0.find(participant: "Ben") }?.identity == "ben")
    #expect(try store.read { try $0.participants() }.count == 3)
    #expect(
      try store.writeDurablyIfNeeded { try $0.participant(identity: "jose\u{301}") }.name == "José")
  }

  @Test("an older program's import into a used room is past; a room it created is not")
  func knowsThePast() throws {
    let fixture = Fixture()
    try old(fixture)
    let database = try Database(path: fixture.path, patience: 0)
    try database.execute(
      """
      INSERT INTO conversation(id, kind, network, name, folded, last_number, last_at)
        VALUES (2, 0, '', '#tea', '#tea', 1, 1500000000000);
      INSERT INTO message(id, uid, conversation, number, sender, kind, state, created_at, body)
        VALUES (-9, x'04', 1, 4, 2, 0, 2, 1500000000001, 'later'),
          (-8, x'05', 1, 5, 1, 0, 2, 1500000000000, 'earlier'),
          (-7, x'06', 2, 1, 1, 0, 2, 1500000000000, 'a room of its own');
      UPDATE conversation SET last_number = 5 WHERE id = 1;
      """)
    database.close()
    let store = try fixture.open()
    let anna = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
    let room = try #require(try store.read { try $0.room("lobby") }).id
    let messages = try store.read { try $0.messages(in: room, limit: 9, for: anna) }
    #expect(messages.map(\.number) == [5, 4, 1, 2, 3])
    #expect(messages.map(\.isPast) == [true, true, false, false, false])
    #expect(try store.read { try $0.listing(for: anna) }.map(\.unread) == [1])
    #expect(try store.read { try $0.newest(by: anna, in: room) }?.number == 1)
    let tea = try #require(try store.read { try $0.room("tea") }).id
    #expect(
      try store.read { try $0.messages(in: tea, limit: 9, for: anna) }.map(\.isPast) == [false])
    #expect(try store.upkeep.check().map(\.severity).max() == .fine)
  }

  @Test func twoProcessesAtTheSameTime() throws {
    let fixture = Fixture()
    try old(fixture)
    let path = fixture.path
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      #expect(throws: Never.self) { try Store(path: path).close() }
    }
    #expect(try fixture.open().upkeep.check().map(\.severity).max() == .fine)
  }
}
