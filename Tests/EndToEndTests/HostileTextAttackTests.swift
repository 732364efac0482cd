// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Repeatable
import Testing

extension EndToEnd {
  /// Hostile texts through everything that shows text, in all faces. What is held is held on the
  /// bytes that the program writes, and on an emulator that is not ours.
  @Suite("12.1, 12.2: Hostile texts through every output")
  struct HostileTextAttackTests {
    /// What is told when something fails, to repeat it.
    private struct Round: CustomTestStringConvertible {
      var texts: [String]
      var names: [[UInt8]]
      var testDescription = "the whole corpus"

      static let corpus = Round(
        texts: HostileTexts.all.map(\.text),
        names: [1, 4, 6, 16, 17, 20, 21, 23, 25].map { Array(HostileTexts.all[$0].text.utf8) }
          + [HostileTexts.bytes, Array("\u{2800}anna".utf8), Array("  anna ".utf8)])

      /// As many texts and names that anybody could have.
      static var harmless: Round {
        Round(
          texts: corpus.texts.indices.map { "harmless \($0) boss" },
          names: corpus.names.indices.map { Array("p\($0)".utf8) })
      }

      /// The corpus, and in a long run mixtures of it.
      static var all: [Round] {
        [corpus]
          + (1..<LongRun.rounds(1)).map { number in
            let seed = LongRun.seed &+ UInt64(number)
            var random = FixedRandom(seed: seed)
            return Round(
              texts: (0..<30).map { _ in HostileTexts.mixture(&random) },
              names: (0..<8).map { _ in Array(HostileTexts.mixture(&random).utf8.prefix(400)) },
              testDescription: "mixtures from seed \(seed)")
          }
      }
    }

    // MARK: At the prompt

    /// What a person does who looks at everything.
    private func look(_ round: Round, _ arguments: [String]) throws -> (PseudoTerminal, String) {
      let hostile = try HostileHome(round.texts, names: round.names)
      let home = hostile.home
      // Keys that can do nothing ring as well.
      let shell = try home.shellInLobby(
        as: "anna", arguments, inputrc: "set bell-style none\n", rows: 60, columns: 200)
      // What is said while they look on, some of it to them.
      let lines = hostile.texts.flatMap { $0.split(whereSeparator: \.isNewline).prefix(1) }
        .enumerated().map { $0 % 5 == 0 ? "@anna \($1)" : String($1) }
        .map { $0.hasPrefix("/") ? " " + $0 : $0.replacing("\0", with: "") }
      _ = try home.run(["--as", "cy", "lobby"], input: lines.joined(separator: "\n"))
      let octal = HostileTexts.bytes.map { "\\" + String($0, radix: 8) }.joined()
      _ = try Program(
        ["sh", "-c", "printf '\(octal)' | \"$0\" send lobby --as cy", Home.program],
        environment: home.environment
      ).finish()
      try home.say("that was all", as: "cy")
      try shell.expect("that was all")
      try home.expectSound()
      for line in [
        "/history 300", "/info 2", "/info 17", "/info -3", "/who", "/list", "/unread", "/drafts",
        "/topic", "/search boss", "/search harmless", "/open 1", "/next", "/topic", "/info 1",
        "/switch lobby",
      ] {
        try take(line, shell)
      }
      #expect(shell.emulator.bells == 0)
      // Names in a menu, and in what readline lists.
      for beginning in ["@", "/switch #", "/msg @"] {
        shell.send(beginning + "\t\t")
        _ = shell.wait(for: 0.2) { _ in false }
        shell.send("\u{07}\u{15}")
        try shell.expect("#lobby> |")
      }
      return (shell, hostile.notified)
    }

    /// Types a line; one that is refused stays and is taken away.
    private func take(_ line: String, _ shell: PseudoTerminal) throws {
      // A room that was just entered may have a draft of several lines, with the caret anywhere.
      shell.send("\u{03}" + line)
      // The name of a room may be so long that the line is wrapped.
      let isTyped = shell.wait(for: 20) {
        $0.picture.filter { !$0.isWhitespace }.contains(line.filter { !$0.isWhitespace } + "|")
      }
      try #require(isTyped, "\(line): \(shell.emulator.picture)")
      shell.send("\r")
      // In plain a refused line is for a moment not there, before it is shown again.
      if !shell.wait(for: 2, until: Self.hasEmptyLine) { shell.send("\u{15}") }
      #expect(shell.wait(for: 20, until: Self.hasEmptyLine), "\(line): \(shell.emulator.picture)")
    }

    /// The prompt of a room with a very long name is cut.
    private static func hasEmptyLine(_ emulator: Emulator) -> Bool {
      emulator.picture.contains("> |") || emulator.picture.contains("… |")
    }

    /// Takes away the text being typed, line by line. What is typed behind it each time tells when
    /// the screen has followed.
    private func empty(_ shell: PseudoTerminal) throws {
      for letter in (0..<20).flatMap({ _ in ["y", "z"] }) {
        shell.send("\u{05}\u{15}\u{7F}\u{15}\(letter)")
        try shell.expect("\(letter)|")
        if shell.emulator.picture.contains("#lobby> \(letter)|") { break }
      }
      shell.send("\u{15}")
      try shell.expect("#lobby> |")
    }

    private func leave(_ shell: PseudoTerminal) {
      shell.send("\u{15}\u{04}")
      #expect(shell.waitForExit(seconds: 10) == 0)
    }

    @Test("at the prompt: only what hobnob writes for harmless texts, too", arguments: Round.all)
    private func drawn(round: Round) throws {
      func whole(_ round: Round) throws -> (PseudoTerminal, String) {
        let (shell, notified) = try look(round, [])
        // On the line: what others said, one's own text, a draft.
        for keys in ["/quote 2\r", "/quote 5\r", "/quote 18\r", "/quote 22\r"] {
          shell.send(keys)
          _ = shell.wait(for: 0.1) { _ in false }
          shell.send("\u{05}\u{02}\u{02}\u{15}\u{01}\u{0B}")
          try empty(shell)
        }
        shell.send("/copy 1\r")
        try shell.expect("Copied")
        for _ in round.names.indices {
          shell.send("/next\r")
          _ = shell.wait(for: 0.1) { _ in false }
          shell.send("\u{05}\u{0A}")
          _ = shell.wait(for: 0.05) { _ in false }
        }
        shell.kill(SIGHUP)
        _ = shell.waitForExit(seconds: 10)
        return (shell, notified)
      }
      let (calm, _) = try whole(.harmless)
      let (shell, notified) = try whole(round)
      let written = TerminalBytes(shell.output)
      #expect(written.isUTF8)
      let odd = written.kinds.subtracting(TerminalBytes(calm.output).kinds)
      #expect(odd.isEmpty, "\(odd)")
      // A Tab that completes nothing rings, whatever stands on the screen.
      let offences = TerminalBytes.offences(
        in: written.text, controls: ["\n", "\r", "\u{07}", "\u{08}"])
      #expect(offences.isEmpty, "\(Set(offences))")
      hold(shell)
      #expect(shell.emulator.bells < 20)
      #expect(shell.emulator.changes.subtracting(calm.emulator.changes).isEmpty)
      let answers = TerminalBytes(shell.answered).kinds
      #expect(answers.subtracting(TerminalBytes(calm.answered).kinds).isEmpty, "\(answers)")
      #expect(!notified.isEmpty)
      #expect(TerminalBytes.offences(in: notified, controls: ["\n", "\t"]).isEmpty)
    }

    @Test("11.5: in plain mode: not one byte that a terminal obeys", arguments: Round.all)
    private func plain(round: Round) throws {
      let (shell, notified) = try look(round, ["--plain"])
      leave(shell)
      holdPlain(shell)
      #expect(TerminalBytes.offences(in: notified, controls: ["\n", "\t"]).isEmpty)
    }

    @Test("11.5, 12.2: on the line of plain mode, too", arguments: Round.all)
    private func plainLine(round: Round) throws {
      let hostile = try HostileHome(round.texts, names: round.names)
      let shell = try hostile.home.shellInLobby(as: "anna", ["--plain"], rows: 60, columns: 200)
      for number in [1, 2, 7, 16, 20, 21, 23, 24] {
        shell.send("/quote \(number)\r")
        _ = shell.wait(for: 0.1) { _ in false }
        shell.send("\u{05}\u{15}\u{15}")
        _ = shell.wait(for: 0.1) { _ in false }
      }
      for _ in 0..<4 {
        shell.send("\u{05}\u{15}/next\r")
        _ = shell.wait(for: 0.2) { _ in false }
      }
      shell.kill(SIGHUP)
      _ = shell.waitForExit(seconds: 10)
      holdPlain(shell)
    }

    @Test("11.5, 12.2: a line longer than the row never writes half a character in plain mode")
    func longPlainLine() throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna", ["--plain"], columns: 60)
      // The last byte of this letter alone is CSI where a terminal takes eight bits.
      let long = String(repeating: "é☛👩‍👩‍👧漢a", count: 30)
      shell.send(long + "end")
      try shell.expect("end|")
      #expect(shell.emulator.picture.contains("#lobby> <"))
      for keys in [
        "\u{01}", "\u{05}", "\u{1B}b", "\u{02}\u{02}x", "\u{01}\u{06}\u{06}\u{06}", "\u{0B}",
      ] {
        shell.send(keys)
        _ = shell.wait(for: 0.2) { _ in false }
      }
      try shell.expect("#lobby> é☛👩‍👩‍👧|")
      shell.send("\u{12}" + long)
      _ = shell.wait(for: 0.5) { _ in false }
      shell.send("\u{07}\u{07}\u{05}\u{15}")
      try shell.expect("#lobby> |")
      leave(shell)
      holdPlain(shell)
    }

    // MARK: Scripts

    @Test("12.1: scripts on a terminal print no byte that it obeys", arguments: Round.all)
    private func scripts(round: Round) throws {
      let hostile = try HostileHome(round.texts, names: round.names)
      let odd = round.texts[1].replacing("\0", with: "")
      let commands: [[String]] = [
        ["log", "lobby", "--from", "1"], ["log", "lobby", "--from", "1", "--json"],
        ["search", "boss"],
        ["search", "boss", "--json"], ["unread"], ["unread", "--json"], ["export"], ["check"],
        ["log", odd], ["send", odd, "x"], ["send", "lobby", "--attach", odd],
        ["search", "in:\(odd)"],
        ["import", odd], ["lobby", "--rc", odd], ["export", odd], ["unread", "--store", "/\(odd)"],
        // Most are not names; of one that is, nothing is in the room.
        ["search", "boss", "--as", odd], ["log", "lobby", "--since", odd], ["log", "lobby", odd],
        ["lobby", "--\(odd)"], ["log", "lobby", "--from", odd], ["log", "lobby", "--from=\(odd)"],
        ["log", "lobby", "yes\n\(HostileTexts.fake): pay"],
        ["log", "lobby", "--from=\n\(HostileTexts.fake)"],
        ["lobby", "--\r\n\(HostileTexts.fake): pay\n[77]"],
        // One character with the quotation mark before it.
        ["log", "lobby", "\u{200D}x\n\(HostileTexts.fake): pay"],
      ]
      for arguments in commands {
        let shell = try PseudoTerminal(
          command: [Home.program] + arguments
            + (arguments.contains("--as") ? [] : ["--as", "anna"]),
          environment: hostile.home.environment, rows: 60, columns: 200)
        #expect(shell.waitForExit(seconds: 20) != nil)
        let written = TerminalBytes(shell.output)
        // What is found is marked. (A letter with marks in place of the colon makes in: a word.)
        // The check asks the terminal for its background, and for what every terminal answers.
        let asks = arguments[0] == "check"
        let allowed: Set<String> =
          asks ? ["OSC 11", "CSI c"] : arguments[0] == "search" ? ["CSI m"] : []
        #expect(written.isUTF8, "\(arguments)")
        #expect(written.kinds.subtracting(allowed).isEmpty, "\(arguments): \(written.kinds)")
        let offences = TerminalBytes.offences(in: written.text, controls: ["\n", "\r", "\t"])
        #expect(offences.isEmpty, "\(arguments): \(Set(offences))")
        #expect(shell.emulator.changes.isEmpty, "\(arguments)")
        #expect(shell.answered.isEmpty != asks, "\(arguments)")
        hold(shell)
      }
    }

    // MARK: What holds

    /// No line can be taken for what another said, and the window has no title but hobnob's. (Where the terminal
    /// breaks a line that is longer than its row, the next row begins with whatever comes there.)
    private func hold(_ shell: PseudoTerminal) {
      let forged = shell.emulator.lines.filter { $0.hasPrefix(HostileTexts.fake) }
      #expect(forged.isEmpty)
      let title = shell.emulator.title
      #expect(title.isEmpty || title.hasSuffix(" hobnob"), "\(title)")
      #expect(TerminalBytes.offences(in: title, controls: []).isEmpty, "\(title)")
    }

    private func holdPlain(_ shell: PseudoTerminal) {
      let written = String(decoding: shell.output, as: UTF8.self)
      #expect(written.utf8.elementsEqual(shell.output))
      let offences = TerminalBytes.offences(in: written, controls: ["\n", "\r", "\u{08}"])
      #expect(offences.isEmpty, "\(Set(offences))")
      #expect(shell.answered.isEmpty && shell.emulator.changes.isEmpty)
      #expect(shell.emulator.bells == 0)
      hold(shell)
    }
  }
}
