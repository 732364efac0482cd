// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Testing

extension EndToEnd {
  @Suite("PageUp, where the terminal does not scroll back")
  struct PageUpTests {
    private let home: Home
    private let pageUp = "\u{1B}[5~"

    init() throws {
      home = try Home()
      for number in 1...3 { try home.say("number \(number)", as: "ben") }
    }

    private func shell(_ terminal: String, inputrc: String = "") throws -> PseudoTerminal {
      try home.shellInLobby(
        as: "anna", inputrc: inputrc,
        environment: ["TERM": terminal, "PAGER": "sh -c 'cat > ~/paged'"])
    }

    private var paged: String? {
      try? String(contentsOfFile: home.path + "/paged", encoding: .utf8)
    }

    @Test(
      "on the Linux console it shows the history in the pager, and the line stays",
      arguments: ["", "set editing-mode vi"])
    func console(inputrc: String) throws {
      let shell = try shell("linux", inputrc: inputrc)
      try shell.type("half", seeing: "#lobby> half|")
      try shell.type(pageUp + "way", seeing: "#lobby> halfway|")
      #expect(paged?.contains("number 1") == true && paged?.contains("number 3") == true)
    }

    @Test("less begins at the end, and goes further up with the same key")
    func less() throws {
      try home.write(Home.export(40), to: "export")
      _ = try home.run(["import", "--as", "anna", home.path + "/export"])
      let shell = try home.shellInLobby(
        as: "anna", rows: 10, environment: ["TERM": "linux", "PAGER": "less"])
      try shell.type(pageUp, seeing: "(END)")
      try shell.type(pageUp + pageUp, seeing: ":|")
      try shell.type("q", seeing: "#lobby> |")
    }

    @Test("the inputrc wins, and a terminal that scrolls keeps its key")
    func others() throws {
      for (terminal, inputrc) in [
        ("linux", "\"\\e[5~\": beginning-of-line"), ("xterm-256color", ""), ("tmux-256color", ""),
        ("vt220", ""),
      ] {
        let shell = try shell(terminal, inputrc: inputrc)
        try shell.type("half", seeing: "#lobby> half|")
        shell.send(pageUp)
        shell.settle()
        if !inputrc.isEmpty { try shell.expect("#lobby> |half") }
        #expect(paged == nil, "\(terminal)")
        try shell.type("\u{05}\u{15}", seeing: "#lobby> |")
      }
    }

    @Test("the function can have any key; without the pager it prints")
    func anyKey() throws {
      let shell = try shell("xterm-256color", inputrc: "\"\\C-xu\": page-history")
      try shell.type("\u{18}ux", seeing: "#lobby> x|")
      #expect(paged?.contains("number 2") == true)
      try shell.type("\u{15}/set pager off\r/clear\r", seeing: "#lobby> |")
      shell.settle()
      try shell.type("\u{18}u", seeing: "number 3")
    }
  }
}
