// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Testing

@testable import NetworkInbox
@testable import XMPP

/// Row 20 of the attacks, and what else no server should send.
struct OddStanzaTests {
  @Test(arguments: [
    "<message><body>x</body></message>", "<message from=''><body>x</body></message>",
    "<message from='@example.org'><body>x</body></message>",
    "<message from='ben@example.org/x'><body/></message>",
    "<message from='ben@example.org/x'/>", "<message from='ben@example.org/x' type='error'/>",
    "<message from='ben@example.org/x' type='headline'><body>buy</body></message>",
    "<message from='ben@example.org/x' type='groupchat'><body>x</body></message>",
    "<message from='ben@example.org/x'><body xmlns='urn:x'>x</body></message>",
    "<message from='ben@example.org/x'><replace xmlns='urn:xmpp:message-correct:0' id=''/>"
      + "<body>x</body></message>",
    "<message from='ben@example.org/x'><retract xmlns='urn:xmpp:message-retract:1'/></message>",
    "<message from='ben@example.org/x'><reactions xmlns='urn:xmpp:reactions:0'/></message>",
    "<message><result xmlns='urn:xmpp:mam:2'/></message>",
    "<message><received xmlns='urn:xmpp:carbons:2'/></message>",
    "<message><sent xmlns='urn:xmpp:carbons:2'><forwarded xmlns='urn:xmpp:forward:0'/></sent>"
      + "</message>",
    "<message><event xmlns='http://jabber.org/protocol/pubsub#event'/></message>",
    "<message from='r@muc.x'><x xmlns='http://jabber.org/protocol/muc#user'><invite/></x></message>",
    "<message from='ben@example.org'><x xmlns='jabber:x:conference' jid='not a room'/></message>",
    "<message from='ben@example.org'><x xmlns='jabber:x:conference'/></message>", "<presence/>",
    "<presence from='ben@example.org/x'/>", "<presence from='' type='subscribe'/>",
    "<presence from='anna@example.org/shell'/>", "<iq/>", "<iq type='set'/>", "<iq id='x'/>",
    "<what/>", "<message xmlns='urn:x' from='ben@example.org'><body>x</body></message>",
  ])
  func isTakenWithoutAWord(xml: String) {
    var talk = Talk.ready()
    #expect(talk.hear(xml) == [])
  }

  @Test func ofSeveralTextsTheOneWithoutALanguageCountsElseTheFirst() {
    var talk = Talk.ready()
    func said(_ bodies: String) -> [String] {
      talk.hear("<message from='ben@example.org/x' type='chat'>\(bodies)</message>").said
    }
    #expect(
      said("<body xml:lang='de'>hallo</body><body>hi</body>") == ["ben@example.org: hi"])
    #expect(
      said("<body xml:lang='%%%'/><body xml:lang='de'>hallo</body><body xml:lang='en'>hi</body>")
        == ["ben@example.org: hallo"])
    #expect(said("<body>one</body><body>two</body>") == ["ben@example.org: one"])
  }

  @Test func theServerItselfMayHaveSomethingToSay() {
    var talk = Talk.ready()
    for (type, kind) in [("headline", Message.Kind.notice), ("normal", .text)] {
      let news = talk.hear("<message from='example.org' type='\(type)'><body>x</body></message>")
      let kinds = news.compactMap {
        if case .messageReceived(let message, _) = $0 { message.kind } else { nil }
      }
      #expect(kinds == [kind])
    }
    #expect(
      talk.hear("<message from='example.org' type='headline'><body>down at 6</body></message>").said
        == ["example.org: down at 6"])
    #expect(
      talk.hear("<message from='example.net'><body>hi</body></message>").said
        == ["example.net: hi"])
  }

  @Test func anIdWithoutEndIsNoneAndTheTextIsThereAllTheSame() {
    var talk = Talk.ready()
    let long = String(repeating: "x", count: Limits.identifier + 1)
    let news = talk.hear(
      "<message from='ben@example.org/x' type='chat' id='\(long)'><body>hi</body></message>")
    #expect(
      news == [
        .messageReceived(
          NetworkMessage(
            name: MessageIDs(), speaker: NetworkUser(identity: "ben@example.org"), body: "hi"),
          in: .direct("ben@example.org"))
      ])
  }

  @Test func aPrivateMessageInARoomIsRefusedByAnErrorAndNeverShown() {
    var talk = Talk.inRoom()
    let news = talk.hear(
      "<message from='room@muc.example.org/ben' type='chat' id='7'><body>psst</body><x xmlns="
        + "'\(Feature.roomUser)'/></message>")
    #expect(news == [])
    #expect(talk.messages.count == 1)
    #expect(talk.messages.first?["type"] == "error")
    #expect(talk.messages.first?["to"] == "room@muc.example.org/ben")
    // An error is not answered.
    talk.forget()
    talk.hear(
      "<message from='room@muc.example.org/ben' type='error' id='7'><body>x</body></message>")
    #expect(talk.sent.isEmpty)
  }

  @Test func beforeTheLoginNothingIsHeard() {
    var talk = Talk()
    #expect(talk.hear("<message from='ben@example.org/x'><body>x</body></message>") == [])
    talk.handle(.tick)
    talk.handle(.signals([.typing(.direct("ben@example.org"), true)]))
    talk.handle(.down)
    #expect(talk.effects.isEmpty)
  }
}
