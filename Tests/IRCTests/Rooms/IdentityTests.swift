// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Testing

@testable import IRC

/// Rule 14.3: a person is identified by their account where there is one, and nobody takes over
/// what belongs to another.
@Suite("identities on IRC")
struct IdentityTests {
  private static let capabilities = [
    "extended-join", "account-notify", "account-tag", "message-tags",
  ]

  private func talk(
    _ capabilities: [String] = capabilities, proven: Set<String> = [], names: String = "",
    contacts: [String: String] = [:]
  ) -> IRCTalk {
    var talk = IRCTalk(capabilities, proven: proven, contacts: contacts)
    talk.enter("#tea", with: names)
    _ = (talk.takeSent(), talk.takeEvents())
    return talk
  }

  private func user(_ name: String, _ identity: String, _ isVerified: Bool) -> NetworkUser {
    NetworkUser(identity: identity, name: name, isVerified: isVerified)
  }

  @Test("the answer to the owner's NICK is theirs, whichever nick the server names as its source")
  func labelledNick() {
    var talk = IRCTalk(["labeled-response"], rooms: ["#tea"])
    talk.enter("#tea")
    talk.tell(.requests([NetworkRequest(id: 1, verb: .join, target: "#tea", text: "annie")]))
    let label = talk.takeSent().last { $0.contains("NICK") }.map { $0.prefix { $0 != " " } } ?? ""
    talk.receive("\(label) :annie!~anna@host NICK :annie")
    #expect(talk.client.context.nick == "annie")
    talk.receive(":eve!e@h NICK :eva")
    #expect(talk.client.context.nick == "annie")
    let former = talk.events.compactMap {
      if case .renamed(let user, "#tea", let former) = $0, user.isOwner { former } else { nil }
    }
    #expect(former == ["anna"])
  }

  @Test("14.4: the account is the identity, in rooms and in direct chats, under any nick")
  func accounts() {
    var talk = talk()
    talk.receive(
      ":Ben_!b@h JOIN #tea Ben :Ben", "@account=Ben :Ben_!b@h PRIVMSG anna :hi",
      ":Ben_!b@h NICK Benny")
    let ben = user("Ben_", "ben", true)
    #expect(talk.events.first == .present(ben, room: "#tea"))
    guard case .messageReceived(let message, let place) = talk.events[1] else {
      Issue.record("\(talk.events)")
      return
    }
    #expect((message.speaker, place) == (ben, .direct("ben")))
    #expect(talk.events[2] == .renamed(user("Benny", "ben", true), room: nil, former: "Ben_"))
    talk.write("yes", to: .direct("ben"))
    #expect(talk.takeSent().first == "PRIVMSG Benny :yes")
  }

  @Test("a login is told when it is noticed: by a message, a notice or a list")
  func logins() {
    for line in [
      "@account=ben :ben_!b@h PRIVMSG #tea :hi", ":ben_!b@h ACCOUNT ben",
      ":ben_!b@h JOIN #other ben :Ben",
    ] {
      var talk = talk(names: "ben_")
      if line.contains("JOIN") { talk.receive(":anna!a@h JOIN #other") }
      talk.receive(line)
      #expect(
        talk.events.contains(.renamed(user("ben_", "ben", true), room: nil, former: "ben_")),
        "\(line)")
    }
    var asked = IRCTalk(Self.capabilities, support: "WHOX CHANTYPES=#")
    asked.enter("#tea", with: "ben_ carla")
    #expect(asked.takeSent().contains("WHO #tea %tnfa,42"))
    _ = asked.takeEvents()
    asked.receive(
      ":srv 354 anna 42 ben_ H ben", ":srv 354 anna 42 carla G 0", ":srv 354 anna 42 anna H anna",
      ":srv 354 anna 7 carla H carla", ":srv 315 anna #tea :End")
    #expect(
      asked.events == [
        .renamed(user("ben_", "ben", true), room: nil, former: "ben_"),
        .present(user("carla", "carla", false), room: "#tea", away: ""),
      ])
  }

  @Test("an account with the same name as the nick changes nothing")
  func sameName() {
    var talk = talk(names: "ben")
    talk.receive(":ben!b@h ACCOUNT Ben", "@account=Ben :ben!b@h PRIVMSG #tea :hi")
    #expect(talk.said == ["ben: hi"])
    #expect(talk.events.count == 1)
  }

  @Test("who speaks under a known name without its account is told apart")
  func impostors() {
    var talk = talk(proven: ["ben"], names: "ben")
    talk.receive(":ben!x@h PRIVMSG #tea :it is me", ":ben!x@h PRIVMSG anna :send me money")
    #expect(talk.said == ["~ben: it is me", "~ben: send me money"])
    #expect(talk.events.first == .renamed(user("ben", "~ben", false), room: nil, former: "ben"))
    let chats = talk.events.compactMap {
      if case .messageReceived(_, .direct(let identity)) = $0 { identity } else { nil }
    }
    #expect(chats == ["~ben"])
    // The answer reaches the one who wrote.
    talk.write("no", to: .direct("~ben"))
    #expect(talk.takeSent().first == "PRIVMSG ben :no")
  }

  @Test("nobody takes over what belongs to an account by another nick or account")
  func theft() {
    func renames(_ talk: IRCTalk) -> [NetworkEvent] {
      talk.events.filter { if case .renamed = $0 { true } else { false } }
    }
    // Nobody knows yet whether they are logged in.
    var nick = talk(proven: ["ben"], names: "ben")
    nick.receive(":ben!x@h NICK eve")
    #expect(renames(nick).isEmpty)
    #expect(
      nick.events == [
        .absent(user("ben", "ben", false), room: "#tea"),
        .present(user("eve", "eve", false), room: "#tea"),
      ])
    // Somebody with another account.
    var account = talk(proven: ["ben"], names: "ben")
    account.receive("@account=eve :ben!x@h PRIVMSG #tea :hi")
    #expect(renames(account).isEmpty)
    #expect(account.said == ["eve: hi"])
    // An impostor goes their own way.
    var other = talk(proven: ["ben"])
    other.receive(":ben!x@h JOIN #tea * :x", ":ben!x@h NICK eve")
    #expect(
      renames(other) == [.renamed(user("eve", "eve", false), room: nil, former: "~ben")])
  }

  @Test("who logs out is no longer the person with the account")
  func logout() {
    var talk = talk()
    talk.receive(":ben!b@h JOIN #tea ben :Ben", ":ben!b@h ACCOUNT *")
    #expect(
      talk.takeEvents().last == .renamed(user("ben", "~ben", false), room: nil, former: "ben"))
    talk.receive(":ben!b@h ACCOUNT ben")
    #expect(talk.events == [.renamed(user("ben", "ben", true), room: nil, former: "ben")])
  }

  @Test("an account under two nicks is there until both have left")
  func twoNicks() {
    var talk = talk()
    talk.receive(":ben!b@h JOIN #tea ben :Ben", ":ben_!b@h JOIN #tea ben :Ben")
    _ = talk.takeEvents()
    talk.receive(":ben!b@h PART #tea")
    #expect(talk.events.isEmpty)
    talk.receive(":ben_!b@h QUIT :bye")
    #expect(talk.takeEvents() == [.absent(user("ben_", "ben", true), room: "#tea")])
    talk.receive(":ben!b@h JOIN #tea ben :Ben", ":ben_!b@h JOIN #tea ben :Ben")
    _ = talk.takeEvents()
    talk.receive(":ben!b@h QUIT :bye", ":carla!c@h KICK #tea ben_ :out")
    #expect(
      talk.events == [
        .absent(user("ben_", "ben", true), room: "#tea", removal: "removed by carla: out")
      ])
  }

  @Test("an old line is by whoever it says, not by whoever has the nick now")
  func oldLines() {
    var talk = talk(Self.capabilities + ["server-time", "batch"])
    talk.receive(":ben!b@h JOIN #tea ben :Ben", ":dan!d@h JOIN #tea * :Dan")
    talk.receive(
      ":srv BATCH +r znc.in/playback",
      "@batch=r;time=2023-11-01T00:00:00Z :ben!x@h PRIVMSG #tea :not me",
      "@batch=r;time=2023-11-01T00:00:00Z;account=ben :dan!x@h PRIVMSG #tea :me",
      ":srv BATCH -r")
    #expect(talk.said == ["~ben: not me", "ben: me"])
  }

  @Test("without accounts, the nick is all there is")
  func noAccounts() {
    var talk = talk([], proven: ["ben"], names: "ben")
    talk.receive(":ben!b@h PRIVMSG #tea :hi")
    #expect(talk.said == ["ben: hi"])
  }

  // MARK: The owner's nick and the contacts

  @Test("the wanted nick is taken when it is free, as MONITOR or ISON says")
  func regain() {
    var watched = IRCTalk(support: "MONITOR=100", nick: "anna_", wanted: "anna")
    #expect(watched.takeSent() == ["MONITOR + anna"])
    watched.receive(":srv 730 anna_ :anna!x@h", ":srv 731 anna_ :somebody")
    #expect(watched.takeSent().isEmpty)
    watched.receive(":srv 731 anna_ :dan,Anna")
    #expect(watched.takeSent() == ["NICK anna"])
    // Somebody was faster.
    watched.receive(":srv 433 anna_ anna :in use")
    watched.wait(60_000)
    #expect(watched.takeSent() == ["MONITOR - anna", "MONITOR + anna"])
    watched.receive(":srv 730 anna_ :anna!x@h")
    watched.wait(600_000)
    #expect(!watched.takeSent().contains { $0.hasPrefix("NICK") })
    watched.receive(":srv 731 anna_ :anna")
    #expect(watched.takeSent() == ["NICK anna"])

    var asked = IRCTalk(nick: "anna_", wanted: "anna")
    #expect(asked.takeSent() == ["ISON anna"])
    asked.receive(":srv 303 anna_ :Anna")
    asked.wait(60_000)
    #expect(asked.takeSent() == ["ISON anna"])
    asked.receive(":srv 303 anna_ :")
    #expect(asked.takeSent() == ["NICK anna"])
    // The server keeps the nick back for a while after its owner has left.
    asked.receive(":srv 437 anna_ anna :unavailable")
    asked.wait(60_000)
    #expect(asked.takeSent() == ["ISON anna"])
    asked.receive(":srv 303 anna_ :")
    #expect(asked.takeSent() == ["NICK anna"])
    asked.receive(":anna_!a@h NICK anna", ":srv 303 anna :")
    asked.wait(60_000)
    #expect(!asked.takeSent().contains { $0.hasPrefix("NICK") })
  }

  @Test("services are asked for the wanted nick only on the owner's word, with the account")
  func regains() {
    for (setting, account) in [("on", "anna"), ("off", "anna"), ("on", nil)] {
      var talk = IRCTalk(
        settings: ["regain": setting], nick: "anna_", wanted: "anna", account: account)
      #expect(
        talk.takeSent().contains("NICKSERV REGAIN anna") == (setting == "on" && account != nil))
      talk.disconnect()
      talk.tell(
        .up(
          Login.Welcome(
            nick: "anna_", capabilities: Capabilities(), wantedNick: "anna", account: "anna")))
      talk.receive(":srv 422 anna_ :No MOTD")
      #expect(
        talk.takeSent().contains("NICKSERV REGAIN anna") == (setting == "on" && account == nil))
    }
  }

  @Test("that a nick is taken is told to whoever asked for it")
  func nickInUse() {
    func request(_ verb: NetworkRequest.Verb, _ target: String, _ text: String = "")
      -> IRCClientEvent
    {
      .requests([NetworkRequest(id: 1, verb: verb, target: target, text: text)])
    }
    func answer(_ talk: IRCTalk) -> String? {
      talk.events.compactMap {
        if case .answered(_, let text) = $0 { text.text } else { nil }
      }.last
    }
    var asked = IRCTalk(support: "MONITOR=100", nick: "anna_", wanted: "anna")
    asked.receive(
      ":anna_!a@h JOIN #tea", ":srv 353 anna_ = #tea :anna_ ben", ":srv 366 anna_ #tea :End")
    asked.tell(request(.join, "#tea", "anna"))
    asked.receive(":srv 433 anna_ anna :in use", ":srv PONG srv hobnob-request-1")
    #expect(answer(asked) == "anna: in use")
    // The client asked.
    var other = IRCTalk(support: "MONITOR=100", nick: "anna_", wanted: "anna")
    other.receive(":srv 731 anna_ :anna")
    other.tell(request(.whois, "ben"))
    other.receive(
      ":srv 433 anna_ anna :in use", ":srv 311 anna_ ben b h * :Ben", ":srv 318 anna_ ben :End",
      ":srv PONG srv hobnob-request-1")
    #expect(answer(other) == "ben (b@h): Ben")
  }

  @Test("another nick of the owner's, by themselves or by services, is left alone")
  func noFight() {
    var talk = IRCTalk(support: "MONITOR=100", nick: "anna_", wanted: "anna")
    talk.receive(":anna_!a@h NICK Guest17", ":srv 731 Guest17 :anna")
    #expect(!talk.takeSent().contains { $0.hasPrefix("NICK") })
  }

  @Test("old lines of the owner's account, or of a nick that was theirs, are their own")
  func ownOldLines() {
    func own(_ capabilities: [String], _ old: String) -> Bool? {
      var talk = IRCTalk(capabilities + ["server-time"], nick: "anna_")
      talk.receive(":srv 900 anna_ anna_!a@h anna :in", ":anna_!a@h NICK anna")
      talk.enter("#tea")
      talk.receive("@time=2023-11-14T20:00:00Z" + old)
      return talk.events.compactMap {
        if case .messageReceived(let message, _) = $0 { message.speaker.isOwner } else { nil }
      }.last
    }
    let tags = Self.capabilities
    #expect(own([], " :Anna_!a@h PRIVMSG #tea :x") == true)
    #expect(own([], " :anna__!a@h PRIVMSG #tea :x") == false)
    #expect(own(tags, ";account=Anna :away!a@h PRIVMSG ben :x") == true)
    #expect(own(tags, ";account=eve :anna!a@h PRIVMSG #tea :x") == false)
    #expect(own(tags, " :anna_!a@h PRIVMSG #tea :x") == false)
    #expect(own(tags, " :anna!a@h PRIVMSG #tea :x") == true)
    // Somebody else may have the former nick now.
    var talk = IRCTalk(nick: "anna_")
    talk.receive(":anna_!a@h NICK anna")
    talk.enter("#tea")
    talk.receive(":anna_!x@h PRIVMSG #tea :x")
    #expect(talk.said == ["anna_: x"])
  }

  @Test("a contact is watched under the nick that they have, or had last")
  func contactNicks() {
    var talk = IRCTalk(
      Self.capabilities, support: "MONITOR=100", contacts: ["ben": "Benny", "dan": "dan"])
    #expect(talk.takeSent() == ["MONITOR + Benny,dan"])
    talk.receive(":srv 730 anna :benny!b@h")
    #expect(
      talk.takeEvents().last == .contact(user("benny", "ben", false), isOnline: true, away: nil))
    talk.receive(":anna!a@h JOIN #tea", ":srv 366 anna #tea :End", ":bens!b@h JOIN #tea ben :Ben")
    #expect(talk.takeSent() == ["MONITOR - Benny", "MONITOR + bens"])
    talk.receive(":srv 731 anna :benny", ":bens!b@h NICK ben2", ":srv 730 anna :ben2!b@h")
    #expect(talk.takeSent() == ["MONITOR - bens", "MONITOR + ben2"])
    #expect(
      talk.takeEvents().last == .contact(user("ben2", "ben", true), isOnline: true, away: nil))
    // Another device of theirs.
    talk.receive(":ben3!b@h JOIN #tea ben :Ben")
    #expect(talk.takeSent().isEmpty)
    // One without an account is followed as well.
    talk.receive(":dan!d@h JOIN #tea * :Dan", ":dan!d@h NICK danny", ":srv 731 anna :dan")
    #expect(talk.takeSent() == ["MONITOR - dan", "MONITOR + danny"])
    #expect(!talk.takeEvents().contains { if case .contact = $0 { true } else { false } })
    talk.receive(":srv 731 anna :danny")
    #expect(talk.events.last == .contact(user("danny", "danny", false), isOnline: false, away: nil))

    var asked = IRCTalk(contacts: ["ben": "benny"])
    #expect(asked.takeSent() == ["ISON benny"])
    asked.receive(":srv 303 anna :benny")
    #expect(
      asked.takeEvents().last == .contact(user("benny", "ben", false), isOnline: true, away: nil))
  }

  @Test("a bouncer itself knows nobody, and nobody is asked for once there is nobody to watch")
  func nobodyToWatch() {
    let networks = ["soju.im/bouncer-networks"]
    for support in ["CHANTYPES=#", "MONITOR=100"] {
      var bouncer = IRCTalk(networks, support: support, contacts: ["ben/libera": "ben"])
      bouncer.wait(60_000)
      #expect(!bouncer.takeSent().contains { $0.contains("ben") })
    }
    var network = IRCTalk(
      networks, support: "BOUNCER_NETID=1", contacts: ["ben/libera": "ben"], scope: "/libera")
    #expect(network.takeSent().contains("ISON ben"))
    network.tell(
      .requests([NetworkRequest(id: 1, verb: .unsubscribe, target: "ben/libera")]))
    network.wait(60_000)
    #expect(!network.client.context.clock.isSet(.watch))
  }

  @Test("a limit of the server's that makes no sense watches nobody", arguments: ["-1", "0"])
  func noLimit(most: String) {
    var talk = IRCTalk(support: "MONITOR=" + most, contacts: ["ben": "ben"])
    #expect(talk.takeSent().isEmpty)
  }

  @Test("contacts come and go, by identity")
  func contacts() {
    var talk = IRCTalk(support: "MONITOR=100", contacts: ["ben": "Ben", "dan": "dan"])
    #expect(talk.takeSent() == ["MONITOR + Ben,dan"])
    talk.receive(":srv 730 anna :Ben!b@h,zed!z@h", ":srv 731 anna :dan")
    #expect(
      talk.takeEvents().suffix(2) == [
        .contact(user("Ben", "ben", false), isOnline: true, away: nil),
        .contact(user("dan", "dan", false), isOnline: false, away: nil),
      ])
    // Somebody else with the contact's nick is no contact.
    talk.receive(":ben!x@h ACCOUNT eve", ":srv 730 anna :ben!x@h")
    #expect(!talk.events.contains { if case .contact = $0 { true } else { false } })
  }

  @Test("a contact in no common room is away or back")
  func awayContacts() {
    var talk = IRCTalk(
      ["extended-monitor", "away-notify"], support: "MONITOR=100", contacts: ["ben": "ben"])
    _ = talk.takeEvents()
    talk.receive(":ben!b@h AWAY :lunch", ":ben!b@h AWAY")
    #expect(
      talk.events == [
        .contact(user("ben", "ben", false), isOnline: true, away: "lunch"),
        .contact(user("ben", "ben", false), isOnline: true, away: nil),
      ])
  }
}
