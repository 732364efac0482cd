// SPDX-License-Identifier: GPL-3.0-or-later
import ChatSession
import StoreFixture
import Testing

@testable import ChatPreferences
@testable import ChatScripts
@testable import Conversations
@testable import NetworkInbox

@Suite("Conversations that --create makes")
struct NewConversationTests {
  private let fixture = Fixture()
  private let store: Store
  private let anna: ID<Participant>
  private let account: Account

  init() throws {
    store = try fixture.open()
    let anna = try store.writeDurably { try $0.participant(identity: "anna") }.id
    self.anna = anna
    account = try store.writeDurably {
      try $0.addAccount(owner: anna, network: "stub:anna@irc.x.org")
    }
    try store.inbox.apply(
      [.rules(AddressRules(roomSigns: "#", folding: .rfc1459, identityScope: .network))],
      of: account)
  }

  private func made(_ name: String) throws -> Conversation {
    try store.writeDurably { try $0.findOrCreateConversation(named: name, for: anna) }
  }

  @Test("11.7: on a network of bare names, a name with a server means an address on the account")
  func bareNames() throws {
    #expect(try made("##Tea@irc.x.org").name == "##tea")
    #expect(try store.read { try $0.requests(of: account) }.map(\.target) == ["##tea"])
    let chat = try made("@Ben@irc.x.org")
    #expect(chat.network == account.network && chat.name == "@ben")
    #expect(try store.read { try $0.networkAddress(of: chat.id) } == "ben")
  }

  @Test("11.7: without a server the name is one of this machine, with any of its signs")
  func local() throws {
    #expect(try made("##tea").network == nil)
    #expect(try made("##TEA").name == "##tea")
    #expect(try made("tea").name == "#tea")
    #expect(try made("@zed").name == "@zed")
    #expect(try made("tea@") == made("tea"))
    #expect(try made("@zed@") == made("@zed"))
  }

  @Test("11.2: of two accounts that reach an address, the name says which")
  func twoAccounts() throws {
    var rules = AddressRules(roomSigns: "", folding: .none, identityScope: .network)
    rules.isOpaque = true
    let echoes = try ["echo:me", "echo:you"].map { network in
      try store.writeDurably { try $0.addAccount(owner: anna, network: network) }
    }
    for account in echoes { try store.inbox.apply([.rules(rules)], of: account) }
    for name in ["@echo:bot", "echo:den", "@ben@far.org"] {
      #expect(throws: (any Error).self, "\(name)") { try made(name) }
    }
    for account in echoes {
      let name = "echo://\(account.address)/"
      #expect(try made("@\(name)bot").network == account.network)
      #expect(try made(name + "den one").network == account.network)
      let found = try store.read { try $0.find(participant: name + "bot", for: anna) }
      #expect(found?.network == account.network)
      let room = try store.read { try $0.room(name + "den one", for: anna) }
      #expect(room?.network == account.network)
    }
    let error = #expect(throws: RuleError.self) { try made("@echo:bot") }
    #expect(
      error?.description
        == "echo:bot could mean echo://me/bot, echo://you/bot; write it in full")
  }

  @Test("11.7: what is not an address is refused")
  func refused() throws {
    for name in ["a@b@c", "@ben@@", "ben@irc.x.org/phone"] {
      #expect(throws: Refusal.self) { try made(name) }
    }
  }
}
