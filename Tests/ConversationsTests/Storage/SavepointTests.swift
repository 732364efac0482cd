// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import StoreFixture
import Testing

@testable import Conversations

/// A change that a program catches the error of, and goes on with its transaction.
@Suite("Decision 8: a refused change leaves nothing behind") struct SavepointTests {
  private struct Stop: Error {}
  private typealias Change = (borrowing DurableTransaction) throws -> Void

  /// Every public change, in a state in which it writes.
  private func changes(in lobby: Lobby) throws -> [(name: String, change: Change)] {
    let (store, anna, ben, room) = (lobby.store, lobby.anna, lobby.ben, lobby.lobby)
    _ = try store.shells.attach(anna)
    let message = try lobby.says("tea").id
    try lobby.benSays("yes")
    let failed = try lobby.says("coffee").id
    try store.db("UPDATE message SET state = 0 WHERE id = \(failed.rawValue)")
    let own = try store.writeDurably { try $0.makeRoom("kitchen", for: anna) }.id
    try store.writeDurably {
      try $0.join(anna, own)
      try $0.setDraft(Draft(text: "on its way", caret: 0), of: anna, in: room)
    }
    let account = try store.writeDurably { try $0.addAccount(owner: anna, network: "irc:anna@x") }
    let channel = try store.writeDurably {
      try $0.networkRoom("#sea", network: account.network)
    }.id
    let carried = try store.writeDurably {
      try $0.join(anna, channel)
      return try $0.send("ahoy", in: channel, by: anna)
    }.id
    let photo = try lobby.kept("photo")
    return [
      ("addAccount", { _ = try $0.addAccount(owner: anna, network: "xmpp:anna@x") }),
      ("claimNotifications", { _ = try $0.claimNotifications(of: anna, upTo: message) }),
      ("clearDrafts", { try $0.clearDrafts(of: anna) }),
      ("deleteMessage", { try $0.deleteMessage(message, by: anna) }),
      ("directChat", { _ = try $0.directChat(anna, with: ben) }),
      ("edit", { try $0.edit(message, to: "two teas", by: anna, typed: "two teas") }),
      ("inviteToRoom", { try $0.inviteToRoom(ben, to: own, by: anna) }),
      ("join", { try $0.join(ben, own, isTold: true) }),
      ("leave", { try $0.leave(anna, room) }),
      ("makeRoom", { _ = try $0.makeRoom("garden", for: anna) }),
      ("noteDelivered", { try $0.noteDelivered(to: ben, upTo: [room: 1, own: 0]) }),
      ("noteSeen", { try $0.noteSeen(by: ben, in: room, upTo: 1, sendReceipt: true) }),
      ("participant", { _ = try $0.participant(identity: "cleo") }),
      ("react", { try $0.react(message, by: ben, with: "👍") }),
      ("remove", { try $0.remove(own, by: anna) }),
      ("removeAccount", { try $0.removeAccount(account) }),
      ("rename", { _ = try $0.rename(anna, to: "Anna") }),
      ("rename", { try $0.rename(own, to: "bar", by: anna) }),
      ("retry", { try $0.retry(failed, by: anna) }),
      (
        "send",
        {
          try $0.send("a photo", in: channel, by: anna, typed: "a photo", attachments: [photo])
        }
      ),
      ("set", { try $0.set(.muted, true, of: room, by: anna) }),
      ("set", { try $0.set(.muted, true, of: ben, by: anna) }),
      ("setAway", { try $0.setAway("lunch", of: anna) }),
      (
        "setDraft",
        {
          try $0.setDraft(
            Draft(text: "x", caret: 1, files: [DraftFile(path: "/tmp/x")]), of: anna, in: own)
        }
      ),
      ("setNotify", { try $0.setNotify(.nothing, in: room, by: anna) }),
      ("setTopic", { try $0.setTopic("tea", of: own, by: anna) }),
      ("setTyping", { try $0.setTyping(true, in: room) }),
      ("takeBack", { _ = try $0.takeBack(carried, by: anna) }),
    ]
  }

  /// Everything in the tables but for the search index, which follows the messages.
  private func contents(_ database: Database) throws -> [String] {
    try tables(database).flatMap { table in
      let columns = try database.rows("SELECT name FROM pragma_table_info('\(table)')") {
        "quote(\"\($0.text())\")"
      }.joined(separator: "|| ' ' ||")
      return try database.rows("SELECT \(columns) FROM \(table)") { table + " " + $0.text() }
    }
  }

  private func tables(_ database: Database) throws -> [String] {
    try database.rows(
      """
      SELECT name FROM sqlite_schema
      WHERE type = 'table' AND name NOT LIKE 'message_text%' AND name NOT LIKE 'sqlite_%'
      """
    ) { $0.text() }
  }

  @Test("wherever a change fails, a program that catches the error stores none of it")
  func nothingOfEachChange() throws {
    let lobby = try Lobby()
    let (store, database) = (lobby.store, lobby.store.database)
    let changes = try changes(in: lobby)
    let acts = try tables(database).flatMap { table in
      ["INSERT", "UPDATE", "DELETE"].map { "\($0) ON \(table)" }
    }
    try database.execute(
      "CREATE TEMP TABLE refused(act TEXT); INSERT INTO refused VALUES ('none')")
    for (number, act) in acts.enumerated() {
      try database.execute(
        """
        CREATE TEMP TRIGGER refusal_\(number) AFTER \(act)
        WHEN EXISTS (SELECT 1 FROM refused WHERE act = '\(act)')
        BEGIN SELECT RAISE(ABORT, 'refused'); END
        """)
    }
    let before = try contents(database)
    for (name, change) in changes {
      var refusals = 0
      for act in acts {
        try database.run("UPDATE refused SET act = ?", act)
        do {
          try store.writeDurably { transaction in
            let position = try transaction.position
            do { try change(transaction) } catch StoreError.contradiction {
              refusals += 1
              #expect(try contents(database) == before, "\(name): \(act)")
              #expect(try transaction.nextChange() == position + 1, "\(name): \(act)")
            }
            throw Stop()
          }
        } catch is Stop {}
      }
      #expect(refusals > 0, "\(name)")
    }
  }

  @Test("the list above names every public change")
  func isComplete() throws {
    let folder = NSString.path(
      withComponents: Array((#filePath as NSString).pathComponents.dropLast(4))
        + ["Sources", "Conversations"])
    var names: [String] = []
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder)
    where path.hasSuffix(".swift") {
      var isChanging = false
      for line in try String(contentsOfFile: folder + "/" + path, encoding: .utf8)
        .split(separator: "\n")
      {
        if line.hasPrefix("extension ") {
          isChanging = ["MayWrite", "DurableTransaction"].contains { line.contains(" \($0) ") }
        } else if line == "}" {
          isChanging = false
        } else if isChanging, line.hasPrefix("  public func ") {
          names.append(String(line.dropFirst(14).prefix { $0 != "(" && $0 != "<" }))
        }
      }
    }
    #expect(try changes(in: Lobby()).map(\.name) == names.sorted())
  }

  @Test("a message whose file is gone is not sent without it")
  func withoutItsFile() throws {
    let lobby = try Lobby()
    let gone = Attachment(
      hash: String(repeating: "ab", count: 32), name: "x.txt", type: "text/plain", bytes: 1)
    let next = try lobby.store.writeDurably { transaction in
      #expect(throws: AttachmentError.gone(name: "x.txt")) {
        try transaction.send("see", in: lobby.lobby, by: lobby.anna, attachments: [gone])
      }
      return try transaction.send("next", in: lobby.lobby, by: lobby.anna)
    }
    #expect(next.number == 1)
    #expect(
      try lobby.other.read { try $0.messages(in: lobby.lobby, limit: 9, for: lobby.ben) }
        .map(\.body) == ["next"])
  }

  @Test("a refused change within a query, and the next one, keep the query's rows")
  func withinAQuery() throws {
    let lobby = try Lobby()
    for number in 1...3 { try lobby.says("\(number)") }
    var read: [String] = []
    try lobby.store.writeDurably { transaction in
      try transaction.database.each("SELECT body FROM message ORDER BY id") { row in
        try? transaction.savepoint {
          try transaction.send("no", in: lobby.lobby, by: lobby.anna)
          throw Stop()
        }
        read.append(row.text())
        return true
      }
      try transaction.setTopic("tea", of: lobby.lobby, by: lobby.anna)
    }
    #expect(read == ["1", "2", "3"])
    #expect(try lobby.store.count("message") == 3)
    #expect(try lobby.found("no") == 0)
    #expect(
      try lobby.other.read { try $0.conversation(lobby.lobby, for: lobby.ben) }?.topic == "tea")
  }

  @Test("recipients are not counted as a refused change had left them")
  func recipients() throws {
    let lobby = try Lobby()
    try lobby.store.writeDurably { transaction in
      try? transaction.savepoint {
        try transaction.leave(lobby.ben, lobby.lobby)
        let alone = try transaction.send("alone", in: lobby.lobby, by: lobby.anna)
        #expect(try transaction.deliveryCounts(of: alone).recipients == 0)
        throw Stop()
      }
    }
    let message = try lobby.says("tea")
    #expect(try lobby.store.read { try $0.deliveryCounts(of: message) }.recipients == 1)
  }

  @Test("after SQLite has rolled the transaction back by itself, nothing more of it is stored")
  func rolledBack() throws {
    let lobby = try Lobby()
    let (store, database) = (lobby.store, lobby.store.database)
    // As after a failure of the disk, nothing of the transaction is left.
    try database.execute(
      """
      CREATE TEMP TRIGGER failure AFTER INSERT ON message WHEN new.body = 'second'
      BEGIN SELECT RAISE(ROLLBACK, 'failed'); END
      """)
    var failures = 0
    do {
      try store.writeDurably { transaction in
        try transaction.send("first", in: lobby.lobby, by: lobby.anna)
        do { try transaction.send("second", in: lobby.lobby, by: lobby.anna) } catch {
          failures += 1
        }
        #expect(!database.isInTransaction)
        do { try transaction.send("third", in: lobby.lobby, by: lobby.anna) } catch {
          failures += 1
        }
      }
    } catch is StoreError { failures += 1 }
    #expect(failures == 3)
    #expect(try store.count("message") == 0)
    try lobby.says("fourth")
    #expect(try store.count("message") == 1)
  }
}
