// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Testing

extension EndToEnd {
  /// A local conversation never shows `sending` or `failed`; here this process is the network.
  @Suite("A network that answers late, or no (7.2)")
  struct NetworkTests {
    @Test("sending, sent, failed with its reason, and /retry")
    func statesOfANetwork() throws {
      let home = try Home()
      try home.say("first", as: "anna")
      let store = try Store(path: home.store)
      defer { store.close() }
      let room = try store.networkRoom("far", network: "stub")
      let anna = try store.participant(identity: "anna").id
      try store.join(anna, room.id)

      let shell = try home.shell(as: "anna", ["far"])
      try shell.expect("#far> |")
      shell.send("one\r")
      try shell.expect("[1] … sending")
      let first = try #require(try store.outbox(of: "stub").first)
      #expect(first.message.body == "one")
      try store.settle(first, as: .sent)
      try shell.expect("[1] ✓ sent")

      shell.send("two\r")
      try shell.expect("[2] … sending")
      let second = try #require(try store.outbox(of: "stub").first)
      try store.settle(second, as: .failed("the room is closed\u{1B}[31m"))
      try shell.expect("✗ [2] not sent: the room is closed^[[31m")

      // What is not sent stands next to the prompt, failed before sending (7.1).
      shell.send("three\r")
      try shell.expect("[3] … sending")
      shell.send("/history\r")
      try shell.expect("#far> |")
      let listed = shell.emulator.history.suffix(6).joined(separator: "\n")
      let order = ["one", "two", "three"].compactMap { listed.firstRange(of: $0)?.lowerBound }
      #expect(order.count == 3 && order == order.sorted(), "\(listed)")

      shell.send("/retry 2\r")
      #expect(
        shell.wait(for: 10) { _ in
          (try? store.outbox(of: "stub").contains { $0.message.body == "two" }) == true
        })
      for entry in try store.outbox(of: "stub") { try store.settle(entry, as: .sent) }
      try shell.expect("[3] ✓ sent")
    }

    @Test("a message that nobody has can be taken back before the network took it (3.7)")
    func takingBackFromTheOutbox() throws {
      let home = try Home()
      try home.say("first", as: "anna")
      let store = try Store(path: home.store)
      defer { store.close() }
      let room = try store.networkRoom("far", network: "stub")
      let anna = try store.participant(identity: "anna").id
      try store.join(anna, room.id)
      let shell = try home.shell(as: "anna", ["far"])
      try shell.expect("#far> |")
      shell.send("too early\r")
      try shell.expect("[1] … sending")
      shell.send("/cancel\r")
      try shell.expect("#far> too early|")
      #expect(try store.outbox(of: "stub").isEmpty)
    }

    @Test("what the network hears is printed as any other message")
    func receivedMessagesArePrinted() throws {
      let home = try Home()
      try home.say("first", as: "anna")
      let store = try Store(path: home.store)
      defer { store.close() }
      let room = try store.networkRoom("far", network: "stub")
      let anna = try store.participant(identity: "anna").id
      try store.join(anna, room.id)
      let shell = try home.shell(as: "anna", ["far"])
      try shell.expect("#far> |")
      _ = try store.receive(
        "from afar", from: "zoe@example.org", name: "zoe", network: "stub", in: .room("far"))
      try shell.expect("[1] zoe: from afar")
    }
  }
}
