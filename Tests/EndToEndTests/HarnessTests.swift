// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Testing

/// What the other tests stand on, tried on programs that are known to work.
@Suite("The harness")
struct HarnessTests {
  @Test("a program's output, errors and status are kept apart")
  func programsAreObserved() throws {
    let command = ["sh", "-c", "cat; echo wrong >&2; exit 3"]
    let finished = try Program(command, input: "in", environment: ["PATH": "/bin"]).finish()
    #expect(finished == Program.Finished(status: 3, output: "in", errors: "wrong\n"))
    let killed = try Program(["sleep", "60"], environment: ["PATH": "/bin"])
    killed.kill(9)
    #expect(killed.finish().status == 128 + 9)
  }

  @Test("an open standard input is written to, and ended")
  func inputCanBeTyped() throws {
    let cat = try Program(["cat"], input: nil, environment: ["PATH": "/bin"])
    cat.type("one\n")
    #expect(cat.wait(for: 10) { $0.output == "one\n" })
    cat.closeInput()
    #expect(cat.finish().status == 0)
  }

  @Test("tmux: keys in, screen and scrollback out, at every size")
  func tmuxIsDriven() throws {
    let home = try Home()
    let tmux = try Tmux(home: home)
    let pane = try tmux.open(["bash", "--norc", "-i"], rows: 10, columns: 40)
    try pane.expect { $0.contains { $0.hasSuffix("$") || $0.hasSuffix("#") } }
    try pane.type("PS1='sh> '; for i in $(seq 100); do echo \"line $i 漢字\"; done\n")
    try pane.expect { $0.last == "sh>" && $0.contains("line 100 漢字") }
    let long = String(repeating: "0123456789", count: 9)
    try pane.type("echo \(long)\n")
    try pane.expect { $0.contains(String(long.prefix(40))) && $0.last == "sh>" }
    try pane.resize(rows: 20, columns: 60)
    try pane.expect { $0.contains(String(long.prefix(60))) }
    let history = try pane.history()
    #expect(history.count { $0 == "line 1 漢字" } == 1)
    #expect(history.count { $0 == long } == 1)
    try pane.press("C-d")
    #expect(home.path.hasPrefix("/tmp/hobnob-test-"))
  }

  @Test("what a test leaves in its home folder is deleted with it")
  func homesAreRemoved() throws {
    var path = ""
    do {
      let home = try Home()
      path = home.path
      try home.write("x", to: ".config/hobnob/hobnobrc")
      #expect(FileManager.default.fileExists(atPath: path + "/.config/hobnob/hobnobrc"))
    }
    #expect(!FileManager.default.fileExists(atPath: path))
  }
}
