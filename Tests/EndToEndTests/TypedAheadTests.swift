// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Testing

extension EndToEnd {
  @Suite("5.2: Keys typed before the prompt")
  struct TypedAheadTests {
    private let home: Home

    init() throws { home = try Home() }

    /// A shell that begins when these keys wait for it already, on a terminal as a login leaves it.
    private func shell(behind keys: String) throws -> PseudoTerminal {
      let shell = try PseudoTerminal(
        command: [
          "/bin/sh", "-c", "read -r _; exec '\(Home.program)' --as anna lobby",
        ], environment: home.environment)
      shell.send("\r" + keys)
      return shell
    }

    private func leaveDraft() throws {
      let shell = try home.shellInLobby(as: "anna")
      try shell.type("half a thought", seeing: "#lobby> half a thought|")
      #expect(try home.draft(becomes: "half a thought", while: shell))
      shell.kill(15)
      _ = shell.waitForExit(seconds: 10)
    }

    @Test("they are on the line, and Return among them sends")
    func line() throws {
      let shell = try shell(behind: "hello\rand more")
      try shell.expect("#lobby> and more|")
      try shell.expect("anna: hello")
    }

    @Test("a draft is not mixed with them, and comes back behind what was sent")
    func draft() throws {
      try leaveDraft()
      let first = try shell(behind: "hello")
      try first.expect("#lobby> hello|")
      try first.type("\r", seeing: "#lobby> half a thought|")
      first.kill(15)
      _ = first.waitForExit(seconds: 10)
      let second = try shell(behind: "again\r")
      try second.expect("#lobby> half a thought|")
      try second.expect("again")
    }
  }
}
