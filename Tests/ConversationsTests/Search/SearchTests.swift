// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Repeatable
import StoreFixture
import Testing

@testable import Conversations

extension Lobby {
  /// The bodies of what anna finds.
  fileprivate func finds(_ text: String, for me: ID<Participant>? = nil) throws -> [String] {
    let query = try SearchQuery.parse(text, now: fixture.now, zone: .fixed(minutesEast: 0))
    return try store.read { try $0.search(query, for: me ?? anna) }.map(\.message.body)
  }
}

@Suite("Search") struct SearchTests {
  @Test(
    "Words are found in any language",
    arguments: [
      ("今日は東京で会議があります", ["会議", "東京で会", "会*", "が"]),
      ("เราไปประชุมกันวันนี้", ["ประชุม", "วันนี้"]),
      ("오늘 회의를 합니다", ["회의", "회의를", "합니다"]),
      ("party🎉time", ["party", "🎉", "time", "party🎉", "PARTY🎉time"]),
      ("Zażółć gęślą jaźń", ["zazolc", "GESLA", "jaźń", "jaz*"]),
      ("Straße nach Ærø", ["strasse", "Ærø", "ÆR*"]),
      ("наш Йод", ["иод", "ЙОД"]),
      ("see https://example.org/a_b?c=1", ["https://example.org/a_b", "example.org", "\"a_b\""]),
      (
        "it's 100% \"quoted\" (really) * AND {x}",
        [
          "it's", "100%", "\"quoted", "(really)", "AND", "{x}", "it's AND x",
        ]
      ),
    ] as [(String, [String])])
  func languages(body: String, queries: [String]) throws {
    let lobby = try Lobby()
    try lobby.says("something else, 社の題")
    try lobby.says(body)
    for query in queries { #expect(try lobby.finds(query) == [body], "\(query)") }
  }

  @Test("Newest first, page by page")
  func pages() throws {
    let lobby = try Lobby()
    let messages = try (1...7).map { try lobby.says("tea \($0)") }
    let query = try SearchQuery.parse("tea")
    #expect(
      try lobby.store.read { try $0.search(query, for: lobby.anna) }.map(\.message)
        == messages.reversed())
    let first = try lobby.store.read { try $0.search(query, for: lobby.anna, limit: 3) }
    #expect(first.map(\.message.number) == [7, 6, 5])
    let next = try lobby.store.read {
      try $0.search(
        query, for: lobby.anna, limit: 9, before: first.last?.message.id)
    }
    #expect(next.map(\.message.number) == [4, 3, 2, 1])
    #expect(try lobby.store.read { try $0.search(query, for: lobby.anna, limit: 0) }.isEmpty)
    #expect(next[0].ranges == [0..<3])
  }

  @Test func allWordsInAnyOrderPhrasesInOrder() throws {
    let lobby = try Lobby()
    try lobby.says("one two three")
    try lobby.says("three two one")
    #expect(try lobby.finds("one three").count == 2)
    #expect(try lobby.finds("\"one two\"") == ["one two three"])
    #expect(try lobby.finds("\"two o\"*") == ["three two one"])
    #expect(try lobby.finds("one four").isEmpty)
    #expect(try lobby.finds("thre").isEmpty)
    #expect(try lobby.finds("thre*").count == 2)
  }

  @Test("A deleted or cancelled message is not found, nor a text that an edit replaced")
  func gone() throws {
    let lobby = try Lobby()
    let (one, two, three) = (
      try lobby.says("tea a"), try lobby.says("tea b"), try lobby.says("tea c")
    )
    try lobby.store.writeDurably { try $0.edit(one.id, to: "coffee", by: lobby.anna) }
    _ = try lobby.store.writeDurably { try $0.takeBack(two.id, by: lobby.anna) }
    try lobby.store.writeDurably { try $0.deleteMessage(three.id, by: lobby.anna) }
    #expect(try lobby.finds("tea").isEmpty)
    #expect(try lobby.finds("from:anna") == ["coffee"])
    #expect(try lobby.store.upkeep.check().allSatisfy { $0.severity == .fine })
  }

  @Test func onlyMyConversations() throws {
    let lobby = try Lobby()
    let store = lobby.store
    let eve = try store.writeDurablyIfNeeded { try $0.participant(identity: "eve") }.id
    let secret = try store.writeDurablyIfNeeded { try $0.directChat(lobby.anna, with: lobby.ben) }
    let other = try store.writeDurablyIfNeeded { try $0.makeRoom("other") }.id
    try store.writeDurablyIfNeeded { try $0.join(lobby.ben, other) }
    try lobby.says("tea in the lobby")
    try store.writeDurably { try $0.send("tea in secret", in: secret.id, by: lobby.anna) }
    try store.writeDurably { try $0.send("tea elsewhere", in: other, by: lobby.ben) }
    #expect(try lobby.finds("tea") == ["tea in secret", "tea in the lobby"])
    #expect(try lobby.finds("tea", for: eve).isEmpty)
    #expect(throws: RuleError.notAMember("#other")) { try lobby.finds("tea in:other") }
    #expect(throws: RuleError.noSuchRoom("@anna")) { try lobby.finds("tea in:@anna", for: eve) }
    // Who comes later may read what was said before, as with /history.
    try store.writeDurablyIfNeeded { try $0.join(eve, lobby.lobby) }
    #expect(try lobby.finds("tea", for: eve) == ["tea in the lobby"])
    // Who leaves has the stay.
    try store.writeDurablyIfNeeded { try $0.leave(eve, lobby.lobby) }
    try lobby.says("tea again")
    #expect(try lobby.finds("tea", for: eve).isEmpty)
    try store.writeDurablyIfNeeded { try $0.leave(lobby.ben, lobby.lobby) }
    try lobby.says("tea without ben")
    #expect(
      try lobby.finds("tea in:lobby", for: lobby.ben) == ["tea again", "tea in the lobby"])
  }

  @Test func filters() throws {
    let lobby = try Lobby()
    let store = lobby.store
    let day: Milliseconds = 86_400_000
    let room = try store.writeDurablyIfNeeded { try $0.makeRoom("tea-room") }.id
    try store.writeDurablyIfNeeded { try $0.join(lobby.anna, room) }
    lobby.fixture.now = 1_795_264_200_000 - 40 * day  // 2026-10-12
    try lobby.says("tea old")
    lobby.fixture.now += 40 * day - 3_600_000
    try lobby.says("tea an hour ago")
    lobby.fixture.now += 3_600_000
    try lobby.benSays("tea now")
    try store.writeDurably { try $0.send("tea there", in: room, by: lobby.anna) }
    #expect(try lobby.finds("tea from:ben") == ["tea now"])
    #expect(try lobby.finds("tea from:me in:lobby") == ["tea an hour ago", "tea old"])
    #expect(try lobby.finds("in:#TEA-ROOM") == ["tea there"])
    #expect(try lobby.finds("tea from:ben from:anna in:lobby").count == 3)
    #expect(try lobby.finds("tea since:2026-11-21T12:00 in:lobby") == ["tea now"])
    #expect(try lobby.finds("tea since:today in:lobby") == ["tea now", "tea an hour ago"])
    #expect(try lobby.finds("tea until:2026-10") == ["tea old"])
    #expect(try lobby.finds("until:2026-10-11").isEmpty)
    #expect(try lobby.finds("since:2025 until:2026-11-20") == ["tea old"])
    #expect(try lobby.finds("since:2027").isEmpty)
    #expect(throws: RuleError.noSuchParticipant("nobody")) { try lobby.finds("from:nobody") }
    #expect(throws: RuleError.noSuchRoom("nowhere")) { try lobby.finds("in:nowhere") }
    #expect(throws: RuleError.noSuchRoom("a b")) { try lobby.finds("in:\"a b\"") }
    // Someone who is called so goes before oneself.
    let me = try store.writeDurablyIfNeeded { try $0.participant(identity: "me") }.id
    try store.writeDurablyIfNeeded { try $0.join(me, lobby.lobby) }
    try store.writeDurably { try $0.send("tea of me", in: lobby.lobby, by: me) }
    #expect(try lobby.finds("from:me") == ["tea of me"])
  }

  @Test("A search for files goes through messages with files only")
  func files() throws {
    let lobby = try Lobby()
    let database = lobby.store.database
    let messages = try (1...9).map { try lobby.says("tea \($0)") }
    #expect(try lobby.finds("tea has:file").isEmpty)
    for (number, ordinal) in [(3, 1), (5, 1), (5, 2), (7, 1)] {
      try database.run(
        """
        INSERT INTO attachment(message, ordinal, hash, name, type, bytes)
        VALUES (?, ?, zeroblob(32), 'a.txt', 'text/plain', 1)
        """, messages[number - 1].id, ordinal)
    }
    try lobby.store.writeDurably { try $0.edit(messages[6].id, to: "coffee", by: lobby.anna) }
    #expect(try lobby.finds("has:file tea") == ["tea 5", "tea 3"])
    #expect(try lobby.finds("has:file") == ["coffee", "tea 5", "tea 3"])
    #expect(try lobby.finds("has:file from:ben").isEmpty)
    let query = SearchQuery(hasFile: true)
    #expect(
      try lobby.store.read { try $0.search(query, for: lobby.anna, before: messages[6].id) }.count
        == 2)
    let sql = try #require(database.known.first { $0.contains("FROM attachment a") })
    let plan = try database.rows("EXPLAIN QUERY PLAN " + sql) { $0.text("detail") }
    #expect(!plan.contains { $0.contains("TEMP B-TREE") || $0 == "SCAN m" }, "\(plan)")
  }

  @Test(
    "Messages with impossible times are found, too",
    arguments: [
      -1, 253_402_300_799_999, Int64.max, Int64.min,
    ])
  func strangeTimes(time: Milliseconds) throws {
    let lobby = try Lobby()
    lobby.fixture.now = time
    try lobby.says("tea")
    #expect(try lobby.finds("tea") == ["tea"])
    #expect(try lobby.finds("from:anna") == ["tea"])
    let query = SearchQuery(
      since: time == .min ? time : time - 1, until: time == .max ? nil : time + 1)
    let hits = try lobby.store.read { try $0.search(query, for: lobby.anna) }
    #expect(hits.count == 1)
  }

  @Test("No input is an error of the search index")
  func anyInput() throws {
    let lobby = try Lobby()
    try lobby.says("hello")
    var random = FixedRandom(seed: 3)
    let alphabet =
      Array("ab\"*:(){}^+-,. \\\0'ANDORNEAR0é会🎉%;#@").map(String.init) + ["from:anna", "in:lobby"]
    for _ in 0..<2_000 {
      let text = (0..<Int.random(in: 1...12, using: &random))
        .map { _ in alphabet.randomElement(using: &random) ?? "" }.joined()
      do {
        _ = try lobby.finds(text)
      } catch is SearchError {
      } catch is RuleError {
      }
    }
  }

  @Test("The index agrees with a plain scan of all messages (property)", arguments: [1, 2, 3])
  func model(seed: UInt64) throws {
    let lobby = try Lobby()
    var random = FixedRandom(seed: seed)
    let words = [
      "tea", "Tea", "téa", "team", "kettle", "会", "会議", "議", "🎉", "ที่", "회의", "Łódź", "lodz", "ß",
      "ss", "-", "a_b", "a\"b", "\"",
    ]
    let glue = [" ", "", ", ", "\n"]
    func text() -> String {
      (0..<Int.random(in: 1...6, using: &random)).map { _ in
        (words.randomElement(using: &random) ?? "") + (glue.randomElement(using: &random) ?? "")
      }.joined()
    }
    var ids: [ID<Message>] = []
    for _ in 0..<250 {
      switch Int.random(in: 0...9, using: &random) {
      case 0 where !ids.isEmpty:
        _ = try? lobby.store.writeDurably({
          try $0.edit(ids.randomElement(using: &random)!, to: text(), by: lobby.anna)
        })
      case 1 where !ids.isEmpty:
        _ = try? lobby.store.writeDurably({
          try $0.deleteMessage(ids.randomElement(using: &random)!, by: lobby.anna)
        })
      case 2 where !ids.isEmpty:
        _ = try? lobby.store.writeDurably({
          try $0.takeBack(ids.randomElement(using: &random)!, by: lobby.anna)
        })
      default:
        ids.append(try lobby.says(text()).id)
      }
    }
    let all = try lobby.store.read { try $0.messages(in: lobby.lobby, limit: 999, for: lobby.anna) }
      .filter { $0.deletedAt == nil }.reversed()
    for _ in 0..<300 {
      let terms = (0..<Int.random(in: 1...3, using: &random)).map { _ in
        SearchQuery.Term(text(), isPrefix: Bool.random(using: &random))
      }.filter { !Tokenizer.tokens(of: $0.text).isEmpty }
      if terms.isEmpty { continue }
      let query = SearchQuery(terms: terms)
      let wanted = all.filter { message in
        terms.allSatisfy { contains(Tokenizer.tokens(of: message.body), $0) }
      }
      let found = try lobby.store.read { try $0.search(query, for: lobby.anna, limit: 999) }
      #expect(found.map(\.message.id) == wanted.map(\.id), "\(terms)")
      #expect(found.allSatisfy { !$0.ranges.isEmpty })
    }
    #expect(try lobby.store.upkeep.check().allSatisfy { $0.severity == .fine })
  }

  /// The model: pieces joined by blanks, and a plain search for a text in them.
  private func contains(_ tokens: [Tokenizer.Token], _ term: SearchQuery.Term) -> Bool {
    func line(_ tokens: [Tokenizer.Token]) -> String {
      " " + tokens.map { String(decoding: $0.folded, as: UTF8.self) }.joined(separator: " ")
    }
    return (line(tokens) + " ").utf8Contains(
      line(Tokenizer.tokens(of: term.text)) + (term.isPrefix ? "" : " "))
  }

  @Test func aBodyOfAnyLengthIsFound() throws {
    let lobby = try Lobby()
    let long = String(repeating: "word ", count: 40_000) + "needle"
    let blob = String(repeating: "QUJD", count: 50_000)
    try lobby.says(long)
    try lobby.says(blob)
    #expect(try lobby.finds("needle") == [long])
    #expect(try lobby.finds(blob) == [blob])
  }

  @Test("Searching steps from hit to hit, without sorting or reading all messages")
  func plan() throws {
    let lobby = try Lobby()
    try lobby.says("tea")
    _ = try lobby.finds("tea from:anna in:lobby since:2020")
    _ = try lobby.store.read { try $0.unreadConversations(for: lobby.ben) }
    for sql in lobby.store.database.known where sql.contains("MATCH") {
      let plan = try lobby.store.database.rows("EXPLAIN QUERY PLAN " + sql) { $0.text("detail") }
      #expect(
        plan.first { !$0.contains("SCALAR") }?.contains("message_text VIRTUAL TABLE") == true,
        "\(plan)")
      #expect(
        !plan.contains {
          $0.contains("TEMP B-TREE") || $0.hasPrefix("SCAN m") && !$0.contains("message_text")
        }, "\(plan)")
    }
  }
}

extension String {
  fileprivate func utf8Contains(_ other: String) -> Bool {
    Data(utf8).range(of: Data(other.utf8)) != nil
  }
}

@Suite("7.7: Unread across conversations") struct UnreadTests {
  @Test func countsAndMentions() throws {
    let lobby = try Lobby()
    let store = lobby.store
    _ = try store.writeDurably { try $0.rename(lobby.ben, to: "Benjamin") }
    let tea = try store.writeDurablyIfNeeded { try $0.makeRoom("tea") }.id
    try store.writeDurablyIfNeeded { try $0.join(lobby.anna, tea) }
    try store.writeDurablyIfNeeded { try $0.join(lobby.ben, tea) }
    try lobby.says("ben: before it was read")
    try store.writeIfNeeded {
      try $0.noteSeen(by: lobby.ben, in: lobby.lobby, upTo: 1, sendReceipt: false)
    }
    try lobby.says("hello @Benjamin")
    try lobby.says("BEN?")
    try lobby.says("bend")
    try lobby.benSays("ben speaks of ben")
    let forgotten = try lobby.says("ben, forget it").id
    try store.writeDurably { try $0.deleteMessage(forgotten, by: lobby.anna) }
    try store.writeDurably { try $0.send("tea", in: tea, by: lobby.anna) }
    let unread = try store.read { try $0.unreadConversations(for: lobby.ben) }
    #expect(Set(unread.map(\.conversation.name)) == ["#lobby", "#tea"])
    let here = try #require(unread.first { $0.conversation.name == "#lobby" })
    #expect((here.count, here.mentions) == (3, 2))
    #expect(unread.first { $0.conversation.name == "#tea" }?.mentions == 0)
    #expect(try store.read { try $0.unreadConversations(for: lobby.anna) }.map(\.count) == [1])
  }
}
