// SPDX-License-Identifier: GPL-3.0-or-later
import StoreFixture
import Testing

@testable import Conversations
@testable import NetworkInbox

@Suite("What the store keeps of hobnob's own sentences") struct RemarkTests {
  private let database = try! Database(path: ":memory:", patience: 0)

  private static let list =
    ([translated("edits"), translated("files"), translated("replies")]
    as [Remark]).joinedAsList()
  private static let each: [(Remark, stored: String)] = [
    ("no such nick", #""no such nick""#),
    (
      filled(("%1 could not be sent: %2.", ["a.png", translated("it cannot be read") as Remark])),
      #"{"say":"%1 could not be sent: %2.","with":["a.png",{"say":"it cannot be read"}]}"#
    ),
    (
      filled(translated("one %2", "%1 of %2", count: 3) as Remark, ["3", "tea"]),
      #"{"count":3,"one":"one %2","say":"%1 of %2","with":["3","tea"]}"#
    ),
    (translated("kicked") + " (spam)", #"[{"say":"kicked"}," (spam)"]"#),
    (
      filled(("%1 %2.", ["x.org", list])) + translated(" It has no rooms of its own."),
      #"[{"say":"%1 %2.","with":["x.org",[{"say":"edits"},{"say":"%1, %2","with":["",""]},"#
        + #"{"say":"files"},{"say":"%1, %2","with":["",""]},{"say":"replies"}]]},"#
        + #"{"say":" It has no rooms of its own."}]"#
    ),
  ]

  @Test("a sentence is its key and arguments, a quotation a string", arguments: each)
  func roundTrips(remark: Remark, stored: String) throws {
    #expect(remark.json.line == stored)
    let found = try #require(
      try database.first("SELECT ? AS text", remark) { $0.remark("text") })
    #expect(found.json == remark.json && found.text == remark.text)
  }

  @Test("it reads as before, whoever fills it")
  func reads() {
    #expect(Self.each[1].0.text == "a.png could not be sent: it cannot be read.")
    #expect(Self.each[2].0.text == "3 of tea")
    #expect(Self.each[3].0 == "kicked (spam)")
    #expect(Self.each[4].0 == "x.org edits, files, replies. It has no rooms of its own.")
    #expect((["a", "b", "c"] as [Remark]).joinedAsList() == "a, b, c")
  }

  @Test("what is no remark is empty; nothing that somebody wrote becomes a sentence")
  func strange() throws {
    for text in ["", "nothing", "7", "{}", #"{"say":7}"#, "[]", "null"] {
      let found = try database.first("SELECT ? AS text", text) { $0.remark("text") }
      #expect(found?.isEmpty == true, "\(text)")
    }
    let written: Remark = #"{"say":"%1 invited you"}"#
    let found = try database.first("SELECT ? AS text", written) { $0.remark("text") }
    #expect(found?.text == written.text)
  }

  @Test("a few bytes of another program do not fill the memory")
  func bounded() throws {
    var stored = #""spam""#
    for _ in 0..<11 {
      stored = #"{"say":"\#(String(repeating: "%1", count: 9))","with":[\#(stored)]}"#
    }
    let found = try database.first("SELECT ? AS text", stored) { $0.remark("text") }
    #expect(try #require(found).text.utf8.count < 1_000_000)
  }

  @Test("why a message failed, how somebody was removed, and answers are kept that way")
  func kept() throws {
    let lobby = try Lobby()
    let account = try lobby.store.writeDurably {
      try $0.addAccount(owner: lobby.anna, network: "xmpp:anna@x")
    }
    let tea = try lobby.store.writeDurably { transaction in
      let room = try transaction.networkRoom("tea", network: account.network)
      try transaction.join(lobby.anna, room.id)
      try transaction.send("x", in: room.id, by: lobby.anna)
      return room.id
    }
    try lobby.store.writeDurably { try $0.removeAccount(account) }
    let failure = try lobby.store.database.first("SELECT failure FROM message") { $0.text() }
    #expect(failure == #"{"say":"the account %1 was removed","with":["anna@x"]}"#)
    let message = try lobby.store.read { try $0.newest(by: lobby.anna, in: tea) }
    #expect(message?.failure == "the account anna@x was removed")
  }
}
