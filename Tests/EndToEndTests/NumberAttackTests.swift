// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Repeatable
import Testing

extension EndToEnd {
  @Suite("Impossible numbers")
  struct NumberAttackTests {
    private let home: Home

    private static let numbers = [
      "-9223372036854775808", "-9223372036854775807", "9223372036854775807",
      "9223372036854775806", "9223372036854775808", "-4294967296", "4294967296", "-2147483648",
      "2147483647", "0", "-0", "+1", "-1", "1", "--1", "1e9", "٣", "99999999999999999999999999",
    ]

    init() throws {
      home = try Home()
      try home.say("hello", as: "ben")
    }

    @Test("1.11: no number behind a command or a setting ends the shell")
    func commands() throws {
      let shell = try home.shellInLobby(as: "anna")
      try shell.command("/set pager off")
      try shell.type("one\r", seeing: "[2]")
      var random = FixedRandom(seed: LongRun.seed)
      let lines = [
        "/info %", "/quote %", "/copy %", "/open %", "/open 1 %", "/save %", "/react % :tada:",
        "/reply % x", "/edit %", "/cancel", "/delete %", "/retry %", "/detach %", "/history %",
        "/history %-%", "/history %-", "/set message-limit %", "/set message-limit 0",
        "/set ask-lines %", "/set typing-timeout %", "/set max-input-rows %",
        "/set attachment-limit %", "/set fold-lines %", "/set keep %d", "/set keep %y",
        "/set keep off", "/search since:%h x", "/search since:% x",
        "/bind set keyseq-timeout %", "/bind set completion-query-items %", "\u{1B}",
        // Numbers as a terminal sends them with keys and answers.
        "\u{1B}[%;%u", "\u{1B}[%:%;%:3u", "\u{1B}[27;%;%~", "\u{1B}[%;%A", "\u{1B}[%;%R",
        "\u{1B}[8;%;%t",
      ]
      for round in 0..<LongRun.rounds(200) {
        // Each of them with the two lowest numbers, then whatever comes.
        let (turn, index) = round.quotientAndRemainder(dividingBy: lines.count)
        let line = turn < 2 ? lines[index] : lines[random.below(lines.count)]
        let typed = line.split(separator: "%", omittingEmptySubsequences: false)
          .joined(separator: turn < 2 ? Self.numbers[turn] : number(&random))
        shell.send("\u{15}\(typed)\r\u{07}\u{15}mark\(round)")
        try #require(
          shell.wait(for: 20) { $0.picture.contains("mark\(round)|") },
          "seed \(LongRun.seed), round \(round): \(typed.debugDescription)\n\(shell.emulator.picture)"
        )
        #expect(!shell.emulator.picture.contains("mismatch"), "\(typed.debugDescription)")
      }
    }

    private func number(_ random: inout FixedRandom) -> String {
      Self.numbers[random.below(Self.numbers.count)]
    }

    @Test(
      "11.4: a number on the command line ends a command only with a sentence",
      arguments: [
        ["log", "lobby", "--lines"], ["log", "lobby", "--from"], ["log", "lobby", "--to"],
        ["log", "lobby", "--lines", "2", "--from"], ["log", "lobby", "--since"],
        ["search", "hello", "--lines"], ["send", "lobby", "x", "--reply"],
        ["send", "--timeout"], ["wait", "nosuch", "--timeout"],
      ])
    func commandLine(arguments: [String]) throws {
      for number in Self.numbers {
        // Joined, for the parser takes a - for an option.
        let given = arguments.dropLast() + ["\(arguments.last ?? "")=\(number)"]
        let rest = arguments == ["send", "--timeout"] ? ["lobby", "x"] : []
        let finished = try home.run(given + rest + ["--as", "anna"])
        #expect([0, 1, 64].contains(finished.status), "\(given): \(finished)")
        #expect(finished.status == 0 || !finished.errors.isEmpty, "\(given)")
      }
      try home.expectSound()
    }
  }
}
