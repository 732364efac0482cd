// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Networks
import Testing

@testable import NetworkInbox
@testable import XMPP

struct OutboxTests {
  private let room = ConversationAddress.room("room@muc.example.org")

  @Test func aMessageHasOneIdAsksForAReceiptAndMayBeMarked() throws {
    var talk = Talk.ready()
    let effects = talk.outbox([.test(1, "hello")])
    guard case .act(.send(let message, let payload)) = effects.first else {
      Issue.record("\(effects)")
      return
    }
    #expect(payload == 1)
    #expect(message["to"] == "ben@example.org")
    #expect(message["type"] == "chat")
    #expect(message["id"] == "uid1")
    #expect(message.first("origin-id", Feature.ids)?["id"] == "uid1")
    #expect(message.has("request", Feature.receipts))
    #expect(message.has("markable", Feature.markers))
    #expect(message.first("body")?.text == "hello")
    #expect(talk.handle(.acknowledged([1])).news == [.accepted(.test(1, "hello"), archive: nil)])
    #expect(talk.handle(.acknowledged([1])).news == [])
  }

  @Test func anOutboxThatIsReadAgainSendsNothingTwice() {
    var talk = Talk.ready()
    talk.outbox([.test(1), .test(2)])
    talk.outbox([.test(1), .test(2), .test(3)])
    #expect(talk.messages.map { $0["id"] } == ["uid1", "uid2", "uid3"])
    talk.handle(.acknowledged([1]))
    // Read before the store had the news.
    talk.outbox([.test(1), .test(2), .test(3)])
    #expect(talk.messages.count == 3)
  }

  @Test("3.7: nothing goes out before the store has recorded it as tried")
  func admission() {
    var talk = Talk.ready()
    let entries = [OutboxEntry.test(1), .test(2, to: room)]
    func sent(_ effects: [ClientEffect]) -> Int {
      effects.count { if case .act(.send(_, payload: _?)) = $0 { true } else { false } }
    }
    // The owner is not in that room, so that it may still be taken back.
    #expect(talk.client.admit(entries, at: talk.now) == [1])
    #expect(sent(talk.client.handle(.tick, at: talk.now)) == 0)
    #expect(sent(talk.client.handle(.tried([1]), at: talk.now)) == 1)
  }

  @Test("14.2: what is deleted before it goes out, or is returned then, has reached nobody")
  func deletedBeforeItsTurn() throws {
    var talk = Talk.ready()
    let waiting = OutboxEntry.test(1)
    talk.handle(.down)
    _ = talk.client.admit([waiting], at: talk.now)
    // Until the store has recorded it as tried, the owner takes it back instead.
    #expect(talk.outbox([]).news == [])
    _ = talk.client.admit([waiting], at: talk.now)
    _ = talk.client.handle(.tried([1]), at: talk.now)
    #expect(talk.outbox([]).news == [.neverSent(waiting)])
    talk = Talk.inRoom()
    talk.outbox([.test(2, to: room)])
    let message = try #require(talk.messages.first)
    talk.outbox([])
    #expect(talk.news.refusals == [])
    talk.error(message, "not-acceptable")
    talk.serve()
    #expect(talk.messages.count == 1)
    #expect(talk.news.refusals.count == 1 && talk.news.doubtful == [])
  }

  @Test func anAnswerCarriesItsQuoteWithTheNumberOfCodePointsInFront() throws {
    var talk = Talk.ready()
    let quote = NetworkQuote(
      name: MessageIDs(origin: "b7", archive: "m7"),
      speaker: NetworkUser(identity: "ben@example.org"),
      text: "one 🇩🇪\ntwo")
    talk.outbox([.test(1, "yes", answers: quote)])
    let message = try #require(talk.messages.first)
    let reply = try #require(message.first("reply", Feature.replies))
    #expect(reply["id"] == "b7")
    #expect(reply["to"] == "ben@example.org")
    #expect(message.first("body")?.text == "> one 🇩🇪\n> two\nyes")
    // What is sent is what is understood.
    #expect(MessageText(message).body == "yes")
    let part = message.first("fallback", Feature.fallback)?.first("body", Feature.fallback)
    #expect(part?["end"] == "15")
  }

  @Test func whatThisProcessHasSentItselfIsNoFormersAnyMore() throws {
    var entry = OutboxEntry.test(1)
    entry.wasTried = true
    var talk = Talk.ready()
    talk.outbox([entry])
    #expect(talk.handle(.acknowledged([1])).news == [.accepted(.test(1), archive: nil)])
  }

  @Test func editsRetractionsAndReactionsNameTheOriginalAndAskToBeKept() throws {
    var talk = Talk.ready()
    talk.outbox([
      .test(1, "new", operation: .edit, uid: "u"), .test(2, operation: .delete, uid: "u"),
      .test(3, operation: .react, uid: "b5", reaction: "👍 🎉"),
      .test(4, operation: .react, uid: "b5", reaction: ""),
    ])
    let messages = talk.messages
    try #require(messages.count == 4)
    #expect(messages[0].first("replace", Feature.correction)?["id"] == "u")
    #expect(messages[1].first("retract", Feature.retraction)?["id"] == "u")
    #expect(messages[1].has("fallback", Feature.fallback))
    #expect(messages[2].first("reactions", Feature.reactions)?["id"] == "b5")
    #expect(
      messages[2].first("reactions", Feature.reactions)?.children.map(\.text)
        == ["👍", "🎉"])
    #expect(messages[3].first("reactions", Feature.reactions)?.children.isEmpty == true)
    for message in messages[1...] { #expect(message.has("store", Feature.hints)) }
    // Each has an id of its own, which is not that of the message.
    #expect(Set(messages.compactMap { $0["id"] } + ["u", "b5"]).count == 6)
  }

  @Test func inARoomTheIdIsTheOneThatTheRoomGave() throws {
    var talk = Talk.inRoom()
    talk.outbox([
      .test(1, to: room, operation: .delete, archive: "r1"),
      .test(2, to: room, operation: .react, archive: "r1", reaction: "👍"),
      .test(3, to: room, operation: .react, reaction: "👍"),
    ])
    #expect(talk.messages.count == 2)
    #expect(talk.messages.first?.first("retract", Feature.retraction)?["id"] == "r1")
    #expect(talk.messages.last?.first("reactions", Feature.reactions)?["id"] == "r1")
    #expect(talk.messages.first?["type"] == "groupchat")
    #expect(talk.news.refusals.count == 1)
  }

  @Test func inARoomTheEchoOrTheAcknowledgementIsEnoughWhicheverIsFirst() {
    var talk = Talk.inRoom()
    talk.outbox([.test(1, to: room), .test(2, "two", to: room)])
    func echo(_ id: String, _ archive: String, occupant: String = "id-anna") -> [NetworkEvent] {
      talk.hear(
        "<message from='room@muc.example.org/anna' type='groupchat' id='\(id)'><body>two</body>"
          + "<occupant-id xmlns='\(Feature.occupantIDs)' id='\(occupant)'/><stanza-id xmlns="
          + "'\(Feature.ids)' by='room@muc.example.org' id='\(archive)'/></message>")
    }
    #expect(echo("uid1", "r0", occupant: "id-eve").accepted == [])
    let first = echo("uid1", "r1")
    #expect(first.first == .accepted(.test(1, to: room), archive: "r1"))
    #expect(first.said == [])
    #expect(talk.handle(.acknowledged([1, 2])).news.accepted == [2])
    // The echo behind it tells the id in the archive.
    let second = echo("uid2", "r2")
    guard case .messageReceived(let message, _) = second.first else {
      Issue.record("\(second)")
      return
    }
    #expect(message.name == MessageIDs(origin: "uid2", archive: "r2"))
    #expect(message.speaker.isOwner)
  }

  @Test func afterABreakTheArchiveIsAskedFirstAndTheRestGoesAgainUnderTheSameId() {
    var talk = Talk.ready()
    talk.outbox([.test(1), .test(2), .test(3)])
    talk.handle(.acknowledged([1]))
    talk.handle(.down)
    talk.forget()
    talk.archives[""] = [
      ("m0", "<message/>"),
      (
        "m1",
        "<message from='anna@example.org/old' to='ben@example.org' type='chat' id='uid2'>"
          + "<body>hello</body></message>"
      ),
    ]
    talk.ignores = { $0.children.first?.namespace == Feature.archive }
    talk.logIn()
    #expect(talk.messages.isEmpty)
    talk.ignores = { _ in false }
    talk.wait(Limits.answer)
    talk.wait(Retry.archivePage.pause)
    talk.serve()
    #expect(talk.news.accepted == [2])
    // The store knows it by its id; what follows in the archive comes after it.
    #expect(talk.news.messages.map(\.name) == [MessageIDs(origin: "uid2", archive: "m1")])
    #expect(talk.messages.map { $0["id"] } == ["uid3"])
  }

  @Test func aMessageInTheArchiveThatIsAnothersUnderOurIdIsNotOurs() {
    var talk = Talk.ready()
    talk.outbox([.test(1)])
    let news = talk.hear(
      "<message from='ben@example.org/x' to='anna@example.org' type='chat' id='uid1'>"
        + "<body>hello</body></message>")
    #expect(news.accepted == [])
    #expect(news.said == ["ben@example.org: hello"])
  }

  @Test func whatWasUnderWayAtABreakGoesAloneAfterwardsAndTheGuiltyOneIsRefused() {
    var talk = Talk.ready()
    let long = String(repeating: "x", count: 20_000)
    let entries: [OutboxEntry] = [.test(1), .test(2, long), .test(3)]
    talk.outbox(entries)
    #expect(talk.messages.count == 3)
    var tries = 0
    // This server breaks on long stanzas, and the acknowledgements before it get lost the first time.
    while talk.news.refusals.isEmpty, tries < 10 {
      tries += 1
      talk.handle(.down)
      talk.forget()
      talk.logIn()
      while let last = talk.effects.lastSent, last.payload != 2 {
        let before = talk.messages.count
        talk.handle(.acknowledged([last.payload]))
        if talk.messages.count == before { break }
        #expect(talk.client.outbox.inFlight.count == 1)
      }
      if talk.effects.lastSent?.payload == 2 {
        talk.forget()
        talk.handle(.down)
      }
    }
    #expect(tries <= 3)
    // Nobody else can say that it did not arrive.
    #expect(talk.news.refusals.count == 1 && talk.news.doubtful == [2])
    talk.forget()
    talk.logIn()
    #expect(talk.messages.map { $0["id"] } == ["uid3"])
  }

  @Test("14.2: what the server returns has not arrived, what a break left in doubt may have")
  func doubt() {
    var talk = Talk.ready()
    talk.outbox([.test(1)])
    talk.handle(.down)
    talk.logIn()
    let error =
      "<error type='cancel'><service-unavailable xmlns='\(Namespace.stanzaErrors)'/></error>"
    talk.hear("<message type='error' id='uid1' from='ben@example.org'>\(error)</message>")
    #expect(talk.news.refusals.count == 1 && talk.news.doubtful.isEmpty)
    var tried = OutboxEntry.test(2, to: .room("gone@muc.example.org"))
    tried.wasTried = true
    talk.outbox([tried, .test(3, to: .room("gone@muc.example.org"))])
    #expect(talk.news.refusals.count == 3 && talk.news.doubtful == [2])
  }

  @Test func aLineThatBreaksByItselfRefusesNothing() {
    var talk = Talk.ready()
    talk.outbox([.test(1)])
    for _ in 0..<20 {
      talk.wait(Retry.blame + 1)
      talk.handle(.down)
      talk.logIn()
    }
    #expect(talk.news.refusals == [])
    #expect(talk.messages.count == 21)
    #expect(Set(talk.messages.map { $0["id"] }) == ["uid1"])
  }

  @Test func aStanzaOverTheServersLimitIsNotSent() {
    var talk = Talk.ready {
      $0.streamFeatures =
        "<features><limits xmlns='urn:xmpp:stream-limits:0'><max-bytes>10000</max-bytes></limits>"
        + "</features>"
    }
    talk.outbox([.test(1, String(repeating: "x", count: 10_000)), .test(2)])
    #expect(talk.messages.map { $0["id"] } == ["uid2"])
    #expect(talk.news.refusals.first?.contains("10000") == true && talk.news.doubtful.isEmpty)
  }

  @Test func aTextOfTheLongestLengthAlsoFitsAsAnAnswerAndBesideFiles() throws {
    var talk = Talk()
    talk.streamFeatures =
      "<features><limits xmlns='urn:xmpp:stream-limits:0'><max-bytes>10000</max-bytes></limits>"
      + "</features>"
    talk.logIn()
    let longest = talk.news.compactMap {
      if case .abilities(let abilities) = $0 { abilities.direct.longestMessage } else { nil }
    }
    let text = String(repeating: "x", count: try #require(longest.last))
    let quote = NetworkQuote(
      name: MessageIDs(origin: "b7"), speaker: NetworkUser(identity: "ben@example.org"),
      text: Array(repeating: String(repeating: "🇩🇪", count: 200), count: 5).joined(separator: "\n"))
    var withFiles = OutboxEntry.test(2, text, kind: .action)
    withFiles.links = (1...3).map {
      "https://upload.example.org/" + String(repeating: "\($0)", count: 300)
    }
    talk.outbox([.test(1, text, answers: quote), withFiles])
    #expect(talk.news.refusals == [] && talk.messages.count == 2)
    let answer = try #require(talk.messages.first)
    #expect(answer.first("body")?.text == text)
    #expect(answer.first("reply", Feature.replies)?["id"] == "b7")
    #expect(!answer.has("fallback", Feature.fallback))
  }

  @Test(arguments: [
    ("service-unavailable", "ben@example.org does not exist, or does not accept your messages."),
    ("not-acceptable", "You have blocked ben@example.org. Unblock it first."),
    ("remote-server-not-found", "The server of ben@example.org cannot be found."),
    ("item-not-found", "The server of ben@example.org does not know this address."),
    ("something-new", "ben@example.org refuses it (something-new)."),
  ])
  func aRefusalIsASentenceAlsoWhenTheServerHadTheMessageFirst(condition: String, sentence: String)
    throws
  {
    var talk = Talk.ready()
    talk.outbox([.test(1)])
    let message = try #require(talk.messages.first)
    var other = talk
    other.error(message, condition)
    #expect(other.news.refusals == [sentence])
    talk.handle(.acknowledged([1]))
    talk.error(message, condition)
    #expect(
      talk.news.last
        == .bounced(
          MessageIDs(origin: "uid1"), in: .direct("ben@example.org"), reason: "\(sentence)"))
  }

  @Test func aRoomThatHasForgottenTheOwnerIsEnteredAgainAndGetsTheMessageOnceMore() throws {
    var talk = Talk.inRoom()
    talk.outbox([.test(1, to: room)])
    talk.error(try #require(talk.messages.first), "not-acceptable")
    talk.serve()
    #expect(talk.messages.map { $0["id"] } == ["uid1", "uid1"])
    #expect(talk.news.refusals == [])
    talk.error(try #require(talk.messages.last), "not-acceptable")
    #expect(talk.news.refusals == ["You are not in room@muc.example.org any more."])
  }

  @Test func aRoomThatGivesAMessageBackAfterTheServerHadItGetsItOnceMoreWithoutAWord() {
    var talk = Talk.inRoom()
    talk.outbox([.test(1, to: room)])
    talk.handle(.acknowledged([1]))
    talk.outbox([])
    talk.forget()
    let message = Element("message", ["id": "uid1", "to": "room@muc.example.org"])
    talk.error(message, "not-acceptable")
    talk.outbox([.test(2, to: room)])
    talk.serve()
    #expect(talk.messages.map { $0["id"] } == ["uid1", "uid2"])
    talk.handle(.acknowledged([1, 2]))
    #expect(talk.news.accepted == [2])
    talk.error(message, "not-acceptable")
    #expect(
      talk.news.last
        == .bounced(
          MessageIDs(origin: "uid1"), in: room,
          reason: "You are not in room@muc.example.org any more."))
  }

  @Test(arguments: [true, false])
  func whatTheArchiveOfTheRoomShowsIsNotSentAgain(hasIDs: Bool) {
    var talk = Talk.inRoom(hasIDs: hasIDs)
    talk.outbox([.test(1, to: room), .test(2, to: room)])
    talk.handle(.down)
    talk.forget()
    talk.archives["room@muc.example.org"] = [
      (
        "r1",
        "<message from='room@muc.example.org/anna' type='groupchat' id='uid1'><body>hello</body>"
          + "<occupant-id xmlns='\(Feature.occupantIDs)' id='id-anna'/></message>"
      ),
      // Someone else who saw the id, and says it first.
      (
        "r2",
        "<message from='room@muc.example.org/eve' type='groupchat' id='uid2'><body>hello</body>"
          + "<occupant-id xmlns='\(Feature.occupantIDs)' id='id-eve'/></message>"
      ),
    ]
    talk.logIn()
    #expect(talk.news.contains(.accepted(.test(1, to: room), archive: "r1")))
    #expect(talk.messages.map { $0["id"] } == ["uid2"])
    #expect(talk.news.accepted == [1])
  }

  @Test func aSuspectWaitsUntilNothingElseIsUnderWay() {
    var talk = Talk.inRoom()
    talk.outbox([.test(1, to: room)])
    talk.handle(.down)
    talk.forget()
    talk.ignores = { $0["to"] == "room@muc.example.org/anna" }
    talk.logIn()
    talk.outbox([.test(1, to: room), .test(2)])
    #expect(talk.messages.map { $0["id"] } == ["uid2"])
    talk.ignores = { _ in false }
    talk.wait(Limits.entering)
    talk.wait(Retry.room.pause)
    talk.serve()
    #expect(talk.messages.map { $0["id"] } == ["uid2"])
    talk.handle(.acknowledged([2]))
    #expect(talk.messages.map { $0["id"] } == ["uid2", "uid1"])
  }

  @Test func aMessageForARoomWaitsUntilOneIsInItAndIsRefusedWhereOneIsNot() {
    var talk = Talk(rooms: [WantedRoom(address: "room@muc.example.org")])
    talk.ignores = { $0["to"]?.hasPrefix("room@") == true }
    talk.logIn()
    talk.outbox([.test(1, to: room), .test(2, to: .room("other@muc.example.org")), .test(3)])
    #expect(talk.messages.map { $0["id"] } == ["uid3"])
    #expect(talk.news.refusals == ["You are not in other@muc.example.org."])
  }

  @Test func anEntryThatLeftTheOutboxIsForgotten() {
    var talk = Talk()
    talk.outbox([.test(1), .test(2)])
    talk.outbox([.test(2)])
    talk.logIn()
    #expect(talk.messages.map { $0["id"] } == ["uid2"])
  }

  @Test func whatLeavesTheOutboxWhileItIsUnderWayIsAcceptedAndDoesNotGoAgain() {
    var talk = Talk.ready()
    talk.outbox([.test(1), .test(2)])
    talk.outbox([.test(2)])
    // So that the store has it taken back there, too.
    #expect(talk.handle(.acknowledged([1])).news.accepted == [1])
    talk.outbox([])
    talk.forget()
    talk.handle(.down)
    talk.logIn()
    #expect(talk.messages.isEmpty)
  }

  @Test(arguments: ["not-acceptable", "forbidden"])
  func anOccupantCannotRefuseWhatARoomHas(condition: String) {
    var talk = Talk.inRoom()
    let room = "room@muc.example.org"
    talk.outbox([.test(1, to: .room(room))])
    let error =
      "<message type='error' from='\(room)/eve' to='anna@example.org/x' id='uid1'><error type='modify'>"
      + "<\(condition) xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></message>"
    talk.forget()
    #expect(talk.hear(error).isEmpty)
    talk.handle(.acknowledged([1]))
    #expect(talk.hear(error).isEmpty)
    #expect(talk.messages.isEmpty)
    #expect(!talk.sent.contains { $0.name == "presence" })
  }

  @Test("14.2: an earlier entry that becomes ready late has its place before those chosen already")
  func lateEntry() {
    struct Item: OutgoingItem {
      var entry: OutboxEntry
      var isWaiting: Bool { true }
      var isRecallable: Bool { true }
      var mayHaveArrived: Bool { false }
      var lineCount: Int { 1 }
      func cancel() {}
    }
    var queue = OutboxQueue<Item>()
    for id in 1...3 { queue[Int64(id)] = Item(entry: .test(Int64(id))) }
    #expect(queue.choose(from: [2, 3], besides: [], of: 2) == [2, 3])
    queue.noteTried([2, 3])
    #expect(!queue.hasMore(in: [1, 2, 3], besides: [2, 3], of: 2))
    // After a break nothing is under way.
    #expect(queue.hasMore(in: [1, 2, 3], besides: [], of: 2))
    #expect(queue.choose(from: [1, 2, 3], besides: [], of: 2).contains(1))
  }

  @Test func manyEntriesGoInOrderWithABoundToWhatIsUnderWay() {
    var talk = Talk.ready()
    talk.outbox((1...500).map { .test($0) })
    #expect(talk.messages.count == Limits.inFlight)
    for id in 1...500 { talk.handle(.acknowledged([Int64(id)])) }
    #expect(talk.messages.map { $0["id"] } == (1...500).map { "uid\($0)" })
    #expect(talk.news.accepted == (1...500).map { Int64($0) })
    #expect(talk.client.outbox.stanzas.ids.isEmpty)
  }
}

extension [ClientEffect] {
  var lastSent: (stanza: XMPP.Element, payload: OutboxEntry.ID)? {
    for case .act(.send(let stanza, let payload?)) in reversed() { return (stanza, payload) }
    return nil
  }
}
