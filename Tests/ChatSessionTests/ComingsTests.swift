// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Platform
import StyledText
import Testing

@testable import ChatParts
@testable import ChatPreferences
@testable import ChatRendering
@testable import ChatSession
@testable import NetworkInbox

/// Where one is, and who comes and goes.
@MainActor
@Suite("Entering, and people who come and go")
struct ComingsTests {
  // MARK: Entering (rule 13.4)

  /// The rule without the day.
  private func entrance(_ line: String?) -> String {
    let day = LocalTime.day(Clock.wall()).string
    return (line ?? "").replacing(day, with: "DAY")
  }

  @Test("13.4: entering prints a rule: at the start, in a new room, in a chat, on return")
  func rule() throws {
    let town = try Town()
    let anna = try town.person("anna")
    #expect(entrance(anna.news().first) == "── #lobby · DAY · alone here ──")
    anna.say("/join tea")
    #expect(anna.news().map(entrance) == ["── #tea · DAY · new room ──"])
    anna.say("/switch lobby")
    anna.say("/join tea")
    #expect(anna.news().map(entrance).last == "── #tea · DAY · alone here ──")
    _ = try town.person("ben", in: "tea")
    _ = try town.person("carl", in: "tea")
    anna.say("/switch lobby")
    #expect(anna.news().map(entrance) == ["── #lobby · DAY · alone here ──"])
    anna.say("/topic tea at noon")
    _ = anna.news()
    anna.say("/switch tea")
    #expect(anna.news().map(entrance) == ["── #tea · DAY · 2 others here ──"])
    anna.say("/switch lobby")
    #expect(
      anna.news().map(entrance) == ["── #lobby · DAY · alone here · topic: tea at noon ──"])
    anna.say("/msg ben")
    #expect(anna.news().map(entrance) == ["── @ben · DAY · 1 other here ──"])
  }

  @Test("13.4: joining several rooms names each one that is new")
  func severalNewRooms() throws {
    let town = try Town()
    let anna = try town.person("anna")
    _ = try town.person("ben", in: "tea")
    anna.say("/join cake,tea,jam")
    let printed = anna.news().map(entrance)
    #expect(
      printed.suffix(2) == [
        "You are also in #cake (new room), #tea.", "── #jam · DAY · new room ──",
      ])
  }

  @Test("13.4: a room that is named twice is joined once", arguments: ["jam,jam", "jam,#jam"])
  func sameRoomTwice(names: String) throws {
    let anna = try Town().person("anna")
    _ = anna.news()
    anna.say("/join " + names)
    #expect(anna.news().map(entrance) == ["── #jam · DAY · new room ──"])
    anna.say("/join cake,cake,jam")
    #expect(anna.news().first == "You are also in #cake (new room).")
  }

  @Test("13.4, 7.5: the day is not repeated before its first message")
  func dayOnce() throws {
    let town = try Town()
    let (anna, ben) = (try town.person("anna"), try town.person("ben"))
    anna.say("hello")
    anna.say("/join tea")
    _ = anna.news()
    anna.say("/switch lobby")
    ben.say("again")
    anna.look()
    let printed = anna.news()
    #expect(printed.count == 3 && printed[0].hasPrefix("── #lobby · "), "\(printed)")
  }

  @Test("13.4: the rule is a line of text in plain mode; a batch prints none")
  func faces() throws {
    let town = try Town()
    let anna = try town.person("anna", outputMode: .plain)
    #expect(anna.news().map(entrance) == ["#lobby, DAY, alone here"])
    let ben = try town.person("ben", outputMode: .batch)
    ben.say("/join tea")
    #expect(ben.news().joined() == "")
  }

  // MARK: Who comes and goes (rule 13.5)

  @Test("13.5: joins, leaves and name changes are one line, after five seconds")
  func joinsAndLeaves() throws {
    let town = try Town()
    let anna = try town.person("anna")
    let (ben, carl) = (try town.person("ben", in: "tea"), try town.person("carl", in: "tea"))
    let dora = try town.person("dora")
    _ = anna.news()
    ben.say("/join lobby")
    anna.look()
    anna.wait(4000)
    #expect(anna.news() == [])
    carl.say("/join lobby")
    dora.say("/nick dorothea")
    anna.look()
    anna.wait(1000)
    #expect(anna.news() == ["→ ben and carl joined · dora is now dorothea"])
    #expect(anna.session.deadline == nil)
    ben.say("/leave")
    anna.look()
    anna.wait(5000)
    #expect(anna.news() == ["← ben left"])
  }

  @Test("13.5: opening or closing a shell, or switching, is no event; nor is what one does oneself")
  func noComings() throws {
    let town = try Town()
    let anna = try town.person("anna")
    let ben = try town.person("ben")
    ben.say("/join tea")
    ben.say("/switch lobby")
    ben.say("/join lobby")
    ben.tell(.leave(status: 0))
    anna.say("/join tea")
    anna.say("/switch lobby")
    let other = try town.person("anna")
    other.say("/nick annette")
    other.say("/leave tea")
    _ = anna.news()
    anna.look()
    anna.wait(10_000)
    #expect(anna.news() == [])
  }

  @Test("13.5: a join stands above the first message of the person who joined")
  func aboveTheMessage() throws {
    let town = try Town()
    let (anna, ben) = (try town.person("anna"), try town.person("ben", in: "tea"))
    _ = anna.news()
    ben.say("/join lobby")
    ben.say("hello")
    anna.look()
    let printed = anna.news()
    #expect(printed.first == "→ ben joined" && printed.last?.hasSuffix("ben: hello") == true)
    anna.wait(10_000)
    #expect(anna.news() == [])
  }

  @Test("13.5: what is printed in the meantime stands below those who came before it")
  func aboveWhatOthersSay() throws {
    let town = try Town()
    let (anna, ben) = (try town.person("anna"), try town.person("ben"))
    let carl = try town.person("carl", in: "tea")
    carl.say("/join lobby")
    anna.look()
    anna.wait(1000)
    _ = anna.news()
    ben.say("so")
    anna.look()
    #expect(anna.news().map { $0.suffix(8) } == ["l joined", " ben: so"])
    carl.say("/leave")
    anna.look()
    _ = anna.news()
    anna.say("mine")
    #expect(anna.news().map { $0.suffix(9) } == ["carl left", "nna: mine"])
    anna.wait(10_000)
    #expect(anna.news() == [])
  }

  @Test("13.5: a person who leaves after writing leaves below their message")
  func belowTheMessage() throws {
    let town = try Town()
    let (anna, ben) = (try town.person("anna"), try town.person("ben"))
    _ = anna.news()
    ben.say("bye")
    ben.say("/leave")
    anna.look()
    anna.wait(5000)
    let printed = anna.news()
    #expect(printed.first?.hasSuffix("ben: bye") == true && printed.last == "← ben left")
  }

  @Test("13.5: several changes by one person are one, from the first to the last")
  func steps() throws {
    let town = try Town()
    let anna = try town.person("anna")
    let people = try ["ben", "carl", "dora", "emil"].map { try town.person($0) }
    people[2].say("/leave")
    anna.look()
    anna.wait(5000)
    _ = anna.news()
    for lines in [
      ["/leave", "/nick c2", "/join lobby", "/nick x"],
      ["/join lobby", "/nick c3", "/leave", "/nick emil"],
    ] {
      for (who, line) in zip([0, 1, 2, 3], lines) { people[who].say(line) }
      anna.look()
    }
    anna.wait(5000)
    #expect(
      anna.news() == ["← dora joined and left · → ben left and came back · carl is now c3"])
  }

  @Test("13.5: a room of twenty is not large; a larger one shows only those who spoke")
  func boundaries() throws {
    let town = try Town()
    let anna = try town.person("anna")
    let lobby = try #require(anna.session.open.conversation).id
    func fill(to count: Int) throws {
      for number in 1..<count {
        try anna.store.writeDurablyIfNeeded {
          try $0.join(
            $0.participant(identity: "p\(number)").id, lobby
          )
        }
      }
    }
    func told(of name: String) throws -> [String] {
      _ = anna.news()
      let one = try anna.store.writeDurablyIfNeeded { try $0.participant(identity: name) }.id
      try anna.store.writeDurablyIfNeeded { try $0.leave(one, lobby) }
      try anna.store.writeDurablyIfNeeded { try $0.join(one, lobby) }
      anna.look()
      anna.wait(5000)
      return anna.news()
    }
    try fill(to: 20)
    anna.look()
    anna.wait(5000)
    #expect(try told(of: "p1") != [])
    try fill(to: 21)
    anna.look()
    anna.wait(5000)
    #expect(try told(of: "p1") == [])
    let ben = try anna.store.writeDurablyIfNeeded { try $0.participant(identity: "p2") }.id
    _ = try anna.store.writeDurably { try $0.send("I speak", in: lobby, by: ben, typed: nil) }
    #expect(try told(of: "p2") != [])
  }

  @Test("13.5: in a room of more than 20: those who spoke lately, everyone, or no one")
  func largeRooms() throws {
    let town = try Town()
    let anna = try town.person("anna")
    let (ben, carl) = (try town.person("ben"), try town.person("carl"))
    for number in 1...20 {
      let one = try anna.store.writeDurablyIfNeeded { try $0.participant(identity: "p\(number)") }
      try anna.store.writeDurablyIfNeeded {
        try $0.join(one.id, try #require(anna.session.open.conversation).id)
      }
    }
    ben.say("I spoke")
    func told(_ events: String) -> [String] {
      anna.say("/set events \(events)")
      anna.look()
      anna.wait(5000)
      _ = anna.news()
      for one in [ben, carl] { one.say("/leave") }
      anna.look()
      anna.wait(5000)
      defer { for one in [ben, carl] { one.say("/join lobby") } }
      return anna.news()
    }
    #expect(told("active") == ["← ben left"])
    #expect(told("all") == ["← ben and carl left"])
    #expect(told("off") == [])
  }

  @Test("13.5, 7.6: joins and leaves during a pause are printed with the rest")
  func held() throws {
    let town = try Town()
    let (anna, ben) = (try town.person("anna"), try town.person("ben"))
    anna.say("/pause")
    _ = anna.news()
    ben.say("/leave")
    anna.look()
    anna.wait(5000)
    #expect(anna.news() == [])
    anna.say("/bottom")
    #expect(anna.news() == ["← ben left"])
  }

  @Test("13.5: of very many people, the first are named and the others counted")
  func veryMany() throws {
    let town = try Town()
    let anna = try town.person("anna")
    let people = try (1...13).map { try town.person("p\($0)", in: "tea") }
    _ = anna.news()
    for one in people { one.say("/join lobby") }
    anna.look()
    anna.wait(5000)
    #expect(anna.news() == ["→ p1, p2, p3, p4, p5, p6, p7, p8, p9, p10 and 3 more joined"])
  }

  @Test("13.5: changes by others share a line with joins; what is about me comes at once")
  func moderation() throws {
    let town = try Town()
    let anna = try town.person("anna")
    let account = try anna.added()
    anna.say("/join tea@rooms.x.org")
    let network = try town.store()
    let ben = NetworkUser(identity: "ben@x.org", name: "ben")
    func apply(_ events: [NetworkEvent]) throws {
      try network.inbox.apply(events, of: account)
      anna.look()
    }
    func moderated(
      _ sentence: Remark, by user: NetworkUser? = ben, isAboutOwner: Bool = false
    ) -> NetworkEvent {
      .moderated(sentence, room: "tea@rooms.x.org", by: user, isAboutOwner: isAboutOwner)
    }
    try apply([
      .present(ben, room: "tea@rooms.x.org"), .joined(room: "tea@rooms.x.org", nick: "anna"),
    ])
    _ = anna.news()
    try apply([
      .present(NetworkUser(identity: "kim", name: "kim"), room: "tea@rooms.x.org"),
      moderated("ben made kim an operator"), moderated("x.org set +m\u{1B}[31m", by: nil),
    ])
    #expect(anna.news() == [])
    anna.wait(5000)
    #expect(
      anna.news() == ["→ kim joined · ben made kim an operator · x.org set +m^[[31m"])
    anna.say("/set events off")
    _ = anna.news()
    try apply([moderated("ben made kim an operator")])
    try apply([moderated("ben gave you voice", isAboutOwner: true)])
    anna.wait(0)
    #expect(anna.news() == ["ben gave you voice"])
  }
}
