// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import StoreFixture
import Testing

@testable import Conversations

@Suite("A message as a line of JSON") struct JSONLineTests {
  private func object(_ line: String?) throws -> [String: Any] {
    let data = Data(try #require(line).utf8)
    return try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  @Test("11.3: it has what is stored, in a fixed order, without empty values")
  func plain() throws {
    let lobby = try Lobby()
    let message = try lobby.says("hello")
    #expect(
      try lobby.store.read { try $0.jsonLine(of: message.id) }
        == """
        {"type":"message","uid":"\(message.uid)","conversation":"#lobby","number":1,\
        "time":"2023-11-14T22:13:20.000Z","sender":"anna","name":"anna","kind":"text",\
        "state":"sent","text":"hello"}
        """)
    #expect(try lobby.store.read { try $0.jsonLine(of: ID(rawValue: 999)) } == nil)
  }

  @Test("14.15: it says whether the message was encrypted", arguments: 0...7)
  func encryption(column: Int) throws {
    let lobby = try Lobby()
    let message = try lobby.says("hello")
    try lobby.store.db("UPDATE message SET encrypted = \(column)")
    let line = try lobby.store.read { try $0.jsonLine(of: message.id) }
    let ends = [
      "", #","encrypted":true"#, #","encrypted":true,"verified":true"#,
      #","encrypted":true,"verified":false"#, #","encrypted":true,"unreadable":"too-early""#,
      #","encrypted":true,"unreadable":"broken""#,
      #","encrypted":true,"unreadable":"not-for-this-device""#, #","encrypted":true"#,
    ]
    #expect(line?.hasSuffix(#""hello"\#(ends[column])}"#) == true)
  }

  @Test("12.2: control sequences are escaped, and read back unchanged")
  func control() throws {
    let lobby = try Lobby()
    let body = "a\u{0}b\u{1b}[2J\u{7f}\u{85}\u{9b}31m\u{2028}\u{202e}\u{2066}\u{feff}\t\r\n\"\\ü漢🎉"
    let message = try lobby.says(body)
    let line = try #require(try lobby.store.read { try $0.jsonLine(of: message.id) })
    for scalar in line.unicodeScalars {
      #expect(scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value))
      #expect(!["\u{2028}", "\u{202e}", "\u{2066}", "\u{feff}"].contains(scalar))
    }
    #expect(line.contains("ü漢🎉"))
    #expect(try object(line)["text"] as? String == body)
  }

  @Test("edits, deletions, reactions, files and answers are in it")
  func everything() throws {
    let lobby = try Lobby()
    let first = try lobby.says("frist", with: [try lobby.kept("bytes", as: "a.txt")])
    try lobby.store.writeDurably { try $0.edit(first.id, to: "first", by: lobby.anna) }
    try lobby.other.writeDurably { try $0.react(first.id, by: lobby.ben, with: "🎉") }
    let answer = try lobby.other.writeDurably {
      try $0.send("second", in: lobby.lobby, by: lobby.ben, replyTo: first.id)
    }
    let line = try object(try lobby.store.read { try $0.jsonLine(of: first.id) })
    #expect(line["text"] as? String == "first")
    #expect(line["edited"] as? String == "2023-11-14T22:13:20.000Z")
    #expect((line["revisions"] as? [[String: String]])?.first?["text"] == "frist")
    #expect((line["reactions"] as? [[String: String]])?.first?["emoji"] == "🎉")
    #expect((line["attachments"] as? [[String: Any]])?.first?["bytes"] as? Int == 5)
    #expect(
      try object(try lobby.store.read { try $0.jsonLine(of: answer.id) })["reply_to"] as? Int == 1)
    try lobby.other.writeDurably { try $0.deleteMessage(answer.id, by: lobby.ben) }
    #expect(
      try object(try lobby.store.read { try $0.jsonLine(of: answer.id) })["gone"] as? String
        == "deleted")
  }

  @Test("people and rooms on networks, and direct chats, are objects")
  func names() throws {
    let lobby = try Lobby()
    let account = try lobby.store.writeDurably {
      try $0.addAccount(owner: lobby.anna, network: "xmpp:anna@example")
    }
    let far = try lobby.store.hear("hi", from: "zoe", in: .room("tea"), of: account)
    let line = try #require(try lobby.store.read { try $0.jsonLine(of: far.id) })
    #expect(line.contains(##""conversation":{"room":"#tea","network":"xmpp:anna@example"}"##))
    #expect(line.contains(#""sender":{"identity":"tea/zoe","network":"xmpp:anna@example"}"#))
    let pair = try lobby.store.writeDurablyIfNeeded {
      try $0.directChat(lobby.anna, with: lobby.ben)
    }
    let direct = try lobby.store.writeDurably { try $0.send("psst", in: pair.id, by: lobby.anna) }
    #expect(
      try lobby.store.read { try $0.jsonLine(of: direct.id) }?.contains(
        #""conversation":{"people":["anna","ben"]}"#) == true)
  }

  @Test("a time out of range becomes the nearest possible one", arguments: [Int64.max, .min])
  func times(time: Int64) throws {
    let lobby = try Lobby()
    let message = try lobby.says("when")
    try lobby.store.database.run("UPDATE message SET created_at = ?", time)
    let expected = time > 0 ? "9999-12-31T23:59:59.999Z" : "0000-01-01T00:00:00.000Z"
    #expect(
      try object(try lobby.store.read { try $0.jsonLine(of: message.id) })["time"] as? String
        == expected)
  }
}
