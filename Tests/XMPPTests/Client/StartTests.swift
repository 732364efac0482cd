// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Networks
import Platform
import Testing

@testable import NetworkInbox
@testable import XMPP

struct StartTests {
  @Test func presenceWaitsUntilItIsKnownWhatTheArchiveBrings() {
    var talk = Talk()
    talk.ignores = { $0["to"] == "anna@example.org" }
    talk.logIn()
    // A server copies what comes to another device before the presence, too.
    func asksForMessages(_ stanza: Element) -> Bool {
      stanza.name == "presence" || stanza.has("enable", Feature.carbons)
    }
    #expect(!talk.sent.contains(where: asksForMessages))
    #expect(talk.statuses == [.connecting])
    talk.ignores = { _ in false }
    talk.wait(Limits.answer)
    talk.serve()
    #expect(talk.sent.count(where: asksForMessages) == 2)
  }

  @Test func carbonsRosterBookmarksAndTheArchiveAreAskedForAndThenItIsReady() {
    var talk = Talk()
    talk.logIn()
    let payloads = talk.sent.filter { $0.name == "iq" }.compactMap(\.children.first?.namespace)
    for wanted in [Feature.carbons, Feature.roster, Feature.publishing, Feature.archive] {
      #expect(payloads.contains(wanted))
    }
    #expect(talk.statuses.last == .connected([]))
    #expect(talk.statuses.contains(.connected([.catchingUp(received: 0, percent: nil)])))
  }

  @Test("14.6: an oversized stanza is reported once per connection, and nothing waits for it")
  func whatIsSkippedIsToldOnce() throws {
    var talk = Talk.ready()
    let giant = Element("message", ["from": "mallory@evil.org/x", "type": "chat"])
    func notices(_ effects: [ClientEffect]) -> [String] {
      effects.news.compactMap { if case .notice(let sentence) = $0 { sentence.text } else { nil } }
    }
    let told = notices(talk.handle(.skipped(giant, bytes: 3_000_000)))
    #expect(told.count == 1)
    #expect(told[0].contains("a message of 3.0 MB from mallory@evil.org/x"))
    #expect(talk.handle(.skipped(giant, bytes: 3_000_000)).isEmpty)
    talk.handle(.down)
    talk.logIn()
    #expect(notices(talk.handle(.skipped(giant, bytes: 3_000_000))).count == 1)
    // Whoever asked for it hears that it came to nothing.
    let request = NetworkRequest(id: 1, verb: .block, target: "eve@x.org")
    talk.ignores = { _ in true }
    talk.handle(.requests([request]))
    let answer = Element("iq", ["type": "result", "id": try #require(talk.sent.last?["id"])])
    let news = talk.handle(.skipped(answer, bytes: 3_000_000)).news
    guard case .answered(request, let sentence) = news.first else {
      Issue.record("\(news)")
      return
    }
    #expect(sentence.text.contains("too large"))
  }

  @Test("14.6: a roster of 50,000 comes in parts, and only its end says who was removed")
  func aGiantRosterLoads() throws {
    var talk = Talk.ready { $0.roster = "<item jid='gone@x.org' subscription='both'/>" }
    talk.ignores = { $0.has("query", Feature.roster) }
    talk.handle(.down)
    talk.logIn()
    let question = try #require(talk.sent.last { $0.has("query", Feature.roster) })
    // Nobody else answers what the server was asked.
    let foreign = Element(
      xml: "<iq type='result' id='\(question["id"] ?? "")' from='eve@x.org'><query xmlns="
        + "'\(Feature.roster)'><item jid='eve@x.org' subscription='both'/></query></iq>")
    #expect(talk.handle(.part(foreign)).isEmpty)
    var contacts = 0
    for part in 0..<50 {
      let items = (0..<1_000).map { "<item jid='c\(part)-\($0)@x.org' subscription='both'/>" }
      let answer = Element(
        xml: "<iq type='result' id='\(question["id"] ?? "")'><query xmlns='\(Feature.roster)' "
          + "ver='v2'>\(items.joined())</query></iq>")
      let news = talk.handle(part < 49 ? .part(answer) : .stanza(answer)).news
      contacts += news.count { if case .contact = $0 { true } else { false } }
      #expect(
        news.contains(.contactRemoved(NetworkUser(identity: "gone@x.org"))) == (part == 49),
        "\(part)")
    }
    #expect(contacts == 50_000 && talk.client.roster.contacts.count == 50_000)
    #expect(talk.client.roster.version == "v2")
  }

  @Test func aServerThatAnswersNothingIsHungUpOn() {
    var talk = Talk()
    talk.handle(.up(jid: Talk.full, features: Element("features")))
    talk.wait(Limits.answer - 1)
    #expect(talk.hangUps.isEmpty)
    talk.wait(1)
    #expect(talk.hangUps == ["The server does not answer."])
  }

  @Test func timeInWhichNothingIsReadMakesNoAnswerLate() {
    var talk = Talk()
    talk.handle(.up(jid: Talk.full, features: Element("features")))
    talk.now += 100_000
    talk.client.skip(to: talk.now)
    #expect(talk.handle(.tick).contains(.wake(at: talk.now + Limits.answer)))
    talk.wait(Limits.answer - 1)
    #expect(talk.hangUps.isEmpty)
    talk.wait(1)
    #expect(talk.hangUps.count == 1)
  }

  @Test func itAsksToBeWokenWhenTheFirstAnswerIsOverdueAlsoIfTheClockIsSetBack() {
    var talk = Talk()
    let effects = talk.handle(.up(jid: Talk.full, features: Element("features")))
    #expect(effects.last == .wake(at: talk.now + Limits.answer))
    talk.now -= 3_600_000
    #expect(talk.handle(.tick).last == .wake(at: talk.now + Limits.answer))
    talk.now += Limits.answer
    #expect(talk.handle(.tick).contains(.act(.hangUp("The server does not answer."))))
  }

  @Test func theHashInThePresenceIsThatOfWhatItAnswers() throws {
    var talk = Talk.ready()
    talk.hear(
      "<iq type='get' id='q' from='ben@example.org/x'><query xmlns='\(Feature.info)' "
        + "node='\(OwnFeatures.versionedNode)'/></iq>")
    let answer = try #require(talk.sent.last?.first("query", Feature.info))
    let identity = try #require(answer.first("identity", Feature.info))
    var text =
      "\(identity["category"] ?? "")/\(identity["type"] ?? "")//\(identity["name"] ?? "")<"
    for feature in DiscoveredInfo(Element("iq", children: [answer])).features.sorted() {
      text += feature + "<"
    }
    var letters: [UInt8] = []
    SHA1.digest(of: text).withUnsafeBytes { Base64.encode($0, to: &letters) }
    #expect(OwnFeatures.element["ver"] == String(decoding: letters, as: UTF8.self))
    #expect(talk.sent.last?["id"] == "q")
  }

  @Test func whatIsStoredStandsBeforeWhatIsSentForIt() {
    var talk = Talk.ready()
    talk.outbox([.test(1)])
    let effects = talk.handle(.acknowledged([1]))
    guard case .store = effects.first else {
      Issue.record("\(effects)")
      return
    }
  }

  @Test func othersGetAnAnswerToAPingAndAnErrorForWhatIsNotUnderstood() {
    var talk = Talk.ready()
    talk.hear(
      "<iq type='get' id='1' from='ben@example.org/x'><ping xmlns='urn:xmpp:ping'/></iq>")
    #expect(talk.sent.last?["type"] == "result")
    talk.hear(
      "<iq type='get' id='2' from='ben@example.org/x'><query xmlns='jabber:iq:version'/></iq>")
    let version = talk.sent.last?.first("query", Feature.version)
    #expect(version?.children.map(\.name) == ["name"])
    for type in ["get", "set"] {
      talk.hear("<iq type='\(type)' id='3' from='ben@example.org/x'><what xmlns='urn:x'/></iq>")
      #expect(talk.sent.last?["type"] == "error")
      #expect(
        talk.sent.last?.first("error")?.has("service-unavailable", Namespace.stanzaErrors) == true)
    }
    talk.forget()
    talk.hear("<iq type='get' from='ben@example.org/x'><ping xmlns='urn:xmpp:ping'/></iq>")
    talk.hear("<iq type='result' id='nobody-asked' from='ben@example.org/x'/>")
    #expect(talk.sent.isEmpty)
  }
}
