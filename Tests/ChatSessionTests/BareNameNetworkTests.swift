// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import Testing

@testable import ChatRendering
@testable import ChatSession
@testable import NetworkInbox

/// An account on a network whose addresses are bare names, as on IRC.
@MainActor
@Suite("Names on a network of bare names")
struct BareNameNetworkTests {
  private let town: Town
  private let anna: Person
  private let account: Account

  init() throws {
    town = try Town()
    anna = try town.person("anna")
    account = try anna.addedOnIRC(roomSigns: "#&")
  }

  private var targets: [String] {
    get throws { try anna.store.read { try $0.requests(of: account) }.map(\.target) }
  }

  @Test("10: /nick changes the name on the network, in a direct chat as well")
  func changesNick() throws {
    anna.say("/msg ben@irc.x.org")
    anna.say("/nick annie")
    let request = try #require(try anna.store.read { try $0.requests(of: account) }.last)
    #expect(request.verb == .join && request.target == "ben" && request.text == "annie")
    #expect(anna.session.me.name == "anna")
  }

  @Test("11.2: a room's address has its sign, and a person's is a name")
  func joinsAndWrites() throws {
    anna.say("/join ##Tea")
    #expect(anna.picture[0].hasPrefix("##tea>"))
    anna.say("/join &here")
    anna.say("/join #tea/libera")
    #expect(anna.picture[0].hasPrefix("#tea/libera>"))
    anna.say("/join plans")
    #expect(try targets == ["##tea", "&here", "#tea/libera", "#plans"])
    anna.say("/msg Ben[x]")
    anna.say("hello")
    let outbox = try anna.store.read { try $0.outbox(of: account.network) }
    #expect(outbox.map(\.conversation) == [.direct("ben{x}")])
  }

  @Test(
    "13.4: a topic that the network tells after the room was entered is printed once",
    arguments: [Session.OutputMode.tty, .plain])
  func topicOnEntry(mode: Session.OutputMode) throws {
    let shell = try town.person("anna", outputMode: mode)
    shell.say("/join #tea")
    _ = shell.news()
    let network = try town.store()
    try network.inbox.apply([.joined(room: "#tea", nick: "anna")], of: account)
    shell.look()
    #expect(!shell.news().contains { $0.contains("opic") })
    let topic = NetworkEvent.topic(room: "#tea", text: "green", by: nil, at: nil)
    for _ in 0..<2 {
      try network.inbox.apply([topic], of: account)
      shell.look()
    }
    #expect(shell.news().filter { $0.hasSuffix("Topic of #tea: green") }.count == 1)
    let ben = NetworkUser(identity: "ben", name: "ben")
    try network.inbox.apply(
      [
        .present(ben, room: "#tea"),
        .topic(room: "#tea", text: "black", by: ben, at: nil),
      ], of: account)
    shell.look()
    #expect(shell.news().filter { $0.contains("black") }.count == 1)
  }

  @Test("13.5: who was removed and came back at once was removed all the same")
  func removedForAMoment() throws {
    anna.say("/join #tea")
    let network = try town.store()
    let ben = NetworkUser(identity: "ben", name: "ben")
    try network.inbox.apply(
      [.joined(room: "#tea", nick: "anna"), .present(ben, room: "#tea")], of: account)
    anna.look()
    anna.wait(5000)
    _ = anna.news()
    try network.inbox.apply(
      [
        .absent(ben, room: "#tea", removal: "removed by carl: spam"), .present(ben, room: "#tea"),
      ], of: account)
    anna.look()
    anna.wait(5000)
    #expect(anna.news() == ["← ben: removed by carl: spam · → ben joined"])
  }

  @Test("11.7: a room that is made without its sign says how to enter the one on the network")
  func forgottenSign() throws {
    anna.say("/join plans")
    #expect(
      anna.news().contains(
        "#plans is a new room on this machine; /join #plans@irc.x.org enters the one on the network."
      ))
    anna.say("/join #plans@irc.x.org")
    #expect(try targets == ["#plans"])
  }

  @Test("14.9: everyone is listed by the name they have there, oneself with one's rank")
  func ownNick() throws {
    anna.say("/join #tea")
    let network = try town.store()
    let me = NetworkUser(identity: "anna_", name: "anna_", isOwner: true)
    try network.inbox.apply(
      [
        .present(NetworkUser(identity: "b{en}_", name: "B[en]_"), room: "#tea", rank: "voice"),
        .joined(room: "#tea", nick: "anna_"), .ranked(me, room: "#tea", rank: "operator"),
      ], of: account)
    anna.look()
    #expect(anna.status().hasPrefix("anna_, with 1 other here"))
    anna.say("/status")
    #expect(anna.news().contains("You are anna_ in #tea."))
    anna.say("/who")
    let list = anna.news().joined(separator: "\n")
    #expect(list.contains("anna_ (anna)") && list.contains("operator, here"), "\(list)")
    #expect(list.contains("B[en]_") && !list.contains("b{en}_"), "\(list)")
    let ben = NetworkUser(identity: "b{en}_")
    let message = NetworkMessage(name: MessageIDs(archive: "1"), speaker: ben, body: "hi")
    try network.inbox.apply(
      [
        .ranked(ben, room: "#tea", rank: "voice, bot"),
        .messageReceived(message, in: .room("#tea")),
      ], of: account)
    anna.look()
    anna.say("/info 1")
    #expect(anna.news().contains { $0.hasSuffix("B[en]_ (b{en}_)  voice, bot") })
    anna.say("/account")
    #expect(anna.news().contains("    in rooms you are anna_"))
    try network.inbox.apply(
      [
        .renamed(
          NetworkUser(identity: "anna", name: "anna", isOwner: true), room: "#tea", former: "")
      ], of: account)
    anna.look()
    #expect(anna.status().hasPrefix("anna, with 1 other here"))
    _ = anna.news()
    anna.say("/account")
    #expect(!anna.news().contains { $0.contains("in rooms") })
    anna.say("/who")
    #expect(!anna.news().contains { $0.contains("(anna)") })
  }

  @Test("a room of this machine keeps its name; the network's room has the server behind it")
  func alikes() throws {
    _ = try town.person("ben", in: "tea")
    anna.say("/join #tea")
    #expect(try targets == [])
    anna.say("/join #tea@irc.x.org")
    #expect(try targets == ["#tea"])
    #expect(anna.picture[0].hasPrefix("#tea@irc.x.org>"))
    // Only rooms that she is in tell names apart.
    anna.say("/leave tea@")
    anna.say("/switch #tea")
    #expect(anna.picture[0].hasPrefix("#tea>"))
    anna.say("/join tea@")
    anna.say("/msg ben@irc.x.org")
    #expect(anna.picture[0].hasPrefix("@ben@irc.x.org>"))
    anna.say("/switch #lobby")
    anna.say("/switch #tea@irc.x.org")
    #expect(anna.picture[0].hasPrefix("#tea@irc.x.org>"))
    anna.say("/switch #lobby")
    anna.say("/msg ben@irc.x.org")
    #expect(anna.picture[0].hasPrefix("@ben@irc.x.org>"))
    anna.say("/switch #lobby")
    let people = anna.session.candidates(after: .person).map(\.text)
    #expect(people.filter { $0.hasPrefix("ben") } == ["ben", "ben@irc.x.org"])
  }

  @Test("beside another account, the server says whose room and person it is")
  func twoAccounts() throws {
    let other = try anna.added("xmpp:anna@x.org")
    anna.say("/msg ben@x.org")
    anna.say("one")
    anna.say("/msg ben@irc.x.org")
    anna.say("two")
    let places = try anna.store.read { snapshot in
      try [other, account].map { try snapshot.outbox(of: $0.network).map(\.conversation) }
    }
    #expect(places == [[.direct("ben@x.org")], [.direct("ben")]])
    anna.say("/join ##tea")
    #expect(try targets == ["##tea"])
  }

  @Test("a domain that addresses there do not have is never shown")
  func hints() throws {
    anna.say("/msg ben")
    #expect(
      anna.printed.last
        == "No one named ben has used this store; for somebody on irc.x.org, type /msg ben@irc.x.org."
    )
    #expect(!anna.say("/msg #tea"))
  }

  @Test(
    "13.4: /msg with a room says how to go there, also in a conversation of the network",
    arguments: [
      ("#tea", "#tea is a room; /switch #tea goes there."),
      ("##tea", "##tea is a room; /switch ##tea goes there."),
      ("&there", "There is no room &there; /join makes it."),
    ])
  func writesNobodyInARoom(name: String, sentence: String) throws {
    anna.say("/join #tea")
    anna.say("/join ##tea")
    #expect(!anna.say("/msg \(name) hi"))
    #expect(anna.printed.last == sentence && anna.text == "/msg \(name) hi")
  }

  @Test("7.11: nobody is named like a mask, and a person is ignored by name")
  func masks() throws {
    for mask in ["ben!*@*", "*!*@host", "@be?"] {
      #expect(!anna.say("/ignore " + mask))
      #expect(
        anna.printed.last
          == "\(mask) is a mask; hobnob mutes and ignores people and rooms by name, as in /ignore ben."
      )
    }
    anna.say("/join #tea")
    for mask in ["ben!*@*", "ben*"] {
      #expect(!anna.say("/msg \(mask) hi"))
      #expect(anna.printed.last?.contains("is not an address") == true)
    }
    anna.say("/join #help?")
    anna.say("/mute #help?")
    #expect(anna.printed.last?.contains("mask") == false)
  }

  @Test("10: /leave takes a room, and no words of farewell")
  func farewell() throws {
    anna.say("/join #tea")
    #expect(!anna.say("/leave #tea bye bye"))
    #expect(anna.printed.last?.contains("/leave [ROOM]") == true)
  }

  @Test("2.8: completion keeps a room's sign, unless it is one #")
  func completesRooms() throws {
    for room in ["##tea", "&here", "plans"] { anna.say("/join " + room) }
    for line in ["/join ", "/mute "] {
      let offered = anna.session.commandArgument(in: line, caret: line.utf8.count)?.candidates
      #expect(offered?.map(\.text).sorted() == ["##tea", "&here", "lobby", "plans"], "\(line)")
    }
    let behindSign = anna.session.candidates(after: .room).map(\.text)
    #expect(behindSign.sorted() == ["#tea", "lobby", "plans"])
  }

  @Test("14.5: /requests names the server, since somebody of this machine may have a bare name")
  func requests() throws {
    _ = try town.person("ben", in: "tea")
    let ben = NetworkUser(identity: "ben", name: "ben")
    try anna.store.inbox.apply([.invited(room: "#tea", by: ben), .wantsContact(ben)], of: account)
    anna.look()
    _ = anna.news()
    anna.say("/requests")
    let printed = anna.news()
    for command in ["/join #tea@irc.x.org", "/contact accept ben@irc.x.org"] {
      #expect(printed.contains { $0.contains(command + "  ") }, "\(printed)")
    }
    anna.say("/contact accept ben@irc.x.org")
    anna.say("/join #tea@irc.x.org")
    #expect(try targets == ["ben", "#tea"])
  }

  @Test("a room whose name has spaces is joined and opened by it")
  func blanks() throws {
    anna.say("/join #tea")
    try anna.store.inbox.apply(
      [.joined(room: "#tea", nick: "anna"), .roomNamed(room: "#tea", name: "#Family ❤ 2026")],
      of: account)
    anna.look()
    anna.say("/switch #lobby")
    anna.say("/switch family ❤ 2026")
    #expect(anna.picture[0].hasPrefix("#Family ❤ 2026>"))
    anna.say("/leave")
    anna.say("/join #Family ❤ 2026")
    #expect(anna.picture[0].hasPrefix("#Family ❤ 2026>"))
    #expect(!anna.say("/join two words"))
    let line = "/search in:"
    let offered = anna.session.commandArgument(in: line, caret: line.utf8.count)?.candidates
    #expect(offered?.map(\.text).sorted() == ["in:\"#Family ❤ 2026\"", "in:#lobby"])
    #expect(anna.say("/mute #Family ❤ 2026"))
    #expect(anna.say("/unmute family ❤ 2026"))
    #expect(anna.printed.last == "#Family ❤ 2026 is no longer muted.")
    #expect(!anna.say("/mute two words"))
  }

  // MARK: A nick on the network

  private func receive(_ text: String, in place: ConversationAddress = .room("#tea")) throws {
    try town.store().inbox.apply(
      [
        .messageReceived(
          NetworkMessage(
            name: MessageIDs(archive: text), speaker: NetworkUser(identity: "ben", name: "ben"),
            body: text), in: place)
      ], of: account)
    anna.look()
  }

  @Test("2.12: my nick in a room rings wherever it is in a text, unless highlight-nick is off")
  func nickRings() throws {
    anna.say("/join #tea")
    try town.store().inbox.apply([.joined(room: "#tea", nick: "Annie")], of: account)
    anna.look()
    let bells = anna.bells
    try receive("tea, annie?")
    try receive("<carl> Annie is here")
    #expect(anna.bells == bells + 2)
    try receive("joannie")
    #expect(anna.bells == bells + 2)
    // So it counts when I am elsewhere.
    anna.say("/switch #lobby")
    try receive("and you, annie?")
    let unread = try anna.store.read {
      try $0.unread(mentioning: anna.session.me, Highlights()).first
    }
    #expect(unread?.mentions == 1)
    #expect(anna.bells == bells + 3)
    anna.say("/set highlight-nick off")
    try receive("still there, annie?")
    #expect(anna.bells == bells + 3)
    try receive("annie: hello")
    #expect(anna.bells == bells + 4)
  }

  // MARK: Rooms that move

  private var rooms: [String] {
    get throws {
      try anna.store.read { try $0.listing(for: anna.session.me.id) }.map(\.conversation.name)
    }
  }

  @Test("a shell follows when the network forwards it, and the room that it never entered is gone")
  func forwarded() throws {
    anna.say("/join #tea")
    let network = try town.store()
    try network.inbox.apply(
      [
        .forwarded(room: "#tea", to: "##tea", reason: nil), .joined(room: "##tea", nick: "anna"),
      ], of: account)
    anna.look()
    anna.type("")
    #expect(anna.picture[0].hasPrefix("##tea>"))
    #expect(try rooms.contains("##tea") && !rooms.contains("#tea"))
    anna.say("hi")
    #expect(
      try anna.store.read { try $0.outbox(of: account.network) }.map(\.conversation) == [
        .room("##tea")
      ])
  }

  @Test("a room with messages stays what it was when its owner is sent to another one")
  func forwardedFromAKnownRoom() throws {
    anna.say("/join #tea")
    let network = try town.store()
    try network.inbox.apply([.joined(room: "#tea", nick: "anna")], of: account)
    try receive("hello")
    try network.inbox.apply(
      [
        .forwarded(room: "#tea", to: "##tea", reason: "#tea redirected you to ##tea."),
        .joined(room: "##tea", nick: "anna"),
      ], of: account)
    anna.look()
    anna.type("")
    #expect(anna.picture[0].hasPrefix("##tea>"))
    #expect(anna.news().contains("#tea redirected you to ##tea."))
    let tea = try #require(try anna.store.read { try $0.room("#tea", for: anna.session.me.id) })
    #expect(tea.lastNumber == 1)
    // Where the owner is already, a second forward leads as well.
    anna.say("/join #milk")
    try network.inbox.apply(
      [.forwarded(room: "#milk", to: "##tea", reason: nil)], of: account)
    anna.look()
    anna.type("")
    #expect(anna.picture[0].hasPrefix("##tea>"))
    #expect(try !rooms.contains("#milk"))
  }

  @Test("a room with another name is one conversation, with its messages and the open shell")
  func moved() throws {
    anna.say("/join #tea")
    let network = try town.store()
    let ben = NetworkUser(identity: "ben", name: "ben")
    try network.inbox.apply(
      [.joined(room: "#tea", nick: "anna"), .present(ben, room: "#tea")], of: account)
    try receive("hello")
    _ = anna.news()
    try network.inbox.apply(
      [
        .roomMoved(room: "#tea", to: "#greentea", by: ben, words: "…"),
        .joined(room: "#greentea", nick: "anna"), .present(ben, room: "#greentea"),
        .roomNamed(room: "#greentea", name: "#GreenTea"),
      ], of: account)
    anna.look()
    anna.type("")
    #expect(anna.picture[0].hasPrefix("#GreenTea>"))
    #expect(anna.news() == ["· ben renamed the room from #tea to #GreenTea"])
    #expect(try rooms.filter { $0.contains("ea") } == ["#GreenTea"])
    let room = try #require(
      try anna.store.read { try $0.room("#greentea", for: anna.session.me.id) })
    #expect(room.lastNumber == 1)
    anna.say("hi")
    #expect(
      try anna.store.read { try $0.outbox(of: account.network) }.map(\.conversation) == [
        .room("#greentea")
      ])
    // If the store has a room of the new name, the shell goes there.
    anna.say("/join #milk")
    anna.say("/join #greentea")
    try network.inbox.apply(
      [.roomMoved(room: "#greentea", to: "#milk", by: nil, words: "It is called #milk.")],
      of: account)
    anna.look()
    anna.type("")
    #expect(anna.picture[0].hasPrefix("#milk>"))
    #expect(anna.news().contains("It is called #milk."))
  }
}
