// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Testing

@Suite("the terminal that tests look at")
struct EmulatorTests {
  @Test("a picture shows the screen and the cursor")
  func picture() {
    let emulator = Emulator(rows: 3, columns: 10)
    emulator.feed("a漢b\r\n\u{1B}[1;31mred\u{1B}[m\u{1B}[2D")
    #expect(emulator.picture == "a漢b\nr|ed")
    #expect(emulator.screen == ["a漢b", "red", ""])
    #expect(emulator.cursor == (1, 1))
    #expect(emulator.style(row: 1, column: 0).isBold)
    #expect(emulator.style(row: 1, column: 0).foreground == 1)
    #expect(emulator.style(row: 0, column: 0).foreground == nil)
    emulator.feed("\r\n3\r\n4\u{7}\u{1B}]2;title\u{7}")
    #expect(emulator.scrollback == ["a漢b"])
    #expect(emulator.history == ["a漢b", "red", "3", "4"])
    #expect(emulator.bells == 1)
    #expect(emulator.title == "title")
    emulator.feed("\u{1B}[6n")
    #expect(emulator.answers == Array("\u{1B}[3;2R".utf8))
    emulator.resize(rows: 2, columns: 5)
    #expect(emulator.screen.count == 2)
  }

  @Test("a character that arrives in parts is one, wherever it is cut")
  func parts() {
    let text = Array("é✓🎉\u{1B}[1m✓\u{1B}[m\r\n#✓".utf8)
    for cut in 0...text.count {
      let emulator = Emulator(rows: 3, columns: 10)
      emulator.feed(Array(text[..<cut]))
      emulator.feed(Array(text[cut...]))
      #expect(emulator.picture == "é✓🎉✓\n#✓|", "cut at \(cut)")
    }
  }

  @Test("a program runs on a terminal of its own, of the requested size")
  func program() throws {
    let terminal = try PseudoTerminal(
      command: ["sh", "-c", "stty size; tty; read line; echo \"<$line>\"; exit 7"],
      environment: ["PATH": "/usr/bin:/bin", "TERM": "xterm"], rows: 10, columns: 40)
    #expect(terminal.wait(for: 5) { $0.picture.contains("/dev/pts/") })
    #expect(terminal.emulator.screen[0] == "10 40")
    #expect(!terminal.wait(for: 0.01) { $0.picture.contains("<hello>") })
    terminal.send("hello\n")
    #expect(terminal.wait(for: 5) { $0.picture.contains("<hello>") })
    #expect(terminal.waitForExit(seconds: 5) == 7)
    #expect(terminal.bytesReceived > 0)
  }

  @Test("a resize reaches the program as a signal, and a signal ends it")
  func signals() throws {
    let terminal = try PseudoTerminal(
      command: ["sh", "-c", "trap 'stty size' WINCH; echo ready; while :; do sleep 0.01; done"],
      environment: ["PATH": "/usr/bin:/bin"], rows: 5, columns: 20)
    #expect(terminal.wait(for: 5) { $0.picture.contains("ready") })
    terminal.resize(rows: 6, columns: 30)
    #expect(terminal.wait(for: 5) { $0.picture.contains("6 30") })
    #expect(terminal.waitForExit(seconds: 0.01) == nil)
    terminal.kill(15)
    #expect(terminal.waitForExit(seconds: 5) == 143)
  }

  @Test("a long text can be typed into a program that writes as much back")
  func longText() throws {
    let terminal = try PseudoTerminal(
      command: ["sh", "-c", "stty raw -echo; echo ready; exec cat"],
      environment: ["PATH": "/usr/bin:/bin"])
    #expect(terminal.wait(for: 5) { $0.picture.contains("ready") })
    let before = terminal.bytesReceived
    terminal.send(String(repeating: "x", count: 100_000))
    #expect(terminal.wait(for: 10) { _ in terminal.bytesReceived - before == 100_000 })
  }

  @Test("a missing program is an error")
  func missing() {
    #expect(throws: SpawnFailure.self) {
      try PseudoTerminal(command: ["/nowhere/hobnob"], environment: [:])
    }
  }
}
