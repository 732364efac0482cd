// SPDX-License-Identifier: GPL-3.0-or-later
import StoreFixture
import Testing

@testable import Conversations

@Suite("The list of messages (rule 7)") struct ReadingTests {
  @Test func pagesGoBackFromTheNewest() throws {
    let lobby = try Lobby()
    for number in 1...10 { try lobby.says("message \(number)") }
    func page(before: Int?, _ limit: Int) throws -> [Int] {
      try lobby.store.read {
        try $0.messages(in: lobby.lobby, before: before, limit: limit, for: lobby.ben)
      }
      .map(\.number)
    }
    #expect(try page(before: nil, 3) == [8, 9, 10])
    #expect(try page(before: 8, 3) == [5, 6, 7])
    #expect(try page(before: 2, 3) == [1])
    #expect(try page(before: 1, 3) == [])
    #expect(try page(before: nil, 0) == [])
    #expect(try page(before: nil, -1) == [])
    let range = try lobby.store.read {
      try $0.messages(in: lobby.lobby, numbers: 9...20, for: lobby.ben)
    }
    #expect(range.map(\.number) == [9, 10])
  }

  @Test("7.1: Unsent messages come last, the rest by time, equal times in order of arrival")
  func order() {
    func message(_ id: Int64, _ state: DeliveryState, at time: Milliseconds) -> Message {
      Message(
        id: ID(rawValue: id), uid: "", conversation: ID(rawValue: 1), number: Int(id),
        sender: ID(rawValue: 1), senderName: "", senderIdentity: "", body: "", createdAt: time,
        state: state)
    }
    let messages = [
      message(1, .sending, at: 10), message(2, .failed, at: 50), message(3, .sent, at: 30),
      message(4, .seen, at: 40), message(5, .delivered, at: 20), message(6, .seen, at: 30),
      message(7, .failed, at: 5), message(8, .sending, at: 10),
    ]
    let wanted: [Int] = [5, 3, 6, 4, 7, 2, 1, 8]
    #expect(messages.inOrder().map(\.number) == wanted)
    #expect(messages.reversed().inOrder().map(\.number) == wanted)
    #expect([Message]().inOrder() == [])
  }

  @Test("7.2: States are ordered as they move")
  func statesAreOrdered() {
    #expect(DeliveryState.allCases.sorted() == [.failed, .sending, .sent, .delivered, .seen])
  }
}

@Suite("7.2, 7.3, 7.7: Receipts and the read marker") struct ReceiptTests {
  @Test func aMessageIsDeliveredAndSeen() throws {
    let lobby = try Lobby()
    let message = try lobby.says("hello")
    #expect(try lobby.state(message) == .sent)
    try lobby.other.writeIfNeeded { try $0.noteDelivered(to: lobby.ben, upTo: [lobby.lobby: 1]) }
    #expect(try lobby.state(message) == .delivered)
    try lobby.other.writeIfNeeded {
      try $0.noteSeen(by: lobby.ben, in: lobby.lobby, upTo: 1, sendReceipt: true)
    }
    #expect(try lobby.state(message) == .seen)
    // To others it is simply there.
    #expect(try lobby.other.read { try $0.message(message.id, for: lobby.ben) }?.state == .sent)
  }

  @Test("With receipts off no one hears of it, yet the read marker moves")
  func receiptsOff() throws {
    let lobby = try Lobby()
    let message = try lobby.says("hello")
    try lobby.other.writeIfNeeded {
      try $0.noteSeen(by: lobby.ben, in: lobby.lobby, upTo: 1, sendReceipt: false)
    }
    #expect(try lobby.state(message) == .sent)
    #expect(try lobby.other.read { try $0.readMarker(of: lobby.ben, in: lobby.lobby) } == 1)
  }

  @Test("Nothing moves back, or beyond the newest message")
  func onlyForward() throws {
    let lobby = try Lobby()
    let messages = try (1...3).map { try lobby.says("message \($0)") }
    try lobby.other.writeIfNeeded {
      try $0.noteSeen(by: lobby.ben, in: lobby.lobby, upTo: 3, sendReceipt: true)
    }
    let position = try lobby.store.read { try $0.position }
    try lobby.other.writeIfNeeded {
      try $0.noteSeen(by: lobby.ben, in: lobby.lobby, upTo: 1, sendReceipt: true)
    }
    try lobby.other.writeIfNeeded { try $0.noteDelivered(to: lobby.ben, upTo: [lobby.lobby: 2]) }
    #expect(try lobby.store.read { try $0.position } == position)
    #expect(try lobby.state(messages[2]) == .seen)
    try lobby.other.writeIfNeeded {
      try $0.noteSeen(by: lobby.ben, in: lobby.lobby, upTo: .max, sendReceipt: true)
    }
    try lobby.other.writeIfNeeded { try $0.noteDelivered(to: lobby.ben, upTo: [lobby.lobby: .max]) }
    #expect(try lobby.other.read { try $0.readMarker(of: lobby.ben, in: lobby.lobby) } == 3)
    #expect(try lobby.state(try lobby.says("later")) == .sent)
  }

  @Test("7.2: In a room the state is the lowest among the recipients")
  func leastState() throws {
    let lobby = try Lobby()
    let carl = try lobby.store.writeDurablyIfNeeded { try $0.participant(identity: "carl") }.id
    try lobby.store.writeDurablyIfNeeded { try $0.join(carl, lobby.lobby) }
    let message = try lobby.says("hello")
    try lobby.other.writeIfNeeded {
      try $0.noteSeen(by: lobby.ben, in: lobby.lobby, upTo: 1, sendReceipt: true)
    }
    #expect(try lobby.state(message) == .sent)
    try lobby.other.writeIfNeeded { try $0.noteDelivered(to: carl, upTo: [lobby.lobby: 1]) }
    #expect(try lobby.state(message) == .delivered)
    let recipients = try lobby.store.read { try $0.recipients(of: message.id) }
    #expect(recipients.map(\.participant.identity) == ["ben", "carl"])
    #expect(recipients.map(\.state) == [.seen, .delivered])
  }

  @Test("7.2: a person away for a week is not a recipient of a message in a room")
  func absent() throws {
    let lobby = try Lobby()
    let day: Milliseconds = 24 * 3_600_000
    func recipients(_ message: Message) throws -> [String] {
      try lobby.store.read { try $0.recipients(of: message.id) }.map(\.participant.identity)
    }
    _ = try lobby.store.shells.attach(lobby.anna)
    let first = try lobby.says("one")
    #expect(try recipients(first) == ["ben"])
    lobby.fixture.now += 8 * day
    let second = try lobby.says("two")
    #expect(try recipients(second) == [] && recipients(first) == ["ben"])
    let chat = try lobby.store.writeDurablyIfNeeded {
      try $0.directChat(lobby.anna, with: lobby.ben)
    }
    .id
    let direct = try lobby.store.writeDurably { try $0.send("psst", in: chat, by: lobby.anna) }
    #expect(try recipients(direct) == ["ben"])
    // It was settled when it was sent: his return changes nothing, and what is said now is for him.
    lobby.fixture.now += 1
    _ = try lobby.other.shells.attach(lobby.ben)
    let third = try lobby.says("three")
    #expect(try recipients(second) == [] && recipients(third) == ["ben"])
    #expect(
      try lobby.store.read { try $0.deliveryCounts(of: third) } == DeliveryCounts(recipients: 1))
    // However long the shell runs, he is here; and a week after it has ended he is not.
    lobby.fixture.now += 30 * day
    #expect(try recipients(try lobby.says("four")) == ["ben"])
    try lobby.other.shells.detach()
    lobby.fixture.now += 6 * day
    #expect(try recipients(try lobby.says("five")) == ["ben"])
    lobby.fixture.now += 2 * day
    #expect(try recipients(try lobby.says("six")) == [])
    // Whoever says something, as a script does, is here.
    lobby.fixture.now += 1
    try lobby.benSays("from a script")
    #expect(try recipients(try lobby.says("seven")) == ["ben"])
  }

  @Test("Joining or leaving later changes no state")
  func membershipHasIntervals() throws {
    let lobby = try Lobby()
    let first = try lobby.says("one")
    try lobby.other.writeIfNeeded {
      try $0.noteSeen(by: lobby.ben, in: lobby.lobby, upTo: 1, sendReceipt: true)
    }
    let carl = try lobby.store.writeDurablyIfNeeded { try $0.participant(identity: "carl") }.id
    try lobby.store.writeDurablyIfNeeded { try $0.join(carl, lobby.lobby) }
    #expect(try lobby.state(first) == .seen)
    let second = try lobby.says("two")
    try lobby.store.writeDurablyIfNeeded { try $0.leave(carl, lobby.lobby) }
    // It was for him: his leaving delivers nothing.
    try lobby.other.writeIfNeeded {
      try $0.noteSeen(by: lobby.ben, in: lobby.lobby, upTo: 2, sendReceipt: true)
    }
    #expect(try lobby.state(second) == .sent)
    let third = try lobby.says("three")
    #expect(
      try lobby.store.read { try $0.recipients(of: third.id) }.map(\.participant.identity) == [
        "ben"
      ])
    try lobby.other.writeIfNeeded {
      try $0.noteSeen(by: lobby.ben, in: lobby.lobby, upTo: 3, sendReceipt: true)
    }
    try lobby.store.writeDurablyIfNeeded { try $0.join(carl, lobby.lobby) }
    #expect(try lobby.state(third) == .seen)
    let fourth = try lobby.says("four")
    #expect(try lobby.store.read { try $0.recipients(of: fourth.id) }.count == 2)
    #expect(try lobby.store.read { try $0.recipients(of: second.id) }.count == 2)
  }

  @Test func comingBackAtOnceContinuesTheStay() throws {
    let lobby = try Lobby()
    try lobby.says("one")
    for _ in 1...3 {
      try lobby.other.writeDurablyIfNeeded { try $0.leave(lobby.ben, lobby.lobby) }
      try lobby.other.writeDurablyIfNeeded { try $0.join(lobby.ben, lobby.lobby) }
    }
    let intervals = try lobby.store.read { try $0.audience(of: lobby.lobby) }.intervals
    #expect(intervals.map(\.first) == [1, 1])
    #expect(intervals.map(\.last) == [.max, .max])
    // A stay in which nothing was said is nobody's message, but a stay.
    let carl = try lobby.store.writeDurablyIfNeeded { try $0.participant(identity: "carl") }.id
    try lobby.store.writeDurablyIfNeeded { try $0.join(carl, lobby.lobby) }
    try lobby.store.writeDurablyIfNeeded { try $0.leave(carl, lobby.lobby) }
    #expect(try lobby.store.read { try $0.audience(of: lobby.lobby) }.intervals.count == 2)
    #expect(try lobby.store.read { try $0.membership(of: carl, in: lobby.lobby) } == .left)
    // What was imported later may have happened before.
    for (removal, time, membership) in [
      ("spam", "1", Membership.left), ("flood", "max(at) + 1", .removed),
    ] {
      try lobby.store.db(
        """
        INSERT INTO event(id, conversation, participant, kind, text, at)
        SELECT max(id) + 1, conversation, \(carl.rawValue), \(Event.Kind.left.rawValue),
          '"\(removal)"', \(time) FROM event
        """)
      #expect(try lobby.store.read { try $0.membership(of: carl, in: lobby.lobby) } == membership)
      #expect(
        try lobby.store.read { try $0.reasonForRemoval(of: carl, from: lobby.lobby) }
          == (membership == .removed ? Remark(removal) : ""))
    }
    let dora = try lobby.store.writeDurablyIfNeeded { try $0.participant(identity: "dora") }.id
    #expect(try lobby.store.read { try $0.membership(of: dora, in: lobby.lobby) } == .never)
    #expect(try lobby.store.read { try $0.membership(of: lobby.ben, in: lobby.lobby) } == .member)
  }

  @Test func withoutRecipientsItIsSent() throws {
    let lobby = try Lobby()
    try lobby.other.writeDurablyIfNeeded { try $0.leave(lobby.ben, lobby.lobby) }
    #expect(try lobby.says("hello?").state == .sent)
  }

  @Test func theReadMarkerIsPerParticipantAndConversation() throws {
    let lobby = try Lobby()
    try lobby.says("one")
    try lobby.store.writeIfNeeded {
      try $0.noteSeen(by: lobby.anna, in: lobby.lobby, upTo: 1, sendReceipt: true)
    }
    #expect(try lobby.other.read { try $0.readMarker(of: lobby.anna, in: lobby.lobby) } == 1)
    #expect(try lobby.other.read { try $0.readMarker(of: lobby.ben, in: lobby.lobby) } == 0)
  }
}
