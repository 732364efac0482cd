// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Glibc
import StoreFixture
import Testing

@testable import NetworkInbox

extension EndToEnd {
  /// A local conversation never shows `sending` or `failed`; here this process is the network.
  @Suite("7.2: A network that answers late or never")
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
        try $0.addAccount(owner: anna, network: "stub:anna@irc.x.org")
      }
      self.account = account
      try home.list(account)
      // Of the other sort than XMPP.
      try store.inbox.apply(
        [
          .rules(AddressRules(roomSigns: "#", folding: .rfc1459, identityScope: .network)),
          .abilities(NetworkAbilities(rooms: .ofIRC)),
        ], of: account)
      let room = try store.writeDurablyIfNeeded {
        try $0.networkRoom("##far", network: account.network)
      }
      try store.writeDurablyIfNeeded { try $0.join(anna, room.id) }
      shell = try home.shell(as: "anna", ["##far"])
      try shell.expect("##far> |")
    }

    deinit { store.close() }

    @Test("11.3: --wait refuses at once what the network never reports, and nothing is sent")
    func waitsForNothing() throws {
      for state in ["delivered", "seen"] {
        let finished = try home.run(
          ["send", "##far", "--wait", state, "--as", "anna", "hello"])
        #expect(finished.status == 1)
        #expect(
          finished.errors.contains(
            "The network of ##far never reports that a message was \(state); nothing was sent."),
          "\(finished.errors)")
      }
      let long = String(repeating: "x", count: 401)
      let finished = try home.run(["send", "##far", "--as", "anna", long])
      #expect(finished.status == 1)
      #expect(finished.errors.contains("has 401 bytes"), "\(finished.errors)")
      #expect(try store.read { try $0.outbox(of: account.network) }.isEmpty)
      #expect(try home.run(["send", "lobby", "--as", "anna", long]).status == 0)
    }

    @Test("11: log, its JSON, search and an import keep a notice what it is")
    func notices() throws {
      let said = NetworkMessage(
        name: MessageIDs(), speaker: NetworkUser(identity: "services"), body: "back at six",
        kind: .notice)
      try store.inbox.apply([.messageReceived(said, in: .room("##far"))], of: account)
      try shell.expect("- services: back at six")
      func output(_ arguments: String...) throws -> String { try home.run(arguments).output }
      #expect(
        try output("log", "##far", "--as", "anna").hasSuffix("[1] - services: back at six\n"))
      #expect(try output("log", "##far", "--as", "anna", "--json").contains(#""kind":"notice""#))
      #expect(
        try output("search", "six", "--as", "anna").contains("[1] - services: back at six"))
      #expect(try output("unread", "--as", "anna").contains("##far") == false)
      try home.write(output("export", "--as", "anna"), to: "all.jsonl")
      let other = home.path + "/other.sqlite"
      let file = home.path + "/all.jsonl"
      let imported = try home.run(["import", "--store", other, file])
      #expect(imported.status == 0, "\(imported)")
      let again = try output("export", "--as", "anna", "--store", other)
      #expect(again.contains(#""kind":"notice""#), "\(imported) \(again)")
    }

    @Test("7.7: what arrives while a network's program is missing is shown nevertheless")
    func arrivesWithoutAProgram() throws {
      try shell.expect("no program hobnob-net-stub")
      // So that it finds all of this in one turn: an account to be started, and a message.
      shell.kill(SIGSTOP)
      var status: Int32 = 0
      while waitpid(shell.processIdentifier, &status, WUNTRACED) < 0, errno == EINTR {}
      let anna = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
      try home.list(store.writeDurably { try $0.addAccount(owner: anna, network: "stub:anna@y") })
      let said = NetworkMessage(
        name: MessageIDs(), speaker: NetworkUser(identity: "zoe"), body: "from afar")
      try store.inbox.apply([.messageReceived(said, in: .room("##far"))], of: account)
      _ = try store.shells.attach(
        store.writeDurablyIfNeeded { try $0.participant(identity: "ben") }.id)
      try store.shells.detach()
      shell.kill(SIGCONT)
      try shell.expect("1 zoe: from afar")
    }
  }
}
