// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Testing

@testable import NetworkInbox
@testable import XMPP

struct RequestTests {
  private func ask(
    _ talk: inout Talk, _ verb: NetworkRequest.Verb, _ target: String, _ text: String = ""
  ) -> String? {
    let isInvitation = verb == .invite
    let request = NetworkRequest(
      id: 9, verb: verb, target: target, person: isInvitation ? text : "",
      text: isInvitation ? "" : text)
    talk.handle(.requests([request]))
    talk.serve()
    for case .answered(request, let sentence) in talk.news { return sentence.text }
    return nil
  }

  @Test(arguments: [false, true])
  func whoWantsIntoARoomIsAnsweredByTheRoomThoughTheConnectionBreaksMeanwhile(isEarly: Bool) throws
  {
    let room = "room@muc.example.org"
    let join = NetworkRequest(id: 1, verb: .join, target: room, text: "anna")
    let topic = NetworkRequest(id: 2, verb: .topic, target: room, text: "tea")
    var talk = Talk.ready()
    talk.roomFeatures[room] = []
    talk.ignores = { $0["to"]?.hasPrefix(room) == true && $0.name == "presence" }
    talk.handle(.requests([join, topic]))
    talk.serve()
    talk.handle(.down)
    // The room may be faster than the server.
    if isEarly { talk.ignores = { $0["to"] == "anna@example.org" || $0["to"] == room + "/anna" } }
    talk.logIn()
    func answers() -> [NetworkEvent] {
      talk.news.filter { if case .answered = $0 { true } else { false } }
    }
    #expect(answers() == [])
    talk.error(try #require(talk.sent.last { $0["to"] == room + "/anna" }), "forbidden")
    if isEarly { talk.wait(Limits.answer) }
    #expect(
      answers() == [
        .answered(join, "You are banned from \(room)."),
        .answered(topic, "You are not in \(room)."),
      ])
  }

  @Test func peopleAreAddedApprovedAndForgotten() {
    var talk = Talk.ready { $0.roster = "<item jid='carl@x.org' subscription='both'/>" }
    var told = ask(&talk, .subscribe, "ben@example.org", "Ben")
    #expect(told?.hasPrefix("hobnob asked ben@example.org") == true)
    let item = talk.sent.first?.first("query", Feature.roster)?.children.first
    #expect(item?["jid"] == "ben@example.org" && item?["name"] == "Ben")
    #expect(talk.sent.last?["type"] == "subscribe")
    talk = Talk.ready()
    // Whoever did not ask, as far as is known, is asked; and has the yes where they did.
    told = ask(&talk, .approve, "ben@example.org")
    #expect(told?.hasPrefix("hobnob asked ben@example.org") == true)
    #expect(talk.sent.compactMap { $0["type"] } == ["subscribed", "set", "subscribe"])
    talk = Talk.ready()
    talk.hear("<presence from='ben@example.org' type='subscribe'/>")
    talk.forget()
    #expect(ask(&talk, .subscribe, "ben@example.org") == "ben@example.org is a contact now.")
    #expect(talk.sent.compactMap { $0["type"] } == ["set", "subscribe", "subscribed"])
    talk = Talk.ready()
    talk.hear("<presence from='ben@example.org' type='subscribe'/>")
    talk.forget()
    #expect(ask(&talk, .approve, "ben@example.org") == "ben@example.org is a contact now.")
    // Whoever lets somebody see them wants to see them, too.
    #expect(talk.sent.compactMap { $0["type"] } == ["subscribed", "set", "subscribe"])
    talk = Talk.ready { $0.roster = "<item jid='carl@x.org' subscription='both'/>" }
    #expect(ask(&talk, .approve, "carl@x.org") == "carl@x.org is already a contact.")
    talk = Talk.ready { $0.roster = "<item jid='carl@x.org' subscription='to'/>" }
    #expect(ask(&talk, .subscribe, "carl@x.org") == "carl@x.org is already a contact.")
    #expect(talk.sent.isEmpty)
    talk = Talk.ready()
    #expect(ask(&talk, .unsubscribe, "ben@example.org") == "")
    #expect(talk.sent.last?["type"] == "unsubscribed")
    talk = Talk.ready { $0.roster = "<item jid='carl@x.org' subscription='both'/>" }
    #expect(ask(&talk, .unsubscribe, "carl@x.org") == "carl@x.org is no longer a contact.")
    #expect(
      talk.sent.last?.first("query", Feature.roster)?.children.first?["subscription"] == "remove")
  }

  @Test func aContactsProgramIsAskedWhatItCanDoWhileItIsThere() throws {
    var talk = Talk.ready { $0.roster = "<item jid='carl@x.org' subscription='both'/>" }
    #expect(ask(&talk, .abilities, "carl@x.org") == nil)
    #expect(talk.sent.last?["to"] == "carl@x.org")
    talk.hear("<presence from='carl@x.org/phone'/>")
    talk.forget()
    let second = NetworkRequest(id: 10, verb: .abilities, target: "carl@x.org")
    talk.handle(.requests([second]))
    let question = try #require(talk.sent.last)
    #expect(question["to"] == "carl@x.org/phone")
    talk.result(
      question,
      """
      <query xmlns='\(Feature.info)'><identity category='client' type='phone'/>
      <feature var='\(Feature.correction)'/><feature var='\(Feature.receipts)'/></query>
      """)
    guard case .answered(_, let sentence) = talk.news.last else {
      Issue.record("no answer")
      return
    }
    #expect(sentence.text.hasSuffix("The program of carl@x.org supports edits, delivery receipts."))
  }

  @Test func aRoomIsEnteredWithThePasswordThatIsGiven() throws {
    var talk = Talk.ready()
    let request = NetworkRequest(
      id: 9, verb: .join, target: "room@muc.example.org", secret: "open sesame")
    talk.handle(.requests([request]))
    talk.serve()
    let entry = try #require(
      talk.sent.last { $0.name == "presence" && $0["to"] == "room@muc.example.org/anna" })
    let user = entry.first("x", Feature.rooms)
    #expect(user?.first("password", Feature.rooms)?.text == "open sesame")
  }

  @Test func blockingIsTheServersIfItCan() {
    var talk = Talk.ready()
    #expect(ask(&talk, .block, "eve@x.org") == "eve@x.org is blocked.")
    #expect(talk.sent.last?.first("block", Feature.blocking)?.children.first?["jid"] == "eve@x.org")
    talk = Talk.ready()
    talk.client.server.hasBlocking = false
    #expect(ask(&talk, .unblock, "eve@x.org") == "The server cannot block anybody.")
  }

  @Test func whoIsBlockedIsAskedOfTheServer() throws {
    func answer(_ items: String) throws -> String? {
      var talk = Talk.ready()
      talk.ignores = { $0.children.first?.namespace == Feature.blocking }
      #expect(ask(&talk, .block, "") == nil)
      let id = try #require(talk.sent.last?["id"])
      let list = "<blocklist xmlns='\(Feature.blocking)'>\(items)</blocklist>"
      talk.hear("<iq type='result' id='\(id)'>\(list)</iq>")
      for case .answered(_, let sentence) in talk.news { return sentence.text }
      return nil
    }
    #expect(try answer("") == "You have blocked nobody.")
    let blocked = try answer("<item jid='eve@x.org'/><item/><item jid='y.org'/>")
    #expect(blocked == "You have blocked eve@x.org, y.org.")
    let many = (1...102).map { "<item jid='a\($0)@x.org'/>" }.joined()
    #expect(try answer(many)?.hasSuffix("a100@x.org and 2 more.") == true)
    var talk = Talk.ready()
    talk.client.server.hasBlocking = false
    #expect(ask(&talk, .block, "") == "The server cannot block anybody.")
  }

  @Test func whoAsksToBeAContactIsToldUntilTheyAreAnsweredOrTakeItBack() {
    var talk = Talk.ready()
    let (nobody, yes) = ("You have no contact requests.", "/contact accept ADDRESS accepts one.")
    #expect(ask(&talk, .approve, "") == nobody)
    for name in ["eve", "ben"] { talk.hear("<presence from='\(name)@x.org' type='subscribe'/>") }
    func who() -> String? {
      var copy = talk
      copy.forget()
      let request = NetworkRequest(id: 20, verb: .approve, target: "")
      copy.handle(.requests([request]))
      for case .answered(request, let sentence) in copy.news { return sentence.text }
      return nil
    }
    #expect(who() == "These people want to be your contacts: ben@x.org, eve@x.org. \(yes)")
    talk.hear("<presence from='eve@x.org' type='unsubscribe'/>")
    #expect(who() == "These people want to be your contacts: ben@x.org. \(yes)")
    talk.handle(.requests([NetworkRequest(id: 21, verb: .approve, target: "ben@x.org")]))
    talk.serve()
    #expect(who() == nobody)
  }

  @Test func beingAwayIsToldToTheServerAndToEachRoom() {
    var talk = Talk.inRoom()
    #expect(ask(&talk, .presence, "away", "lunch") == "")
    #expect(talk.sent.map { $0["to"] } == [nil, "room@muc.example.org/anna"])
    for presence in talk.sent {
      #expect(presence.first("show")?.text == "away" && presence.first("status")?.text == "lunch")
    }
  }

  @Test func aTopicIsDoneWhenTheRoomRepeatsItOrSaysWhyNot() throws {
    var talk = Talk.inRoom()
    #expect(ask(&talk, .topic, "room@muc.example.org", "tea") == nil)
    let message = try #require(talk.messages.last)
    var other = talk
    other.error(message, "forbidden")
    #expect(
      other.news.last
        == .answered(
          NetworkRequest(id: 9, verb: .topic, target: "room@muc.example.org", text: "tea"),
          "room@muc.example.org does not let you change its topic."))
    talk.hear(
      "<message from='room@muc.example.org/anna' type='groupchat' id='\(message["id"] ?? "")'>"
        + "<subject>tea</subject><occupant-id xmlns='\(Feature.occupantIDs)' id='id-anna'/>"
        + "</message>")
    #expect(talk.news.contains { if case .answered(_, "") = $0 { true } else { false } })
  }

  @Test func whoIsAwayIsSoFromTheFirstPresenceOn() {
    var talk = Talk(away: "lunch")
    talk.logIn()
    let presence = talk.sent.first { $0.name == "presence" && $0["to"] == nil }
    #expect(presence?.first("status")?.text == "lunch")
  }

  @Test func aTopicIsOfWhoHasTheNicknameWhereTheRoomNamesNoOccupant() throws {
    var talk = Talk.inRoom()
    #expect(ask(&talk, .topic, "room@muc.example.org", "tea") == nil)
    // Nor does it repeat the id; and one of its own presences, of a new role, names nobody either.
    let own = talk.hear("<presence from='room@muc.example.org/anna'/>")
    #expect(own.isEmpty)
    talk.hear(
      "<message from='room@muc.example.org/anna' type='groupchat'><subject>tea</subject></message>")
    #expect(talk.news.contains { if case .answered(_, "") = $0 { true } else { false } })
    talk.hear(
      "<message from='room@muc.example.org/ben' type='groupchat' id='x'>"
        + "<subject>cake</subject></message>")
    let speakers = talk.news.compactMap {
      if case .topic(_, _, let speaker, _) = $0 { speaker } else { nil }
    }
    #expect(speakers.map(\.identity) == ["id-anna", "id-ben"])
    #expect(speakers.map(\.isOwner) == [true, false])
  }

  @Test func whatABreakTookWaitsUntilTheRoomIsEnteredAgain() {
    var talk = Talk.inRoom()
    #expect(ask(&talk, .invite, "room@muc.example.org", "ben@example.org") == nil)
    talk.forget()
    talk.handle(.down)
    talk.logIn()
    #expect(talk.messages.contains { $0.has("x", Feature.roomUser) })
    talk.wait(5_000)
    #expect(
      !talk.news.contains {
        if case .answered(_, let text) = $0 { text.text.contains("not in") } else { false }
      })
  }

  @Test func anInvitationGoesThroughTheRoom() {
    var talk = Talk.inRoom()
    #expect(ask(&talk, .invite, "room@muc.example.org", "ben@example.org") == nil)
    let invite = talk.messages.last?.first("x", Feature.roomUser)?.first("invite", Feature.roomUser)
    #expect(invite?["to"] == "ben@example.org")
    talk.wait(5_000)
    guard case .answered(_, "You invited ben@example.org.") = talk.news.last else {
      Issue.record("\(talk.news)")
      return
    }
  }

  @Test func whatIsNoAddressOrNoRoomIsSaid() {
    for (verb, target, text) in [
      (NetworkRequest.Verb.join, "a b", ""), (.join, "muc.example.org", ""), (.subscribe, "", ""),
      (.topic, "other@muc.example.org", "x"), (.invite, "room@muc.example.org", "a b"),
      (.history, "@", ""), (.block, "<", ""),
    ] {
      var talk = Talk.inRoom()
      #expect(ask(&talk, verb, target, text)?.isEmpty == false, "\(verb) \(target)")
    }
  }

  @Test func whatServerAndRoomCanDoIsToldInWords() throws {
    var talk = Talk.inRoom()
    let server = try #require(ask(&talk, .abilities, ""))
    #expect(server.contains("keeps an archive") && server.contains("muc.example.org"))
    talk = Talk.inRoom(hasIDs: false)
    let room = try #require(ask(&talk, .abilities, "room@muc.example.org"))
    #expect(room.contains("nicknames only") && room.contains("open to everyone"))
  }

  @Test("14.16: without libomemo-c, /can and /encrypt say so")
  func withoutLibrary() throws {
    var talk = Talk.inRoom()
    let words = "hobnob cannot encrypt, since libomemo-c is not installed."
    #expect(ask(&talk, .abilities, "")?.contains(words) == true)
    talk = Talk.ready()
    #expect(ask(&talk, .encrypt, "carl@x.org", "on") == words)
    var village = try Village()
    try village.connect(Village.anna)
    let answer = village.ask(.abilities, of: Village.anna)
    #expect(answer?.contains(words) == false)
  }

  @Test func aRequestThatLostItsConnectionIsAskedAgainAndAnsweredOnce() {
    var talk = Talk.ready()
    let request = NetworkRequest(id: 3, verb: .block, target: "eve@x.org")
    talk.ignores = { $0.children.first?.namespace == Feature.blocking }
    talk.handle(.requests([request]))
    talk.handle(.requests([request]))
    #expect(talk.sent.count == 1)
    talk.handle(.down)
    talk.ignores = { _ in false }
    talk.logIn()
    talk.handle(.requests([request]))
    #expect(talk.news.filter { $0 == .answered(request, "eve@x.org is blocked.") }.count == 1)
    #expect(
      talk.sent.filter { $0.children.first?.namespace == Feature.blocking }.count == 2)
  }

  @Test func contactsAreThereWhileADeviceOfTheirsIs() {
    let roster =
      "<item jid='ben@example.org' name='Ben' subscription='both'/>"
    var talk = Talk()
    talk.roster = roster
    talk.logIn()
    let ben = NetworkUser(identity: "ben@example.org", name: "Ben")
    #expect(talk.news.contains(.contact(ben, isOnline: false, away: nil)))
    func hear(_ device: String, _ rest: String) -> [NetworkEvent] {
      talk.hear("<presence from='ben@example.org/\(device)'\(rest)")
    }
    #expect(
      hear("a", "><show>away</show><status>tea</status></presence>")
        == [.contact(ben, isOnline: true, away: "tea")])
    #expect(hear("b", "/>") == [.contact(ben, isOnline: true, away: nil)])
    #expect(hear("b", " type='unavailable'/>") == [.contact(ben, isOnline: true, away: "tea")])
    #expect(hear("a", " type='unavailable'/>") == [.contact(ben, isOnline: false, away: nil)])
    #expect(talk.hear("<presence from='eve@x.org/a'/>") == [])
  }

  @Test func whoAsksToBeAContactIsToldOfAndOneWhoIsOneGetsAYes() {
    var talk = Talk.ready { $0.roster = "<item jid='ben@example.org' subscription='from'/>" }
    #expect(
      talk.hear("<presence type='subscribe' from='eve@x.org'/>")
        == [.wantsContact(NetworkUser(identity: "eve@x.org"))])
    let nick = "<nick xmlns='http://jabber.org/protocol/nick'>Eve</nick>"
    #expect(
      talk.hear("<presence type='subscribe' from='eve@x.org'>\(nick)</presence>")
        == [.wantsContact(NetworkUser(identity: "eve@x.org", name: "Eve"))])
    #expect(talk.sent.isEmpty)
    #expect(talk.hear("<presence type='subscribe' from='ben@example.org'/>") == [])
    #expect(talk.sent.last?["type"] == "subscribed")
  }

  // Rule 14.5.
  @Test func onlyWhomTheOwnerAskedFirstGetsAYesWithoutTheOwner() {
    var talk = Talk.ready {
      $0.roster =
        "<item jid='to@x.org' subscription='to'/>"
        + "<item jid='asked@x.org' subscription='none' ask='subscribe'/>"
    }
    func asks(_ name: String) -> Bool {
      let sent = talk.sent.count
      let news = talk.hear("<presence type='subscribe' from='\(name)@x.org'/>")
      let isGranted = talk.sent.count > sent
      #expect(isGranted == news.isEmpty)
      return !isGranted
    }
    #expect(asks("to"))
    #expect(!asks("asked"))
    #expect(asks("asked"))
    talk.handle(.requests([NetworkRequest(id: 1, verb: .subscribe, target: "ben@x.org")]))
    talk.serve()
    // Ben has agreed, and asks the same in return.
    talk.hear(
      "<iq type='set' id='p'><query xmlns='jabber:iq:roster'><item jid='ben@x.org' "
        + "subscription='to'/></query></iq>")
    #expect(!asks("ben"))
    #expect(asks("ben"))
  }

  @Test func whoIsDeclinedIsToldAndAsksNoMore() {
    var talk = Talk.ready()
    for name in ["eve", "max"] { talk.hear("<presence type='subscribe' from='\(name)@x.org'/>") }
    let request = NetworkRequest(id: 1, verb: .decline, target: "")
    talk.handle(.requests([request]))
    #expect(talk.news.last == .answered(request, ""))
    #expect(
      Set(talk.sent.filter { $0["type"] == "unsubscribed" }.compactMap { $0["to"] })
        == ["eve@x.org", "max@x.org"])
    #expect(talk.client.roster.askers.isEmpty)
  }

  @Test func whatStrangersSendIsCountedOnceAMinute() {
    var talk = Talk.ready()
    func counted() -> Int {
      defer { talk.forget() }
      return talk.news.count { $0 == .countStrangers }
    }
    for number in 0..<120 {
      talk.hear("<presence type='subscribe' from='eve\(number)@x.org'/>")
      talk.hear(
        "<message from='eve\(number)@x.org' type='chat'><body>x</body></message>")
      talk.wait(1_000)
    }
    #expect(counted() == 2)
    talk.wait(600_000)
    #expect(counted() == 0)
  }

  @Test func whomTheOwnerAskedAnswers() {
    var talk = Talk.ready {
      $0.roster = "<item jid='ben@example.org' subscription='none' ask='subscribe'/>"
    }
    let ben = NetworkUser(identity: "ben@example.org")
    func push(_ subscription: String) -> [NetworkEvent] {
      talk.hear(
        "<iq type='set' id='p'><query xmlns='jabber:iq:roster'><item jid='ben@example.org' "
          + "subscription='\(subscription)'/></query></iq>"
      ).filter { if case .contact = $0 { false } else { true } }
    }
    #expect(
      talk.hear("<presence type='unsubscribed' from='ben@example.org'/>")
        == [.answeredContact(ben, isYes: false)])
    #expect(push("to") == [.answeredContact(ben, isYes: true)])
    #expect(push("both") == [] && push("from") == [] && push("both") == [])
    #expect(talk.hear("<presence type='unsubscribed' from='eve@x.org'/>") == [])
  }

  @Test func aContactThatIsTakenOutIsAStranger() {
    var talk = Talk.ready { $0.roster = "<item jid='ben@example.org' subscription='from'/>" }
    let news = talk.hear(
      "<iq type='set' id='p'><query xmlns='jabber:iq:roster'><item jid='ben@example.org' "
        + "subscription='remove'/></query></iq>")
    #expect(news == [.contactRemoved(NetworkUser(identity: "ben@example.org"))])
  }
}
