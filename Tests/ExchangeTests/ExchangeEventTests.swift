// SPDX-License-Identifier: GPL-3.0-or-later
import StoreFixture
import Testing

@testable import Conversations
@testable import Exchange

@Suite("11.3: Export and import of events and people") struct ExchangeEventTests {
  private func text(_ store: Store) throws -> String {
    export(try store.exported().dropLast().joined(separator: "\n"))
  }

  private func topics(_ store: Store) throws -> [String] {
    try store.database.rows("SELECT text FROM event ORDER BY at, id") { $0.text() }
  }

  @Test("events are imported once, however often, and later ones too, even without messages")
  func again() throws {
    let lobby = try Lobby()
    try lobby.store.writeDurably { try $0.setTopic("one", of: lobby.lobby, by: lobby.anna) }
    try lobby.store.writeDurably { try $0.setTopic("two", of: lobby.lobby, by: lobby.anna) }
    let old = try text(lobby.store)
    let copy = try Fixture().open()
    try copy.take([old, old])
    #expect(try topics(copy) == ["one", "two"])
    lobby.fixture.now += 1000
    try lobby.store.writeDurably { try $0.setTopic("three", of: lobby.lobby, by: lobby.anna) }
    try copy.take([text(lobby.store)])
    #expect(try topics(copy) == ["one", "two", "three"])
    try copy.take([old])
    #expect(try topics(copy) == ["one", "two", "three"])
    #expect(try text(copy).contains(#""kind":"topic","text":"three"}"#))
  }

  @Test("two exports in one stream bring events and lines once, as two files do")
  func twoInOneStream() throws {
    let lobby = try Lobby()
    try lobby.store.writeDurably { try $0.setTopic("one", of: lobby.lobby, by: lobby.anna) }
    try lobby.store.write { try $0.appendHistory("/topic one", of: lobby.anna, shell: nil) }
    let old = try text(lobby.store)
    lobby.fixture.now += 1000
    try lobby.store.writeDurably { try $0.setTopic("two", of: lobby.lobby, by: lobby.anna) }
    let copy = try Fixture().open()
    try copy.take([old + text(lobby.store)])
    #expect(try topics(copy) == ["one", "two"])
    #expect(
      try copy.writeDurablyIfNeeded {
        try $0.inputHistory(
          of: $0.participant(identity: "anna").id, shell: "",
          limit: 9)
      } == [
        "/topic one"
      ])
  }

  @Test("two exports in one import equal two imports: replies, members, what is newer")
  func twoSources() throws {
    // Two stores with a #lobby each, and the first one again as it was before.
    let (one, two) = (try Lobby(), try Lobby())
    try one.says("one's question")
    let second = try one.says("as it was said")
    let unedited = try text(one.store)
    one.fixture.now += 1000
    try one.store.writeDurably { try $0.edit(second.id, to: "edited once", by: one.anna) }
    let old = try text(one.store)
    one.fixture.now += 1000
    try one.store.writeDurably { try $0.edit(second.id, to: "edited twice", by: one.anna) }
    try one.store.writeDurably { try $0.setTopic("new", of: one.lobby, by: one.anna) }
    try one.other.writeDurablyIfNeeded { try $0.leave(one.ben, one.lobby) }
    let question = try two.says("two's question")
    let carl = try two.store.writeDurablyIfNeeded { try $0.participant(identity: "carl") }.id
    try two.store.writeDurablyIfNeeded { try $0.join(carl, two.lobby) }
    _ = try two.store.writeDurably {
      try $0.send("an answer", in: two.lobby, by: carl, replyTo: question.id)
    }
    let (new, other) = (try text(one.store), try text(two.store))
    let elsewhere = export(line("here before", number: 1, uid: String(repeating: "e", count: 32)))
    for parts in [[new, old], [new, other], [other, new, old]] {
      for start in [[], [unedited], [elsewhere]] {
        let stores = try (0..<3).map { _ in try Fixture().open() }
        for store in stores { try store.take(start) }
        for part in parts { try stores[0].take([part]) }
        try stores[1].take(parts)
        try stores[2].take([parts.joined()])
        #expect(try stores[1].exported() == stores[0].exported())
        #expect(try stores[2].exported() == stores[0].exported())
      }
    }
    let store = try Fixture().open()
    try store.take([new, other])
    let room = try #require(try store.read { try $0.room("lobby") }).id
    let anna = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
    let answer = try #require(
      try store.read { try $0.messages(in: room, limit: 9, for: anna) }.first {
        $0.body == "an answer"
      })
    #expect(answer.replyTo?.line == "two's question")
  }

  @Test("an imported event is not new, and changes neither topic nor members")
  func silent() throws {
    let lobby = try Lobby()
    try lobby.store.writeDurably { try $0.setTopic("tea", of: lobby.lobby, by: lobby.anna) }
    let position = try lobby.store.read { try $0.position }
    try lobby.other.take([
      export(
        ##"{"type":"event","conversation":"#lobby","time":"2026-11-21T10:00:00Z","##
          + ##""participant":"zoe","kind":"topic","text":"cake"}"##,
        ##"{"type":"event","conversation":"#lobby","time":"2026-11-21T10:00:00Z","##
          + ##""participant":"zoe","kind":"invitation","other":"anna"}"##)
    ])
    #expect(
      try lobby.store.read { try $0.changes(since: position, for: lobby.anna) }.events.isEmpty)
    #expect(
      try lobby.store.read { try $0.conversation(lobby.lobby, for: lobby.anna) }?.topic == "tea")
    #expect(try lobby.store.count("event") == 3)
    #expect(
      try lobby.store.read { try $0.members(of: lobby.lobby) }.map(\.name) == ["anna", "ben"])
  }

  @Test("13.10: a removed room is imported as removed, with its creator, and once")
  func removedRoom() throws {
    let lobby = try Lobby()
    let tea = try lobby.store.writeDurablyIfNeeded { try $0.makeRoom("tea", for: lobby.anna) }.id
    try lobby.store.writeDurablyIfNeeded { try $0.join(lobby.anna, tea) }
    try lobby.store.writeDurably { try $0.send("green", in: tea, by: lobby.anna) }
    try lobby.store.writeDurably { try $0.remove(tea, by: lobby.anna) }
    let full = try lobby.store.exported()
    let copy = try Fixture().open()
    let lines = full.dropLast().joined(separator: "\n")
    // Earlier releases wrote 1 for true.
    for text in [lines.replacing("\"removed\":true", with: "\"removed\":1"), lines] {
      try copy.take([export(text)])
    }
    #expect(try copy.exported() == full)
    let anna = try copy.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
    #expect(try copy.read { try $0.search(.parse("green in:tea"), for: anna) }.count == 1)
    #expect(try copy.read { try $0.rooms(includingUnlisted: true) }.map(\.name) == ["#lobby"])
  }

  @Test("an import changes no one's away state")
  func away() throws {
    let lobby = try Lobby()
    try lobby.store.writeIfNeeded { try $0.setAway("at home", of: lobby.anna) }
    try lobby.store.take([
      export(
        #"{"type":"participant","identity":"anna","name":"anna","away":"at sea"}"#,
        #"{"type":"participant","identity":"ben","name":"ben","away":""}"#,
        #"{"type":"participant","identity":"zoe","name":"zoe","away":""}"#,
        #"{"type":"participant","identity":"max","name":"max"}"#)
    ])
    func word(_ name: String) throws -> String? {
      try lobby.store.writeDurablyIfNeeded {
        try $0.away(of: $0.participant(identity: name).id)
      }
    }
    #expect(try word("anna") == "at home")
    #expect(try word("ben") == nil)
    #expect(try word("zoe") == "")
    #expect(try word("max") == nil)
    // It is not part of what was said in a conversation.
    #expect(try !lobby.store.exported([lobby.lobby]).contains { $0.contains("at home") })
  }

  @Test("imported people are found by index, and their names are checked for look-alikes")
  func keys() throws {
    let lobby = try Lobby()
    try lobby.fill()
    let account = try #require(
      try lobby.store.read { try $0.account(network: "xmpp:anna@example") })
    try lobby.store.hear(
      "hi", from: "ann", name: "\u{430}nna", in: .room("tea"), of: account)
    let copy = try Fixture().open()
    try copy.take([text(lobby.store)])
    let columns: [StaticString] = [
      "identity", "network", "name", "identity_key", "name_key", "skeleton",
    ]
    func keys(_ store: Store) throws -> [[String]] {
      try store.database.rows("SELECT * FROM participant ORDER BY identity, network") { row in
        columns.map { row.text($0) }
      }
    }
    let all = try keys(copy)
    #expect(try all == keys(lobby.store))
    #expect(all.allSatisfy { !$0[3].isEmpty && !$0[4].isEmpty && !$0[5].isEmpty })
    #expect(try copy.read { try $0.find(participant: "@BENJAMIN") }?.identity == "ben")
    let anna = try copy.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
    let other = try #require(
      try copy.read { try $0.participants() }.first { $0.identity == "tea/ann" })
    #expect(try copy.read { try $0.lookAlikes(among: [other.id], to: anna) } == [other.id])
  }

  @Test(
    "an event that makes no sense is reported with its reason",
    arguments: [
      (#""participant":"ben""#, "“kind” is missing"),
      (#""kind":"topic""#, "“participant” is missing"),
      (#""participant":"ben","kind":"invitation""#, "“other” is missing"),
      (#""participant":"ben","kind":"topic","text":3"#, "“text” is not text"),
    ])
  func bad(members: String, reason: String) throws {
    let store = try Fixture().open()
    let line =
      ##"{"type":"event","conversation":"#lobby","time":"2026-11-21T10:00:00Z",\##(members)}"##
    do {
      try store.take([export(line)])
      Issue.record("it was taken")
    } catch let fault as ImportFault {
      #expect(fault.description.contains(reason), "\(fault)")
    }
    #expect(
      try store.count("event") == 0
        && store.count("participant") == 0)
  }
}
