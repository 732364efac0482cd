// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Testing

@testable import NetworkInbox
@testable import XMPP

struct IncomingTests {
  private let ben = NetworkUser(identity: "ben@example.org")
  private let place = ConversationAddress.direct("ben@example.org")

  private func message(_ inner: String, id: String = "b1") -> String {
    "<message from='Ben@example.org/phone' to='anna@example.org' type='chat' id='\(id)'>\(inner)"
      + "</message>"
  }

  @Test func aMessageIsSaidByItsBareAddressWithTheIdsOfItsSenderAndOfTheAccount() {
    var talk = Talk.ready()
    let news = talk.hear(
      message(
        "<body>hi</body><stanza-id xmlns='\(Feature.ids)' by='evil@example.org' id='x'/>"
          + "<stanza-id xmlns='\(Feature.ids)' by='anna@example.org' id='m1'/>"))
    #expect(
      news == [
        .messageReceived(
          NetworkMessage(
            name: MessageIDs(origin: "b1", archive: "m1"), speaker: ben, body: "hi"), in: place),
        .caughtUp(archive: "", mark: "m1"),
      ])
  }

  @Test("14.2: the id from the sender goes before the stanza's, which others may have replaced")
  func originID() {
    for (id, place) in [("s1", "ben@example.org"), ("s2", "carl@example.org")] {
      var talk = Talk.ready()
      let news = talk.hear(
        "<message from='\(place)/x' to='anna@example.org' type='chat' id='\(id)'><body>hi</body>"
          + "<origin-id xmlns='\(Feature.ids)' id='o1'/></message>")
      guard case .messageReceived(let said, _)? = news.first else {
        Issue.record("\(news)")
        return
      }
      #expect(said.name == MessageIDs(origin: "o1"))
    }
  }

  @Test func meIsAnActionAndALinkAloneIsShownAsText() {
    var talk = Talk.ready()
    guard case .messageReceived(let action, _) = talk.hear(message("<body>/me waves</body>")).first,
      case .messageReceived(let link, _) = talk.hear(
        message("<x xmlns='jabber:x:oob'><url>https://x.example/a</url></x>")
      ).first
    else {
      Issue.record("nothing was said")
      return
    }
    #expect((action.body, action.kind) == ("waves", .action))
    #expect((link.body, link.links) == ("https://x.example/a", ["https://x.example/a"]))
  }

  @Test func aReplyNamesWhatItAnswersAndLosesItsStandInByCodePoints() {
    var talk = Talk.ready()
    // A flag is one character, and two code points.
    let news = talk.hear(
      message(
        "<body>&gt; 🇩🇪\nyes</body><reply xmlns='urn:xmpp:reply:0' to='anna@example.org/x' id='a1'/>"
          + "<fallback xmlns='urn:xmpp:fallback:0' for='urn:xmpp:reply:0'>"
          + "<body start='0' end='5'/></fallback>"))
    guard case .messageReceived(let said, _) = news.first else {
      Issue.record("\(news)")
      return
    }
    #expect(said.body == "yes")
    #expect(said.answers == MessageIDs(origin: "a1"))
    #expect(said.answersSpeaker == NetworkUser(identity: "anna@example.org", isOwner: true))
  }

  @Test(arguments: [
    ("-1", "3"), ("2", "1"), ("x", "3"), ("99", "200"), ("0", "99999999999999999999"), ("0", "7"),
  ])
  func aStandInThatIsNoneOrAllOfTheTextLosesNothing(start: String, end: String) {
    var talk = Talk.ready()
    let news = talk.hear(
      message(
        "<body>&gt; q yes</body><reply xmlns='urn:xmpp:reply:0' id='a1'/><fallback xmlns="
          + "'urn:xmpp:fallback:0' for='urn:xmpp:reply:0'><body start='\(start)' end='\(end)'/>"
          + "</fallback>"))
    #expect(news.said.count == 1)
    #expect(news.said.first?.hasSuffix("yes") == true)
  }

  @Test func correctionsRetractionsAndReactionsNameTheirOriginals() {
    var talk = Talk.ready()
    // What a change is known by itself, for when an archive tells it again (rule 14.3).
    let change = MessageIDs(origin: "b1")
    #expect(
      talk.hear(message("<body>new</body><replace xmlns='\(Feature.correction)' id='b0'/>"))
        == [
          .edited(
            MessageIDs(origin: "b0"), by: ben, in: place, body: "new", at: nil, change: change)
        ])
    let gone = NetworkEvent.retracted(MessageIDs(origin: "b0"), by: ben, in: place, at: nil)
    #expect(
      talk.hear(message("<body>x</body><retract xmlns='\(Feature.retraction)' id='b0'/>")).first
        == gone)
    #expect(
      talk.hear(
        message(
          "<apply-to xmlns='\(Feature.fastening)' id='b0'><retract xmlns="
            + "'\(Feature.formerRetraction)'/></apply-to>")) == [gone])
    #expect(
      talk.hear(
        message(
          "<body>👍</body><reactions xmlns='\(Feature.reactions)' id='a1'><reaction>👍</reaction>"
            + "<reaction>👍</reaction><reaction/></reactions>")
      ).first
        == .reacted(
          MessageIDs(origin: "a1"), author: nil, by: ben, in: place, emoji: ["👍"], at: nil,
          change: change))
  }

  @Test func receiptsAndMarkersTellHowFarTheOtherSideIs() {
    var talk = Talk.ready()
    for (payload, state) in [
      ("<received xmlns='urn:xmpp:receipts' id='a1'/>", DeliveryState.delivered),
      ("<received xmlns='urn:xmpp:chat-markers:0' id='a1'/>", .delivered),
      ("<displayed xmlns='urn:xmpp:chat-markers:0' id='a1'/>", .seen),
    ] {
      #expect(
        talk.hear(message(payload))
          == [.receipt(MessageIDs(origin: "a1"), by: ben, in: place, state)])
    }
  }

  @Test func typingBeginsAndEndsOnceAndEndsWithAMessage() {
    var talk = Talk.ready()
    let (composing, paused) = (
      message("<composing xmlns='\(Feature.typing)'/>"),
      message("<paused xmlns='\(Feature.typing)'/>")
    )
    #expect(talk.hear(paused) == [])
    #expect(talk.hear(composing) == [.typing(ben, in: place, true)])
    #expect(talk.hear(paused) == [.typing(ben, in: place, false)])
    _ = talk.hear(composing)
    #expect(
      talk.hear(message("<body>hi</body><active xmlns='\(Feature.typing)'/>")).first
        == .typing(ben, in: place, false))
  }

  @Test func whatTheOwnersOtherDevicesDoIsTheOwners() {
    var talk = Talk.ready()
    func copy(_ inner: String) -> [NetworkEvent] {
      talk.hear(
        "<message from='anna@example.org'><sent xmlns='\(Feature.carbons)'><forwarded xmlns="
          + "'\(Feature.forwarding)'><message xmlns='jabber:client' from='anna@example.org/phone' "
          + "to='ben@example.org/x' type='chat' id='p1'>\(inner)</message></forwarded></sent>"
          + "</message>")
    }
    #expect(
      copy("<body>from my phone</body>")
        == [
          .messageReceived(
            NetworkMessage(
              name: MessageIDs(origin: "p1"),
              speaker: NetworkUser(identity: "anna@example.org", isOwner: true),
              body: "from my phone"), in: place)
        ])
    #expect(
      copy("<displayed xmlns='urn:xmpp:chat-markers:0' id='b1'/>")
        == [.read(MessageIDs(origin: "b1"), in: place)])
    #expect(copy("<received xmlns='urn:xmpp:receipts' id='b1'/>") == [])
  }

  @Test func anInvitationByAPersonOrByTheRoomIsTold() {
    var talk = Talk.ready()
    #expect(
      talk.hear(message("<body>join us</body><x xmlns='jabber:x:conference' jid='r@muc.x.org'/>"))
        == [.invited(room: "r@muc.x.org", by: ben)])
    #expect(
      talk.hear(
        "<message from='r@muc.x.org'><x xmlns='\(Feature.roomUser)'><invite from="
          + "'ben@example.org/x'/></x></message>")
        == [
          .invited(
            room: "r@muc.x.org", by: NetworkUser(identity: "ben@example.org", isVerified: false))
        ])
    #expect(
      talk.hear(
        "<message from='r@muc.x.org'><x xmlns='\(Feature.roomUser)'><invite from="
          + "'r@muc.x.org/ben'/></x></message>")
        == [
          .invited(
            room: "r@muc.x.org",
            by: NetworkUser(identity: "r@muc.x.org//nick/ben", name: "ben", isVerified: false))
        ])
  }

  // Row 16.
  @Test(arguments: [
    ("2026-05-01T10:00:00Z", 1_777_629_600_000),
    ("2026-05-01T12:00:00.25+02:00", 1_777_629_600_250),
    ("2024-02-29T00:00:00Z", 1_709_164_800_000),
  ])
  func aLateMessageHasItsTime(stamp: String, time: Milliseconds) {
    #expect(Timestamp.time(stamp, now: Talk.start) == time)
  }

  @Test(arguments: [
    "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "-2026-05-01T10:00:00Z", "", "yesterday",
    "2026-13-01T10:00:00Z", "2026-05-01T10:00:00", "2026-05-01T10:00:00.Z",
    "2026-05-01T10:00:00+99:00", "20260501T10:00:00", "2026-05-01T10:00:00Zx",
    "99999999999999999999-05-01T10:00:00Z",
  ])
  func aTimeOutOfRangeOrWithoutSenseIsNow(stamp: String) {
    var talk = Talk.ready()
    let news = talk.hear(
      message("<body>x</body><delay xmlns='\(Feature.delay)' from='example.org' stamp='\(stamp)'/>")
    )
    guard case .messageReceived(let said, _) = news.first else {
      Issue.record("\(news)")
      return
    }
    #expect(said.time == nil)
  }

  @Test func onlyTheOwnersServerSaysThatAMessageIsLateAndNotBeforeWhatIsKnown() {
    var talk = Talk.ready()
    let stamp = "stamp='2026-05-01T10:00:00Z'"
    for (from, time): (String, Milliseconds?) in [
      // What a sender wrote there servers pass on, too: all until now is known from the archive.
      ("from='example.org'", talk.now), ("from='ben@example.org/x'", nil), ("", nil),
    ] {
      let news = talk.hear(
        message("<body>x</body><delay xmlns='\(Feature.delay)' \(from) \(stamp)/>"))
      guard case .messageReceived(let said, _) = news.first else {
        Issue.record("\(news)")
        return
      }
      #expect(said.time == time)
    }
  }
}
