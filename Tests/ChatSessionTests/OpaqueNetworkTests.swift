// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import Testing

@testable import ChatParts
@testable import ChatSession
@testable import NetworkInbox

/// An account on a network whose program decides what an address is.
@MainActor
@Suite("A network where any text can be an address")
struct OpaqueNetworkTests {
  private let town: Town
  private let anna: Person
  private let account: Account

  init() throws {
    town = try Town()
    anna = try town.person("anna")
    account = try anna.added("folder:/notes")
    var rules = AddressRules(roomSigns: "", folding: .none, identityScope: .network)
    rules.isOpaque = true
    try anna.provide(rules, for: account)
  }

  private var joined: [String] {
    get throws {
      try anna.store.read { try $0.requests(of: account) }.filter { $0.verb == .join }.map(\.target)
    }
  }

  @Test("/join takes the rest of the line as one address, blanks and commas too")
  func addressesWithBlanks() throws {
    #expect(anna.say("/join folder:My notes, old"))
    #expect(anna.session.open.conversation?.network == account.network)
    #expect(anna.say("/join The other"))
    #expect(anna.say("/join folder:Safe room --password two"))
    #expect(try joined == ["My notes, old", "The other", "Safe room"])
    #expect(try anna.store.read { try $0.requests(of: account) }.last?.secret == "two")
    // Elsewhere, a comma still separates rooms of this machine, and a blank is a mistake.
    anna.say("/switch #lobby")
    #expect(!anna.say("/join two words"))
    #expect(!anna.say("/join two words --password x"))
    #expect(anna.say("/join one,two"))
    #expect(try joined.count == 3)
  }

  @Test("2.8: what completion puts behind /join, /switch and /leave is the whole name")
  func completes() throws {
    func offered(_ line: String) -> [String]? {
      anna.session.commandArgument(in: line, caret: line.utf8.count)?.candidates.map(\.text)
    }
    for address in ["My notes", "My new plans"] { anna.say("/join folder:" + address) }
    anna.say("/switch #lobby")
    #expect(offered("/join M")?.contains("My notes") == true)
    #expect(offered("/join my no")?.sorted() == ["new plans", "notes"])
    #expect(offered("/switch #My new p") == ["plans"])
    #expect(offered("/join tea no") == [])
    for (line, there) in [
      ("/join My notes", "My notes"), ("/switch #My new plans", "My new plans"),
    ] {
      #expect(anna.say(line))
      #expect(anna.session.open.conversation?.name == "#" + there)
    }
    for line in ["/leave my notes", "/part My new plans"] { #expect(anna.say(line), "\(line)") }
    #expect(!anna.say("/leave my notes"))
    #expect(!anna.say("/leave #lobby bye"))
  }

  @Test("11.2: a person's name can have blanks, and nobody else gets the line")
  func peopleWithBlanks() throws {
    let queen = NetworkUser(identity: "@Anna Q:Ex.org", name: "Anna Queen")
    let short = NetworkUser(identity: "@a:ex.org", name: "Anna")
    try anna.store.inbox.apply(
      [queen, short].map { .contact($0, isOnline: nil, away: nil) }, of: account)
    anna.look()
    anna.say("/join folder:tea")
    func asked(_ verb: NetworkRequest.Verb) throws -> [NetworkRequest] {
      try anna.store.read { try $0.requests(of: account) }.filter { $0.verb == verb }
    }
    for name in ["Anna Queen", "@Anna Queen", "folder:@Anna Q:Ex.org"] {
      #expect(anna.say("/kick \(name) bad boy"), "\(name)")
      #expect(anna.say("/whois \(name)"), "\(name)")
      #expect(anna.say("/invite \(name)"), "\(name)")
      #expect(anna.say("/contact block \(name)"), "\(name)")
      #expect(anna.say("/msg \(name) hello  there"), "\(name)")
    }
    #expect(try asked(.kick).map(\.person) == Array(repeating: queen.identity, count: 3))
    #expect(try asked(.kick).allSatisfy { $0.text == "bad boy" })
    #expect(try asked(.whois).map(\.target) == Array(repeating: queen.identity, count: 3))
    #expect(try asked(.invite).map(\.person) == Array(repeating: queen.identity, count: 3))
    #expect(try asked(.block).map(\.target) == Array(repeating: queen.identity, count: 3))
    #expect(anna.say("/kick Anna bad boy"))
    #expect(try asked(.kick).last?.person == short.identity)
    let sent = try anna.store.read { try $0.outbox(of: account.network) }
    #expect(sent.map(\.conversation) == Array(repeating: .direct(queen.identity), count: 3))
    #expect(sent.allSatisfy { $0.message.body == "hello  there" })
    let line = "/msg Anna Q"
    let offered = anna.session.commandArgument(in: line, caret: line.utf8.count)?.candidates
    #expect(offered?.map(\.text) == ["Queen"])
  }

  @Test("10: /can does not call files links, which only other networks make of them")
  func files() throws {
    var abilities = Abilities()
    try anna.provide(NetworkAbilities(rooms: abilities), for: account)
    anna.say("/join folder:My notes")
    _ = anna.news()
    anna.say("/can")
    #expect(
      anna.news().contains(
        "  files     sent with your message; /save N saves other people's files"))
    abilities.largestFile = 2_000_000
    try anna.provide(NetworkAbilities(rooms: abilities), for: account)
    _ = anna.news()
    anna.say("/can")
    #expect(
      anna.news().contains(
        "  files     up to 2.0 MB, sent with your message; /save N saves other people's files"))
  }
}
