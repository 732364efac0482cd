// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Exchange
import Foundation
import StoreFixture
import Testing

@testable import NetworkInbox

@Suite("An export of a store with accounts") struct AccountExportTests {
  private let lobby: Lobby
  private let places: [ID<Conversation>]

  /// anna and ben each in the same room of a network, with a friend there, words typed and unsent.
  init() throws {
    lobby = try Lobby()
    let store = lobby.store
    try lobby.says("for all")
    var places: [ID<Conversation>] = []
    for (name, owner) in [("anna", lobby.anna), ("ben", lobby.ben)] {
      let account = try store.writeDurably {
        try $0.addAccount(owner: owner, network: "xmpp:\(name)@example.org")
      }
      let zoe = NetworkUser(identity: "zoe-of-\(name)", name: "zoe")
      try store.inbox.apply(
        [
          .joined(room: "tea@rooms.example", nick: name),
          .topic(room: "tea@rooms.example", text: "topic of \(name)", by: nil, at: nil),
          .messageReceived(
            NetworkMessage(
              name: MessageIDs(archive: "a"), speaker: zoe, body: "said to \(name)"),
            in: .room("tea@rooms.example")),
          .present(NetworkUser(identity: "later-\(name)", name: "late"), room: "tea@rooms.example"),
        ], of: account)
      let place = try #require(try store.read { try $0.room("tea@rooms.example", for: owner) }).id
      try store.writeDurablyIfNeeded {
        try $0.setDraft(Draft(text: "draft of \(name)", caret: 0), of: owner, in: place)
      }
      try store.writeDurably {
        try $0.send("sent by \(name)", in: place, by: owner, typed: "typed by \(name)", shell: "x")
      }
      try store.writeIfNeeded { try $0.setLastConversation(place, of: owner) }
      places.append(place)
    }
    self.places = places
  }

  private func text(
    _ wanted: [ID<Conversation>]? = nil, for me: ID<Participant>?
  ) throws -> String {
    var text = ""
    try Export(of: lobby.store, wanted, for: me).write {
      text += String(decoding: $0, as: UTF8.self)
      return true
    }
    return text
  }

  @Test("has nothing of others' accounts")
  func isTheViewers() throws {
    for (me, mine, other) in [(lobby.anna, "anna", "ben"), (lobby.ben, "ben", "anna")] {
      let text = try text(for: me)
      for word in ["said to", "topic of", "draft of", "sent by", "typed by"] {
        #expect(text.contains("\(word) \(mine)"), "\(word)")
        #expect(!text.contains("\(word) \(other)"), "\(word)")
      }
      #expect(text.contains("zoe-of-\(mine)") && text.contains("later-\(mine)"))
      #expect(!text.contains("zoe-of-\(other)") && !text.contains("later-\(other)"))
      #expect(!text.contains("xmpp:\(other)") && text.contains("for all"))
    }
  }

  @Test("11.6: has no direct chat, draft or typed line of others")
  func isPrivate() throws {
    let store = lobby.store
    let eve = try store.writeDurablyIfNeeded { try $0.participant(identity: "eve") }.id
    let chat = try store.writeDurablyIfNeeded { try $0.directChat(lobby.ben, with: eve) }
    try store.writeDurably {
      try $0.send("from ben to eve", in: chat.id, by: lobby.ben, typed: "typed to eve", shell: "y")
    }
    try store.writeDurablyIfNeeded {
      try $0.setDraft(Draft(text: "unsent to eve", caret: 0), of: lobby.ben, in: chat.id)
    }
    try store.writeDurablyIfNeeded {
      try $0.setDraft(Draft(text: "unsent in public", caret: 0), of: lobby.ben, in: lobby.lobby)
    }
    try store.writeIfNeeded { try $0.setLastConversation(chat.id, of: lobby.ben) }
    let words = [
      "for all", "from ben to eve", "typed to eve", "unsent to eve", "unsent in public", "\"@eve\"",
    ]
    func found(for me: ID<Participant>?) throws -> [String] {
      try words.filter(text(for: me).contains)
    }
    #expect(try found(for: lobby.anna) == ["for all"])
    #expect(try found(for: eve).prefix(2) == ["for all", "from ben to eve"])
    #expect(try found(for: eve).filter { $0.contains("unsent") || $0.contains("typed") } == [])
    #expect(try found(for: lobby.ben).prefix(5) == words.prefix(5))
    #expect(try found(for: nil).prefix(5) == words.prefix(5))
  }

  @Test("and an import adds nothing to them")
  func imports() throws {
    let lines = try text([places[0]], for: lobby.anna).replacingOccurrences(
      of: "said to anna", with: "forged")
    func take(as me: String) throws -> ImportReport {
      let path = lobby.fixture.folder + "/lines"
      try Data(lines.utf8).write(to: URL(fileURLWithPath: path))
      let file = try #require(FileHandle(forReadingAtPath: path))
      return try Import.run(into: lobby.store, as: me) { try $0.read(file.fileDescriptor) }
    }
    // Another message, so that it would be new.
    try lobby.store.db("DELETE FROM message WHERE body = 'said to anna'")
    for me in ["ben", "eve"] {
      #expect(throws: ImportFault.self, "\(me)") { try take(as: me) }
    }
    let before = try lobby.store.read { try $0.messages(in: places[0], limit: 9, for: lobby.anna) }
    #expect(before.map(\.body) == ["sent by anna"])
    #expect(try take(as: "anna").messages == 1)
  }

  @Test("and an import finds a room of theirs that has another sign than #")
  func importsTwice() throws {
    let store = lobby.store
    let account = try store.writeDurably {
      try $0.addAccount(owner: lobby.anna, network: "stub:anna@irc.example.net")
    }
    let rules = AddressRules(roomSigns: "#&", folding: .rfc1459, identityScope: .network)
    let rooms = ["&here", "##tea"]
    try store.inbox.apply(
      [.rules(rules)] + rooms.map { .joined(room: $0, nick: "anna") }, of: account)
    let places = try rooms.map { name in
      try #require(try store.read { try $0.room(name, for: lobby.anna) }).id
    }
    for place in places {
      try store.writeDurably { try $0.send("said", in: place, by: lobby.anna) }
    }
    let lines = try text(places, for: lobby.anna)
    let report = try store.take([lines])
    #expect(report.conversations == 0 && report.messages == 0 && report.known == 2)
  }

  @Test("mentions no account to a person who has none, not even by number")
  func isNobodys() throws {
    let eve = try lobby.store.writeDurablyIfNeeded { try $0.participant(identity: "eve") }.id
    #expect(try !text(for: eve).contains("xmpp:"))
    #expect(try !text(places, for: eve).contains("tea"))
    #expect(try text(for: nil).contains("xmpp:anna") && text(for: nil).contains("xmpp:ben"))
  }
}
