// SPDX-License-Identifier: GPL-3.0-or-later
import StoreFixture
import Testing

@testable import Conversations
@testable import NetworkInbox

/// Receipts of networks that confirm each message by itself.
@Suite("Receipts for single messages") struct SingleReceiptTests {
  private let linked: Linked

  init() throws { linked = try Linked() }

  private func send(_ count: Int, in place: ConversationAddress) throws -> [Message] {
    try (1...count).map { number in
      let (message, entry) = try linked.send("\(number)", in: place)
      try linked.hear(.accepted(entry, archive: "\(number)"))
      return message
    }
  }

  private func confirm(
    _ number: Int, _ state: DeliveryState, by speaker: NetworkUser, in place: ConversationAddress
  ) throws {
    try linked.hear(
      .receipt(MessageIDs(archive: "\(number)"), by: speaker, in: place, state, isAlone: true))
  }

  private func rows() throws -> Int {
    try linked.store.read {
      try $0.database.first("SELECT count(*) FROM single_receipt") { $0.int() }
    }
      ?? 0
  }

  @Test("7.3: in a direct chat such a receipt says nothing of the messages before")
  func directChats() throws {
    try linked.say("hi", by: linked.ben, in: linked.direct, origin: "b1")
    let sent = try send(4, in: linked.direct)
    func states() throws -> [DeliveryState?] { try sent.map { try linked.state($0) } }
    try confirm(3, .seen, by: linked.ben, in: linked.direct)
    #expect(try states() == [.sent, .sent, .seen, .sent])
    try confirm(1, .delivered, by: linked.ben, in: linked.direct)
    #expect(try states() == [.delivered, .sent, .seen, .sent])
    // Now there is no gap before the third any more.
    try confirm(2, .seen, by: linked.ben, in: linked.direct)
    #expect(try states() == [.delivered, .seen, .seen, .sent])
    try confirm(1, .seen, by: linked.ben, in: linked.direct)
    #expect(try states() == [.seen, .seen, .seen, .sent])
    #expect(try rows() == 0)
    // It never goes back.
    try confirm(2, .delivered, by: linked.ben, in: linked.direct)
    #expect(try states() == [.seen, .seen, .seen, .sent])
  }

  @Test("a receipt for all messages up to one takes the place of those for single ones")
  func bothKinds() throws {
    try linked.say("hi", by: linked.ben, in: linked.direct, origin: "b1")
    let sent = try send(3, in: linked.direct)
    try confirm(3, .delivered, by: linked.ben, in: linked.direct)
    #expect(try rows() == 1)
    try linked.hear(
      .receipt(MessageIDs(archive: "3"), by: linked.ben, in: linked.direct, .seen))
    #expect(try sent.map { try linked.state($0) } == [.seen, .seen, .seen])
    #expect(try rows() == 0)
  }

  @Test("7.3: in a room, seen means seen by all who ever said so, each message by itself")
  func rooms() throws {
    try linked.join()
    try linked.hear(
      .present(linked.zoe, room: "tea@rooms.example"),
      .present(linked.max, room: "tea@rooms.example"))
    let sent = try send(3, in: linked.tea)
    try confirm(2, .seen, by: linked.zoe, in: linked.tea)
    #expect(try sent.map { try linked.state($0) } == [.sent, .seen, .sent])
    try confirm(1, .delivered, by: linked.zoe, in: linked.tea)
    #expect(try sent.map { try linked.state($0) } == [.sent, .seen, .sent])
    try confirm(3, .seen, by: linked.max, in: linked.tea)
    #expect(try sent.map { try linked.state($0) } == [.sent, .seen, .seen])
  }

  @Test("7.12: a message that is not kept takes its receipts with it")
  func forgets() throws {
    try linked.say("hi", by: linked.ben, in: linked.direct, origin: "b1")
    _ = try send(3, in: linked.direct)
    for number in 2...3 { try confirm(number, .seen, by: linked.ben, in: linked.direct) }
    #expect(try rows() == 2)
    let chat = try linked.conversation(linked.direct)
    try linked.store.writeDurably { try $0.setKeep(chat, 1_000) }
    func forget(_ budget: Int) throws {
      _ = try linked.store.writeIfNeeded {
        try $0.forgetOld(now: linked.fixture.now + 10_000, budget: budget)
      }
    }
    try forget(3)
    #expect(try rows() == 1)
    try forget(50)
    #expect(try rows() == 0)
  }

  @Test("the sender's shell learns of it as of any other receipt")
  func reports() throws {
    try linked.say("hi", by: linked.ben, in: linked.direct, origin: "b1")
    let sent = try send(2, in: linked.direct)
    let before = try linked.store.read { try $0.position }
    try confirm(2, .seen, by: linked.ben, in: linked.direct)
    let after = try linked.store.read { try $0.position }
    #expect(after > before)
    #expect(try linked.state(sent[1]) == .seen)
  }
}
