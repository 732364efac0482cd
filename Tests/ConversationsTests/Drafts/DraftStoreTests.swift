// SPDX-License-Identifier: GPL-3.0-or-later
import StoreFixture
import Testing

@testable import Conversations

@Suite("Drafts (rule 5)") struct DraftStoreTests {
  @Test func aDraftIsOnePerParticipantAndConversation() throws {
    let lobby = try Lobby()
    let room = try lobby.store.writeDurablyIfNeeded { try $0.makeRoom("tea") }.id
    let draft = Draft(
      text: "half a\nline 🐗", caret: 7, spans: [Mention(range: 0..<4, identity: "ben")])
    try lobby.store.writeDurablyIfNeeded { try $0.setDraft(draft, of: lobby.anna, in: lobby.lobby) }
    #expect(try lobby.other.read { try $0.draft(of: lobby.anna, in: lobby.lobby) } == draft)
    #expect(try lobby.other.read { try $0.draft(of: lobby.ben, in: lobby.lobby) } == nil)
    #expect(try lobby.other.read { try $0.draft(of: lobby.anna, in: room) } == nil)
  }

  @Test(arguments: [
    nil, Draft(text: "", caret: 0, spans: [Mention(range: 0..<1, identity: "ben")]),
  ])
  func anEmptyDraftIsRemoved(empty: Draft?) throws {
    let lobby = try Lobby()
    try lobby.store.writeDurablyIfNeeded {
      try $0.setDraft(Draft(text: "x", caret: 1), of: lobby.anna, in: lobby.lobby)
    }
    try lobby.store.writeDurablyIfNeeded { try $0.setDraft(empty, of: lobby.anna, in: lobby.lobby) }
    #expect(try lobby.store.read { try $0.draft(of: lobby.anna, in: lobby.lobby) } == nil)
  }

  @Test func anEqualDraftIsNotWrittenAgain() throws {
    let lobby = try Lobby()
    func version() throws -> Int {
      try lobby.other.database.first("PRAGMA data_version") { $0.int() } ?? 0
    }
    let draft = Draft(text: "caf\u{e9}", caret: 4)
    try lobby.store.writeDurablyIfNeeded { try $0.setDraft(draft, of: lobby.anna, in: lobby.lobby) }
    let before = try version()
    try lobby.store.writeDurablyIfNeeded { try $0.setDraft(draft, of: lobby.anna, in: lobby.lobby) }
    try lobby.store.writeDurablyIfNeeded { try $0.setDraft(nil, of: lobby.ben, in: lobby.lobby) }
    #expect(try version() == before)
    var other = draft
    other.caret = 1
    try lobby.store.writeDurablyIfNeeded { try $0.setDraft(other, of: lobby.anna, in: lobby.lobby) }
    #expect(try version() != before)
    other.text = "cafe\u{301}"
    try lobby.store.writeDurablyIfNeeded { try $0.setDraft(other, of: lobby.anna, in: lobby.lobby) }
    let stored = try lobby.store.read { try $0.draft(of: lobby.anna, in: lobby.lobby) }
    #expect(stored?.text.utf8.count == 6)
  }

  @Test(
    "5.1: The caret is a number of bytes, never inside a character, whatever the store says",
    arguments: [
      (3, 2), (2, 2), (4, 4), (5, 4), (6, 4), (7, 7), (8, 7), (31, 7), (32, 32), (33, 32),
      (34, 34), (35, 34), (-1, 0), (Int.min, 0), (Int(Int32.max) + 1, 34), (.max, 34),
    ])
  func caret(stored: Int, read: Int) throws {
    let lobby = try Lobby()
    // 4 bytes, 3 of a letter with its accent, 25 of a family, 2 of the end of a line.
    let text = "dr\u{e4}f\u{301}👨‍👩‍👧‍👦\r\n"
    let draft = Draft(text: text, caret: 0)
    try lobby.store.writeDurablyIfNeeded { try $0.setDraft(draft, of: lobby.anna, in: lobby.lobby) }
    try lobby.store.database.run("UPDATE draft SET caret = ?", stored)
    #expect(try lobby.store.read { try $0.draft(of: lobby.anna, in: lobby.lobby) }?.caret == read)
    #expect(try lobby.store.read { try $0.drafts(of: lobby.anna) }.first?.1.caret == read)
  }

  @Test("5.3: The later save wins")
  func laterWins() throws {
    let lobby = try Lobby()
    try lobby.store.writeDurablyIfNeeded {
      try $0.setDraft(Draft(text: "one", caret: 1), of: lobby.anna, in: lobby.lobby)
    }
    try lobby.other.writeDurablyIfNeeded {
      try $0.setDraft(Draft(text: "two", caret: 2), of: lobby.anna, in: lobby.lobby)
    }
    #expect(try lobby.store.read { try $0.draft(of: lobby.anna, in: lobby.lobby) }?.text == "two")
  }

  @Test("5.2: Drafts are listed with their conversations, and emptied")
  func listed() throws {
    let lobby = try Lobby()
    let chat = try lobby.store.writeDurablyIfNeeded {
      try $0.directChat(lobby.anna, with: lobby.ben)
    }
    .id
    try lobby.store.writeDurablyIfNeeded {
      try $0.setDraft(Draft(text: "a", caret: 1), of: lobby.anna, in: lobby.lobby)
    }
    try lobby.store.writeDurablyIfNeeded {
      try $0.setDraft(Draft(text: "b", caret: 1), of: lobby.anna, in: chat)
    }
    let drafts = try lobby.store.read { try $0.drafts(of: lobby.anna) }
    #expect(drafts.map(\.0.name) == ["#lobby", "@ben"])
    #expect(drafts.map(\.1.text) == ["a", "b"])
    try lobby.store.writeDurably { try $0.clearDrafts(of: lobby.anna) }
    #expect(try lobby.store.read { try $0.drafts(of: lobby.anna) }.isEmpty)
  }
}

@Suite("1.12: Input history") struct InputHistoryTests {
  @Test func ownLinesStandBehindThoseOfOtherShells() throws {
    let lobby = try Lobby()
    let store = lobby.store
    for (shell, line) in [
      ("one", "a"), ("two", "b"), ("one", "c"), ("two", "d"), ("one", "/help"),
    ] as [(ShellID, String)] {
      try store.write { try $0.appendHistory(line, of: lobby.anna, shell: shell) }
    }
    #expect(
      try store.read { try $0.inputHistory(of: lobby.anna, shell: "one", limit: 10) } == [
        "b", "d", "a", "c", "/help",
      ])
    #expect(
      try store.read { try $0.inputHistory(of: lobby.anna, shell: "two", limit: 10) } == [
        "a", "c", "/help", "b", "d",
      ])
    #expect(
      try store.read { try $0.inputHistory(of: lobby.anna, shell: "new", limit: 10) } == [
        "a", "b", "c", "d", "/help",
      ])
    #expect(
      try store.read { try $0.inputHistory(of: lobby.anna, shell: "two", limit: 3) } == [
        "/help", "b", "d",
      ])
    #expect(try store.read { try $0.inputHistory(of: lobby.anna, shell: "two", limit: 1) } == ["d"])
    #expect(try store.read { try $0.inputHistory(of: lobby.ben, shell: "one", limit: 10) }.isEmpty)
  }

  @Test func theSameLineInARowStandsOnce() throws {
    let lobby = try Lobby()
    for line in ["a", "a", "b", "a", "a", ""] {
      try lobby.store.write { try $0.appendHistory(line, of: lobby.anna, shell: "one") }
    }
    try lobby.store.write { try $0.appendHistory("a", of: lobby.anna, shell: "two") }
    #expect(
      try lobby.store.read { try $0.inputHistory(of: lobby.anna, shell: "two", limit: 9) } == [
        "a", "b", "a",
      ])
  }

  @Test func historySurvivesARestart() throws {
    let fixture = Fixture()
    let store = try fixture.open()
    let anna = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
    try store.write { try $0.appendHistory("a line\nof two", of: anna, shell: "one") }
    store.close()
    #expect(
      try fixture.open().read { try $0.inputHistory(of: anna, shell: "x", limit: 9) } == [
        "a line\nof two"
      ])
  }
}
