// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import Testing

@testable import ChatParts
@testable import ChatPreferences
@testable import ChatSession
@testable import NetworkInbox

/// Rooms and people of an account, by the names that are typed for them.
@MainActor
@Suite("Names on networks")
struct NetworkNameTests {
  private let town: Town
  private let anna: Person

  init() throws {
    town = try Town()
    anna = try town.person("anna")
  }

  @Test("11.2: /join and /msg take addresses, or short names inside a conversation of that network")
  func namesOfANetwork() throws {
    let account = try anna.added()
    try anna.learn(rooms: "rooms.x.org", of: account)
    #expect(!anna.say("/msg ben"))
    #expect(
      anna.printed.last
        == "No one named ben has used this store; for somebody on x.org, type /msg ben@x.org.")
    anna.say("/join tea@rooms.x.org")
    #expect(anna.picture[0].hasPrefix("#tea@rooms.x.org"))
    anna.say("/join ops")
    anna.say("/msg ben")
    #expect(anna.picture[0].hasPrefix("@ben"))
    anna.say("hello")
    let wanted = try anna.store.read { try $0.requests(of: account) }
    #expect(wanted.map(\.verb) == [.join, .join])
    #expect(wanted.map(\.target) == ["tea@rooms.x.org", "ops@rooms.x.org"])
    let outbox = try anna.store.read { try $0.outbox(of: account.network) }
    #expect(outbox.map(\.conversation) == [.direct("ben@x.org")])
    // From a conversation of this machine a bare name stays one of this machine.
    anna.say("/switch #lobby")
    anna.say("/join cake")
    #expect(try anna.store.read { try $0.requests(of: account) }.count == 2)
  }

  @Test("a word with a dot is somebody known, a server or a person there; else hobnob asks which")
  func servers() throws {
    let account = try anna.added()
    let (gateway, first) = ("gateway.other.org", "first.last@x.org")
    func identity() throws -> String? {
      let open = try #require(anna.session.open.conversation)
      return try anna.store.read { try $0.networkAddress(of: open.id) }
    }
    anna.say("/msg ben@x.org")
    anna.say("/msg \(gateway)")
    #expect(
      anna.question?.text
        == "Which \(gateway)? 1: xmpp:\(gateway), 2: \(gateway)@x.org, any other key: none")
    anna.answer("x")
    #expect(!anna.say("/contact add \(gateway)"))
    #expect(anna.printed.last?.contains("xmpp:\(gateway)") == true)
    #expect(anna.printed.last?.contains("\(gateway)@x.org") == true)
    // The account's own server is a server, and a word with its network is a whole address.
    anna.say("/msg x.org")
    #expect(try identity() == "x.org")
    anna.say("/switch #lobby")
    anna.say("/msg xmpp:\(gateway)")
    #expect(try identity() == gateway)
    anna.say("/msg xmpp:zoe@x.org")
    #expect(try identity() == "zoe@x.org")
    // Now both are known.
    anna.say("/contact add \(gateway)")
    anna.say("/msg \(first)")
    anna.say("/contact add first.last")
    let asked = try anna.store.read { try $0.requests(of: account) }
    #expect(asked.filter { $0.verb == .subscribe }.map(\.target) == [gateway, first])
    anna.say("/msg \(gateway)")
    #expect(try identity() == gateway)
    // What cannot be a server is a name.
    anna.say("/msg a..b")
    #expect(try identity() == "a..b@x.org")
    #expect(!anna.say("/msg xmpp:a/b"))
  }

  @Test("hobnob asks in a conversation of this machine too whether a word with a dot is a server")
  func serversFromThisMachine() throws {
    let account = try anna.added()
    #expect(!anna.say("/msg x.org"))
    #expect(anna.printed.last?.hasSuffix("for somebody on x.org, type /msg xmpp:x.org.") == true)
    anna.say("/ignore gate.other.org")
    anna.answer("1")
    anna.say("/ignore")
    #expect(anna.printed.last?.contains("gate.other.org") == true)
    _ = try anna.addedOnIRC()
    anna.say("/msg hub.other.org hello")
    #expect(anna.question?.text.contains("2: hub.other.org@x.org") == true)
    anna.answer("1")
    let outbox = try anna.store.read { try $0.outbox(of: account.network) }
    #expect(outbox.map(\.conversation) == [.direct("hub.other.org")])
  }

  @Test("conversations with equal names are told apart by their addresses")
  func namesThatAreAlike() throws {
    let account = try anna.added()
    _ = try town.person("ben", in: "tea")
    anna.say("/join tea")
    anna.say("/join tea@rooms.x.org")
    anna.say("/msg ben@x.org")
    #expect(anna.picture[0].hasPrefix("@ben@x.org>"))
    try town.store().inbox.apply(
      [
        .roomNamed(room: "tea@rooms.x.org", name: "tea"),
        .contact(NetworkUser(identity: "ben@x.org", name: "ben"), isOnline: true, away: nil),
        .contact(NetworkUser(identity: "cem@x.org", name: "cem"), isOnline: false, away: nil),
      ], of: account)
    anna.look()
    #expect(anna.picture[0].hasPrefix("@ben@x.org>"))
    anna.say("/list")
    #expect(anna.printed.contains { $0.contains("#tea@rooms.x.org") })
    anna.say("/switch #lobby")
    anna.say("/msg cem@x.org")
    #expect(anna.picture[0].hasPrefix("@cem>"))
    let people = anna.session.candidates(after: .person).map(\.text)
    #expect(people.filter { $0.hasPrefix("ben") } == ["ben", "ben@x.org"])
    // Joined from here as well, and asked of the network.
    anna.say("/switch #lobby")
    let before = try anna.store.read { try $0.requests(of: account) }.count
    anna.say("/join #tea@rooms.x.org")
    #expect(anna.picture[0].hasPrefix("#tea@rooms.x.org>"))
    #expect(try anna.store.read { try $0.requests(of: account) }.count == before + 1)
    #expect(anna.printed.last { $0.hasPrefix("── ") }?.contains("#tea@rooms.x.org") == true)
    anna.say("/contact")
    #expect(anna.printed.suffix(2) == ["  ben (ben@x.org)  here", "  cem (cem@x.org)  not here"])
    // Nothing is said of somebody whose presence cannot be known (rule 14.1).
    anna.say("/msg dora@x.org")
    anna.say("/who")
    #expect(anna.printed.last { $0.contains("dora") } == "  dora (dora@x.org)")
  }

  @Test("a contact's state is beside the name, even if that is long")
  func longContact() throws {
    let account = try anna.added()
    let person = NetworkUser(identity: "christopher@x.org", name: "christopher")
    try town.store().inbox.apply([.contact(person, isOnline: false, away: nil)], of: account)
    anna.look()
    anna.say("/contact")
    #expect(anna.printed.last == "  christopher (christopher@x.org)  not here")
  }

  @Test("an address needs an account, and with two accounts a choice")
  func addressesNeedAnAccount() throws {
    for line in ["/join tea@x.org", "/join cake,tea@x.org", "/msg ben@x.org", "/contact"] {
      #expect(!anna.say(line))
      #expect(anna.printed.last?.contains("You have no account yet") == true, "\(line)")
    }
    #expect(try anna.store.read { try $0.rooms(for: anna.session.me.id) }.map(\.name) == ["#lobby"])
    _ = try anna.added()
    anna.say("/contact")
    #expect(anna.printed.last?.contains("no contacts yet") == true)
    anna.say("/account add anna@y.org")
    #expect(!anna.say("/join tea@far.org"))
    #expect(anna.printed.last?.contains("Which account?") == true)
    // One room by two accounts is two, and the list says which is whose.
    let network = try town.store()
    for account in try anna.store.read({ try $0.accounts(of: anna.session.me.id) }) {
      try network.inbox.apply([.joined(room: "tea@rooms.x.org", nick: "anna")], of: account)
    }
    anna.look()
    anna.say("/list")
    for name in ["x", "y"] {
      #expect(anna.printed.contains { $0.hasSuffix("#xmpp://anna@\(name).org/tea@rooms.x.org") })
    }
    anna.say("/switch 3")
    #expect(anna.session.open.conversation?.name == "#xmpp://anna@y.org/tea@rooms.x.org")
    anna.say("/switch #lobby")
    anna.say("/account remove anna@y.org")
    anna.say("/join cake@rooms.x.org,tea@rooms.x.org")
    #expect(
      try anna.store.read { try $0.requests(of: anna.account()) }.map(\.target) == [
        "cake@rooms.x.org", "tea@rooms.x.org",
      ])
  }

  @Test("a person whom a room refuses has not joined it")
  func refusedAtTheDoor() throws {
    let account = try anna.added()
    anna.say("/join tea@rooms.x.org")
    try town.store().inbox.apply(
      [.left(room: "tea@rooms.x.org", reason: "you are banned")], of: account)
    anna.look()
    #expect(anna.picture[0].hasPrefix("#tea@rooms.x.org (not joined)>"))
    // Who was in it was.
    anna.say("/join tea@rooms.x.org")
    let network = try town.store()
    try network.inbox.apply([.joined(room: "tea@rooms.x.org", nick: "anna")], of: account)
    try network.inbox.apply(
      [.left(room: "tea@rooms.x.org", reason: "You are banned.")], of: account)
    anna.look()
    #expect(anna.picture[0].hasPrefix("#tea@rooms.x.org (removed)>"))
    #expect(anna.status().contains("You are no longer in #tea@rooms.x.org"))
    #expect(anna.printed.contains("You are banned."))
    // Only who leaves by themselves is told that they left.
    try network.inbox.apply([.joined(room: "tea@rooms.x.org", nick: "anna")], of: account)
    anna.look()
    #expect(anna.session.open.isMember)
    try network.inbox.apply([.left(room: "tea@rooms.x.org", reason: nil)], of: account)
    anna.look()
    #expect(anna.picture[0].hasPrefix("#tea@rooms.x.org (left)>"))
  }

  @Test("a line names who removed people from a room, and how many")
  func kicked() throws {
    let account = try anna.added()
    anna.say("/join tea@rooms.x.org")
    let network = try town.store()
    let people = ["zoe", "kim", "lee", "max"].map { NetworkUser(identity: "id-" + $0, name: $0) }
    try network.inbox.apply(
      people.map { NetworkEvent.present($0, room: "tea@rooms.x.org") }
        + [.joined(room: "tea@rooms.x.org", nick: "anna")], of: account)
    anna.look()
    _ = anna.news()
    let removals: [Remark?] = [
      "kicked by kim (spam)", nil, "kicked by kim (spam)", "banned by kim",
    ]
    try network.inbox.apply(
      zip(people, removals).map {
        NetworkEvent.absent($0, room: "tea@rooms.x.org", removal: $1)
      }, of: account)
    anna.look()
    anna.wait(5000)
    #expect(
      anna.news() == ["← kim left · ← zoe and lee: kicked by kim (spam) · ← max: banned by kim"])
  }

  @Test("13.5: people whom a netsplit takes away are one line, with its words once")
  func netsplit() throws {
    let account = try anna.added()
    anna.say("/join tea@rooms.x.org")
    let network = try town.store()
    let people = (1...40).map { NetworkUser(identity: "id-\($0)", name: "p\($0)") }
    try network.inbox.apply(
      people.map { NetworkEvent.present($0, room: "tea@rooms.x.org") }
        + [.joined(room: "tea@rooms.x.org", nick: "anna")], of: account)
    anna.look()
    _ = anna.news()
    func leave(_ people: ArraySlice<NetworkUser>) throws {
      try network.inbox.apply(
        people.map {
          NetworkEvent.absent($0, room: "tea@rooms.x.org", removal: "split (a.net b.net)")
        }, of: account)
      anna.look()
    }
    // Nobody of them has ever written, and the room is large only at first.
    #expect(anna.session.settings.events == .active)
    for start in stride(from: 0, to: 37, by: 7) {
      try leave(people[start..<min(37, start + 7)])
      anna.wait(700)
    }
    anna.wait(5000)
    #expect(anna.news() == ["← 37 people: split (a.net b.net)"])
    try leave(people[37..<39])
    anna.wait(5000)
    #expect(anna.news() == ["← p38 and p39: split (a.net b.net)"])
    for start in stride(from: 0, to: 39, by: 10) {
      try network.inbox.apply(
        people[start..<min(39, start + 10)].map {
          .present($0, room: "tea@rooms.x.org", arrival: "back (b.net)")
        }, of: account)
      anna.look()
      anna.wait(700)
    }
    anna.wait(5000)
    #expect(anna.news() == ["→ 39 people: back (b.net)"])
  }

  @Test("4.3: a network says once that a person types, which lasts at most 30 s")
  func typingElsewhere() throws {
    let account = try anna.added()
    anna.say("/msg ben@x.org")
    let network = try town.store()
    try network.inbox.apply(
      [.typing(NetworkUser(identity: "ben@x.org", name: "ben"), in: .direct("ben@x.org"), true)],
      of: account)
    anna.look()
    #expect(anna.status().contains("is typing"))
    anna.wait(25_000)
    #expect(anna.status().contains("is typing"))
    anna.wait(5_000)
    #expect(!anna.status().contains("is typing"))
  }

  @Test("a message removed by a moderator is gone, and a line says by whom and why")
  func removedByAModerator() throws {
    let account = try anna.added()
    anna.say("/join tea@rooms.x.org")
    let network = try town.store()
    func hear(_ news: NetworkEvent) throws {
      try network.inbox.apply([news], of: account)
      anna.look()
    }
    try hear(.joined(room: "tea@rooms.x.org", nick: "anna"))
    for id in ["1", "2"] {
      try hear(
        .messageReceived(
          NetworkMessage(
            name: MessageIDs(archive: id), speaker: NetworkUser(identity: "id-8", name: "kim"),
            body: "cheap pills"), in: .room("tea@rooms.x.org")))
    }
    func remove(_ id: String, _ moderator: String, _ reason: String) throws {
      try hear(
        .removed(
          archive: id, room: "tea@rooms.x.org", Removal(moderator: moderator, reason: reason),
          at: nil))
    }
    try remove("1", "max", "spam\u{1b}[2J")
    let line = "✎ max, a moderator, removed [1] of kim: spam"
    #expect(anna.printed.last?.hasPrefix(line) == true)
    #expect(anna.printed.last?.contains("\u{1b}") == false)
    try remove("2", "", "")
    #expect(anna.printed.last == "✎ a moderator removed [2] of kim")
    _ = anna.news()
    anna.say("/history")
    let shown = anna.news()
    #expect(shown.contains { $0.hasPrefix(line) } && !shown.contains { $0.contains("pills") })
    anna.say("/info 1")
    #expect(anna.printed.contains { $0.contains("max, a moderator, removed this message: spam") })
  }

  @Test("in a network's room /nick changes the nickname there, and /who shows who is away")
  func nicknames() throws {
    let account = try anna.added()
    anna.say("/join tea@rooms.x.org")
    try town.store().inbox.apply(
      [
        .joined(room: "tea@rooms.x.org", nick: "anna"),
        .present(
          NetworkUser(identity: "id-7", name: "zoe"), room: "tea@rooms.x.org", away: "lunch"),
        .present(NetworkUser(identity: "id-8", name: "kim"), room: "tea@rooms.x.org"),
      ], of: account)
    anna.look()
    anna.say("/who")
    #expect(anna.printed.contains("  zoe   away: lunch"))
    #expect(anna.printed.contains("  kim   here"))
    #expect(Set(anna.session.me.nicknames.values) == ["anna"])
    let network = try town.store()
    try network.inbox.apply([.joined(room: "tea@rooms.x.org", nick: "annie")], of: account)
    anna.look()
    try network.inbox.apply(
      [
        .messageReceived(
          NetworkMessage(
            name: MessageIDs(archive: "1"), speaker: NetworkUser(identity: "id-8", name: "kim"),
            body: "annie: tea?"), in: .room("tea@rooms.x.org"))
      ], of: account)
    anna.say("/switch #lobby")
    anna.look()
    #expect(anna.status().contains("#tea@rooms.x.org 1!"))
    anna.say("/switch -")
    anna.say("/nick annie")
    let asked = try #require(try anna.store.read { try $0.requests(of: account) }.last)
    #expect(asked.verb == .join && asked.text == "annie")
    #expect(anna.session.me.name == "anna")
  }

  @Test("14.5: an invitation to a network's room says how to enter it, and the room is not listed")
  func invited() throws {
    let account = try anna.added()
    let ben = NetworkUser(identity: "tea@rooms.x.org/ben", name: "ben", isVerified: false)
    let bells = anna.bells
    try town.store().inbox.apply(
      [
        .contact(NetworkUser(identity: "ben@x.org", name: "ben"), isOnline: true, away: nil),
        .invited(room: "tea@rooms.x.org", by: ben),
        .answeredContact(NetworkUser(identity: "cem@x.org"), isYes: true),
      ], of: account)
    anna.look()
    // Who is in the room is no stranger who looks like a contact.
    #expect(
      anna.printed.contains {
        $0.hasPrefix("ben invites you to tea@rooms.x.org: /join tea@rooms.x.org enters it")
      })
    #expect(anna.printed.contains("cem@x.org lets you see when they are online."))
    #expect(anna.bells == bells + 1)
    _ = anna.news()
    anna.say("/list")
    #expect(!anna.news().contains { $0.contains("tea@") })
    anna.say("/join #tea@rooms.x.org")
    #expect(
      try anna.store.read { try $0.requests(of: account) }.map(\.target) == ["tea@rooms.x.org"])
    anna.say("/requests")
    #expect(anna.printed.last == "No requests.")
  }

  @Test("14.5: /requests lists what strangers sent; /leave, /block and clear decline it")
  func requests() throws {
    let account = try anna.added()
    let eve = NetworkUser(identity: "eve@x.org")
    func send() throws {
      try town.store().inbox.apply(
        [
          .invited(room: "tea@rooms.x.org", by: eve),
          .wantsContact(NetworkUser(identity: "cem@x.org")),
          .wantsContact(NetworkUser(identity: "+4915@x.org", name: "Zoë\u{1b}[2J")),
          .messageReceived(
            NetworkMessage(name: MessageIDs(), speaker: eve, body: "dear friend\u{1b}[2J\nline"),
            in: .direct("eve@x.org")),
        ], of: account)
      anna.look()
    }
    func listed() -> [String] {
      _ = anna.news()
      anna.say("/requests")
      return anna.news().filter { $0.hasPrefix("  ") }
    }
    try send()
    #expect(
      anna.news().contains {
        $0.contains("+4915@x.org (Zoë") && $0.hasSuffix("type /contact accept +4915@x.org")
      })
    let lines = listed()
    #expect(lines.count == 4)
    #expect(lines.contains { $0.contains("/contact accept +4915@x.org  Zoë^[[2J wants to be a") })
    anna.say("/contact accept +4915@x.org")
    #expect(lines.contains { $0.contains("/join tea@rooms.x.org  eve@x.org invites you") })
    #expect(lines.contains { $0.contains("/contact accept cem@x.org  wants to be a contact") })
    #expect(lines.contains { $0.contains("/msg eve@x.org  “dear friend^[[2J”") })
    anna.say("/leave #tea@rooms.x.org")
    #expect(anna.printed.last == "You declined the invitation to tea@rooms.x.org.")
    #expect(listed().count == 2)
    anna.say("/contact accept cem@x.org")
    #expect(listed().count == 1)
    try send()
    anna.say("/contact accept +4915@x.org")
    anna.say("/block eve@x.org")
    #expect(try anna.store.read { try $0.requests(of: account) }.last?.verb == .block)
    #expect(listed().count == 1)
    try send()
    anna.say("/requests clear")
    #expect(anna.printed.last == "You declined 4 requests.")
    #expect(try anna.store.read { try $0.requests(of: account) }.last?.verb == .decline)
    // Who opens a shell later hears that something waits.
    try send()
    let other = try town.person("anna")
    #expect(other.printed.contains("4 requests are waiting; /requests lists them."))
  }

  @Test("a person known only from a room gets no private message, nor does a namesake")
  func writesToNoOccupant() throws {
    let account = try anna.added()
    anna.say("/join tea@rooms.x.org")
    let zoe = NetworkUser(identity: "id-7", name: "zoe")
    try town.store().inbox.apply(
      [
        .joined(room: "tea@rooms.x.org", nick: "anna"),
        .present(zoe, room: "tea@rooms.x.org"),
      ], of: account)
    anna.look()
    #expect(!anna.say("/msg zoe hello"))
    #expect(anna.printed.last?.contains("You know zoe only from a room") == true)
    #expect(try anna.store.read { try $0.outbox(of: account.network) }.isEmpty)
    anna.say("/who")
    #expect(!anna.printed.joined().contains("id-7"))
    // Nor is one of them offered, or named by what is not for people, where there are two.
    try town.store().inbox.apply(
      [.joined(room: "cake@rooms.x.org", nick: "anna"), .present(zoe, room: "cake@rooms.x.org")],
      of: account)
    anna.look()
    #expect(!anna.say("/msg zoe hello"))
    #expect(anna.printed.last?.contains("You know zoe only from a room") == true)
    #expect(!anna.say("/msg tea@rooms.x.org/id-7 hello"))
    #expect(!anna.say("/contact add zoe/phone"))
    #expect(anna.printed.suffix(2).allSatisfy { $0.contains("is not an address") })
    #expect(anna.session.candidates(after: .person).map(\.text) == ["zoe"])
    anna.say("/switch #lobby")
    #expect(anna.session.candidates(after: .person).isEmpty)
  }

  @Test("nobody on this machine can take an address that belongs to someone")
  func addressesAreNotTaken() throws {
    let account = try anna.added()
    try town.store().inbox.apply(
      [
        .joined(room: "tea@rooms.x.org", nick: "anna"),
        .contact(NetworkUser(identity: "ben@x.org", name: "ben"), isOnline: true, away: nil),
      ], of: account)
    #expect(throws: RuleError.addressOfARoom("tea@rooms.x.org.")) {
      try anna.store.writeDurably { try $0.makeRoom("tea@rooms.x.org.") }
    }
    let eve = try town.person("ben@x.org")
    _ = try town.person("ben")
    anna.look()
    for line in ["/switch @ben@x.org", "/msg @ben@x.org"] {
      anna.say(line)
      anna.say("hello")
      anna.say("/switch #lobby")
    }
    anna.say("/switch #tea@rooms.x.org")
    anna.say("hello")
    #expect(
      try anna.store.read { try $0.outbox(of: account.network) }.map(\.conversation)
        == [.direct("ben@x.org"), .direct("ben@x.org"), .room("tea@rooms.x.org")])
    // The name alone means the one with whom there is a chat; with the sign, the one here.
    anna.say("/switch @ben")
    #expect(anna.picture[0].hasPrefix("@ben@x.org>"))
    anna.say("/switch @ben@")
    #expect(anna.picture[0].hasPrefix("@ben>"))
    eve.look()
    #expect(!eve.printed.contains { $0.contains("hello") })
  }

  @Test("with two accounts, an address belongs to that of its server, or to the open one")
  func choosesAnAccount() throws {
    let first = try anna.added()
    anna.say("/account add anna@y.org")
    let second = try #require(try anna.store.read { try $0.accounts(of: anna.session.me.id) }.last)
    anna.say("/msg ben@y.org")
    #expect(anna.picture[0].hasPrefix("@ben>"))
    anna.say("/join tea@far.org")
    #expect(try anna.store.read { try $0.requests(of: second) }.map(\.target) == ["tea@far.org"])
    anna.say("/switch #lobby")
    anna.say("/join cake@rooms.x.org")
    #expect(
      try anna.store.read { try $0.requests(of: first) }.map(\.target) == ["cake@rooms.x.org"])
    anna.say("/switch #lobby")
    // A room that is known is entered by the account that knows it.
    anna.say("/join #tea@far.org")
    #expect(
      try anna.store.read { try $0.requests(of: second) }.map(\.target) == [
        "tea@far.org", "tea@far.org",
      ])
    anna.say("/switch #lobby")
    #expect(!anna.say("/msg cem@elsewhere.org"))
    #expect(anna.printed.last?.hasSuffix("your chat with yourself: /msg anna@x.org") == true)
    anna.say("/msg anna@x.org")
    anna.say("/msg cem@elsewhere.org")
    anna.say("hello")
    #expect(
      try anna.store.read { try $0.outbox(of: first.network) }.map(\.conversation) == [
        .direct("cem@elsewhere.org")
      ])
  }

  @Test("/contact and /invite take the names of contacts")
  func contactsByName() throws {
    let account = try anna.added()
    try town.store().inbox.apply(
      [
        .joined(room: "tea@rooms.x.org", nick: "anna"),
        .contact(NetworkUser(identity: "cem@far.org", name: "Cem"), isOnline: true, away: nil),
      ], of: account)
    _ = try town.person("ben")
    anna.look()
    anna.say("/contact remove cem")
    anna.say("/contact add ben")
    for verb in ["accept", "block"] { anna.say("/contact " + verb) }
    #expect(!anna.say("/contact unblock"))
    anna.say("/switch tea@rooms.x.org")
    anna.say("/invite cem")
    anna.say("/invite ben")
    #expect(
      try anna.store.read { try $0.requests(of: account) }.map {
        "\($0.verb.rawValue) \($0.target) \($0.person)"
      }
        == [
          "unsubscribe cem@far.org ", "subscribe ben@x.org ", "approve  ", "block  ",
          "invite tea@rooms.x.org cem@far.org", "invite tea@rooms.x.org ben@x.org",
        ])
  }
}
