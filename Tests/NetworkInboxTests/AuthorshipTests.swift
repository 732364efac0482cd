// SPDX-License-Identifier: GPL-3.0-or-later
import StoreFixture
import Testing

@testable import Conversations
@testable import NetworkInbox

@Suite("Who may change a message of a network") struct AuthorshipTests {
  private let linked: Linked
  private let name = MessageIDs(origin: "o1", archive: "a1")

  init() throws {
    linked = try Linked()
    try linked.join()
    try linked.say("helo", origin: "o1", archive: "a1")
  }

  private func edit(
    _ body: String, by speaker: NetworkUser, _ name: MessageIDs? = nil,
    at time: Milliseconds? = nil,
    change: MessageIDs = MessageIDs()
  ) throws {
    try linked.hear(
      .edited(
        name ?? self.name, by: speaker, in: linked.tea, body: body, at: time, change: change))
  }

  @Test("attack 8: only its author")
  func edits() throws {
    try edit("mine now", by: linked.max)
    try edit("mine now", by: linked.me)
    try edit("by its archive id", by: linked.max, MessageIDs(archive: "a1"))
    // The same id in another room is another message, and nobody's there.
    let other = ConversationAddress.room("dev@rooms.example")
    try linked.hear(.edited(name, by: linked.zoe, in: other, body: "elsewhere", at: nil))
    try edit("of nothing", by: linked.zoe, MessageIDs(origin: "o9"))
    #expect(try linked.bodies() == ["helo"])
    #expect(try linked.store.read { try $0.rooms(for: linked.anna) }.count == 1)
    let position = try linked.store.read { try $0.position }
    try edit("hello", by: linked.zoe)
    let message = try linked.messages()[0]
    #expect((message.body, message.isUnverified) == ("hello", false))
    #expect(try linked.store.read { try $0.revisions(of: message.id) }.map(\.body) == ["helo"])
    #expect(
      try linked.store.read { try $0.changes(since: position, for: linked.anna) }.revised == [
        message
      ])
    // Not before it is there.
    try edit("early", by: linked.zoe, MessageIDs(origin: "o2"))
    try linked.say("late", origin: "o2")
    #expect(try linked.bodies() == ["hello", "late"])
  }

  @Test("a change in the same batch as its message is found by the new words only")
  func editedInOneBatch() throws {
    func said(_ body: String) -> NetworkEvent {
      .messageReceived(
        NetworkMessage(name: MessageIDs(origin: body), speaker: linked.zoe, body: body),
        in: linked.tea)
    }
    try linked.hear(
      said("apple"),
      .edited(
        MessageIDs(origin: "apple"), by: linked.zoe, in: linked.tea, body: "pear", at: nil),
      said("plum"), said("cherry"),
      .retracted(MessageIDs(origin: "plum"), by: linked.zoe, in: linked.tea, at: nil))
    for (word, count) in [("apple", 0), ("pear", 1), ("plum", 0), ("cherry", 1)] {
      let found = try linked.store.read { try $0.search(SearchQuery.parse(word), for: linked.anna) }
      #expect(found.count == count, "\(word)")
    }
    #expect(try linked.store.upkeep.check().map(\.severity).max() == .fine)
    #expect(try linked.store.count("indexing") == 0)
  }

  @Test("14.3: repeated messages of an archive or a room change nothing")
  func editsToldAgain() throws {
    let (archived, position) = (MessageIDs(origin: "c", archive: "c1"), linked.fixture.now - 20)
    try edit("one", by: linked.zoe, change: MessageIDs(origin: "c0"))
    try edit("two", by: linked.zoe, at: position, change: archived)
    let known = try linked.store.read { try $0.position }
    try edit("one", by: linked.zoe, at: position, change: MessageIDs(origin: "c0", archive: "c0"))
    try edit("two", by: linked.zoe, at: position, change: archived)
    #expect(try linked.bodies() == ["two"])
    let message = try linked.messages()[0]
    #expect(
      try linked.store.read { try $0.revisions(of: message.id) }.map(\.body) == ["helo", "one"])
    #expect(
      try linked.store.read { try $0.changes(since: known, for: linked.anna) }.revised.isEmpty)
    // A program that gives an id twice gives it to two corrections.
    try edit("three", by: linked.zoe, change: MessageIDs(origin: "c", archive: "c2"))
    #expect(try linked.bodies() == ["three"])
  }

  @Test("14.3: of several corrections the last to arrive counts, whatever the clocks say")
  func correctionsOfOneSecond() throws {
    let second = linked.fixture.now / 1000 * 1000
    func correct(_ body: String, _ id: String, at time: Milliseconds?) throws -> String? {
      try edit(body, by: linked.zoe, at: time, change: MessageIDs(origin: id, archive: id))
      return try linked.bodies().first
    }
    #expect(try correct("one", "c1", at: second) == "one")
    #expect(try correct("two", "c2", at: second) == "two")
    // Live, while the clock here runs an hour ahead of the network's.
    linked.fixture.now += 3_600_000
    #expect(try correct("three", "c3", at: nil) == "three")
    #expect(try correct("four", "c4", at: second + 1000) == "four")
    #expect(try correct("two", "c5", at: second + 1000) == "two")
  }

  @Test("14.3: of several reactions, too, and echoes of one's own change nothing")
  func reactionsOfOneSecond() throws {
    let second = linked.fixture.now / 1000 * 1000
    let message = try linked.messages()[0].id
    func react(_ emoji: NetworkReaction, _ id: String, by speaker: NetworkUser) throws -> [String] {
      try linked.hear(
        .reacted(
          name, author: nil, by: speaker, in: linked.tea, emoji: emoji, at: second,
          change: MessageIDs(origin: id, archive: "a" + id)))
      return try linked.store.read { try $0.reactions(of: message) }.map(\.emoji)
    }
    linked.fixture.now += 3_600_000
    #expect(try react(["👍"], "r1", by: linked.max) == ["👍"])
    #expect(try react([], "r2", by: linked.max) == [])
    #expect(try react(["🎉"], "r3", by: linked.max) == ["🎉"])
    #expect(try react(["👍"], "r1", by: linked.max) == ["🎉"])
    var sent: [OutboxEntry] = []
    for emoji in ["🔥", "🍵"] {
      try linked.store.writeDurably { try $0.react(message, by: linked.anna, with: emoji) }
      sent += try linked.outbox()
      try linked.hear(.accepted(sent[sent.count - 1], archive: nil))
    }
    #expect(try react(["🔥"], sent[0].origin, by: linked.me) == ["🎉", "🔥", "🍵"])
    #expect(try react(["🍵"], sent[1].origin, by: linked.me) == ["🎉", "🔥", "🍵"])
  }

  @Test("attack 26.11: of 2,000 reactions by one person few are stored, and the last one counts")
  func manyReactions() throws {
    let message = try linked.messages()[0].id
    let all = (1...2_000).map { number in
      NetworkEvent.reacted(
        name, author: nil, by: linked.max, in: linked.tea,
        emoji: [number == 2_000 ? "🎉" : number.isMultiple(of: 2) ? "👍" : "🔥"],
        at: linked.fixture.now, change: MessageIDs(archive: "r\(number)"))
    }
    func hear(_ news: [NetworkEvent]) throws -> [String] {
      try linked.wire.inbox.apply(news, of: linked.account)
      return try linked.store.read { try $0.reactions(of: message) }.map(\.emoji)
    }
    #expect(try hear(all) == ["🎉"])
    #expect(try linked.store.count("applied_change") == Store.knownChanges)
    // The archive tells the newest again, or all of them.
    let position = try linked.store.read { try $0.position }
    #expect(try hear(Array(all.suffix(Store.knownChanges))) == ["🎉"])
    #expect(
      try linked.store.read { try $0.changes(since: position, for: linked.anna) }.reacted.isEmpty)
    #expect(try hear(all) == ["🎉"])
    #expect(try linked.store.count("applied_change") == Store.knownChanges)
    // Another's are not counted among them.
    try linked.hear(
      .reacted(
        name, author: nil, by: linked.zoe, in: linked.tea, emoji: ["🎉"], at: nil,
        change: MessageIDs(archive: "z1")))
    #expect(try linked.store.count("applied_change") == Store.knownChanges + 1)
  }

  @Test("what a moderator removed is gone, with its earlier texts, and no author restores it")
  func removals() throws {
    try edit("hello", by: linked.zoe)
    let removal = Removal(moderator: "kim", reason: "spam")
    func remove(_ archive: String) throws {
      try linked.hear(.removed(archive: archive, room: "tea@rooms.example", removal, at: nil))
    }
    // The sender's own id names nothing here.
    try remove("o1")
    #expect(try linked.messages()[0].removal == nil)
    try remove("a1")
    try edit("again", by: linked.zoe)
    let message = try linked.messages()[0]
    #expect(message.removal == removal && message.deletedAt != nil && message.body.isEmpty)
    #expect(try linked.store.read { try $0.revisions(of: message.id) }.isEmpty)
    // The owner's own, too, whatever waits for the network.
    let (own, entry) = try linked.send("one")
    try linked.hear(.accepted(entry, archive: "a2"))
    try linked.store.writeDurably { try $0.edit(own.id, to: "two", by: linked.anna) }
    try remove("a2")
    #expect(try linked.messages()[1].removal == removal)
    #expect(try linked.outbox().isEmpty)
  }

  @Test("what the owner typed here is newer than an echo of an earlier text")
  func ownEdits() throws {
    let (message, entry) = try linked.send("one")
    try linked.hear(.accepted(entry, archive: "a2"))
    try linked.store.writeDurably { try $0.edit(message.id, to: "two", by: linked.anna) }
    let own = MessageIDs(origin: message.uid)
    try edit("zero", by: linked.me, own)
    #expect(try linked.bodies().last == "two" && linked.outbox().map(\.operation) == [.edit])
    try edit("two", by: linked.me, own)
    #expect(try linked.outbox().isEmpty)
  }

  @Test("14.4: an edit known only by a nickname counts, and is marked")
  func unverified() throws {
    let nick = NetworkUser(identity: "kim", name: "kim", isVerified: false)
    try linked.say("a", by: nick, origin: "n1")
    try linked.say("b", by: nick, origin: "n2")
    try edit("A", by: nick, MessageIDs(origin: "n1"))
    try linked.hear(.retracted(MessageIDs(origin: "n2"), by: nick, in: linked.tea, at: nil))
    let messages = try linked.messages()
    #expect(messages.map(\.isUnverified) == [false, true, true])
    #expect(messages.map(\.body) == ["helo", "A", ""])
  }

  @Test("attack 8: a room cannot speak for people elsewhere")
  func roomsNameTheirOwn() throws {
    try linked.say("psst", by: linked.ben, in: linked.direct, origin: "b1")
    let forged = NetworkUser(identity: "ben@example.org", name: "Ben is a fool")
    try linked.say("I am Ben", by: forged)
    try linked.hear(.present(forged, room: "tea@rooms.example"))
    let ben = try #require(
      try linked.store.read { try $0.find(participant: "ben@example.org", for: linked.anna) })
    #expect(ben.name == "Ben" && !ben.isOccupant)
    let senders = try linked.messages().map(\.sender)
    #expect(!senders.contains(ben.id))
    // The process gets back what it gave.
    try linked.store.writeDurably {
      try $0.react(
        linked.messages()[1].id, by: linked.anna, with: "🎉")
    }
    #expect(try linked.outbox().last?.author.identity == "ben@example.org")
    // Nor can another room speak for this one's.
    let dev = ConversationAddress.room("dev@rooms.example")
    try linked.say("same id", in: dev, origin: "o1")
    #expect(try linked.messages()[0].senderIdentity == "tea@rooms.example/occupant-7")
  }

  @Test("a retraction leaves a tombstone, and only of one's own message")
  func retractions() throws {
    try linked.hear(.retracted(name, by: linked.max, in: linked.tea, at: nil))
    #expect(try linked.bodies() == ["helo"])
    try linked.hear(.retracted(name, by: linked.zoe, in: linked.tea, at: nil))
    let message = try linked.messages()[0]
    #expect(message.deletedAt != nil && message.body.isEmpty)
    try edit("back", by: linked.zoe)
    try linked.say("helo", origin: "o1", archive: "a1")
    #expect(try linked.messages() == [message])
  }

  @Test("7.8: anyone can react, with several emoji where the network has them")
  func reactions() throws {
    func react(
      _ emoji: [String], by speaker: NetworkUser, author: NetworkUser? = nil
    ) throws -> [String] {
      try linked.hear(
        .reacted(
          MessageIDs(origin: "o1"), author: author, by: speaker, in: linked.tea, emoji: .all(emoji),
          at: nil))
      return try linked.store.read { try $0.reactions(of: linked.messages()[0].id) }
        .map { "\($0.participant.name) \($0.emoji)" }
    }
    #expect(try react(["🎉", "👍"], by: linked.max) == ["max 🎉", "max 👍"])
    #expect(try react(["<script>", "👍"], by: linked.zoe) == ["max 🎉", "max 👍", "zoe 👍"])
    #expect(try react(["nothing of it"], by: linked.max) == ["max 🎉", "max 👍", "zoe 👍"])
    #expect(try react([], by: linked.max, author: linked.max) == ["max 🎉", "max 👍", "zoe 👍"])
    #expect(try react([], by: linked.max, author: linked.zoe) == ["zoe 👍"])
    #expect(try react(["🎉"], by: linked.me) == ["zoe 👍", "anna 🎉"])
    #expect(try linked.outbox().isEmpty)
    try linked.say("decoy", by: linked.max, origin: "o1")
    #expect(try react(["🔥"], by: linked.max) == ["zoe 👍", "anna 🎉"])
  }

  @Test("one's own waiting reaction is newer than an echo")
  func ownReactions() throws {
    let message = try linked.messages()[0].id
    try linked.store.writeDurably { try $0.react(message, by: linked.anna, with: "🎉") }
    func hear(_ emoji: String) throws {
      try linked.hear(
        .reacted(name, author: linked.zoe, by: linked.me, in: linked.tea, emoji: [emoji], at: nil))
    }
    try hear("👍")
    #expect(try linked.store.read { try $0.reactions(of: message) }.map(\.emoji) == ["🎉"])
    #expect(try linked.outbox().count == 1)
    try hear("🎉")
    #expect(try linked.outbox().isEmpty)
  }
}

@Suite("Receipts from a network") struct ReachedTests {
  @Test("attack 9: only for messages sent there, only from the other person")
  func directChats() throws {
    let linked = try Linked()
    try linked.say("hi", by: linked.ben, in: linked.direct, origin: "b1")
    try linked.join()
    let mallory = NetworkUser(identity: "mallory@example.org")
    let (message, entry) = try linked.send("one", in: linked.direct)
    let name = MessageIDs(origin: message.uid)
    func told(
      _ name: MessageIDs, by speaker: NetworkUser, _ state: DeliveryState,
      in place: ConversationAddress? = nil
    ) throws -> DeliveryState? {
      try linked.hear(.receipt(name, by: speaker, in: place ?? linked.direct, state))
      return try linked.state(message)
    }
    #expect(try told(name, by: mallory, .seen) == .sending)
    #expect(try told(name, by: linked.me, .seen) == .sending)
    #expect(try told(MessageIDs(origin: "b1"), by: linked.ben, .seen) == .sending)
    #expect(try told(MessageIDs(origin: "?"), by: linked.ben, .seen) == .sending)
    #expect(try told(name, by: linked.zoe, .seen, in: linked.tea) == .sending)
    // Whoever has it shows that the server has it, too.
    #expect(try told(name, by: linked.ben, .delivered) == .delivered)
    #expect(try linked.outbox().isEmpty)
    try linked.hear(.refused(entry, reason: "late"))
    #expect(try told(name, by: linked.ben, .seen) == .seen)
    #expect(try linked.state(linked.send("two", in: linked.direct).message) == .sending)
  }

  @Test("in a room the state ends at sent, except seen from clients that report it")
  func rooms() throws {
    let linked = try Linked()
    try linked.join()
    try linked.hear(
      .present(linked.zoe, room: "tea@rooms.example"),
      .present(linked.max, room: "tea@rooms.example"))
    func send(_ body: String) throws -> Message {
      let (message, entry) = try linked.send(body)
      try linked.hear(.accepted(entry, archive: body))
      return message
    }
    func seen(_ name: String, by speaker: NetworkUser) throws {
      try linked.hear(.receipt(MessageIDs(archive: name), by: speaker, in: linked.tea, .seen))
    }
    let first = try send("1")
    #expect(try linked.state(first) == .sent)
    try linked.hear(.receipt(MessageIDs(archive: "1"), by: linked.zoe, in: linked.tea, .delivered))
    #expect(try linked.state(first) == .sent)
    try seen("1", by: linked.zoe)
    #expect(try linked.state(first) == .seen)
    // Who begins to tell later does not take it back.
    let second = try send("2")
    #expect(try linked.state(second) == .sent)
    try seen("1", by: linked.max)
    try seen("2", by: linked.zoe)
    #expect(try linked.state(second) == .seen)
    let third = try send("3")
    try seen("3", by: linked.zoe)
    #expect(try linked.state(third) == .sent)
    #expect(
      try linked.store.read { try $0.deliveryCounts(of: third) }
        == DeliveryCounts(recipients: 2, delivered: 1, seen: 1))
    // What others said is read with it.
    try linked.say("between", archive: "4")
    try seen("4", by: linked.max)
    #expect(try linked.state(third) == .seen)
    #expect(
      try linked.store.read { try $0.recipients(of: third.id) }.map(\.state) == [.seen, .seen])
    // Nobody who was never there.
    try seen("4", by: NetworkUser(identity: "stranger"))
    #expect(try linked.store.read { try $0.recipients(of: third.id) }.count == 2)
  }

  @Test("what the owner read on another device is read here, and reported to no one")
  func readElsewhere() throws {
    let linked = try Linked()
    try linked.say("one", by: linked.ben, in: linked.direct, archive: "1")
    try linked.say("two", by: linked.ben, in: linked.direct, archive: "2")
    let position = try linked.store.read { try $0.position }
    try linked.hear(.read(MessageIDs(archive: "1"), in: linked.direct))
    #expect(try linked.store.read { try $0.listing(for: linked.anna) }.map(\.unread) == [1])
    let (signals, end) = try linked.wire.read {
      try $0.signals(of: linked.account, since: position)
    }
    #expect(signals.isEmpty)
    #expect(try end == linked.store.read { try $0.position })
  }

  @Test("a receipt in a direct chat makes its sender someone one has written to")
  func writtenTo() throws {
    let linked = try Linked()
    try linked.join()
    try linked.say("one", by: linked.ben, in: linked.direct, origin: "1")
    let max = ConversationAddress.direct("max@example.org")
    try linked.say("two", by: NetworkUser(identity: "max@example.org"), in: max, origin: "2")
    _ = try linked.hear(.accepted(linked.send("to all").entry, archive: "a1"))
    let refused = try linked.send("mine", in: max).entry
    let (message, entry) = try linked.send("mine", in: linked.direct)
    #expect(try linked.wire.read { try $0.writtenTo(by: linked.account) } == [])
    try linked.hear(.refused(refused, reason: "no"))
    try linked.hear(.accepted(entry, archive: "a2"))
    #expect(try linked.state(message) == .sent)
    #expect(try linked.wire.read { try $0.writtenTo(by: linked.account) } == ["ben@example.org"])
  }

  @Test("the network hears what the owner's shells do")
  func signals() throws {
    let linked = try Linked()
    let ben = try linked.store.writeDurablyIfNeeded { try $0.participant(identity: "ben") }.id
    try linked.say("one", by: linked.ben, in: linked.direct, origin: "1")
    try linked.say("two", by: linked.ben, in: linked.direct, origin: "2")
    let place = try linked.conversation(linked.direct)
    _ = try linked.send("mine", in: linked.direct)
    var position = try linked.store.read { try $0.position }
    func told() throws -> [NetworkSignal] {
      let (signals, end) = try linked.wire.read {
        try $0.signals(of: linked.account, since: position)
      }
      position = end
      return signals
    }
    #expect(try told() == [])
    let speaker = NetworkUser(identity: "ben@example.org", name: "Ben")
    func reached(_ origin: String, _ state: DeliveryState) -> NetworkSignal {
      .receipt(linked.direct, MessageIDs(origin: origin), by: speaker, state)
    }
    try linked.store.writeIfNeeded { try $0.noteDelivered(to: linked.anna, upTo: [place: 3]) }
    #expect(try told() == [reached("2", .delivered)])
    try linked.store.writeIfNeeded {
      try $0.noteSeen(by: linked.anna, in: place, upTo: 1, sendReceipt: true)
    }
    #expect(try told() == [reached("2", .delivered), reached("1", .seen)])
    try linked.store.writeIfNeeded {
      try $0.noteSeen(by: linked.anna, in: place, upTo: 3, sendReceipt: true)
    }
    #expect(try told() == [reached("2", .seen)])
    _ = try linked.store.shells.attach(linked.anna)
    try linked.store.writeIfNeeded { try $0.setTyping(true, in: place) }
    #expect(try told() == [.typing(linked.direct, true)])
    try linked.store.writeIfNeeded { try $0.setTyping(false, in: place) }
    #expect(try told() == [.typing(linked.direct, false)])
    // Not what others do, nor what is done elsewhere.
    let lobby = try linked.store.writeDurablyIfNeeded { try $0.makeRoom("lobby") }.id
    try linked.store.writeDurablyIfNeeded { try $0.join(linked.anna, lobby) }
    try linked.store.writeIfNeeded { try $0.setTyping(true, in: lobby) }
    try linked.hear(.typing(linked.ben, in: linked.direct, true))
    try linked.store.writeIfNeeded {
      try $0.noteSeen(by: ben, in: lobby, upTo: 0, sendReceipt: true)
    }
    #expect(try told() == [])
  }
}
