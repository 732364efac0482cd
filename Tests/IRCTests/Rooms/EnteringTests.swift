// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Testing

@testable import IRC

/// Rooms that the owner enters and leaves.
@Suite("entering and leaving rooms on IRC")
struct EnteringTests {
  private func request(
    _ id: Int64, _ verb: NetworkRequest.Verb, _ target: String, secret: String = ""
  ) -> IRCClientEvent {
    .requests([NetworkRequest(id: id, verb: verb, target: target, secret: secret)])
  }

  private func people(_ talk: IRCTalk, in room: String) -> Set<String> {
    Set(
      talk.events.compactMap {
        if case .present(let user, room, _, let rank, _) = $0 {
          user.name + (rank.isEmpty ? "" : " (\(rank))")
        } else {
          nil
        }
      })
  }

  @Test("the rooms of last time are entered with few lines, and the status counts them")
  func several() {
    let rooms = (1...45).map { "#room\($0)" }
    var talk = IRCTalk(rooms: rooms)
    let lines = talk.takeSent().filter { $0.hasPrefix("JOIN") }
    #expect(lines.count == 3)
    #expect(lines.allSatisfy { $0.utf8.count <= 510 })
    let names = lines.flatMap { $0.dropFirst("JOIN ".count).split(separator: ",") }
    #expect(Set(names.map(String.init)) == Set(rooms))
    #expect(talk.client.status == .connected([.entering(rooms: 45)]))
    for room in rooms { talk.enter(room) }
    #expect(talk.client.status == .connected([]))
    var limited = IRCTalk(support: "TARGMAX=JOIN:2,PRIVMSG:4", rooms: ["#a", "#b", "#c"])
    #expect(limited.takeSent() == ["JOIN #a,#b", "JOIN #c"])
    var unlimited = IRCTalk(support: "TARGMAX=JOIN:", rooms: rooms)
    #expect(unlimited.takeSent().count == 1)
  }

  @Test("the passwords of rooms that the owner is in are kept, and used in the next process")
  func keptPasswords() {
    func kept(_ talk: IRCTalk) -> [String] {
      talk.effects.compactMap { if case .learned("keys", let keys) = $0 { keys } else { nil } }
    }
    var talk = IRCTalk()
    talk.tell(request(1, .join, "#Tea", secret: "green"))
    talk.tell(request(2, .join, "#milk", secret: "wrong"))
    talk.receive(":srv 475 anna #milk :Cannot join channel (+k)")
    #expect(kept(talk).isEmpty)
    talk.enter("#Tea")
    // A kill after the answer must not lose the password.
    let answered = talk.effects.firstIndex {
      guard case .store(let events) = $0 else { return false }
      return events.contains { if case .answered(_, "") = $0 { true } else { false } }
    }
    let keptAt = talk.effects.firstIndex(of: .learned("keys", "#tea green"))
    #expect(keptAt.map { $0 < answered ?? -1 } == true)
    talk.receive(":ben!b@h MODE #Tea +k black")
    talk.receive(":ben!b@h MODE #Tea -k black")
    talk.receive(":ben!b@h MODE #Tea +k black")
    talk.tell(request(3, .leave, "#tea"))
    #expect(kept(talk) == ["#tea green", "#tea black", "", "#tea black", ""])

    var start = IRCClient.Start()
    start.rooms = ["#tea"]
    var next = IRCClient(start)
    next.prepare([:], keys: "#tea black #gone x")
    _ = next.handle(.up(Login.Welcome(nick: "anna", capabilities: Capabilities())), at: 1_000)
    let effects = next.handle(
      .lines([IRCLine(":srv 422 anna :No MOTD")].compactMap(\.self)), at: 1_000)
    #expect(effects.contains(.act(.send([IRCLine("JOIN", ["#tea", "black"])]))))
    #expect(!effects.contains { if case .learned = $0 { true } else { false } })
  }

  @Test("the owner is in a room when its names are complete, with all of them in one batch")
  func names() {
    var talk = IRCTalk(support: "CHANTYPES=# PREFIX=(qaohv)~&@%+", rooms: ["#tea"])
    talk.receive(
      ":anna!a@h JOIN #Tea", ":srv 332 anna #Tea :Green \u{02}tea\u{02}",
      ":srv 353 anna = #Tea :anna ~@ben!b@host &carla", ":srv 353 anna @ #Tea :%dan +eve!e@h %+fay")
    #expect(!talk.events.contains(.joined(room: "#tea", nick: "anna")))
    #expect(talk.events.contains(.topic(room: "#tea", text: "Green *tea*", by: nil, at: nil)))
    talk.receive(":srv 366 anna #Tea :End of /NAMES list.")
    #expect(talk.events.contains(.joined(room: "#tea", nick: "anna")))
    #expect(talk.events.contains(.roomNamed(room: "#tea", name: "#Tea")))
    #expect(
      people(talk, in: "#tea") == [
        "ben (founder)", "carla (administrator)", "dan (half-operator)", "eve (voice)",
        "fay (half-operator)",
      ])
    // Whoever asks for the names again changes nothing.
    _ = talk.takeEvents()
    talk.receive(":srv 353 anna = #tea :@eve", ":srv 366 anna #tea :End")
    #expect(talk.events.isEmpty)
  }

  @Test("each of several requests to enter a room is answered, with the password that was given")
  func requests() {
    var talk = IRCTalk()
    talk.tell(request(1, .join, "#tea", secret: "green"))
    talk.tell(request(2, .join, "#tea"))
    #expect(talk.takeSent() == ["JOIN #tea green", "JOIN #tea green"])
    talk.enter("#tea")
    #expect(talk.answers == ["1: ", "2: "])
    talk.tell(request(3, .join, "#tea"))
    #expect(talk.answers.last == "3: ")
    // After a break it is entered with the password as well.
    talk.reconnect()
    #expect(talk.takeSent().contains("JOIN #tea green"))
  }

  @Test("a room with a password is entered with a line of its own, the others with one")
  func passwords() {
    var talk = IRCTalk()
    for (id, room) in ["#b", "#c"].enumerated() {
      talk.tell(request(Int64(id), .join, room, secret: "key\(id)"))
      talk.enter(room)
    }
    for (id, room) in ["#d", "#a"].enumerated() {
      talk.tell(request(Int64(id + 2), .join, room))
      talk.enter(room)
    }
    _ = talk.takeSent()
    talk.reconnect()
    #expect(talk.takeSent() == ["JOIN #b key0", "JOIN #c key1", "JOIN #a,#d"])
  }

  @Test("a refusal is a sentence; a room of last time is lost for now, a new one is left")
  func refusals() {
    let sentences = [
      471: "#tea is full.", 473: "You need an invitation to enter #tea.",
      474: "#tea has banned you.", 475: "#tea has a password: /join #tea --password PASSWORD",
      477: "#tea is only for people who are logged in to an account of the network.",
      489: "#tea is only for people with an encrypted connection.",
      405: "You are in too many rooms.", 403: "The server has no room #tea (words).",
      437: "You cannot enter #tea (words).",
    ]
    for (number, sentence) in sentences {
      var talk = IRCTalk(rooms: ["#tea"])
      talk.receive(":srv \(number) anna #tea :words")
      #expect(talk.events.contains(.lost(room: "#tea", reason: "\(sentence)")), "\(number)")
      talk.write("one")
      #expect(talk.results == ["1 failed: \(sentence)"])
      #expect(talk.client.status == .connected([]))
      // A new connection is a new try.
      _ = talk.takeSent()
      talk.reconnect()
      #expect(talk.takeSent() == ["JOIN #tea"])

      var new = IRCTalk()
      new.tell(request(1, .join, "#tea"))
      new.receive(":srv \(number) anna #tea :words")
      #expect(new.events.contains(.left(room: "#tea", reason: "\(sentence)")))
      #expect(new.answers == ["1: \(sentence)"])
      _ = new.takeSent()
      new.reconnect()
      #expect(new.takeSent().isEmpty)
    }
  }

  @Test("the same numbers about a room where the owner is are not about entering")
  func lateRefusals() {
    var talk = IRCTalk()
    talk.enter("#tea")
    _ = talk.takeEvents()
    talk.receive(":srv 477 anna #tea :words", ":srv 474 anna #other :words")
    #expect(talk.events.isEmpty)
  }

  @Test(
    "whatever the server says against an entry ends it",
    arguments: [
      (":srv 926 anna #tea :Channel is forbidden", "You cannot enter #tea (Channel is forbidden)."),
      (":srv 520 anna #tea :Only for operators", "You cannot enter #tea (Only for operators)."),
      ("FAIL JOIN NO_ENTRY #tea :Not you", "You cannot enter #tea (Not you)."),
    ])
  func otherRefusals(line: String, sentence: String) {
    var talk = IRCTalk()
    talk.tell(request(1, .join, "#tea"))
    talk.receive(":srv 482 anna #tea :You are not an operator", ":srv 926 anna #milk :No")
    #expect(talk.answers.isEmpty)
    talk.receive(line)
    #expect(talk.answers == ["1: " + sentence])
    #expect(talk.client.status == .connected([]))
  }

  @Test("a room for people who are logged in is tried again after a login, another room is not")
  func laterLogin() {
    var talk = IRCTalk(rooms: ["#members", "#banned"])
    talk.receive(":srv 477 anna #members :words", ":srv 474 anna #banned :words")
    _ = talk.takeSent()
    talk.receive(":srv 900 anna anna!a@h anna :You are now logged in")
    #expect(talk.takeSent() == ["JOIN #members"])
    talk.enter("#members")
    #expect(talk.events.contains(.joined(room: "#members", nick: "anna")))
  }

  @Test("a server that does not answer is not waited for without end")
  func silence() {
    var talk = IRCTalk(rooms: ["#tea", "#slow"])
    talk.tell(request(1, .join, "#new"))
    talk.receive(":anna!a@h JOIN #slow", ":srv 353 anna = #slow :@ben")
    talk.write("one", to: .room("#slow"))
    talk.wait(120_000)
    let sentence = "The server does not answer."
    #expect(talk.events.contains(.lost(room: "#tea", reason: "\(sentence)")))
    #expect(talk.answers == ["1: \(sentence)"])
    // Where the end of the names is missing, the owner is.
    #expect(talk.events.contains(.joined(room: "#slow", nick: "anna")))
    #expect(talk.takeSent().contains("PRIVMSG #slow :one"))
    // If it comes after all, the owner is there.
    talk.enter("#tea")
    #expect(talk.events.contains(.joined(room: "#tea", nick: "anna")))
  }

  @Test("lines that wait for their turn are no silence")
  func slowJoins() {
    var talk = IRCTalk(
      support: "TARGMAX=JOIN:1", settings: ["flood": "1/60"],
      rooms: ["#a", "#b", "#c", "#d", "#e"])
    for _ in 0..<4 {
      talk.wait(60_000)
      for room in ["#a", "#b", "#c", "#d"] where talk.takeSent().contains("JOIN \(room)") {
        talk.enter(room)
      }
    }
    #expect(!talk.events.contains { if case .lost = $0 { true } else { false } })
  }

  @Test("who is sent to another room is told so, and is there")
  func forward() {
    var talk = IRCTalk(rooms: ["#tea"])
    talk.receive(":srv 470 anna #tea ##tea :Forwarding to another channel")
    #expect(
      talk.events.contains(
        .forwarded(room: "#tea", to: "##tea", reason: "#tea redirected you to ##tea.")))
    talk.enter("##tea")
    #expect(talk.events.contains(.joined(room: "##tea", nick: "anna")))
    var asked = IRCTalk()
    asked.tell(request(1, .join, "#tea"))
    asked.receive(":srv 470 anna #tea ##tea :Forwarding to another channel")
    #expect(asked.answers == ["1: #tea redirected you to ##tea."])
    #expect(asked.events.contains(.forwarded(room: "#tea", to: "##tea", reason: nil)))
    // To where the owner is already, nothing follows.
    var inside = IRCTalk()
    inside.enter("##tea")
    inside.tell(request(1, .join, "#tea"))
    inside.receive(":srv 470 anna #tea ##tea :Forwarding to another channel")
    #expect(inside.client.status == .connected([]))
    inside.write("one", to: .room("##tea"))
    #expect(inside.takeSent().contains("PRIVMSG ##tea :one"))
  }

  @Test("the owner leaves, is removed, and is told by whom")
  func leaving() {
    var talk = IRCTalk()
    for room in ["#a", "#b", "#c", "#d"] { talk.enter(room) }
    _ = (talk.takeSent(), talk.takeEvents())
    talk.tell(request(1, .leave, "#a"))
    #expect(talk.takeSent() == ["PART #a"])
    var saying = IRCTalk()
    saying.enter("#a")
    _ = saying.takeSent()
    saying.tell(
      .requests([NetworkRequest(id: 1, verb: .leave, target: "#a", text: "so long,\r\nQUIT")]))
    #expect(saying.takeSent() == ["PART #a :so long,QUIT"])
    talk.receive(":anna!a@h PART #a")
    talk.receive(
      ":ben!b@h KICK #b anna :spam", ":ben!b@h KICK #c anna :anna", ":anna!a@h PART #d :bye")
    #expect(
      talk.takeEvents().filter { if case .left = $0 { true } else { false } } == [
        .left(room: "#a", reason: nil), .left(room: "#b", reason: "ben removed you from #b: spam"),
        .left(room: "#c", reason: "ben removed you from #c."), .left(room: "#d", reason: nil),
      ])
    talk.write("one", to: .room("#b"))
    #expect(talk.results == ["1 failed: You are not in #b."])
    talk.reconnect()
    #expect(!talk.takeSent().contains { $0.hasPrefix("JOIN") })
  }

  @Test("who leaves before the entry is through has left")
  func leavingEarly() {
    var talk = IRCTalk()
    talk.tell(request(1, .join, "#tea"))
    talk.tell(request(2, .leave, "#tea"))
    #expect(talk.takeSent() == ["JOIN #tea", "PART #tea"])
    #expect(talk.answers.sorted() == ["1: ", "2: "])
    talk.enter("#tea")
    talk.receive(":anna!a@h PART #tea")
    #expect(talk.events.last == .left(room: "#tea", reason: nil))
  }

  @Test("rooms have their own names, with all their signs")
  func signs() {
    var talk = IRCTalk(support: "CHANTYPES=#&+!", rooms: ["#tea"])
    for room in ["##tea", "&tea", "+tea", "!tea", "#tea[x]"] {
      talk.enter(room)
      talk.receive(":ben!b@h PRIVMSG \(room) :hi")
    }
    let rooms = talk.events.compactMap {
      if case .messageReceived(_, .room(let address)) = $0 { address } else { nil }
    }
    #expect(rooms == ["##tea", "&tea", "+tea", "!tea", "#tea{x}"])
  }

  @Test("a room with another name takes its people along")
  func rename() {
    var talk = IRCTalk()
    talk.enter("#tea")
    _ = (talk.takeSent(), talk.takeEvents())
    talk.receive(":ben!b@h RENAME #tea #GreenTea :better")
    #expect(
      talk.events.first
        == .roomMoved(
          room: "#tea", to: "#greentea",
          by: NetworkUser(identity: "ben", name: "ben", isVerified: false),
          words: "#tea is now called #GreenTea."))
    #expect(talk.events.contains(.joined(room: "#greentea", nick: "anna")))
    #expect(talk.events.contains(.roomNamed(room: "#greentea", name: "#GreenTea")))
    #expect(people(talk, in: "#greentea") == ["ben (operator)", "carla"])
    talk.write("one", to: .room("#greentea"))
    #expect(talk.takeSent().contains("PRIVMSG #greentea :one"))
    // Only capitals.
    _ = talk.takeEvents()
    talk.receive(":ben!b@h RENAME #greentea #greenTEA :louder")
    #expect(talk.events.contains(.roomNamed(room: "#greentea", name: "#greenTEA")))
    #expect(!talk.events.contains { if case .roomMoved = $0 { true } else { false } })
    // A server has no name in the room.
    _ = talk.takeEvents()
    talk.receive(":irc.srv RENAME #greentea #milk :")
    #expect(
      talk.events.first
        == .roomMoved(
          room: "#greentea", to: "#milk", by: nil, words: "#greentea is now called #milk."))
    talk.receive(":irc.srv RENAME #milk #greentea :")
    // What is not known, or is no room, has no other name.
    _ = talk.takeEvents()
    talk.receive(":ben!b@h RENAME #x #y", ":ben!b@h RENAME #greentea ben")
    #expect(talk.events.isEmpty)
  }

  @Test("what the owner wrote in a room goes to the room under its new name, once")
  func renameOutbox() {
    var talk = IRCTalk(["echo-message"], settings: ["flood": "1/2"])
    talk.enter("#tea")
    talk.wait(10_000)
    talk.forget()
    talk.write("one\ntwo")
    talk.write("three")
    #expect(talk.takeSent() == ["PRIVMSG #tea :one"])
    // The server gets the first part after the change.
    talk.receive(
      ":ben!b@h RENAME #tea #GreenTea :better", ":srv 403 anna #tea :No such channel")
    #expect(talk.results.isEmpty)
    var sent: [String] = []
    for text in ["one", "two", "three"] {
      talk.wait(2_000)
      sent += talk.takeSent()
      talk.receive(":anna!a@h PRIVMSG #GreenTea :\(text)")
    }
    #expect(sent == ["one", "two", "three"].map { "PRIVMSG #greentea :\($0)" })
    #expect(talk.results == ["1 sent", "2 sent"])
    #expect(talk.said.isEmpty)
  }

  @Test("a server that puts the owner into a room does so")
  func forced() {
    var talk = IRCTalk()
    talk.receive(":anna!a@h JOIN ben", ":anna!a@h JOIN :")
    #expect(talk.client.rooms.byAddress.isEmpty)
    talk.enter("#lobby")
    #expect(talk.events.contains(.joined(room: "#lobby", nick: "anna")))
    _ = talk.takeSent()
    talk.reconnect()
    #expect(talk.takeSent() == ["JOIN #lobby"])
  }

  @Test("behind a bouncer, the rooms come by themselves, and messages wait for them")
  func bouncer() {
    let network = "CHANTYPES=# BOUNCER_NETID=1"
    var talk = IRCTalk(
      ["echo-message"], support: network, rooms: ["#tea/net", "#left/net"], scope: "/net")
    #expect(!talk.takeSent().contains { $0.hasPrefix("JOIN") })
    talk.write("one", to: .room("#tea/net"))
    talk.write("two", to: .room("#left/net"))
    #expect(talk.results.isEmpty)
    talk.enter("#tea")
    #expect(talk.events.contains(.joined(room: "#tea/net", nick: "anna")))
    #expect(people(talk, in: "#tea/net") == ["ben (operator)", "carla"])
    #expect(talk.takeSent().contains("PRIVMSG #tea :one"))
    // The owner has left this one with another client.
    talk.wait(120_000)
    #expect(talk.results == ["2 failed: You are not in #left."])
    #expect(!talk.events.contains { if case .lost = $0 { true } else { false } })
  }

  @Test("the names of a bouncer's networks tell rooms and people apart")
  func scopes() {
    var talk = IRCTalk(["echo-message"], support: "CHANTYPES=#", scope: "/net")
    talk.enter("#tea")
    talk.receive(
      ":ben!b@h PRIVMSG #tea :hi", ":ben!b@h PRIVMSG anna :psst", ":carla!c@h NICK carlotta")
    let places = talk.events.compactMap {
      if case .messageReceived(let message, let place) = $0 {
        (message.speaker.identity, place)
      } else {
        nil
      }
    }
    #expect(places.map(\.0) == ["ben/net", "ben/net"])
    #expect(places.map(\.1) == [.room("#tea/net"), .direct("ben/net")])
    let carla = NetworkUser(identity: "carlotta/net", name: "carlotta", isVerified: false)
    #expect(talk.events.contains(.renamed(carla, room: nil, former: "carla/net")))
    talk.write("hello", to: .direct("carlotta/net"))
    #expect(talk.takeSent().last == "PRIVMSG carlotta :hello")
  }

  @Test("a list of names that the server does not end is complete after ten seconds of silence")
  func noEndOfNames() {
    var talk = IRCTalk()
    talk.tell(request(1, .join, "#tea"))
    talk.write("hi")
    talk.receive(":anna!~anna@host JOIN #tea", ":srv 353 anna = #tea :anna @ben")
    talk.wait(9_999)
    talk.receive(":srv 353 anna = #tea :carla")
    talk.wait(9_999)
    #expect(talk.client.status == .connected([.entering(rooms: 1)]))
    talk.wait(1)
    #expect(talk.client.status == .connected([]))
    #expect(talk.answers == ["1: "])
    #expect(people(talk, in: "#tea") == ["ben (operator)", "carla"])
    #expect(talk.takeSent().contains("PRIVMSG #tea :hi"))
  }

  @Test("14.12: several rooms are one JOIN, as far as the server allows")
  func joinsAtOnce() {
    var talk = IRCTalk(support: "TARGMAX=JOIN:3")
    talk.tell(
      .requests(
        ["#a", "#b", "#b", "#c", "#d"].enumerated().map { number, room in
          NetworkRequest(id: Int64(number), verb: .join, target: room)
        }))
    #expect(talk.takeSent() == ["JOIN #a,#b,#c", "JOIN #d"])
    talk.tell(
      .requests([
        NetworkRequest(id: 10, verb: .join, target: "#e", secret: "k"),
        NetworkRequest(id: 11, verb: .join, target: "#f"),
      ]))
    #expect(talk.takeSent() == ["JOIN #e k", "JOIN #f"])
  }
}
