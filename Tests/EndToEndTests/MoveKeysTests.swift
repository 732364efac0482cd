// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Testing

extension EndToEnd {
  @Suite("13: Keys between conversations")
  struct MoveKeysTests {
    private let home: Home

    init() throws { home = try Home() }

    /// Anna, in #tea and #lobby, where she looks at.
    private func anna(inputrc: String? = nil) throws -> PseudoTerminal {
      let shell = try home.shellInLobby(as: "anna", inputrc: inputrc)
      try shell.type("/join tea\r", seeing: "#tea> |")
      try shell.type("/switch lobby\r", seeing: "#lobby> |")
      return shell
    }

    @Test("13.1: keys switch at once; the line stays behind without its undo; a message follows")
    func keys() throws {
      let shell = try anna()
      try shell.type("half\u{18}\u{0E}", seeing: "#tea> |")
      try shell.type("\u{1F}there\u{18}\u{10}", seeing: "#lobby> half|")
      try shell.type("\u{18}\u{0C}", seeing: "#tea> there|")
      try home.say("hi @anna", as: "ben")
      try shell.expect("#lobby")
      try shell.type("\u{1B}a", seeing: "#lobby> half|")
      try shell.expect("ben: hi @anna")
    }

    @Test("13.1: C-x b shows a menu in place of the line; TAB chooses, Return goes, C-g returns")
    func switcher() throws {
      let shell = try anna()
      try shell.type("one two\u{1B}b", seeing: "#lobby> one |two")
      try shell.type("\u{18}b", seeing: "switch to> |\n#tea")
      try shell.type("x\u{7F}\u{07}", seeing: "#lobby> one |two")
      // The undo is that of the line.
      try shell.type("\u{1F}", seeing: "#lobby> |")
      try shell.type("one\u{18}b", seeing: "switch to> |\n#tea")
      try shell.type("\t", seeing: "switch to> #tea |")
      try shell.type("\r", seeing: "#tea> |")
      try shell.type("\u{18}b\r", seeing: "#lobby> one|")
      // What all begin with is filled in once; then TAB enters the menu, the second one next.
      try shell.type("\u{03}/join two\r", seeing: "#two> |")
      try shell.type("\u{18}b\t", seeing: "switch to> #|\n#lobby\n#tea")
      try shell.type("\t\t\r", seeing: "#tea> |")
    }

    @Test("13.1: in vi's movement mode g and a letter; the mode stays, and names are typed")
    func viKeys() throws {
      let shell = try anna(inputrc: "set editing-mode vi\n")
      try shell.type("half\u{1B}", seeing: "#lobby> hal|f")
      try shell.type("gn", seeing: "#tea> |")
      try shell.type("gp", seeing: "#lobby> hal|f")
      try shell.type("gbte", seeing: "switch to> te|\n#tea")
      try shell.type("\u{07}", seeing: "#lobby> hal|f")
      try shell.type("x", seeing: "#lobby> ha|l")
      try shell.type("gb\r", seeing: "#tea> |")
      // It is still movement mode.
      try shell.type("gn", seeing: "#lobby> ha|l")
      try shell.type("gbx\u{1B}\u{07}", seeing: "#lobby> ha|l")
      try shell.type("gp", seeing: "#tea> |")
      try shell.type("ia thing\r", seeing: "anna: a thing")
      // A search takes the letter for itself, and an operator its motion.
      try shell.type("\u{1B}\u{12}ng", seeing: "`ng'")
    }

    @Test("13.1: the switcher leaves no menu behind on an empty line, and opens with one each time")
    func switcherAgain() throws {
      let shell = try anna()
      for _ in 0..<2 {
        try shell.type("\u{18}b", seeing: "switch to> |\n#tea")
        try shell.type("\u{07}", seeing: "#lobby> |")
        try shell.expectGone("#tea\n")
        // One too many rings, and no more.
        shell.send("\u{07}")
      }
      try shell.type("\u{18}b", seeing: "switch to> |\n#tea")
      try shell.type("\r", seeing: "#tea> |")
      try shell.expectGone("\n#lobby\n")
    }

    @Test("13.1: Up, Down, C-p and C-n choose in the switcher, which has no history")
    func switcherKeys() throws {
      let shell = try anna()
      try shell.type("/join two\r", seeing: "#two> |")
      try shell.type("\u{18}b", seeing: "switch to> |\n#lobby\n#tea")
      try shell.type("\u{1B}[A", seeing: "Return goes to #tea,")
      try shell.type("\u{1B}[B", seeing: "Return goes to #lobby,")
      try shell.type("\u{0E}\r", seeing: "#tea> |")
      try shell.type("\u{18}bnone", seeing: "switch to> none|")
      try shell.expect("You have no conversation by that name")
      try shell.type("\u{10}\u{1B}<\u{1B}[A!", seeing: "switch to> none!|")
      try shell.type("\u{07}", seeing: "#tea> |")
      try shell.type("\u{10}", seeing: "#tea> /join two|")
    }

    @Test("13.4: text typed over a question is in the line; y and n answer it")
    func typingOverAQuestion() throws {
      let shell = try anna()
      try shell.type("/switch teaa\r", seeing: "y: go to #tea")
      try shell.type("hello", seeing: "#lobby> hello|")
      try shell.expectGone("y: go to #tea")
      try shell.type("\u{15}/switch teaa\r", seeing: "y: go to #tea")
      try shell.type("n", seeing: "#lobby> |")
      try shell.expectGone("y: go to #tea")
      try shell.type("/switch teaa\r", seeing: "y: go to #tea")
      try shell.type("y", seeing: "#tea> |")
    }

    @Test("13.1: an inputrc's bindings of these keys apply, and so do names of functions")
    func ownBindings() throws {
      let shell = try anna(
        inputrc: "\"\\ea\": \"for M-a\"\n\"\\C-x\\C-n\": conversation-1\n\"\\C-xn\": set-aside\n")
      try shell.type("\u{1B}a", seeing: "#lobby> for M-a|")
      try shell.type("\u{18}n", seeing: "#lobby> |")
      try shell.type("quick\r", seeing: "#lobby> for M-a|")
      try shell.type("\u{18}\u{10}", seeing: "#tea> |")
      try shell.type("\u{18}\u{0E}", seeing: "#lobby> for M-a|")
    }

    @Test("13.1, 13.3: in plain mode the prompt names the conversation, and M-q works")
    func plain() throws {
      let shell = try home.shellInLobby(as: "anna", ["--plain"])
      try shell.type("/join tea\r", seeing: "#tea> |")
      try shell.type("half\u{1B}q", seeing: "#tea> |")
      try shell.type("\u{18}blob\r", seeing: "#lobby> |")
      try shell.type("\u{18}\u{0C}", seeing: "#tea> |")
      try shell.type("quick\r", seeing: "#tea> half|")
    }
  }
}
