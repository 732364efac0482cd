// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import StoreFixture
import Testing

@testable import Conversations
@testable import Exchange
@testable import NetworkInbox

@Suite("11.3: Export and import") struct ExchangeTests {
  private func text(_ store: Store) throws -> String {
    export(try store.exported().dropLast().joined(separator: "\n"))
  }

  @Test("an export imported into an empty store gives an equal one")
  func roundTrip() throws {
    let lobby = try Lobby()
    try lobby.fill()
    let all = try lobby.store.exported()
    #expect(all.count > 30)
    let empty = Fixture()
    let copy = try empty.open()
    let report = try copy.take([text(lobby.store)])
    let again = try copy.exported()
    for (one, other) in zip(all, again) { #expect(one == other) }
    #expect(all.count == again.count)
    #expect(report.messages == (try lobby.store.count("message")))
    #expect(report.known == 0 && report.changed == 0 && report.leftOut == 0)
    #expect(report.files == 2)
    // What is not in the text as such: the files, the words in the search index, the outbox.
    #expect(empty.keptFiles == lobby.fixture.keptFiles)
    let check = try copy.upkeep.check(deep: true)
    #expect(check.allSatisfy { $0.severity == .fine }, "\(check)")
    #expect(
      try copy.read { try $0.outbox(of: "xmpp:anna@example") }.map(\.operation)
        == lobby.store.read { try $0.outbox(of: "xmpp:anna@example") }.map(\.operation))
    let anna = try copy.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
    #expect(
      try copy.read { try $0.listing(for: anna) }.map(\.unread)
        == lobby.store.read { try $0.listing(for: lobby.anna) }.map(\.unread))
    let room = try #require(try copy.read { try $0.room("lobby") })
    for (one, other) in zip(
      try copy.read { try $0.messages(in: room.id, limit: 99, for: anna) },
      try lobby.store.read { try $0.messages(in: lobby.lobby, limit: 99, for: lobby.anna) })
    {
      #expect(one.body == other.body && one.body.utf8.elementsEqual(other.body.utf8))
      #expect(one.state == other.state && one.number == other.number)
    }
  }

  @Test("an export of an unchanged store is the same except for its time")
  func stable() throws {
    let lobby = try Lobby()
    try lobby.fill()
    let first = try lobby.store.exported()
    lobby.fixture.now += 1000
    #expect(try lobby.store.exported() == first)
  }

  @Test("the same export again adds nothing")
  func twice() throws {
    let lobby = try Lobby()
    try lobby.fill()
    let (text, before) = (try text(lobby.store), try lobby.store.exported())
    let report = try lobby.store.take([text])
    #expect(report.messages == 0 && report.changed == 0 && report.people == 0)
    #expect(report.conversations == 0 && report.files == 0)
    #expect(report.known == (try lobby.store.count("message")))
    #expect(try lobby.store.exported() == before)
    let copy = try Fixture().open()
    #expect(try copy.take([text, text]).known == report.known)
    #expect(try copy.exported() == before)
  }

  @Test("a newer state of a message replaces the older one, never the other way round")
  func newer() throws {
    let lobby = try Lobby()
    let (edited, deleted) = (try lobby.says("frist"), try lobby.says("gone soon"))
    let old = try text(lobby.store)
    let copy = try Fixture().open()
    try copy.take([old])
    lobby.fixture.now += 1000
    try lobby.store.writeDurably { try $0.edit(edited.id, to: "first", by: lobby.anna) }
    try lobby.store.writeDurably { try $0.deleteMessage(deleted.id, by: lobby.anna) }
    let new = try text(lobby.store)
    let report = try copy.take([new])
    #expect(report.changed == 2 && report.known == 0 && report.messages == 0)
    #expect(try copy.exported() == lobby.store.exported())
    #expect(try copy.take([old]).changed == 0)
    #expect(try copy.exported() == lobby.store.exported())
    #expect(try copy.upkeep.check().allSatisfy { $0.severity == .fine })
    let found = try copy.database.rows(
      "SELECT rowid FROM message_text WHERE message_text MATCH 'first'"
    ) { $0.int() }
    #expect(found.count == 1)
  }

  @Test("a number that another message has gives way, and replies follow")
  func numbers() throws {
    let lobby = try Lobby()
    for text in ["one", "two"] { try lobby.says(text) }
    let report = try lobby.store.take([
      export(
        line("uno", number: 1), line("due", number: 2, more: #","reply_to":1"#),
        line("tre", number: 3, more: #","reply_to":2"#), line("free", number: 9),
        line("to nobody", number: 10, more: #","reply_to":7"#))
    ])
    #expect(report.messages == 5)
    let messages = try lobby.store.read {
      try $0.messages(in: lobby.lobby, numbers: 1...99, for: lobby.anna)
    }
    #expect(messages.map(\.number) == [1, 2, 3, 4, 5, 9, 10])
    #expect(messages.map(\.body) == ["one", "two", "uno", "due", "tre", "free", "to nobody"])
    #expect(messages.map { $0.replyTo?.line } == [nil, nil, nil, "uno", "due", nil, nil])
    #expect(try lobby.says("next").number == 11)
  }

  @Test("an import into an open room is not new: nothing arrives, nothing is unread")
  func silent() throws {
    let lobby = try Lobby()
    try lobby.benSays("hello")
    try lobby.store.writeIfNeeded {
      try $0.noteSeen(by: lobby.anna, in: lobby.lobby, upTo: 1, sendReceipt: true)
    }
    let position = try lobby.store.read { try $0.position }
    _ = try lobby.store.bellDescriptor
    _ = lobby.store.drainBell()
    let lines = (1...50).map { line("anna, old \($0)", number: $0) }.joined(separator: "\n")
    #expect(try lobby.other.take([export(lines)]).messages == 50)
    #expect(lobby.store.drainBell().contains(.changed))
    let changes = try lobby.store.read { try $0.changes(since: position, for: lobby.anna) }
    #expect(changes.arrived.isEmpty && changes.revised.isEmpty && changes.reacted.isEmpty)
    #expect(changes.moved.isEmpty && !changes.hasMore)
    #expect(try lobby.store.read { try $0.listing(for: lobby.anna) }.map(\.unread) == [0])
    #expect(try lobby.store.read { try $0.unreadConversations(for: lobby.anna) }.isEmpty)
    // What is said from now on is news as ever.
    let next = try lobby.benSays("anna, news")
    #expect(next.number == 52)
    let more = try lobby.store.read { try $0.changes(since: changes.position, for: lobby.anna) }
    #expect(more.arrived.map(\.body) == ["anna, news"])
    #expect(
      try lobby.store.read { try $0.unreadConversations(for: lobby.anna) }.map(\.count) == [1])
    #expect(
      try lobby.store.read { try $0.unreadConversations(for: lobby.anna) }.map(\.mentions) == [1])
  }

  @Test("imported messages are found, behind what was said here, and survive a recovery")
  func foundAndRecovered() throws {
    let lobby = try Lobby()
    try lobby.says("tea here")
    try lobby.store.take([
      export(
        line("tea long ago", number: 1, time: "2021-11-21T10:00:00.000Z"),
        line("tea not so long ago", number: 2, time: "2022-11-21T10:00:00.000Z"))
    ])
    let texts = ["tea here", "tea not so long ago", "tea long ago"]
    func found(_ store: Store) throws -> [String] {
      try store.read { try $0.search(SearchQuery(terms: [.init("tea")]), for: lobby.anna) }.map(
        \.message.body)
    }
    #expect(try found(lobby.store) == texts)
    let message = try #require(
      try lobby.store.read { try $0.message(number: 2, in: lobby.lobby, for: lobby.anna) })
    #expect(message.isImported)
    #expect(try lobby.says("x").isImported == false)
    let before = try lobby.store.exported()
    _ = try Recovery.run(from: lobby.store.path, to: lobby.fixture.folder + "/new.sqlite")
    let recovered = try lobby.fixture.open("new.sqlite")
    #expect(try recovered.exported() == before)
    #expect(try found(recovered) == texts)
  }

  @Test("chosen conversations are imported alone, without drafts and input history")
  func some() throws {
    let lobby = try Lobby()
    try lobby.fill()
    let tea = try #require(
      try lobby.store.read { try $0.rooms(for: lobby.anna) }.first { $0.name == "#tea" })
    let lines = try lobby.store.exported([tea.id])
    #expect(
      !lines.contains { $0.contains("draft") || $0.contains("history") || $0.contains("#lobby") })
    #expect(lines.contains { $0.contains("tea/max") && $0.contains("participant") })
    #expect(!lines.contains { $0.contains("Benjamin") })
    let copy = try Fixture().open()
    try copy.take([export(lines.dropLast().joined(separator: "\n"))])
    let room = try #require(try copy.read { try $0.rooms() }.first)
    #expect(try copy.exported([room.id]) == lines)
    #expect(try lobby.store.exported(files: false).allSatisfy { !$0.contains(#""type":"file""#) })
  }

  @Test("people are one by identity, in any case; a name that is taken gets a number")
  func names() throws {
    let lobby = try Lobby()
    try lobby.store.take([
      export(
        #"{"type":"participant","identity":"ANNA","name":"someone"}"#,
        #"{"type":"participant","identity":"other","name":"Ben"}"#,
        line("hi", number: 1, in: "#Lobby", sender: "Anna"))
    ])
    #expect(try lobby.store.read { try $0.participants() }.map(\.name) == ["Ben2", "anna", "ben"])
    let message = try #require(
      try lobby.store.read { try $0.message(number: 1, in: lobby.lobby, for: lobby.anna) })
    #expect(message.sender == lobby.anna)
  }

  @Test("an export goes on while others write, and shows one moment")
  func snapshot() throws {
    let lobby = try Lobby()
    for number in 1...2000 {
      try lobby.says("message \(number) \(String(repeating: "x", count: 99))")
    }
    var pieces = 0
    let report = try Export(of: lobby.store).write { _ in
      pieces += 1
      if pieces == 1 { try lobby.benSays("meanwhile") }
      return true
    }
    #expect(report.messages == 2000)
    #expect(pieces > 3)
    pieces = 0
    try Export(of: lobby.store).write { _ in
      pieces += 1
      return false
    }
    #expect(pieces == 1)
  }

  @Test("a new file is for its owner alone, and none is overwritten")
  func newFile() throws {
    let lobby = try Lobby()
    try lobby.says("hello")
    let path = lobby.fixture.folder + "/out.jsonl"
    try Export(of: lobby.store).write(to: path)
    #expect(lobby.fixture.mode("out.jsonl") == 0o600)
    let text = try #require(lobby.fixture.text(path))
    #expect(
      text.hasPrefix(#"{"hobnob":"export","version":2,"#)
        && text.hasSuffix(#"{"type":"end"}"# + "\n"))
    #expect(throws: StoreError.self) { try Export(of: lobby.store).write(to: path) }
    #expect(lobby.fixture.text(path) == text)
    #expect(throws: AttachmentError.self) { try Export(of: lobby.store).write(to: "/nowhere/x") }
    #expect(throws: AttachmentError.self) {
      try Export(of: lobby.store).write(to: lobby.fixture.folder + "/")
    }
    #expect(!lobby.fixture.names(in: "").contains { $0.hasPrefix(".hobnob") })
    #expect(try Fixture().open().take([text]).messages == 1)
  }
}
