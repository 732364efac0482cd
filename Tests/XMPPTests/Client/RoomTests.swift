// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Testing

@testable import NetworkInbox
@testable import XMPP

struct RoomTests {
  private let room = "room@muc.example.org"
  private let wanted = [WantedRoom(address: "room@muc.example.org", nick: "anna")]

  private func presence(
    _ nick: String, id: String? = nil, codes: [String] = [], type: String? = nil, item: String = ""
  ) -> String {
    Talk.presence("\(room)/\(nick)", id: id, codes: codes, type: type, item: item)
  }

  @Test func allWhoAreThereAreToldAtOnceWithTheJoining() throws {
    var talk = Talk(rooms: wanted)
    talk.roomFeatures[room] = [Feature.occupantIDs]
    talk.occupants[room] = (0..<5_000).map { ("n\($0)", "id-\($0)") }
    talk.logIn()
    let batch = try #require(
      talk.batches.first { $0.contains(.joined(room: room, nick: "anna")) })
    let present = batch.filter { if case .present = $0 { true } else { false } }
    #expect(present.count == 5_001)
    #expect(
      batch.contains(.present(NetworkUser(identity: "id-7", name: "n7"), room: room)))
    #expect(
      batch.contains(
        .present(NetworkUser(identity: "id-anna", name: "anna", isOwner: true), room: room)))
    #expect(batch.contains(.roomNamed(room: room, name: "room")))
    #expect(talk.statuses.last == .connected([]))
  }

  @Test(
    "a room is shown under its own name, which cannot be the address of another room",
    arguments: [
      ("name='Tea room'", "Tea room"), ("name='#tea'", "tea"), ("name=''", "room"), ("", "room"),
      ("name='room'", "room"), ("name='ops@muc.example.org'", "room"),
    ])
  func ownName(attribute: String, name: String) {
    var talk = Talk(rooms: wanted)
    talk.roomFeatures[room] = [Feature.occupantIDs]
    talk.roomName = " " + attribute
    talk.logIn()
    let names = talk.batches.joined().filter { if case .roomNamed = $0 { true } else { false } }
    #expect(names.last == .roomNamed(room: room, name: name))
  }

  @Test func whoGoesAwayInARoomAndComesBackIsTold() {
    var talk = Talk.inRoom()
    let ben = NetworkUser(identity: "id-ben", name: "ben")
    for (inside, away) in [
      ("<show>away</show><status>lunch</status>", "lunch"), ("<show>dnd</show>", ""),
      ("<show>chat</show>", nil),
    ] {
      talk.forget()
      let news = talk.hear(
        "<presence from='\(room)/ben'>\(inside)"
          + "<occupant-id xmlns='\(Feature.occupantIDs)' id='id-ben'/></presence>")
      #expect(news == [.present(ben, room: room, away: away)])
    }
  }

  @Test func theRoomsOwnHistoryIsOnlyWantedWhereThereIsNoArchive() throws {
    for (features, attributes) in [
      ([Feature.archive], ["maxchars": "0"]), ([], ["maxstanzas": "50"]),
    ] {
      var talk = Talk(rooms: wanted)
      talk.roomFeatures[room] = features
      talk.logIn()
      let entry = try #require(talk.sent.first { $0["to"] == "\(room)/anna" })
      let user = entry.first("x", Feature.rooms)
      #expect(user?.first("history", Feature.rooms)?.attributes == attributes)
      #expect(entry.has("c", Feature.capabilities))
    }
  }

  private var delay: String {
    "<delay xmlns='\(Feature.delay)' from='\(room)' stamp='2026-05-01T10:00:00Z'/>"
  }

  /// What a room tells of its own accord to whoever comes in.
  private func late(_ nick: String, _ id: String) -> String {
    "<message from='\(room)/\(nick)' type='groupchat' id='\(id)'><body>\(id)</body>\(delay)"
      + "</message>"
  }

  @Test func whereThereIsNoArchiveNothingIsSentBeforeTheHistoryWasTold() {
    for subject in ["<subject/>", "<subject>tea</subject>" + delay, nil] {
      var talk = Talk(rooms: wanted)
      talk.roomFeatures[room] = []
      talk.logIn()
      talk.outbox([.test(1, to: .room(room)), .test(2, to: .room(room))])
      talk.hear(late("anna", "uid1"))
      #expect(talk.messages.isEmpty)
      #expect(talk.news.accepted == [1])
      // Not every room tells one, and there may be former ones among what was said.
      if let subject { talk.hear("<message from='\(room)' type='groupchat'>\(subject)</message>") }
      if subject?.contains("delay") == true {
        #expect(talk.messages.isEmpty)
        talk.wait(Limits.history)
      } else if subject == nil {
        talk.wait(Limits.entering)
      }
      #expect(talk.messages.map { $0["id"] } == ["uid2"])
    }
  }

  @Test func theHistoryIsPastForWhoeverComesAndNewForWhoeverComesBack() throws {
    for isAskedFor in [true, false] {
      var talk = Talk(rooms: isAskedFor ? [] : wanted)
      talk.roomFeatures[room] = []
      talk.logIn()
      if isAskedFor {
        talk.handle(.requests([NetworkRequest(id: 1, verb: .join, target: room, text: "anna")]))
        talk.serve()
      }
      talk.hear(late("ben", "b1"))
      #expect(try #require(talk.news.messages.last).isPast == isAskedFor)
      talk.hear("<message from='\(room)' type='groupchat'><subject/></message>")
      #expect(talk.news.contains(.historySent(room: room)) == isAskedFor)
      talk.hear(late("ben", "b2"))
      #expect(try #require(talk.news.messages.last).isPast == false)
    }
  }

  @Test("14.2: a room's history is a playback, and a delayed message after it is none")
  func playback() throws {
    var talk = Talk(rooms: wanted)
    talk.roomFeatures[room] = []
    talk.logIn()
    talk.hear(late("ben", "b1"))
    talk.hear(late("ben", "b2"))
    talk.hear("<message from='\(room)' type='groupchat'><subject/></message>")
    talk.hear(late("ben", "b3"))
    let numbers = talk.news.messages.suffix(3).map(\.playback)
    #expect(numbers[0] != nil && numbers[0] == numbers[1] && numbers[2] == nil)
  }

  @Test func whatAnArchiveBringsBehindTheLeavingIsNotCaughtUp() throws {
    var talk = Talk(marks: ["": "m0", room: "r0"], rooms: wanted)
    talk.roomFeatures[room] = [Feature.archive]
    talk.ignores = { [room] in
      $0["to"] == room && $0.children.first?.name == "query"
        && $0.children.first?.namespace == Feature.archive
    }
    talk.logIn()
    let page = try #require(talk.sent.last { $0.children.first?.namespace == Feature.archive })
    talk.handle(.requests([NetworkRequest(id: 1, verb: .leave, target: room)]))
    talk.hear(
      "<message from='\(room)'><result xmlns='\(Feature.archive)' id='r1' queryid="
        + "'\(page.children[0]["queryid"] ?? "")'><forwarded xmlns='\(Feature.forwarding)'>"
        + late("ben", "b1").replacing("<message", with: "<message xmlns='jabber:client'")
        + "</forwarded></result></message>")
    talk.result(page, "<fin xmlns='\(Feature.archive)' complete='true'/>")
    #expect(!talk.news.contains(.caughtUp(archive: room, mark: "r1")))
  }

  @Test func theArchiveOfTheRoomBringsWhatWasMissed() {
    var talk = Talk(marks: ["": "m0", room: "r0"], rooms: wanted)
    talk.roomFeatures[room] = [Feature.archive, Feature.occupantIDs]
    talk.archives[room] = ["0", "1", "2"].map {
      (
        "r\($0)",
        "<message from='\(room)/ben' type='groupchat' id='b\($0)'><body>\($0)</body>"
          + "<occupant-id xmlns='\(Feature.occupantIDs)' id='id-ben'/></message>"
      )
    }
    talk.logIn()
    #expect(talk.news.said == ["id-ben: 1", "id-ben: 2"])
    #expect(talk.news.contains(.caughtUp(archive: room, mark: "r2")))
  }

  @Test func aTakenNicknameGetsATailThreeTimesAndThenItIsSaid() throws {
    var talk = Talk(rooms: wanted)
    talk.roomFeatures[room] = []
    talk.ignores = { $0.name == "presence" && $0["to"] != nil }
    talk.logIn()
    for nick in ["anna", "anna_", "anna__", "anna___"] {
      let entry = try #require(talk.sent.last)
      #expect(entry["to"] == "\(room)/\(nick)")
      talk.error(entry, "conflict")
    }
    #expect(
      talk.news.last
        == .left(room: room, reason: "The nickname anna___ is taken in \(room)."))
    talk.serve()
    #expect(talk.statuses.last == .connected([]))
  }

  /// Prosody says of it that it is the owner.
  @Test func anotherProgramOfTheOwnersWithAnotherNicknameIsNotThisOne() {
    var talk = Talk.inRoom()
    let item = "<item jid='anna@example.org/phone' nick='ann'/>"
    func hears(_ nick: String, _ codes: [String], type: String? = nil) {
      talk.hear(
        Talk.presence("\(room)/\(nick)", id: "id-anna", codes: codes, type: type, item: item))
    }
    hears("annie", ["110"])
    #expect(talk.client.rooms[Address("\(room)")!]?.nick == "anna")
    hears("annie", ["110", "303"], type: "unavailable")
    hears("ann", ["110"])
    #expect(talk.client.rooms[Address("\(room)")!]?.nick == "anna")
    hears("ann", ["110"], type: "unavailable")
    #expect(talk.client.rooms[Address("\(room)")!]?.isEntered == true)
    // This one is it.
    talk.hear(
      Talk.presence(
        "\(room)/zoe", id: "id-anna", codes: ["110"], item: "<item jid='\(Talk.full)'/>"))
    #expect(talk.client.rooms[Address("\(room)")!]?.nick == "zoe")
  }

  @Test func theOneWhoAskedIsToldTheNicknameThatIsUsed() throws {
    var talk = Talk.ready { $0.roomFeatures["room@muc.example.org"] = [] }
    talk.ignores = { $0.name == "presence" }
    let request = NetworkRequest(id: 1, verb: .join, target: room)
    talk.handle(.requests([request]))
    talk.serve()
    talk.error(try #require(talk.sent.last), "conflict")
    talk.ignores = { _ in false }
    talk.serve()
    #expect(
      talk.news.contains(
        .answered(request, "The nickname anna is taken; you are anna_ there.")))
  }

  @Test(arguments: [
    ("not-authorized", "password"), ("forbidden", "banned"), ("registration-required", "members"),
    ("not-allowed", "create the room"), ("remote-server-not-found", "cannot be found"),
    ("item-not-found", "not open"), ("jid-malformed", "name"), ("novelty", "novelty"),
  ])
  func aRoomThatLetsNobodyInSaysWhy(condition: String, word: String) throws {
    var talk = Talk.ready { $0.roomFeatures["room@muc.example.org"] = [] }
    talk.ignores = { $0.name == "presence" }
    let request = NetworkRequest(id: 1, verb: .join, target: room)
    talk.handle(.requests([request]))
    talk.serve()
    // Such errors come without the `x` of rooms, and from the room itself.
    var error = Element(
      xml: "<presence type='error' from='\(room)'><error type='cancel'><\(condition) xmlns="
        + "'\(Namespace.stanzaErrors)'/></error></presence>")
    error["id"] = "another"
    #expect(talk.hear(error) == [])
    error["id"] = talk.sent.last?["id"]
    let news = talk.hear(error)
    guard case .answered(request, let sentence) = news.last else {
      Issue.record("\(news)")
      return
    }
    #expect(sentence.text.contains(word))
    // Where nobody can be told more, it is tried again.
    #expect(
      news.first == .left(room: room, reason: sentence)
        || condition == "remote-server-not-found" && news.count == 1)
  }

  @Test func aNewRoomIsOpenedAsItIsAndAskedAgainWhatItCanDo() {
    var talk = Talk(rooms: wanted)
    talk.logIn()
    let form = talk.sent.first { $0.children.first?.namespace == Feature.roomOwner }
    #expect(form?["to"] == room)
    #expect(form?.children.first?.first("x", Feature.forms)?["type"] == "submit")
    #expect(
      talk.sent.filter { $0["to"] == room && $0.children.first?.namespace == Feature.info }.count
        == 2)
    #expect(talk.client.rooms[Address(room)!]?.hasIDs == true)
  }

  @Test func peopleComeGoAndAreCalledOtherwise() {
    var talk = Talk.inRoom()
    #expect(
      talk.hear(presence("carl", id: "id-carl"))
        == [.present(NetworkUser(identity: "id-carl", name: "carl"), room: room)])
    #expect(talk.hear(presence("carl", id: "id-carl")) == [])
    #expect(
      talk.hear(
        presence(
          "carl", id: "id-carl", codes: ["303"], type: "unavailable", item: "<item nick='karl'/>"))
        == [.renamed(NetworkUser(identity: "id-carl", name: "karl"), room: room, former: "carl")])
    #expect(talk.hear(presence("karl", id: "id-carl")) == [])
    #expect(
      talk.hear(presence("karl", id: "id-carl", type: "unavailable"))
        == [.absent(NetworkUser(identity: "id-carl", name: "karl"), room: room)])
  }

  @Test func whoIsInByTwoNicknamesIsAbsentOnlyWithoutBoth() {
    var talk = Talk.inRoom()
    let boss = NetworkUser(identity: "id-carl", name: "boss")
    let second = NetworkUser(identity: "id-carl", name: "second")
    #expect(talk.hear(presence("boss", id: "id-carl")) == [.present(boss, room: room)])
    #expect(talk.hear(presence("second", id: "id-carl")) == [.present(second, room: room)])
    #expect(
      talk.hear(presence("second", id: "id-carl", type: "unavailable"))
        == [.present(boss, room: room)])
    #expect(
      talk.hear(presence("boss", id: "id-carl", type: "unavailable"))
        == [.absent(boss, room: room)])
  }

  @Test func anotherNicknameIsTakenOrRefused() throws {
    var talk = Talk.inRoom()
    talk.ignores = { $0.name == "presence" }
    let request = NetworkRequest(id: 1, verb: .join, target: room, text: "ann")
    talk.handle(.requests([request]))
    let presence = try #require(talk.sent.last)
    #expect(presence["to"] == "\(room)/ann" && !presence.has("x", Feature.rooms))
    var other = talk
    other.error(presence, "conflict")
    #expect(other.news == [.answered(request, "The nickname ann is taken in \(room).")])
    let news = talk.hear(
      self.presence(
        "anna", id: "id-anna", codes: ["110", "303"], type: "unavailable",
        item: "<item nick='ann'/>"))
    #expect(
      news == [
        .answered(request, "You are ann in \(room) now."), .joined(room: room, nick: "ann"),
        .renamed(
          NetworkUser(identity: "id-anna", name: "ann", isOwner: true), room: room, former: "anna"),
      ])
    #expect(talk.hear(self.presence("ann", id: "id-anna", codes: ["110"])) == [])
  }

  @Test(arguments: [
    ("301", "ben banned you"), ("307", "ben kicked you"), ("321", "ben removed you"),
    ("322", "members"), ("332", "shut down"), ("0", "you are no longer in it"),
  ])
  func whoIsPutOutIsToldWhyAndByWhom(code: String, word: String) {
    var talk = Talk.inRoom()
    let news = talk.hear(
      presence(
        "anna", codes: ["110", code], type: "unavailable",
        item: "<item><actor nick='ben'/><reason>enough</reason></item>"))
    let reason: String
    switch news.first {
    case .left(room, let told?) where code != "332": reason = told.text
    case .lost(room, let told) where code == "332": reason = told.text
    default:
      Issue.record("\(news)")
      return
    }
    #expect(reason.contains(word) && reason.contains("enough"))
    talk.forget()
    talk.wait(Retry.room.pause)
    // Only a server that went away is worth another try.
    #expect(talk.sent.isEmpty == (code != "332"))
  }

  @Test func whyARoomWasClosedIsTold() {
    var talk = Talk.inRoom()
    let news = talk.hear(
      presence(
        "anna", codes: ["110"], type: "unavailable",
        item: "<item affiliation='none' role='none'/><destroy jid='new@muc.example.org'>"
          + "<reason>too loud</reason></destroy>"))
    #expect(
      news == [
        .left(
          room: room,
          reason: "\(room) was closed; continue in new@muc.example.org. Reason: too loud")
      ])
  }

  @Test(
    arguments: [
      (["307"], "<item><actor nick='carl'/><reason>spam</reason></item>", "kicked by carl (spam)"),
      (["301"], "<item><actor jid='carl@x.org'/></item>", "banned by carl@x.org"),
      (["307"], "<item/>", "kicked"), ([], "<item/>", nil),
      // Prosody says so of those whose connection broke.
      (["307", "333"], "<item/>", nil),
    ] as [([String], String, Remark?)])
  func whoMadeSomebodyElseLeaveIsTold(codes: [String], item: String, removal: Remark?) {
    var talk = Talk.inRoom()
    let news = talk.hear(
      presence("ben", id: "id-ben", codes: codes, type: "unavailable", item: item))
    #expect(
      news == [.absent(NetworkUser(identity: "id-ben", name: "ben"), room: room, removal: removal)])
  }

  @Test func whoMayNotChangeTheTopicIsTold() throws {
    var talk = Talk.inRoom()
    let request = NetworkRequest(id: 1, verb: .topic, target: room, text: "tea")
    talk.handle(.requests([request]))
    talk.error(try #require(talk.sent.last), "forbidden", type: "auth")
    #expect(talk.news == [.answered(request, "\(room) does not let you change its topic.")])
  }

  @Test func anotherNicknameForAllRoomsHoldsFromTheNextConnectionOn() throws {
    var talk = Talk(
      settings: ["nick": "anna"],
      rooms: wanted + [WantedRoom(address: "other@muc.example.org", nick: "queen")])
    talk.roomFeatures = [room: [], "other@muc.example.org": []]
    talk.logIn()
    talk.handle(.down)
    talk.client.setNick("ann")
    talk.forget()
    talk.logIn()
    let entries = talk.sent.filter { $0.name == "presence" }.compactMap { $0["to"] }
    #expect(entries.sorted() == ["other@muc.example.org/queen", "\(room)/ann"])
    talk.handle(.down)
    talk.client.setNick(nil)
    #expect(talk.client.rooms[Address(room)!]?.wantedNick == "anna")
  }

  @Test func aSilentRoomIsAskedWhetherOneIsStillInIt() throws {
    var talk = Talk.inRoom()
    talk.ignores = { $0.children.first?.name == "ping" }
    talk.wait(Limits.silence / 2)
    talk.hear(presence("carl", id: "id-carl"))
    talk.wait(Limits.silence / 2)
    #expect(talk.sent.isEmpty)
    talk.wait(Limits.silence / 2)
    let ping = try #require(talk.sent.last)
    #expect(ping["to"] == "\(room)/anna")
    var other = talk
    other.error(ping, "service-unavailable")
    other.serve()
    #expect(other.sent.last?["id"] == ping["id"])
    talk.error(ping, "not-acceptable")
    talk.serve()
    #expect(talk.news.contains(.joined(room: room, nick: "anna")))
    #expect(talk.statuses.last == .connected([]))
  }

  @Test func afterABreakTheRoomIsEnteredAgain() {
    var talk = Talk.inRoom()
    #expect(talk.handle(.down).news == [.offline()])
    talk.logIn()
    #expect(talk.news.contains(.joined(room: room, nick: "anna")))
  }

  /// Who is connected is told where its rooms are.
  @Test func itIsReadyOnceItKnowsWhereTheRoomsAre() {
    var talk = Talk()
    talk.ignores = { $0["to"] == "muc.example.org" }
    talk.logIn()
    #expect(talk.statuses.last == .connected([.exploring]))
    talk.wait(Limits.answer)
    #expect(talk.statuses.last == .connected([]))
    talk = Talk()
    talk.upload = 5
    talk.logIn()
    #expect(talk.statuses.last == .connected([]))
    var direct = Abilities()
    direct.largestFile = 5
    direct.serverCommands = false
    var rooms = direct
    rooms.delivered = false
    #expect(
      talk.news.contains(.abilities(NetworkAbilities(rooms: rooms, direct: direct))))
    #expect(
      talk.news.contains(
        .rules(AddressRules(domain: "example.org", roomDomain: "muc.example.org"))))
  }

  @Test func aRoomThatWasToldAnotherPasswordSaysSo() throws {
    var talk = Talk.ready { $0.roomFeatures["room@muc.example.org"] = [] }
    talk.ignores = { $0.name == "presence" }
    let words = ["", "sesam", "sesame"].enumerated().map { number, word in
      let request = NetworkRequest(id: Int64(number), verb: .join, target: room, secret: word)
      talk.handle(.requests([request]))
      talk.serve()
      let entry = talk.sent.last { $0.name == "presence" }?["id"] ?? ""
      return talk.hear(
        "<presence type='error' id='\(entry)' from='\(room)'><error type='auth'>"
          + "<not-authorized xmlns='\(Namespace.stanzaErrors)'/></error></presence>"
      ).compactMap { if case .answered(_, let sentence) = $0 { sentence.text } else { nil } }
    }
    let way = "/join \(room) --password WORD."
    #expect(
      words == [
        ["\(room) asks for a password: \(way)"],
        ["Wrong password for \(room). To try another, type \(way)"],
        ["Wrong password for \(room). To try another, type \(way)"],
      ])
  }

  /// A process that has just begun knows a room from the store, and its password from the server.
  @Test func thePasswordOfARoomIsInItsBookmark() throws {
    var talk = Talk(rooms: wanted)
    talk.roomFeatures[room] = []
    talk.bookmarks =
      "<item id='\(room)'><conference xmlns='\(Feature.bookmarks)' autojoin='true'>"
      + "<password>sesame</password></conference></item>"
    talk.logIn()
    let entries = talk.sent.filter { $0.name == "presence" && $0["to"] == "\(room)/anna" }
    let words = entries.map {
      $0.first("x", Feature.rooms)?.first("password", Feature.rooms)?.text ?? ""
    }
    #expect(words.last == "sesame")
    #expect(talk.news.contains(.joined(room: room, nick: "anna")))
  }

  @Test func aRoomThatDoesNotAnswerIsTriedAgain() {
    var talk = Talk(rooms: wanted)
    talk.roomFeatures[room] = []
    talk.ignores = { $0["to"] == "\(room)/anna" }
    talk.logIn()
    #expect(talk.statuses.last == .connected([.entering(rooms: 1)]))
    talk.wait(Limits.entering)
    // It is wanted still: lines for it wait.
    #expect(talk.news.last == .lost(room: room, reason: "\(room) does not answer."))
    #expect(talk.statuses.last == .connected([]))
    talk.forget()
    talk.wait(Retry.room.pause)
    talk.serve()
    talk.wait(Limits.entering)
    #expect(talk.news.isEmpty, "it is said once")
    talk.ignores = { _ in false }
    talk.wait(Retry.room.pause)
    talk.serve()
    #expect(talk.news.contains(.joined(room: room, nick: "anna")))
  }

  @Test func theTopicIsToldOnceAndIsNoMessage() {
    var talk = Talk.inRoom()
    let topic =
      "<message from='\(room)/ben' type='groupchat'><subject>tea</subject><occupant-id xmlns="
      + "'\(Feature.occupantIDs)' id='id-ben'/></message>"
    #expect(
      talk.hear(topic)
        == [
          .topic(room: room, text: "tea", by: NetworkUser(identity: "id-ben", name: "ben"), at: nil)
        ])
    #expect(talk.hear(topic) == [])
  }

  @Test func withoutOccupantIdsPeopleAreTheirNicknamesAndUnverified() {
    var talk = Talk.inRoom(hasIDs: false)
    let news = talk.hear(
      "<message from='\(room)/ben' type='groupchat' id='1'><body>x</body><occupant-id xmlns="
        + "'\(Feature.occupantIDs)' id='forged'/></message>")
    guard case .messageReceived(let message, .room(room)) = news.first else {
      Issue.record("\(news)")
      return
    }
    #expect(message.speaker == NetworkUser(identity: "ben", name: "ben", isVerified: false))
  }

  @Test func bookmarkedRoomsAreEnteredAndFollowOtherDevices() throws {
    var talk = Talk()
    talk.bookmarks =
      "<item id='\(room)'><conference xmlns='\(Feature.bookmarks)' autojoin='true'>"
      + "<nick>ann</nick></conference></item><item id='off@muc.example.org'><conference xmlns="
      + "'\(Feature.bookmarks)'/></item>"
    talk.roomFeatures[room] = []
    talk.logIn()
    #expect(talk.news.contains(.joined(room: room, nick: "ann")))
    #expect(talk.client.rooms.byAddress.count == 1)
    talk.forget()
    let news = talk.hear(
      "<message from='anna@example.org'><event xmlns='\(Feature.publishingEvents)'><items node="
        + "'\(Feature.bookmarks)'><retract id='\(room)'/></items></event></message>")
    #expect(news == [.left(room: room, reason: nil)])
    #expect(talk.sent.last?["type"] == "unavailable")
  }

  @Test func joiningAndLeavingAreKeptInTheBookmarksWithWhatOthersPutThere() throws {
    var talk = Talk.ready { talk in
      talk.roomFeatures["room@muc.example.org"] = []
      talk.bookmarks =
        "<item id='room@muc.example.org'><conference xmlns='\(Feature.bookmarks)' name='R'>"
        + "<extensions xmlns='\(Feature.bookmarks)'><x xmlns='urn:x'/></extensions></conference>"
        + "</item>"
    }
    func published() throws -> Element {
      let iq = try #require(
        talk.sent.last { $0.children.first?.namespace == Feature.publishing })
      let payload = try #require(iq.children.first)
      let options = payload.first("publish-options", Feature.publishing)
      #expect(options?.xml().contains("whitelist") == true)
      let item = payload.first("publish", Feature.publishing)?.children.first
      return try #require(item?.children.first)
    }
    talk.handle(
      .requests([NetworkRequest(id: 1, verb: .join, target: room, text: "ann", secret: "s")]))
    talk.serve()
    let kept = try published()
    #expect(kept["autojoin"] == "true" && kept["name"] == "R")
    #expect(kept.has("extensions", Feature.bookmarks))
    #expect(kept.first("nick", Feature.bookmarks)?.text == "ann")
    #expect(kept.first("password", Feature.bookmarks)?.text == "s")
    talk.forget()
    talk.handle(.requests([NetworkRequest(id: 2, verb: .leave, target: room, text: "so long")]))
    #expect(
      talk.sent.contains {
        $0.name == "presence" && $0["type"] == "unavailable"
          && $0.children.contains { $0.name == "status" && $0.text == "so long" }
      })
    talk.serve()
    #expect(try published()["autojoin"] == "false")
    #expect(talk.news.contains(.left(room: room, reason: nil)))
  }
}
