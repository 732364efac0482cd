// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Testing

extension EndToEnd {
  @Suite("The user's own inputrc")
  struct InputrcTests {
    private let home: Home

    init() throws {
      home = try Home()
    }

    @Test("bindings under $if hobnob apply, those of other programs do not")
    func conditionalBindingsHold() throws {
      let shell = try home.shellInLobby(
        as: "anna",
        inputrc: """
          "\\C-x\\C-a": "for everyone"
          $if hobnob
          "\\C-x\\C-b": "for hobnob"
          "\\C-x\\C-e": edit-last
          $endif
          $if bash
          "\\C-x\\C-b": "for bash"
          $endif
          """)
      try shell.type(
        "\u{18}\u{01} and \u{18}\u{02}", seeing: "#lobby> for everyone and for hobnob|")
      try shell.type("\r", seeing: "[1]")
      try shell.type("\u{18}\u{05}", seeing: "edit 1> for everyone and for hobnob|")
    }

    @Test("11.8: hobnob itself looks ~NAME up in /etc/passwd; an unknown name stays as it is")
    func tildes() throws {
      try home.write("\"\\C-t\": \"from ~\"\n", to: "included")
      let shell = try home.shellInLobby(
        as: "anna",
        inputrc: "\"\\C-xt\": tilde-expand\n$include ~no-such-user/x\n$include ~/included\n")
      try shell.type("\u{14}/x\u{18}t", seeing: "#lobby> from \(home.path)/x|")
      try shell.type("\u{15}~root/x\u{18}t", seeing: "#lobby> /root/x|")
      try shell.type("\u{15}~no-such-user/x\u{18}t", seeing: "#lobby> ~no-such-user/x|")
      try shell.type("\u{15}/attach ~no-such-user/\t\t", seeing: "~no-such-user/|")
    }

    @Test("only a plain file of a sensible size is read as an inputrc (10, smaller)")
    func strangeFiles() throws {
      let pipe = home.path + "/pipe"
      #expect(mkfifo(pipe, 0o600) == 0)
      try home.write(String(repeating: "# long\n", count: 200_000), to: "long")
      try home.write("$include \(pipe)\n", to: "nested")
      try home.write("  $Include \(home.path)/itself\n", to: "itself")
      let shell = try home.shellInLobby(as: "anna")
      for (name, reason) in [
        ("pipe", "is not a regular file"), ("", "is not a regular file"),
        ("long", "has more than 1 MiB"), ("nested", "is not a regular file"),
        ("itself", "levels deep"),
      ] {
        shell.send("/bind $include \(home.path)/\(name)\r")
        #expect(shell.wait(for: 10) { $0.history.joined().contains(reason) }, "\(name)")
        try shell.type("\u{03}\u{0C}", seeing: "#lobby> |")
      }
      // The same at the start, with the pipe as one's own inputrc; the next program gets it as it was.
      let other = try home.shellInLobby(as: "ben", environment: ["INPUTRC": pipe])
      try other.expect("is not a regular file")
      try other.type("\u{18}\u{12}", seeing: "#lobby> |")
      try other.type("still here\r", seeing: "ben: still here")
    }

    @Test("1.15: Return behind an argument sends at once, and half a character is not typed")
    func argumentAndReturn() throws {
      let shell = try home.shellInLobby(as: "anna")
      try shell.type("hello\u{1B}1\r", seeing: "anna: hello")
      try shell.type("next", seeing: "#lobby> next|")
      try shell.type("\u{1B}é!", seeing: "#lobby> next!|")
    }

    @Test("1.15: a macro with a search in it runs to its end")
    func macroWithSearch() throws {
      let shell = try home.shellInLobby(
        as: "anna", inputrc: #""\C-xm": "\C-rbeta\C-j\C-e done""# + "\n")
      try shell.type("beta two\r", seeing: "[1]")
      try shell.type("\u{18}m", seeing: "#lobby> beta two done|")
    }

    @Test("1.15: a search with a prompt of its own that finds nothing leaves the line")
    func searchesLeaveTheLine() throws {
      let shell = try home.shellInLobby(as: "anna")
      try shell.type("alpha one\r", seeing: "[1]")
      try shell.type("beta two\r", seeing: "[2]")
      try shell.type("half\u{1B}p\r", seeing: "#lobby> half|")
      try shell.type("\u{1B}pnothing\r", seeing: "half")
      try shell.type("\u{05}!", seeing: "#lobby> half!|")
      // In a line of the history it gives that line the text, and C-_ takes it back.
      try shell.type("\u{10}\u{1B}palpha\r", seeing: "#lobby> |alpha one")
      try shell.type("\u{1F}", seeing: "#lobby> beta two|")
      try shell.type("\u{0E}", seeing: "#lobby> half!|")
      // A paste goes into what is searched for (1.9).
      try shell.type("\u{1B}psought", seeing: "sought|")
      try shell.type(Key.paste(" more"), seeing: "sought more|")
      try shell.type("\u{07}", seeing: "#lobby> half!|")
    }

    @Test("vi mode edits as vi does, and Return sends from both modes")
    func viModeWorks() throws {
      let shell = try home.shellInLobby(as: "anna", inputrc: "set editing-mode vi\n")
      try shell.type("one two\u{1B}", seeing: "#lobby> one tw|o")
      try shell.type("bcwthree\u{1B}", seeing: "#lobby> one thre|e")
      try shell.type("\r", seeing: "1 anna: one three")
      try shell.type("typed at once\r", seeing: "typed at once")
    }

    @Test("a key bound to one of readline's own functions keeps its meaning")
    func ownBindingsOfReadlineFunctionsHold() throws {
      let shell = try home.shellInLobby(
        as: "anna", inputrc: "\"\\C-t\": kill-whole-line\nTAB: tab-insert\n")
      try shell.type("gone\u{14}here", seeing: "#lobby> here|")
      try shell.type("\u{14}/e\tx", seeing: "#lobby> /e      x|\nanna")
    }

    @Test("vi command mode and a pending operator stay")
    func viCommandModeGoesOn() throws {
      let shell = try home.shellInLobby(as: "anna", inputrc: "set editing-mode vi\n")
      try shell.type("one two three\u{1B}", seeing: "#lobby> one two thre|e")
      try shell.type("0d", seeing: "#lobby> |one two three")
      try home.say("while you think", as: "ben")
      try shell.expect("while you think")
      try shell.type("w", seeing: "#lobby> |two three")
      shell.send("u")
      #expect(
        shell.wait(for: 10) { $0.screen.contains("#lobby> one two three") },
        "\(shell.emulator.picture)")
    }

    @Test("C-x C-r reports mistakes in the inputrc above the line, which stays as it was")
    func mistakesReadAgain() throws {
      let shell = try home.shellInLobby(as: "anna", inputrc: "set bell-style none\n")
      try home.write("set colored-bogus on\n\"\\C-xq\": newline\n", to: ".inputrc")
      try shell.type("abc def\u{18}\u{12}", seeing: "colored-bogus")
      try shell.type("g", seeing: "#lobby> abc defg|")
      try shell.type("\u{18}q", seeing: "abc defg\n")
      // Backspace is still by grapheme.
      try shell.type("🇩🇪\u{7F}x", seeing: "        x|")
    }
  }
}
