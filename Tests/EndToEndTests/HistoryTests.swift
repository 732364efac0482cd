// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Testing

extension EndToEnd {
  @Suite("7.1, 7.5: /history")
  struct HistoryTests {
    private let home: Home

    init() throws {
      home = try Home()
      for number in 1...5 { try home.say("number \(number)", as: "ben") }
    }

    private func history(_ argument: String) throws -> Program.Finished {
      try home.run(["--as", "anna", "--no-rc", "lobby"], input: "/history \(argument)\n")
    }

    @Test(
      "a count, a range, an open range",
      arguments: [
        ("", [1, 2, 3, 4, 5]), ("2", [4, 5]), ("2-3", [2, 3]), ("4-", [4, 5]), ("5-5", [5]),
        ("4-900", [4, 5]),
      ])
    func ranges(argument: String, numbers: [Int]) throws {
      let shown = try history(argument).output.matches(of: /number (\d)/).compactMap { Int($0.1) }
      #expect(shown == numbers)
    }

    @Test(
      "what names no messages is refused, or said to be none",
      arguments: [
        ("x", "neither a count nor a range"), ("0", "neither a count nor a range"),
        ("3-2", "neither a count nor a range"),
        ("-3", "is not a range"), ("1-2-3", "neither a count nor a range"),
        ("99999999", "too many"),
        ("9223372036854775807-", "neither a count nor a range"),
        ("1-99999999999999999999", "neither a count nor a range"),
      ])
    func refusals(argument: String, reason: String) throws {
      let finished = try history(argument)
      #expect(finished.status == 1 && finished.errors.contains(reason), "\(finished)")
      #expect(try history("40-50").output.contains("There are no such messages"))
    }

    @Test("7.8: reactions stand below their message, who with which")
    func reactions() throws {
      _ = try home.run(["--as", "anna", "lobby"], input: "/react 2 :tada:\n")
      _ = try home.run(["--as", "cleo", "lobby"], input: "/react 2 :tada:\n/react 3 :tea:\n")
      let lines = try history("").output.split(separator: "\n").map(String.init)
      let second = try #require(lines.firstIndex { $0.contains("number 2") })
      #expect(lines[second + 1].contains("🎉 anna, cleo"))
    }

    @Test("7.5: ages instead of times, here only")
    func ages() throws {
      let shell = try home.shellInLobby(as: "anna")
      try shell.command("/set timestamps relative")
      try home.say("live", as: "ben")
      try shell.expect("live")
      #expect(shell.emulator.history.contains { $0.firstMatch(of: /^\d\d:\d\d \[6\]/) != nil })
      try shell.type("/history 2\r", seeing: "now [6]")
      #expect(!shell.emulator.history.contains { $0.contains("now [4]") })
    }

    @Test(
      "more than a screen goes to the pager, which is asked to begin at the end; the line stays")
    func pages() throws {
      try home.write("", to: "bin/none")
      symlink("/bin/echo", home.path + "/bin/less")
      let path = home.path + "/bin:/usr/bin:/bin"
      let shell = try home.shellInLobby(as: "anna", rows: 6, environment: ["PATH": path])
      try shell.type("/history\r", seeing: "-R +G")
      try shell.type("go on", seeing: "#lobby> go on|")
      // What fits is printed.
      shell.send("\u{15}/history 1\r")
      #expect(shell.wait(for: 10) { $0.history.count { $0.contains("number 5") } == 2 })
      try shell.command("/set pager off")
      shell.send("/history\r")
      #expect(shell.wait(for: 10) { $0.history.count { $0.contains("number 1") } == 2 })
    }

    @Test("a pager that is not there is said, and the messages are printed")
    func missingPager() throws {
      let shell = try home.shellInLobby(
        as: "anna", rows: 6, environment: ["PAGER": "/no/such/pager"])
      shell.send("/history\r")
      try shell.expect("/no/such/pager could not be run")
      #expect(shell.emulator.history.count { $0.contains("number 1") } == 2)
      try shell.expect("#lobby> |")
    }

    @Test("less itself opens at the end, and q brings the line back")
    func less() throws {
      let shell = try home.shellInLobby(as: "anna", rows: 6)
      shell.send("/history\r")
      try shell.expect("(END)")
      try shell.expect("number 5")
      try shell.type("q", seeing: "#lobby> |")
    }
  }
}
