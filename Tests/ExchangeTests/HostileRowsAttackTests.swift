// SPDX-License-Identifier: GPL-3.0-or-later
import CSQLite
import Foundation
import Repeatable
import StoreFixture
import Testing

@testable import Conversations
@testable import Exchange
@testable import NetworkInbox

/// What anyone who may write a shared store may put into it: any value in any column.
@Suite("Hostile rows", .serialized) struct HostileRowsAttackTests {
  private struct Column: Hashable {
    var table: String
    var name: String
  }

  /// The account that `fill` adds.
  private static let network = "xmpp:anna@example"
  private static let room = ConversationAddress.room("tea@rooms.example")

  /// What a network tells of a room: a page of its archive, and all that looks at stored messages.
  private static func news(_ page: Int) -> [NetworkEvent] {
    let zoe = NetworkUser(identity: "zoe", name: "Zoe")
    func name(_ id: String) -> MessageIDs {
      MessageIDs(origin: id + "-\(page)", archive: "a" + id + "-\(page)")
    }
    func said(_ id: String, at time: Milliseconds?, isPast: Bool) -> NetworkEvent {
      .messageReceived(
        NetworkMessage(
          name: name(id), speaker: zoe, body: id, time: time, answers: name("past"),
          isPast: isPast), in: room)
    }
    func changes(of id: String, at time: Milliseconds?) -> [NetworkEvent] {
      [
        .edited(name(id), by: zoe, in: room, body: "new " + id, at: time, change: name("c" + id)),
        .reacted(
          name(id), author: nil, by: NetworkUser(identity: "max"), in: room, emoji: ["🎉"], at: time,
          change: name("r" + id)),
      ]
    }
    let past: Milliseconds = 1_500_000_000_000
    var news: [NetworkEvent] = [.page(of: room, from: "a\(page)", until: "a\(page - 1)")]
    // These wait for the next page.
    news += changes(of: "before", at: past)
    news.append(said("past", at: past, isPast: true))
    news += changes(of: "past", at: past)
    news += [
      .page(of: room, from: "b\(page)", until: "a\(page)"),
      said("before", at: past, isPast: true), said("gone", at: past, isPast: true),
      said("live", at: nil, isPast: false), said("late", at: past, isPast: false),
    ]
    news += changes(of: "live", at: nil)
    // These wait for ever.
    news += changes(of: "older", at: nil)
    for id in ["late", "older"] {
      news.append(
        .removed(
          archive: "a\(id)-\(page)", room: "tea@rooms.example",
          Removal(moderator: "max", reason: "spam"), at: past))
    }
    news += [
      .retracted(name("gone"), by: zoe, in: room, at: past),
      .receipt(name("live"), by: zoe, in: room, .seen), .read(name("live"), in: room),
      .typing(zoe, in: room, true), .joined(room: "tea@rooms.example", nick: "anna"),
      .present(zoe, room: "tea@rooms.example"), .absent(zoe, room: "tea@rooms.example"),
      .topic(room: "tea@rooms.example", text: "topic \(page)", by: zoe, at: nil),
      .historySent(room: "tea@rooms.example"), .countStrangers, .offline(),
    ]
    return news
  }

  /// A store with one of everything, as a network leaves it behind.
  private func filled() throws -> Lobby {
    let lobby = try Lobby()
    try lobby.fill()
    let account = try #require(try lobby.store.read { try $0.account(network: Self.network) })
    try lobby.store.inbox.apply(Self.news(1), of: account)
    return lobby
  }

  @Test(
    "Whatever time a stored message has, the network's next one is stored",
    arguments: [Milliseconds.min, -1, .max])
  func everyTime(time: Milliseconds) throws {
    let lobby = try filled()
    let account = try #require(try lobby.store.read { try $0.account(network: Self.network) })
    #expect(try lobby.store.count("waiting_change") == 3)
    #expect(try lobby.found("new AND before") == 1)
    try lobby.store.db("UPDATE message SET created_at = \(time)")
    try lobby.store.inbox.apply(Self.news(2), of: account)
    #expect(try lobby.found("new AND past") == 2)
    #expect(try lobby.found("new AND live") == 2)
    #expect(try lobby.store.count("waiting_change") == 6)
  }

  @Test("Whatever a column contains, only that row is lost, and the program goes on")
  func everyColumn() throws {
    let lobby = try filled()
    let base = lobby.fixture.folder + "/base.sqlite"
    try lobby.store.upkeep.backup(to: base)
    try loosen(base)
    let columns = try columns(of: base)
    try #require(columns.count > 100)

    var random = FixedRandom(seed: LongRun.seed)
    var cases = columns.flatMap { column in HostileStore.values.map { (column, $0) } }
    cases.shuffle(using: &random)
    for round in 0..<LongRun.rounds(12) {
      let (column, value) = cases[round % cases.count]
      let isOneRow = random.below(2) == 0
      let fixture = Fixture()
      try FileManager.default.copyItem(atPath: base, toPath: fixture.path)
      guard try put(value, into: column, of: fixture.path, one: isOneRow ? random.next() : nil)
      else { continue }
      let what = "\(column.table).\(column.name) = \(value), one row: \(isOneRow), round \(round)"
      // A trap ends the tests: the last line then says what repeats it.
      if LongRun.factor != nil { print(what) }
      read(fixture, what)
    }
  }

  @Test("Whatever rows are added, even twice, only they are lost, and the program goes on")
  func everyRow() throws {
    let lobby = try filled()
    let base = lobby.fixture.folder + "/base.sqlite"
    try lobby.store.upkeep.backup(to: base)
    var random = FixedRandom(seed: LongRun.seed)
    for round in 0..<LongRun.rounds(12) {
      let fixture = Fixture()
      try FileManager.default.copyItem(atPath: base, toPath: fixture.path)
      let hostile = HostileStore(path: fixture.path)
      let rows = (0...round % 3).map { _ in hostile.addRows(&random) }
      let what = "round \(round): \(rows.joined(separator: "; "))"
      if LongRun.factor != nil { print(what) }
      read(fixture, what)
    }
  }

  /// Takes from the tables what keeps values out of them, as who can write the file can.
  private func loosen(_ path: String) throws {
    let database = try Database(path: path, patience: 0)
    csqlite_let_schema_be_written(database.connection)
    let triggers = try database.rows("SELECT name FROM sqlite_schema WHERE type = 'trigger'") {
      $0.text()
    }
    for trigger in triggers { try database.execute("DROP TRIGGER \(trigger)") }
    try database.execute(
      """
      UPDATE sqlite_schema SET sql = replace(replace(replace(replace(sql, ') STRICT, WITHOUT',
        ') WITHOUT'), ') STRICT', ')'), 'NOT NULL', ''), 'CHECK (id = 1)', '')
      WHERE type = 'table' AND sql LIKE '%STRICT%'
      """)
    database.close()
  }

  private func columns(of path: String) throws -> [Column] {
    let database = try Database(path: path, patience: 0)
    defer { database.close() }
    return try database.rows(
      """
      SELECT t.name AS "table", c.name FROM pragma_table_list t, pragma_table_info(t.name) c
      WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite%' ORDER BY 1, 2
      """
    ) { Column(table: $0.text("table"), name: $0.text("name")) }
  }

  /// - Parameter one: chooses the only row that gets it; nil for all.
  /// - Returns: false where there is no row, or the value cannot stand there: a rowid is a number.
  private func put(
    _ value: String, into column: Column, of path: String, one: UInt64?
  ) throws -> Bool {
    let database = try Database(path: path, patience: 0)
    defer { database.close() }
    try database.execute("PRAGMA foreign_keys=OFF; PRAGMA ignore_check_constraints=ON")
    let rows = try database.first("SELECT count(*) FROM \(column.table)") { $0.int() } ?? 0
    if rows == 0 { return false }
    let key = try database.rows(
      "SELECT name FROM pragma_table_info('\(column.table)') WHERE pk > 0"
    ) { $0.text() }.joined(separator: ", ")
    let place = one.map { Int($0 % UInt64(rows)) }
    let only = place.map {
      " WHERE (\(key)) = (SELECT \(key) FROM \(column.table) LIMIT 1 OFFSET \($0))"
    }
    do {
      try database.execute(
        "UPDATE OR IGNORE \(column.table) SET \(column.name) = \(value)\(only ?? "")")
      return true
    } catch StoreError.failed {
      return false
    }
  }

  // MARK: Reading

  private func read(_ fixture: Fixture, _ what: String) {
    /// What is thrown is a sentence.
    func attempt(_ body: () throws -> Void) {
      do {
        try body()
      } catch let error as StoreError {
        #expect(!error.description.isEmpty)
      } catch is RuleError {
      } catch is AttachmentError {
      } catch is ImportFault {
      } catch {
        Issue.record("\(what): \(error)")
      }
    }
    attempt {
      let store = try fixture.open()
      defer { store.close() }
      let me = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
      attempt { _ = try store.shells.attach(me) }
      var places = ((try? store.read { try $0.listing(for: me) }) ?? []).map(\.conversation.id)
      places += ((try? store.read { try $0.rooms() }) ?? []).map(\.id)
      for place in Set(places) { readPlace(store, place, me, what, attempt) }
      for since in [0, .min, .max - 1] as [Int64] {
        attempt {
          let changes = try store.read { try $0.changes(since: since, for: me) }
          for message in changes.arrived + changes.revised + changes.moved { sound(message, what) }
        }
      }
      attempt { _ = try store.read { try $0.unreadConversations(for: me) } }
      attempt { _ = try store.read { try $0.drafts(of: me) }.map { placed($0.1, what) } }
      attempt { _ = try store.read { try $0.inputHistory(of: me, shell: "a", limit: 100) } }
      attempt {
        for hit in try store.read({
          try $0.search(
            .parse("first", now: fixture.now, zone: .fixed(minutesEast: 0)), for: me)
        }) {
          sound(hit.message, what)
        }
      }
      attempt { _ = try store.read { try $0.outbox(of: "xmpp:anna@example") } }
      attempt { _ = try store.read { try $0.unsent(by: me) } }
      attempt {
        for account in try store.read({ try $0.accounts(of: me) }) {
          _ = try store.read { try $0.approaches(to: account) }
        }
      }
      attempt {
        _ = try store.read { try $0.lookAlikes(among: $0.participants().map(\.id), to: me) }
      }
      attempt { _ = try store.read { try $0.directChats(of: me) } }
      attempt { _ = try store.read { try $0.lastConversation(of: me) } }
      attempt {
        guard let account = try store.read({ try $0.account(network: Self.network) }) else {
          return
        }
        attempt { try store.inbox.apply(Self.news(2), of: account) }
        // One thing that cannot be taken keeps the others of its batch out.
        for item in Self.news(3) { attempt { try store.inbox.apply([item], of: account) } }
      }
      attempt { _ = try store.shells.reapStale() }
      attempt { _ = try store.writeIfNeeded { try $0.forgetOld(now: fixture.now) } }
      attempt { _ = try store.upkeep.pruneAttachments(now: fixture.now) }
      attempt { _ = try store.upkeep.check() }
      attempt {
        let lines = try store.exported()
        // What is exported is taken in elsewhere.
        let elsewhere = Fixture()
        let other = try elsewhere.open()
        defer { other.close() }
        let header = export().split(separator: "\n")[0]
        try other.take(["\(header)\n" + lines.joined(separator: "\n") + "\n"])
      }
    }
  }

  private func readPlace(
    _ store: Store, _ place: ID<Conversation>, _ me: ID<Participant>, _ what: String,
    _ attempt: (() throws -> Void) -> Void
  ) {
    var found: [Message] = []
    attempt { found += try store.read { try $0.messages(in: place, limit: 100, for: me) } }
    attempt {
      found += try store.read { try $0.messages(in: place, before: 9, limit: 100, for: me) }
    }
    attempt {
      found += try store.read { try $0.messages(in: place, numbers: 1...Int.max, for: me) }
    }
    for message in found { sound(message, what) }
    for message in found.prefix(3) {
      attempt { _ = try store.read { try $0.jsonLine(of: message.id) } }
      attempt { _ = try store.read { try $0.revisions(of: message.id) } }
      attempt { _ = try store.read { try $0.reactions(of: message.id) } }
      attempt { _ = try store.read { try $0.recipients(of: message.id) } }
      attempt { _ = try store.read { try $0.files(of: message.id) } }
    }
    attempt { _ = try store.read { try $0.sorts(ofNumbers: 1...Int.max, in: place) } }
    attempt { _ = try store.read { try $0.sort(behindTime: .max, in: place) } }
    attempt { _ = try store.read { try $0.newestSortKey() } }
    attempt {
      _ = try store.read {
        try $0.arrivals(in: place, since: 0, upTo: .max, limit: 99, for: me)
      }
    }
    attempt {
      // Page by page, and each page behind the one before.
      var next = Int64.min
      var pages = 0
      while let last = try store.read({
        try $0.messages(in: place, sorts: next..<(.max), oldest: 1, for: me)
      }).last {
        next = last.sort + 1
        pages += 1
        try #require(pages < 100, "\(what): the same page again and again")
      }
    }
    attempt {
      let marker = try store.read { try $0.readMarker(of: me, in: place) }
      _ = try store.read { try $0.firstUnread(by: me, in: place, behind: marker) }
    }
    attempt { _ = try store.read { try $0.newest(by: me, in: place) } }
    attempt {
      _ = try store.read { try $0.people(in: place) }.map {
        ($0.typingAt ?? 0) - ($0.typingSince ?? 0)
      }
    }
    attempt { _ = try store.read { try $0.members(of: place) } }
    attempt {
      _ = try store.read {
        try $0.messageUpdates(in: place, since: 0, upTo: .max, ofMessagesUpTo: 9, for: me)
      }
    }
    attempt { _ = try store.read { try $0.keep(of: place) } }
    attempt { _ = try store.read { try $0.keepBegins(in: place) } }
    attempt { _ = try store.read { try $0.aged(in: place, before: .max) } }
    attempt { _ = try store.read { try $0.attention(of: me) } }
    attempt { _ = try store.read { try $0.maker(of: place) } }
    attempt { _ = try store.read { try $0.rooms(for: me) } }
    attempt {
      if let draft = try store.read({ try $0.draft(of: me, in: place) }) { placed(draft, what) }
    }
    attempt { try store.writeIfNeeded { try $0.setTyping(true, in: place) } }
    attempt {
      try store.writeIfNeeded { try $0.noteSeen(by: me, in: place, upTo: 5, sendReceipt: true) }
    }
    attempt {
      try store.writeDurablyIfNeeded {
        try $0.setDraft(Draft(text: "é", caret: 1), of: me, in: place)
      }
    }
    attempt {
      let sent = try store.writeDurably { try $0.send("said", in: place, by: me) }
      #expect(
        try store.read { try $0.message(sent.id, for: me) }?.body == "said", "\(what): not shown")
    }
  }

  private func sound(_ message: Message, _ what: String) {
    #expect(Message.numbers.contains(Int64(message.number)), "\(what)")
    #expect(Message.times.contains(message.createdAt), "\(what)")
    let times = [message.editedAt, message.deletedAt].compactMap { $0 }
    #expect(times.allSatisfy(Message.times.contains), "\(what)")
  }

  private func placed(_ draft: Draft, _ what: String) {
    let text = draft.text
    let place = text.utf8.index(text.startIndex, offsetBy: draft.caret, limitedBy: text.endIndex)
    #expect(place.flatMap { String.Index($0, within: text) } != nil, "\(what)")
  }
}
