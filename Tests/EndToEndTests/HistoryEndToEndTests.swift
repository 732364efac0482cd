// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Testing

extension EndToEnd {
  @Suite("7.1, 7.5: /history")
  struct HistoryEndToEndTests {
    private let home: Home

    init() throws {
      home = try Home()
      for number in 1...5 { try home.say("number \(number)", as: "ben") }
    }

    private func history(_ argument: String) throws -> Program.Finished {
      try home.run(["--as", "anna", "--no-rc", "lobby"], input: "/history \(argument)\n")
    }

    @Test(
      "more than a screen goes to the pager, opened at the end; the line stays")
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

    @Test("a missing pager is reported, and the messages are printed")
    func missingPager() throws {
      let shell = try home.shellInLobby(
        as: "anna", rows: 6, environment: ["PAGER": "/no/such/pager"])
      shell.send("/history\r")
      try shell.expect("/no/such/pager could not be run")
      #expect(shell.emulator.history.count { $0.contains("number 1") } == 2)
      try shell.expect("#lobby> |")
    }

    @Test("a person who chose no pager and has no less gets long help without a complaint")
    func noPager() throws {
      let shell = try home.shellInLobby(
        as: "anna", rows: 6, environment: ["PAGER": " ", "PATH": home.path + "/bin"])
      shell.send("/help\r")
      #expect(shell.wait(for: 10) { $0.history.contains { $0.contains("/edit") } })
      try shell.expect("#lobby> |")
      #expect(!shell.emulator.picture.contains("could not be run"))
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
