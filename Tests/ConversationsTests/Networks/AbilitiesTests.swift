// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StoreFixture
import Testing

@testable import NetworkInbox

@Suite("10: What people can do on a network") struct AbilitiesTests {
  @Test("the store keeps them as they are, and ignores what it does not know")
  func stored() {
    var little = Abilities.ofIRC
    (little.deletes, little.replies, little.typing, little.reactionLimit) = (
      false, false, false, .no
    )
    (little.editsWithin, little.largestFile) = (900, nil)
    (little.repliesMayBeHidden, little.serverCommands) = (true, false)
    (little.longestLine, little.joinsLines, little.repeatsTyping) = (400, true, true)
    little.encryption = .asking
    for one in [Abilities(), .ofIRC, little] {
      #expect(Abilities(one.json) == one)
      for other in [Abilities(), .ofIRC, little] {
        let both = NetworkAbilities(rooms: one, direct: other)
        #expect(NetworkAbilities(both.json) == both)
      }
    }
    #expect(Abilities().json.line == "{}")
    #expect(Abilities(.null) == Abilities())
    let strange = JSON.object([
      "edit": .integer(-3), "file": .text("x"), "smell": .flag(false), "react": .text("nine"),
      "seen": .integer(0), "encryption": .text("maybe"),
    ])
    #expect(Abilities(strange) == Abilities())
  }

  /// A message of anna's in a room of a network with some abilities, as old as some seconds.
  private func sent(
    _ abilities: Abilities, secondsAgo: Milliseconds = 0
  ) throws -> (store: Store, place: Conversation, message: Message, account: Account, Lobby) {
    let lobby = try Lobby()
    let (store, me) = (lobby.store, lobby.anna)
    let account = try store.writeDurably { try $0.addAccount(owner: me, network: "stub:anna@x") }
    let said = NetworkMessage(
      name: MessageIDs(origin: "1"), speaker: NetworkUser(identity: "", isOwner: true),
      body: "one", time: lobby.fixture.now - 1000 * secondsAgo)
    try store.inbox.apply(
      [
        .rules(AddressRules(roomSigns: "#", folding: .rfc1459, identityScope: .network)),
        .abilities(NetworkAbilities(rooms: abilities)), .joined(room: "#tea", nick: "anna"),
        .messageReceived(said, in: .room("#tea")),
      ], of: account)
    let (place, message) = try store.read {
      let place = try #require(try $0.room("#tea", for: me))
      return (place, try #require(try $0.newest(by: me, in: place.id)))
    }
    return (store, place, message, account, lobby)
  }

  @Test("3: a network's time for edits ends; without one there are none")
  func editsWithin() throws {
    var abilities = Abilities()
    abilities.editsWithin = 120
    let (early, _, first, _, one) = try sent(abilities, secondsAgo: 119)
    try early.writeDurably { _ = try $0.edit(first.id, to: "two", by: one.anna) }
    let (late, place, second, _, other) = try sent(abilities, secondsAgo: 120)
    #expect(throws: RuleError.editsAreOver(1, place.name, seconds: 120)) {
      try late.writeDurably { _ = try $0.edit(second.id, to: "two", by: other.anna) }
    }
    #expect(
      RuleError.editsAreOver(1, "#tea", seconds: 120).description
        == "the network of #tea allows edits only for 2 minutes after sending; message 1 is older")
    let (never, _, third, _, last) = try sent(.ofIRC)
    #expect(throws: RuleError.cannotEdit(place.name, deletable: 1)) {
      try never.writeDurably { _ = try $0.edit(third.id, to: "two", by: last.anna) }
    }
    // What the network does not have yet just changes.
    try never.writeDurably {
      let waiting = try $0.send("three", in: place.id, by: last.anna)
      _ = try $0.edit(waiting.id, to: "four", by: last.anna)
    }
  }

  @Test("nothing is stored that the network cannot do")
  func refuses() throws {
    var abilities = Abilities.ofIRC
    (abilities.deletes, abilities.reactionLimit, abilities.replies) = (false, .no, false)
    let (store, place, message, account, lobby) = try sent(abilities)
    let me = lobby.anna
    func refused(
      _ error: RuleError, _ body: (borrowing DurableTransaction) throws -> Void,
      at line: SourceLocation = #_sourceLocation
    ) {
      #expect(throws: error, sourceLocation: line) { try store.writeDurably { try body($0) } }
    }
    refused(.cannotDelete(place.name)) { _ = try $0.deleteMessage(message.id, by: me) }
    refused(.cannotReact(place.name)) { _ = try $0.react(message.id, by: me, with: "👍") }
    refused(.cannotReply(place.name)) {
      _ = try $0.send("two", in: place.id, by: me, replyTo: message.id)
    }
    // In bytes, not in characters.
    let long = String(repeating: "é", count: 200)
    refused(.tooManyBytes(place.name, 401, most: 400)) {
      _ = try $0.send(long + "x", in: place.id, by: me)
    }
    try store.writeDurably { _ = try $0.send(long, in: place.id, by: me) }
    refused(.takesNoFiles(place.name)) {
      _ = try $0.send(
        "", in: place.id, by: me,
        attachments: [Attachment(hash: "", name: "a", type: "text/plain", bytes: 1)])
    }
    #expect(try store.read { try $0.outbox(of: account.network).map(\.operation) } == [.send])
  }

  @Test("what a network may have already is changed only if the network can change it")
  func handedOver() throws {
    var abilities = Abilities.ofIRC
    abilities.deletes = false
    let (store, place, _, account, lobby) = try sent(abilities)
    let me = lobby.anna
    let message = try store.writeDurably { try $0.send("two", in: place.id, by: me) }
    try store.writeDurably { try $0.noteTried($0.outbox(of: account.network)) }
    #expect(throws: RuleError.cannotEdit(place.name, deletable: nil)) {
      try store.writeDurably { _ = try $0.edit(message.id, to: "three", by: me) }
    }
    #expect(throws: RuleError.cannotDelete(place.name)) {
      try store.writeDurably { _ = try $0.deleteMessage(message.id, by: me) }
    }
    #expect(throws: RuleError.cannotDelete(place.name)) {
      try store.writeDurably { _ = try $0.takeBack(message.id, by: me) }
    }
    // One that has failed is checked again before another attempt.
    try store.writeDurably {
      for entry in try $0.outbox(of: account.network) { try $0.finish(entry, as: .failed("no")) }
    }
    abilities.longestMessage = 2
    try store.inbox.apply([.abilities(NetworkAbilities(rooms: abilities))], of: account)
    #expect(throws: RuleError.tooManyBytes(place.name, 3, most: 2)) {
      try store.writeDurably { _ = try $0.retry(message.id, by: me) }
    }
    #expect(try store.writeDurably { try $0.takeBack(message.id, by: me) }.body == "two")
  }

  @Test("a conversation may have abilities of its own")
  func ofOneConversation() throws {
    let (store, place, _, account, lobby) = try sent(.ofIRC)
    func abilities(_ id: ID<Conversation>) throws -> Abilities {
      try store.read { try $0.knownAbilities(of: id) }
    }
    #expect(try abilities(place.id) == .ofIRC)
    var here = Abilities()
    (here.reactionLimit, here.serverCommands) = (.one, false)
    #expect(try abilities(lobby.lobby) == here)
    var short = Abilities()
    short.longestMessage = 3
    try store.inbox.apply([.abilitiesHere(short, in: .room("#tea"))], of: account)
    #expect(try abilities(place.id) == short)
    try store.inbox.apply([.abilitiesHere(nil, in: .room("#tea"))], of: account)
    #expect(try abilities(place.id) == .ofIRC)
  }
}
