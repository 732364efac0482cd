// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Testing

extension EndToEnd {
  @Suite("7.6: Printing held")
  struct PauseTests {
    private let home: Home

    init() throws {
      home = try Home()
      try home.say("first", as: "ben")
    }

    @Test("/pause holds and counts, /bottom prints in order and goes on; nothing counts as seen")
    func holds() throws {
      let (anna, ben) = try home.annaAndBen()
      try anna.type("/pause\r", seeing: "Output paused")
      try ben.type("one\r", seeing: "[2]")
      try ben.type("two\r", seeing: "[3]")
      // What is edited before it is read is held with its new text alone.
      try anna.expect("2 new")
      try ben.type("\u{1B}e\u{15}2\r", seeing: "✎ [3] ben: 2")
      try anna.expectNever("ben: one")
      // Typing does not let go.
      try anna.type("half a line", seeing: "#lobby> half a line|")
      try anna.expectNever("ben: one")
      try ben.expect("[3] ✓✓ delivered")
      try anna.type("\u{15}/bottom\r", seeing: "✎ [3] ben: 2")
      let shown = anna.emulator.history
      let order = ["ben: one", "[3]      two", "✎ [3] ben: 2"].map { part in
        shown.firstIndex { $0.contains(part) }
      }
      #expect(
        order.allSatisfy { $0 != nil }
          && order.compactMap { $0 } == order.compactMap { $0 }.sorted())
      try ben.expect("[3] seen")
      try anna.expectGone(" new")
      try ben.type("three\r", seeing: "[4]")
      try anna.expect("three")
    }

    @Test("/pause counts nothing where nothing is held")
    func nothingHeld() throws {
      let anna = try home.shellInLobby(as: "anna")
      try anna.type(
        "/pause\r", seeing: "Output paused; type /bottom or send a message to resume.")
      try anna.type("/status\r", seeing: "The store is")
      try anna.expectNever("0 new")
      try home.say("held", as: "ben")
      try anna.expect("1 new")
    }

    @Test("sending lets go, and what was held stands above what was sent")
    func sendingLetsGo() throws {
      let anna = try home.shellInLobby(as: "anna")
      try anna.type("/pause\r", seeing: "Output paused")
      try home.say("held", as: "ben")
      try anna.expect("1 new")
      try anna.type("mine\r", seeing: "anna: mine")
      let shown = anna.emulator.history
      let held = try #require(shown.firstIndex { $0.contains("ben: held") })
      let mine = try #require(shown.firstIndex { $0.contains("anna: mine") })
      #expect(held < mine)
      try home.say("live", as: "ben")
      try anna.expect("ben: live")
    }

    @Test("7.7: what was held when the conversation is left is unread there, below the rule")
    func leavingWhileHeld() throws {
      let anna = try home.shellInLobby(as: "anna")
      try anna.type("/pause\r", seeing: "Output paused")
      try home.say("held", as: "ben")
      try anna.expect("1 new")
      try anna.type("/join tea\r", seeing: "#tea> |")
      try anna.expect("#lobby 1")
      try anna.type("/next\r", seeing: "ben: held")
      let shown = anna.emulator.history
      let held = try #require(shown.firstIndex { $0.contains("ben: held") })
      #expect(shown[held - 1].contains("new"), "\(shown)")
      try home.say("live", as: "ben")
      try anna.expect("live")
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

    @Test("7.4: a narrow status line leaves out what matters least")
    func narrow() throws {
      let anna = try home.shellInLobby(as: "anna", rows: 20, columns: 30)
      try anna.type("/pause\r", seeing: "Output paused")
      try home.say("held", as: "ben")
      try anna.expect("1 new")
      _ = try home.run(["send", "@anna", "--as", "ben", "psst"])
      anna.rest(0.5)
      try anna.expect("1 new")
      #expect(anna.emulator.screen.allSatisfy { $0.count <= 30 })
      anna.resize(rows: 20, columns: 100)
      try anna.expect("1 new · @ben 1")
    }

    @Test(
      "a pager holds: nothing is printed or seen, and afterwards it is printed, and not counted any more"
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
