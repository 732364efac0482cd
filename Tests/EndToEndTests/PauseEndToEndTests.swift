// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Testing

extension EndToEnd {
  @Suite("7.6: Paused output")
  struct PauseEndToEndTests {
    private let home: Home

    init() throws {
      home = try Home()
      try home.say("first", as: "ben")
    }

    @Test("what was held when the shell was killed is unread")
    func killedWhileHeld() throws {
      let anna = try home.shellInLobby(as: "anna")
      try anna.type("/pause\r", seeing: "Output paused")
      try home.say("held", as: "ben")
      try anna.expect("1 new")
      anna.kill(9)
      #expect(anna.waitForExit(seconds: 10) != nil)
      let again = try home.shellInLobby(as: "anna")
      try again.expect("new ──")
      #expect(again.emulator.history.contains { $0.contains("ben: held") })
    }

    @Test(
      "a pager pauses: nothing is printed or seen; afterwards it is printed, no longer counted"
    )
    func pagerHolds() throws {
      let anna = try home.shellInLobby(
        as: "anna",
        environment: [
          "PAGER": "sh -c 'cat; touch ~/here; while [ ! -e ~/go ]; do sleep 0.02; done'"
        ])
      let ben = try home.shellInLobby(as: "ben")
      let numbers = (1...30).map { "line \($0)" }.joined(separator: "\n")
      try home.say(numbers, as: "ben")
      try anna.expect("line 30")
      try anna.type("a draft", seeing: "#lobby> a draft|")
      anna.send("\u{15}/history\r")
      let isOpen = anna.wait(for: 10) { _ in
        FileManager.default.fileExists(atPath: home.path + "/here")
      }
      #expect(isOpen)
      try ben.type("meanwhile\r", seeing: "[3]")
      try anna.expectNever("meanwhile")
      #expect(!ben.emulator.picture.contains("[3] seen"))
      try home.write("", to: "go")
      try anna.expect("meanwhile")
      try anna.expect("#lobby> |")
      // What was held is printed, and is not new any more.
      try anna.expectNever(" new")
      try ben.expect("[3] seen")
    }
  }
}
