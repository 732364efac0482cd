// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Testing

@testable import Conversations

extension EndToEnd {
  /// A component of a real server (XEP-0114), which somebody else's library (slixmpp) speaks.
  @Suite("14: A gateway to another network")
  struct GatewayTests {
    private let server: LocalServer
    private let gateway: ForeignClient
    private static let address = "gate.\(LocalServer.domain)"
    private let phone = "+4915112345@\(address)"
    private let mail = "someone\\40example.org@\(address)"
    private let anna = "anna@\(LocalServer.domain)"

    init() throws {
      server = try LocalServer(["anna"], gateway: Self.address)
      gateway = try ForeignClient(gateway: Self.address, at: server)
    }

    private func raw(_ xml: String) throws {
      try gateway.tell(Self.address, "raw", xml)
    }

    @Test("14.5: one talks to it, and meets its people and rooms, at a prompt")
    func atThePrompt() throws {
      let home = try Home()
      let shell = try home.shell(as: "anna", at: server)
      func type(_ line: String, seeing part: String) throws {
        shell.send(line + "\r")
        try shell.expect(part)
      }
      try type("/msg xmpp:\(Self.address)", seeing: "@\(Self.address)> |")
      try type("help", seeing: "register, find, help")

      for (person, text) in [(phone, "hi from afar"), (mail, "a letter")] {
        try gateway.tell(person, "say", anna, "chat", text)
        try shell.expect(person + ", a stranger, wrote to you")
        try type("/msg " + person, seeing: text)
        try type("hello \(text)", seeing: "] ✓✓ delivered")
        try gateway.expect("hello \(text)")
      }
      try raw("<presence from='\(phone)' to='\(anna)' type='subscribe'/>")
      try shell.expect("wants to be a contact")
      try type("/contact accept " + phone, seeing: phone + " is a contact now")

      let room = "group-1!x\\27+y@\(Self.address)"
      try gateway.tell("room", room, "Tea & Co")
      try raw(
        "<message from='\(phone)' to='\(anna)'><x xmlns='jabber:x:conference' jid='\(room)'/></message>"
      )
      try shell.expect("invites you")
      try type("/requests", seeing: "Type one of these to accept")
      try type("/join \(room)", seeing: "#Tea & Co> |")
      try type("/who", seeing: "Zoë 🐘")
      try type("who has milk?", seeing: "[1] ✓ sent")

      // The server tells nobody that a component has gone; once it knows, it returns messages.
      gateway.kill()
      let log = server.folder + "/prosody.log"
      try #require(
        shell.wait(for: 10) { _ in
          (try? String(contentsOfFile: log, encoding: .utf8))?
            .contains("component disconnected") == true
        })
      try type("and sugar?", seeing: "Component unavailable")
      try type("/msg " + phone, seeing: "> |")
      try type("are you there?", seeing: "] ✗ failed")
      let again = try ForeignClient(gateway: Self.address, at: server)
      try type("/msg xmpp:\(Self.address)", seeing: "@\(Self.address)> |")
      try type("hello?", seeing: "What? Send: help")
      try again.tell(phone, "say", anna, "chat", "back again")
      try type("/msg " + phone, seeing: "back again")
    }

    @Test("texts, edits, reactions and receipts of its people, each way")
    func eachWay() throws {
      let person = try Correspondent("anna", at: server)
      try person.connect()
      let chat = try person.chat(at: mail)
      let hello = try person.say("hello", in: chat)
      try person.expect("hello", in: chat) { $0.state == .delivered }
      let name = try gateway.id(of: "hello")
      try gateway.tell(mail, "marker", anna, "chat", name)
      try person.expect("hello", in: chat) { $0.state == .seen }
      try gateway.tell(mail, "react", anna, "chat", name, "🍵")
      #expect(
        try person.wait {
          try person.store.read { try $0.reactions(of: hello.id) }.map(\.emoji) == ["🍵"]
        })
      try person.store.writeDurably { _ = try $0.edit(hello.id, to: "hello you", by: person.me) }
      try gateway.expect("hello you")
      try gateway.expect("urn:xmpp:message-correct:0")

      try gateway.tell(mail, "say", anna, "chat", "god day")
      let day = try person.expect("god day", in: chat)
      #expect(day.sender != person.me)
      try person.store.writeIfNeeded {
        try $0.noteSeen(by: person.me, in: chat, upTo: day.number, sendReceipt: true)
      }
      try gateway.expect("<displayed")
      try gateway.expect("urn:xmpp:receipts")
      try person.store.writeDurably { try $0.react(day.id, by: person.me, with: "👍") }
      try gateway.expect("urn:xmpp:reactions:0")
      let id = try #require(
        try person.store.database.first(
          "SELECT remote_id FROM message WHERE id = ?", day.id
        ) { $0.text() })
      try gateway.tell(mail, "correct", anna, "chat", id, "good day")
      try person.expect("good day", in: chat) { $0.editedAt != nil && $0.number == day.number }
    }
  }
}
