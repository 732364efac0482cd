// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Testing

extension EndToEnd {
  @Suite("1.3: Keys that terminals tell apart")
  struct KeyProtocolTests {
    @Test(
      "Shift-Return, M-Return and C-j are a newline",
      arguments: ["\u{1B}[13;2u", "\u{1B}[27;2;13~", "\u{1B}\r", "\u{0A}"])
    func newlines(key: String) throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna")
      shell.send("one\(key)two")
      try shell.expect("#lobby> one\n        two|")
      shell.send("\r")
      try shell.expect("1 anna: one")
    }

    @Test("Shift-Return in tmux with extended keys")
    func shiftReturnInTmux() throws {
      let home = try Home()
      let tmux = try Tmux(home: home)
      let start =
        "tmux set -s extended-keys on; exec \(Home.program) --as anna lobby"
      let pane = try tmux.open(["sh", "-c", start])
      try pane.expect { $0.contains { $0.hasPrefix("#lobby>") } }
      try pane.type("one")
      try pane.press("S-Enter")
      try pane.type("two")
      try pane.expect { $0.contains("#lobby> one") && $0.contains("        two") }
    }

    /// What is switched on for the line, and how it is switched off.
    private static let protocols = [
      ("\u{1B}[?2004h", "\u{1B}[?2004l"), ("\u{1B}[>4;1m", "\u{1B}[>4;0m"),
      ("\u{1B}[>5u", "\u{1B}[<u"),
    ]

    /// Which of them are on at the end of what was written.
    private static func areOn(in bytes: some Sequence<UInt8>) -> [Bool] {
      let text = String(decoding: Array(bytes), as: UTF8.self)
      return protocols.map { on, off in
        count(of: on, in: text) > count(of: off, in: text)
      }
    }

    private static let allOff = [false, false, false]
    private static let allOn = [true, true, true]

    @Test(
      "they are switched off, however the shell ends",
      arguments: ["C-d", "/quit", "TERM", "HUP", "SEGV", "ABRT"])
    func offAtTheEnd(how: String) throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna")
      #expect(Self.areOn(in: shell.output) == Self.allOn)
      switch how {
      case "C-d": shell.send("\u{04}")
      case "/quit": shell.send("/quit\r")
      case "TERM": shell.kill(15)
      case "HUP": shell.kill(1)
      case "SEGV": shell.kill(11)
      default: shell.kill(6)
      }
      #expect(shell.waitForExit(seconds: 10) != nil)
      // The last bytes may still be on their way.
      #expect(shell.wait(for: 10) { _ in Self.areOn(in: shell.output) == Self.allOff })
      #expect(shell.emulator.cursorIsVisible)
    }

    @Test("they are off while an editor runs")
    func offMeanwhile() throws {
      let home = try Home()
      try home.write("echo the editor\n", to: "editor")
      let shell = try home.shellInLobby(
        as: "anna", environment: ["EDITOR": "sh \(home.path)/editor"])
      shell.send("text\u{18}\u{05}")
      try shell.expect("the editor")
      try shell.expect("#lobby> text|")
      let marker = Array("the editor".utf8)
      let place = try #require(
        shell.output.indices.first { shell.output[$0...].starts(with: marker) })
      #expect(Self.areOn(in: shell.output[..<place]) == Self.allOff)
      #expect(Self.areOn(in: shell.output) == Self.allOn)
    }

    @Test("1.6: they are off while the shell is suspended")
    func offWhileSuspended() throws {
      let home = try Home()
      let environment = home.environment.merging(["PS1": "sh> "]) { $1 }
      let bash = try PseudoTerminal(
        command: ["bash", "--norc", "--noediting", "-i"], environment: environment)
      try bash.expect("sh> |")
      bash.send("\(Home.program) --as anna lobby\r")
      try bash.expect("#lobby> |")
      #expect(Self.areOn(in: bash.output) == Self.allOn)
      bash.send("keep\u{1A}")
      try bash.expect("sh> |")
      #expect(Self.areOn(in: bash.output) == Self.allOff)
      bash.send("fg\r")
      try bash.expect("#lobby> keep|")
      #expect(Self.areOn(in: bash.output) == Self.allOn)
    }

    @Test("unknown sequences put nothing into the line")
    func unknownSequences() throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna")
      for sequence in ["[57358u", "[1;9Z", "[99~", "OZ", "[?62;4c", "[I", "[O", "[5;9~"] {
        shell.send("\u{1B}" + sequence)
      }
      shell.send("text")
      try shell.expect("#lobby> text|")
    }
  }
}
