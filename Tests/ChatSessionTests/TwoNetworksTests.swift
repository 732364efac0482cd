// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Testing

@testable import ChatParts
@testable import ChatSession
@testable import NetworkInbox

/// Two networks with rooms and people of the same names.
@MainActor
@Suite("Names that exist on two networks")
struct TwoNetworksTests {
  private let town: Town
  private let anna: Person
  private let accounts: [Account]

  init() throws {
    town = try Town()
    anna = try town.person("anna")
    let (person, servers) = (anna, ["one.org", "two.org"])
    accounts = try servers.map { server in
      let account = try person.added("stub:anna@" + server)
      try person.provide(
        AddressRules(roomSigns: "#", folding: .rfc1459, identityScope: .network), for: account)
      let bot = NetworkUser(identity: "bot", name: "bot")
      person.say("/join #tea@" + server)
      try person.store.inbox.apply(
        [
          .joined(room: "#tea", nick: "anna"), .present(bot, room: "#tea"),
          .messageReceived(
            NetworkMessage(
              name: MessageIDs(archive: "1"), speaker: bot, body: "hello from " + server),
            in: .room("#tea")),
        ], of: account)
      person.look()
      return account
    }
  }

  private func person(_ identity: String, at network: Int) throws -> Participant {
    try #require(
      try anna.store.read {
        try $0.networkPerson(at: identity, network: accounts[network].network)
      })
  }

  private var ignored: Set<ID<Participant>> {
    get throws { try anna.store.read { try $0.attention(of: anna.session.me.id) }.ignoredPeople }
  }

  @Test(
    "2.5: a name means somebody on the open conversation's network, and elsewhere needs the server")
  func people() throws {
    for (network, server) in ["one.org", "two.org"].enumerated() {
      anna.say("/switch #tea@" + server)
      let bot = try person("bot", at: network)
      #expect(anna.say("/ignore bot"))
      #expect(try ignored == [bot.id])
      #expect(
        anna.printed.last
          == "Messages from @bot@\(server) are hidden until /unignore @bot@\(server).")
      _ = anna.news()
      anna.say("/ignore")
      #expect(anna.news() == ["  @bot@" + server])
      #expect(anna.say("/unignore bot"))
      #expect(try ignored == [])
      // As the hint says, wherever it is typed.
      #expect(anna.say("/ignore @bot"))
      anna.say("/switch lobby")
      anna.say("/unignore @bot")
      #expect(anna.question?.text.contains("Which @bot?") == true)
      #expect(anna.say("/unignore @bot@" + server))
      #expect(try ignored == [])
      anna.say("/switch #tea@" + server)
      _ = anna.news()
      #expect(anna.say("/search from:bot"))
      let found = anna.news().filter { $0.contains("hello from") }
      #expect(found.count == 1 && found[0].contains("hello from " + server), "\(found)")
      #expect(anna.say("/switch @bot"))
      #expect(anna.session.open.conversation?.network == accounts[network].network)
    }
  }

  @Test("1.13: of two rooms by a name, the one where I am is meant")
  func rooms() throws {
    anna.say("/switch lobby")
    anna.say("/switch #tea")
    let question = try #require(anna.question)
    #expect(
      question.text.contains("1: #tea@one.org, 2: #tea@two.org"), "\(question.text)")
    anna.answer("x")
    #expect(anna.session.open.conversation?.name == "#lobby")
    anna.say("/switch #tea")
    anna.answer("2")
    #expect(anna.session.open.conversation?.network == accounts[1].network)
    anna.say("/leave #tea@two.org")
    anna.say("/switch lobby")
    #expect(anna.say("/switch #tea"))
    #expect(anna.session.open.conversation?.network == accounts[0].network)
    anna.say("/switch lobby")
    #expect(anna.say("/leave #tea"))
    let me = anna.session.me.id
    let places = try anna.store.read { try $0.rooms(for: me).filter { $0.network != nil } }
    for place in places {
      #expect(try anna.store.read { try $0.isMember(me, of: place.id) } == false)
    }
    // Once both are left, either may be meant.
    anna.say("/switch #tea")
    #expect(anna.question?.text.contains("Which #tea?") == true)
  }

  @Test("12.3: the same name on another network is no disguise; a look-alike name is")
  func lookAlikes() throws {
    let ben = try town.person("ben").session.me
    try anna.store.inbox.apply(
      [
        .present(NetworkUser(identity: "ben", name: "ben"), room: "#tea"),
        .present(NetworkUser(identity: "benny", name: "ben"), room: "#tea"),
        .present(NetworkUser(identity: "boт", name: "boт"), room: "#tea"),
      ], of: accounts[1])
    let people = try [
      ben, person("bot", at: 0), person("bot", at: 1), person("ben", at: 1),
      person("benny", at: 1), person("boт", at: 1),
    ]
    let marked = try anna.store.read {
      try $0.lookAlikes(among: people.map(\.id), to: anna.session.me.id)
    }
    #expect(people.filter { marked.contains($0.id) }.map(\.identity) == ["benny", "boт"])
    let all = try anna.store.read { try $0.lookAlikes(to: anna.session.me.id) }
    #expect(all == Set(marked))
  }
}
