// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Platform
import StoreFixture
import StyledText
import Testing

@testable import ChatParts
@testable import ChatPreferences
@testable import ChatRendering
@testable import ChatSession
@testable import NetworkInbox

/// What is muted and ignored, how long messages are kept, and whose a room is.
@MainActor
@Suite("Muting, ignoring, keeping, rooms")
struct AttentionTests {
  private let town: Town
  private let anna: Person
  private let ben: Person

  init() throws {
    town = try Town()
    (anna, ben) = (try town.person("anna"), try town.person("ben"))
    anna.say("/set notify-command notify")
    _ = anna.news()
  }

  private func hears(_ text: String, from person: Person? = nil) -> Int {
    let before = anna.notified.count
    (person ?? ben).say(text)
    anna.look()
    return anna.notified.count - before
  }

  @Test("7.11: /set notify all, mentions, none, for this conversation and in all of one's shells")
  func notify() throws {
    func told() -> [Int] { [hears("so"), hears("anna: so")] }
    #expect(told() == [0, 1])
    anna.say("/set notify all")
    #expect(told() == [1, 1])
    let other = try town.person("anna")
    other.say("/set notify none")
    #expect(told() == [0, 0])
    anna.say("/set notify mentions")
    #expect(told() == [0, 1])
    _ = anna.news()
    anna.say("/set notify")
    #expect(anna.news().last?.hasPrefix("notify mentions  ") == true)
    anna.say("/join tea")
    anna.say("/set notify nosuch")
    #expect(
      anna.news().last == "“nosuch” is not a valid value for notify; use all, mentions, none.")
    anna.say("/msg ben")
    anna.say("/set notify")
    #expect(anna.news().last?.hasPrefix("notify all  ") == true)
  }

  @Test("7.11: muted messages do not count in the title, elsewhere, unlooked at or paused")
  func title() throws {
    var title: String { StatusLine(session: anna.session).title.string }
    let carl = try town.person("carl")
    anna.say("/join tea")
    _ = hears("one")
    _ = hears("two", from: carl)
    #expect(title == "(2) #tea · hobnob")
    anna.say("/mute ben")
    #expect(title == "(1) #tea · hobnob")
    anna.say("/mute lobby")
    #expect(title == "#tea · hobnob")
    anna.say("/unmute lobby")
    anna.say("/switch lobby")
    anna.say("/pause")
    _ = hears("three")
    #expect(title == "#lobby · hobnob")
    _ = hears("four", from: carl)
    #expect(title == "(1) #lobby · hobnob" && anna.status().hasSuffix("| 2 new"))
  }

  @Test("7.11: /mute keeps a person or a room from ringing and from being urgent")
  func mute() throws {
    anna.say("/join tea")
    ben.say("/msg anna hello")
    ben.say("/switch lobby")
    ben.say("anna: tea?")
    anna.look()
    #expect(anna.status().contains("@ben 1, #lobby 1!"))
    anna.say("/mute @ben")
    #expect(anna.status().contains("@ben 1, #lobby 1") && !anna.status().contains("!"))
    #expect(anna.session.navigator.otherConversations.unread.allSatisfy { !$0.isForMe })
    #expect(hears("anna: again") == 0)
    anna.say("/mute")
    #expect(anna.news().last == "  @ben")
    anna.say("/unmute ben")
    #expect(hears("anna: again") == 1 && anna.status().contains("#lobby 3!"))
    anna.say("/mute lobby")
    #expect(hears("anna: again") == 0)
    #expect(anna.session.navigator.otherConversations.unread.map(\.isForMe) == [true, false])
    #expect(anna.status().contains("@ben 1, #lobby 4") && !anna.status().contains("!"))
    anna.say("/mute")
    #expect(anna.news().last == "  #lobby")
    anna.say("/unmute #lobby")
    anna.say("/unmute lobby")
    #expect(anna.news().last == "#lobby is not muted.")
    #expect(!anna.say("/mute nobody") && !anna.say("/mute anna") && !anna.say("/unmute"))
  }

  @Test("7.11: /ignore hides what a person writes, and what they do with it, in all shells")
  func ignorePerson() throws {
    let carl = try town.person("carl")
    let other = try town.person("anna")
    other.say("/ignore @ben")
    anna.look()
    _ = anna.news()
    anna.say("mine")
    ben.say("anna: hidden")
    ben.say("/edit 2")
    ben.text = "anna: hidden still"
    ben.say("anna: hidden still")
    ben.say("/react 1 🎉")
    ben.type("typ")
    carl.say("seen")
    anna.look()
    let printed = anna.news()
    #expect(!printed.contains { $0.contains("hidden") || $0.contains("ben") }, "\(printed)")
    #expect(printed.contains { $0.hasSuffix("carl: seen") })
    #expect(anna.notified.isEmpty && !anna.status().contains("typing"))
    anna.say("/history")
    #expect(!anna.news().contains { $0.contains("hidden") })
    // Nor is there anything new where nobody else wrote.
    anna.say("/join tea")
    ben.say("more")
    anna.look()
    #expect(anna.session.navigator.otherConversations.unread.isEmpty)
    _ = anna.news()
    anna.say("/switch lobby")
    #expect(!anna.news().contains { $0.contains("more") || $0.contains("new") })
    anna.say("/ignore")
    #expect(anna.news().last == "  @ben")
    anna.say("/unignore ben")
    anna.say("/history")
    #expect(anna.news().contains { $0.contains("hidden") })
    ben.text = ""
    #expect(hears("anna: here again") == 1)
  }

  @Test("7.11: /ignore hides what is written in a room, and entering the room says so")
  func ignoreRoom() throws {
    anna.say("/join tea")
    anna.say("/ignore #lobby")
    #expect(hears("anna: tea?") == 0 && anna.session.navigator.otherConversations.unread.isEmpty)
    _ = anna.news()
    anna.say("/switch lobby")
    let printed = anna.news()
    #expect(printed.last == "You ignore #lobby; /unignore #lobby shows the messages.")
    #expect(!printed.contains { $0.contains("tea?") })
    anna.say("/unignore lobby")
    ben.say("seen")
    anna.look()
    #expect(anna.news().last?.hasSuffix("ben: seen") == true)
  }

  @Test("7.11, 13.9: messages of ignored people are not counted as unread and take up no room")
  func ignoredTakeNoRoom() throws {
    let troll = try town.person("troll")
    anna.say("/ignore @troll")
    anna.say("/join tea")
    for number in 1...27 { ben.say("line \(number)") }
    for _ in 1...43 { troll.say("spam") }
    anna.look()
    _ = anna.rows()
    anna.say("/switch lobby")
    let rows = anna.rows()
    #expect(rows.count { $0.contains("line ") } == 27 && !rows.contains { $0.contains("more:") })
    let lobby = try #require(anna.session.open.conversation).id
    #expect(try anna.store.read { try $0.readMarker(of: anna.session.me.id, in: lobby) } == 70)
  }

  @Test("13.9: hidden messages are counted, too, where all that fits is one's own or deleted")
  func countsAboveMine() throws {
    let lobby = try #require(anna.session.open.conversation).id
    anna.say("/join tea")
    for number in 1...27 { ben.say("line \(number)") }
    for _ in 1...25 {
      try anna.store.writeDurably { try $0.send("mine", in: lobby, by: anna.session.me.id) }
      let other = try ben.store.writeDurably {
        try $0.send("gone", in: lobby, by: ben.session.me.id)
      }
      try ben.store.writeDurably { try $0.deleteMessage(other.id, by: ben.session.me.id) }
    }
    anna.look()
    _ = anna.rows()
    anna.say("/switch lobby")
    let rows = anna.rows()
    #expect(rows.dropFirst(2).first == "27 more: /history" && rows.count > 24)
  }

  @Test("7.11: a person on a network is ignored by address, even before they write")
  func ignoreOnANetwork() throws {
    let account = try anna.added()
    func hear(_ text: String) throws {
      let message = NetworkMessage(
        name: MessageIDs(), speaker: NetworkUser(identity: "troll@y.org"), body: text)
      try anna.store.inbox.apply(
        [.messageReceived(message, in: .direct("troll@y.org"))], of: account)
      anna.look()
    }
    anna.say("/ignore troll@y.org")
    // What strangers write waits in /requests (14.5); this one is a contact.
    try anna.store.inbox.apply(
      [.contact(NetworkUser(identity: "troll@y.org"), isOnline: nil, away: nil)], of: account)
    _ = anna.news()
    try hear("hidden")
    #expect(anna.notified.isEmpty && anna.session.navigator.otherConversations.unread.isEmpty)
    anna.say("/unignore troll@y.org")
    try hear("seen")
    #expect(anna.notified.map { $0[2] } == ["seen"])
  }

  @Test("7.11, 14.5: ignored strangers cannot send requests; muted strangers do not ring")
  func strangers() throws {
    let account = try anna.added()
    func hear(_ news: NetworkEvent) throws {
      try anna.store.inbox.apply([news], of: account)
      anna.look()
    }
    anna.say("/ignore troll@y.org")
    anna.say("/mute dull@y.org")
    _ = anna.news()
    let troll = NetworkUser(identity: "troll@y.org")
    try hear(.invited(room: "a@rooms.y.org", by: troll))
    try hear(.wantsContact(troll))
    let message = NetworkMessage(name: MessageIDs(), speaker: troll, body: "hidden")
    try hear(.messageReceived(message, in: .direct("troll@y.org")))
    try hear(.countStrangers)
    #expect(anna.news().isEmpty && anna.bells == 0)
    anna.say("/requests")
    #expect(anna.news() == ["No requests."])
    try hear(.invited(room: "b@rooms.y.org", by: NetworkUser(identity: "dull@y.org")))
    #expect(anna.news().last?.hasPrefix("dull@y.org invites you") == true && anna.bells == 0)
    try hear(.invited(room: "c@rooms.y.org", by: NetworkUser(identity: "eve@y.org")))
    #expect(anna.bells == 1)
    _ = anna.news()
    anna.say("/requests")
    #expect(anna.news().count { $0.contains("/join ") } == 2)
    #expect(
      try town.person("anna").printed.contains("2 requests are waiting; /requests lists them."))
  }

  @Test("14.5: what is unread names the requests that wait, which are not unread")
  func requestsWait() throws {
    let account = try anna.added()
    _ = anna.news()
    anna.tell(.move(.nextUnread))
    #expect(anna.notice == "Nothing is unread elsewhere")
    func invite(to room: String) throws {
      let eve = NetworkUser(identity: "eve@y.org")
      try anna.store.inbox.apply([.invited(room: room, by: eve)], of: account)
      anna.look()
      _ = anna.news()
    }
    try invite(to: "a@rooms.y.org")
    let one = "1 request is waiting, from eve@y.org; /requests shows it."
    anna.tell(.move(.nextUnread))
    #expect(anna.notice == one)
    anna.say("/unread")
    #expect(anna.news() == ["Nothing is unread.", one])
    anna.say("/next")
    #expect(anna.news() == [one])
    try invite(to: "b@rooms.y.org")
    anna.tell(.move(.nextUnread))
    #expect(anna.notice == "2 requests are waiting; /requests lists them.")
    anna.say("/requests clear")
    anna.tell(.move(.nextUnread))
    #expect(anna.notice == "Nothing is unread elsewhere")
  }

  @Test("14.5: /requests names /block or /ignore, whichever the network has")
  func requestsOfANetworkWithoutBlocking() throws {
    let account = try anna.added()
    let eve = NetworkUser(identity: "eve@y.org")
    try anna.store.inbox.apply([.wantsContact(eve)], of: account)
    anna.say("/requests")
    #expect(anna.news().joined(separator: " ").contains("/block ADDRESS or"))
    try anna.provide(NetworkAbilities(rooms: .ofIRC), for: account)
    anna.say("/requests")
    #expect(anna.news().joined(separator: " ").contains("/ignore NAME or"))
  }

  @Test("14.5: /requests says when it keeps no more requests of a kind")
  func fullRequests() throws {
    let account = try anna.added()
    let eve = NetworkUser(identity: "eve@y.org")
    let news = (0..<1_001).map { NetworkEvent.invited(room: "\($0)@rooms.y.org", by: eve) }
    try anna.store.inbox.apply(Array(news.prefix(999)), of: account)
    anna.say("/requests")
    #expect(!anna.news().contains { $0.contains("no more than") })
    try anna.store.inbox.apply(Array(news.suffix(2)), of: account)
    anna.say("/requests")
    let printed = anna.news()
    #expect(printed.count { $0.contains("/join ") } == 1_000)
    #expect(
      printed.contains(
        "hobnob keeps at most 1000 requests of each kind, and this list is full; /requests clear empties it."
      ))
  }

  @Test("14.5: of many strangers without a chat, /requests lists the newest hundred")
  func manyStrangers() throws {
    let account = try anna.added()
    let news = (0..<1_103).map { number in
      let eve = "eve\(number)@y.org"
      return NetworkEvent.messageReceived(
        NetworkMessage(
          name: MessageIDs(origin: eve), speaker: NetworkUser(identity: eve), body: "hi",
          time: 1_700_000_000_000), in: .direct(eve))
    }
    try anna.store.inbox.apply(news, of: account)
    anna.say("/requests")
    let printed = anna.news()
    #expect(printed.count { $0.contains("“hi”") } == 1_100)
    #expect(printed.contains { $0.contains("103 more strangers wrote to") })
    #expect(printed.contains("  and 3 more"))
  }

  // MARK: /set keep

  @Test("7.12: /set keep asks, names what would go, tells everyone, and greets newcomers with it")
  func keep() throws {
    _ = try town.person("carl", in: "tea")
    ben.say("one")
    ben.say("two")
    anna.say("/set keep 1d")
    #expect(
      anna.question?.text
        == "hobnob would delete 2 messages and 0 files here for everyone tomorrow, and later others as they become too old. Do that? y: yes, any other key: no"
    )
    let lobby = try #require(anna.session.open.conversation?.id)
    #expect(try anna.store.read { try $0.keep(of: lobby) } == nil)
    ben.say("/join tea")
    _ = ben.news()
    anna.answer("y")
    ben.look()
    #expect(
      ben.news().last?.contains(
        #/^· anna set keep to 1d. From .* on, hobnob deletes messages older than 1d in #lobby, for everyone. To stop this before then: /set keep off$/#
      ) == true)
    #expect(
      try anna.store.writeIfNeeded { try $0.forgetOld(now: Clock.wall() + 86_000_000) } == 0)
    ben.say("/switch lobby")
    #expect(
      ben.news().contains { $0.hasPrefix("From ") && $0.hasSuffix("/set keep off stops that.") })
    ben.say("/set keep off")
    #expect(ben.question == nil)
    anna.look()
    #expect(
      anna.news().last == "· ben set keep to off: this conversation keeps its messages")
    #expect(try anna.store.read { try $0.keep(of: lobby) } == nil)
  }

  @Test("7.12: someone outside a room cannot set how long it keeps its messages")
  func keepNeedsAMember() throws {
    anna.say("/leave")
    #expect(!anna.say("/set keep 1d") && anna.question == nil)
  }

  @Test("7.12, 13.10: without anyone to answer, commands that ask are refused, except keep off")
  func nobodyToAsk() throws {
    let script = try town.person("carl", in: "tea", outputMode: .batch)
    let tea = try #require(script.session.open.conversation).id
    for line in ["/set keep 1d", "/room remove"] {
      #expect(!script.say(line) && script.question == nil)
      #expect(script.printed.last?.hasPrefix(line + " needs your confirmation") == true)
    }
    #expect(try script.store.read { try $0.keep(of: tea) } == nil)
    #expect(
      try script.store.read { try $0.conversation(tea, for: script.session.me.id) }?.isRemoved
        == false)
    try script.store.writeDurablyIfNeeded { try $0.setKeep(tea, 1_000) }
    #expect(script.say("/set keep off"))
    #expect(script.printed.last == "#tea keeps all its messages.")
  }

  // MARK: /room

  @Test("13.10: /room rename renames a room for everyone; only its creator can")
  func renameRoom() throws {
    anna.say("/join tea")
    ben.say("/join tea")
    #expect(!ben.say("/room rename coffee"))
    #expect(ben.news().last == "anna made #tea, and only anna can rename or remove it.")
    ben.text = ""
    anna.say("/room rename coffee")
    #expect(anna.picture[0] == "#coffee> |")
    ben.look()
    #expect(ben.picture[0] == "#coffee> |")
    #expect(ben.news().last == "· anna renamed the room from #tea to #coffee")
    #expect(!anna.say("/room") && !anna.say("/room rename") && !anna.say("/room burn"))
  }

  @Test("13.10: /room remove asks, tells everybody, and leaves a room where only commands work")
  func removeRoom() throws {
    let carl = try town.person("carl", in: "tea")
    carl.say("found later")
    ben.say("/join tea")
    anna.say("/join tea")
    #expect(!anna.say("/room remove") && anna.question == nil)
    carl.say("/room remove")
    #expect(
      carl.question?.text
        == "Remove #tea? /search still finds its messages. y: yes, any other key: no")
    _ = anna.news()
    ben.say("/switch lobby")
    _ = ben.news()
    carl.answer("y")
    for person in [anna, ben] {
      person.look()
      #expect(
        person.news().last == "· carl removed the room #tea; /search finds its messages")
    }
    #expect(anna.status().contains("the room was removed; only commands work here"))
    #expect(!anna.say("more") && anna.news().last?.contains("was removed") == true)
    anna.text = ""
    ben.say("/list")
    #expect(!ben.news().contains { $0.contains("tea") })
    ben.say("/search found in:tea")
    #expect(ben.news().last?.hasSuffix("carl: found later") == true)
    #expect(!anna.say("/join #tea.removed"))
    #expect(anna.news().last == "#tea.removed was removed; /search still finds its messages.")
    anna.say("/join tea")
    #expect(anna.picture[0] == "#tea> |" && anna.news().last?.contains("new room") == true)
  }
}
