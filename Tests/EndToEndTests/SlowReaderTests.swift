// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Foundation
import Testing

extension EndToEnd {
  @Suite("Slow readers and little memory")
  struct SlowReaderTests {
    private let home: Home

    init() throws {
      home = try Home()
    }

    private func bash(_ script: String) throws -> Program {
      try Program(
        ["bash", "-c", "cd; hobnob() { '\(Home.program)' \"$@\"; }; " + script],
        environment: home.environment)
    }

    @Test("11.3: an export that no one reads lets the log be reset, and is one moment")
    func stalledExport() throws {
      try home.write(Home.export(3000), to: "big.jsonl")
      #expect(try home.run(["import", home.path + "/big.jsonl"]).status == 0)
      mkfifo(home.path + "/go", 0o600)
      let export = try bash(
        "set -o pipefail; hobnob export | (head -c 1 > begun; read -r line < go; cat > rest)")
      let begun = home.path + "/begun"
      #expect(
        export.wait(for: 20) { _ in (FileManager.default.contents(atPath: begun)?.count ?? 0) > 0 })
      let store = try Store(path: home.store)
      let ben = try store.writeDurablyIfNeeded { try $0.participant(identity: "ben") }.id
      let lobby = try #require(try store.read { try $0.room("lobby") }).id
      for number in 1...400 {
        try store.writeDurably {
          try $0.send("later \(number)", in: lobby, by: ben, requireMembership: false)
        }
      }
      let log = try FileManager.default.attributesOfItem(atPath: home.store + "-wal")
      // SQLite writes it back at a thousand pages of four kilobytes; pinned it has 25 megabytes.
      #expect(log[.size] as? Int ?? 0 < 8_000_000)
      store.close()
      try "go\n".write(toFile: home.path + "/go", atomically: false, encoding: .utf8)
      #expect(export.finish().status == 0)
      let text = try String(contentsOfFile: home.path + "/rest", encoding: .utf8)
      #expect(count(of: #""type":"message""#, in: text) == 3000)
      #expect(!text.contains("later") && text.hasSuffix(#"{"type":"end"}"# + "\n"))
    }

    @Test("12.1: an export on a terminal shows only drawn characters; a pipe gets it unchanged")
    func exportOnATerminal() throws {
      let hostile = "tag \u{E0067} not \u{FFFE} soft \u{AD} end"
      try home.say(hostile, as: "ben")
      #expect(try home.run(["export"]).output.contains(hostile))
      let shown = try PseudoTerminal(
        command: [Home.program, "export"], environment: home.environment, columns: 400)
      #expect(shown.waitForExit(seconds: 10) == 0)
      let text = shown.emulator.picture
      #expect(text.contains(#"tag \udb40\udc67 not \ufffe soft \u00ad end"#), "\(text)")
    }

    @Test(
      "11.4: a text too large for memory is a sentence, and nothing is stored",
      arguments: [80_000, 200_000, 400_000])
    func littleMemory(kilobytes: Int) throws {
      try home.say("before", as: "anna")
      let send = try bash(
        """
        ulimit -v \(kilobytes)
        head -c 30000000 /dev/zero | tr '\\0' x | hobnob send lobby --as anna
        """
      ).finish()
      #expect(send.status == 1 && send.output == "")
      #expect(
        send.errors == "hobnob: There is not enough memory for the text on standard input.\n")
      let line = try bash(
        """
        ulimit -v \(kilobytes); (head -n 1 <<< '\(Home.export(1))'
        head -c 30000000 /dev/zero | tr '\\0' x) | hobnob import
        """
      ).finish()
      #expect(line.status == 1 && line.errors.contains("standard input:2: "))
      #expect(try home.run(["log", "lobby", "--as", "ben"]).output.contains("[1] anna: before"))
      #expect(try home.run(["check"]).output.contains("is undamaged"))
      #expect(!(try home.run(["log", "lobby", "--as", "ben"]).output.contains("[2]")))
    }
  }
}
