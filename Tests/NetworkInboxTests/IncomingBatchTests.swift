// SPDX-License-Identifier: GPL-3.0-or-later
import Platform
import StoreFixture
import Testing

@testable import Conversations
@testable import NetworkInbox

@Suite("What a network process receives") struct IncomingBatchTests {
  @Test("a message is stored once, however often it is delivered")
  func once() throws {
    let linked = try Linked()
    try linked.join()
    let now = linked.fixture.now
    try linked.say("live", origin: "o1")
    try linked.say("live", origin: "o1", archive: "a1", at: now - 2_000)
    try linked.say("live", origin: "o1", archive: "a1", at: now - 2_000)
    try linked.say("live", archive: "a1")
    // What one calls a message says nothing of another's, nor of one with an archive id of its own.
    try linked.say("other speaker", by: linked.max, origin: "o1")
    try linked.say("used twice", origin: "o1", archive: "a2")
    try linked.say("nameless")
    try linked.say("nameless")
    try linked.say("o1 elsewhere", by: linked.ben, in: linked.direct, origin: "o1", archive: "a1")
    #expect(
      try linked.bodies() == ["live", "other speaker", "used twice", "nameless", "nameless"])
    #expect(try linked.bodies(in: linked.direct) == ["o1 elsewhere"])
    #expect(try linked.messages().map(\.number) == [1, 2, 3, 4, 5])
    // An archive names one message: another's words under its id are not taken for that one.
    try linked.say("forged", by: linked.max, archive: "a1")
    #expect(try linked.bodies().count == 5)
  }

  @Test("what someone would miss after a power cut is on disk first; presence may be later")
  func durability() throws {
    let linked = try Linked()
    try linked.join()
    // FULL is 2, NORMAL is 1.
    func level() throws -> Int? {
      try linked.wire.database.first("PRAGMA synchronous") { $0.int() }
    }
    for _ in 1...2 {
      try linked.say("kept")
      #expect(try level() == 2)
      try linked.hear(.present(linked.zoe, room: "tea@rooms.example", away: nil))
      #expect(try level() == 1)
    }
  }

  @Test(
    "what is handed to the network is marked on disk first, so that nothing is sent twice (14.2)")
  func durableMark() throws {
    let linked = try Linked()
    try linked.join()
    let tea = try linked.conversation()
    try linked.store.writeDurably { try $0.send("x", in: tea, by: linked.anna) }
    try linked.hear(.present(linked.zoe, room: "tea@rooms.example", away: nil))
    let lease = try #require(try linked.lease())
    let entries = try linked.wire.read { try $0.outbox(of: linked.account.network) }
    try lease.noteTried(entries, [])
    #expect(
      try linked.wire.read { try $0.outbox(of: linked.account.network) }.map(\.wasTried) == [true])
    #expect(try linked.wire.database.first("PRAGMA synchronous") { $0.int() } == 2)
  }

  @Test(
    "a message is found by its ids, however many there are",
    arguments: [
      ("AND archive_id = ?", "message_archive (conversation=? AND archive_id=?)"),
      ("(?3 IS NULL OR sender = ?3)", "message_origin (conversation=? AND remote_id=?)"),
      ("lower(hex(uid))", "message_origin (conversation=? AND remote_id=? AND sender=?)"),
      ("AND sort >= ?2 AND sort < ?3", "message_order (conversation=? AND sort>? AND sort<?)"),
      ("AND sort >= ? AND sort < ?", "message_order (conversation=? AND sort>? AND sort<?)"),
      ("SELECT 1 FROM applied_change", "applied_change_known (message=? AND participant=?)"),
      ("w.origin_id", "message_origin (conversation=? AND remote_id=?)"),
    ])
  func isFoundByIndex(part: String, index: String) throws {
    let linked = try Linked()
    try linked.join()
    let now = linked.fixture.now
    for time: Milliseconds in [5, 3, 4] {
      try linked.say("\(time)", origin: "o", archive: "\(time)", at: now - 60_000 * time)
    }
    try linked.hear(.typing(linked.zoe, in: linked.tea, true))
    try linked.hear(
      .edited(
        MessageIDs(archive: "3"), by: linked.zoe, in: linked.tea, body: "x", at: nil,
        change: MessageIDs(archive: "c")))
    try linked.hear(.retracted(MessageIDs(origin: "o"), by: linked.zoe, in: linked.tea, at: nil))
    try linked.say("past", archive: "p", at: 1, isPast: true)
    let database = linked.wire.database
    _ = try linked.wire.read {
      try $0.messages(in: linked.conversation(), limit: 9, for: linked.anna)
    }
    let sql = try #require(database.known.first { $0.contains(part) })
    let plan = try database.rows("EXPLAIN QUERY PLAN " + sql) { $0.text("detail") }
    #expect(plan.contains { $0.contains(index) }, "\(plan)")
  }

  @Test("attack 26.11: of a sender who gives all messages one id, only the newest are compared")
  func oneID() throws {
    let linked = try Linked()
    try linked.join()
    for number in 0..<50 { try linked.say("\(number)", origin: "o", archive: "\(number)") }
    #expect(try linked.store.count("message") == 50)
    let database = linked.wire.database
    let sql = try #require(database.known.first { $0.contains("lower(hex(uid))") })
    let plan = try database.rows("EXPLAIN QUERY PLAN " + sql) { $0.text("detail") }
    #expect(sql.contains("LIMIT 20") && !plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
  }

  @Test("14.2: a sender whose ids repeat loses no message", arguments: [true, false])
  func repeatedIDs(hasArchive: Bool) throws {
    let linked = try Linked()
    try linked.join()
    var number = 0
    func say(_ text: String, _ id: String, after minutes: Milliseconds) throws {
      linked.fixture.now += minutes * 60_000
      number += 1
      try linked.say(text, origin: id, archive: hasArchive ? "a\(number)" : nil)
    }
    try say("Backup finished", "5", after: 0)
    try say("Backup started", "6", after: 1)
    try say("Disk full", "5", after: 1)
    try say("Backup finished", "5", after: 9)
    #expect(
      try linked.bodies() == ["Backup finished", "Backup started", "Disk full", "Backup finished"])
    // Within the time of a broken connection, only an archive can tell.
    try say("Backup finished", "5", after: 9)
    #expect(try linked.bodies().count == (hasArchive ? 5 : 4))
  }

  @Test("14.2: a repeated message is known by its first text, without its files, or deleted")
  func knownText() throws {
    let linked = try Linked()
    try linked.join()
    try linked.say("helo", origin: "o1")
    try linked.hear(
      .edited(MessageIDs(origin: "o1"), by: linked.zoe, in: linked.tea, body: "hello", at: nil))
    try linked.say("helo", origin: "o1")
    try linked.say("oops", origin: "o2")
    try linked.hear(
      .retracted(MessageIDs(origin: "o2"), by: linked.zoe, in: linked.tea, at: nil))
    try linked.say("oops", origin: "o2")
    #expect(try linked.store.count("message") == 2)
  }

  @Test("14.6: an event that cannot be stored is skipped as a whole, and the batch stays one")
  func badEvents() throws {
    let linked = try Linked()
    let room = "tea@rooms.example"
    try linked.hear(
      .joined(room: room, nick: "anna"), .present(linked.zoe, room: room),
      .present(linked.max, room: room))
    let position = try linked.store.read { try $0.position }
    let nobody = NetworkUser(identity: "", name: "nobody")
    func said(_ archive: String, by speaker: NetworkUser) -> NetworkEvent {
      .messageReceived(
        NetworkMessage(
          name: MessageIDs(archive: archive), speaker: speaker, body: archive, time: 5,
          isPast: true), in: linked.tea)
    }
    try linked.wire.database.execute(
      """
      CREATE TEMP TRIGGER forbidden BEFORE UPDATE OF topic ON main.conversation
      BEGIN SELECT RAISE(ABORT, 'constraint'); END
      """)
    var reasons: [String] = []
    var events: [NetworkEvent] = [
      .roomNamed(room: "", name: "x"), .offline(), .joined(room: room, nick: "anna"),
      .present(nobody, room: room), .present(linked.zoe, room: room),
      .topic(room: room, text: "no", by: linked.max, at: nil), .present(linked.max, room: room),
      .page(of: linked.tea, from: "p1", until: ""), said("p1", by: linked.zoe),
      said("p2", by: nobody), said("p3", by: linked.max), .caughtUp(archive: room, mark: "p3"),
    ]
    try linked.wire.inbox.apply(&events, of: linked.account) { reasons.append("\($0)") }
    #expect(events.isEmpty && reasons.count == 4)
    let changes = try linked.store.read { try $0.changes(since: position, for: linked.anna) }
    #expect(changes.events.isEmpty)
    let people = try linked.store.read { try $0.members(of: linked.conversation()) }
    #expect(people.map(\.name) == ["anna", "max", "zoe"])
    #expect(try linked.bodies() == ["p1", "p3"])
    #expect(try linked.wire.read { try $0.catchUpMarks(of: linked.account) } == [room: "p3"])
  }

  @Test("14.6: what a skipped event had changed is undone, in the batch's own memory, too")
  func undone() throws {
    let linked = try Linked()
    try linked.join()
    // It fails after the person was created.
    try linked.wire.database.execute(
      """
      CREATE TEMP TRIGGER forbidden BEFORE INSERT ON main.message WHEN new.body = 'no'
      BEGIN SELECT RAISE(ABORT, 'constraint'); END
      """)
    let kim = NetworkUser(identity: "occupant-9", name: "kim")
    func said(_ body: String) -> NetworkEvent {
      .messageReceived(NetworkMessage(speaker: kim, body: body), in: linked.tea)
    }
    #expect(throws: StoreError.self) { try linked.hear(said("no"), said("yes"), said("no")) }
    #expect(
      try linked.messages().map { "\($0.number) \($0.senderName) \($0.body)" } == ["1 kim yes"])
    #expect(try linked.store.count("message_text WHERE message_text MATCH 'yes'") == 1)
    #expect(try linked.store.count("participant WHERE name = 'kim'") == 1)
  }

  @Test("14.2: others can write during a long batch, which is cut only between events")
  func pieces() throws {
    let linked = try Linked()
    let room = "tea@rooms.example"
    let inbox = linked.wire.inbox
    // Each look at the clock takes a fifth of the time that a transaction may last.
    var time: MonotonicTime = 0
    inbox.steady = {
      time = time + 10
      return time
    }
    var counts: [Int] = []
    var table = "membership"
    inbox.pause = { counts.append((try? linked.store.count(table)) ?? -1) }
    let people = (1...20).map { NetworkUser(identity: "o\($0)", name: "nick\($0)") }
    func apply(_ events: [NetworkEvent]) throws -> [Int] {
      counts = []
      try inbox.apply(events, of: linked.account)
      return try counts + [linked.store.count(table)]
    }
    // The owner and the people in the room are one value.
    let present = people.map { NetworkEvent.present($0, room: room) }
    #expect(try apply([.joined(room: room, nick: "anna")] + present) == [21])
    // Five events in each transaction: a split of the network, and its end.
    table = "event"
    let steps = [5, 10, 15, 20]
    #expect(try apply(people.map { .absent($0, room: room) }) == steps)
    #expect(try apply(present) == steps.map { $0 + 20 })
    // A page with its mark is one, too.
    table = "message"
    let said = (1...12).map { number in
      NetworkEvent.messageReceived(
        NetworkMessage(
          name: MessageIDs(archive: "p\(number)"), speaker: people[0], body: "\(number)", time: 5,
          isPast: true), in: linked.tea)
    }
    let mark = NetworkEvent.caughtUp(archive: room, mark: "p12")
    #expect(
      try apply([.page(of: linked.tea, from: "p1", until: "")] + said + [mark] + present) == [
        12, 12, 12, 12, 12,
      ])
  }

  @Test("14.2: after a failure, a batch goes on behind what is stored")
  func resumed() throws {
    let linked = try Linked()
    try linked.join()
    let inbox = linked.wire.inbox
    var time: MonotonicTime = 0
    inbox.steady = {
      time = time + 30
      return time
    }
    linked.wire.patience = 0
    var events = (1...5).map { number in
      NetworkEvent.messageReceived(
        NetworkMessage(speaker: linked.zoe, body: "\(number)"), in: linked.tea)
    }
    // Another process takes the lock between two transactions.
    inbox.pause = { try? linked.store.database.execute("BEGIN IMMEDIATE") }
    #expect(throws: StoreError.self) {
      try inbox.apply(&events, of: linked.account) { _ in }
    }
    linked.store.database.rollBack()
    #expect(try linked.bodies() == ["1", "2"] && events.count == 3)
    inbox.pause = {}
    try inbox.apply(&events, of: linked.account) { _ in }
    #expect(try linked.bodies() == ["1", "2", "3", "4", "5"] && events.isEmpty)
  }

  @Test("13.5: after a failure, the rest of a batch still belongs to the owner's entry")
  func entryResumed() throws {
    let linked = try Linked()
    try linked.join()
    let (inbox, room) = (linked.wire.inbox, "tea@rooms.example")
    var time: MonotonicTime = 0
    inbox.steady = {
      time = time + 60
      return time
    }
    linked.wire.patience = 0
    var events: [NetworkEvent] = [
      .joined(room: room, nick: "anna"), .present(linked.zoe, room: room),
      .topic(room: room, text: "green", by: linked.zoe, at: nil),
    ]
    inbox.pause = { try? linked.store.database.execute("BEGIN IMMEDIATE") }
    for _ in 1...2 {
      #expect(throws: StoreError.self) {
        try inbox.apply(&events, of: linked.account) { _ in }
      }
      #expect(events.count == 1)
    }
    linked.store.database.rollBack()
    inbox.pause = {}
    try inbox.apply([.notice("x")], of: linked.account)
    try inbox.apply(&events, of: linked.account) { _ in }
    #expect(try linked.store.count("conversation WHERE topic = 'green'") == 1)
    #expect(try linked.store.count("event WHERE text = 'green'") == 0)
    // Later, it is a change.
    try linked.hear(.topic(room: room, text: "black", by: linked.zoe, at: nil))
    #expect(try linked.store.count("event WHERE text = 'black'") == 1)
  }

  @Test("a topic changed when the network says, but never later than now")
  func topicTimes() throws {
    let linked = try Linked()
    try linked.join()
    try linked.hear(.present(linked.zoe, room: "tea@rooms.example"))
    let (position, now) = (try linked.store.read { try $0.position }, linked.fixture.now)
    for (text, time) in [("green", now - 60_000), ("black", now + 60_000), ("white", nil)] {
      try linked.hear(
        .topic(room: "tea@rooms.example", text: text, by: linked.zoe, at: time))
    }
    let events = try linked.store.read { try $0.changes(since: position, for: linked.anna) }.events
    #expect(events.map(\.text) == ["green", "black", "white"])
    #expect(events.map(\.at) == [now - 60_000, now, now])
  }

  @Test("14.2: a message that was deleted before it went out leaves nothing behind")
  func neverSent() throws {
    let linked = try Linked()
    try linked.join()
    let (message, entry) = try linked.send("hello")
    let (other, kept) = try linked.send("there")
    try linked.wire.writeIfNeeded { try $0.noteTried([entry, kept]) }
    let deleted = try linked.store.writeDurably {
      try $0.deleteMessage(message.id, by: linked.anna)
    }
    #expect(deleted.deletedAt != nil && !deleted.isRecalled)
    try linked.hear(.neverSent(entry), .neverSent(kept))
    #expect(try linked.messages().map(\.id) == [other.id])
    #expect(try linked.state(other) == .sending && linked.outbox().map(\.id) == [kept.id])
  }

  @Test("an echo of the owner's message marks it sent, once", arguments: [true, false])
  func ownComesBack(fromArchive: Bool) throws {
    let linked = try Linked()
    try linked.join()
    let (message, entry) = try linked.send("hello")
    #expect(entry.name.origin == message.uid && entry.origin == message.uid)
    #expect(entry.conversation == linked.tea && entry.author.isOwner && !entry.wasTried)
    // Someone else under the same id is someone else.
    try linked.say("hello", origin: message.uid)
    #expect(try linked.state(message) == .sending)
    try linked.wire.writeIfNeeded { try $0.noteTried([entry]) }
    #expect(try linked.outbox().map(\.wasTried) == [true])
    let position = try linked.store.read { try $0.position }
    try linked.say(
      "hello", by: linked.me, origin: message.uid, archive: fromArchive ? "a1" : nil)
    #expect(try linked.state(message) == .sent)
    #expect(try linked.outbox().isEmpty)
    let changes = try linked.store.read { try $0.changes(since: position, for: linked.anna) }
    #expect(changes.moved.map(\.id) == [message.id])
    // What the connection says of that attempt later changes nothing.
    try linked.hear(.accepted(entry, archive: "a1"))
    #expect(try linked.state(message) == .sent && linked.outbox().isEmpty)
    try linked.say("hello", by: linked.me, origin: message.uid, archive: "a1")
    #expect(try linked.bodies() == ["hello", "hello"])
  }

  @Test("a change made before a takeover is sent when the earlier text comes back")
  func editedBetweenProcesses() throws {
    for isFormers in [true, false] {
      let linked = try Linked()
      try linked.join()
      let (message, entry) = try linked.send("helo")
      try linked.wire.writeIfNeeded { try $0.noteTried([entry]) }
      try linked.store.writeDurably { try $0.edit(message.id, to: "hello", by: linked.anna) }
      // The successor knows the new text alone, which it may have sent itself.
      var taken = try #require(try linked.outbox().last)
      #expect(taken.wasTried)
      taken.wasTried = isFormers
      try linked.hear(.accepted(taken, archive: nil))
      #expect(try linked.outbox().map(\.operation) == (isFormers ? [.edit] : []))
    }
  }

  @Test("a change made during sending is sent when the message comes back")
  func editedOnItsWay() throws {
    let linked = try Linked()
    try linked.join()
    let (message, entry) = try linked.send("helo")
    try linked.wire.writeIfNeeded { try $0.noteTried([entry]) }
    try linked.store.writeDurably { try $0.edit(message.id, to: "hello", by: linked.anna) }
    try linked.say("helo", by: linked.me, origin: message.uid)
    #expect(try linked.outbox().map(\.operation) == [.edit])
    #expect(try linked.outbox()[0].message.body == "hello")
    #expect(try linked.outbox()[0].origin != message.uid)

    let (other, second) = try linked.send("oops")
    try linked.wire.writeIfNeeded { try $0.noteTried([second]) }
    _ = try linked.store.writeDurably { try $0.deleteMessage(other.id, by: linked.anna) }
    try linked.say("oops", by: linked.me, origin: other.uid)
    try linked.say("oops", by: linked.me, origin: other.uid)
    #expect(try linked.outbox().map(\.operation) == [.edit, .delete])
    #expect(try linked.bodies() == ["hello", ""])

    // Edited before it was handed over: nothing follows.
    let (third, _) = try linked.send("thrid")
    try linked.store.writeDurably { try $0.edit(third.id, to: "third", by: linked.anna) }
    try linked.wire.writeIfNeeded { try $0.noteTried([try #require(try linked.outbox().last)]) }
    try linked.say("third", by: linked.me, origin: third.uid)
    #expect(try linked.outbox().map(\.operation) == [.edit, .delete])
  }

  @Test("/retry keeps the id, and a late echo makes it unnecessary")
  func retry() throws {
    let linked = try Linked()
    try linked.join()
    let (message, entry) = try linked.send("hello")
    try linked.hear(.refused(entry, reason: "no voice"))
    #expect(try linked.state(message) == .failed)
    _ = try linked.store.writeDurably { try $0.retry(message.id, by: linked.anna) }
    let again = try #require(try linked.outbox().first)
    #expect(again.name.origin == message.uid && again.id != entry.id && !again.wasTried)
    try linked.hear(.refused(entry, reason: "late"))
    #expect(try linked.state(message) == .sending && linked.outbox() == [again])
    try linked.say("hello", by: linked.me, origin: message.uid)
    #expect(try linked.state(message) == .sent && linked.outbox().isEmpty)
  }

  @Test("a message that the server accepted and returned has failed, unless someone has it")
  func bounced() throws {
    let linked = try Linked()
    try linked.say("hi", by: linked.ben, in: linked.direct)
    let (first, entry) = try linked.send("one", in: linked.direct)
    try linked.hear(.accepted(entry, archive: "a1"))
    try linked.hear(.refused(entry, reason: "gone"))
    #expect(try linked.state(first) == .failed)
    let second = try linked.send("two", in: linked.direct)
    try linked.hear(.accepted(second.entry, archive: nil))
    try linked.hear(
      .bounced(MessageIDs(origin: second.message.uid), in: linked.tea, reason: "elsewhere"))
    #expect(try linked.state(second.message) == .sent)
    try linked.hear(
      .bounced(MessageIDs(origin: second.message.uid), in: linked.direct, reason: "no such user"))
    let failed = try linked.store.read { try $0.message(second.message.id, for: linked.anna) }
    #expect(failed?.failure == "no such user")
    let third = try linked.send("three", in: linked.direct)
    try linked.hear(
      .accepted(third.entry, archive: nil),
      .receipt(
        MessageIDs(origin: third.message.uid), by: linked.ben, in: linked.direct, .delivered),
      .bounced(MessageIDs(origin: third.message.uid), in: linked.direct, reason: "one of two"))
    #expect(try linked.state(third.message) == .delivered)
  }

  @Test("messages from the owner's other device are the owner's")
  func otherDevice() throws {
    let linked = try Linked()
    try linked.say("from my phone", by: linked.me, in: linked.direct, origin: "p1")
    let found = try linked.messages(in: linked.direct)
    #expect(found.map(\.sender) == [linked.anna] && found[0].state == .sent)
    #expect(try linked.store.read { try $0.listing(for: linked.anna) }.map(\.unread) == [0])
    #expect(try linked.outbox().isEmpty)
    try linked.hear(
      .edited(
        MessageIDs(origin: "p1"), by: linked.me, in: linked.direct, body: "my phone", at: nil))
    #expect(try linked.bodies(in: linked.direct) == ["my phone"])
    #expect(try linked.outbox().isEmpty)
  }

  @Test("a message to the owner alone opens a chat, with the text as it came")
  func directChat() throws {
    let linked = try Linked()
    // It is made safe where it is shown.
    try linked.say("psst\u{1b}[2J", by: linked.ben, in: linked.direct, at: 77)
    let listed = try #require(try linked.store.read { try $0.listing(for: linked.anna) }.first)
    #expect(listed.conversation.name == "@ben" && listed.unread == 1)
    #expect(listed.conversation.network == linked.account.network)
    #expect(try linked.bodies(in: linked.direct) == ["psst\u{1b}[2J"])
    #expect(try linked.messages(in: linked.direct)[0].createdAt == 77)
    #expect(try linked.send("yes?", in: linked.direct).message.state == .sending)
  }

  @Test("in a direct chat only the two speak")
  func strangersInADirectChat() throws {
    let linked = try Linked()
    let mallory = NetworkUser(identity: "mallory@example.org")
    try linked.say("hi", by: linked.ben, in: linked.direct, origin: "b1")
    try linked.say("I am Ben", by: mallory, in: linked.direct)
    try linked.hear(
      .edited(MessageIDs(origin: "b1"), by: mallory, in: linked.direct, body: "x", at: nil),
      .reacted(
        MessageIDs(origin: "b1"), author: nil, by: mallory, in: linked.direct, emoji: ["🎉"],
        at: nil),
      .typing(mallory, in: linked.direct, true))
    #expect(try linked.bodies(in: linked.direct) == ["hi"])
    let place = try linked.conversation(linked.direct)
    #expect(try linked.store.read { try $0.people(in: place) }.allSatisfy { $0.typingSince == nil })
    #expect(
      try linked.store.read { try $0.reactions(of: linked.messages(in: linked.direct)[0].id) }
        .isEmpty)
  }

  @Test("a time that is out of range or in the future is adjusted")
  func times() throws {
    let linked = try Linked()
    try linked.join()
    for time in [Milliseconds.max, .min, -1, linked.fixture.now + 1] {
      try linked.say("\(time)", archive: "\(time)", at: time)
    }
    #expect(
      Set(try linked.messages().map(\.createdAt))
        == [linked.fixture.now, Message.times.lowerBound, -1])
    #expect(
      try linked.store.read { try $0.listing(for: linked.anna) }[0].lastAt == linked.fixture.now)
  }

  @Test("file addresses stand below the text")
  func links() throws {
    let linked = try Linked()
    try linked.join()
    let link = "https://example.org/a.png"
    for body in ["", "look", "see \(link)"] {
      var message = NetworkMessage(name: MessageIDs(), speaker: linked.zoe, body: body)
      message.links = [link]
      try linked.hear(.messageReceived(message, in: linked.tea))
    }
    #expect(try linked.bodies() == [link, "look\n\(link)", "see \(link)"])
  }

  @Test("a reply knows its message, and the outbox sends it to the network")
  func replies() throws {
    let linked = try Linked()
    try linked.join()
    try linked.say("first", origin: "o1", archive: "a1")
    try linked.say("decoy", by: linked.max, origin: "o1")
    func answer(_ name: MessageIDs, _ speaker: NetworkUser?) throws -> Quote? {
      var message = NetworkMessage(name: MessageIDs(), speaker: linked.max, body: "so?")
      (message.answers, message.answersSpeaker) = (name, speaker)
      try linked.hear(.messageReceived(message, in: linked.tea))
      return try linked.messages().last?.replyTo
    }
    #expect(try answer(MessageIDs(archive: "a1"), nil)?.line == "first")
    #expect(try answer(MessageIDs(origin: "o1"), linked.zoe)?.line == "first")
    #expect(try answer(MessageIDs(origin: "o1"), linked.max)?.line == "decoy")
    #expect(try answer(MessageIDs(origin: "o1"), nil) == nil)
    #expect(try answer(MessageIDs(origin: "o9"), linked.zoe) == nil)
    let first = try linked.messages()[0]
    try linked.store.writeDurably {
      try $0.send(
        "yes", in: linked.conversation(), by: linked.anna, replyTo: first.id)
    }
    let quote = try #require(try linked.outbox().last?.answers)
    #expect(quote.name == MessageIDs(origin: "o1", archive: "a1"))
    #expect(quote.speaker.identity == linked.zoe.identity && quote.speaker.name == "zoe")
    #expect(quote.text == "first")
    try linked.store.writeDurably { try $0.react(first.id, by: linked.anna, with: "🎉") }
    let reaction = try #require(try linked.outbox().last)
    #expect(reaction.operation == .react && reaction.author.identity == linked.zoe.identity)
    #expect(reaction.name.archive == "a1" && reaction.reaction?.emoji == "🎉")
  }
}
