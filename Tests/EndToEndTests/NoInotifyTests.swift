// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Testing

/// Runs a command where no inotify instance is to be had: in a user namespace, whose own limit is
/// nobody else's.
private let withoutInotify = [
  "unshare", "--user", "--map-root-user", "sh", "-c",
  "echo 0 > /proc/sys/user/max_inotify_instances && exec \"$@\"", "sh",
]

private func canRun(_ command: [String]) -> Bool {
  (try? Program(command, environment: ["PATH": "/usr/bin:/bin"]).finish().status) == 0
}

extension EndToEnd {
  @Suite(
    "No inotify instance is left",
    .enabled(if: canRun(withoutInotify + ["true"]), "no user namespace can be made here"))
  struct NoInotifyTests {
    private let home: Home

    init() throws {
      home = try Home()
      try home.say("hello", as: "ben")
    }

    @Test("without a bell the shell says so and looks at every key")
    func everyKeyLooks() throws {
      let shell = try PseudoTerminal(
        command: withoutInotify + [Home.program, "--as", "anna", "lobby"],
        environment: home.environment)
      try shell.expect("looks for new messages only when")
      try shell.expect("#lobby> |")
      for number in 1...3 {
        try home.say("news \(number)", as: "ben")
        try shell.type("x", seeing: "news \(number)")
      }
    }

    @Test(
      "11.4: commands that would wait forever refuse and say why",
      arguments: [
        ["wait", "lobby", "--timeout", "5"], ["log", "lobby", "--follow"],
        ["send", "lobby", "--wait", "seen", "hello"],
      ])
    func commands(arguments: [String]) throws {
      let finished = try Program(
        withoutInotify + [Home.program] + arguments + ["--as", "anna"],
        environment: home.environment
      ).finish()
      #expect(finished.status == 1)
      #expect(finished.errors.contains("inotify"))
    }
  }
}
