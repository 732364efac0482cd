// SPDX-License-Identifier: GPL-3.0-or-later
import StoreFixture
import Testing

@testable import Conversations

@Suite("The cost of a question does not grow with the store") struct QueryPlanTests {
  /// Everything a shell asks, but for `check()`.
  private func askEverything(_ lobby: Lobby) throws {
    let (store, anna, room) = (lobby.store, lobby.anna, lobby.lobby)
    _ = try store.attach(anna)
    try store.open(room)
    try store.setTyping(true, in: room)
    let position = try store.position
    let message = try store.send("one", in: room, by: anna, typed: "one")
    try store.edit(message.id, to: "two", by: anna)
    let before = try store.send("before", in: room, by: anna)
    try store.database.run("UPDATE message SET past = 1 WHERE id = ?", before.id)
    _ = try store.messages(in: room, limit: 50, for: anna)
    _ = try store.messages(in: room, numbers: 1...9, for: anna)
    _ = try store.messages(in: room, after: 0, limit: 9, for: anna)
    let first = Store.PastPlace(time: 0, number: 0)
    _ = try store.past(in: room, from: first, until: nil, limit: 9, for: anna)
    _ = try store.start(ofNewestPast: 9, in: room, until: nil)
    _ = try store.past(in: room, from: first, until: nil, limit: 9, for: anna, isPast: false)
    _ = try store.start(ofNewestPast: 9, in: room, until: nil, isPast: false)
    _ = try store.count(in: room, since: 0, until: nil, upTo: 9)
    _ = try store.firstUnread(by: anna, in: room, behind: 0)
    _ = try store.newest(by: anna, in: room)
    _ = try store.unsent(by: anna)
    _ = try store.unsent(by: anna, in: room)
    _ = try store.revisions(of: message.id)
    _ = try store.recipients(of: message.id)
    _ = try store.changes(since: position, for: anna)
    _ = try store.laterNews(
      in: room, since: position, upTo: try store.position, ofMessagesUpTo: 9, for: anna)
    _ = try store.listing(for: anna)
    _ = try store.joined(by: anna)
    _ = try store.unread(for: anna, in: [room])
    _ = try store.reach(of: message)
    _ = try store.othersHere(in: room, than: anna)
    _ = try store.lastSpoke(anna, in: room)
    _ = try store.holds(moreThan: 20, in: room)
    _ = try store.events(in: room, after: 0, upTo: position)
    _ = try store.events(in: room, from: 0, behind: nil, until: .max, limit: 9)
    _ = try store.readMarker(of: anna, in: room)
    _ = try store.history(of: anna, shell: "x", limit: 9)
    _ = try store.people(in: room)
    _ = try store.lookAlikes(among: [lobby.ben], to: anna)
    try store.lookAtNames()
    _ = try store.find(participant: "@Ben")
    _ = try store.participant(identity: "BEN")
    _ = try store.away(of: anna)
    try store.setAway("lunch", of: anna)
    try store.setTopic("tea", of: room, by: anna)
    _ = try store.drafts(of: anna)
    try store.noteSeen(by: lobby.ben, in: room, upTo: 1, sendReceipt: true)
    try store.noteDelivered(to: anna, upTo: [room: 1])
    try store.delete(message.id, by: anna)
    _ = try store.takeBack(try lobby.says("x").id, by: anna)
    let account = try store.addAccount(owner: anna, network: "xmpp:anna@x")
    let wired = try store.networkRoom("tea", network: account.network).id
    try store.join(anna, wired)
    let sent = try store.send("x", in: wired, by: anna)
    for outcome in [OutboxEntry.Outcome.failed("x"), .sent] {
      for entry in try store.outbox(of: account.network) { try store.finish(entry, as: outcome) }
      _ = try? store.retry(sent.id, by: anna)
    }
    try store.hear("x", from: "eve", in: .room("tea"), of: account, origin: "1")
    try store.take(
      [.reached(MessageName(origin: "1"), by: Speaker(identity: "max"), in: .room("tea"), .seen)],
      of: account)
    try store.leave(anna, room)
    try store.detach()
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
    for sql in database.known where sql.hasPrefix("SELECT") {
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
    ("m.id > ?1", "SEARCH m USING INTEGER PRIMARY KEY (rowid>?)"),
    ("m.revised > ?1", "SEARCH m USING INDEX message_revised (revised>?)"),
    ("m.moved > ?1", "SEARCH m USING INDEX message_moved (moved>?)"),
    ("m.state < 2", "SEARCH m USING INDEX message_unsent (sender=?)"),
    ("r.change > ?1", "SEARCH r USING COVERING INDEX reader_change (change>? AND change<?)"),
    (
      "m.number < ?",
      "SEARCH m USING INDEX message_live (conversation=? AND number<?)"
    ),
    ("m.number > ? AND m.past", "SEARCH m USING INDEX message_live (conversation=? AND number>?)"),
    (
      "SELECT 1 FROM message WHERE conversation = ? AND past = 1",
      "SEARCH message USING INDEX message_past (conversation=?)"
    ),
    (
      "(m.created_at, m.number) < (?",
      "SEARCH m USING INDEX message_past (conversation=? AND (created_at,number)<(?,?))"
    ),
    (
      "m.past = 1\n  AND (m.created_at, m.number) >= (?",
      "SEARCH m USING INDEX message_past "
        + "(conversation=? AND (created_at,number)>(?,?) AND created_at<?)"
    ),
    (
      "m.past = 0\n  AND (m.created_at, m.number) >= (?",
      "SEARCH m USING INDEX message_age (conversation=? AND created_at>? AND created_at<?)"
    ),
    (
      "m.past = 0 AND m.gone = 0",
      "SEARCH m USING INDEX message_sender (sender=? AND conversation=?)"
    ),
    (
      "SELECT number FROM message",
      "SEARCH message USING COVERING INDEX message_live (conversation=? AND number>?)"
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
