// SPDX-License-Identifier: GPL-3.0-or-later
import StoreFixture
import Testing

@testable import Conversations
@testable import NetworkInbox

@Suite("The cost of a query does not grow with the store") struct QueryPlanTests {
  /// Everything a shell asks, but for `check()`.
  private func askEverything(_ lobby: Lobby) throws {
    let (store, anna, room) = (lobby.store, lobby.anna, lobby.lobby)
    _ = try store.shells.attach(anna)
    try store.shells.show(room)
    try store.writeIfNeeded { try $0.setTyping(true, in: room) }
    let position = try store.read { try $0.position }
    let message = try store.writeDurably { try $0.send("one", in: room, by: anna, typed: "one") }
    try store.writeDurably { try $0.edit(message.id, to: "two", by: anna) }
    let before = try store.writeDurably { try $0.send("before", in: room, by: anna) }
    try store.database.run("UPDATE message SET brought = 2 WHERE id = ?", before.id)
    _ = try store.read { try $0.messages(in: room, limit: 50, for: anna) }
    _ = try store.read { try $0.messages(in: room, numbers: 1...9, for: anna) }
    _ = try store.read { try $0.messages(in: room, before: 9, limit: 50, for: anna) }
    _ = try store.read { try $0.messages(in: room, sorts: 0..<9, oldest: 9, for: anna) }
    _ = try store.read { try $0.sorts(ofNumbers: 1...9, in: room) }
    _ = try store.read { try $0.sort(behindTime: 9, in: room) }
    _ = try store.read { try $0.newestSortKey() }
    _ = try store.read { try $0.arrivals(in: room, since: 1, upTo: 9, limit: 9, for: anna) }
    for query in ["x", "has:file"] {
      _ = try store.read { try $0.search(SearchQuery.parse(query), for: anna) }
    }
    try store.writeDurably { try $0.setKeep(room, 9, by: anna) }
    _ = try store.read { try $0.aged(in: room, before: 9) }
    try store.writeIfNeeded { try $0.forgetOld(now: 9) }
    _ = try store.read { try $0.firstUnread(by: anna, in: room, behind: 0) }
    _ = try store.read { try $0.newest(by: anna, in: room) }
    _ = try store.read { try $0.unsent(by: anna) }
    _ = try store.read { try $0.unsent(by: anna, in: room) }
    _ = try store.read { try $0.revisions(of: message.id) }
    _ = try store.read { try $0.recipients(of: message.id) }
    _ = try store.read { try $0.changes(since: position, for: anna) }
    _ = try store.read {
      try $0.messageUpdates(
        in: room, since: position, upTo: try $0.position, ofMessagesUpTo: 9, for: anna)
    }
    _ = try store.read { try $0.listing(for: anna) }
    // Her first letter is Cyrillic.
    let twin = try store.writeDurably { try $0.participant(identity: "\u{430}nna") }
    try store.database.run("UPDATE participant SET name = 'anna' WHERE id = ?", twin.id)
    _ = try store.read { try $0.sharedNames(for: anna, in: room) }
    _ = try store.read { try $0.lookAlikes(to: anna) }
    _ = try store.read { try $0.joined(by: anna) }
    _ = try store.read { try $0.unreadConversations(for: anna, in: [room]) }
    _ = try store.read { try $0.deliveryCounts(of: message) }
    _ = try store.read { try $0.othersHere(in: room, than: anna) }
    _ = try store.read { try $0.lastSpoke(anna, in: room) }
    _ = try store.read { try $0.hasMoreMembers(than: 20, in: room) }
    _ = try store.read { try $0.events(in: room, after: 0, upTo: position) }
    _ = try store.read { try $0.events(in: room, from: 0, behind: nil, until: .max, limit: 9) }
    _ = try store.read { try $0.reasonForRemoval(of: anna, from: room) }
    _ = try store.read { try $0.readMarker(of: anna, in: room) }
    _ = try store.read { try $0.inputHistory(of: anna, shell: "x", limit: 9) }
    _ = try store.read { try $0.people(in: room) }
    _ = try store.read { try $0.lookAlikes(among: [lobby.ben], to: anna) }
    try store.writeIfNeeded { try $0.checkLookAlikes() }
    _ = try store.read { try $0.find(participant: "@Ben") }
    _ = try store.writeDurablyIfNeeded { try $0.participant(identity: "BEN") }
    _ = try store.read { try $0.away(of: anna) }
    try store.writeIfNeeded { try $0.setAway("lunch", of: anna) }
    try store.writeDurably { try $0.setTopic("tea", of: room, by: anna) }
    _ = try store.read { try $0.drafts(of: anna) }
    try store.writeIfNeeded { try $0.noteSeen(by: lobby.ben, in: room, upTo: 1, sendReceipt: true) }
    try store.writeIfNeeded { try $0.noteDelivered(to: anna, upTo: [room: 1]) }
    try store.writeDurably { try $0.deleteMessage(message.id, by: anna) }
    let taken = try lobby.says("x").id
    _ = try store.writeDurably { try $0.takeBack(taken, by: anna) }
    let account = try store.writeDurably { try $0.addAccount(owner: anna, network: "xmpp:anna@x") }
    let wired = try store.writeDurablyIfNeeded {
      try $0.networkRoom("tea", network: account.network)
    }.id
    try store.writeDurablyIfNeeded { try $0.join(anna, wired) }
    let sent = try store.writeDurably { try $0.send("x", in: wired, by: anna) }
    for outcome in [OutboxEntry.Outcome.failed("x"), .sent] {
      for entry in try store.read({ try $0.outbox(of: account.network) }) {
        try store.writeDurably { try $0.finish(entry, as: outcome) }
      }
      _ = try? store.writeDurably { try $0.retry(sent.id, by: anna) }
    }
    try store.hear("x", from: "eve", in: .room("tea"), of: account, origin: "1")
    try store.inbox.apply(
      [
        .receipt(MessageIDs(origin: "1"), by: NetworkUser(identity: "max"), in: .room("tea"), .seen)
      ],
      of: account)
    let max = NetworkUser(identity: "max")
    try store.inbox.apply(
      [
        .joined(room: "tea", nick: "anna"), .present(max, room: "tea", away: nil),
        .page(of: .room("tea"), from: "a", until: ""),
        .readUntil(lobby.fixture.now, in: .room("tea")), .absent(max, room: "tea"),
        .joined(room: "tea", nick: "anna"),
      ], of: account)
    try store.writeDurablyIfNeeded { try $0.leave(anna, room) }
    try store.shells.detach()
  }

  @Test func noQuestionReadsAllMessages() throws {
    let lobby = try Lobby()
    try askEverything(lobby)
    let database = lobby.store.database
    let growing = ["m", "message", "history", "revision", "s", "membership", "r", "reader", "e"]
    for sql in database.known where !["BEGIN", "COMMIT", "ROLLBACK"].contains(sql) {
      // A new person is looked for in other tables only while a deferred reference dangles: never.
      if sql.hasPrefix("INSERT INTO participant") { continue }
      let plan = try database.rows("EXPLAIN QUERY PLAN " + sql) { $0.text("detail") }
      for step in plan {
        for table in growing {
          #expect(step != "SCAN \(table)" && !step.hasPrefix("SCAN \(table) "), "\(sql)")
        }
      }
    }
  }

  /// There may be a hundred thousand people, of whom a shell shows a few.
  @Test func noQuestionReadsAllPeople() throws {
    let lobby = try Lobby()
    try askEverything(lobby)
    let database = lobby.store.database
    for sql in database.known where ["SELECT", "UPDATE", "DELETE"].contains(sql.prefix(6)) {
      let plan = try database.rows("EXPLAIN QUERY PLAN " + sql) { $0.text("detail") }
      for step in plan {
        for table in ["p", "q", "o", "participant"] {
          #expect(step != "SCAN \(table)" && !step.hasPrefix("SCAN \(table) "), "\(sql)")
        }
      }
    }
  }

  /// What is new is found by its number, however many messages I have written in ten years.
  @Test(arguments: [
    ("m.id > ?1", "SEARCH m USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"),
    ("m.revised > ?1", "SEARCH m USING INDEX message_revised (revised>?)"),
    ("m.moved > ?1", "SEARCH m USING INDEX message_moved (moved>?)"),
    ("m.state < 2", "SEARCH m USING INDEX message_unsent (sender=?)"),
    ("r.change > ?1", "SEARCH r USING COVERING INDEX reader_change (change>? AND change<?)"),
    (
      "ORDER BY m.sort DESC LIMIT",
      "SEARCH m USING INDEX message_order (conversation=? AND sort>? AND sort<?)"
    ),
    (
      "ORDER BY m.sort LIMIT",
      "SEARCH m USING INDEX message_order (conversation=? AND sort>? AND sort<?)"
    ),
    (
      "SELECT sort FROM message WHERE conversation = ? AND sort <= ?",
      "SEARCH message USING COVERING INDEX message_order (conversation=? AND sort<?)"
    ),
    (
      "SELECT max(sort) FROM message",
      "SEARCH message USING INDEX message_displaced (conversation=? AND created_at<?)"
    ),
    (
      "sort < ?2 * 1024 AND created_at",
      "SEARCH message USING INDEX message_order (conversation=? AND sort<?)"
    ),
    (
      "sort >> 10 <> created_at AND created_at < ?2 AND state",
      "SEARCH message USING INDEX message_displaced (conversation=? AND created_at<?)"
    ),
    (
      "brought < 2 AND gone = 0\n    ORDER BY number DESC LIMIT ?3 + 100",
      "SEARCH message USING INDEX message_sender (sender=? AND conversation=?)"
    ),
    (
      "AS unread",
      "SEARCH message USING COVERING INDEX message_sender "
        + "(sender=? AND conversation=? AND number>?)"
    ),
    (
      "AS unread",
      "SEARCH message USING COVERING INDEX message_brought (conversation=? AND number>?)"
    ),
    (
      "AS unread",
      "SEARCH message USING COVERING INDEX sqlite_autoindex_message_2 (conversation=? AND number>?)"
    ),
    (
      "sort < ? AND created_at <= ?",
      "SEARCH message USING INDEX sqlite_autoindex_message_2 (conversation=? AND number>?)"
    ),
    (
      "SELECT 1 FROM message WHERE conversation = ? AND brought = 2",
      "SEARCH message USING COVERING INDEX message_brought (conversation=?)"
    ),
    (
      "SELECT text FROM event WHERE conversation = ? AND participant = ? AND kind = ?",
      "SEARCH event USING INDEX event_place (conversation=?)"
    ),
    (
      "SELECT number FROM message",
      "SEARCH message USING INDEX sqlite_autoindex_message_2 (conversation=? AND number>?)"
    ),
  ])
  func theRightIndexIsUsed(part: String, step: String) throws {
    let lobby = try Lobby()
    try askEverything(lobby)
    let database = lobby.store.database
    let sql = try #require(database.known.first { $0.contains(part) })
    let plan = try database.rows("EXPLAIN QUERY PLAN " + sql) { $0.text("detail") }
    #expect(plan.contains(step), "\(plan)")
  }
}
