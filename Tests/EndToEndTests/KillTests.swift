// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Foundation
import Glibc
import Repeatable
import Testing

extension EndToEnd {
  @Suite("Killed at any moment")
  struct KillTests {
    private let home: Home

    init() throws {
      home = try Home()
    }

    @Test("1.2: what the prompt accepted is in the store, none of it twice")
    func acceptedLinesSurviveKill() throws {
      var random = FixedRandom(seed: LongRun.seed &+ 77)
      var accepted: [String] = []
      var typed: [String] = []
      let rounds = LongRun.rounds(60)
      for round in 0..<rounds {
        let shell = try home.shell(as: "anna", ["lobby"])
        try #require(
          shell.wait(for: 10) { $0.picture.contains("#lobby> ") }, "\(shell.emulator.picture)")
        // The line that a killed shell left as its draft must not be sent with ours.
        shell.send("\u{15}")
        let lines = (0..<8).map { "kill \(round)-\($0)." }
        typed += lines
        shell.send(lines.map { $0 + "\r" }.joined())
        // Somewhere between two of them, whatever the speed of the machine.
        let awaited = random.below(lines.count)
        if awaited > 0 {
          _ = shell.wait(for: 10) { terminal in
            terminal.screen.contains {
              $0.hasSuffix(lines[awaited - 1]) && !$0.hasPrefix("#lobby>")
            }
          }
        }
        _ = shell.wait(for: Double(random.below(40)) / 10_000) { _ in false }
        shell.kill(SIGKILL)
        #expect(shell.waitForExit(seconds: 10) == 128 + SIGKILL)
        // ` 12:03   8 anna: kill 1-7.`: as a message, not on the line being typed.
        let shown = shell.emulator.history.filter { $0.contains(#/^ (\d\d:\d\d|     ) +\d+\s/#) }
        accepted += lines.filter { line in shown.contains { $0.hasSuffix(line) } }
      }

      let stored = try bodies(of: home)
      for line in accepted {
        #expect(stored[line] == 1, "\(line) was accepted and is there \(stored[line] ?? 0) times")
      }
      for (line, times) in stored {
        #expect(times == 1, "\(line) is there \(times) times")
        #expect(typed.contains(line), "\(line) was never typed")
      }
      // Some rounds must have been cut in the middle, or the test shows nothing.
      #expect(accepted.count > rounds / 4)
      #expect(accepted.count < typed.count)
    }

    @Test(
      "7.2: senders killed under load: acknowledged messages are there once, no state went back")
    func killedSendersUnderLoad() throws {
      var random = FixedRandom(seed: LongRun.seed &+ 500)
      let rounds = LongRun.rounds(120)
      // Ben has and sees what comes; Cem writes all the while.
      let ben = try home.shellInLobby(as: "ben")
      // A batch sees nothing (7.3), and Cem is there too.
      let cem = try home.shellInLobby(as: "cem")
      defer { cem.kill(SIGKILL) }
      let writer = try home.start(
        ["lobby", "--as", "cem"], input: (0..<rounds * 40).map { "load \($0)\n" }.joined())
      var acknowledged: Set<String> = []
      var states: [String: DeliveryState] = [:]
      // Twice as long as a sender lives on this machine, so that about half of them are killed.
      var longest = 0.06
      for round in 0..<rounds {
        let text = "sent \(round)."
        let sender = try home.start(["send", "lobby", text, "--as", "anna"])
        _ = sender.wait(for: longest * Double(random.below(1000)) / 1000) { $0.hasEnded }
        sender.kill(SIGKILL)
        if sender.finish().status == 0 {
          acknowledged.insert(text)
          longest *= 0.95
        } else {
          longest *= 1.05
        }
        // A terminal that nobody reads stops its shell.
        for shell in [ben, cem] { _ = shell.wait(for: 0) { _ in true } }
        if round % 50 == 49 { try compareStates(&states) }
      }
      writer.kill(SIGKILL)
      _ = writer.finish()
      // They may be behind with all of it.
      for _ in 0..<120 {
        try compareStates(&states, newest: .max)
        if states.values.contains(.seen) { break }
        for shell in [ben, cem] { _ = shell.wait(for: 0.25) { _ in false } }
      }

      let stored = try bodies(of: home)
      for text in acknowledged { #expect(stored[text] == 1, "\(text)") }
      #expect(stored.allSatisfy { $0.value == 1 })
      // In the middle of it, or the test shows nothing.
      #expect((rounds / 10..<rounds * 9 / 10).contains(acknowledged.count), "\(acknowledged.count)")
      #expect(Set(states.values).contains(.seen))
      let check = try home.run(["check"])
      #expect(check.status == 0, "\(check.output)\(check.errors)")
      ben.send("\u{04}")
      #expect(ben.waitForExit(seconds: 10) == 0)
    }

    /// Takes note of the states that Anna is shown of her newest messages; none may be less than it
    /// was.
    private func compareStates(
      _ known: inout [String: DeliveryState], newest most: Int = 500
    ) throws {
      let store = try Store(path: home.store)
      defer { store.close() }
      let me = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
      let room = try #require(try store.read { try $0.room("lobby") })
      let own = try store.read { snapshot in
        let ids: [ID<Message>] = try snapshot.database.rows(
          """
          SELECT id FROM message WHERE sender = ? AND conversation = ? ORDER BY id DESC LIMIT ?
          """, me, room.id, most
        ) { $0.id() }
        return try ids.compactMap { try snapshot.message($0, for: me) }
      }
      for message in own {
        let former = known[message.uid] ?? .failed
        #expect(message.state >= former, "\(message.body)")
        known[message.uid] = message.state
      }
    }

    @Test("a killed shell's participant is gone, and the others learn it at once")
    func presenceEndsWithTheProcess() throws {
      let (anna, ben) = try home.annaAndBen()
      ben.send("I am about to")
      try anna.expect("ben is typing")
      ben.kill(SIGKILL)
      // Less than the six seconds after which a signal lapses by itself.
      try anna.expectGone("ben is typing", for: 3)
    }

    @Test("a terminal that closes without a signal ends the shell with status 1")
    func hangUpWithoutASignal() throws {
      // In a session of its own nothing tells it but the end of its input.
      let script = "trap '' HUP; setsid --wait \"$0\" --as anna lobby; echo $? > ~/status; sync"
      let shell = try PseudoTerminal(
        command: ["bash", "-c", script, Home.program], environment: home.environment)
      try shell.expect("#lobby> |")
      shell.hangUp()
      #expect(shell.waitForExit(seconds: 10) != nil)
      #expect(try String(contentsOfFile: home.path + "/status", encoding: .utf8) == "129\n")
    }

    @Test("5.1: a hung-up shell keeps the line as a draft")
    func hangUpKeepsTheDraft() throws {
      let first = try home.shellInLobby(as: "anna")
      try first.type("not sent yet\u{02}\u{02}\u{02}", seeing: "#lobby> not sent |yet")
      first.kill(SIGHUP)
      #expect(first.waitForExit(seconds: 10) != nil)
      let second = try home.shell(as: "anna", ["lobby"])
      try second.expect("#lobby> not sent |yet")
    }

    @Test(
      "3.6: a shell that ends in edit mode keeps the earlier draft, and sends nothing",
      arguments: ["kill", "SIGTERM", "terminal lost"])
    func endInEditModeLeavesTheDraft(how: String) throws {
      let first = try home.shellInLobby(as: "anna")
      try first.type("sent\r", seeing: "[1]")
      try first.type("my draft\u{02}", seeing: "#lobby> my draf|t")
      try first.type("\u{1B}e", seeing: "edit 1> sent|")
      try first.type(" and changed", seeing: "edit 1> sent and changed|")
      switch how {
      case "kill": first.kill(SIGKILL)
      case "SIGTERM": first.kill(SIGTERM)
      default: first.hangUp()
      }
      #expect(first.waitForExit(seconds: 10) != nil)
      let second = try home.shell(as: "anna", ["lobby"])
      try second.expect("#lobby> my draf|t")
      #expect(try bodies(of: home) == ["sent": 1])
    }

    private func bodies(of home: Home) throws -> [String: Int] {
      let store = try Store(path: home.store)
      defer { store.close() }
      let me = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
      let room = try #require(try store.read { try $0.room("lobby") })
      let messages = try store.read { try $0.messages(in: room.id, limit: 1_000_000, for: me) }
      return messages.reduce(into: [:]) { $0[$1.body, default: 0] += 1 }
    }
  }
}
