// SPDX-License-Identifier: GPL-3.0-or-later
import Repeatable
import StoreFixture
import Testing

@testable import Conversations

@Suite("How many recipients have a message") struct ReachTests {
  @Test("7.2: the members of a large room are not counted again for each message")
  func largeRoom() throws {
    let lobby = try Lobby()
    let store = lobby.store
    try store.write { transaction in
      try transaction.database.execute(
        """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
        INSERT INTO participant(network, identity, name, here)
        SELECT '', 'p' || i, 'p' || i, \(lobby.fixture.now) FROM n;
        INSERT INTO membership(conversation, participant, first)
        SELECT \(lobby.lobby.rawValue), id, 1 FROM participant WHERE identity GLOB 'p*';
        """)
      try transaction.touchPeople()
    }
    var sent = try lobby.says("first")
    #expect(
      try store.read { try $0.deliveryCounts(of: sent) } == DeliveryCounts(recipients: 20_001))
    // Others are asked about, and their messages as well.
    sent = try lobby.says("second")
    try lobby.other.writeIfNeeded {
      try $0.noteDelivered(to: lobby.ben, upTo: [lobby.lobby: sent.number])
    }
    #expect(
      try store.read { try $0.deliveryCounts(of: sent) }
        == DeliveryCounts(recipients: 20_001, delivered: 1))
    try lobby.other.writeIfNeeded {
      try $0.noteSeen(by: lobby.ben, in: lobby.lobby, upTo: sent.number, sendReceipt: true)
    }
    #expect(
      try store.read { try $0.deliveryCounts(of: sent) }
        == DeliveryCounts(recipients: 20_001, delivered: 1, seen: 1))
    #expect(try store.read { try $0.recipients(of: sent.id) }.count == 20_001)
    var found = DeliveryCounts()
    let counted = processorTime {
      store.connection.knownRecipients = nil
      found = (try? store.read { try $0.deliveryCounts(of: sent) }) ?? found
    }
    let known = processorTime {
      found = (try? store.read { try $0.deliveryCounts(of: sent) }) ?? found
    }
    #expect(found.recipients == 20_001)
    #expect(known < counted / 5, "\(known) s, and \(counted) s with counting")
  }

  @Test("7.2: joining or leaving later changes nothing; people away for a week are not counted")
  func stays() throws {
    let lobby = try Lobby()
    let cleo = try lobby.store.writeDurablyIfNeeded { try $0.participant(identity: "cleo") }.id
    let before = try lobby.says("before")
    try lobby.store.writeDurablyIfNeeded { try $0.join(cleo, lobby.lobby) }
    let with = try lobby.says("with")
    try lobby.store.writeDurablyIfNeeded { try $0.leave(cleo, lobby.lobby) }
    let after = try lobby.says("after")
    lobby.fixture.now += ShellPresence.absentAfter + 1
    let late = try lobby.says("late")
    for (message, recipients) in [(before, 1), (with, 2), (after, 1), (late, 0)] {
      #expect(
        try lobby.store.read { try $0.deliveryCounts(of: message) }.recipients == recipients,
        "\(message.body)")
      #expect(
        try lobby.store.read { try $0.recipients(of: message.id) }.count == recipients,
        "\(message.body)")
    }
    try lobby.benSays("back")
    #expect(try lobby.store.read { try $0.deliveryCounts(of: late) }.recipients == 0)
    let again = try lobby.says("again")
    #expect(try lobby.store.read { try $0.deliveryCounts(of: again) }.recipients == 1)
  }
}
