// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Networks
import StoreFixture
import Testing

@testable import NetworkInbox
@testable import XMPP

struct ArchiveTests {
  private static func message(_ text: String, id: String = "") -> String {
    "<message from='ben@example.org/x' to='anna@example.org' type='chat' id='\(id)'>"
      + "<body>\(text)</body></message>"
  }

  private func archive(_ count: Int) -> [(id: String, message: String)] {
    (0..<count).map { ("m\($0)", ArchiveTests.message("\($0)", id: "b\($0)")) }
  }

  @Test func whatIsNewComesInPagesEachWithItsMarkInOneBatch() throws {
    var talk = Talk()
    talk.archives[""] = archive(601)
    talk.logIn()
    let batches = talk.batches.filter { !$0.marks.isEmpty }
    #expect(batches.map(\.said.count) == [250, 250, 100])
    #expect(batches.map(\.marks) == [["m250"], ["m500"], ["m600"]])
    #expect(talk.news.said == (1...600).map { "ben@example.org: \($0)" })
    #expect(talk.statuses.contains(.connected([.catchingUp(received: 250, percent: nil)])))
    #expect(talk.statuses.last == .connected([]))
    let first = try #require(batches[0].messages.first)
    #expect(!first.isPast)
    #expect(first.time == 1_777_629_600_000)
    #expect(first.name == MessageIDs(origin: "b1", archive: "m1"))
  }

  @Test func theNextPageIsAskedForBeforeTheOneThatCameIsStored() throws {
    var talk = Talk()
    talk.archives[""] = archive(601)
    talk.logIn()
    let steps = talk.effects.compactMap { effect -> String? in
      switch effect {
      case .act(.send(let stanza, _)): stanza.has("query", Feature.archive) ? "ask" : nil
      case .store(let news): news.marks.isEmpty ? nil : "store"
      default: nil
      }
    }
    #expect(steps == ["ask", "ask", "store", "ask", "store", "store"])
    // What is said between the two would come neither from the archive nor by itself.
    let presence = try #require(talk.sent.firstIndex { $0.name == "presence" })
    let first = try #require(talk.sent.firstIndex { $0.has("query", Feature.archive) })
    #expect(presence < first)
  }

  @Test func aPageOfGiantsIsCutAndTheRestOfItIsAskedForAgain() {
    var talk = Talk()
    let giant = String(repeating: "<a/>", count: 40_000)
    talk.archives[""] =
      [("m0", ArchiveTests.message("0"))]
      + (1...6).map { number in
        let message = ArchiveTests.message("\(number)", id: "b\(number)")
        return ("m\(number)", message.replacing("</body>", with: "</body>" + giant))
      }
    talk.logIn()
    #expect(talk.news.said == (1...6).map { "ben@example.org: \($0)" })
    #expect(talk.news.marks.count > 1)
    #expect(talk.news.marks.last == "m6")
    #expect(talk.statuses.last == .connected([]))
  }

  @Test func aLongWayIsToldByHowMuchOfTheTimeIsDone() {
    var talk = Talk()
    talk.archives[""] = archive(801)
    // Half of the time until now.
    talk.stamps = ["m500": "2026-05-15T04:00:00Z", "m750": "2026-05-28T20:26:40Z"]
    talk.logIn()
    let under = talk.statuses.compactMap { (status) -> AccountStatus.Activity? in
      if case .connected(let activities) = status { activities.first } else { nil }
    }
    #expect(
      under == [
        .catchingUp(received: 0, percent: nil), .catchingUp(received: 250, percent: nil),
        .catchingUp(received: 500, percent: 50), .catchingUp(received: 750, percent: 100),
      ])
  }

  @Test func withoutAMarkOnlyTheNewestPageComesAndItIsPast() {
    var talk = Talk(marks: [:])
    talk.archives[""] = archive(600)
    talk.logIn()
    #expect(talk.news.said.count == 250)
    #expect(talk.news.said.last == "ben@example.org: 599")
    #expect(talk.news.marks == ["m599"])
    guard
      case .messageReceived(let first, _) = talk.batches.first(where: { !$0.said.isEmpty })?.first
    else {
      Issue.record("no message")
      return
    }
    #expect(first.isPast)
  }

  @Test func anArchiveThatHasForgottenTheMarkGivesAllItHasFromItsTimeOnAsNew() throws {
    let known: Milliseconds = 1_777_629_600_000
    var talk = Talk()
    talk.client = Client(account: Talk.account, marks: ["": "gone"], newest: ["": known])
    talk.archives[""] = archive(603)
    talk.logIn()
    #expect(talk.news.said.count == 603)
    #expect(talk.news.marks == ["m249", "m499", "m602"])
    #expect(talk.statuses.last == .connected([]))
    // A day before the time of the mark, since clocks differ.
    let starts = talk.sent.compactMap { $0.first("query", Feature.archive) }
      .flatMap { $0.first("x", Feature.forms)?.children ?? [] }
      .filter { $0["var"] == "start" }.compactMap { $0.first("value", Feature.forms)?.text }
    #expect(starts == ["2026-04-30T10:00:00Z"])
    let isPast = talk.news.contains {
      if case .messageReceived(let message, _) = $0 { message.isPast } else { false }
    }
    #expect(!isPast)
  }

  private func live(_ id: String, _ text: String) -> String {
    "<message from='ben@example.org/x' type='chat' id='b\(text)'><body>\(text)</body><stanza-id "
      + "xmlns='\(Feature.ids)' by='anna@example.org' id='\(id)'/></message>"
  }

  @Test("14.7: what comes before the archive's answer is stored at once, behind the gap")
  func liveBeforeTheAnswer() throws {
    let ben = ConversationAddress.direct("ben@example.org")
    var talk = Talk()
    talk.archives[""] = archive(3)
    talk.ignores = { $0.children.first?.namespace == Feature.archive }
    talk.logIn()
    talk.forget()
    let first = talk.hear(live("m1", "1"))
    #expect(first.first == .missing(in: ben) && first.said == ["ben@example.org: 1"])
    #expect(talk.hear(live("m9", "9")).said == ["ben@example.org: 9"])
    // The mark stays where it is, until all before it is known.
    #expect(talk.news.marks.isEmpty)
    talk.now += Limits.answer
    #expect(talk.handle(.tick).news == [.unanswered(in: nil)])
    talk.ignores = { _ in false }
    talk.wait(Retry.archivePage.pause)
    talk.serve()
    #expect(talk.news.said == ["1", "9", "1", "2"].map { "ben@example.org: " + $0 })
    #expect(talk.news.marks == ["m2"])
    #expect(talk.news.last == .complete(in: nil))
    #expect(talk.news.count { $0 == .missing(in: ben) } == 1)
    #expect(talk.hear(live("m10", "10")).marks == ["m10"])
  }

  @Test("14.7: what the server kept and sends live is no page of the archive")
  func keptByTheServer() {
    var talk = Talk()
    talk.archives[""] = archive(3)
    talk.logIn()
    func delayed() -> [Bool] {
      talk.news.compactMap {
        if case .messageReceived(let message, _) = $0 { message.isDelayed } else { nil }
      }
    }
    #expect(delayed() == [false, false])
    talk.forget()
    let delay = "<delay xmlns='\(Feature.delay)' from='example.org' stamp='2026-05-01T10:00:00Z'/>"
    _ = talk.hear(live("m8", "8").replacing("</message>", with: delay + "</message>"))
    _ = talk.hear(live("m9", "9"))
    #expect(delayed() == [true, false])
  }

  @Test("14.7: in a room and in a chat the missed lines come first, also after another break")
  func orderInTheStore() throws {
    let fixture = Fixture()
    fixture.now = Talk.start
    let store = try fixture.open()
    let anna = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
    let account = try store.writeDurably {
      try $0.addAccount(owner: anna, network: "xmpp:anna@example.org")
    }
    _ = try store.writeDurably { try $0.networkChat(with: "ben@example.org", of: account) }
    // All of one second.
    var talk = Talk()
    func keep() throws {
      for batch in talk.batches { try store.inbox.apply(batch, of: account) }
      talk.forget()
    }
    func bodies() throws -> [String] {
      let place = try store.read { try $0.listing(for: anna) }[0].conversation.id
      return try store.read { try $0.messages(in: place, limit: 99, for: anna) }.map(\.body)
    }
    talk.archives[""] = archive(1)
    talk.logIn()
    talk.hear(live("m1", "1"))
    try keep()
    for round in 0..<2 {
      talk.handle(.down)
      talk.archives[""] = archive(5 + 3 * round)
      talk.ignores = { $0.children.first?.namespace == Feature.archive }
      talk.logIn()
      talk.hear(live("m\(4 + 3 * round)", "\(4 + 3 * round)"))
      try keep()
    }
    talk.ignores = { _ in false }
    talk.wait(Limits.answer)
    talk.wait(Retry.archivePage.pause)
    talk.serve()
    try keep()
    #expect(try bodies() == (1...7).map { "\($0)" })
  }

  @Test func aBreakInAPageLosesNothingAndStoresNothingTwice() {
    var talk = Talk()
    talk.archives[""] = archive(10)
    talk.ignores = { $0.children.first?.namespace == Feature.archive }
    talk.logIn()
    let query =
      talk.sent.first { $0.children.first?.namespace == Feature.archive }?.children.first?[
        "queryid"]
    for number in 1..<5 {
      talk.hear(
        "<message><result xmlns='\(Feature.archive)' queryid='\(query ?? "")' id='m\(number)'>"
          + "<forwarded xmlns='\(Feature.forwarding)'>"
          + ArchiveTests.message("\(number)")
          .replacingPrefix("<message", with: "<message xmlns='jabber:client'")
          + "</forwarded></result></message>")
    }
    #expect(talk.news.said == [])
    talk.handle(.down)
    talk.ignores = { _ in false }
    talk.logIn()
    #expect(talk.news.said.count == 9)
    #expect(talk.news.marks == ["m9"])
  }

  @Test func anArchiveThatFailsIsTriedThreeTimesAndThenWhatComesCountsWithoutAMark() {
    var talk = Talk()
    talk.ignores = { $0.children.first?.namespace == Feature.archive }
    talk.logIn()
    for _ in 0..<3 {
      talk.wait(Limits.answer)
      talk.wait(Retry.archivePage.pause)
    }
    #expect(talk.sent.filter { $0.children.first?.namespace == Feature.archive }.count == 3)
    #expect(talk.statuses.last == .connected([]))
    let news = talk.hear(
      "<message from='ben@example.org/x' type='chat'><body>x</body><stanza-id xmlns="
        + "'\(Feature.ids)' by='anna@example.org' id='m7'/></message>")
    #expect(news.said.count == 1)
    #expect(news.marks == [])
  }

  @Test func aServerThatSaysThereIsMoreAndGivesNothingIsNotAskedForEver() throws {
    var talk = Talk()
    talk.ignores = { $0.children.first?.namespace == Feature.archive }
    talk.logIn()
    for _ in 0..<10 {
      let iq = try #require(
        talk.sent.last { $0.children.first?.namespace == Feature.archive })
      talk.result(iq, "<fin xmlns='\(Feature.archive)' complete='false'/>")
    }
    #expect(talk.sent.filter { $0.children.first?.namespace == Feature.archive }.count == 1)
    #expect(talk.statuses.last == .connected([]))
  }

  @Test("14.6: after pages whose messages are all too large the rest of the archive is read")
  func goesOnBehindPagesOfGiants() {
    // The whole of the second and the third page, and the last message.
    let giants = Set((251...750).map { "m\($0)" } + ["m800"])
    var talk = Talk()
    talk.archives[""] = archive(801)
    talk.giants = giants
    talk.logIn()
    let read = Array(1...250) + Array(751...799)
    #expect(talk.news.said == read.map { "ben@example.org: \($0)" })
    #expect(talk.news.marks == ["m250", "m500", "m750", "m800"])
    #expect(talk.statuses.last == .connected([]))

    // One that was never read before begins at its end, which is no beginning of it.
    talk = Talk(marks: [:])
    talk.archives[""] = archive(600)
    talk.giants = Set((350..<600).map { "m\($0)" })
    talk.logIn()
    #expect(talk.news.said.isEmpty && talk.news.marks == ["m599"])
  }

  @Test("14.7: /history goes back through pages whose messages are all too large")
  func goesBackThroughGiants() {
    var talk = Talk.ready()
    talk.archives[""] = archive(600)
    talk.giants = Set((90..<590).map { "m\($0)" })
    let request = NetworkRequest(
      id: 4, verb: .history, target: "ben@example.org", text: "m590", count: 50)
    talk.handle(.requests([request]))
    talk.serve()
    #expect(talk.news.said == (0..<90).map { "ben@example.org: \($0)" })
    #expect(
      talk.news.last
        == .answered(request, "hobnob fetched 90 older messages; repeat /history to see them."))
  }

  @Test func aPageOfMoreThanWasAskedForIsCut() {
    var talk = Talk()
    talk.ignores = { $0.children.first?.namespace == Feature.archive }
    talk.logIn()
    let query =
      talk.sent.first { $0.children.first?.namespace == Feature.archive }?.children.first?[
        "queryid"]
    for number in 0..<(Limits.page + 50) {
      talk.hear(
        "<message><result xmlns='\(Feature.archive)' queryid='\(query ?? "")' id='m\(number)'/>"
          + "</message>")
    }
    #expect(talk.client.archives.queries.values.map(\.results.count) == [Limits.page])
  }

  @Test func olderMessagesOfAPersonComeOnRequestAsPast() throws {
    var talk = Talk.ready()
    talk.archives[""] = archive(5)
    let request = NetworkRequest(
      id: 4, verb: .history, target: "ben@example.org", text: "m3", count: 1)
    talk.handle(.requests([request]))
    let query = try #require(talk.sent.last?.children.first)
    let form = try #require(query.first("x", Feature.forms))
    let with = form.children.first { $0["var"] == "with" }
    #expect(with?.first("value", Feature.forms)?.text == "ben@example.org")
    talk.serve()
    #expect(talk.news.said == (0..<3).map { "ben@example.org: \($0)" })
    #expect(
      talk.news.last
        == .answered(request, "hobnob fetched 3 older messages; repeat /history to see them."))
    #expect(talk.news.marks == [])
    #expect(
      talk.news.first == .page(of: .direct("ben@example.org"), from: "", until: "m3"))
    guard case .messageReceived(let first, _) = talk.news.dropFirst().first else {
      Issue.record("no message")
      return
    }
    #expect(first.isPast)
  }

  @Test("14.7: /history goes back by the archive's ids, as many pages as requested")
  func asManyPagesAsAreAskedFor() throws {
    let room = "room@muc.example.org"
    var talk = Talk(marks: [:], rooms: [WantedRoom(address: room, nick: "anna")])
    talk.roomFeatures[room] = [Feature.ids, Feature.archive]
    // All of one second: the archive alone knows their order.
    talk.archives[room] = (0..<900).map {
      (
        "r\($0)",
        "<message from='\(room)/ben' type='groupchat' id='b\($0)'><body>\($0)</body></message>"
      )
    }
    let fixture = Fixture()
    fixture.now = Talk.start
    let store = try fixture.open()
    let anna = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
    let account = try store.writeDurably {
      try $0.addAccount(owner: anna, network: "xmpp:anna@example.org")
    }
    func keep() throws {
      talk.serve()
      for batch in talk.batches { try store.inbox.apply(batch, of: account) }
      talk.forget()
    }
    talk.logIn()
    try keep()
    let place = try store.read { try $0.listing(for: anna) }[0].conversation.id
    func bodies() throws -> [String] {
      try store.read { try $0.messages(in: place, limit: 999, for: anna) }.map(\.body)
    }
    #expect(try bodies() == (650..<900).map { "\($0)" })
    func ask(_ count: Int) throws -> String? {
      let before = try #require(try store.read { try $0.olderArchive(in: place) })
      let request = try store.writeDurably {
        try $0.ask(.history, target: room, text: before, count: count, of: account)
      }
      let position = try store.read { try $0.position }
      talk.handle(.requests([request]))
      try keep()
      return try store.read { try $0.changes(since: position, for: anna) }.answers.last?.text.text
    }
    #expect(try ask(400) == "hobnob fetched 500 older messages; repeat /history to see them.")
    #expect(try bodies() == (150..<900).map { "\($0)" })
    #expect(try store.read { try $0.olderArchive(in: place) } == "r150")
    #expect(try ask(400) == "hobnob fetched 150 older messages; repeat /history to see them.")
    #expect(try bodies() == (0..<900).map { "\($0)" })
    #expect(try store.read { try $0.olderArchive(in: place) } == nil)
    #expect(try store.read { try $0.newest(by: anna, in: place) } == nil)
    #expect(try store.read { try $0.message(named: -1, in: place, for: anna) }.body == "899")
  }

  @Test func anArchiveThatGivesTheSamePageForEverIsAskedOnce() throws {
    var talk = Talk.ready()
    talk.ignores = { _ in true }
    talk.handle(
      .requests([
        NetworkRequest(id: 4, verb: .history, target: "ben@example.org", text: "m3", count: 50)
      ]))
    let iq = try #require(talk.sent.last)
    let id = iq.children.first?["queryid"] ?? ""
    talk.hear(
      "<message><result xmlns='\(Feature.archive)' queryid='\(id)' id='m3'><forwarded xmlns="
        + "'\(Feature.forwarding)'><message xmlns='jabber:client' from='ben@example.org/x' "
        + "type='chat'><body>again</body></message></forwarded></result></message>")
    talk.result(iq, "<fin xmlns='\(Feature.archive)' complete='false'/>")
    #expect(talk.sent.last == iq)
    guard case .answered(_, let sentence) = talk.news.last else {
      Issue.record("no answer")
      return
    }
    #expect(!sentence.isEmpty)
  }

  @Test func aPageThatGoesBackAndIsCutKeepsWhatIsNextToWhatIsKnown() {
    var talk = Talk.ready()
    let giant = String(repeating: "<a/>", count: 40_000)
    talk.archives[""] = (0...6).map { number in
      let message = ArchiveTests.message("\(number)", id: "b\(number)")
      return ("m\(number)", message.replacing("</body>", with: "</body>" + giant))
    }
    let request = NetworkRequest(
      id: 4, verb: .history, target: "ben@example.org", text: "m6", count: 6)
    talk.handle(.requests([request]))
    talk.serve()
    let pages = talk.batches.map { $0.said.compactMap { $0.last } }.filter { !$0.isEmpty }
    #expect(pages.count > 1)
    #expect(pages.reversed().flatMap { $0 } == ["0", "1", "2", "3", "4", "5"])
  }

  @Test func aMarkWaitsForWhatIsUnderWaySinceThatMayStandBeforeIt() {
    var talk = Talk.ready()
    talk.outbox([.test(1)])
    let live =
      "<message from='ben@example.org/x' type='chat'><body>x</body><stanza-id xmlns="
      + "'\(Feature.ids)' by='anna@example.org' id='m8'/></message>"
    #expect(talk.hear(live).marks == [])
    let news = talk.handle(.acknowledged([1])).news
    #expect(news.accepted == [1])
    #expect(news.marks == ["m8"])
  }
}
