// SPDX-License-Identifier: GPL-3.0-or-later
import StoreFixture
import Testing

@testable import Conversations

@Suite("11.1: People") struct PeopleTests {
  @Test func oneIdentityIsOneParticipant() throws {
    let fixture = Fixture()
    let (one, two) = (try fixture.open(), try fixture.open())
    let anna = try one.writeDurablyIfNeeded { try $0.participant(identity: "anna") }
    #expect(anna.name == "anna")
    #expect(anna.network == nil)
    #expect(try two.writeDurablyIfNeeded { try $0.participant(identity: "anna") } == anna)
    #expect(try two.writeDurablyIfNeeded { try $0.participant(identity: "Anna") } == anna)
    // Composed and decomposed letters are the same to people.
    let composed = try one.writeDurablyIfNeeded { try $0.participant(identity: "jos\u{e9}") }
    #expect(
      try two.writeDurablyIfNeeded { try $0.participant(identity: "jose\u{301}") }.id == composed.id
    )
    #expect(try one.read { try $0.participants() }.count == 2)
  }

  @Test(arguments: [
    "", " ", "a b", "a\tb", "a\nb", "a\u{7}b", "@anna", "#anna", "/anna", "a\u{202e}b",
    "a\u{200b}b", "\u{2028}", "a\u{0}b", String(repeating: "x", count: 65),
    "a" + String(repeating: "\u{301}", count: 1000),
  ])
  func badNamesAreRefused(name: String) throws {
    let fixture = Fixture()
    let store = try fixture.open()
    let anna = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }
    #expect(throws: RuleError.badName(name)) {
      try store.writeDurablyIfNeeded { try $0.participant(identity: name) }
    }
    #expect(throws: RuleError.badName(name)) {
      try store.writeDurably { try $0.rename(anna.id, to: name) }
    }
    #expect(try store.read { try $0.participants() } == [anna])
  }

  @Test(arguments: ["x", "jo-el_7", "Ørsted", "漢字", "🐗", String(repeating: "x", count: 64)])
  func goodNamesAreTaken(name: String) throws {
    let fixture = Fixture()
    #expect(
      try fixture.open().writeDurablyIfNeeded { try $0.participant(identity: name) }.name == name)
  }

  @Test func renamingChangesTheShownNameAndNotTheIdentity() throws {
    let lobby = try Lobby()
    let before = try lobby.says("hello")
    let renamed = try lobby.store.writeDurably { try $0.rename(lobby.anna, to: "Änne") }
    #expect(renamed.identity == "anna")
    #expect(renamed.name == "Änne")
    #expect(
      try lobby.other.writeDurablyIfNeeded { try $0.participant(identity: "anna") } == renamed)
    #expect(
      try lobby.other.read { try $0.message(before.id, for: lobby.ben) }?.senderName == "Änne")
    #expect(
      try lobby.other.read { try $0.message(before.id, for: lobby.ben) }?.senderIdentity == "anna")
  }

  @Test func anothersNameOrIdentityIsTaken() throws {
    let lobby = try Lobby()
    try #require(
      try lobby.store.writeDurably { try $0.rename(lobby.ben, to: "boss") }.name == "boss")
    for name in ["boss", "BOSS", "ben", "Ben"] {
      #expect(throws: RuleError.nameTaken(name)) {
        try lobby.store.writeDurably { try $0.rename(lobby.anna, to: name) }
      }
    }
    #expect(try lobby.store.writeDurably { try $0.rename(lobby.ben, to: "ben") }.name == "ben")
    #expect(try lobby.store.writeDurably { try $0.rename(lobby.anna, to: "ANNA") }.name == "ANNA")
  }

  @Test func aNewcomerWhoseIdentityIsShownBySomeoneGetsAnotherName() throws {
    let lobby = try Lobby()
    _ = try lobby.store.writeDurably { try $0.rename(lobby.anna, to: "carl") }
    let carl = try lobby.store.writeDurablyIfNeeded { try $0.participant(identity: "carl") }
    #expect(carl.identity == "carl")
    #expect(carl.name == "carl2")
  }

  @Test func findingPrefersTheShownName() throws {
    let fixture = Fixture()
    let store = try fixture.open()
    let anna = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }
    let ben = try store.writeDurablyIfNeeded { try $0.participant(identity: "ben") }
    let known = try store.writeDurably { try $0.rename(anna.id, to: "Chief") }
    #expect(try store.read { try $0.find(participant: "Chief") } == known)
    #expect(try store.read { try $0.find(participant: "@chief") } == known)
    #expect(try store.read { try $0.find(participant: "anna") } == known)
    #expect(try store.read { try $0.find(participant: "BEN") } == ben)
    #expect(try store.read { try $0.find(participant: "nobody") } == nil)
    #expect(try store.read { try $0.find(participant: "") } == nil)
  }

  @Test func findingRefusesToGuess() throws {
    let fixture = Fixture()
    let store = try fixture.open()
    let me = try store.writeDurablyIfNeeded { try $0.participant(identity: "me") }
    let account = try store.writeDurably { try $0.addAccount(owner: me.id, network: "xmpp:me@one") }
    for identity in ["eve@one", "eve@two"] {
      try store.hear("hi", from: identity, name: "Eve", in: .direct(identity), of: account)
    }
    #expect(throws: RuleError.ambiguous("Eve", candidates: ["eve@one", "eve@two"])) {
      try store.read { try $0.find(participant: "Eve", for: me.id) }
    }
    #expect(
      try store.read { try $0.find(participant: "eve@one", for: me.id) }?.identity == "eve@one")
  }

  /// Names that are the same by other code points, each pair one way and the other.
  @Test(arguments: [
    ("anna", "ANNA"), ("jos\u{e9}", "jose\u{301}"), ("\u{c5}sa", "a\u{30a}sa"),
    ("\u{212b}sa", "\u{e5}sa"), ("kim", "\u{212a}im"), ("\u{1e0b}\u{323}", "d\u{323}\u{307}"),
    ("\u{ac00}", "\u{1100}\u{1161}"), ("\u{304c}", "\u{304b}\u{3099}"),
    ("\u{f900}", "\u{8c48}"), ("Ωmega", "\u{2126}mega"), ("İ", "i\u{307}"),
    ("\u{bca}", "\u{bc6}\u{bbe}"), ("Ørsted", "ørsted"), ("🇩🇪x", "🇩🇪X"),
  ])
  func theSameNameIsFoundHoweverItIsWritten(one: String, other: String) throws {
    for (first, second) in [(one, other), (other, one)] {
      let fixture = Fixture()
      let store = try fixture.open()
      for index in 0..<5 {
        _ = try store.writeDurablyIfNeeded { try $0.participant(identity: "other\(index)") }
      }
      let known = try store.writeDurablyIfNeeded { try $0.participant(identity: first) }
      #expect(
        try store.writeDurablyIfNeeded { try $0.participant(identity: second) }.id == known.id)
      #expect(try store.read { try $0.find(participant: second) }?.id == known.id)
      let carl = try store.writeDurablyIfNeeded { try $0.participant(identity: "carl") }
      #expect(throws: RuleError.nameTaken(second)) {
        try store.writeDurably { try $0.rename(carl.id, to: second) }
      }
    }
  }

  @Test func aNameIsLookedUpAndNotSearchedFor() throws {
    let lobby = try Lobby()
    _ = try lobby.store.writeDurablyIfNeeded { try $0.participant(identity: "carl") }
    _ = try lobby.store.writeDurably { try $0.rename(lobby.anna, to: "dora") }
    _ = try lobby.store.read { try $0.find(participant: "Dora") }
    _ = try lobby.store.writeDurablyIfNeeded { try $0.participant(identity: "CARL") }
    let database = lobby.store.database
    let known = database.known.filter { $0.contains("participant") && $0.contains("name") }
    #expect(known.contains { $0.contains("name_key IN") })
    for sql in known where !sql.hasPrefix("INSERT") {
      let plan = try database.rows("EXPLAIN QUERY PLAN " + sql) { $0.text("detail") }
      #expect(!plan.contains { $0.hasPrefix("SCAN p") }, "\(sql): \(plan)")
    }
  }

  @Test func theLastConversationIsRemembered() throws {
    let lobby = try Lobby()
    #expect(try lobby.store.read { try $0.lastConversation(of: lobby.anna) } == nil)
    try lobby.store.writeIfNeeded { try $0.setLastConversation(lobby.lobby, of: lobby.anna) }
    #expect(try lobby.other.read { try $0.lastConversation(of: lobby.anna) } == lobby.lobby)
    #expect(try lobby.other.read { try $0.lastConversation(of: lobby.ben) } == nil)
  }
}
