// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Testing

extension EndToEnd {
  /// Each is asked for by `hobnob account register`, which connects to nobody before it has one.
  @Suite("A password typed at the terminal")
  struct TypedPasswordTests {
    /// A shell that says how its terminal is set before and after the program.
    private func registering(_ home: Home) throws -> PseudoTerminal {
      let script =
        "stty -g; \"$0\" account register xmpp:anna@localhost --host 127.0.0.1 --port 9; "
        + "echo status $?; stty -g; read -r line; echo \"read: $line\""
      return try PseudoTerminal(
        command: ["bash", "--norc", "-c", "set -m; trap '' INT; \(script)", Home.program],
        environment: home.environment)
    }

    /// Whether the terminal is set as it was.
    private func expectRestored(_ shell: PseudoTerminal) throws {
      shell.settle()
      let modes = shell.emulator.history.filter {
        $0.contains(":") && $0.count(where: { $0 == ":" }) > 10
      }
      #expect(modes.count == 2 && modes.first == modes.last, "\(shell.emulator.history)")
    }

    @Test("it is not shown, and the terminal is restored; two that differ are refused")
    func differ() throws {
      let home = try Home()
      let shell = try registering(home)
      try shell.expect("A password for anna@localhost: |")
      try shell.type("secret\r", seeing: "Repeat the password: |")
      try shell.type("secrets\r", seeing: "The two passwords differ; nothing was done.")
      try shell.expect("status 1")
      try shell.type("shown\r", seeing: "read: shown")
      #expect(!shell.emulator.history.contains { $0.contains("secret") })
      try expectRestored(shell)
    }

    @Test("an empty line is no password")
    func empty() throws {
      let home = try Home()
      let shell = try registering(home)
      try shell.expect("A password for anna@localhost: |")
      try shell.type("\r", seeing: "nothing was done.")
      try shell.expect("status 1")
      try expectRestored(shell)
    }

    @Test("C-c restores the terminal")
    func interrupted() throws {
      let home = try Home()
      let shell = try registering(home)
      try shell.expect("A password for anna@localhost: |")
      shell.settle()
      try shell.type("secr\u{03}", seeing: "status ")
      #expect(!shell.emulator.history.contains { $0.contains("secr") })
      try expectRestored(shell)
    }

    @Test("without a terminal there is no one to ask, which is reported")
    func withoutTerminal() throws {
      let home = try Home()
      let finished = try Program(
        [
          "setsid", Home.program, "account", "register", "xmpp:anna@localhost", "--host",
          "127.0.0.1",
          "--port", "9",
        ], input: "secret\nsecret\n", environment: home.environment
      ).finish()
      #expect(
        finished.status == 1
          && finished.errors
            == "hobnob: hobnob needs a password that is typed at a terminal; nothing was done.\n"
      )
    }
  }
}
