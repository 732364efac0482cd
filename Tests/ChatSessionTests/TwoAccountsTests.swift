// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText
import Testing

@testable import ChatCommands
@testable import ChatParts
@testable import ChatSession
@testable import NetworkInbox

/// Two accounts of one person that reach the same addresses: on the network of a program, where any
/// text can be one, and on a network whose addresses name a server.
@MainActor
@Suite("11.2: two accounts that know the same address")
struct TwoAccountsTests {
  private let town: Town
  private let anna: Person
  private let accounts: [Account]
  private nonisolated static let kinds = [
    "echo:me", "echo:you2", "xmpp:anna@x.org", "xmpp:anna@y.org",
  ]

  init() throws {
    town = try Town()
    anna = try town.person("anna")
    let person = anna
    accounts = try Self.kinds.map { network in
      let account = try person.added(network)
      if account.kind == "echo" {
        var rules = AddressRules(roomSigns: "", folding: .none, identityScope: .network)
        rules.isOpaque = true
        try person.provide(rules, for: account)
      }
      return account
    }
    for account in accounts {
      let (who, room) = Self.addresses(on: account.network)
      try anna.store.inbox.apply(
        [
          .joined(room: room, nick: "anna"),
          .messageReceived(
            NetworkMessage(
              name: MessageIDs(archive: "1"), speaker: NetworkUser(identity: who),
              body: "from " + account.network), in: .direct(who)),
          .contact(NetworkUser(identity: who), isOnline: true, away: nil),
        ], of: account)
    }
    anna.look()
  }

  private nonisolated static func addresses(on network: String) -> (person: String, room: String) {
    network.hasPrefix("echo:") ? ("bot", "tea room") : ("ben@z.org", "tea@rooms.z.org")
  }

  private static func full(_ address: String, on network: String) -> String {
    network.replacing(":", with: "://", maxReplacements: 1) + "/" + address
  }

  private func result(of line: String) -> [String] {
    _ = anna.news()
    anna.say(line)
    return anna.news()
  }

  @Test("the list shows both with the account, and each name goes there", arguments: kinds)
  func fullNames(network: String) throws {
    let (person, room) = Self.addresses(on: network)
    let names = ["@", "#"].map { sign in
      sign + Self.full(sign == "@" ? person : room, on: network)
    }
    let list = result(of: "/list")
    for name in names {
      #expect(list.contains { $0.contains(name) }, "\(name)")
      anna.say("/switch #lobby")
      anna.say("/switch " + name)
      #expect(anna.session.open.conversation?.network == network, "\(name)")
      #expect(anna.session.open.conversation?.name == name)
    }
    for line in ["/msg " + names[0], "/join " + names[1]] {
      anna.say("/switch #lobby")
      anna.say(line)
      #expect(anna.session.open.conversation?.network == network, "\(line)")
    }
  }

  @Test("an address alone is asked about, with the names that tell the accounts apart")
  func asks() throws {
    for (word, networks) in [
      ("echo:bot", ["echo:me", "echo:you2"]), ("echo:tea room", ["echo:me", "echo:you2"]),
      ("echo:nobody", ["echo:me", "echo:you2"]),
      ("xmpp:ben@z.org", ["xmpp:anna@x.org", "xmpp:anna@y.org"]),
    ] {
      anna.say((word.contains("room") ? "/join " : "/msg ") + word)
      let question = try #require(anna.asked, "\(word): \(anna.printed.last ?? "")")
      let address = String(word.drop { $0 != ":" }.dropFirst())
      #expect(
        question.answers.map(\.label.string)
          == networks.map { Self.full(address, on: $0) }, "\(word)")
      anna.answer("2")
      #expect(anna.session.open.conversation?.network == networks[1], "\(word)")
      anna.say("/switch #lobby")
    }
  }

  @Test("where only one account has a conversation or knows somebody, it is meant")
  func knowsWhere() throws {
    try anna.store.inbox.apply(
      [
        .contact(NetworkUser(identity: "zoe"), isOnline: true, away: nil),
        .joined(room: "den", nick: "anna"),
      ], of: accounts[1])
    anna.look()
    for line in ["/msg echo:zoe", "/join echo:den"] {
      anna.say("/switch #lobby")
      anna.say(line)
      #expect(anna.session.open.conversation?.network == accounts[1].network, "\(line)")
    }
  }

  @Test("what a removed account knew is in nobody's way, and can still be read")
  func removed() throws {
    for (index, name) in [(0, "echo:me"), (2, "anna@x.org")] {
      anna.say("/account remove " + name)
      let other = accounts[index + 1]
      let (person, _) = Self.addresses(on: other.network)
      let plain = other.kind == "echo" ? "echo:" + person : person
      anna.say("/switch #lobby")
      anna.say("/switch @" + plain)
      #expect(anna.session.open.conversation?.network == other.network, "\(plain)")
      anna.say("/switch #lobby")
      anna.say("/switch @" + Self.full(person, on: accounts[index].network))
      #expect(anna.session.open.conversation?.network == accounts[index].network, "\(plain)")
    }
  }

  @Test("an account of a program is named with its network, others by their addresses")
  func names() throws {
    anna.say("/account remove anna@y.org")
    #expect(anna.printed.last == "anna@y.org is removed; you can still read its messages.")
    let status = result(of: "/status")
    for name in ["echo:me", "echo:you2", "anna@x.org"] {
      #expect(status.contains { $0.hasPrefix("Account \(name): ") }, "\(name)")
    }
    let line = "/account remove "
    let offered = anna.session.commandArgument(in: line, caret: line.utf8.count)?.candidates
    #expect(offered?.map(\.text) == ["echo:me", "echo:you2", "anna@x.org"])
    anna.say("/account remove echo:me")
    #expect(anna.printed.last == "echo:me is removed; you can still read its messages.")
  }

  @Test("2.8: behind the kind of a network, completion knows people and rooms there")
  func completes() throws {
    func offered(_ line: String) -> [String] {
      let found = anna.session.commandArgument(in: line, caret: line.utf8.count)
      return found.map {
        let ranked = Ranking.candidates($0.candidates, matching: $0.word)
        return ranked.beginning.map(\.text)
      } ?? []
    }
    #expect(offered("/msg echo:b") == ["echo://me/bot", "echo://you2/bot"])
    #expect(offered("/msg echo://you2/") == ["echo://you2/bot"])
    #expect(offered("/msg xmpp:be").contains("xmpp://anna@x.org/ben@z.org"))
    #expect(offered("/join echo:tea") == ["echo://me/tea room", "echo://you2/tea room"])
    anna.say("/account remove echo:me")
    try anna.store.inbox.apply(
      [.contact(NetworkUser(identity: "@z:q", name: "Zoe"), isOnline: nil, away: nil)],
      of: accounts[1])
    anna.look()
    #expect(offered("/msg echo:zo") == ["echo:@z:q"] && offered("/msg echo:@z") == ["echo:@z:q"])
    #expect(offered("/msg echo:").sorted() == ["echo:@z:q", "echo:bot"])
    #expect(offered("/switch echo:t") == ["echo:tea room"])
  }
}
