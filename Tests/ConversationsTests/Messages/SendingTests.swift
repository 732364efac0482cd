// SPDX-License-Identifier: GPL-3.0-or-later
import StoreFixture
import Testing

@testable import Conversations

@Suite("Sending, editing, deleting, taking back") struct SendingTests {
  @Test func aSentMessageIsThereForEveryoneWithItsNumber() throws {
    let lobby = try Lobby()
    lobby.fixture.now = 42_000
    let message = try lobby.says("  hello\n*world* \u{0}🇩🇪 ")
    #expect(message.number == 1)
    #expect(message.body == "  hello\n*world* \u{0}🇩🇪 ")
    #expect(message.createdAt == 42_000)
    #expect(message.state == .sent)
    #expect(message.uid.count == 24 && message.uid.allSatisfy(\.isHexDigit))
    #expect(
      try lobby.other.read { try $0.messages(in: lobby.lobby, limit: 10, for: lobby.ben) } == [
        message
      ])
    #expect(try lobby.store.read { try $0.message(message.id, for: lobby.anna) } == message)
    #expect(try lobby.benSays("hi").number == 2)
    #expect(
      try lobby.store.writeDurably {
        try $0.send("waves", kind: .action, in: lobby.lobby, by: lobby.anna)
      }.kind == .action)
  }

  @Test func aBodyOfAnyLengthIsStoredWhole() throws {
    let lobby = try Lobby()
    let body = String(repeating: "długi 漢字 ", count: 50_000)
    let message = try lobby.says(body)
    #expect(try lobby.other.read { try $0.message(message.id, for: lobby.ben) }?.body == body)
  }

  @Test(
    "1.2, 1.12: Sending clears the draft, remembers the line and ends typing in one transaction")
  func sendingDoesItAll() throws {
    let lobby = try Lobby()
    let store = lobby.store
    let shell = try store.shells.attach(lobby.anna)
    try store.writeDurablyIfNeeded {
      try $0.setDraft(Draft(text: "hel", caret: 3), of: lobby.anna, in: lobby.lobby)
    }
    try store.writeIfNeeded { try $0.setTyping(true, in: lobby.lobby) }
    try store.writeDurably {
      try $0.send(
        "hello", in: lobby.lobby, by: lobby.anna, typed: "hello", shell: shell, draft: "hel")
    }
    #expect(try store.read { try $0.draft(of: lobby.anna, in: lobby.lobby) } == nil)
    #expect(
      try store.read { try $0.inputHistory(of: lobby.anna, shell: shell, limit: 10) } == ["hello"])
    #expect(try store.read { try $0.people(in: lobby.lobby) }[0].typingSince == nil)
  }

  @Test("5.3: Sending keeps a draft that is not its source")
  func sendingLeavesAnotherDraft() throws {
    let lobby = try Lobby()
    let draft = Draft(text: "half typed", caret: 3)
    try lobby.store.writeDurablyIfNeeded { try $0.setDraft(draft, of: lobby.anna, in: lobby.lobby) }
    for text in [nil, "", "half", "Half typed"] {
      try lobby.other.writeDurably {
        try $0.send("from cron", in: lobby.lobby, by: lobby.anna, draft: text)
      }
      #expect(try lobby.store.read { try $0.draft(of: lobby.anna, in: lobby.lobby) } == draft)
    }
  }

  @Test("2.10: mentions are stored as JSON, and nothing is stored where there are none")
  func mentions() throws {
    let lobby = try Lobby()
    try lobby.says("plain")
    let mention = Mention(range: 0..<4, identity: "ben \"b\"")
    let sent = try lobby.store.writeDurably {
      try $0.send("@ben hi", in: lobby.lobby, by: lobby.anna, mentions: [mention])
    }
    func stored() throws -> [String?] {
      try lobby.store.database.rows("SELECT mentions FROM message ORDER BY id") {
        $0.optionalText()
      }
    }
    #expect(try stored() == [nil, #"[{"end":4,"identity":"ben \"b\"","start":0}]"#])
    let read = try lobby.store.read { try $0.message(sent.id, for: lobby.ben) }
    #expect(sent.mentions == [mention] && read?.mentions == [mention])
    try lobby.store.writeDurably { try $0.deleteMessage(sent.id, by: lobby.anna) }
    #expect(try stored() == [nil, nil])
  }

  @Test("1.2: A refused message changes nothing")
  func refusedSendChangesNothing() throws {
    let lobby = try Lobby()
    let store = lobby.store
    let shell = try store.shells.attach(lobby.anna)
    let draft = Draft(text: "hel", caret: 3, spans: [Mention(range: 0..<3, identity: "ben")])
    try store.writeDurablyIfNeeded { try $0.setDraft(draft, of: lobby.anna, in: lobby.lobby) }
    try store.writeIfNeeded { try $0.setTyping(true, in: lobby.lobby) }
    let position = try store.read { try $0.position }
    try store.database.execute("PRAGMA query_only=ON")
    #expect(throws: StoreError.readOnly(path: store.path)) {
      try store.writeDurably {
        try $0.send("hello", in: lobby.lobby, by: lobby.anna, typed: "hello", draft: "hel")
      }
    }
    try store.database.execute("PRAGMA query_only=OFF")
    #expect(try store.read { try $0.position } == position)
    #expect(try store.read { try $0.draft(of: lobby.anna, in: lobby.lobby) } == draft)
    #expect(try store.read { try $0.inputHistory(of: lobby.anna, shell: shell, limit: 10) }.isEmpty)
    #expect(try store.read { try $0.people(in: lobby.lobby) }[0].typingSince != nil)
    #expect(try store.read { try $0.messages(in: lobby.lobby, limit: 9, for: lobby.anna) }.isEmpty)
    #expect(try lobby.says("hello").number == 1)
  }

  // MARK: 3, edit

  @Test("3.3: An edit keeps place and number, and stores the earlier text as a revision")
  func editing() throws {
    let lobby = try Lobby()
    let message = try lobby.says("helo")
    lobby.fixture.now += 5
    let edited = try lobby.store.writeDurably {
      try $0.edit(message.id, to: "hello", by: lobby.anna, typed: "hello")
    }
    lobby.fixture.now += 5
    try lobby.store.writeDurably { try $0.edit(message.id, to: "hello!", by: lobby.anna) }
    #expect(edited.editedAt == message.createdAt + 5)
    #expect((edited.number, edited.uid, edited.createdAt) == (1, message.uid, message.createdAt))
    let seen = try #require(try lobby.other.read { try $0.message(message.id, for: lobby.ben) })
    #expect((seen.body, seen.editedAt) == ("hello!", lobby.fixture.now))
    #expect(
      try lobby.store.read { try $0.revisions(of: message.id) } == [
        Revision(body: "helo", at: message.createdAt + 5),
        Revision(body: "hello", at: message.createdAt + 10),
      ])
    #expect(
      try lobby.store.read { try $0.inputHistory(of: lobby.anna, shell: "", limit: 9) } == ["hello"]
    )
  }

  @Test func anUnchangedTextWritesNothing() throws {
    let lobby = try Lobby()
    let message = try lobby.says("caf\u{e9}")
    let position = try lobby.store.read { try $0.position }
    let same = try lobby.store.writeDurably {
      try $0.edit(message.id, to: "caf\u{e9}", by: lobby.anna, typed: "x")
    }
    #expect(same.editedAt == nil)
    #expect(try lobby.store.read { try $0.position } == position)
    #expect(
      try lobby.store.writeDurably { try $0.edit(message.id, to: "cafe\u{301}", by: lobby.anna) }
        .editedAt != nil)
  }

  @Test func whoseAndWhetherIsChecked() throws {
    let lobby = try Lobby()
    let (store, anna, ben) = (lobby.store, lobby.anna, lobby.ben)
    let message = try lobby.says("x").id
    #expect(throws: RuleError.notYours(1)) {
      try store.writeDurably { try $0.edit(message, to: "y", by: ben) }
    }
    #expect(throws: RuleError.notYours(1)) {
      try store.writeDurably { try $0.deleteMessage(message, by: ben) }
    }
    #expect(throws: RuleError.notYours(1)) {
      try store.writeDurably { try $0.takeBack(message, by: ben) }
    }
    #expect(throws: RuleError.notYours(1)) {
      try store.writeDurably { try $0.retry(message, by: ben) }
    }
    #expect(throws: RuleError.notFailed(1)) {
      try store.writeDurably { try $0.retry(message, by: anna) }
    }
    try store.writeDurably { try $0.deleteMessage(message, by: anna) }
    #expect(throws: RuleError.deleted(1)) {
      try store.writeDurably { try $0.edit(message, to: "y", by: anna) }
    }
    #expect(throws: RuleError.deleted(1)) {
      try store.writeDurably { try $0.deleteMessage(message, by: anna) }
    }
    #expect(throws: RuleError.deleted(1)) {
      try store.writeDurably { try $0.takeBack(message, by: anna) }
    }
    let other = try lobby.says("z").id
    _ = try store.writeDurably { try $0.takeBack(other, by: anna) }
    #expect(throws: RuleError.noSuchMessage(2)) {
      try store.writeDurably { try $0.edit(other, to: "y", by: anna) }
    }
    #expect(throws: RuleError.noSuchMessage(99)) {
      try store.writeDurably { try $0.deleteMessage(ID(rawValue: 99), by: anna) }
    }
  }

  // MARK: 3.7, delete and take back

  @Test("3.7: Deleting leaves a tombstone and none of the text")
  func deleting() throws {
    let lobby = try Lobby()
    let message = try lobby.says("pineapple")
    try lobby.store.writeDurably { try $0.edit(message.id, to: "strawberry", by: lobby.anna) }
    let gone = try lobby.store.writeDurably { try $0.deleteMessage(message.id, by: lobby.anna) }
    #expect((gone.body, gone.deletedAt, gone.number) == ("", lobby.fixture.now, 1))
    #expect(
      try lobby.other.read { try $0.messages(in: lobby.lobby, limit: 9, for: lobby.ben) } == [gone])
    #expect(try lobby.store.read { try $0.revisions(of: message.id) }.isEmpty)
    #expect(try lobby.found("pineapple") + lobby.found("strawberry") == 0)
    let rows = try lobby.store.database.rows("SELECT body FROM message") { $0.text() }
    #expect(rows == [""])
    #expect(try lobby.says("next").number == 2)
  }

  @Test("3.7: A message that no one else has can be taken back, with its text")
  func takingBack() throws {
    let lobby = try Lobby()
    try lobby.says("first")
    let message = try lobby.says("oops")
    let back = try lobby.store.writeDurably { try $0.takeBack(message.id, by: lobby.anna) }
    #expect(back.body == "oops")
    #expect(
      try lobby.store.read { try $0.messages(in: lobby.lobby, limit: 9, for: lobby.anna) }.count
        == 1)
    #expect(
      try lobby.store.read { try $0.messages(in: lobby.lobby, numbers: 1...9, for: lobby.anna) }
        .count == 1)
    #expect(
      try lobby.store.read { try $0.message(number: 2, in: lobby.lobby, for: lobby.anna) } == nil)
    let stored = try #require(try lobby.store.read { try $0.message(message.id, for: lobby.anna) })
    #expect(stored.isRecalled && stored.body.isEmpty)
    #expect(try lobby.found("oops") == 0)
    // Its number is never used again (7.5).
    #expect(try lobby.says("next").number == 3)
    #expect(
      try lobby.store.read { try $0.newest(by: lobby.anna, in: lobby.lobby, skipping: 1) }?.number
        == 1)
  }

  @Test(
    "3.7: A delivered message cannot be taken back, with or without a receipt",
    arguments: ["delivered", "seen", "read"])
  func othersHaveIt(how: String) throws {
    let lobby = try Lobby()
    let message = try lobby.says("oops")
    switch how {
    case "delivered":
      try lobby.other.writeIfNeeded { try $0.noteDelivered(to: lobby.ben, upTo: [lobby.lobby: 1]) }
    default:
      try lobby.other.writeIfNeeded {
        try $0.noteSeen(
          by: lobby.ben, in: lobby.lobby, upTo: 1, sendReceipt: how == "seen")
      }
    }
    #expect(throws: RuleError.othersHaveIt(1)) {
      try lobby.store.writeDurably { try $0.takeBack(message.id, by: lobby.anna) }
    }
    #expect(try lobby.found("oops") == 1)
  }

  @Test("Delivery to my own other shell is not an obstacle")
  func myOwnShellIsNoOther() throws {
    let lobby = try Lobby()
    let message = try lobby.says("oops")
    try lobby.other.writeIfNeeded {
      try $0.noteSeen(by: lobby.anna, in: lobby.lobby, upTo: 1, sendReceipt: true)
    }
    #expect(
      try lobby.store.writeDurably { try $0.takeBack(message.id, by: lobby.anna) }.body == "oops")
  }

  @Test("Between taking back and receiving, exactly one wins")
  func theRaceIsDecidedByTransactions() throws {
    let lobby = try Lobby()
    let position = try lobby.other.read { try $0.position }
    let message = try lobby.says("oops")
    // The other's shell has read it, and is about to print it.
    let changes = try lobby.other.read { try $0.changes(since: position, for: lobby.ben) }
    #expect(changes.arrived.map(\.id) == [message.id])
    _ = try lobby.store.writeDurably { try $0.takeBack(message.id, by: lobby.anna) }
    let recalled = try lobby.other.writeIfNeeded {
      try $0.noteDelivered(to: lobby.ben, upTo: [lobby.lobby: 1])
    }
    #expect(recalled == [message.id])
    // His second shell, that had read it as well, must not print it either.
    let second = try lobby.fixture.open()
    #expect(
      try second.writeIfNeeded { try $0.noteDelivered(to: lobby.ben, upTo: [lobby.lobby: 1]) } == [
        message.id
      ])
    #expect(
      try second.writeIfNeeded { try $0.noteDelivered(to: lobby.ben, upTo: [lobby.lobby: 0]) }
        .isEmpty)
  }

  @Test("3.1: My newest message, and the last but one")
  func newest() throws {
    let lobby = try Lobby()
    #expect(try lobby.store.read { try $0.newest(by: lobby.anna, in: lobby.lobby) } == nil)
    let mine = try (1...4).map { try lobby.says("mine \($0)") }
    try lobby.benSays("his")
    try lobby.store.writeDurably { try $0.deleteMessage(mine[3].id, by: lobby.anna) }
    for (skipping, number) in [0: 3, 1: 2, 2: 1] {
      let found = try lobby.store.read {
        try $0.newest(by: lobby.anna, in: lobby.lobby, skipping: skipping)
      }
      #expect(found?.number == number)
    }
    for skipping in [3, .max - 101, .max - 100, .max] {
      #expect(
        try lobby.store.read {
          try $0.newest(by: lobby.anna, in: lobby.lobby, skipping: skipping)
        } == nil)
    }
  }

  @Test("The search table follows every change")
  func searchFollows() throws {
    let lobby = try Lobby()
    let message = try lobby.says("crème brûlée")
    #expect(try lobby.found("creme") == 1)
    try lobby.store.writeDurably { try $0.edit(message.id, to: "tarte tatin", by: lobby.anna) }
    #expect(try lobby.found("brulee") == 0)
    #expect(try lobby.found("tatin") == 1)
    #expect(try lobby.store.upkeep.check().allSatisfy { $0.severity == .fine })
  }
}
