// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Testing

extension EndToEnd {
  @Suite("Plain and idle (11.5)")
  struct FaceTests {
    @Test(
      "the plain face writes no escape sequence at all",
      arguments: [(["--plain"], [:]), ([], ["TERM": "dumb"])] as [([String], [String: String?])])
    func plainWritesNoEscape(arguments: [String], changes: [String: String?]) throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna", arguments, environment: changes)
      shell.send("half a line")
      try shell.expect("#lobby> half a line|")
      try home.say("while you type\u{1B}[31m", as: "ben")
      // Newline, the message, then prompt and line again.
      try shell.expect("#lobby> half a line|")
      #expect(
        shell.wait(for: 10) { $0.history.contains { $0.contains("ben: while you type^[[31m") } })
      try shell.expect("#lobby> half a line|")
      shell.send(" is sent\r")
      #expect(shell.wait(for: 10) { $0.history.contains { $0.contains("half a line is sent") } })
      shell.send("/who\r/status\r/edit\r")
      try shell.expect("edit 2> half a line is sent")
      shell.send("\u{07}")
      try shell.expect("#lobby> |")
      shell.send("\u{04}")
      #expect(shell.waitForExit(seconds: 10) == 0)
      let allowed = Set<UInt8>([0x07, 0x08, 0x0A, 0x0D])
      let odd = shell.output.filter { $0 < 0x20 && !allowed.contains($0) || $0 == 0x7F }
      #expect(odd.isEmpty, "\(odd)")
    }

    @Test("hold-while-typing keeps messages until Return")
    func messagesAreHeld() throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna", ["--plain"])
      shell.send("/set hold-while-typing on\r")
      try shell.expect("#lobby> |")
      shell.send("half")
      try shell.expect("#lobby> half|")
      try home.say("wait for it", as: "ben")
      try shell.expectNever("wait for it")
      shell.send(" done\r")
      try shell.expect("wait for it")
    }

    @Test("NO_COLOR leaves attributes and takes colours")
    func noColor() throws {
      let home = try Home()
      try home.say("hello", as: "ben")
      for (value, isColored) in [(nil, true), ("1", false)] as [(String?, Bool)] {
        let shell = try home.shellInLobby(as: "anna", environment: ["NO_COLOR": value])
        try shell.expect("ben: hello")
        let sequences = String(decoding: shell.output, as: UTF8.self)
          .matches(of: /\u{1B}\[([0-9;]*)m/).flatMap { $0.1.split(separator: ";") }
        let colors = sequences.compactMap { Int($0) }.filter { 30...49 ~= $0 || 90...107 ~= $0 }
        #expect(colors.isEmpty == !isColored, "\(sequences)")
      }
    }

    @Test("ten idle seconds cost no system call and no byte (4)")
    func idleCostsNothing() throws {
      let home = try Home()
      let trace = home.path + "/trace"
      let shell = try PseudoTerminal(
        command: [
          "strace", "-f", "-qq", "-o", trace, Home.program, "--as", "anna", "--no-rc", "lobby",
        ], environment: home.environment)
      try shell.expect("#lobby> |", for: 30)
      // What a line leaves to be done later, such as a draft or a typing signal, is over first.
      shell.send("a line\r")
      try shell.expect("[1] anna: a line", for: 30)
      shell.send("a draft")
      try shell.expect("#lobby> a draft|", for: 30)
      _ = shell.wait(for: 8) { _ in false }
      let calls = try Self.lines(of: trace)
      let bytes = shell.bytesReceived
      _ = shell.wait(for: 10) { _ in false }
      #expect(try Self.lines(of: trace) == calls)
      #expect(shell.bytesReceived == bytes)
    }

    private static func lines(of path: String) throws -> Int {
      try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").count
    }
  }
}
