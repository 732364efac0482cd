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

    private func shell(_ wrapper: [String] = []) throws -> PseudoTerminal {
      try PseudoTerminal(
        command: withoutInotify + wrapper + [Home.program, "--as", "anna", "lobby"],
        environment: home.environment)
    }

    @Test("10.7: a shell shows what others say without a key being typed")
    func hears() throws {
      let shell = try shell()
      try shell.expect("#lobby> |")
      for number in 1...3 {
        try home.say("news \(number)", as: "ben")
        try shell.expect("news \(number)")
      }
    }

    @Test("10.7: wait and log --follow go on")
    func commands() throws {
      func start(_ arguments: [String]) throws -> Program {
        try Program(
          withoutInotify + [Home.program] + arguments + ["--as", "anna"],
          environment: home.environment)
      }
      let log = try start(["log", "lobby", "--follow"])
      try #require(log.wait(for: 10) { $0.output.contains("hello") })
      let wait = try start(["wait", "lobby", "--timeout", "30"])
      var number = 0
      // Nobody knows from outside when it listens.
      while !wait.hasEnded, number < 200 {
        number += 1
        try home.say("news \(number)", as: "ben")
      }
      let finished = wait.finish()
      #expect(finished.status == 0, "\(finished)")
      #expect(finished.output.contains("ben: news "))
      #expect(log.wait(for: 10) { $0.output.contains("news \(number)\n") })
      log.kill(SIGTERM)
    }

    /// Nor can the store's folder be watched: it may be written to, but not read.
    private static let withoutCapabilities = [
      "setpriv", "--bounding-set=-all", "--inh-caps=-all", "--",
    ]

    @Test(
      "10.7: where nothing tells of news it is said, and every key looks",
      .enabled(if: canRun(withoutInotify + withoutCapabilities + ["true"])))
    func everyKeyLooks() throws {
      let folder = URL(fileURLWithPath: home.store).deletingLastPathComponent().path
      chmod(folder, 0o300)
      defer { chmod(folder, 0o700) }
      let shell = try shell(Self.withoutCapabilities)
      try shell.expect("it looks for new messages at every key")
      try shell.expect("#lobby> |")
      try home.say("news", as: "ben")
      try shell.type("x", seeing: "ben: news")
      let waiting = try Program(
        withoutInotify + Self.withoutCapabilities
          + [Home.program, "wait", "lobby", "--as", "anna", "--timeout", "5"],
        environment: home.environment
      ).finish()
      #expect(waiting.status == 1)
      #expect(waiting.errors.contains("inotify"))
    }
  }
}
