// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Foundation
import IRCFixture
import Repeatable
import Testing

extension EndToEnd {
  /// Rules 14.1 and 14.2 on IRC, with processes and servers that are killed and connections that are
  /// cut.
  @Suite("14.1, 14.2: Messages on IRC", .serialized)
  final class IRCDeliveryTests {
    private static let count = 2_000

    private func enter(_ people: [Correspondent]) throws -> [ID<Conversation>] {
      let rooms = try people.map { person in
        try person.connect()
        return try person.room("#tea")
      }
      for person in people {
        let isInside = try person.wait {
          try person.store.read { try $0.requests(of: person.account) } == []
        }
        try #require(isInside, "\(person.name) is not in #tea: \(person.status)")
      }
      return rooms
    }

    private func text(_ number: Int, of person: Correspondent) -> String {
      "\(person.name) \(number)"
    }

    /// Writes many lines on both sides while connections are cut and one process is killed.
    private func talk(
      _ people: [Correspondent], in rooms: [ID<Conversation>], count: Int = count,
      disturbing: () throws -> Void
    ) throws {
      for number in 0..<count {
        for (person, room) in zip(people, rooms) {
          try person.say(text(number, of: person), in: room)
        }
        if number % (count / 5) == count / 5 - 1 { try disturbing() }
      }
      for person in people {
        let isDone = try person.wait(for: 90) {
          try person.hurry()
          return person.isDone
        }
        #expect(isDone, "\(person.name): \(person.status)")
      }
    }

    /// The texts that one of them wrote, by whether they count as sent.
    private func own(
      of person: Correspondent, in room: ID<Conversation>
    ) throws -> (sent: [String], failed: [Message]) {
      let own = try person.messages(in: room).filter { $0.sender == person.me }
      return (
        own.filter { $0.state == .sent }.map(\.body), own.filter { $0.state == .failed }
      )
    }

    /// The texts of one that the other has.
    private func heard(
      from name: String, by person: Correspondent, in room: ID<Conversation>
    ) throws -> [String] {
      try person.messages(in: room).map(\.body).filter { $0.hasPrefix(name + " ") }
    }

    @Test(
      "without a history: no line that counts as sent is lost, none comes twice, and what is in doubt says so",
      .enabled(if: IRCPackage.inspircd.isOffered, "Debian has no inspircd"))
    func withoutHistory() throws {
      var options = InspIRCd.Options()
      options.hasServices = false
      let server = try InspIRCd(options)
      let (anna, ben) = (
        try Correspondent("anna", at: server), try Correspondent("ben", at: server)
      )
      let rooms = try enter([anna, ben])
      var disturbances = 0
      try talk([anna, ben], in: rooms) {
        disturbances += 1
        if disturbances.isMultiple(of: 2) {
          anna.kill()
          try anna.start()
        } else {
          anna.proxy.cut()
        }
      }
      let (sent, failed) = try own(of: anna, in: rooms[0])
      // The last line can be in doubt, since the connection is cut right after it.
      try ben.expect(#require(sent.last), in: rooms[1])
      let heard = try heard(from: "anna", by: ben, in: rooms[1])
      let (unique, twice) = (Set(heard), heard.count - Set(heard).count)
      #expect(twice == 0)
      #expect(sent.allSatisfy { unique.contains($0) })
      #expect(sent.count + failed.count == Self.count)
      #expect(failed.allSatisfy { $0.failure?.text.contains("message may have arrived") == true })
      // What was in doubt is what was under way at the five disturbances.
      #expect(failed.count <= 5 * 20)
      // Ben's connection was never cut: all of his lines are sent.
      let bens = try own(of: ben, in: rooms[1])
      #expect(bens.failed.map(\.failure) == [])
      #expect(bens.sent.count == Self.count)
      let order = heard.compactMap { Int($0.dropFirst("anna ".count)) }
      #expect(order == order.sorted())
    }

    @Test(
      "a server that is killed among the lines: none comes twice, and each is sent or in doubt",
      .enabled(if: IRCPackage.inspircd.isOffered, "Debian has no inspircd"))
    func killedServer() throws {
      var options = InspIRCd.Options()
      options.hasServices = false
      let server = try InspIRCd(options)
      let people = [try Correspondent("anna", at: server), try Correspondent("ben", at: server)]
      let rooms = try enter(people)
      let count = LongRun.factor == nil ? 500 : Self.count
      var disturbances = 0
      try talk(people, in: rooms, count: count) {
        disturbances += 1
        if disturbances.isMultiple(of: 2) {
          server.kill()
          try server.start()
        }
      }
      for (index, person) in people.enumerated() {
        let (sent, failed) = try own(of: person, in: rooms[index])
        #expect(sent.count + failed.count == count)
        #expect(failed.allSatisfy { $0.failure?.text.contains("message may have arrived") == true })
        #expect(failed.count <= 2 * 20)
        let heard = try heard(from: person.name, by: people[1 - index], in: rooms[1 - index])
        let order = heard.compactMap { Int($0.dropFirst(person.name.count + 1)) }
        #expect(order == Array(Set(order)).sorted())
      }
    }

    @Test("with a history: everything is sent once, whatever happens in between")
    func withHistory() throws {
      var options = IRCStub.Options()
      options.historyLimit = 100
      let server = try IRCStub(options)
      let (anna, ben) = (
        try Correspondent("anna", at: server), try Correspondent("ben", at: server)
      )
      let rooms = try enter([anna, ben])
      var disturbances = 0
      try talk([anna, ben], in: rooms) {
        disturbances += 1
        if disturbances.isMultiple(of: 2) {
          anna.kill()
          try anna.start()
        } else {
          anna.proxy.cut()
          ben.proxy.cut()
        }
      }
      let expected = { (name: String) in (0..<Self.count).map { "\(name) \($0)" } }
      for (person, room) in zip([anna, ben], rooms) {
        let (sent, failed) = try own(of: person, in: room)
        #expect(failed.isEmpty, "\(failed.first?.failure ?? "")")
        #expect(sent == expected(person.name))
      }
      try ben.expect(text(Self.count - 1, of: anna), in: rooms[1])
      try anna.expect(text(Self.count - 1, of: ben), in: rooms[0])
      let accepted = try server.accepted().filter { $0.command == "PRIVMSG" }.map(\.text)
      #expect(accepted.filter { $0.hasPrefix("anna") } == expected("anna"))
      #expect(accepted.filter { $0.hasPrefix("ben") } == expected("ben"))
      #expect(Set(try heard(from: "anna", by: ben, in: rooms[1])) == Set(expected("anna")))
      #expect(try heard(from: "anna", by: ben, in: rooms[1]).count == Self.count)
      #expect(try heard(from: "ben", by: anna, in: rooms[0]).count == Self.count)
      #expect(try server.violations() == [])
    }

    @Test("with a history: equal and long texts are sent once each, in a room and a direct chat")
    func alike() throws {
      var options = IRCStub.Options()
      (options.historyLimit, options.without) = (20, ["draft/multiline"])
      let server = try IRCStub(options)
      let (anna, ben) = (
        try Correspondent("anna", withAccountAt: server),
        try Correspondent("ben", withAccountAt: server, settings: ["nick": "ben_away"])
      )
      let long = String(repeating: "many words ", count: 80)
      let texts = (0..<120).map { $0 % 7 == 6 ? long : ["ok", "yes"][$0 / 3 % 2] }
      let tea = try enter([anna, ben])[0]
      let places = [tea, try anna.ircChat(with: "ben")]
      for (number, text) in texts.enumerated() {
        for place in places { try anna.say(text, in: place) }
        switch number % 20 {
        case 9: anna.proxy.cut()
        case 19:
          anna.kill()
          try anna.start()
        default: break
        }
      }
      let isDone = try anna.wait(for: 90) {
        try anna.hurry()
        return anna.isDone
      }
      #expect(isDone, "\(anna.status)")
      anna.kill()
      try anna.connect()
      try anna.expectCaughtUp()
      for place in places {
        let (sent, failed) = try own(of: anna, in: place)
        #expect(failed.map(\.failure) == [])
        #expect(sent == texts)
        #expect(try anna.bodies(in: place) == texts)
      }
      let accepted = try server.accepted().filter { $0.command == "PRIVMSG" }
      #expect(Set(accepted.map(\.target)) == ["#tea", "ben_away"])
      for target in ["#tea", "ben_away"] {
        for text in ["ok", "yes"] {
          #expect(
            accepted.count { $0.target == target && $0.text == text }
              == texts.count { $0 == text }, "\(text) to \(target)")
        }
      }
      #expect(try server.violations() == [])
    }
  }
}
