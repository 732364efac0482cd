// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Glibc
import Testing

extension EndToEnd {
  /// A local conversation never shows `sending` or `failed`; here this process is the network.
  @Suite("7.2: A network that answers late, or no")
  final class NetworkTests {
    private let home: Home
    private let store: Store
    private let account: Account
    private let shell: PseudoTerminal

    init() throws {
      home = try Home()
      try home.say("first", as: "anna")
      store = try Store(path: home.store)
      let anna = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
      let account = try store.writeDurably {
        try $0.addAccount(owner: anna, network: "stub:anna@x")
      }
      self.account = account
      try home.list(account)
      let room = try store.writeDurablyIfNeeded {
        try $0.networkRoom("far", network: account.network)
      }
      try store.writeDurablyIfNeeded { try $0.join(anna, room.id) }
      shell = try home.shell(as: "anna", ["far"])
      try shell.expect("#far> |")
    }

    deinit { store.close() }

    @Test("sending, sent, failed with its reason, and /retry")
    func statesOfANetwork() throws {
      try shell.type("one\r", seeing: "[1] … sending")
      let first = try #require(try store.read { try $0.outbox(of: account.network) }.first)
      #expect(first.message.body == "one")
      try store.writeDurably { try $0.finish(first, as: .sent) }
      try shell.expect("[1] ✓ sent")

      try shell.type("two\r", seeing: "[2] … sending")
      let second = try #require(try store.read { try $0.outbox(of: account.network) }.first)
      try store.writeDurably { try $0.finish(second, as: .failed("the room is closed\u{1B}[31m")) }
      try shell.expect("✗ [2] not sent: the room is closed^[[31m")

      // What is not sent stands next to the prompt, failed before sending (7.1).
      try shell.type("three\r", seeing: "[3] … sending")
      shell.send("/history\r")
      #expect(shell.wait(for: 10) { $0.history.count { $0.contains("three") } == 2 })
      let listed = shell.emulator.history.suffix(6).joined(separator: "\n")
      let order = ["one", "two", "three"].compactMap { listed.firstRange(of: $0)?.lowerBound }
      #expect(order.count == 3 && order == order.sorted(), "\(listed)")

      shell.send("/retry 2\r")
      #expect(
        shell.wait(for: 10) { _ in
          (try? self.store.read { try $0.outbox(of: account.network) }.contains {
            $0.message.body == "two"
          })
            == true
        })
      for entry in try store.read({ try $0.outbox(of: account.network) }) {
        try store.writeDurably { try $0.finish(entry, as: .sent) }
      }
      try shell.expect("[3] ✓ sent")
    }

    @Test("a failure without a reason has no colon that nothing follows")
    func failsWithoutReason() throws {
      try shell.type("one\r", seeing: "[1] … sending")
      let first = try #require(try store.read { try $0.outbox(of: account.network) }.first)
      try store.writeDurably { try $0.finish(first, as: .failed("")) }
      try shell.expect("✗ [1] not sent")
      try shell.type("/outbox\r", seeing: "#far [1] one  ✗ not sent")
      #expect(!shell.emulator.picture.contains("not sent:"), "\(shell.emulator.picture)")
    }

    @Test("3.7: a message that nobody has can be taken back before the network took it")
    func takingBackFromTheOutbox() throws {
      try shell.type("too early\r", seeing: "[1] … sending")
      try shell.type("/cancel\r", seeing: "#far> too early|")
      #expect(try store.read { try $0.outbox(of: account.network) }.isEmpty)
    }

    @Test("what the network hears is printed as any other message")
    func receivedMessagesArePrinted() throws {
      let said = NetworkMessage(
        name: MessageIDs(), speaker: NetworkUser(identity: "zoe"), body: "from afar")
      try store.apply([.messageReceived(said, in: .room("far"))], of: account)
      try shell.expect("[1] zoe: from afar")
    }

    @Test("7.7: what arrives while a network's program is not there is shown all the same")
    func arrivesWithoutAProgram() throws {
      try shell.expect("hobnob-stub is neither")
      // So that it finds all of this in one turn: an account to be started, and a message.
      shell.kill(SIGSTOP)
      var status: Int32 = 0
      while waitpid(shell.processIdentifier, &status, WUNTRACED) < 0, errno == EINTR {}
      let anna = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
      try home.list(store.writeDurably { try $0.addAccount(owner: anna, network: "stub:anna@y") })
      let said = NetworkMessage(
        name: MessageIDs(), speaker: NetworkUser(identity: "zoe"), body: "from afar")
      try store.apply([.messageReceived(said, in: .room("far"))], of: account)
      _ = try store.attach(store.writeDurablyIfNeeded { try $0.participant(identity: "ben") }.id)
      try store.detach()
      shell.kill(SIGCONT)
      try shell.expect("[1] zoe: from afar")
    }
  }
}
