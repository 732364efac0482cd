// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Testing

@testable import Conversations

extension EndToEnd {
  /// Two accounts of ours, and somebody else's client (slixmpp), on a real server.
  @Suite("13.4: What people do on a network", .serialized)
  final class NetworkTalkTests {
    private let server: LocalServer
    private let anna: Correspondent
    private let ben: Correspondent
    private let room = "tea@rooms.\(LocalServer.domain)"

    init() throws {
      server = try LocalServer()
      anna = try Correspondent("anna", at: server)
      ben = try Correspondent("ben", at: server)
      try anna.connect()
      try ben.connect()
    }

    /// Anna and Ben by this program, and Cem by somebody else's.
    private func allInTheRoom() throws -> (ID<Conversation>, ID<Conversation>, ForeignClient) {
      let (annas, bens) = try (anna.room(room), ben.room(room))
      let cem = try ForeignClient("cem", at: server)
      try #require(
        try anna.wait {
          try [anna, ben].allSatisfy { each in
            try each.store.read { try $0.requests(of: each.account) } == []
          }
        })
      try cem.tell("join", room, "cem")
      try cem.expect("/ben")
      return (annas, bens, cem)
    }

    private func address(_ name: String) -> String { "\(name)@\(LocalServer.domain)" }

    /// The id in the room's archive of a message, as somebody else's client has heard it.
    private func archiveID(of text: String, heardBy client: ForeignClient) throws -> String {
      let line = try client.expect("<body>\(text)</body>")
      let found = try #require(line.firstMatch(of: /<stanza-id [^>]*?id=\\"([^"\\]+)\\"/))
      return String(found.1)
    }

    /// The id that a message's sender gave it.
    private func origin(of message: Message, in person: Correspondent) throws -> String? {
      try person.store.database.first("SELECT remote_id FROM message WHERE id = ?", message.id) {
        $0.optionalText()
      } ?? nil
    }

    @Test("an account's process runs at a lower priority than typing")
    func yields() throws {
      let process = try #require(anna.process?.processIdentifier)
      let own = getpriority(Int32(PRIO_PROCESS.rawValue), 0)
      #expect(getpriority(Int32(PRIO_PROCESS.rawValue), id_t(process)) == min(19, own + 5))
    }

    @Test("in a room: text, edit, reply, reaction, typing, seen, retract, each way")
    func inARoom() throws {
      let (annas, bens, cem) = try allInTheRoom()

      let tea = try anna.say("tea?", in: annas)
      try anna.expect("tea?", in: annas) { $0.state >= .sent }
      try ben.expect("tea?", in: bens)
      let archived = try archiveID(of: "tea?", heardBy: cem)
      try cem.tell("say", room, "groupchat", "gladly")
      let gladly = try anna.expect("gladly", in: annas) { $0.senderName == "cem" }
      try ben.expect("gladly", in: bens)

      _ = try anna.store.writeDurably { try $0.edit(tea.id, to: "tea or coffee?", by: anna.me) }
      try ben.expect("tea or coffee?", in: bens) { $0.editedAt != nil }
      try cem.expect("urn:xmpp:message-correct:0")
      try cem.tell("correct", room, "groupchat", cem.id(of: "gladly"), "very gladly")
      try anna.expect("very gladly", in: annas) { $0.editedAt != nil && $0.number == gladly.number }
      try ben.expect("very gladly", in: bens) { $0.editedAt != nil }

      try anna.say("with milk?", in: annas, to: gladly)
      try ben.expect("with milk?", in: bens) { $0.replyTo != nil }
      try cem.expect("urn:xmpp:reply:0")
      try cem.tell("reply", room, "groupchat", archived, room + "/anna", "coffee")
      try anna.expect("coffee", in: annas) { $0.replyTo?.number == tea.number }
      try ben.expect("coffee", in: bens) { $0.replyTo != nil }

      try cem.tell("react", room, "groupchat", archived, "🍵")
      _ = try ben.store.writeDurably {
        try $0.react(
          ben.expect("tea or coffee?", in: bens).id, by: ben.me, with: "👍")
      }
      for (person, place) in [(anna, annas), (ben, bens)] {
        let message = try person.expect("tea or coffee?", in: place)
        let isThere = try person.wait {
          Set(try person.store.read { try $0.reactions(of: message.id) }.map(\.emoji)) == [
            "🍵", "👍",
          ]
        }
        let reactions = try person.store.read { try $0.reactions(of: message.id) }
        #expect(isThere, "\(person.name): \(reactions)")
      }
      // In JSON, in its two halves.
      try cem.expect("\\ud83d\\udc4d")

      let position = try anna.store.read { try $0.position }
      let typing = { [anna] in
        try anna.store.read { try $0.changes(since: position, for: anna.me) }.typing.filter {
          $0.participant.name == "cem" && $0.conversation == annas
        }.map(\.isTyping)
      }
      try cem.tell("typing", room, "groupchat", "composing")
      #expect(try anna.wait { try typing() == [true] })
      try cem.tell("typing", room, "groupchat", "paused")
      #expect(try anna.wait { try typing() == [false] })

      let last = try ben.messages(in: bens).map(\.number).max() ?? 0
      try ben.store.writeIfNeeded {
        try $0.noteSeen(by: ben.me, in: bens, upTo: last, sendReceipt: true)
      }
      try anna.expect("tea or coffee?", in: annas) { $0.state == .seen }

      try cem.tell("retract", room, "groupchat", archiveID(of: "coffee", heardBy: cem))
      for (person, place) in [(anna, annas), (ben, bens)] {
        #expect(
          try person.wait {
            try person.messages(in: place).contains { $0.deletedAt != nil && $0.body == "" }
          }, "\(person.name)")
      }
      _ = try anna.store.writeDurably { try $0.deleteMessage(tea.id, by: anna.me) }
      try cem.expect("urn:xmpp:message-retract:1")
      #expect(
        try ben.wait { try ben.messages(in: bens).count { $0.deletedAt != nil } == 2 })
      let log = try ben.home.run(["log", "tea", "--as", "ben"])
      #expect(count(of: "] cem: very gladly (edited)", in: log.output) == 1, "\(log)")
      #expect(!log.output.contains("coffee"), "\(log)")
    }

    @Test("a sender hears of receipts sent after their process was killed and restarted")
    func seenBehindAKill() throws {
      let (annas, bens) = try (anna.chat(with: "ben"), ben.chat(with: "anna"))
      try anna.say("tea?", in: annas)
      try anna.expect("tea?", in: annas) { $0.state >= .sent }
      try ben.expect("tea?", in: bens)
      try ben.say("gladly", in: bens)
      try anna.expect("gladly", in: annas)
      anna.kill()
      try anna.connect()
      try anna.store.writeIfNeeded {
        try $0.noteSeen(by: anna.me, in: annas, upTo: 2, sendReceipt: true)
      }
      try ben.expect("gladly", in: bens) { $0.state == .seen }
    }

    @Test("in a direct chat: delivered, seen, typing, reaction, edit, retract, each way")
    func inADirectChat() throws {
      let cem = try ForeignClient("cem", at: server)
      let (cems, bens) = try (anna.chat(with: "cem"), anna.chat(with: "ben"))
      let hello = try anna.say("hello", in: cems)
      // slixmpp answers the request for a receipt by itself (XEP-0184).
      try anna.expect("hello", in: cems) { $0.state == .delivered }
      let name = try cem.id(of: "hello")
      try cem.tell("marker", address("anna"), "chat", name)
      try anna.expect("hello", in: cems) { $0.state == .seen }
      try cem.tell("react", address("anna"), "chat", name, "🍵")
      #expect(
        try anna.wait {
          try anna.store.read { try $0.reactions(of: hello.id) }.map(\.emoji) == ["🍵"]
        })

      try cem.tell("say", address("anna"), "chat", "good day")
      let day = try anna.expect("good day", in: cems)
      try anna.store.writeIfNeeded {
        try $0.noteSeen(by: anna.me, in: cems, upTo: day.number, sendReceipt: true)
      }
      try cem.expect("urn:xmpp:receipts")
      try cem.expect("<displayed")
      try cem.tell("retract", address("anna"), "chat", try #require(try origin(of: day, in: anna)))
      #expect(try anna.wait { try anna.messages(in: cems).contains { $0.deletedAt != nil } })

      let one = try anna.say("one", in: bens)
      let place = try ben.chat(with: "anna")
      let theirs = try ben.expect("one", in: place)
      // Whom one never wrote to is not told what one reads.
      try ben.say("zero", in: place)
      try anna.expect("zero", in: bens)
      try ben.store.writeIfNeeded {
        try $0.noteSeen(by: ben.me, in: place, upTo: theirs.number, sendReceipt: true)
      }
      try anna.expect("one", in: bens) { $0.state == .seen }
      _ = try ben.store.writeDurably { try $0.react(theirs.id, by: ben.me, with: "👍") }
      #expect(
        try anna.wait { try anna.store.read { try $0.reactions(of: one.id) }.map(\.emoji) == ["👍"] }
      )
      _ = try anna.store.writeDurably { try $0.edit(one.id, to: "two", by: anna.me) }
      try ben.expect("two", in: place) { $0.editedAt != nil && $0.number == theirs.number }
      try ben.say("three", in: place, to: theirs)
      try anna.expect("three", in: bens) { $0.replyTo?.number == one.number }
      _ = try anna.store.writeDurably { try $0.deleteMessage(one.id, by: anna.me) }
      #expect(try ben.wait { try ben.messages(in: place).contains { $0.deletedAt != nil } })
    }

    @Test("what was said while both were away is there once, in its place, with its edits")
    func afterBothWereAway() throws {
      let (annas, bens, cem) = try allInTheRoom()
      // Who is written to is no stranger.
      let chat = try anna.chat(with: "cem")
      try cem.tell("say", room, "groupchat", "before")
      try anna.expect("before", in: annas)
      try ben.expect("before", in: bens)
      for person in [anna, ben] { person.kill(SIGTERM) }
      for number in 1...3 {
        try cem.tell("say", room, "groupchat", "room \(number)")
        try cem.tell("say", address("anna"), "chat", "direct \(number)")
      }
      try cem.expect("<body>room 3</body>")
      try cem.tell("correct", room, "groupchat", cem.id(of: "room 2"), "room two")
      try cem.tell("retract", room, "groupchat", archiveID(of: "room 1", heardBy: cem))
      try cem.tell("react", room, "groupchat", archiveID(of: "before", heardBy: cem), "🍵")
      // The room says it back, so it is in the archive.
      try cem.expect("urn:xmpp:reactions:0")
      let waiting = try anna.say("from anna", in: annas)
      for person in [anna, ben] { try person.connect() }
      for (person, place) in [(anna, annas), (ben, bens)] {
        try person.expect("room 3", in: place)
        try person.expect("room two", in: place) { $0.editedAt != nil }
        let before = try person.expect("before", in: place)
        #expect(
          try person.wait {
            try person.store.read { try $0.reactions(of: before.id) }.map(\.emoji) == ["🍵"]
          })
        try person.expect("from anna", in: place) { $0.state >= .sent }
        let bodies = try person.messages(in: place).map { $0.deletedAt == nil ? $0.body : "-" }
        // By time, what anna wrote meanwhile is the last.
        #expect(bodies == ["before", "-", "room two", "room 3", "from anna"], "\(person.name)")
        #expect(try person.messages(in: place).allSatisfy { !$0.isPast })
      }
      #expect(try anna.messages(in: annas).last?.id == waiting.id)
      try anna.expect("direct 3", in: chat)
      #expect(try anna.messages(in: chat).map(\.body) == ["direct 1", "direct 2", "direct 3"])
      let unread = try anna.store.read { try $0.listing(for: anna.me) }.first {
        $0.conversation.id == chat
      }?.unread
      #expect(unread == 3)
      let log = try anna.home.run(["log", "tea", "--as", "anna"])
      for text in ["before", "room two", "room 3", "from anna"] {
        #expect(count(of: text, in: log.output) == 1, "\(log)")
      }
    }

    @Test("two devices of one account: what one writes and changes is the other's own, once")
    func twoDevices() throws {
      let other = try Correspondent("anna", at: server)
      try other.connect()
      // What follows the answers is encrypted for both devices.
      for person in [other, anna] {
        try person.ask(.abilities, target: "ben@\(LocalServer.domain)")
      }
      let (here, there) = try (anna.chat(with: "ben"), other.chat(with: "ben"))
      let place = try ben.chat(with: "anna")
      let one = try anna.say("one", in: here)
      try ben.expect("one", in: place)
      try other.expect("one", in: there) { $0.sender == other.me && $0.state >= .sent }
      _ = try anna.store.writeDurably { try $0.edit(one.id, to: "uno", by: anna.me) }
      try other.expect("uno", in: there) { $0.sender == other.me && $0.editedAt != nil }
      try ben.say("two", in: place)
      try anna.expect("two", in: here) { $0.sender != anna.me }
      try other.expect("two", in: there) { $0.sender != other.me }
      try other.say("three", in: there)
      try anna.expect("three", in: here) { $0.sender == anna.me }
      // The one that was away has it from the archive.
      other.kill(SIGTERM)
      try anna.say("four", in: here)
      try ben.expect("four", in: place)
      try other.connect()
      try other.expect("four", in: there) { $0.sender == other.me && $0.state >= .sent }
      for (person, place) in [(anna, here), (other, there), (ben, place)] {
        #expect(try person.messages(in: place).map(\.body) == ["uno", "two", "three", "four"])
      }
    }
  }
}
