// SPDX-License-Identifier: GPL-3.0-or-later
import StoreFixture
import Testing

@testable import Conversations
@testable import NetworkInbox

/// Max has an account under the nick anna9.
@Suite("14.9: On a network you are your name there")
final class OwnNickTests {
  private let fixture = Fixture()
  private let store: Store
  private let wire: Store
  private let max: ID<Participant>
  private let account: Account
  private let ben = NetworkUser(identity: "ben", name: "Ben")
  private let owner = NetworkUser(identity: "anna9", name: "anna9", isOwner: true)

  init() throws {
    store = try fixture.open()
    wire = try fixture.open()
    let max = try store.writeDurablyIfNeeded { try $0.participant(identity: "max") }.id
    self.max = max
    account = try store.writeDurably {
      try $0.addAccount(owner: max, network: "stub:anna@irc.x.org")
    }
    try hear(
      .rules(AddressRules(roomSigns: "#&", folding: .rfc1459, identityScope: .network)),
      .named(nick: "anna9"), .joined(room: "#tea", nick: "anna9"), .present(ben, room: "#tea"))
  }

  private func hear(_ events: NetworkEvent...) throws { try wire.inbox.apply(events, of: account) }

  private func room(_ name: String) throws -> ID<Conversation> {
    try #require(try store.read { try $0.room(name, for: max) }).id
  }

  private func chat(with address: String) throws -> ID<Conversation> {
    try store.writeDurably { try $0.networkChat(with: address, of: account) }.id
  }

  private func name(in conversation: ID<Conversation>) throws -> String {
    try store.read { try $0.name(of: max, in: conversation) }
  }

  private func isMarked(_ name: String, _ identity: String) throws -> Bool {
    try hear(.present(NetworkUser(identity: identity, name: name), room: "#tea"))
    return try store.read { snapshot in
      let person = try #require(
        try snapshot.networkPerson(at: identity, network: account.network)
      ).id
      let isAmong = try snapshot.lookAlikes(among: [person], to: max) == [person]
      #expect(try snapshot.lookAlikes(to: max).contains(person) == isAmong)
      return isAmong
    }
  }

  @Test("my lines, the quotes of them, my reactions and events, and the list of people")
  func everywhere() throws {
    for place in [try room("#tea"), try chat(with: "ben")] {
      let sent = try store.writeDurably { try $0.send("hi", in: place, by: max) }
      #expect(sent.senderName == "anna9" && sent.senderIdentity == "max")
      for entry in try store.read({ try $0.outbox(of: account.network) }) {
        try hear(.accepted(entry, archive: nil))
      }
      try store.writeDurably { try $0.react(sent.id, by: max, with: "🎉") }
      let answer = try store.writeDurably {
        try $0.send("so", in: place, by: max, replyTo: sent.id)
      }
      #expect(answer.replyTo?.senderName == "anna9")
      try store.read { snapshot in
        #expect(try snapshot.message(answer.id, for: max)?.senderName == "anna9")
        #expect(try snapshot.message(answer.id, for: max)?.replyTo?.senderName == "anna9")
        #expect(try snapshot.reactions(of: sent.id).map(\.participant.name) == ["anna9"])
        #expect(try snapshot.people(in: place).map(\.participant.name) == ["Ben", "anna9"])
        let line = try #require(try snapshot.jsonLine(of: sent.id))
        #expect(line.contains(#""sender":"max","name":"anna9""#))
      }
    }
    try hear(.topic(room: "#tea", text: "green", by: owner, at: nil))
    let tea = try room("#tea")
    let events = try store.read { try $0.events(in: tea, after: 0, upTo: .max) }
    #expect(events.map(\.event.participant.name).last == "anna9")
    let here = try store.writeDurablyIfNeeded { try $0.makeRoom("lobby") }.id
    try store.writeDurablyIfNeeded { try $0.join(max, here) }
    #expect(try store.writeDurably { try $0.send("hi", in: here, by: max) }.senderName == "max")
  }

  @Test("a change of the nick, a room's own nick, and a room that I left")
  func changes() throws {
    let (tea, chat) = (try room("#tea"), try chat(with: "ben"))
    let position = try store.read { try $0.position }
    try hear(.named(nick: "anna"), .joined(room: "#tea", nick: "Queen"))
    #expect(try [name(in: tea), name(in: chat)] == ["Queen", "anna"])
    #expect(try store.read { try $0.changes(since: position, for: max).peopleChanged })
    try hear(.left(room: "#tea", reason: nil))
    #expect(try name(in: tea) == "anna")
    let quiet = try store.read { try $0.position }
    try hear(.named(nick: "anna"))
    #expect(try store.read { try $0.position } == quiet)
  }

  @Test("on each network of a bouncer")
  func scopes() throws {
    try hear(
      .named(nick: "anna_", scope: "/libera"), .joined(room: "#tea/libera", nick: "anna_"),
      .left(room: "#tea/libera", reason: nil))
    #expect(try name(in: try room("#tea/libera")) == "anna_")
    #expect(try name(in: try chat(with: "ben/libera")) == "anna_")
    #expect(try name(in: try chat(with: "ben/oftc")) == "anna9")
  }

  @Test("a new name on this machine is no event on the network")
  func renaming() throws {
    let here = try store.writeDurablyIfNeeded { try $0.makeRoom("lobby") }.id
    try store.writeDurablyIfNeeded { try $0.join(max, here) }
    let position = try store.read { try $0.position }
    _ = try store.writeDurably { try $0.rename(max, to: "maxi") }
    let (tea, end) = (try room("#tea"), try store.read { try $0.position })
    let kinds = try [tea, here].map { place in
      try store.read { try $0.events(in: place, after: position, upTo: end) }.map(\.event.kind)
    }
    #expect(kinds == [[], [.renamed]])
    #expect(try name(in: tea) == "anna9")
  }

  @Test("12.3: who has the name that I use elsewhere has no mark, who looks like me there has one")
  func marks() throws {
    #expect(try !isMarked("max", "max"))
    #expect(try isMarked("\u{430}nna9", "x1"))
    #expect(try !isMarked("bo", "bo"))
    try hear(.named(nick: "b0"), .joined(room: "#tea", nick: "b0"))
    #expect(try isMarked("bo", "bo"))
    #expect(try !isMarked("\u{430}nna9", "x1"))
    // A person of this machine still takes precedence.
    _ = try store.writeDurablyIfNeeded { try $0.participant(identity: "zoe") }
    #expect(try !isMarked("zoe", "zoe"))
    #expect(try isMarked("z\u{43E}e", "x2"))
  }

  @Test("from: finds me by it")
  func searching() throws {
    let tea = try room("#tea")
    _ = try store.writeDurably { try $0.send("kettle", in: tea, by: max) }
    for name in ["anna9", "max", "me"] {
      let query = try SearchQuery.parse("kettle from:" + name)
      #expect(try store.read { try $0.search(query, for: max).count } == 1, "\(name)")
    }
  }
}
