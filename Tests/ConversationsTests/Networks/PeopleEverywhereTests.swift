// SPDX-License-Identifier: GPL-3.0-or-later
import StoreFixture
import Testing

@testable import Conversations
@testable import NetworkInbox

/// A network whose people are the same in all rooms and in their direct chats, and whose addresses
/// are bare names.
@Suite("A network of bare names")
final class PeopleEverywhereTests {
  private let fixture = Fixture()
  private let store: Store
  private let wire: Store
  private let anna: ID<Participant>
  private let account: Account
  private let ben = NetworkUser(identity: "ben", name: "Ben")
  private let tea = ConversationAddress.room("#tea")
  private let teatime = ConversationAddress.room("##tea")

  init() throws {
    store = try fixture.open()
    wire = try fixture.open()
    let anna = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
    self.anna = anna
    account = try store.writeDurably {
      try $0.addAccount(owner: anna, network: "stub:anna@irc.x.org")
    }
    try wire.inbox.apply(
      [.rules(AddressRules(roomSigns: "#&", folding: .rfc1459, identityScope: .network))],
      of: account)
    _ = try store.writeDurably { try $0.networkChat(with: "ben", of: account) }
    try hear(
      .joined(room: "#tea", nick: "anna"), .present(ben, room: "#tea"),
      .joined(room: "##tea", nick: "anna"), .present(ben, room: "##tea"))
  }

  private func hear(_ events: NetworkEvent...) throws { try wire.inbox.apply(events, of: account) }

  private func say(_ body: String, by speaker: NetworkUser, in place: ConversationAddress) throws {
    try hear(
      .messageReceived(NetworkMessage(name: MessageIDs(), speaker: speaker, body: body), in: place))
  }

  private func room(_ name: String) throws -> Conversation {
    try #require(try store.read { try $0.room(name, for: anna) })
  }

  private func people(in room: String) throws -> [String] {
    try store.read { snapshot in
      try snapshot.members(of: try #require(try snapshot.room(room, for: anna)).id)
    }.filter { $0.id != anna }.map { $0.identity + " " + $0.name }
  }

  private func find(_ name: String) throws -> Participant? {
    try store.read { try $0.find(participant: name, for: anna) }
  }

  private var approaches: [Approach] {
    get throws { try store.read { try $0.approaches(to: account) } }
  }

  private func unread() throws -> [String: Int] {
    let listing = try store.read { try $0.listing(for: anna) }.filter { $0.unread > 0 }
    return Dictionary(uniqueKeysWithValues: listing.map { ($0.conversation.name, $0.unread) })
  }

  @Test("14.5: somebody in a room with the owner is no stranger, and others are")
  func inARoomTogether() throws {
    let wanda = NetworkUser(identity: "wanda")
    let eve = NetworkUser(identity: "eve")
    try hear(.present(wanda, room: "#tea"), .present(eve, room: "#tea"))
    try say("a private word", by: wanda, in: .direct("wanda"))
    #expect(try unread() == ["@wanda": 1] && approaches.isEmpty)
    try hear(.absent(eve, room: "#tea", removal: nil))
    try say("one", by: eve, in: .direct("eve"))
    #expect(try approaches.map(\.text) == ["one"])
    #expect(try unread() == ["@wanda": 1])
    try say("more", by: wanda, in: .direct("wanda"))
    #expect(try unread() == ["@wanda": 2])
    // What she wrote as a stranger is unread, too, once she is none.
    try hear(.present(eve, room: "##tea"))
    try say("two", by: eve, in: .direct("eve"))
    #expect(try unread() == ["@wanda": 2, "@eve": 2] && approaches.isEmpty)
    try hear(.left(room: "#tea", reason: nil), .left(room: "##tea", reason: nil))
    try say("three", by: NetworkUser(identity: "zoe"), in: .direct("zoe"))
    #expect(try approaches.map(\.text) == ["three"])
  }

  @Test("a report of a stranger names what the network can do", arguments: [true, false])
  func blocksOrIgnores(blocks: Bool) throws {
    var can = Abilities()
    can.blocks = blocks
    try hear(.abilities(NetworkAbilities(rooms: can)))
    let position = try store.read { try $0.position }
    try say("hello", by: NetworkUser(identity: "eve"), in: .direct("eve"))
    let told = try store.read { try $0.changes(since: position, for: anna) }.notices.map(\.text)
    #expect(
      told == [
        "eve@irc.x.org, a stranger, wrote to you: /msg eve@irc.x.org shows it, "
          + (blocks ? "/block eve@irc.x.org blocks them." : "/ignore eve@irc.x.org hides it.")
      ])
  }

  @Test("ben in two rooms and in his direct chat is one person")
  func onePerson() throws {
    try say("a", by: ben, in: tea)
    try say("b", by: ben, in: teatime)
    try say("c", by: ben, in: .direct("ben"))
    let person = try #require(try find("ben"))
    #expect(!person.isOccupant)
    let chat = try store.writeDurably { try $0.directChat(anna, with: person.id) }
    for (place, body) in [(try room("#tea"), "a"), (try room("##tea"), "b"), (chat, "c")] {
      let message = try store.read { try $0.messages(in: place.id, limit: 1, for: anna) }.first
      #expect(message?.sender == person.id && message?.body == body, "\(place.name)")
    }
  }

  @Test("#tea and ##tea are two rooms, in any case of letters")
  func signs() throws {
    #expect(try room("#Tea").id != room("##tea").id)
    #expect(try room("tea").name == "#tea")
    #expect(try room("##TEA").name == "##tea")
    try hear(.joined(room: "&here", nick: "anna"), .roomNamed(room: "##tea", name: "##Tea"))
    #expect(try room("&here").name == "&here")
    #expect(try room("##tea").name == "##Tea")
    try hear(.joined(room: "#{x}", nick: "anna"), .roomNamed(room: "#{x}", name: "#[X]"))
    #expect(try room("#[x]").id == room("#{X}").id)
    #expect(try store.read { try $0.networkAddress(of: room("#[x]").id) } == "#{x}")
  }

  @Test("behind a bouncer, a former name is shown without the network")
  func scopedName() throws {
    let cem = NetworkUser(identity: "cem/net", name: "Cem")
    try hear(
      .present(cem, room: "#tea"),
      .renamed(NetworkUser(identity: "cem_/net", name: "cem_"), room: nil, former: "Cem/net"))
    let last = try store.read { try $0.events(after: 0, upTo: .max, for: anna) }.last
    #expect(last?.kind == .renamed && last?.text == "Cem")
  }

  @Test("a new name applies in every room, and the direct chat follows")
  func newName() throws {
    let former = try #require(try find("ben"))
    try hear(.renamed(NetworkUser(identity: "benny", name: "Benny"), room: nil, former: "Ben"))
    #expect(try find("benny")?.id == former.id)
    #expect(try find("ben") == nil)
    for name in ["#tea", "##tea"] {
      #expect(try people(in: name) == ["benny Benny"])
      let id = try room(name).id
      let events = try store.read { try $0.events(after: 0, upTo: .max, for: anna) }
        .filter { $0.conversation == id }
      #expect(events.last?.kind == .renamed && events.last?.text == "Ben", "\(name)")
    }
    // Somebody else may take the name.
    try hear(.present(ben, room: "#tea"))
    #expect(try find("ben")?.id != former.id)
    try hear(.renamed(NetworkUser(identity: "ben_", name: "ben_"), room: nil, former: "Ben"))
    #expect(try people(in: "#tea") == ["benny Benny", "ben_ ben_"])
  }

  @Test("a name that another person had before does not make them one person")
  func takenName() throws {
    let cem = NetworkUser(identity: "cem", name: "cem")
    try say("mine", by: cem, in: tea)
    let (former, other) = (try #require(try find("ben")), try #require(try find("cem")))
    try hear(.renamed(cem, room: nil, former: "Ben"))
    #expect(try find("ben")?.id == former.id && find("cem")?.id == other.id)
    #expect(try people(in: "##tea") == ["cem cem"])
  }

  @Test("a person known by an account keeps it under any name")
  func accountName() throws {
    try hear(.renamed(NetworkUser(identity: "ben", name: "Ben_away"), room: nil, former: "Ben"))
    #expect(try people(in: "#tea") == ["ben Ben_away"])
    #expect(try find("ben_away")?.identity == "ben")
  }

  private func events(_ kind: Event.Kind) throws -> Int {
    try store.read { try $0.events(after: 0, upTo: .max, for: anna) }.count { $0.kind == kind }
  }

  @Test("logging in and out of an account changes who it is, and nobody joins or has a new name")
  func login() throws {
    try say("a", by: ben, in: .direct("ben"))
    let (nickname, joins) = (try #require(try find("ben")), try events(.joined))
    let known = NetworkUser(identity: "benedict", name: "Ben")
    try hear(.renamed(known, room: nil, former: "Ben"))
    // The same person, with their direct chat.
    #expect(try find("ben")?.id == nickname.id && find("ben")?.identity == "benedict")
    #expect(try people(in: "#tea") == ["benedict Ben"])
    let chat = try chat(with: "ben")
    #expect(
      try store.read { try $0.messages(in: chat, limit: 9, for: anna) }.map(\.body) == ["a"])

    // Without the account, it might be anybody.
    let unknown = NetworkUser(identity: "ben", name: "Ben", isVerified: false)
    try hear(.renamed(unknown, room: nil, former: "Ben"))
    for room in ["#tea", "##tea"] { #expect(try people(in: room) == ["ben Ben"]) }
    #expect(try store.read { try $0.participant(nickname.id) }.identity == "benedict")

    // Both have been here.
    try hear(.renamed(known, room: nil, former: "Ben"))
    for room in ["#tea", "##tea"] { #expect(try people(in: room) == ["benedict Ben"]) }
    #expect(try events(.renamed) == 0 && events(.joined) == joins && events(.left) == 0)
  }

  @Test("a person who leaves one room stays in another")
  func presence() throws {
    func isHere() throws -> Bool? {
      try store.read { try $0.people(in: room("##tea").id) }
        .first { $0.participant.identity == "ben" }?.isHere
    }
    try hear(.absent(ben, room: "#tea"))
    #expect(try isHere() == true)
    #expect(try people(in: "#tea") == [])
    try hear(.absent(ben, room: "##tea"))
    #expect(try isHere() != true)
    // Nobody knows whether they are online elsewhere.
    let chat = try chat(with: "ben")
    let there = try store.read { try $0.people(in: chat) }.first {
      $0.participant.identity == "ben"
    }
    #expect(there?.isKnown == false)
  }

  @Test("somebody's return reads none of what happened in the room before")
  func returns() throws {
    try hear(.absent(ben, room: "#tea"))
    try hear(.present(ben, room: "#tea"))
    #expect(!wire.database.known.contains { $0.contains("SELECT text FROM event") })
    #expect(try store.count("event WHERE kind = \(Event.Kind.joined.rawValue)") == 1)
  }

  @Test("a contact who leaves the last room stays online while the network says so")
  func contactLeaves() throws {
    try hear(
      .contact(ben, isOnline: true, away: nil), .absent(ben, room: "#tea"),
      .absent(ben, room: "##tea"))
    #expect(try store.read { try $0.contacts(of: account) }.map(\.isHere) == [true])
  }

  private func chat(with name: String) throws -> ID<Conversation> {
    let person = try #require(try find(name))
    return try store.writeDurably { try $0.directChat(anna, with: person.id) }.id
  }

  @Test("in one batch, a new person with a former name has a chat of their own")
  func formerNameInOneBatch() throws {
    func message(_ body: String) -> NetworkEvent {
      .messageReceived(
        NetworkMessage(name: MessageIDs(), speaker: ben, body: body), in: .direct("ben"))
    }
    try hear(
      message("former"),
      .renamed(NetworkUser(identity: "benny", name: "benny"), room: nil, former: "Ben"),
      message("new"))
    for (name, body) in [("benny", "former"), ("ben", "new")] {
      let chat = try chat(with: name)
      let messages = try store.read { try $0.messages(in: chat, limit: 9, for: anna) }
      #expect(messages.map(\.body) == [body], "\(name)")
    }
  }

  @Test("11.2: a bare name keeps meaning the person with whom there is a chat")
  func bareName() throws {
    let local = try store.writeDurably { try $0.participant(identity: "ben") }
    #expect(try find("ben")?.network == account.network && find("@ben")?.id == find("ben")?.id)
    #expect(try find("ben@")?.id == local.id && find("@ben@")?.id == local.id)
    #expect(try find("ben@irc.x.org")?.network == account.network)
  }

  @Test(
    "a room has another's name only if their addresses are the same",
    arguments: [AddressRules.CaseMapping.none, .strict])
  func addresses(folding: AddressRules.CaseMapping) throws {
    try hear(
      .rules(AddressRules(roomSigns: "#", folding: folding, identityScope: .network)),
      .roomNamed(room: "##tea", name: "#cake"))
    let known = try #require(try store.read { try $0.account(network: account.network) })
    func room(_ word: String) throws -> Conversation {
      let address = try #require(known.address(ofRoom: word))
      return try store.writeDurably { try $0.networkRoom(address, network: known.network) }
    }
    let isSame = try room("#Tea").id == room("#tea").id
    #expect(isSame == (folding == .strict))
    let isNamedSo = try room("#cake").id == room("##tea").id
    #expect(!isNamedSo)
    #expect(try room("#cake").id == room("#cake").id && room("#cake").name == "#cake-2")
  }

  @Test("where any text can be an address, it finds people and rooms, also behind the kind")
  func anyAddress() throws {
    var rules = AddressRules(roomSigns: "", folding: .none, identityScope: .network)
    rules.isOpaque = true
    let (zoe, address) = (NetworkUser(identity: "@zoe:y.org", name: "Zoe"), "!Tea Room@y")
    try hear(.rules(rules), .joined(room: address, nick: "anna"), .present(zoe, room: address))
    let known = try #require(try store.read { try $0.account(network: account.network) })
    let id = try #require(try find("Zoe")).id
    for word in ["@zoe:y.org", "stub:@zoe:y.org", "@stub:@zoe:y.org"] {
      #expect(try find(word)?.id == id, "\(word)")
      let person = try store.read { try $0.currentPerson(named: word, of: known) }
      #expect(person?.id == id, "\(word)")
    }
    let tea = try room("stub:" + address)
    #expect(try store.read { try $0.conversationAddress(of: tea.id) } == .room(address))
    let full = try store.read { try $0.fullName(of: tea) }
    #expect(try full == "#stub:" + address && room(full).id == tea.id)
  }

  @Test("what strangers ask for is named with the server behind it")
  func strangers() throws {
    let start = try store.read { try $0.position }
    let eve = NetworkUser(identity: "eve", name: "eve")
    try hear(.invited(room: "#new", by: eve), .wantsContact(eve))
    try say("hello", by: eve, in: .direct("eve"))
    // A bare name is not from inside the room, whatever it looks like.
    try hear(.invited(room: "#x", by: NetworkUser(identity: "#x/eve", name: "Eve")))
    let told = try store.read { try $0.changes(since: start, for: anna) }.notices.map(\.text)
    #expect(
      told == [
        "eve@irc.x.org invites you to #new@irc.x.org: /join #new@irc.x.org enters it.",
        "eve@irc.x.org wants to be a contact; to accept, type /contact accept eve@irc.x.org",
        "eve@irc.x.org, a stranger, wrote to you: /msg eve@irc.x.org shows it, "
          + "/block eve@irc.x.org blocks them.",
        "#x/eve@irc.x.org invites you to #x@irc.x.org: /join #x@irc.x.org enters it.",
      ])
  }

  @Test("when one connection of a bouncer's account ends, people on its other networks stay")
  func oneConnectionEnds() throws {
    let scopes = ["/here", "/there"]
    func person(_ name: String, _ scope: String) -> NetworkUser {
      NetworkUser(identity: name + scope, name: name)
    }
    for scope in scopes {
      let (ben, eve, room) = (person("ben", scope), person("eve", scope), "#tea" + scope)
      try hear(
        .joined(room: room, nick: "anna"), .present(ben, room: room, away: "lunch"),
        .contact(eve, isOnline: true, away: nil), .typing(ben, in: .room(room), true))
    }
    func present(in room: String) throws -> [String] {
      let people = try store.read { try $0.people(in: self.room(room).id) }
      let contacts = try store.read { try $0.contacts(of: account) }.filter {
        $0.participant.identity.hasSuffix(room.dropFirst(4))
      }
      return (people + contacts).filter(\.isHere).map {
        "\($0.participant.identity) \($0.away ?? "")" + ($0.typingSince == nil ? "" : " typing")
      }
    }
    let start = try store.read { try $0.position }
    // Only where the owner still is, a new topic is news.
    func topic(_ scope: String) -> NetworkEvent {
      .topic(room: "#tea" + scope, text: "green", by: person("ben", scope), at: nil)
    }
    try hear(
      .present(person("ben", "/here"), room: "#tea/here"),
      .present(person("ben", "/there"), room: "#tea/there", away: "lunch"),
      .offline(scope: "/here"), topic("/here"), topic("/there"))
    let events = try store.read { try $0.changes(since: start, for: anna) }.events
    #expect(events.map(\.participant.identity) == ["ben/there"])
    #expect(try present(in: "#tea/here") == [])
    #expect(try present(in: "#tea/there") == ["ben/there lunch typing", "eve/there "])
    let people = try store.read { try $0.people(in: self.room("#tea/here").id) }
    #expect(people.allSatisfy { $0.typingSince == nil })
    try hear(.offline())
    #expect(try present(in: "#tea/there") == [])
  }

  @Test("a person who left while the account was offline is no longer in the room")
  func leftMeanwhile() throws {
    try hear(.offline())
    try hear(.joined(room: "##tea", nick: "anna"), .present(ben, room: "##tea"))
    try hear(.joined(room: "#tea", nick: "anna"))
    #expect(try people(in: "#tea") == [])
    #expect(try people(in: "##tea") == ["ben Ben"])
  }

  @Test("the last names of people who have proved who they are stay known")
  func lastNames() throws {
    try hear(
      .present(NetworkUser(identity: "zoe", name: "zoe", isVerified: false), room: "#tea"),
      .renamed(NetworkUser(identity: "ben", name: "Ben_away"), room: nil, former: "Ben"))
    #expect(try store.read { try $0.provenNames(of: account) } == ["ben": "Ben_away"])
  }

  @Test("a room's name may have spaces and 128 characters")
  func longNames() throws {
    let name = "Family ❤ 2026"
    try hear(.roomNamed(room: "#tea", name: "#" + name))
    #expect(try room(name).id == room("#" + name.uppercased()).id)
    try hear(.roomNamed(room: "#tea", name: "#" + String(repeating: "a ", count: 200)))
    let long = try store.read { try $0.rooms(for: anna) }.first { $0.name.hasPrefix("#a ") }
    #expect(long?.name.count == 128)
    #expect(try room(try #require(long).name).id == long?.id)
    #expect(throws: RuleError.self) { try store.read { try $0.room("two words", for: anna) } }
  }
}
