// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StoreFixture
import Testing

@testable import NetworkInbox
@testable import XMPP

/// Rows 5 to 9 of the attacks: nothing is stored from those who may not say it.
struct TrustTests {
  private func copy(
    _ kind: String, wrapper: String, _ attributes: String, _ inner: String = "<body>x</body>"
  ) -> String {
    "<message\(wrapper)><\(kind) xmlns='\(Feature.carbons)'><forwarded xmlns="
      + "'\(Feature.forwarding)'><message xmlns='jabber:client' \(attributes)>\(inner)</message>"
      + "</forwarded></\(kind)></message>"
  }

  @Test(arguments: [
    " from='eve@example.org'", " from='eve@example.org/x'", " from='example.org'",
    " from='anna@example.org/other'", " from='anna@evil.org'", " from='anna@example.org@x'",
  ])
  func aCopyIsOnlyTheAccountsToGive(wrapper: String) {
    var talk = Talk.ready()
    let inner = "from='ben@example.org/x' to='anna@example.org/y' type='chat'"
    #expect(talk.hear(copy("received", wrapper: wrapper, inner)) == [])
    let own = "from='anna@example.org/y' to='ben@example.org' type='chat'"
    #expect(talk.hear(copy("sent", wrapper: wrapper, own)) == [])
    #expect(talk.hear(copy("received", wrapper: "", inner)).said == ["ben@example.org: x"])
    #expect(
      talk.hear(copy("sent", wrapper: " from='anna@example.org'", own)).said == ["I: x"])
  }

  @Test func aCopyOfSomethingThatIsNoChatOrNotOursIsNothing() {
    var talk = Talk.inRoom()
    for (kind, attributes) in [
      ("received", "from='room@muc.example.org/ben' to='anna@example.org/y' type='groupchat'"),
      ("received", "from='ben@example.org/x' to='carl@example.org' type='chat'"),
      ("received", "from='ben@example.org/x' type='chat'"),
      ("sent", "from='ben@example.org/x' to='carl@example.org' type='chat'"),
      ("sent", "to='carl@example.org' type='chat'"),
      ("received", "from='room@muc.example.org/ben' to='anna@example.org/y' type='chat'"),
      ("sent", "from='anna@example.org/y' to='room@muc.example.org/ben' type='chat'"),
    ] {
      #expect(talk.hear(copy(kind, wrapper: "", attributes)) == [], "\(kind) \(attributes)")
    }
    let nested = copy(
      "sent", wrapper: " from='anna@example.org/x' to='ben@example.org'",
      "from='anna@example.org/x' to='ben@example.org'")
    #expect(
      talk.hear(
        "<message><received xmlns='\(Feature.carbons)'><forwarded xmlns='\(Feature.forwarding)'>"
          + nested.replacingPrefix("<message", with: "<message xmlns='jabber:client'")
          + "</forwarded></received></message>") == [])
  }

  private func result(_ from: String, _ query: String, id: String = "m9") -> String {
    "<message\(from)><result xmlns='\(Feature.archive)' queryid='\(query)' id='\(id)'>"
      + "<forwarded xmlns='\(Feature.forwarding)'><message xmlns='jabber:client' "
      + "from='ben@example.org/x' to='anna@example.org' type='chat'><body>x</body></message>"
      + "</forwarded></result></message>"
  }

  @Test func anArchivedMessageCountsOnlyFromWhomItWasAskedAndUnderTheRightQuery() throws {
    var talk = Talk()
    talk.ignores = { $0.children.first?.namespace == Feature.archive }
    talk.logIn()
    let iq = try #require(talk.sent.first { $0.children.first?.namespace == Feature.archive })
    let query = try #require(iq.children.first?["queryid"])
    talk.forget()
    talk.hear(result(" from='eve@example.org'", query))
    talk.hear(result(" from='anna@example.org/x'", query))
    talk.hear(result(" from='example.org'", query))
    talk.hear(result("", "another"))
    talk.hear(result("", query, id: "m1"))
    talk.result(iq, "<fin xmlns='\(Feature.archive)' complete='true'/>")
    #expect(talk.news.marks == ["m1"])
    #expect(talk.news.said == ["ben@example.org: x"])
  }

  @Test func theArchiveOfARoomSaysNothingOfOtherPlaces() {
    let talk = Talk.inRoom { talk in
      talk.archives["room@muc.example.org"] = [
        (
          "r1", "<message from='ben@example.org/x' type='chat' id='1'><body>direct</body></message>"
        ),
        (
          "r2",
          "<message from='other@muc.example.org/ben' type='groupchat'><body>other</body></message>"
        ),
        ("r3", "<message from='room@muc.example.org/ben' type='chat'><body>aside</body></message>"),
      ]
    }
    _ = talk
    var again = Talk(rooms: [WantedRoom(address: "room@muc.example.org")])
    again.roomFeatures["room@muc.example.org"] = [Feature.archive]
    again.archives["room@muc.example.org"] = talk.archives["room@muc.example.org"]
    again.logIn()
    #expect(again.news.said == [])
    #expect(again.news.marks.contains("r3"))
  }

  @Test func anIdThatAnotherGaveAndAnIdFromAServerThatGivesNoneAreNotArchiveIds() {
    let stanza =
      "<message from='ben@example.org/x' type='chat'><body>x</body><stanza-id xmlns="
      + "'\(Feature.ids)' by='anna@example.org' id='m5'/></message>"
    var without = Talk.ready { $0.accountFeatures = [] }
    guard case .messageReceived(let message, _) = without.hear(stanza).first else {
      Issue.record("nothing was said")
      return
    }
    #expect(message.name.archive == nil)
    var talk = Talk.ready()
    let foreign = stanza.split(separator: "by='anna@example.org'").joined(separator: "by='ben@x'")
    #expect(talk.hear(foreign).marks == [])
  }

  @Test func aRosterPushCountsOnlyFromTheAccount() {
    var talk = Talk.ready()
    let push = "<query xmlns='jabber:iq:roster'><item jid='eve@x.org' subscription='both'/></query>"
    for from in ["eve@x.org", "eve@x.org/a", "example.org", "anna@example.org/other"] {
      #expect(talk.hear("<iq type='set' id='p' from='\(from)'>\(push)</iq>") == [])
      #expect(talk.sent.last?["type"] == "error")
    }
    #expect(
      talk.hear("<iq type='set' id='p'>\(push)</iq>")
        == [.contact(NetworkUser(identity: "eve@x.org"), isOnline: false, away: nil)])
    #expect(talk.sent.last?["type"] == "result")
  }

  @Test func anAnswerCountsOnlyFromWhomWasAsked() throws {
    var talk = Talk.ready()
    talk.ignores = { _ in true }
    talk.handle(
      .requests([NetworkRequest(id: 1, verb: .abilities, target: "room@muc.example.org")]))
    let iq = try #require(talk.sent.last)
    let info =
      "<query xmlns='\(Feature.info)'><identity category='conference' type='text'/></query>"
    for from in ["", " from='eve@example.org'", " from='room@muc.example.org/ben'"] {
      #expect(talk.hear("<iq type='result' id='\(iq["id"] ?? "")'\(from)>\(info)</iq>") == [])
    }
    #expect(
      talk.hear(
        "<iq type='result' id='\(iq["id"] ?? "")' from='room@muc.example.org'>\(info)</iq>"
      ).count == 1)
    // A roster from someone else is none.
    var other = Talk()
    other.ignores = { $0.children.first?.namespace == Feature.roster }
    other.logIn()
    let asked = try #require(other.sent.first { $0.children.first?.namespace == Feature.roster })
    let roster = "<query xmlns='jabber:iq:roster'><item jid='eve@x.org'/></query>"
    #expect(
      other.hear("<iq type='result' id='\(asked["id"] ?? "")' from='eve@x.org'>\(roster)</iq>")
        == [])
    #expect(other.hear("<iq type='result' id='\(asked["id"] ?? "")'>\(roster)</iq>").count == 1)
  }

  @Test func aBookmarkFromSomeoneElseLeadsNowhere() {
    var talk = Talk.ready()
    func event(_ from: String) -> String {
      "<message\(from)><event xmlns='\(Feature.publishingEvents)'><items node="
        + "'\(Feature.bookmarks)'><item id='trap@muc.evil.org'><conference xmlns="
        + "'\(Feature.bookmarks)' autojoin='true'/></item></items></event></message>"
    }
    for from in [" from='eve@evil.org'", " from='example.org'", " from='anna@example.org/x'"] {
      talk.hear(event(from))
    }
    #expect(talk.sent.isEmpty)
    talk.hear(event(" from='anna@example.org'"))
    #expect(talk.sent.first?["to"] == "trap@muc.evil.org")
  }

  // Row 8, and 4: the store looks for the author; here the speaker must be the right one.
  @Test func whoTakesAFreeNicknameIsNotTheOneWhoHadIt() {
    var talk = Talk.inRoom()
    let ben = talk.hear(
      "<message from='room@muc.example.org/ben' type='groupchat' id='1'><body>x</body>"
        + "<occupant-id xmlns='\(Feature.occupantIDs)' id='id-ben'/></message>")
    talk.hear(Talk.presence("room@muc.example.org/ben", id: "id-ben", type: "unavailable"))
    talk.hear(Talk.presence("room@muc.example.org/ben", id: "id-eve"))
    let eve = talk.hear(
      "<message from='room@muc.example.org/ben' type='groupchat' id='2'><body>y</body>"
        + "<replace xmlns='\(Feature.correction)' id='1'/>"
        + "<occupant-id xmlns='\(Feature.occupantIDs)' id='id-eve'/></message>")
    #expect(ben.said == ["id-ben: x"])
    guard case .edited(_, let speaker, _, _, _, _, _, _) = eve.first else {
      Issue.record("\(eve)")
      return
    }
    #expect(speaker == NetworkUser(identity: "id-eve", name: "ben"))
  }

  @Test func aNicknameThatLooksLikeAnIdOrLikeTheRoomIsNeither() {
    let room = Address(local: "room", domain: "muc.example.org")
    var state = Room(room, nick: "anna")
    state.state = .entered
    state.hasOccupantIDs = true
    func identity(_ nick: String, _ id: String? = nil) -> NetworkUser {
      state.user(
        Address(local: "room", domain: "muc.example.org", resource: nick), occupantID: id,
        isLive: true)
    }
    #expect(identity("id-ben").identity != identity("ben", "id-ben").identity)
    #expect(identity("/x").identity != identity("x", "/x").identity)
    #expect(identity("ick/x").identity != identity("x", "/nick/ick/x").identity)
    #expect(!identity("anna").isOwner)
    // An id of base64 begins with a slash now and then, and is one all the same.
    state.occupantID = "/5q1N"
    #expect(identity("anna", "/5q1N").isVerified && identity("anna", "/5q1N").isOwner)
    #expect(!identity("/5q1N").isOwner && !identity("5q1N").isOwner)
    state.hasOccupantIDs = false
    #expect(
      identity("room@muc.example.org").identity
        != state.user(
          room, occupantID: nil, isLive: true
        ).identity)
    #expect(identity("x").identity != identity("/x").identity)
    #expect(!identity("ben", "id-anna").isVerified)
    #expect(identity("anna").isOwner)
  }

  @Test func inAnArchiveWithoutOccupantIdsANicknameIsNotTheOwner() {
    var talk = Talk(marks: [:], rooms: [WantedRoom(address: "room@muc.example.org", nick: "anna")])
    talk.roomFeatures["room@muc.example.org"] = [Feature.archive]
    talk.archives["room@muc.example.org"] = [
      (
        "r1",
        "<message from='room@muc.example.org/anna' type='groupchat' id='z'><body>forged</body>"
          + "</message>"
      )
    ]
    talk.logIn()
    #expect(talk.news.said == ["anna: forged"])
  }

  @Test func onlyTheRoomItselfSpeaksForItsModerators() throws {
    let room = "room@muc.example.org"
    // XEP-0425 as it is, and as Prosody has it.
    let forms = [
      "<retract xmlns='\(Feature.retraction)' id='r1'><moderated xmlns='\(Feature.moderation)' "
        + "by='\(room)/max'/><reason>spam</reason></retract>",
      "<apply-to xmlns='\(Feature.fastening)' id='r1'><moderated xmlns="
        + "'\(Feature.formerModeration)' by='\(room)/max'><retract xmlns="
        + "'\(Feature.formerRetraction)'/><reason>spam</reason></moderated></apply-to>",
    ]
    for form in forms {
      var talk = Talk.inRoom()
      let store = try Fixture().open()
      let anna = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
      let account = try store.writeDurably {
        try $0.addAccount(owner: anna, network: "xmpp:anna@example.org")
      }
      try store.inbox.apply([.joined(room: room, nick: "anna")], of: account)
      func hear(_ from: String, _ inner: String) throws -> Message? {
        let news = talk.hear("<message from='\(from)' type='groupchat'>\(inner)</message>")
        try store.inbox.apply(news, of: account)
        let place = try store.read { try $0.listing(for: anna) }[0].conversation.id
        return try store.read { try $0.messages(in: place, limit: 1, for: anna) }.first
      }
      let said = try hear(
        room + "/ben",
        "<body>cheap pills</body><occupant-id xmlns='\(Feature.occupantIDs)' id='id-ben'/>"
          + "<stanza-id xmlns='\(Feature.ids)' by='\(room)' id='r1'/>")
      #expect(said?.body == "cheap pills")
      #expect(try hear(room + "/eve", form)?.body == "cheap pills")
      #expect(try hear("other@muc.example.org", form)?.body == "cheap pills")
      let removed = try hear(room, form)
      #expect(removed?.body.isEmpty == true && removed?.deletedAt != nil)
      #expect(removed?.removal == Removal(moderator: "max", reason: "spam"))
      #expect(try store.read { try $0.search(SearchQuery.parse("pills"), for: anna) }.isEmpty)
    }
  }

  @Test func whatComesFromARoomThatOneIsNotInIsNothing() {
    var talk = Talk.inRoom()
    for from in ["other@muc.example.org/ben", "ben@example.org/x", "muc.example.org"] {
      #expect(
        talk.hear("<message from='\(from)' type='groupchat'><body>x</body></message>") == [])
      #expect(talk.hear(Talk.presence(from, codes: ["110"])) == [])
    }
  }

  @Test func anErrorOrAReceiptFromElsewhereMovesNothingOfOurs() {
    var talk = Talk.ready()
    talk.outbox([.test(1)])
    let error =
      "<error type='cancel'><forbidden xmlns='\(Namespace.stanzaErrors)'/></error>"
    let news = talk.hear("<message type='error' id='uid1' from='eve@x.org'>\(error)</message>")
    #expect(news.refusals == [])
    // A receipt counts for the chat of the one who gives it.
    #expect(
      talk.hear(
        "<message from='eve@x.org/a' type='chat'><received xmlns='urn:xmpp:receipts' id='uid1'/>"
          + "</message>")
        == [
          .receipt(
            MessageIDs(origin: "uid1"), by: NetworkUser(identity: "eve@x.org"),
            in: .direct("eve@x.org"), .delivered)
        ])
    let right = talk.hear(
      "<message type='error' id='uid1' from='ben@example.org'>\(error)</message>")
    #expect(right.refusals.count == 1)
  }
}
