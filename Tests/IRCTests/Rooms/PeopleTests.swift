// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Testing

@testable import IRC

/// Who comes and goes, and what they may do.
@Suite("people in rooms on IRC")
struct PeopleTests {
  private func talk(
    _ capabilities: [String] = [], support: String = "CHANTYPES=#& CASEMAPPING=rfc1459",
    names: String = "@ben carla"
  ) -> IRCTalk {
    var talk = IRCTalk(capabilities, support: support)
    talk.enter("#tea", with: names)
    _ = (talk.takeSent(), talk.takeEvents())
    return talk
  }

  private func user(_ name: String, _ identity: String? = nil) -> NetworkUser {
    NetworkUser(identity: identity ?? name.lowercased(), name: name, isVerified: false)
  }

  @Test("others come, go and are removed, with the reason")
  func comings() {
    var talk = talk()
    talk.receive(":Dan!d@h JOIN #tea", ":Dan!d@h PART #tea :bye", ":Dan!d@h PART #tea")
    talk.receive(":ben!b@h KICK #tea carla :flooding", ":srv KICK #tea ben :ben")
    #expect(
      talk.events == [
        .present(user("Dan"), room: "#tea"), .absent(user("Dan"), room: "#tea"),
        .absent(user("carla"), room: "#tea", removal: "removed by ben: flooding"),
        .absent(user("ben"), room: "#tea", removal: "removed by srv"),
      ])
  }

  @Test("a new host on an old server is no departure, unless the person stays away")
  func newHosts() {
    var talk = talk()
    talk.enter("#milk", with: "ben")
    _ = talk.takeEvents()
    talk.receive(
      ":ben!b@h QUIT :Changing host", ":ben!b@new JOIN #tea", ":srv MODE #tea +o ben",
      ":ben!b@new JOIN #milk")
    talk.wait(5_000)
    #expect(talk.takeEvents().isEmpty)
    let members = talk.client.rooms["#tea"]?.members
    #expect(members?.nicks == ["ben", "carla"])
    #expect(members?["ben"] == "@" && members?["carla"] == "")
    // These are a person's own words.
    talk.receive(
      ":carla!c@h PART #tea :Changing host", ":carla!c@h JOIN #tea",
      ":carla!c@h QUIT :Quit: Changing host")
    #expect(talk.takeEvents().count == 3)
    talk.receive(":ben!b@h QUIT :Changing host", ":ben!b@new JOIN #milk")
    #expect(talk.events.isEmpty)
    talk.wait(5_000)
    #expect(talk.takeEvents() == [.absent(user("ben"), room: "#tea")])
    talk.receive(":ben!b@new JOIN #tea")
    #expect(talk.takeEvents() == [.present(user("ben"), room: "#tea")])
  }

  @Test("who quits leaves all rooms; after a netsplit that is why")
  func quits() {
    var talk = talk()
    talk.enter("#milk")
    _ = talk.takeEvents()
    talk.receive(":ben!b@h QUIT :Quit: see you at irc.example.net tomorrow")
    #expect(
      Set(talk.takeEvents()) == [
        .absent(user("ben"), room: "#tea"), .absent(user("ben"), room: "#milk"),
      ])
    talk.receive(
      ":srv BATCH +n netsplit a.example.net b.example.net",
      "@batch=n :carla!c@h QUIT :a.example.net b.example.net", ":srv BATCH -n")
    #expect(
      Set(talk.takeEvents()) == [
        .absent(user("carla"), room: "#tea", removal: "netsplit"),
        .absent(user("carla"), room: "#milk", removal: "netsplit"),
      ])
    talk.receive(
      ":srv BATCH +j netjoin a b", "@batch=j :carla!c@h JOIN #tea", ":srv BATCH -j")
    let back: Remark = "back after the netsplit"
    #expect(talk.takeEvents() == [.present(user("carla"), room: "#tea", arrival: back)])
    // Whoever is known nowhere leaves nothing.
    talk.receive(":zed!z@h QUIT :x", ":zed!z@h PART #tea", ":ben!b@h KICK #tea zed :x")
    #expect(talk.events.isEmpty)
  }

  @Test("who comes back after a netsplit has not merely joined, for an hour")
  func returns() {
    var talk = talk(names: "@ben carla dan eve")
    func arrivals() -> [String] {
      talk.takeEvents().compactMap {
        if case .present(let user, "#tea", _, _, let arrival) = $0 {
          user.identity + ": " + arrival.text
        } else {
          nil
        }
      }
    }
    let split = "QUIT :hub.x.org leaf.x.org"
    talk.receive(":ben!b@h \(split)")
    talk.receive(":carla!c@h \(split)", ":dan!d@h \(split)", ":eve!e@h QUIT :bye")
    talk.wait(60_000)
    talk.receive(":ben!b@h JOIN #tea")
    talk.receive(":carla!c@h JOIN #tea", ":eve!e@h JOIN #tea")
    let back = "back after the netsplit"
    #expect(arrivals() == ["ben: " + back, "carla: " + back, "eve: "])
    talk.receive(":carla!c@h PART #tea", ":carla!c@h JOIN #tea")
    talk.wait(3_600_000)
    talk.receive(":dan!d@h JOIN #tea")
    #expect(arrivals() == ["carla: ", "dan: "])
    // A batch says so whatever the words are, and whoever it is.
    talk.receive(
      ":srv BATCH +n netsplit a.x b.x", "@batch=n :dan!d@h QUIT :gone", ":srv BATCH -n",
      ":srv BATCH +j netjoin a.x b.x", "@batch=j :dan!d@h JOIN #tea", "@batch=j :zoe!z@h JOIN #tea",
      ":srv BATCH -j", ":yan!y@h JOIN #tea")
    #expect(talk.events.contains(.absent(user("dan"), room: "#tea", removal: "netsplit")))
    #expect(arrivals() == ["dan: " + back, "zoe: " + back, "yan: "])
  }

  @Test("words that only look like two servers are the person's own")
  func fakeSplits() {
    for text in ["a.b", "a b", "a.b c.d e.f", "a.b http://c.d", ".a b.c", "a.b  c.d", ""] {
      var talk = talk()
      talk.receive(":ben!b@h QUIT :\(text)")
      #expect(talk.events == [.absent(user("ben"), room: "#tea")], "\(text)")
    }
  }

  // MARK: Nicks

  @Test("another nick is another name everywhere, also if only the case changes")
  func nicks() {
    var talk = talk()
    talk.receive(":carla!c@h NICK Carlotta", ":Carlotta!c@h NICK CARLOTTA")
    #expect(
      talk.takeEvents() == [
        .renamed(user("Carlotta"), room: nil, former: "carla"),
        .renamed(user("CARLOTTA"), room: nil, former: "Carlotta"),
      ])
    talk.receive(":CARLOTTA!c@h PART #tea")
    #expect(talk.takeEvents() == [.absent(user("CARLOTTA"), room: "#tea")])
    talk.receive(":zed!z@h NICK zoe", ":ben!b@h NICK :")
    #expect(talk.events.isEmpty)
  }

  @Test("the owner's nick is another one, too")
  func ownNick() {
    var talk = talk()
    talk.receive(":anna!a@h NICK Annie")
    var annie = NetworkUser(identity: "annie", name: "Annie", isOwner: true, isVerified: false)
    annie.isVerified = true
    #expect(
      talk.takeEvents().prefix(3) == [
        .named(nick: "Annie"), .renamed(annie, room: "#tea", former: "anna"),
        .notice("You are Annie now."),
      ])
    talk.receive(":ben!b@h PRIVMSG annie :hi", ":ben!b@h PRIVMSG anna :hi")
    #expect(talk.said == ["ben: hi"])
  }

  @Test("the owner learns that their nick is taken, and that they have it again")
  func takenNick() {
    func notices(_ talk: inout IRCTalk) -> [String] {
      talk.takeEvents().compactMap { if case .notice(let text) = $0 { text.text } else { nil } }
    }
    var talk = IRCTalk(support: "CHANTYPES=# NETWORK=Tea", nick: "anna_", wanted: "anna")
    #expect(talk.events.contains(.named(nick: "anna_")))
    #expect(notices(&talk) == ["You are anna_ on Tea: anna is taken."])
    talk.receive(":srv 303 anna_ :")
    #expect(talk.takeSent().last == "NICK anna")
    talk.receive(":anna_!a@h NICK anna")
    #expect(notices(&talk) == ["You are anna again."])
    var usual = IRCTalk()
    #expect(notices(&usual) == [])
  }

  @Test("names are equal as the server says")
  func caseMappings() {
    func folded(_ mapping: String) -> [String] {
      var talk = talk(support: "CHANTYPES=# CASEMAPPING=\(mapping)", names: "")
      talk.receive(":A[]\\~!a@h JOIN #tea", ":Ä^!a@h JOIN #tea")
      return talk.events.compactMap {
        if case .present(let user, _, _, _, _) = $0 { user.identity } else { nil }
      }
    }
    #expect(folded("ascii") == ["a[]\\~", "Ä^"])
    #expect(folded("rfc1459") == ["a{}|~", "Ä~"])
    for name in ["rfc1459-strict", "strict-rfc1459"] {
      #expect(folded(name) == ["a{}|~", "Ä^"])
    }
    #expect(folded("rfc8265") == ["a[]\\~", "Ä^"])
  }

  // MARK: Ranks and modes

  @Test("bots are marked: by a message, or by the answer about the people in a room")
  func bots() {
    var talk = talk(["message-tags"], support: "CHANTYPES=# BOT=b WHOX")
    talk.receive(":srv 354 anna 42 ben Hb 0", "@bot :carla!c@h PRIVMSG #tea :beep")
    talk.receive(":srv 354 anna 42 ben Hb@ 0", ":srv 354 anna 42 carla H 0")
    talk.receive(
      ":ben!b@h MODE #tea -o ben", ":carla!c@h NICK botty", ":ben!b@h MODE #tea +v botty")
    let ranks = talk.events.compactMap {
      if case .ranked(let user, "#tea", let rank) = $0 { user.name + ": " + rank } else { nil }
    }
    #expect(ranks == ["ben: operator, bot", "carla: bot", "ben: bot", "botty: voice, bot"])
    talk.enter("#milk", with: "+botty")
    #expect(
      talk.events.contains(.present(user("botty"), room: "#milk", rank: "voice, bot")))
    var other = self.talk(support: "CHANTYPES=# WHOX")
    other.receive(":srv 354 anna 42 ben Hb 0")
    #expect(!other.events.contains { if case .ranked = $0 { true } else { false } })
  }

  @Test("ranks come and go; the highest one counts")
  func ranks() {
    var talk = talk(support: "PREFIX=(qaohv)~&@%+ CHANMODES=beI,k,l,imnpst CHANTYPES=#")
    talk.receive(
      ":srv MODE #tea +v carla", ":ben!b@h MODE #tea +o-v carla carla",
      ":ben!b@h MODE #tea +h carla",
      ":ben!b@h MODE #tea -oh carla carla", ":ben!b@h MODE #tea +q ben")
    let ranks = talk.events.compactMap {
      if case .ranked(let user, "#tea", let rank) = $0 { user.name + " " + rank } else { nil }
    }
    #expect(
      ranks == [
        "carla voice", "carla operator", "carla operator", "carla operator", "carla half-operator",
        "carla ", "ben founder",
      ])
  }

  @Test("parameters belong to the modes that have one", arguments: [false, true])
  func parameters(isNegative: Bool) {
    var talk = talk(support: "PREFIX=(ov)@+ CHANMODES=beIq,k,lfH,imnpstCT CHANTYPES=#")
    if isNegative {
      // -l has no parameter; -k has.
      talk.receive(":ben!b@h MODE #tea -lkbo key *!*@h carla")
    } else {
      talk.receive(":ben!b@h MODE #tea +bklCfo *!*@h key 5 5:10 carla")
    }
    #expect(
      talk.events.first
        == .ranked(user("carla"), room: "#tea", rank: isNegative ? "" : "operator"))
    #expect(
      moderations(talk)
        == (isNegative
          ? [
            "ben: ben lifted the ban on *!*@h", "ben: ben took operator rights from carla",
            "ben: ben set -lk",
          ]
          : [
            "ben: ben banned *!*@h", "ben: ben made carla an operator", "ben: ben set +klCf 5 5:10",
          ]))
  }

  /// The changes that are told, with who made them, and `!` if they are about the owner.
  private func moderations(_ talk: IRCTalk) -> [String] {
    talk.events.compactMap {
      if case .moderated(let sentence, "#tea", let user, let isAboutOwner) = $0 {
        (user?.identity ?? "") + (isAboutOwner ? "!: " : ": ") + sentence.text
      } else {
        nil
      }
    }
  }

  @Test("what others change is told, people with the same change together")
  func moderation() {
    var talk = talk(names: "@ben carla dan @anna")
    talk.receive(
      ":ben!b@h MODE #tea +oov carla dan anna", ":srv.x.org MODE #tea -o anna",
      ":anna!a@h MODE #tea +m", ":carla!c@h MODE #tea +h-v+o anna anna anna",
      ":ben!b@h MODE #milk +m", ":ben!b@h MODE anna +i")
    #expect(
      moderations(talk)
        == [
          "ben: ben made carla, dan operators", "ben!: ben gave you voice",
          ": srv.x.org took operator rights from you",
          "carla!: carla took voice from you", "carla!: carla made you an operator",
          "carla: carla set +h",
        ].map { $0.hasPrefix(": srv") ? "!" + $0 : $0 })
    let ranks = talk.events.compactMap {
      if case .ranked(let user, "#tea", let rank) = $0, user.isOwner { rank } else { nil }
    }
    #expect(ranks == ["operator", "voice", "", "operator"])
  }

  @Test("the owner's rank is told on entering, also under another nick")
  func ownRank() {
    var talk = IRCTalk(nick: "anna_", wanted: "anna")
    talk.receive(
      ":anna_!a@h JOIN #tea", ":srv 353 anna_ = #tea :@+anna_ ben",
      ":srv 366 anna_ #tea :End of NAMES")
    let me = NetworkUser(identity: "anna_", name: "anna_", isOwner: true, isVerified: false)
    let ranks = talk.takeEvents().filter { if case .ranked = $0 { true } else { false } }
    #expect(ranks == [.ranked(me, room: "#tea", rank: "operator")])
    talk.receive(":anna_!a@h NICK annie", ":ben!b@h MODE #tea -o annie")
    #expect(moderations(talk) == ["ben!: ben took operator rights from you"])
    // Who enters anew has none.
    talk.receive(
      ":annie!a@h JOIN #tea", ":srv 353 annie = #tea :annie ben")
    _ = talk.takeEvents()
    talk.receive(":srv 366 annie #tea :End of NAMES")
    #expect(!talk.events.contains { if case .ranked = $0 { true } else { false } })
  }

  @Test("the modes of a room, and its password")
  func roomModes() {
    var talk = talk()
    talk.receive(":srv 324 anna #tea +nt", ":ben!b@h MODE #tea +mk-t secret")
    #expect(talk.client.rooms["#tea"]?.modes == "nmk")
    #expect(talk.client.rooms["#tea"]?.key == "secret")
    talk.receive(":ben!b@h MODE #tea -k *", ":ben!b@h MODE anna +i", ":ben!b@h MODE #x +k y")
    #expect(talk.client.rooms["#tea"]?.key == "secret")
    talk.receive(":ben!b@h MODE #tea -k secret", ":ben!b@h MODE #tea", ":ben!b@h MODE #tea +o")
    #expect(talk.client.rooms["#tea"]?.key == "")
    #expect(!talk.events.contains { if case .ranked = $0 { true } else { false } })
  }

  @Test("a topic is told with the person who set it, only of rooms where the owner is")
  func topics() {
    var talk = talk()
    talk.receive(
      ":ben!b@h TOPIC #tea :black", ":srv 331 anna #tea :No topic is set", ":ben!b@h TOPIC #x :y")
    #expect(
      talk.events == [
        .topic(room: "#tea", text: "black", by: user("ben"), at: nil),
        .topic(room: "#tea", text: "", by: nil, at: nil),
      ])
  }

  // MARK: Away

  @Test("somebody is away and back, in all rooms, also in one that is entered later")
  func away() {
    var talk = talk(["away-notify"])
    talk.receive(":ben!b@h AWAY :lunch", ":zed!z@h AWAY :x", ":anna!a@h AWAY :x")
    #expect(talk.takeEvents() == [.present(user("ben"), room: "#tea", away: "lunch")])
    talk.enter("#milk", with: "@ben carla")
    #expect(
      talk.takeEvents().contains(
        .present(user("ben"), room: "#milk", away: "lunch", rank: "operator")))
    talk.receive(":ben!b@h AWAY")
    #expect(talk.takeEvents().count == 1)
    talk.receive(":ben!b@h AWAY *")
    let isAway = talk.events.contains {
      if case .present(_, _, "", _, _) = $0 { true } else { false }
    }
    #expect(isAway)
  }

  @Test("that somebody is away is said once, not with each message to them")
  func awayNotices() {
    var talk = talk()
    talk.receive(":srv 301 anna ben :at lunch", ":srv 301 anna Ben :at lunch")
    #expect(
      talk.takeEvents() == [
        .present(user("ben"), room: "#tea", away: "at lunch"), .notice("ben is away: at lunch"),
      ])
    talk.receive(":srv 301 anna zed :gone", ":srv 301 anna zed :gone")
    #expect(talk.takeEvents() == [.notice("zed is away: gone")])
    talk.receive(":srv 301 anna zed :asleep", ":srv 301 anna zed :asleep")
    #expect(talk.takeEvents() == [.notice("zed is away: asleep")])
  }

  // MARK: Invitations

  @Test("an invitation is one for the owner, into a room")
  func invitations() {
    var talk = talk(["invite-notify"])
    talk.receive(
      ":ben!b@h INVITE anna #milk", ":ben!b@h INVITE carla #milk", ":ben!b@h INVITE anna ben")
    #expect(talk.takeEvents() == [.invited(room: "#milk", by: user("ben"))])
    talk.wait(60_000)
    #expect(talk.events == [.countStrangers])
  }
}
