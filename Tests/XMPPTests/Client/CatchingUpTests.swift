// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Networks
import Testing

@testable import NetworkInbox
@testable import XMPP

/// Where what one missed ends, and what is new begins.
struct CatchingUpTests {
  private let room = "room@muc.example.org"

  private func archived(_ number: Int) -> (id: String, message: String) {
    (
      "m\(number)",
      "<message from='ben@example.org/x' type='chat' id='b\(number)'><body>\(number)</body></message>"
    )
  }

  private func live(_ number: Int) -> String {
    "<message from='ben@example.org/x' type='chat' id='b\(number)'><body>\(number)</body>"
      + "<stanza-id xmlns='\(Feature.ids)' by='anna@example.org' id='m\(number)'/></message>"
  }

  private func inRoom(_ nick: String, _ number: Int) -> String {
    "<message from='\(room)/\(nick)' type='groupchat' id='b\(number)'><body>\(number)</body>"
      + "<occupant-id xmlns='\(Feature.occupantIDs)' id='id-\(nick)'/>"
      + "<stanza-id xmlns='\(Feature.ids)' by='\(room)' id='r\(number)'/></message>"
  }

  @Test func whatComesIntoAnArchiveThatWasEmptyIsNew() {
    var talk = Talk(marks: [:])
    talk.archives[""] = []
    talk.logIn()
    #expect(talk.news.marks == [""])
    talk.handle(.down)
    talk.archives[""] = [archived(1), archived(2)]
    talk.forget()
    talk.logIn()
    #expect(talk.news.messages.map(\.body) == ["1", "2"])
    #expect(talk.news.messages.allSatisfy { !$0.isPast })
    #expect(talk.news.marks.last == "m2")
  }

  @Test("14.7: what comes by itself during the first page is reported at once, and so new")
  func liveDuringTheFirstPage() throws {
    var talk = Talk(marks: [:])
    talk.ignores = { $0.children.first?.namespace == Feature.archive }
    talk.logIn()
    talk.hear(live(2))
    talk.archives[""] = [archived(1), archived(2)]
    talk.ignores = { _ in false }
    talk.wait(Limits.answer)
    talk.wait(Retry.archivePage.pause)
    talk.serve()
    // The store knows the second one by its id.
    #expect(talk.news.messages.map(\.body) == ["2", "1", "2"])
    #expect(talk.news.messages.map(\.isPast) == [false, true, true])
    #expect(talk.news.messages.map(\.name.archive) == ["m2", "m1", "m2"])
    #expect(!talk.news.contains(.missing(in: .direct("ben@example.org"))))
  }

  @Test func whatAnArchiveTellsWasSaidAfterWhatIsKnownWhateverTheServersClockShows() throws {
    // The server's clock, and so each stamp, is months behind.
    var talk = Talk.ready()
    talk.archives[""]?.append(archived(1))
    talk.hear(live(1))
    let known = talk.now
    talk.handle(.down)
    talk.now += 60_000
    talk.archives[""]?.append(archived(2))
    talk.logIn()
    let late = try #require(talk.news.messages.last)
    #expect(late.body == "2")
    #expect(late.time == known)
    // A successor knows it from the store.
    let client = Client(account: Talk.account, marks: ["": "m1"], newest: ["": known + 5])
    talk = Talk()
    talk.now += 60_000
    talk.client = client
    talk.archives[""] = [archived(1), archived(2)]
    talk.logIn()
    #expect(talk.news.messages.last?.time == known + 5)
  }

  @Test func whoSpeaksInARoomThatWasNotThereYetIsKnownByTheIdTheRoomGives() throws {
    for isOurs in [true, false] {
      var talk = Talk(rooms: [WantedRoom(address: room, nick: "anna")])
      talk.ignores = { [room] in $0["to"]?.hasPrefix(room) == true }
      talk.logIn()
      let info = try #require(talk.sent.last { $0["to"] == room })
      talk.error(info, "item-not-found")
      talk.hear(Talk.presence("\(room)/ben", id: "id-ben"))
      talk.hear(
        Talk.presence("\(room)/anna", id: "id-anna", codes: ["110"] + (isOurs ? ["201"] : [])))
      #expect(talk.hear(inRoom("ben", 1)) == [])
      talk.outbox([.test(1, to: .room(room))])
      #expect(talk.messages.isEmpty)
      talk.roomFeatures[room] = [Feature.archive, Feature.ids, Feature.occupantIDs]
      talk.archives[room] = [("r1", inRoom("ben", 1))]
      talk.ignores = { _ in false }
      if isOurs {
        talk.result(try #require(talk.sent.last { $0["type"] == "set" && $0["to"] == room }), "")
      }
      talk.serve()
      let again = try #require(
        talk.sent.last { $0.children.first?.namespace == Feature.info && $0["to"] == room })
      if again["id"] != info["id"] { talk.serve() }
      #expect(
        talk.news.contains(.present(NetworkUser(identity: "id-ben", name: "ben"), room: room)))
      #expect(talk.news.contains(.joined(room: room, nick: "anna")))
      // Live and from the archive, under one id.
      #expect(Set(talk.news.said) == ["id-ben: 1"])
      #expect(talk.news.messages.first?.isPast == false)
      #expect(talk.news.messages.allSatisfy { $0.name.archive == "r1" })
      #expect(talk.messages.map { $0["id"] } == ["uid1"])
      #expect(talk.statuses.last == .connected([]))
      // For a successor, too, all that is said in a new room is new.
      #expect(talk.news.contains(.caughtUp(archive: room, mark: "")) == isOurs)
    }
  }

  @Test func anAlarmComesThoughItWasWokenAMomentTooEarly() {
    var talk = Talk()
    talk.ignores = { $0.name == "iq" }
    talk.logIn()
    // A timer of another clock than the wall's.
    talk.wait(Limits.answer - 1)
    let wakes = talk.effects.suffix(1).compactMap {
      if case .wake(let time) = $0 { time } else { nil }
    }
    #expect(wakes == [talk.now + 1])
    talk.wait(1)
    #expect(talk.hangUps == ["The server does not answer."])
  }

  @Test func aConnectionThatIsGivenUpHereBlamesNoMessage() {
    var talk = Talk.ready()
    talk.outbox([.test(1, String(repeating: "x", count: 20_000)), .test(2)])
    for _ in 0..<10 {
      talk.handle(.givenUp)
      talk.logIn()
    }
    #expect(talk.news.refusals == [])
    // Nor does it go alone.
    #expect(talk.messages.suffix(2).map { $0["id"] } == ["uid1", "uid2"])
  }
}

extension [NetworkEvent] {
  /// What was said.
  var messages: [NetworkMessage] {
    compactMap { if case .messageReceived(let message, _) = $0 { message } else { nil } }
  }
}
