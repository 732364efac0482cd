// SPDX-License-Identifier: GPL-3.0-or-later
import StoreFixture
import Testing

@testable import Conversations
@testable import Exchange
@testable import NetworkInbox

/// Logs of a network's rooms, for somebody with an account there.
@Suite("11.2, 7.1: The log of a network's room")
struct NetworkLogTests {
  private let fixture = Fixture()
  private let store: Store
  private let anna: ID<Participant>
  private let account: Account

  init() throws {
    let store = try fixture.open()
    self.store = store
    let anna = try store.writeDurably { try $0.participant(identity: "anna") }.id
    self.anna = anna
    let made = try store.writeDurably {
      // Somebody of this machine with a nick of the network.
      _ = try $0.participant(identity: "ben")
      return try $0.addAccount(owner: anna, network: "stub:anna9@irc.x.org")
    }
    try store.inbox.apply(
      [.rules(AddressRules(roomSigns: "#", folding: .rfc1459, identityScope: .network))], of: made)
    account = try #require(try store.read { try $0.account(network: made.network) })
  }

  private let log = """
    --- Log opened Tue Nov 14 10:00:00 2023
    10:00 <anna9> one
    10:01 <@Ben> two
    10:02 <anna_> three

    """

  private func enter(at time: Milliseconds) throws {
    let (anna, account) = (anna, account)
    try store.writeDurably {
      try $0.join(anna, try $0.networkRoom("#dev", network: account.network).id)
    }
    fixture.now = time
    try store.inbox.apply(
      [
        .joined(room: "#dev", nick: "anna_"),
        .present(NetworkUser(identity: "benny", name: "Ben"), room: "#dev"),
        .messageReceived(
          NetworkMessage(
            name: MessageIDs(archive: "1"), speaker: NetworkUser(identity: "benny", name: "Ben"),
            body: "live"), in: .room("#dev")),
      ], of: account)
  }

  private func messages() throws -> [String] {
    let room = try #require(try store.read { try $0.room("#dev@irc.x.org", for: anna) })
    #expect(room.network == account.network)
    return try store.read { try $0.messages(in: room.id, limit: 9, for: anna) }.map {
      "\($0.sender == anna ? "me" : $0.senderIdentity): \($0.body)"
    }
  }

  @Test(
    "it goes into that room, its nicks are the network's people, and its lines sort by time",
    arguments: ["#dev@irc.x.org", "dev@irc.x.org", "#dev"])
  func known(name: String) throws {
    // Long after the log.
    try enter(at: 1_800_000_000_000)
    for round in 0...1 {
      let report = try store.take([log], into: name)
      #expect(report.messages == (round == 0 ? 3 : 0) && report.people == 0, "\(report)")
    }
    #expect(try messages() == ["me: one", "benny: two", "me: three", "benny: live"])
    #expect(try store.read { try $0.rooms(for: anna) }.map(\.network) == [account.network])
    #expect(try store.read { try $0.listing(for: anna) }.map(\.unread) == [1])
  }

  @Test("a room of the network that is new is not entered")
  func unknown() throws {
    let report = try store.take([log], into: "#dev@irc.x.org")
    #expect(report.conversations == 1 && report.messages == 3)
    #expect(try messages() == ["me: one", "ben: two", "anna_: three"])
    let room = try #require(try store.read { try $0.room("#dev@irc.x.org", for: anna) })
    #expect(try store.read { try $0.membership(of: anna, in: room.id) } == .never)
    // The person of this machine is not the one with the nick.
    #expect(try store.read { try $0.participant(ifKnown: "ben") }?.network == nil)
    #expect(try store.count("participant") == 4)
  }

  @Test("so does the log of a direct chat with somebody there")
  func direct() throws {
    #expect(try store.take([log], into: "@Ben@irc.x.org").messages == 3)
    let chat = try store.writeDurably { try $0.networkChat(with: "ben", of: account) }
    let said = try store.read { try $0.messages(in: chat.id, limit: 9, for: anna) }
    #expect(said.map { $0.sender == anna } == [true, false, false])
    #expect(chat.network == account.network)
  }

  @Test("an address that no account reaches makes no room of this machine")
  func unreachable() throws {
    for name in ["#dev@irc.y.org", "@ben@irc.y.org"] {
      let fault = #expect(throws: ImportFault.self) { try store.take([log], into: name, as: "ben") }
      #expect(fault?.description.contains("none of your accounts reaches it") == true)
    }
    #expect(try store.read { try $0.rooms() }.isEmpty)
  }

  @Test("an export's room of this machine with an address for a name gets another")
  func renamesRooms() throws {
    let old = export(line("hello", number: 1, in: "#dev@irc.x.org"))
    let report = try store.take([old])
    #expect(report.renamedRooms == ["#dev@irc.x.org": "#dev-irc.x.org"])
    #expect(try store.read { try $0.rooms() }.map(\.name) == ["#dev-irc.x.org"])
    #expect(try store.take([old]).messages == 0)
  }
}
