// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Foundation
import Testing

extension EndToEnd {
  /// All of them wait out a locked store.
  @Suite("1.2: Lines that the locked store did not take")
  struct UnsentLineEndToEndTests {
    let home: Home

    init() throws { home = try Home() }

    private func release(_ holder: Program) {
      holder.closeInput()
      _ = holder.finish()
    }

    @Test("1.2: a hang-up keeps a sent line that the store does not take, and the one after it")
    func leavingKeepsTheLine() throws {
      let shell = try home.shellInLobby(as: "anna", columns: 200)
      let holder = try home.lock()
      try shell.type("patience\r", seeing: "waiting for the store")
      try shell.type("next", seeing: "#lobby> next|")
      shell.kill(SIGHUP)
      #expect(shell.waitForExit(seconds: 11) == nil)
      release(holder)
      #expect(shell.waitForExit(seconds: 10) == 129)
      #expect(
        shell.emulator.picture.contains(
          "Your line for #lobby was saved as a draft there."))
      #expect(try home.draft(becomes: "patience\nnext", while: shell))
    }

    @Test("of a line wider than the screen, the mark stays: it is not sent")
    func markOfAWideLine() throws {
      let shell = try home.shellInLobby(as: "anna", columns: 40)
      let holder = try home.lock()
      try shell.type(
        "words and words and words and more of them\u{0A}and another row\r",
        seeing: "(waiting for the store) words and word…")
      release(holder)
      try shell.expect("1 anna: words")
    }
  }
}
