// SPDX-License-Identifier: GPL-3.0-or-later
import StoreFixture
import Testing

@testable import Conversations
@testable import NetworkInbox

/// anna in a room that a network carries; `wire` is the network's process.
private final class Wired {
  let fixture = Fixture()
  let store: Store
  let wire: Store
  let anna: ID<Participant>
  let room: ID<Conversation>

  init() throws {
    store = try fixture.open()
    wire = try fixture.open()
    anna = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
    room = try wire.writeDurablyIfNeeded { try $0.networkRoom("tea@conf", network: "xmpp") }.id
    try store.writeDurablyIfNeeded { try $0.join(anna, room) }
  }

  func says(_ body: String) throws -> Message {
    try store.writeDurably { try $0.send(body, in: room, by: anna) }
  }
  func outbox() throws -> [OutboxEntry] { try wire.read { try $0.outbox(of: "xmpp") } }
  func waiting() throws -> [OutboxEntry.Operation] { try outbox().map(\.operation) }
  func state(_ message: Message) throws -> DeliveryState? {
    try store.read { try $0.message(message.id, for: anna) }?.state
  }
}

@Suite("The outbox of a network") struct OutboxStoreTests {
  @Test func aMessageWaitsUntilTheNetworkHasIt() throws {
    let wired = try Wired()
    let message = try wired.says("hello")
    #expect(message.state == .sending)
    #expect(try wired.store.read { try $0.unsent(by: wired.anna, in: nil) } == [message])
    #expect(try wired.store.read { try $0.unsent(by: wired.anna, in: wired.room) } == [message])
    let entry = try #require(try wired.outbox().first)
    #expect((entry.operation, entry.message) == (.send, message))
    #expect(try wired.wire.read { try $0.outbox(of: "irc") }.isEmpty)
    let position = try wired.store.read { try $0.position }
    try wired.wire.writeDurably { try $0.finish(entry, as: .sent) }
    let changes = try wired.store.read { try $0.changes(since: position, for: wired.anna) }
    #expect(changes.moved.map(\.state) == [.sent])
    #expect(changes.arrived.isEmpty && changes.revised.isEmpty)
    #expect(
      try wired.outbox().isEmpty && wired.store.read { try $0.unsent(by: wired.anna) }.isEmpty)
  }

  @Test("7.2: failed → sending by retry, under the same uid")
  func retry() throws {
    let wired = try Wired()
    let message = try wired.says("hello")
    let first = try #require(try wired.outbox().first)
    let position = try wired.store.read { try $0.position }
    try wired.wire.writeDurably { try $0.finish(first, as: .failed("no route")) }
    let moved = try wired.store.read { try $0.changes(since: position, for: wired.anna) }.moved
    #expect(moved.map(\.failure) == ["no route"])
    #expect(try wired.state(message) == .failed)
    let again = try wired.store.writeDurably { try $0.retry(message.id, by: wired.anna) }
    #expect((again.state, again.failure, again.uid) == (.sending, nil, message.uid))
    #expect(throws: RuleError.notFailed(1)) {
      try wired.store.writeDurably { try $0.retry(message.id, by: wired.anna) }
    }
    // The first attempt got through after all: the second is needless.
    try wired.wire.writeDurably { try $0.finish(first, as: .sent) }
    #expect(try wired.state(message) == .sent)
    #expect(try wired.outbox().isEmpty)
    try wired.wire.writeDurably { try $0.finish(first, as: .failed("late")) }
    #expect(try wired.state(message) == .sent)
  }

  @Test func aLateFailureDoesNotStopTheNextAttempt() throws {
    let wired = try Wired()
    let message = try wired.says("hello")
    let first = try #require(try wired.outbox().first)
    try wired.wire.writeDurably { try $0.finish(first, as: .failed("x")) }
    _ = try wired.store.writeDurably { try $0.retry(message.id, by: wired.anna) }
    try wired.wire.writeDurably { try $0.finish(first, as: .failed("x")) }
    #expect(try wired.state(message) == .sending)
    #expect(try wired.waiting() == [.send])
  }

  @Test("Only the sender sees that it has not been sent")
  func othersSeeItAsSent() throws {
    let wired = try Wired()
    let message = try wired.says("hello")
    let ben = try wired.store.writeDurablyIfNeeded { try $0.participant(identity: "ben") }.id
    #expect(try wired.store.read { try $0.message(message.id, for: ben) }?.state == .sent)
  }

  @Test func anUnsentMessageJustChanges() throws {
    let wired = try Wired()
    let message = try wired.says("helo")
    let edited = try wired.store.writeDurably {
      try $0.edit(message.id, to: "hello", by: wired.anna)
    }
    #expect((edited.body, edited.editedAt, edited.state) == ("hello", nil, .sending))
    #expect(try wired.store.read { try $0.revisions(of: message.id) }.isEmpty)
    #expect(try wired.outbox().map(\.message.body) == ["hello"])
  }

  @Test func whatChangesWhileItIsOnItsWayFollows() throws {
    let wired = try Wired()
    let message = try wired.says("helo")
    let entry = try #require(try wired.outbox().first)
    try wired.store.writeDurably { try $0.edit(message.id, to: "hello", by: wired.anna) }
    try wired.wire.writeDurably { try $0.finish(entry, as: .sent) }
    #expect(try wired.outbox().map(\.operation) == [.edit])
    #expect(try wired.outbox().map(\.message.body) == ["hello"])

    let other = try wired.says("oops")
    let second = try #require(try wired.outbox().last)
    #expect(
      try wired.store.writeDurably { try $0.takeBack(other.id, by: wired.anna) }.body == "oops")
    #expect(try wired.waiting() == [.edit])
    try wired.wire.writeDurably { try $0.finish(second, as: .sent) }
    #expect(try wired.waiting() == [.edit, .delete])
  }

  @Test("14.2: what may be on the wire cannot be taken back, and its deletion follows it")
  func onTheWire() throws {
    let wired = try Wired()
    let messages = try [wired.says("one"), wired.says("two")]
    let entries = try wired.outbox()
    try wired.wire.writeIfNeeded { try $0.noteTried(entries) }
    for message in messages {
      #expect(throws: RuleError.othersMayHaveIt(message.number)) {
        try wired.store.writeDurably { try $0.takeBack(message.id, by: wired.anna) }
      }
      let deleted = try wired.store.writeDurably {
        try $0.deleteMessage(message.id, by: wired.anna)
      }
      #expect(!deleted.isRecalled && deleted.deletedAt != nil)
    }
    func deleted() throws -> [Message] {
      try wired.store.read { try $0.messages(in: wired.room, limit: 9, for: wired.anna) }
    }
    #expect(try deleted().map(\.body) == ["", ""])
    #expect(try wired.waiting().isEmpty)
    // One arrives; the network refuses the other, so that nobody has it.
    try wired.wire.writeDurably {
      try $0.finish(entries[0], as: .sent)
      try $0.finish(entries[1], as: .failed("no"))
    }
    #expect(try wired.waiting() == [.delete])
    #expect(try deleted().map(\.number) == [1])
  }

  @Test("14.2: the doubt about a failed message outlasts a retry, and its deletion stays one")
  func inDoubt() throws {
    let wired = try Wired()
    let message = try wired.says("hello")
    func takeBack() throws {
      _ = try wired.store.writeDurably { try $0.takeBack(message.id, by: wired.anna) }
    }
    func fail(mayHaveArrived: Bool) throws {
      let entry = try #require(try wired.outbox().first)
      try wired.wire.writeDurably {
        try $0.finish(entry, as: .failed("no", mayHaveArrived: mayHaveArrived))
      }
    }
    for mayHaveArrived in [true, false] {
      try fail(mayHaveArrived: mayHaveArrived)
      #expect(throws: RuleError.othersMayHaveIt(1)) { try takeBack() }
      _ = try wired.store.writeDurably { try $0.retry(message.id, by: wired.anna) }
      #expect(throws: RuleError.othersMayHaveIt(1)) { try takeBack() }
    }
    let entries = try wired.outbox()
    try wired.wire.writeIfNeeded { try $0.noteTried(entries) }
    _ = try wired.store.writeDurably { try $0.deleteMessage(message.id, by: wired.anna) }
    try wired.wire.writeDurably {
      try $0.finish(entries[0], as: .failed("no", mayHaveArrived: true))
    }
    let left = try wired.store.read { try $0.messages(in: wired.room, limit: 9, for: wired.anna) }
    #expect(left.map(\.number) == [1] && left[0].deletedAt != nil)
  }

  @Test func editsAndDeletionsOfSentOnesArePosted() throws {
    let wired = try Wired()
    let message = try wired.says("helo")
    try wired.wire.writeDurably { try $0.finish(try #require(try wired.outbox().first), as: .sent) }
    try wired.store.writeDurably { try $0.edit(message.id, to: "hello", by: wired.anna) }
    #expect(try wired.store.read { try $0.revisions(of: message.id) }.map(\.body) == ["helo"])
    #expect(try wired.waiting() == [.edit])
    #expect(throws: RuleError.othersHaveIt(1)) {
      try wired.store.writeDurably { try $0.takeBack(message.id, by: wired.anna) }
    }
    try wired.store.writeDurably { try $0.deleteMessage(message.id, by: wired.anna) }
    #expect(try wired.waiting() == [.delete])
    try wired.wire.writeDurably {
      try $0.finish(try #require(try wired.outbox().first), as: .failed("not allowed"))
    }
    #expect(try wired.waiting() == [])
    #expect(
      try wired.store.read { try $0.message(message.id, for: wired.anna) }?.failure == "not allowed"
    )
  }

  @Test("3.7: Unsent ones can be taken back; deleting them is the same", arguments: [true, false])
  func unsentOnesGoWithoutTrace(failed: Bool) throws {
    let wired = try Wired()
    let messages = try [wired.says("one"), wired.says("two")]
    if failed {
      for entry in try wired.outbox() {
        try wired.wire.writeDurably { try $0.finish(entry, as: .failed("x")) }
      }
    }
    #expect(
      try wired.store.writeDurably { try $0.takeBack(messages[0].id, by: wired.anna) }.body == "one"
    )
    #expect(
      try wired.store.writeDurably { try $0.deleteMessage(messages[1].id, by: wired.anna) }
        .isRecalled)
    #expect(try wired.outbox().isEmpty)
    #expect(
      try wired.store.read { try $0.messages(in: wired.room, limit: 9, for: wired.anna) }.isEmpty)
    #expect(try wired.store.read { try $0.unsent(by: wired.anna) }.isEmpty)
  }
}
