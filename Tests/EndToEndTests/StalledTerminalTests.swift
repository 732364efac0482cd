// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Foundation
import Testing

extension EndToEnd {
  @Suite("A terminal that no one reads")
  struct StalledTerminalTests {
    private static let messages = 200
    private let home: Home

    init() throws {
      home = try Home()
    }

    /// Far more than a terminal takes without being read.
    private func flood() throws {
      let long = String(repeating: "x", count: 2000)
      let lines = (1...Self.messages).map { "m\($0)\(long)" }.joined(separator: "\n")
      #expect(try home.run(["lobby", "--as", "ben", "--no-rc"], input: lines + "\n").status == 0)
    }

    /// The numbers of the messages that were printed, in their order.
    private func printed(_ shell: PseudoTerminal) -> [Int] {
      String(decoding: shell.output, as: UTF8.self).matches(of: #/m(\d+)xx/#).compactMap {
        Int($0.1)
      }
    }

    private func holds(_ condition: () throws -> Bool) rethrows -> Bool {
      let end = Date(timeIntervalSinceNow: 20)
      while try !condition() {
        if Date() > end { return false }
        poll(nil, 0, 5)
      }
      return true
    }

    private func isDraftStored(_ text: String) throws -> Bool {
      let store = try Store(path: home.store)
      defer { store.close() }
      let anna = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
      guard let lobby = try store.read({ try $0.room("lobby") }) else { return false }
      return try store.read { try $0.draft(of: anna, in: lobby.id) }?.text == text
    }

    private func unread() throws -> Int {
      let said = try home.run(["unread", "--count", "--as", "anna"]).output
      return Int(said.filter(\.isNumber)) ?? 0
    }

    @Test(
      "1.15, 5.1, 7.3: the draft is stored, SIGTERM and SIGHUP end the shell, the rest is unread",
      arguments: [([], SIGTERM), ([], SIGHUP), (["--plain"], SIGTERM)])
    func ends(arguments: [String], signal: Int32) throws {
      let shell = try home.shellInLobby(as: "anna", arguments)
      try flood()
      // Nothing is read from here on.
      shell.send("a draft")
      try #require(try holds { try isDraftStored("a draft") })
      // The last keys ring, and a bell is output as well.
      shell.send(" and more\u{07}\u{07}\u{07}")
      shell.kill(signal)
      let process = shell.processIdentifier
      try #require(
        holds {
          let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
          return stat?.contains(") Z ") ?? true
        })
      #expect(shell.waitForExit(seconds: 10) == 128 + signal)
      #expect(try isDraftStored("a draft and more"))
      let shown = Set(printed(shell)).count
      #expect(shown < Self.messages)
      #expect(try unread() >= Self.messages - shown)
    }

    @Test(
      "7.6: once it is read again everything is there, once and in order",
      arguments: [[], ["--plain"]])
    func goesOn(arguments: [String]) throws {
      let shell = try home.shellInLobby(as: "anna", arguments)
      try flood()
      shell.send("a draft")
      try #require(try holds { try isDraftStored("a draft") })
      #expect(try unread() > 0)
      try shell.expect("#lobby> a draft|", for: 20)
      #expect(shell.wait(for: 20) { _ in printed(shell).count >= Self.messages })
      #expect(printed(shell) == Array(1...Self.messages))
      #expect(try holds { try unread() == 0 })
      try shell.type("\u{15}still here\r", seeing: "anna: still here")
    }

    @Test("13.8: a resize meanwhile is drawn when it is read again")
    func resized() throws {
      let shell = try home.shellInLobby(as: "anna")
      try flood()
      shell.send("a draft")
      try #require(try holds { try isDraftStored("a draft") })
      shell.resize(rows: 30, columns: 60)
      #expect(shell.wait(for: 20) { _ in printed(shell).count >= Self.messages })
      try shell.expect("#lobby> a draft|")
      #expect(printed(shell) == Array(1...Self.messages))
      let prompts = shell.emulator.picture.components(separatedBy: "#lobby>").count - 1
      #expect(prompts == 1, "\(shell.emulator.picture)")
    }
  }
}
