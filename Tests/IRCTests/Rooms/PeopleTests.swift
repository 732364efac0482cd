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
    #expect(talk.takeEvents() == [.present(user("carla"), room: "#tea")])
    // Whoever is known nowhere leaves nothing.
    talk.receive(":zed!z@h QUIT :x", ":zed!z@h PART #tea", ":ben!b@h KICK #tea zed :x")
    #expect(talk.events.isEmpty)
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
    #expect(talk.takeEvents().contains(.renamed(annie, room: nil, former: "anna")))
    talk.receive(":ben!b@h PRIVMSG annie :hi", ":ben!b@h PRIVMSG anna :hi")
    #expect(talk.said == ["ben: hi"])
  }

  @Test("names are equal as the server says")
  func caseMappings() {
    func folded(_ mapping: String) -> [String] {
      var talk = talk(support: "CHANTYPES=# CASEMAPPING=\(mapping)", names: "")
      talk.receive(":A[]\\~!a@h JOIN #tea", ":Ä^!a@h JOIN #tea")
      return talk.events.compactMap {
        if case .present(let user, _, _, _) = $0 { user.identity } else { nil }
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
      talk.events == [
        .ranked(user("carla"), room: "#tea", rank: isNegative ? "" : "operator")
      ])
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
    #expect(talk.events.isEmpty)
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
    #expect(talk.events.count == 1)
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
