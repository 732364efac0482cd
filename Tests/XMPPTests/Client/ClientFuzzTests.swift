// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Repeatable
import Testing

@testable import NetworkInbox
@testable import XMPP

/// Stanzas that are almost right, in an order that makes no sense:
///
///     HOBNOB_LONG=100 swift test --filter ClientFuzz
struct ClientFuzzTests {
  private static let room = "room@muc.example.org"

  private static let words = [
    "", "x", "anna@example.org", "anna@example.org/shell", "example.org", "ben@example.org",
    "ben@example.org/x", "eve@evil.org/y", room, room + "/anna", room + "/ben", room + "/eve",
    "muc.example.org", "@", "a@b@c", "/", "-1", "0", "1", "5", "99999999999999999999", "true",
    "groupchat", "chat", "error", "headline", "result", "set", "get", "unavailable", "subscribe",
    "remove", "both", "id-anna", "id-ben", "uid1", "m1", "r1", "q", "110", "201", "303", "307",
    "2026-05-01T10:00:00Z", "0000-00-00T00:00:00Z", "/me \u{202E}x", "\u{0}", "🇩🇪", "é\u{301}",
    String(repeating: "y", count: 3_000),
  ]

  /// Valid ones, of every kind that a client understands.
  private static let valid: [Element] = {
    let from = "from='ben@example.org/x' to='anna@example.org/shell' type='chat' id='b1'"
    let group = "from='\(room)/ben' type='groupchat' id='b1'"
    let ids =
      "<stanza-id xmlns='\(Feature.ids)' by='anna@example.org' id='m1'/><stanza-id xmlns="
      + "'\(Feature.ids)' by='\(room)' id='r1'/><origin-id xmlns='\(Feature.ids)' id='uid1'/>"
      + "<occupant-id xmlns='\(Feature.occupantIDs)' id='id-ben'/>"
    let payloads = [
      "<body>hi</body><body xml:lang='de'>hallo</body><request xmlns='\(Feature.receipts)'/>",
      "<body>new</body><replace xmlns='\(Feature.correction)' id='b0'/>",
      "<retract xmlns='\(Feature.retraction)' id='b0'><moderated xmlns='\(Feature.moderation)'/>"
        + "</retract>",
      "<apply-to xmlns='\(Feature.fastening)' id='b0'><retract xmlns="
        + "'\(Feature.formerRetraction)'/></apply-to>",
      "<reactions xmlns='\(Feature.reactions)' id='r1'><reaction>👍</reaction></reactions>",
      "<received xmlns='\(Feature.receipts)' id='uid1'/>",
      "<displayed xmlns='\(Feature.markers)' id='uid1'/>",
      "<composing xmlns='\(Feature.typing)'/>",
      "<body>&gt; q\nyes</body><reply xmlns='\(Feature.replies)' id='b0' to='ben@example.org'/>"
        + "<fallback xmlns='\(Feature.fallback)' for='\(Feature.replies)'><body start='0' end='4'/>"
        + "</fallback>",
      "<x xmlns='\(Feature.links)'><url>https://x.example</url></x>",
      "<body>x</body><encryption xmlns='\(Feature.encryption)' namespace='\(Feature.omemo)'/>"
        + "<encrypted xmlns='\(Feature.omemo)'><payload>x</payload></encrypted>",
      "<body>x</body><delay xmlns='\(Feature.delay)' from='example.org' stamp="
        + "'2026-05-01T10:00:00Z'/>",
      "<x xmlns='\(Feature.invitation)' jid='other@muc.example.org'/>",
      "<x xmlns='\(Feature.roomUser)'><invite from='ben@example.org'/></x>",
      "<subject>tea</subject>",
    ]
    var all = payloads.flatMap {
      ["<message \(from)>\($0)\(ids)</message>", "<message \(group)>\($0)\(ids)</message>"]
    }
    let inner = "<message xmlns='jabber:client' \(from)><body>x</body>\(ids)</message>"
    let forwarded = "<forwarded xmlns='\(Feature.forwarding)'>\(inner)</forwarded>"
    all += [
      "<message><received xmlns='\(Feature.carbons)'>\(forwarded)</received></message>",
      "<message><sent xmlns='\(Feature.carbons)'>\(forwarded)</sent></message>",
      "<message><result xmlns='\(Feature.archive)' queryid='q' id='m1'>\(forwarded)</result>"
        + "</message>",
      "<message type='error' id='uid1' from='ben@example.org'><error type='cancel'><forbidden "
        + "xmlns='\(Namespace.stanzaErrors)'/></error></message>",
      "<message from='anna@example.org'><event xmlns='\(Feature.publishingEvents)'><items node="
        + "'\(Feature.bookmarks)'><item id='other@muc.example.org'><conference xmlns="
        + "'\(Feature.bookmarks)' autojoin='true'/></item><retract id='other@muc.example.org'/>"
        + "</items></event></message>",
      "<presence from='ben@example.org/x'><show>away</show><status>tea</status></presence>",
      "<presence from='eve@evil.org' type='subscribe'/>",
      Talk.presence("\(room)/ben", id: "id-ben", codes: ["110"]),
      Talk.presence(
        "\(room)/ben", codes: ["303"], type: "unavailable", item: "<item nick='eve'/>"),
      "<presence from='\(room)' type='error'><error type='cancel'><conflict xmlns="
        + "'\(Namespace.stanzaErrors)'/></error></presence>",
      "<iq type='set' id='p'><query xmlns='\(Feature.roster)'><item jid='ben@example.org' "
        + "subscription='both'/></query></iq>",
      "<iq type='get' id='p' from='eve@evil.org/y'><query xmlns='\(Feature.info)'/></iq>",
      "<iq type='result' id='q'><fin xmlns='\(Feature.archive)' complete='true'/></iq>",
    ]
    return all.map { Element(xml: $0) }
  }()

  private struct Dice {
    var random: FixedRandom

    mutating func one<Item>(of items: [Item]) -> Item { items[random.below(items.count)] }

    mutating func change(_ element: Element, depth: Int = 0) -> Element {
      var element = element
      let places = element.nodes.indices
      switch random.below(10) {
      case 0:
        if let key = element.attributes.keys.sorted().first { element[key] = one(of: words) }
      case 1:
        element[one(of: ["from", "to", "id", "type", "by", "queryid", "jid"])] = one(of: words)
      case 2: element[one(of: ["from", "id", "type", "by", "jid"])] = nil
      case 3: if !places.isEmpty { element.nodes.remove(at: random.below(places.count)) }
      case 4:
        if !places.isEmpty { element.nodes.append(element.nodes[random.below(places.count)]) }
      case 5: element.nodes.append(.text(one(of: words)))
      case 6:
        let other = one(of: ClientFuzzTests.valid)
        element.nodes += other.nodes
      case 7: element.add(one(of: ClientFuzzTests.valid))
      case 8: element.nodes.shuffle(using: &random)
      default:
        if depth < 6, let index = places.randomElement(using: &random),
          case .element(let child) = element.nodes[index]
        {
          element.nodes[index] = .element(change(child, depth: depth + 1))
        }
      }
      return element
    }
  }

  /// Who may have said what is stored: the account's own server everything, others only what is
  /// theirs.
  private static func mayTell(_ news: NetworkEvent, _ stanza: Element) -> Bool {
    guard let text = stanza["from"] else { return true }
    guard let from = Address(text) else { return false }
    if from == Talk.account { return true }
    let bare = from.bare.description
    func isOf(_ place: ConversationAddress) -> Bool {
      place == .direct(bare) || place == .room(bare)
    }
    switch news {
    case .messageReceived(let message, let place):
      return isOf(place) && (place == .room(bare) || message.speaker.identity == bare)
    case .edited(_, let speaker, let place, _, _, _, _, _),
      .retracted(_, let speaker, let place, _), .reacted(_, _, let speaker, let place, _, _, _),
      .receipt(_, let speaker, let place, _, _), .typing(let speaker, let place, _):
      return isOf(place) && (place == .room(bare) || speaker.identity == bare)
    case .read(_, let place), .readUntil(_, let place), .bounced(_, let place, _),
      .page(let place, _, _), .missing(let place):
      return isOf(place)
    case .complete(let place), .unanswered(let place): return place.map(isOf) ?? true
    case .joined(let room, _), .left(let room, _), .lost(let room, _), .roomNamed(let room, _),
      .present(_, let room, _, _, _), .ranked(_, let room, _), .absent(_, let room, _),
      .moderated(_, let room, _, _),
      .renamed(_, let room?, _),
      .topic(let room, _, _, _), .historySent(let room), .removed(_, let room, _, _):
      return room == bare
    case .invited(let room, let speaker):
      return speaker.isVerified ? speaker.identity == bare : room == bare
    case .contact(let speaker, _, _), .noticeAbout(let speaker, _), .wantsContact(let speaker),
      .contactRemoved(let speaker),
      .answeredContact(let speaker, _):
      return speaker.identity == bare
    case .accepted(let entry, _, _), .acceptedPart(let entry, _), .refused(let entry, _, _),
      .neverSent(let entry):
      return isOf(entry.conversation) || bare == "example.org"
    case .caughtUp(let archive, _): return archive == bare || archive.isEmpty
    case .rules(let rules): return rules.roomDomain == bare
    case .offline, .named, .answered, .fetched, .notice, .alert, .countStrangers, .renamed,
      .abilities,
      .abilitiesHere, .roomMoved, .forwarded:
      return false
    }
  }

  /// What waits for a room that was left is given back when its turn comes, and that comes when
  /// anybody's answer lets the outbox go on.
  private static func isOfRoomLeft(_ news: NetworkEvent, _ client: Client) -> Bool {
    guard case .refused(let entry, let reason, _) = news, case .room(let name) = entry.conversation,
      let address = Address(name), case .refused(let sentence) = client.rooms[address]?.state
    else { return false }
    return sentence == reason
  }

  @Test(arguments: 0..<4)
  func nothingIsStoredFromWhomItMayNotComeAndNothingGrowsWithoutEnd(part: Int) {
    var dice = Dice(random: FixedRandom(seed: LongRun.seed &+ UInt64(part)))
    var talk = Talk.inRoom(hasIDs: part % 2 == 0, hasArchive: part < 2)
    for round in 0..<LongRun.rounds(5_000) {
      if round % 500 == 0 {
        talk.outbox([.test(1), .test(2, to: .room(ClientFuzzTests.room))])
      }
      if round % 997 == 0 {
        talk.handle(.down)
        talk.logIn()
      }
      talk.forget()
      var stanza = dice.one(of: ClientFuzzTests.valid)
      for _ in 0..<dice.random.below(4) { stanza = dice.change(stanza) }
      let effects = talk.handle(.stanza(stanza))
      for news in effects.news
      where !ClientFuzzTests.mayTell(news, stanza)
        && !ClientFuzzTests.isOfRoomLeft(news, talk.client)
      {
        Issue.record("\(news)\nfrom \(stanza.xml())")
      }
      let isOwn = stanza["from"].map { Address($0) == Talk.account } ?? true
      let sent = talk.sent
      #expect(isOwn || sent.count <= 4, "\(stanza.xml())")
      for message in talk.messages where message.has("body") {
        #expect(message["id"]?.hasPrefix("uid") == true, "\(message.xml())")
      }
      talk.now += Milliseconds(dice.random.below(100))
      // What falls due by itself, such as the end of a wait for a room, is not by the next stanza.
      talk.handle(.tick)
      talk.serve()
    }
    let client = talk.client
    #expect(client.rooms.byAddress.count <= Limits.rooms)
    #expect(client.rooms.byAddress.values.allSatisfy { $0.occupants.count <= Limits.occupants })
    #expect(client.roster.contacts.count <= Limits.contacts)
    #expect(client.typing.count <= Limits.typists)
    #expect(client.archives.queries.count <= Limits.queries)
    #expect(client.receipts.requests.count <= Limits.receiptConversations)
    #expect(client.outbox.accepted.count <= Limits.accepted)
    #expect(client.context.iqs.count < 1_000)
  }

  @Test func floodsEndAtTheirLimits() {
    var talk = Talk.inRoom()
    for number in 0..<(Limits.occupants + 100) {
      talk.hear(
        Element(
          "presence", ["from": "\(ClientFuzzTests.room)/n\(number)"],
          children: [Element("x", namespace: Feature.roomUser)]))
      if number < Limits.typists + 100 {
        talk.hear(
          Element(
            "message", ["from": "n\(number)@evil.org/x", "type": "chat"],
            children: [Element("composing", namespace: Feature.typing)]))
        talk.hear(
          Element(
            "message", ["from": "n\(number)@evil.org/x", "type": "chat", "id": "1"],
            children: [Element("body", text: "x"), Element("request", namespace: Feature.receipts)])
        )
        talk.hear(
          Element(
            "message", ["from": "eve@evil.org/x", "type": "chat", "id": "\(number)"],
            children: [Element("body", text: "x")]))
        talk.hear(Element("presence", ["from": "n\(number)@evil.org/x"]))
      }
    }
    let client = talk.client
    #expect(client.rooms.byAddress.values.map(\.occupants.count) == [Limits.occupants])
    #expect(client.typing.count <= Limits.typists)
    #expect(client.receipts.requests.count == Limits.receiptConversations)
    #expect(client.receipts.requests.values.allSatisfy { $0.count <= Limits.receiptRequests })
    #expect(client.roster.contacts.isEmpty)
  }
}
