// SPDX-License-Identifier: GPL-3.0-or-later
import StoreFixture
import Testing

@testable import Conversations
@testable import NetworkInbox

/// Anna, with an account on a network of bare names, in its room #tea.
@Suite("11.2: What a name means")
struct RoomNameTests {
  private let fixture = Fixture()
  private let store: Store
  private let anna, ben: ID<Participant>
  private let account: Account

  init() throws {
    let store = try fixture.open()
    self.store = store
    (anna, ben) = try store.writeDurably {
      (try $0.participant(identity: "anna").id, try $0.participant(identity: "ben").id)
    }
    let owner = anna
    let made = try store.writeDurably {
      try $0.addAccount(owner: owner, network: "stub:anna@irc.x.org")
    }
    try store.inbox.apply(
      [.rules(AddressRules(roomSigns: "#", folding: .rfc1459, identityScope: .network))], of: made)
    account = try #require(try store.read { try $0.account(network: made.network) })
    try enter("#tea")
  }

  private func enter(_ room: String) throws {
    let (anna, account) = (anna, account)
    try store.writeDurably {
      try $0.join(anna, try $0.networkRoom(room, network: account.network).id)
    }
    try store.inbox.apply([.joined(room: room, nick: "anna")], of: account)
  }

  private func makeLocal(_ name: String, joining: Bool = false) throws {
    let (anna, ben) = (anna, ben)
    try store.writeDurably {
      let room = try $0.makeRoomHere(name, for: ben)
      try $0.join(ben, room.id)
      if joining { try $0.join(anna, room.id) }
    }
  }

  /// The network of the room that a name means to Anna; `here` for this machine.
  private func meant(_ name: String, in open: ID<Conversation>? = nil) throws -> String? {
    try store.read { try $0.room(name, for: anna, in: open) }.map { $0.network ?? "here" }
  }

  @Test("a room of somebody else changes no name that means a room I am in")
  func staysBound() throws {
    #expect(try meant("tea") == account.network)
    try makeLocal("tea")
    for name in ["tea", "#tea", "#TEA", "#tea@irc.x.org", "tea@irc.x.org"] {
      #expect(try meant(name) == account.network, "\(name)")
    }
    #expect(try store.read { try $0.room("tea", for: ben) }?.network == nil)
    // Nor does its name get longer.
    let shown = { try store.read { try $0.listing(for: anna) }.map(\.conversation.name) }
    #expect(try shown() == ["#tea"])
    // A kick does not unbind it; leaving does.
    try store.inbox.apply([.left(room: "#tea", reason: "ben removed you")], of: account)
    #expect(try meant("tea") == account.network)
    try enter("#tea")
    let tea = try #require(try store.read { try $0.room("tea", for: anna) })
    try store.writeDurably { try $0.leave(anna, tea.id) }
    #expect(throws: RuleError.self) { try meant("tea") }
    try makeLocal("tea", joining: true)
    #expect(try meant("tea") == "here")
  }

  @Test("two rooms that I am in are named in full, and each has a name of its own")
  func ambiguous() throws {
    try makeLocal("tea", joining: true)
    #expect(
      throws: RuleError.ambiguous("tea", candidates: ["#tea@", "#tea@irc.x.org"])
    ) { try meant("tea") }
    #expect(try meant("#tea@") == "here" && meant("tea@") == "here")
    #expect(try meant("#tea@irc.x.org") == account.network)
    // In a conversation on a network, the network's own comes first.
    let tea = try #require(try store.read { try $0.room("#tea@irc.x.org", for: anna) })
    #expect(try meant("tea", in: tea.id) == account.network)
    let shown = try store.read { try $0.listing(for: anna) }.map(\.conversation.name)
    #expect(Set(shown) == ["#tea", "#tea@irc.x.org"])
  }

  @Test("names are compared as their network folds them")
  func folded() throws {
    try enter("#dev{}")
    #expect(try meant("#Dev[]") == account.network)
  }

  @Test("an import's or a stranger's room, which I never entered, is not in the way of one here")
  func neverEntered() throws {
    let account = account
    _ = try store.writeDurably { try $0.networkRoom("#ops", network: account.network) }
    #expect(try meant("ops") == account.network)
    try makeLocal("ops")
    #expect(try meant("ops") == "here")
  }

  @Test("a room of this machine has no @ in its name")
  func noAddresses() throws {
    let (ben, name) = (ben, "dev@irc.x.org")
    #expect(throws: RuleError.addressOfARoom(name)) {
      try store.writeDurably { try $0.makeRoom("#" + name, for: ben) }
    }
    #expect(throws: RuleError.self) {
      try store.writeDurably { try $0.makeRoomHere("a@b@", for: ben) }
    }
  }

  @Test("@name means the person with whom I have a chat, whoever else has the name")
  func people() throws {
    let (anna, account) = (anna, account)
    func person(_ name: String = "ben") throws -> String? {
      try store.read { try $0.find(participant: name, for: anna) }.map { $0.network ?? "here" }
    }
    try store.inbox.apply(
      [.present(NetworkUser(identity: "ben", name: "ben"), room: "#tea")], of: account)
    #expect(try person() == "here")
    _ = try store.writeDurably { try $0.networkChat(with: "ben", of: account) }
    #expect(try person() == account.network)
    #expect(try person("@BEN") == account.network)
    #expect(try person("ben@") == "here" && person("@ben@irc.x.org") == account.network)
    let other = ben
    _ = try store.writeDurably { try $0.directChat(anna, with: other) }
    let error = RuleError.ambiguous("ben", candidates: ["ben@", "ben@irc.x.org"])
    #expect(throws: error) { try person() }
    #expect(error.description.contains("ends in @ is on this machine"))
  }
}
