// SPDX-License-Identifier: GPL-3.0-or-later
import StoreFixture
import Testing

@testable import Conversations
@testable import NetworkInbox

@Suite("14.15: The store keeps which messages were encrypted") struct EncryptionStoreTests {
  private let linked: Linked

  init() throws { linked = try Linked() }

  private func encryption() throws -> [Message.Encryption] {
    try linked.messages().map(\.encryption)
  }

  @Test("one that arrives, late or now, has what the network's process says")
  func received() throws {
    try linked.join()
    for encryption in [Message.Encryption.verified, .encrypted, .none] {
      for isPast in [true, false] {
        var message = NetworkMessage(
          name: MessageIDs(origin: "\(encryption) \(isPast)"), speaker: linked.zoe, body: "x",
          time: isPast ? 1_000 : nil, isPast: isPast)
        message.encryption = encryption
        try linked.hear(.messageReceived(message, in: linked.tea))
      }
    }
    #expect(try encryption() == [.verified, .encrypted, .none, .verified, .encrypted, .none])
    let rows = try linked.store.read {
      try $0.database.rows("SELECT encrypted FROM message ORDER BY sort") { $0.int() }
    }
    #expect(rows == [2, 1, 0, 2, 1, 0])
  }

  @Test("an edited one has what its new text came with, as far as that is known")
  func edited() throws {
    try linked.join()
    let edits: [(Message.Encryption, Message.Encryption?, Message.Encryption)] = [
      (.verified, .unverified, .unverified), (.unverified, .verified, .verified),
      (.encrypted, .some(.none), .none), (.none, .encrypted, .encrypted),
      (.verified, nil, .verified), (.none, nil, .none), (.broken, .verified, .verified),
      (.tooEarly, nil, .encrypted),
    ]
    for (index, (before, new, after)) in edits.enumerated() {
      let isReadable = before.obstacle == nil
      var message = NetworkMessage(
        name: MessageIDs(origin: "m\(index)"), speaker: linked.zoe, body: isReadable ? "x" : "",
        kind: isReadable ? .text : .unreadable)
      message.encryption = before
      try linked.hear(.messageReceived(message, in: linked.tea))
      try linked.hear(
        .edited(
          message.name, by: linked.zoe, in: linked.tea, body: "y", at: nil, encryption: new))
      #expect(try linked.messages().last?.kind == .text)
      #expect(try encryption().last == after, "\(index)")
    }
    // Nobody can read the message of a kind that hobnob does not know; its correction is plain.
    let unknown = NetworkMessage(
      name: MessageIDs(origin: "u"), speaker: linked.zoe, body: "", kind: .unreadable)
    try linked.hear(.messageReceived(unknown, in: linked.tea))
    try linked.hear(.edited(unknown.name, by: linked.zoe, in: linked.tea, body: "y", at: nil))
    #expect(try encryption().last == Message.Encryption.none)
  }

  @Test("one of the owner's has what it was sent with, for good")
  func sent() throws {
    try linked.join()
    try linked.say("hi", origin: "z1")
    let (message, entry) = try linked.send("hello")
    let device = SealingDevice(number: 22, key: [0, 17, 34, 51, 68, 85])
    func found(_ message: ID<Message>) throws -> SealingDevice? {
      try linked.store.read { try $0.sealingDevice(of: message) }
    }
    try linked.hear(.accepted(entry, archive: "a", device: device))
    try linked.hear(.accepted(entry, archive: "a"))
    #expect(try encryption() == [.none, .encrypted])
    #expect(try found(message.id) == device)
    // What changes it was sent with says nothing of the message itself.
    let first = try linked.messages()[0]
    try linked.store.writeDurably { try $0.react(first.id, by: linked.anna, with: "👍") }
    try linked.hear(
      .accepted(try #require(try linked.outbox().last), archive: nil, device: device))
    try linked.store.writeDurably { try $0.edit(message.id, to: "hallo", by: linked.anna) }
    try linked.hear(.accepted(try #require(try linked.outbox().last), archive: nil))
    #expect(try linked.outbox().isEmpty)
    #expect(try encryption() == [.none, .encrypted])
    #expect(try found(first.id) == nil)
  }

  @Test("a message has the device that encrypted it")
  func devices() throws {
    try linked.join()
    let device = SealingDevice(number: 22, key: [0, 17, 34, 51, 68, 85])
    for (name, number) in [("a", 22), ("b", 22), ("c", 23)] as [(String, Int64)] {
      var message = NetworkMessage(
        name: MessageIDs(origin: name), speaker: linked.zoe, body: name)
      (message.encryption, message.device) = (.encrypted, device)
      message.device?.number = number
      try linked.hear(.messageReceived(message, in: linked.tea))
    }
    let found = try linked.messages().map { message in
      try linked.store.read { try $0.sealingDevice(of: message.id) }
    }
    #expect(found.map(\.?.number) == [22, 22, 23])
    #expect(found.allSatisfy { $0?.fingerprint == "00112233 4455" })
  }

  @Test("the number of times that an account's keys were written grows, and wakes nobody")
  func keyCount() throws {
    func count() throws -> Int64 { try linked.store.read { try $0.keyCount(of: linked.account) } }
    #expect(try count() == 0)
    let position = try linked.store.read { try $0.position }
    for (noted, expected) in [(7, 7), (3, 7), (8, 8)] as [(Int64, Int64)] {
      try linked.wire.writeIfNeeded { try $0.noteKeyCount(noted, of: linked.account) }
      #expect(try count() == expected)
    }
    #expect(try linked.store.read { try $0.position } == position)
  }
}
