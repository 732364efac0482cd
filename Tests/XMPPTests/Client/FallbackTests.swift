// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Testing

@testable import NetworkInbox
@testable import XMPP

@Suite("14.10: Texts that other programs add for programs that lack a feature")
struct FallbackTests {
  private let ben = NetworkUser(identity: "ben@example.org")
  private let place = ConversationAddress.direct("ben@example.org")

  private func message(_ inner: String, id: String = "b1") -> String {
    "<message from='ben@example.org/phone' to='anna@example.org' type='chat' id='\(id)'>\(inner)"
      + "<request xmlns='\(Feature.receipts)'/><markable xmlns='\(Feature.markers)'/></message>"
  }

  private func fallback(_ feature: String, _ range: String = "") -> String {
    "<fallback xmlns='\(Feature.fallback)' for='\(feature)'>\(range)</fallback>"
  }

  private static let hint = "<body>I sent you an OMEMO encrypted message.</body>"
  private static let marker =
    "<encryption xmlns='urn:xmpp:eme:0' namespace='\(Feature.formerOMEMO)' name='OMEMO'/>"

  @Test(
    "an encrypted message has no text, whatever marks it",
    arguments: [
      marker + hint,
      marker
        + "<encrypted xmlns='\(Feature.formerOMEMO)'><header/><payload>x</payload></encrypted>",
      hint + "<encrypted xmlns='\(Feature.formerOMEMO)'><header/><payload>x</payload></encrypted>",
      "<encrypted xmlns='\(Feature.omemo)'><header/><payload>x</payload></encrypted>",
      hint + "<encrypted xmlns='\(Feature.earlierOMEMO)'><header/></encrypted>",
      "<openpgp xmlns='\(Feature.openPGP)'>x</openpgp>",
      "<body>This message is encrypted.</body><x xmlns='\(Feature.formerOpenPGP)'>x</x>",
      "<body>?OTR:AAMC</body>", "<body>?OTR,1,2,AAMC,</body>",
      "<encryption xmlns='urn:xmpp:eme:0' namespace='urn:new'/><secret xmlns='urn:new'/>",
      marker + hint + "<x xmlns='\(Feature.links)'><url>https://x.example/a</url></x>",
      // The text that it corrects stays: nobody knows whether the sender is its author.
      marker + hint + "<replace xmlns='\(Feature.correction)' id='b0'/>",
    ])
  func encrypted(inner: String) throws {
    var talk = Talk.ready { $0.roster = "<item jid='ben@example.org' subscription='both'/>" }
    let news = talk.hear(message(inner))
    let expected = NetworkMessage(
      name: MessageIDs(origin: "b1"), speaker: ben, body: "", kind: .unreadable)
    #expect(news == [.messageReceived(expected, in: place)])
    // Not even if the store named it.
    talk.handle(.signals([.receipt(place, MessageIDs(origin: "b1"), by: ben, .delivered)]))
    #expect(talk.messages.isEmpty)
  }

  @Test(
    "keys without a text say nothing, and neither does a marker alone",
    arguments: [
      "<encrypted xmlns='\(Feature.formerOMEMO)'><header/></encrypted>",
      marker + "<encrypted xmlns='\(Feature.omemo)'><header/></encrypted>",
      marker,
      marker + "<received xmlns='\(Feature.receipts)'/>",
    ])
  func keys(inner: String) {
    var talk = Talk.ready()
    #expect(talk.hear(message(inner)).isEmpty)
  }

  @Test("an answer brings its quote, for a store that does not have what it answers")
  func quote() throws {
    var talk = Talk.ready()
    let answer =
      "<body>&gt; tea?\nyes</body><reply xmlns='\(Feature.replies)' id='a1'/>"
      + fallback(Feature.replies, "<body start='0' end='7'/>")
    guard case .messageReceived(let said, _)? = talk.hear(message(answer)).first,
      case .edited(_, _, _, let body, _, _, let whole, _)? = talk.hear(
        message(answer + "<replace xmlns='\(Feature.correction)' id='b0'/>", id: "b2")
      ).first
    else {
      Issue.record("nothing was said")
      return
    }
    #expect(said.body == "yes" && said.bodyWithQuote == "> tea?\nyes")
    #expect(body == "yes" && whole == "> tea?\nyes")
  }

  @Test("a reaction's or a retraction's text is cut as far as it is fallback, or left to the store")
  func changes() throws {
    let reaction =
      "<reactions xmlns='\(Feature.reactions)' id='a1'><reaction>👍</reaction></reactions>"
    let retraction = "<retract xmlns='\(Feature.retraction)' id='b0'/>"
    let body = "<body>&gt; tea\n👍 and see you</body>"
    let parts = "<body start='0' end='7'/>"
    let whole = "> tea\n👍 and see you"
    let correction = "<replace xmlns='\(Feature.correction)' id='b0'/>"
    for (inner, text, changed) in [
      (reaction + body, whole, "a1"),
      (reaction + body + fallback(Feature.reactions), whole, "a1"),
      (reaction + body + fallback(Feature.reactions, parts), " and see you", nil),
      (retraction + body, whole, "b0"),
      (retraction + body + fallback(Feature.retraction), whole, "b0"),
      (retraction + body + fallback(""), whole, "b0"),
      (reaction + body + correction, nil, nil),
      // These change nothing, so their texts are not cut.
      ("<reactions xmlns='\(Feature.reactions)'/>" + body, whole, nil),
      ("<retract xmlns='\(Feature.retraction)'/>" + body, whole, nil),
      (
        "<retract xmlns='\(Feature.retraction)'/>" + body + fallback(Feature.retraction), whole, nil
      ),
      (retraction + Self.marker + Self.hint, nil, nil),
    ] {
      var talk = Talk.ready()
      let news = talk.hear(message(inner))
      #expect(news.said == [text].compactMap { $0.map { "ben@example.org: " + $0 } }, "\(inner)")
      let marks = news.compactMap {
        if case .messageReceived(let message, _) = $0 {
          message.changedMessage?.origin
        } else {
          nil
        }
      }
      #expect(marks == [changed].compactMap { $0 }, "\(inner)")
    }
  }

  @Test("a message keeps both ids that its sender gave it")
  func twoIDs() {
    var talk = Talk.ready()
    let news = talk.hear(message("<body>hi</body><origin-id xmlns='\(Feature.ids)' id='o1'/>"))
    guard case .messageReceived(let said, _)? = news.first else {
      Issue.record("nothing was said")
      return
    }
    #expect(said.name.origin == "o1" && said.otherOrigin == "b1")
  }
}
