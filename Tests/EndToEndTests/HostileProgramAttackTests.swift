// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Foundation
import Repeatable
import Testing

extension EndToEnd {
  /// A program of a network that does harm, beside somebody who types:
  ///
  ///     HOBNOB_LONG=100 swift test --filter HostileProgramAttack
  @Suite("A hostile program of a network (attack)", .serialized)
  struct HostileProgramAttackTests {
    private let home: Home
    private let anna: PseudoTerminal

    init() throws {
      home = try Home()
      let program = home.path + "/.config/hobnob/networks/hobnob-net-harm"
      try FileManager.default.createDirectory(
        atPath: home.path + "/.config/hobnob/networks", withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      let source = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "hostile-program.py")
      // By a process of its own: a file that this one has open for writing cannot be started.
      _ = try Program(["cp", source.path, program], environment: home.environment).finish()
      chmod(program, 0o700)
      anna = try PseudoTerminal(
        command: [Home.program, "--as", "anna", "lobby"], environment: home.environment,
        rows: 40, columns: 100)
      try anna.expect("#lobby> |")
    }

    /// Adds the account of a program that does this, and writes lines of her own meanwhile.
    private func suffer(_ harm: String, _ seed: Int = 0) throws {
      try anna.type(
        "/account add harm:me\(seed) --harm \(harm) --seed \(seed) --started \(home.path)/started\r",
        seeing: "me\(seed) is your account now")
      // What is typed before the prompt is back waits there.
      try anna.expect("#lobby> |")
      try #require(
        anna.wait(for: 20) { _ in FileManager.default.fileExists(atPath: home.path + "/started") },
        "\(anna.emulator.picture)")
      for number in 1...5 {
        try anna.type("mine \(seed).\(number)\r", seeing: "mine \(seed).\(number)")
      }
      let log = {
        try home.run(["log", "--as", "anna", "--json", "--lines", "20", "lobby"]).output
      }
      _ = anna.wait(for: 30) { _ in (try? log().contains("mine \(seed).5")) == true }
      let mine = try log()
      for number in 1...5 {
        #expect(count(of: "\"mine \(seed).\(number)\"", in: mine) == 1, "\(anna.emulator.picture)")
      }
    }

    private func expectUnharmed() throws {
      // No sentence of a program reaches the terminal as more than text.
      #expect(!anna.emulator.title.contains("x"))
      try anna.type("/switch lobby\r", seeing: "#lobby> |")
      try anna.type("still here\r", seeing: "still here")
      try home.expectSound()
    }

    @Test("odd lines in any order harm nobody")
    func oddLines() throws {
      for round in 0..<LongRun.rounds(1) {
        let seed = Int(truncatingIfNeeded: LongRun.seed &+ UInt64(round)) & 0xFFFF
        try suffer("odd", seed)
        try anna.type("/disconnect harm:me\(seed)\r", seeing: "me\(seed) is disconnected")
        try expectUnharmed()
        try? FileManager.default.removeItem(atPath: home.path + "/started")
      }
    }

    @Test(
      "floods, endless lines, endless batches and a program that never reads are survived",
      arguments: ["flood", "endless", "batches", "mute"])
    func floods(harm: String) throws {
      try suffer(harm)
      if harm == "flood" {
        let arrives = anna.wait(for: 30) { _ in
          (try? home.run(["log", "--as", "anna", "tea"]).output.contains("the last one")) == true
        }
        #expect(arrives)
      }
      try expectUnharmed()
      // hobnob waits before it starts one again that was ended.
      let starts = try String(contentsOfFile: home.path + "/started", encoding: .utf8).count
      #expect(starts <= 5)
    }
  }
}
