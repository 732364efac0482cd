// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Testing

@testable import XMPP

struct SignalTests {
  private let place = ConversationAddress.direct("ben@example.org")
  private let ben = NetworkUser(identity: "ben@example.org")
  private static let contact = "<item jid='ben@example.org' subscription='both'/>"

  private func message(_ id: String, _ more: String = "") -> String {
    "<message from='ben@example.org/x' type='chat' id='\(id)'><body>\(id)</body><request xmlns="
      + "'urn:xmpp:receipts'/><markable xmlns='urn:xmpp:chat-markers:0'/>\(more)</message>"
  }

  private func payloads(_ talk: Talk) -> [String] {
    talk.messages.compactMap { message in
      message.children.first.map { $0.name + " " + ($0["id"] ?? "") }
    }
  }

  @Test("4.3: typing goes only to contacts and rooms, and only when it changes")
  func typingGoesToContactsAndRoomsAndToNobodyElse() {
    var talk = Talk.inRoom { $0.roster = SignalTests.contact }
    talk.handle(
      .signals([
        .typing(place, true), .typing(place, true), .typing(place, false), .typing(place, false),
        .typing(.direct("eve@x.org"), true),
        .typing(.room("room@muc.example.org"), true), .typing(.room("other@muc.example.org"), true),
      ]))
    #expect(
      talk.messages.map { $0["to"] } == [
        "ben@example.org", "ben@example.org", "room@muc.example.org",
      ])
    #expect(
      talk.messages.compactMap { $0.children.first?.name } == ["composing", "paused", "composing"])
    #expect(talk.messages.last?["type"] == "groupchat")
  }

  @Test("4.3: someone removed from a room while typing types there anew on return")
  func typingIsForgottenWithTheRoom() {
    let room = "room@muc.example.org"
    let ways: [(inout Talk) -> Void] = [
      // Thrown out, and in again at the owner's wish.
      { talk in
        talk.hear(
          Talk.presence(
            room + "/anna", id: "id-anna", codes: ["110", "307"], type: "unavailable",
            item: "<item affiliation='none' role='none'/>"))
        talk.handle(.requests([NetworkRequest(id: 4, verb: .join, target: room)]))
      },
      { talk in
        talk.handle(.requests([NetworkRequest(id: 4, verb: .leave, target: room)]))
        talk.handle(.requests([NetworkRequest(id: 5, verb: .join, target: room)]))
      },
      // The room has forgotten the owner, who comes in again.
      { talk in
        talk.ignores = { $0.children.first?.name == "ping" }
        talk.wait(Limits.silence)
        if let ping = talk.sent.last { talk.error(ping, "not-acceptable") }
      },
    ]
    for way in ways {
      var talk = Talk.inRoom()
      talk.handle(.signals([.typing(.room(room), true)]))
      way(&talk)
      talk.serve()
      #expect(talk.client.rooms.byAddress.values.map(\.isEntered) == [true])
      talk.forget()
      talk.handle(.signals([.typing(.room(room), true)]))
      #expect(talk.messages.compactMap { $0.children.first?.name } == ["composing"])
    }
  }

  @Test func aReceiptIsSentOnceForEachMessageUpToTheOneThatIsThere() {
    var talk = Talk.ready { $0.roster = SignalTests.contact }
    for id in ["b1", "b2", "b3"] { talk.hear(message(id)) }
    #expect(talk.sent.isEmpty)
    let reached = NetworkSignal.receipt(place, MessageIDs(origin: "b2"), by: ben, .delivered)
    talk.handle(.signals([reached, reached]))
    #expect(payloads(talk) == ["received b1", "received b2"])
    talk.forget()
    let seen = NetworkSignal.receipt(place, MessageIDs(origin: "b3"), by: ben, .seen)
    talk.handle(.signals([seen, seen]))
    #expect(payloads(talk) == ["received b3", "displayed b3"])
  }

  @Test("XEP-0184: a receipt and a marker name the stanza's own id, not another from the sender")
  func stanzaID() {
    var talk = Talk.ready { $0.roster = SignalTests.contact }
    talk.hear(message("b1", "<origin-id xmlns='\(Feature.ids)' id='o1'/>"))
    let seen = NetworkSignal.receipt(place, MessageIDs(origin: "o1"), by: ben, .seen)
    talk.handle(.signals([seen]))
    #expect(payloads(talk) == ["received b1", "displayed b1"])
  }

  @Test func whatWasSeenBeforeItCouldBeSaidIsSaidThen() throws {
    let room = ConversationAddress.room("room@muc.example.org")
    var talk = Talk(rooms: [WantedRoom(address: "room@muc.example.org", nick: "anna")])
    talk.roomFeatures["room@muc.example.org"] = [Feature.archive]
    talk.ignores = { $0.has("query", Feature.roster) || $0["to"]?.contains("room@") == true }
    talk.logIn()
    talk.handle(
      .signals([
        .receipt(place, MessageIDs(origin: "b1"), by: ben, .seen),
        .receipt(place, MessageIDs(origin: "b2"), by: ben, .seen),
        .receipt(.direct("eve@x.org"), MessageIDs(origin: "e1"), by: ben, .seen),
        .receipt(room, MessageIDs(archive: "r1"), by: ben, .seen),
      ]))
    #expect(payloads(talk) == [])
    let question = try #require(talk.sent.first { $0.has("query", Feature.roster) })
    talk.result(question, "<query xmlns='\(Feature.roster)'>\(Self.contact)</query>")
    #expect(payloads(talk) == ["displayed b2"])
    talk.ignores = { _ in false }
    let info = try #require(talk.sent.first { $0["to"] == "room@muc.example.org" })
    talk.error(info, "item-not-found")
    talk.serve()
    #expect(payloads(talk) == ["displayed b2", "displayed r1"])
  }

  @Test func aStrangerIsToldNothingUntilTheOwnerWritesToThem() {
    var talk = Talk.ready()
    talk.hear(message("b1"))
    let reached = NetworkSignal.receipt(place, MessageIDs(origin: "b1"), by: ben, .seen)
    talk.handle(.signals([reached]))
    #expect(talk.sent.isEmpty)
    talk.outbox([.test(1)])
    talk.forget()
    talk.handle(.signals([reached]))
    #expect(payloads(talk) == ["received b1", "displayed b1"])
  }

  /// A process that has just begun knows from the store whom the owner wrote to.
  @Test func whoWasWrittenToByAFormerProcessIsToldStill() {
    let signal = NetworkSignal.receipt(place, MessageIDs(origin: "b1"), by: ben, .seen)
    for (writtenTo, told) in [(["ben@example.org"], ["displayed b1"]), (["max@x.org"], [])] {
      var talk = Talk(writtenTo: writtenTo)
      talk.logIn()
      talk.forget()
      talk.handle(.signals([signal]))
      #expect(payloads(talk) == told)
    }
  }

  @Test func noReceiptForACopyNorForWhatIsOlderThanTheAccountHere() {
    var talk = Talk.ready { $0.roster = SignalTests.contact }
    talk.hear(
      "<message><received xmlns='\(Feature.carbons)'><forwarded xmlns='\(Feature.forwarding)'>"
        + message("b1").replacingPrefix(
          "<message", with: "<message xmlns='jabber:client' to='anna@example.org/phone'")
        + "</forwarded></received></message>")
    talk.handle(.signals([.receipt(place, MessageIDs(origin: "b1"), by: ben, .delivered)]))
    #expect(talk.sent.isEmpty)
    talk.handle(
      .signals([
        .receipt(
          place, MessageIDs(origin: "a1"),
          by: NetworkUser(identity: "anna@example.org", isOwner: true), .seen)
      ]))
    #expect(talk.sent.isEmpty)
  }

  @Test func inARoomOnlyAMarkerWithTheRoomsIdIsSent() {
    var talk = Talk.inRoom()
    talk.hear(
      "<message from='room@muc.example.org/ben' type='groupchat' id='b1'><body>x</body><request "
        + "xmlns='urn:xmpp:receipts'/><markable xmlns='urn:xmpp:chat-markers:0'/><occupant-id "
        + "xmlns='\(Feature.occupantIDs)' id='id-ben'/><stanza-id xmlns='\(Feature.ids)' "
        + "by='room@muc.example.org' id='r1'/></message>")
    let name = MessageIDs(origin: "b1", archive: "r1")
    let room = ConversationAddress.room("room@muc.example.org")
    let speaker = NetworkUser(identity: "id-ben")
    talk.handle(
      .signals([
        .receipt(room, name, by: speaker, .delivered), .receipt(room, name, by: speaker, .seen),
        .receipt(room, name, by: speaker, .seen),
      ]))
    #expect(payloads(talk) == ["displayed r1"])
    #expect(talk.messages.first?["type"] == "groupchat")
  }

  @Test func aMessageOfAFormerRunIsMarkedAllTheSame() {
    var talk = Talk.ready { $0.roster = SignalTests.contact }
    talk.handle(.signals([.receipt(place, MessageIDs(origin: "old"), by: ben, .seen)]))
    #expect(payloads(talk) == ["displayed old"])
  }
}
